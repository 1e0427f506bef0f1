"""The golden case and the output of kind `events` (V7, component 1)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from row3.kinds.entities import ExpectedEntity
from row3.kinds.memory_files import DocumentCase, IsoDate, Labelled, Text

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


class EventsCase(DocumentCase):
    """A document with its events; or several, with events that may be the same."""

    expected_events: list[ExpectedEvent]
    expected_entities: list[ExpectedEntity] = Field(
        default_factory=list, description="Of kind `entities`; here their mentions are other names of actors."
    )


class EventOut(BaseModel):
    """One extracted event. What can be wrong about one event alone is `Any`: it spoils that event, not the answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    category: Any = Field(
        default=None,
        validation_alias=AliasChoices("category", "type"),
        json_schema_extra={"enum": list(CATEGORIES)},
    )
    description: str = Field(
        validation_alias=AliasChoices("description", "narrative", "event", "summary"),
        description="What happened, in one short clause that is understood by itself.",
    )
    actor: Any = Field(
        default=None,
        validation_alias=AliasChoices("actor", "owner", "who"),
        description=f"Whose event it is; {TEAM} where the group decides or acts; empty where nobody is meant.",
    )
    due_date: Any = Field(
        default=None,
        validation_alias=AliasChoices("due_date", "dueDate", "due"),
        description="YYYY-MM-DD; empty where the document sets no day.",
    )
    evidence: Any = Field(
        default=None,
        validation_alias=AliasChoices("evidence", "quote", "source_quote"),
        description="The words of the document that say so, copied character by character.",
    )
    document_id: Any = Field(
        default=None,
        validation_alias=AliasChoices("document_id", "documentId", "doc_id"),
        description="Id of the document that says so.",
    )
    group: Any = Field(
        default=None,
        validation_alias=AliasChoices("group", "same_as", "happening"),
        description="The same short word for entries from different documents that are one event; else empty.",
    )


class EventsOut(BaseModel):
    """Answer of a prompt with `output: events`."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    events: list[EventOut]
