"""The golden case and the output of kind `events` (V7, component 1)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from row3.domain.models import Day, Model, Text
from row3.kinds.cases import DocumentCase, Note
from row3.kinds.entities import ExpectedEntity
from row3.kinds.outputs import Output, meta

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
"""The actor of a group's decisions."""


class ExpectedEvent(Model):
    """Something that happened or was promised and is worth remembering."""

    category: Annotated[Text, Field(description="One of " + ", ".join(CATEGORIES) + ".")]
    description: Text
    """Short, and clear without context."""
    actor: Text | None = None
    """Full name; Team if the group decides; null for nobody."""
    due_date: Day | None = None
    """YYYY-MM-DD, if the document gives or implies a date."""
    evidence: Text | None = None
    """The words of the document that report it."""
    confidence: Literal["high", "medium", "low"] | None = None
    document_id: Text | None = None
    """Which of several documents reports it."""
    same_as: Text | None = None
    """Any word, shared by events that several documents report but that are one."""
    note: Note = None

    @property
    def due(self) -> str | None:
        """The due date as YYYY-MM-DD."""
        return None if self.due_date is None else self.due_date.isoformat()


class EventsCase(DocumentCase):
    """A golden case of kind `events`: one document or several, and what happened in them."""

    expected_events: list[ExpectedEvent]
    expected_entities: list[ExpectedEntity] = []
    """As in kind `entities`; their mentions are other names of actors."""


class EventOut(Output):
    """One extracted event. Fields are `Any` so that a bad value spoils only that event, not the whole answer."""

    category: Annotated[Any, meta("", "type", enum=CATEGORIES)] = None
    description: Annotated[
        str, meta("What happened, in one short clause that is understood by itself.", "narrative", "event", "summary")
    ]
    actor: Annotated[
        Any,
        meta(
            f"Whose event it is; {TEAM} where the group decides or acts; empty where nobody is meant.", "owner", "who"
        ),
    ] = None
    due_date: Annotated[Any, meta("YYYY-MM-DD; empty where the document sets no day.", "dueDate", "due")] = None
    evidence: Annotated[
        Any, meta("The words of the document that say so, copied character by character.", "quote", "source_quote")
    ] = None
    document_id: Annotated[Any, meta("Id of the document that says so.", "documentId", "doc_id")] = None
    group: Annotated[
        Any,
        meta(
            "The same short word for entries from different documents that are one event; else empty.",
            "same_as",
            "happening",
        ),
    ] = None


class EventsOut(Output):
    """Answer to a prompt with `output: events`."""

    events: list[EventOut]
