"""The golden case and the output of kind `graph` (V7, component 4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from row3.kinds.cases import CaseId, Labelled, MemoryCase, Note, Text
from row3.kinds.outputs import Output, meta

Hops = Annotated[int, Meta(ge=1, le=5)]
Reason = Literal["shared_entity", "shared_event"]


class ExpectedConnection(Labelled, frozen=True):
    """A document that belongs with the seed, and why."""

    document_id: Text
    connection_reason: Reason
    entity: Annotated[Text | None, Meta(description="Of a shared entity: its name.")] = None
    event: Annotated[Text | None, Meta(description="Of a shared event: what happened.")] = None
    aliases: Annotated[list[Text], Meta(description="Other names of the entity.")] = field(default_factory=list)
    also: Annotated[
        list[Text], Meta(description="Other entities that both share; a path over any of them is right too.")
    ] = field(default_factory=list)
    relevance: Literal["high", "medium", "low"] | None = None
    hops: Annotated[Hops | None, Meta(description="1 is connected directly.")] = None
    via: Annotated[Text | None, Meta(description="Of two hops: the document between.")] = None
    note: Note = None


class GraphCase(MemoryCase, frozen=True, kw_only=True):
    """A golden case of kind `graph`: a document, what it is connected with, and what not."""

    id: CaseId
    seed_document: Annotated[Text, Meta(description="Id of the document to start from.")]
    seed_text: Annotated[Text | None, Meta(description="Words that find it, where a memory is searched by text.")] = (
        None
    )
    depth: Annotated[Hops, Meta(description="How many hops may be gone.")] = 2
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many connections are asked for.")] = 20
    expected_connections: list[ExpectedConnection]
    expected_not_connected: list[Text] = field(default_factory=list)


class ConnectionOut(Output, frozen=True):
    """One returned connection: a document, or an event."""

    document_id: Annotated[str | None, meta("", "documentId", "doc_id", "id")] = None
    event: Annotated[str | None, meta("", "description", "narrative")] = None
    entity: Annotated[
        Any, meta("The shared entity; empty for an event.", "entities", "shared_entity", "shared_entities")
    ] = None
    connection_reason: Annotated[
        str | None, meta("", "connectionReason", "reason", enum=("shared_entity", "shared_event"))
    ] = None
    hops: Annotated[int | None, meta("1 is connected directly.", "hop", "depth")] = None

    @classmethod
    def usual(cls, value: Any) -> Any:
        """A plain string is a document's id; of an event that names its document, or none, `id` is the event's own."""
        if isinstance(value, str):
            return {"document_id": value}
        named = ("document_id", "documentId", "doc_id", "event", "description", "narrative")
        if isinstance(value, dict) and "id" in value and any(key in value for key in named):
            return {key: part for key, part in value.items() if key != "id"}
        return value


class ConnectionsOut(Output, frozen=True):
    """Answer of an expansion."""

    connections: Annotated[list[ConnectionOut], meta("", "related", "expanded", "items", "events", "documents")]
