"""Kind `graph`: the documents connected to a document, and what connects them (V7, component 4)."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from row3.domain.asks import Ask
from row3.domain.matches import ItemMatch, Items, expectation
from row3.domain.models import Model, Text
from row3.domain.requests import digest_json
from row3.domain.scores import Metric, Threshold
from row3.kinds.base import Finding, Group, Kind, Lint, Measured, Reference, Rules, lint_error, lint_twice
from row3.kinds.cases import CaseId, MemoryCase, Note
from row3.kinds.demands import Expected
from row3.kinds.outputs import UNREADABLE, Output, meta
from row3.kinds.passages import description_similarity
from row3.matching.normalise import normalise
from row3.matching.variant.forms import category_key

Hops = Annotated[int, Field(ge=1, le=5)]
Reason = Literal["shared_entity", "shared_event"]


class ExpectedConnection(Model):
    """A document connected to the seed, and why."""

    document_id: Text
    connection_reason: Reason
    entity: Text | None = None
    """Name of the shared entity."""
    event: Text | None = None
    """Description of the shared event."""
    aliases: list[Text] = []
    """Other names of the entity."""
    also: list[Text] = []
    """Other shared entities; a path through any of them is also correct."""
    relevance: Literal["high", "medium", "low"] | None = None
    hops: Hops | None = None
    """1 is connected directly."""
    via: Text | None = None
    """For two hops: the document in between."""
    one_way: Text | None = None
    """Why a case that starts from that document does not expect this one's seed."""
    note: Note = None


class GraphCase(MemoryCase):
    """A golden case of kind `graph`: a document, the documents connected to it, and unrelated ones."""

    id: CaseId
    seed_document: Text
    """Id of the document to start from."""
    seed_text: Text | None = None
    """Words that find it in a memory searched by text."""
    depth: Hops = 2
    """Maximum number of hops."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 20
    """Number of connections requested."""
    expected_connections: list[ExpectedConnection]
    expected_not_connected: list[Text] = []

    def variables(self) -> dict[str, Any]:
        """Return `seed_document`, `seed_text` (by default the id), `depth` and `limit`."""
        return {
            "seed_document": self.seed_document,
            "seed_text": self.seed_text or self.seed_document,
            "depth": self.depth,
            "limit": self.limit,
        }


class ConnectionOut(Output):
    """One returned connection: a document, or an event. Raises `ValueError` if it names neither."""

    document_id: Annotated[str | None, meta("", "documentId", "doc_id", "id")] = None
    event: Annotated[str | None, meta("", "description", "narrative")] = None
    entity: Annotated[
        Any, meta("The shared entity; empty for an event.", "entities", "shared_entity", "shared_entities")
    ] = None
    connection_reason: Annotated[
        str | None, meta("", "connectionReason", "reason", enum=("shared_entity", "shared_event"))
    ] = None
    hops: Annotated[int | None, meta("1 is connected directly.", "hop", "depth")] = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.document_id is None and self.event is None:
            raise ValueError("it names neither a document nor an event")
        return self

    @classmethod
    def reshape(cls, value: Any) -> Any:
        """Take a plain string for a document's id, and drop the `id` of an event or of a named document."""
        if isinstance(value, str):
            return {"document_id": value}
        named = ("document_id", "documentId", "doc_id", "event", "description", "narrative")
        if isinstance(value, dict) and "id" in value and any(key in value for key in named):
            return {key: part for key, part in value.items() if key != "id"}
        return value


class ConnectionsOut(Output):
    """Answer to an expansion."""

    connections: Annotated[list[ConnectionOut], meta("", "related", "expanded", "items", "events", "documents")]


SAME_EVENT = 0.80
"""Similarity above which two descriptions are of one event, as in kind `events`."""
VALID = frozenset({"connected", "wrong-path"})


