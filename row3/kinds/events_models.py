"""The golden case and the output of kind `events` (V7, component 1)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from row3.kinds.entities import ExpectedEntity
from row3.kinds.memory_files import CaseId, IsoDate, Labelled, MemoryCase, Text

CATEGORIES = (
    "Decision",
    "Commitment",
    "QualityRisk",
    "Execution",
    "Collaboration",
    "Feedback",
    "Change",
    "Stakeholder",
)
TEAM = "Team"
"""The actor of what a group decides."""


class ExpectedEvent(Labelled):
    """Something that happened or was promised, which a careful reader would want to remember."""

    category: Text = Field(description="One of " + ", ".join(CATEGORIES) + ".")
    description: Text = Field(description="Short and understood by itself.")
    actor: Text | None = Field(default=None, description="Full name; Team where the group decides; null for nobody.")
    due_date: IsoDate | None = Field(default=None, description="YYYY-MM-DD, where the document gives or implies one.")
    evidence: Text | None = Field(default=None, description="The words of the document that say so.")
    confidence: Literal["high", "medium", "low"] | None = None
    document_id: Text | None = Field(default=None, description="Which of several documents says so.")
    same_as: Text | None = Field(
        default=None, description="Events with the same word here are one happening, told in several documents."
    )
    note: str | None = Field(default=None, description="For readers of the case.")


class SourceDocument(Labelled):
    """One of several documents of a case."""

    document_id: CaseId
    title: str = ""
    date: IsoDate | None = None
    document: Text


class EventsCase(MemoryCase):
    """A document with its events; or several, with events that may be the same."""

    document_id: CaseId | None = Field(default=None, description="Unique in the suite; of a case of one document.")
    case_id: CaseId | None = Field(default=None, description="Unique in the suite; of a case of several documents.")
    title: str = ""
    date: IsoDate | None = Field(default=None, description="When it was written, YYYY-MM-DD.")
    document: Text | None = Field(default=None, description="The text itself.")
    documents: list[SourceDocument] = Field(default_factory=list, description="Instead of `document`: several of them.")
    expected_events: list[ExpectedEvent]
    expected_entities: list[ExpectedEntity] = Field(
        default_factory=list, description="Of kind `entities`; here their mentions are other names of actors."
    )

    @property
    def id(self) -> str:
        """The case's id."""
        return self.document_id or self.case_id or ""

    @model_validator(mode="after")
    def _one_or_several(self) -> EventsCase:
        if self.document is not None and self.document_id is not None and not self.documents and self.case_id is None:
            return self
        if self.documents and self.case_id is not None and self.document is None and self.document_id is None:
            return self
        raise ValueError("give either `document_id` and `document`, or `case_id` and `documents`")

    def texts(self) -> dict[str, str]:
        """Text by document id."""
        if self.documents:
            return {one.document_id: one.document for one in self.documents}
        return {self.document_id or "": self.document or ""}


class EventOut(BaseModel):
    """One extracted event."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    category: Any = Field(default=None, validation_alias=AliasChoices("category", "type"))
    description: str = Field(validation_alias=AliasChoices("description", "narrative", "event", "summary"))
    actor: Any = Field(default=None, validation_alias=AliasChoices("actor", "owner", "who"))
    due_date: Any = Field(default=None, validation_alias=AliasChoices("due_date", "dueDate", "due"))
    evidence: Any = Field(default=None, validation_alias=AliasChoices("evidence", "quote", "source_quote"))
    document_id: Any = Field(default=None, validation_alias=AliasChoices("document_id", "documentId", "doc_id"))
    group: Any = Field(default=None, validation_alias=AliasChoices("group", "same_as", "happening"))


class EventsOut(BaseModel):
    """Answer of a prompt with `output: events`."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    events: list[EventOut]
