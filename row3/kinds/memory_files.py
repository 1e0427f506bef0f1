"""What the golden cases of a memory system have in common: V7's snake_case keys, beside row3's own."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

CASE_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
CaseId = Annotated[str, StringConstraints(pattern=CASE_ID)]
Text = Annotated[str, StringConstraints(pattern=r"\S")]
DATE = r"^\d{4}-\d{2}-\d{2}$"


def _day(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise PydanticCustomError("date", "`{text}` is no day of the calendar", {"text": text}) from None
    return text


IsoDate = Annotated[str, StringConstraints(pattern=DATE), AfterValidator(_day)]


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


class SourceDocument(Labelled):
    """One of several documents of a case."""

    document_id: CaseId = Field(description="Unique in the case.")
    title: str = ""
    date: IsoDate | None = Field(default=None, description="When it was written, YYYY-MM-DD.")
    document: Text = Field(description="The text itself.")


class DocumentCase(MemoryCase):
    """A document of the corpus, whose id is the case's; or several documents that are read together."""

    document_id: CaseId | None = Field(default=None, description="Unique in the suite; of a case of one document.")
    case_id: CaseId | None = Field(default=None, description="Unique in the suite; of a case of several documents.")
    title: str = ""
    date: IsoDate | None = Field(default=None, description="When it was written, YYYY-MM-DD.")
    document: Text | None = Field(default=None, description="The text itself.")
    documents: list[SourceDocument] = Field(default_factory=list, description="Instead of `document`: several of them.")

    @property
    def id(self) -> str:
        """The case's id."""
        return self.document_id or self.case_id or ""

    @model_validator(mode="after")
    def _one_or_several(self) -> Self:
        single = self.document is not None and self.document_id is not None
        if single and not self.documents and self.case_id is None:
            return self
        if not self.documents or self.case_id is None or self.document is not None or self.document_id is not None:
            what = "give either `document_id` and `document`, or `case_id` and `documents`"
            raise PydanticCustomError("one_or_several", what)
        names = [one.document_id for one in self.documents]
        for name in names:
            if names.count(name) > 1:
                raise PydanticCustomError("twice", "`documents` has `{name}` twice", {"name": name})
        return self

    def texts(self) -> dict[str, str]:
        """Text by document id."""
        if self.documents:
            return {one.document_id: one.document for one in self.documents}
        return {self.document_id or "": self.document or ""}

    def text(self) -> str:
        """All documents, one after the other."""
        return "\n".join(self.texts().values())

    def variables(self) -> dict[str, Any]:
        """What a template sees: `documents`, and the parts of the only one by themselves; no expectations."""
        single = {
            "document_id": self.document_id or "",
            "title": self.title,
            "date": self.date or "",
            "document": self.document or "",
        }
        several = [
            {"document_id": d.document_id, "title": d.title, "date": d.date or "", "document": d.document}
            for d in self.documents
        ]
        return single | {"documents": several or [single]}