def match_connections(case: GraphCase, output: ConnectionsOut, rules: Rules) -> Items:
    """Return the state of each connection: connected, wrong-path, duplicate, not-connected, not-judged or seed.

    Of several connections to one document, one over the right path counts, whatever their order.
    """
    expected = case.expected_connections
    places = {one.document_id: place for place, one in enumerate(expected)}
    placed = [_place(case, item, places) for item in output.connections]
    right = [
        place >= 0 and _path_right(case.seed_document, expected[place], item, rules)
        for item, (place, _, _) in zip(output.connections, placed, strict=True)
    ]
    named: list[int | str] = [
        place if place >= 0 else f"{label} {number}" if label == UNREADABLE else label
        for number, (place, _, label) in enumerate(placed)
    ]
    counting: dict[int | str, int] = {}
    for number in sorted(range(len(placed)), key=lambda number: not right[number]):
        counting.setdefault(named[number], number)
    items = []
    for number, (item, (place, score, label)) in enumerate(zip(output.connections, placed, strict=True)):
        if counting[named[number]] != number:
            state = "duplicate"
        elif place >= 0:
            state = "connected" if right[number] else "wrong-path"
        elif label == case.seed_document:
            state = "seed"
        else:
            state = "not-connected" if label in case.expected_not_connected else "not-judged"
        over = ", ".join(_names(item.entity)) or item.event
        notes = {"reason": item.connection_reason, "over": over, "hops": item.hops}
        items.append(ItemMatch(label, state, expected[place].document_id if place >= 0 else None, score, notes))
    found = {placed[number][0]: items[number] for number in counting.values()}
    wanted = []
    for place, one in enumerate(expected):
        path = {"reason": one.connection_reason, "over": one.entity or one.event, "hops": one.hops}
        wanted.append(expectation(one.document_id, path, found.get(place)))
    return Items(tuple(items), tuple(wanted), VALID, flawed=frozenset({"wrong-path"}))


def _place(case: GraphCase, item: ConnectionOut, places: dict[str, int]) -> tuple[int, float, str]:
    """Return the position of an item's expected connection (-1 for none), the similarity, and the item's label."""
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


def _path_right(seed: str, expected: ExpectedConnection, item: ConnectionOut, rules: Rules) -> bool:
    """Return whether a path is the expected one, or leads over an entity that both documents have by their labels."""
    if expected.hops is not None and item.hops is not None and expected.hops != item.hops:
        return False
    reason, forms = category_key(item.connection_reason or ""), list[str]()
    if reason in ("", category_key("shared_entity")):
        forms += _shared_forms(rules.entities.get(seed, ()), rules.entities.get(expected.document_id, ()))
    if reason in ("", category_key(expected.connection_reason)):
        if expected.entity is not None:
            forms += [expected.entity, *expected.aliases, *expected.also]
        elif description_similarity(item.event or "", expected.event or "") > SAME_EVENT:
            return True
    from row3.matching.compare import compare  # the hook asks each kind what it reads, and most compare nothing

    return any(compare(name, form, rules.names).same for name in _names(item.entity) for form in forms)


def _shared_forms(*documents: Sequence[Sequence[str]]) -> list[str]:
    """Return the names and mentions of the entities that both documents have, without those of another entity too."""
    first, second = ({normalise(name) for name, *_ in entities} for entities in documents)
    forms, others = list[str](), set[str]()
    for names in (each for entities in documents for each in entities):
        if normalise(names[0]) in first & second:
            forms += names
        else:
            others.update(map(normalise, names))
    return [form for form in forms if normalise(form) not in others]


def _names(value: Any) -> list[str]:
    """Return the names of one or several shared entities, each a text or an object with a `name`."""
    if isinstance(value, list):
        return [name for one in value for name in _names(one)]
    if isinstance(value, dict):
        return _names(value.get("name"))
    return [value] if isinstance(value, str) and value.strip() else []


def _lint(case: GraphCase, rules: Rules) -> Iterator[Finding]:
    """Check that no document is listed twice, on both lists or as the seed, and every connection has a path."""
    unrelated = set(case.expected_not_connected)
    connected = [one.document_id for one in case.expected_connections]
    yield from lint_twice("connection-twice", connected, "expected_connections")
    for place, one in enumerate(case.expected_connections):
        at = ("expected_connections", place)
        if one.document_id in unrelated:
            what = f"`{one.document_id}` is both expected and listed as unrelated"
            yield lint_error("contradiction", what, (*at, "document_id"))
        if one.document_id == case.seed_document:
            yield lint_error("seed", "the seed cannot be connected to itself", (*at, "document_id"))
        needed = "entity" if one.connection_reason == "shared_entity" else "event"
        if getattr(one, needed) is None:
            yield lint_error("no-path", f"a {one.connection_reason} needs `{needed}`", at)
    if case.seed_document in unrelated:
        at = ("expected_not_connected", case.expected_not_connected.index(case.seed_document))
        yield lint_error("seed", "the seed cannot be unrelated to itself", at)
    if not case.expected_connections and not unrelated:
        yield lint_error("nothing-expected", "the case expects nothing", ("expected_connections",))


