"""Kind `graph`: what a document is connected with, and over what (V7, component 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from row3.domain.items import ItemExpectation, ItemMatch, Items
from row3.domain.metrics import Metric, Threshold
from row3.domain.scores import CaseScore
from row3.kinds.base import Finding, Reference, Rules
from row3.kinds.lists import ListKind
from row3.kinds.memory_files import CaseId, Labelled, MemoryCase, Text
from row3.matching.compare import compare
from row3.matching.forms import category_key
from row3.matching.passages import description_similarity
from row3.metrics.ratios import ratio

DOCUMENT_KEYS = ("document_id", "documentId", "doc_id")
EVENT_KEYS = ("event", "description", "narrative")
SAME_EVENT = 0.80
"""Likeness of two descriptions above which they are of one event, as in kind `events`."""
VALID = frozenset({"connected", "wrong-path"})
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


class _Found(NamedTuple):
    state: str
    """connected, wrong-path, duplicate, not-connected, not-judged, seed."""
    position: int
    label: str
    score: float


class Graph(ListKind):
    """Scores `{"connections": […]}`: valid, complete, over the right path, and none to what is unrelated."""

    name = "graph"
    version = 1
    items = "connections"
    case_model: type[BaseModel] = GraphCase
    outputs: Mapping[str, type[BaseModel]] = {"connections": ConnectionsOut}
    metrics: Sequence[Metric] = METRICS
    primary = "connection_precision"

    def variables(self, case: GraphCase) -> dict[str, Any]:
        """`seed_document`, `seed_text` (the id where the case has no other words), `depth` and `limit`."""
        return {
            "seed_document": case.seed_document,
            "seed_text": case.seed_text or case.seed_document,
            "depth": case.depth,
            "limit": case.limit,
        }

    def nothing(self) -> ConnectionsOut:
        """No connections."""
        return ConnectionsOut.model_validate({"connections": []})

    def judge(self, case: GraphCase, output: ConnectionsOut, rules: Rules) -> tuple[Items, CaseScore]:
        """Look up each connection; by document where it names one, else by its event."""
        matches = _match(case, output, rules)
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
            skipped["hop_accuracy"] = "no connection is valid"
        if not case.expected_not_connected:
            skipped["false_positive_rate"] = "the case names no unrelated documents"
        if not judged:
            skipped["judged_rate"] = "no connection was returned"
        metrics = {key: ratio(*pair) for key, pair in counts.items() if key not in skipped}
        return _explained(case, output, matches), CaseScore(case.id, "scored", metrics, skipped, counts)

    def expectations(self, case: GraphCase) -> list[str]:
        """Every connection and every document that is none."""
        lines = [f"connected {one.document_id} {one.connection_reason}" for one in case.expected_connections]
        return [*lines, *(f"unrelated {name}" for name in case.expected_not_connected)]

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


def _match(case: GraphCase, output: ConnectionsOut, rules: Rules) -> list[_Found]:
    """Of several connections to one document that over the right path counts, wherever it stands in the answer."""
    places = {one.document_id: place for place, one in enumerate(case.expected_connections)}
    unrelated = set(case.expected_not_connected)
    placed = [_place(case, item, places) for item in output.connections]
    right = [
        place >= 0 and _path_right(case.expected_connections[place], item, rules)
        for item, (place, _, _) in zip(output.connections, placed, strict=True)
    ]
    counting: dict[int | str, int] = {}
    for number in sorted(range(len(placed)), key=lambda number: not right[number]):
        place, _, label = placed[number]
        counting.setdefault(place if place >= 0 else label, number)
    found = []
    for number, (place, score, label) in enumerate(placed):
        if counting[place if place >= 0 else label] != number:
            state = "duplicate"
        elif place >= 0:
            state = "connected" if right[number] else "wrong-path"
        else:
            state = "seed" if label == case.seed_document else "not-connected" if label in unrelated else "not-judged"
        found.append(_Found(state, place, label, score))
    return found


def _place(case: GraphCase, item: ConnectionOut, places: dict[str, int]) -> tuple[int, float, str]:
    """Which expected connection an item is, how surely, and what it names."""
    if item.document_id:
        place = places.get(item.document_id, -1)
        return place, float(place >= 0), item.document_id
    event = item.event or ""
    alike = [
        (description_similarity(event, one.event), -place)
        for place, one in enumerate(case.expected_connections)
        if one.event is not None
    ]
    score, place = max(alike, default=(0.0, 1))
    return (-place, score, event) if score > SAME_EVENT else (-1, score, event)


def _path_right(expected: ExpectedConnection, item: ConnectionOut, rules: Rules) -> bool:
    """The reason, what is shared, and the hops where both give them."""
    if item.connection_reason and category_key(item.connection_reason) != category_key(expected.connection_reason):
        return False
    if expected.hops is not None and item.hops is not None and expected.hops != item.hops:
        return False
    if expected.entity is not None:
        rule = rules.names
        forms = (expected.entity, *expected.aliases, *expected.also)
        return any(
            compare(name, form, scorer=rule.scorer, threshold=rule.threshold).same
            for name in _names(item.entity)
            for form in forms
        )
    return description_similarity(item.event or "", expected.event or "") > SAME_EVENT


def _names(value: Any) -> list[str]:
    """The names of one shared entity or of several, each a text or an object with a `name`."""
    if isinstance(value, list):
        return [name for one in value for name in _names(one)]
    if isinstance(value, dict):
        return _names(value.get("name"))
    return [value] if isinstance(value, str) and value.strip() else []


def _explained(case: GraphCase, output: ConnectionsOut, matches: Sequence[_Found]) -> Items:
    first = {match.position: match for match in matches if match.state in VALID}
    return Items(
        tuple(
            ItemMatch(
                match.label,
                match.state,
                case.expected_connections[match.position].document_id if match.position >= 0 else None,
                match.score,
                {
                    "reason": item.connection_reason,
                    "over": ", ".join(_names(item.entity)) or item.event,
                    "hops": item.hops,
                },
            )
            for item, match in zip(output.connections, matches, strict=True)
        ),
        tuple(
            ItemExpectation(
                one.document_id,
                first[place].label if place in first else None,
                None,
                first[place].score if place in first else 0.0,
                {"reason": one.connection_reason, "over": one.entity or one.event, "hops": one.hops},
            )
            for place, one in enumerate(case.expected_connections)
        ),
        VALID,
    )


GRAPH = Graph()
