"""Kind `graph`: which expected connection a returned one is, and whether its path is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from row3.domain.matches import ItemExpectation, ItemMatch, Items
from row3.kinds.base import Rules
from row3.kinds.graph.model import ConnectionOut, ConnectionsOut, ExpectedConnection, GraphCase
from row3.matching.compare import compare
from row3.matching.spellings.forms import category_key
from row3.matching.texts.passages import description_similarity

SAME_EVENT = 0.80
"""Likeness of two descriptions above which they are of one event, as in kind `events`."""
VALID = frozenset({"connected", "wrong-path"})


class ConnectionMatch(NamedTuple):
    state: str
    """connected, wrong-path, duplicate, not-connected, not-judged, seed."""
    position: int
    label: str
    score: float


def match_connections(case: GraphCase, output: ConnectionsOut, rules: Rules) -> list[ConnectionMatch]:
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
        found.append(ConnectionMatch(state, place, label, score))
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


def explained(case: GraphCase, output: ConnectionsOut, matches: Sequence[ConnectionMatch]) -> Items:
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
