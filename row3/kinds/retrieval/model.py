"""The golden case and the output of kind `retrieval` (V7, component 3)."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from row3.kinds.cases import CaseId, Day, Labelled, MemoryCase, Note, Text
from row3.kinds.outputs import Output, meta


class Judged(Labelled, frozen=True):
    """A document and how well it answers the query."""

    id: Annotated[Text, Meta(description="The document.")]
    relevance: Annotated[
        int, Meta(ge=0, le=3, description="3 answers the query, 2 useful context, 1 tangential, 0 not relevant.")
    ]
    note: Note = None


class RetrievalCase(MemoryCase, frozen=True, kw_only=True):
    """A golden case of kind `retrieval`: a query and documents with their relevance."""

    id: CaseId
    query: Text
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many results are asked for.")] = 10
    date: Annotated[Day | None, Meta(description="The day on which it is asked, YYYY-MM-DD.")] = None
    relevant_documents: list[Judged]


class ResultOut(Output, frozen=True):
    """One result; the order of the list is the ranking where no scores are given."""

    id: Annotated[str, meta("The document's id.", "document_id", "documentId", "doc_id")]
    score: Annotated[float | None, meta(asked=False)] = None

    @classmethod
    def usual(cls, value: Any) -> Any:
        """A plain string is a document's id; beside a document's id, `id` is the result's own."""
        if isinstance(value, str):
            return {"id": value}
        if isinstance(value, dict) and any(key in value for key in ("document_id", "documentId", "doc_id")):
            return {key: part for key, part in value.items() if key != "id"}
        return value


class ResultsOut(Output, frozen=True):
    """Answer of a search."""

    results: Annotated[list[ResultOut], meta("", "documents", "events", "items")]
