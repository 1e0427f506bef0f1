"""What the golden cases of a memory system have in common: V7's snake_case keys, beside row3's own."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

CASE_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
CaseId = Annotated[str, StringConstraints(pattern=CASE_ID)]
Text = Annotated[str, StringConstraints(pattern=r"\S")]
DATE = r"^\d{4}-\d{2}-\d{2}$"
IsoDate = Annotated[str, StringConstraints(pattern=DATE)]


class Labelled(BaseModel):
    """Golden files are written by hand, so an unknown key is an error, not a default."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, validate_by_alias=True, validate_by_name=False)


class Change(Labelled):
    """Why a golden case was changed."""

    date: Text
    change: Text
    reason: Text


class MemoryCase(Labelled):
    """Keys of every case, whatever its kind."""

    schema_: str | None = Field(default=None, alias="$schema", description="JSON Schema for editors.")
    schema_version: int = Field(default=1, ge=1, alias="schemaVersion")
    domain: Text | None = Field(default=None, description="What the scorecard groups by: meeting, email, chat …")
    version: str = "1.0"
    created: str | None = Field(default=None, description="YYYY-MM-DD.")
    origin: str | None = Field(default=None, description="Where the text comes from: original writing, or a source.")
    source: str | None = Field(default=None, description="Cases that share a source carry the same word.")
    critical: bool = Field(default=False, description="This case alone blocks when it breaks.")
    history: list[Change] = Field(default_factory=list, description="Changes of the expectations, with the reason.")


class DocumentCase(MemoryCase):
    """A document of the corpus; its id is the case's."""

    document_id: CaseId = Field(description="Unique in the suite.")
    title: str = ""
    date: IsoDate | None = Field(default=None, description="When it was written, YYYY-MM-DD.")
    document: Text = Field(description="The text itself.")

    @property
    def id(self) -> str:
        """The case's id."""
        return self.document_id
