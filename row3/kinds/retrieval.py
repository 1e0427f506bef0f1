"""Kind `retrieval`: a query and the documents that answer it, ranked (V7, component 3)."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import dropwhile
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from row3.domain.asks import Ask
from row3.domain.matches import Item, ItemExpectation, ItemMatch, Items
from row3.domain.models import Day, Model, Text
from row3.domain.scores import CaseScore, Metric, Threshold
from row3.kinds.base import Finding, Group, Kind, Lint, Measured, Reference, Rules, lint_error, lint_twice
from row3.kinds.cases import CaseId, MemoryCase, Note
from row3.kinds.demands import Expected
from row3.kinds.found import Found
from row3.kinds.mistakes import Mistake, Mistakes
from row3.kinds.outputs import UNREADABLE, Output, meta
from row3.metrics.retrieval import (
    average_precision,
    judged_in,
    ndcg_at,
    ranked,
    reciprocal_rank,
    relevant_count,
    relevant_in,
)


class Judged(Model):
    """A document and how well it answers the query."""

    id: Text
    """Id of the document."""
    relevance: Annotated[int, Field(ge=0, le=10)] = 1
    """0 is not relevant; 3 answers the query, 2 useful context, 1 tangential."""
    note: Note = None


class RetrievalCase(MemoryCase):
    """A golden case of kind `retrieval`: a query, and the relevance of documents to it."""

    id: CaseId
    query: Text
    limit: Annotated[int, Field(ge=1, le=1000)] = 10
    """Number of results requested."""
    date: Day | None = None
    """Day of the query, YYYY-MM-DD."""
    relevant_documents: list[Judged]

    def variables(self) -> dict[str, Any]:
        """Return `query`, `limit`, and `date` (empty for none)."""
        return {"query": self.query, "limit": self.limit, "date": "" if self.date is None else self.date.isoformat()}

    def relevance(self) -> dict[str, int]:
        """Return the relevance by document; of two judgements of a document, the later one."""
        return {document.id: document.relevance for document in self.relevant_documents}


class ResultOut(Output):
    """One result; without scores, the order of the list is the ranking."""

    id: Annotated[str, meta("The document's id.", "document_id", "documentId", "doc_id")]
    score: Annotated[float | None, meta(asked=False)] = None

    @classmethod
    def reshape(cls, value: Any) -> Any:
        """Take a plain string for a document's id, and drop a result's own `id` if it also has a document's."""
        if isinstance(value, str):
            return {"id": value}
        if isinstance(value, dict) and any(key in value for key in ("document_id", "documentId", "doc_id")):
            return {key: part for key, part in value.items() if key != "id"}
        return value


class ResultsOut(Output):
    """Answer to a search. Raises `ValueError` if a score is not finite or only some results have one."""

    results: Annotated[list[ResultOut], meta("", "documents", "events", "items")]

    @model_validator(mode="after")
    def _check(self) -> Self:
        read = [result for result in self.results if result.id != UNREADABLE]
        scores = [result.score for result in read if result.score is not None]
        if not all(map(math.isfinite, scores)):
            raise ValueError("a score is not a finite number")
        if scores and len(scores) < len(read):
            raise ValueError("only some results have a score, so they cannot be ranked")
        return self


SHOWN_RANKS = 10


def _lint(case: RetrievalCase, rules: Rules) -> Iterator[Finding]:
    """Check that the query has judged documents, each judged once, at least one of them relevant."""
    at = "relevant_documents"
    if not case.relevant_documents:
        yield lint_error("not-judged", "the query has no judged documents", (at,))
    elif not any(document.relevance for document in case.relevant_documents):
        yield lint_error("nothing-relevant", "no document is relevant to the query", (at,))
    yield from lint_twice("judged-twice", [each.id for each in case.relevant_documents], at, "id", verb="judged")


def _refers_to(case: RetrievalCase) -> list[Reference]:
    """Return every judged document."""
    return [
        Reference("document", document.id, ("relevant_documents", place, "id"))
        for place, document in enumerate(case.relevant_documents)
    ]


