"""Kind `graph`: what a document is connected with, and over what (V7, component 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from row3.domain.items import Items
from row3.domain.metrics import Metric, Threshold
from row3.domain.scores import CaseScore
from row3.kinds.base import Finding, Reference, Rules
from row3.kinds.demands import Expected
from row3.kinds.graph.match import VALID, explained, match_connections
from row3.kinds.graph.model import ConnectionsOut, ExpectedConnection, GraphCase
from row3.kinds.lists import NONE_RETURNED, NONE_VALID, ListKind
from row3.metrics.ratios import ratio

METRICS = (
    Metric("connection_recall", "Connection recall", threshold=Threshold(0.0, 0.75, 0.90), blocking=False),
    Metric(
        "false_positive_rate",
        "False positive rate",
        higher_is_better=False,
        threshold=Threshold(1.0, 0.10, 0.0),
        blocking=False,
    ),
    Metric("hop_accuracy", "Hop accuracy", threshold=Threshold(0.0, 0.80, 0.95), blocking=False),
    Metric("connection_precision", "Connection precision", threshold=Threshold(0.75, 0.85, 0.95), blocking=False),
    Metric("judged_rate", "Judged", companion=True),
)


class Graph(ListKind):
    """Scores `{"connections": […]}`: valid, complete, over the right path, and none to what is unrelated."""

    name = "graph"
    version = 8
    items = "connections"
    case_model = GraphCase
    case_schema = "graph-case"
    outputs: Mapping[str, type[Any]] = {"connections": ConnectionsOut}
    metrics = METRICS
    primary = "connection_precision"
    invented = frozenset(("connection_precision", "judged_rate"))

    def variables(self, case: GraphCase) -> dict[str, Any]:
        """`seed_document`, `seed_text` (the id where the case has no other words), `depth` and `limit`."""
        return {
            "seed_document": case.seed_document,
            "seed_text": case.seed_text or case.seed_document,
            "depth": case.depth,
            "limit": case.limit,
        }

    def judge(self, case: GraphCase, output: ConnectionsOut, rules: Rules) -> tuple[Items, CaseScore]:
        """Look up each connection; by document where it names one, else by its event."""
        matches = match_connections(case, output, rules)
        judged = [match for match in matches if match.state not in ("duplicate", "seed")]
        states = [match.state for match in judged]
        valid = sum([state in VALID for state in states])
        unrelated = {match.label for match in matches if match.state == "not-connected"}
        counts = {
            "connection_precision": (valid, len(judged)),
            "connection_recall": (valid, len(case.expected_connections)),
            "false_positive_rate": (len(unrelated), len(set(case.expected_not_connected))),
            "hop_accuracy": (states.count("connected"), valid),
            "judged_rate": (len(judged) - states.count("not-judged"), len(judged)),
        }
        skipped: dict[str, str] = {}
        if not case.expected_connections:
            reason = "the case expects no connections"
            skipped = dict.fromkeys(("connection_recall", "hop_accuracy"), reason)
            if not judged:
                skipped["connection_precision"] = reason
        elif not valid:
            skipped["hop_accuracy"] = NONE_VALID
        if not case.expected_not_connected:
            skipped["false_positive_rate"] = "the case names no unrelated documents"
        if not judged:
            skipped["judged_rate"] = NONE_RETURNED
        metrics = {key: ratio(*pair) for key, pair in counts.items() if key not in skipped}
        return explained(case, output, matches), CaseScore(case.id, "scored", metrics, skipped, counts)

    def expected(self, case: GraphCase) -> Iterator[Expected]:
        """Every connection, over what and how far, and every document that is none."""
        for one in _counting(case):
            facts = {
                "reason": one.connection_reason,
                "over": one.entity or one.event,
                "hops": one.hops,
                "alias": [*one.aliases, *one.also],
            }
            yield Expected("connection", one.document_id, facts)
        for name in case.expected_not_connected:
            yield Expected("unrelated", name)

    def refers_to(self, case: GraphCase) -> list[Reference]:
        """The seed, every document, and the entities that connect."""
        found = [Reference("document", case.seed_document, ("seed_document",))]
        for place, one in enumerate(case.expected_connections):
            at = ("expected_connections", place)
            found.append(Reference("document", one.document_id, (*at, "document_id")))
            found += [Reference("document", one.via, (*at, "via"))] if one.via else []
            found += [Reference("entity", one.entity, (*at, "entity"))] if one.entity else []
            found += [Reference("entity", name, (*at, "also", number)) for number, name in enumerate(one.also)]
        for place, name in enumerate(case.expected_not_connected):
            found.append(Reference("document", name, ("expected_not_connected", place)))
        return found

    def lint(self, case: GraphCase, rules: Rules) -> list[Finding]:
        """No document on both lists or twice, none is the seed, and every connection says over what."""
        found: list[Finding] = []
        unrelated, seen = set(case.expected_not_connected), set()
        for place, one in enumerate(case.expected_connections):
            at = ("expected_connections", place)
            if one.document_id in unrelated:
                what = f"`{one.document_id}` is expected and expected not to be"
                found.append(Finding("error", "contradiction", what, (*at, "document_id")))
            if one.document_id in seen:
                found.append(Finding("error", "connection-twice", f"`{one.document_id}` stands twice", at))
            if one.document_id == case.seed_document:
                found.append(Finding("error", "seed", "the seed is not connected with itself", (*at, "document_id")))
            seen.add(one.document_id)
            needed = "entity" if one.connection_reason == "shared_entity" else "event"
            if getattr(one, needed) is None:
                found.append(Finding("error", "no-path", f"a {one.connection_reason} needs `{needed}`", at))
        if case.seed_document in unrelated:
            at = ("expected_not_connected", case.expected_not_connected.index(case.seed_document))
            found.append(Finding("error", "seed", "the seed is not unrelated to itself", at))
        if not case.expected_connections and not unrelated:
            found.append(Finding("error", "nothing-expected", "the case expects nothing", ("expected_connections",)))
        return found


def _counting(case: GraphCase) -> Iterable[ExpectedConnection]:
    """The connections, of two to one document the one that answers are held to: the later."""
    return {one.document_id: one for one in case.expected_connections}.values()


KIND = Graph()
