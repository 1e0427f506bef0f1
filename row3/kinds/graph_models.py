"""The golden case and the output of kind `graph` (V7, component 4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from row3.kinds.memory_files import CaseId, Labelled, MemoryCase, Text

DOCUMENT_KEYS = ("document_id", "documentId", "doc_id")
EVENT_KEYS = ("event", "description", "narrative")


class ExpectedConnection(Labelled):
    """A document that belongs with the seed, and why."""

    document_id: Text
    connection_reason: Literal["shared_entity", "shared_event"]
    entity: Text | None = Field(default=None, description="Of a shared entity: its name.")
    event: Text | None = Field(default=None, description="Of a shared event: what happened.")
    aliases: list[Text] = Field(default_factory=list, description="Other names of the entity.")
    also: list[Text] = Field(
        default_factory=list, description="Other entities that both share; a path over any of them is right too."
    )
    relevance: Literal["high", "medium", "low"] | None = None
    hops: Annotated[int, Field(ge=1, le=5)] | None = Field(default=None, description="1 is connected directly.")
    via: Text | None = Field(default=None, description="Of two hops: the document between.")
    note: str | None = Field(default=None, description="For readers of the case.")


class GraphCase(MemoryCase):
    """A document to start from, what it is connected with, and what not."""

    id: CaseId = Field(description="Unique in the suite.")
    seed_document: Text = Field(description="Id of the document to start from.")
    seed_text: Text | None = Field(default=None, description="Words that find it, where a memory is searched by text.")
    depth: Annotated[int, Field(ge=1, le=5)] = Field(default=2, description="How many hops may be gone.")
    limit: Annotated[int, Field(ge=1, le=1000)] = Field(default=20, description="How many connections are asked for.")
    expected_connections: list[ExpectedConnection]
    expected_not_connected: list[Text] = Field(default_factory=list)


class ConnectionOut(BaseModel):
    """One returned connection: a document, or an event."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    document_id: str | None = Field(default=None, validation_alias=AliasChoices(*DOCUMENT_KEYS, "id"))
    event: str | None = Field(default=None, validation_alias=AliasChoices(*EVENT_KEYS))
    entity: Any = Field(
        default=None,
        validation_alias=AliasChoices("entity", "entities", "shared_entity", "shared_entities"),
        description="The shared entity; empty for an event.",
    )
    connection_reason: str | None = Field(
        default=None,
        validation_alias=AliasChoices("connection_reason", "connectionReason", "reason"),
        json_schema_extra={"enum": ["shared_entity", "shared_event"]},
    )
    hops: int | None = Field(
        default=None, validation_alias=AliasChoices("hops", "hop", "depth"), description="1 is connected directly."
    )

    @model_validator(mode="before")
    @classmethod
    def _id_of_an_event(cls, value: Any) -> Any:
        """A plain string is a document's id; of an event that names its document, or none, `id` is the event's own."""
        if isinstance(value, str):
            return {"document_id": value}
        if isinstance(value, dict) and "id" in value and any(key in value for key in (*DOCUMENT_KEYS, *EVENT_KEYS)):
            return {key: part for key, part in value.items() if key != "id"}
        return value


class ConnectionsOut(BaseModel):
    """Answer of an expansion."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    connections: list[ConnectionOut] = Field(
        validation_alias=AliasChoices("connections", "related", "expanded", "items", "events", "documents")
    )