class Retrieval(Kind):
    """Scores `{"results": [{"id", "score"}, …]}` against graded judgements."""

    name = "retrieval"
    version = 3
    case_model = RetrievalCase
    outputs: Mapping[str, type[Any]] = {"found": Found, "results": ResultsOut}
    metrics = (
        Metric("ndcg_at_10", "NDCG@10", threshold=Threshold(0.70, 0.85, 0.95), blocking=False),
        Metric("mrr", "MRR", threshold=Threshold(0.60, 0.75, 0.90)),
        Metric("ndcg_at_5", "NDCG@5", threshold=Threshold(0.0, 0.75, 0.90), companion=True),
        Metric("precision_at_3", "Precision@3", threshold=Threshold(0.0, 0.80, 0.95), companion=True),
        Metric("recall_at_10", "Recall@10", threshold=Threshold(0.0, 0.90, 0.98), companion=True),
        Metric("map", "MAP", companion=True),
        Metric("judged_at_10", "Judged@10", companion=True),
    )
    groups = (Group("results", "Results", "in the first ten", "relevant not-relevant not-judged"),)
    lint = Lint(_lint, refers_to=_refers_to)

    def signature(self, rules: Rules) -> str:
        """Return the scorer's version alone: no setting changes how ids are compared."""
        return f"{self.name}/{self.version}"

    def measure(self, case: RetrievalCase, output: ResultsOut, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Rank the results and look up their relevance."""
        yield from ()
        judged = case.relevance()
        entries = enumerate(output.results, 1)
        named = [(f"{each.id} {at}" if each.id == UNREADABLE else each.id, each.score) for at, each in entries]
        ranking = ranked(named)
        relevant, shown = relevant_count(judged), min(10, len(ranking))
        values = {
            "mrr": reciprocal_rank(ranking, judged),
            "ndcg_at_5": ndcg_at(5, ranking, judged),
            "ndcg_at_10": ndcg_at(10, ranking, judged),
            "map": average_precision(ranking, judged),
        }
        counts = {
            "precision_at_3": (relevant_in(3, ranking, judged), 3),
            "recall_at_10": (relevant_in(10, ranking, judged), relevant),
            "judged_at_10": (judged_in(10, ranking, judged), shown),
        }
        reason = "the query has no relevant document"
        skipped = {} if relevant else dict.fromkeys([metric.key for metric in self.metrics], reason)
        empty = {} if shown else {"judged_at_10": "there are no results"}
        return Measured(_explained(case, ranking, judged), counts, values, skipped, empty)

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """Return errors as short lines by list: documents ranked low or missed, irrelevant results."""
        found = score.explanation
        if found is None:
            return {}
        lists = {
            "wrongRanks": tuple(f"{item.label} at rank {item.notes['rank']}" for item in _ranked_low(found)),
            "missedResults": tuple(each.label for each in found.expected if each.found_by is None),
            "wrongResults": tuple(item.label for item in found.items if item.state == "not-relevant"),
        }
        return {key: lines for key, lines in lists.items() if lines}

    def mistakes(self, case: RetrievalCase, score: CaseScore, rules: Rules) -> Mistakes:
        """Return the errors of an answer by cause, among them documents that are ranked too low."""
        found = super().mistakes(case, score, rules)
        low = (Mistake("low", item.label, note=f"rank {item.notes['rank']}") for item in _ranked_low(score.explanation))
        return found._replace(items=(*found.items, *low))

    def expected(self, case: RetrievalCase) -> Iterator[Expected]:
        """Yield every judgement."""
        for name, relevance in case.relevance().items():
            yield Expected("judged", name, {"relevance": relevance})


def _ranked_low(found: Items) -> Iterator[Item]:
    """Yield the relevant results that follow one which is not, or which nobody has judged."""
    follows = dropwhile(lambda item: item.state == "relevant", found.items)
    return (item for item in follows if item.state == "relevant")


def _explained(case: RetrievalCase, ranking: Sequence[str], judged: Mapping[str, int]) -> Items:
    """Return the results that metrics look at, and where each relevant document stands."""
    ranks, best = {name: rank for rank, name in enumerate(ranking, 1)}, max(3, *judged.values(), 0)
    items = tuple(
        ItemMatch(
            name,
            "not-judged" if name not in judged else "relevant" if judged[name] > 0 else "not-relevant",
            name if judged.get(name, 0) > 0 else None,
            judged.get(name, 0) / best,
            {"rank": rank, "relevance": judged.get(name)},
        )
        for rank, name in enumerate(ranking[:SHOWN_RANKS], 1)
    )
    expected = tuple(
        ItemExpectation(
            document.id,
            document.id if ranks.get(document.id, SHOWN_RANKS + 1) <= SHOWN_RANKS else None,
            None,
            document.relevance / best,
            {"relevance": document.relevance, "rank": ranks.get(document.id)},
        )
        for document in case.relevant_documents
        if document.relevance > 0
    )
    return Items(items, expected, frozenset({"relevant"}))


KIND = Retrieval()