def _lint_suite(cases: Sequence[GraphCase]) -> Iterator[Finding]:
    """Check that a connection is expected from both ends, where both are seeds and it gives no reason."""
    for case in cases:
        for one in [each for each in case.expected_connections if each.one_way is None]:
            reaching = (each for each in cases if each.depth >= (one.hops or 1))
            for other in [each for each in reaching if each.seed_document == one.document_id]:
                if case.seed_document not in {each.document_id for each in other.expected_connections}:
                    what = f"`{case.id}` expects `{one.document_id}`, but `{other.id}`, which starts there, does not"
                    fix = f"expect `{case.seed_document}`: add it, or say in `{case.id}` why not, in `one_way`"
                    yield lint_error("one-way", f"{what} {fix}", ("expected_connections",), case_id=other.id)


def _refers_to(case: GraphCase) -> list[Reference]:
    """Return the seed, every other document, and the connecting entities."""
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


class Graph(Kind):
    """Scores `{"connections": […]}`: valid, complete, over the right path, none to unrelated documents."""

    name = "graph"
    version = 15
    case_model = GraphCase
    outputs: Mapping[str, type[Any]] = {"connections": ConnectionsOut}
    metrics = (
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
    groups = (
        Group("connections", "Connections", "returned", "connected wrong-path not-connected not-judged duplicate seed"),
    )
    lint = Lint(_lint, _lint_suite, refers_to=_refers_to)
    invented = frozenset(("connection_precision", "judged_rate"))
    by_entities = True

    def signature(self, rules: Rules) -> str:
        """Return the scorer, and the entities of the documents."""
        return f"{super().signature(rules)} entities {digest_json(rules.entities)[:16]}"

    def measure(self, case: GraphCase, output: ConnectionsOut, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Look up each connection by its document, or else by its event."""
        yield from ()
        found = match_connections(case, output, rules)
        states = [match.state for match in found.items if match.state not in ("duplicate", "seed")]
        valid = sum([state in VALID for state in states])
        unrelated = {match.label for match in found.items if match.state == "not-connected"}
        counts = {
            "connection_precision": (valid, len(states)),
            "connection_recall": (valid, len(case.expected_connections)),
            "false_positive_rate": (len(unrelated), len(set(case.expected_not_connected))),
            "hop_accuracy": (states.count("connected"), valid),
            "judged_rate": (len(states) - states.count("not-judged"), len(states)),
        }
        skipped: dict[str, str] = {}
        empty = {} if valid else {"hop_accuracy": "no connection is valid"}
        if not states:
            empty["judged_rate"] = "no connection was returned"
        if not case.expected_connections:
            keys = ("connection_recall", "hop_accuracy", *(() if states else ("connection_precision",)))
            skipped = dict.fromkeys(keys, "the case expects no connections")
        if not case.expected_not_connected:
            skipped["false_positive_rate"] = "the case names no unrelated documents"
        return Measured(found, counts, skipped=skipped, empty=empty)

    def expected(self, case: GraphCase) -> Iterator[Expected]:
        """Yield every connection with its reason, path and hops, and every unrelated document.

        Of two connections to one document, the later one counts.
        """
        for one in {one.document_id: one for one in case.expected_connections}.values():
            facts = {
                "reason": one.connection_reason,
                "over": one.entity or one.event,
                "hops": one.hops,
                "alias": [*one.aliases, *one.also],
            }
            yield Expected("connection", one.document_id, facts)
        for name in case.expected_not_connected:
            yield Expected("unrelated", name, forbidden=True)


KIND = Graph()
