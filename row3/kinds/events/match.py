"""Kind `events`: which extracted event is which expected one, and what is right about it (V7, "Matching Logic").

Two events are laid side by side where their evidence is the same passage of the document, or their descriptions say
the same (above 0.8). That is settled first, one-to-one and optimal, so that category and actor can be judged apart;
an event is found where these two are right as well.
"""

from __future__ import annotations

from typing import Any

from row3.domain.matches import ItemExpectation, ItemMatch, Items
from row3.kinds.base import Rules
from row3.kinds.events.model import TEAM, EventsCase, EventsOut, ExpectedEvent
from row3.kinds.outputs import compare_types, type_of
from row3.kinds.passages import Passages, description_similarity, overlap
from row3.matching.assignment import assign
from row3.matching.compare import compare
from row3.matching.normalise import normalise
from row3.matching.text.quotes import SourceText
from row3.matching.value.values import value_of

DESCRIPTION = 0.80
"""Likeness of two descriptions above which they are of one event (V7)."""
PASSAGE = 0.5
"""Share of the shorter evidence that has to lie in the other."""
LONGER = 5
"""How many times as long as the shorter evidence the other may be; honest pairs stay below 3."""
CORRECT = frozenset({"match"})
RIGHT = ("exact", "normalised")
"""States of a category that is right."""
STATES = {
    (True, True): "match",
    (True, False): "wrong-actor",
    (False, True): "wrong-category",
    (False, False): "wrong-both",
}
"""By whether category and actor are right."""
NOBODY = frozenset({"", "none", "null", "unknown", "unclear", "nobody", "n a", "na", "unspecified", "not specified"})
GROUP = frozenset({"team", "the team", "we", "all", "everyone", "everybody", "group", "the group", "all attendees"})


class _Text:
    """The documents of a case, and where things stand in them."""

    def __init__(self, case: EventsCase) -> None:
        self.texts = {name: (SourceText(text), Passages(text)) for name, text in case.texts().items()}
        self.several = bool(case.documents)

    def place(self, document: str, quote: str) -> tuple[str, tuple[int, int]] | None:
        """The document and the letters where a quote stands; the named document is looked at first."""
        for name in sorted(self.texts, key=lambda one: one != document):
            place = self.texts[name][1].place(quote)
            if place is not None:
                return name, place
        return None

    def has(self, quote: str) -> bool:
        """The quote occurs, perhaps with an ellipsis."""
        return any(text.contains_quote(quote) for text, _ in self.texts.values())


def match_events(case: EventsCase, output: EventsOut, rules: Rules) -> tuple[Items, dict[int, int]]:
    """Return what each event is: match, wrong-category, wrong-actor, wrong-both, duplicate or unmatched.

    Beside it, by position of an event in the answer, the position of the expected one that it stands for.
    """
    text = _Text(case)
    wanted = [text.place(event.document_id or "", event.evidence or "") for event in case.expected_events]
    edges: dict[int, dict[int, float]] = {}
    likeness: dict[tuple[int, int], float] = {}
    for item, event in enumerate(output.events):
        given = text.place(_word(event.document_id), _word(event.evidence))
        for place, expected in enumerate(case.expected_events):
            alike = description_similarity(event.description, expected.description)
            likeness[item, place] = alike
            if text.several and not _one_document(given, _word(event.document_id), wanted[place], expected):
                continue
            there = wanted[place]
            same = _same_passage(given[1], there[1]) if given and there and given[0] == there[0] else 0.0
            if alike > DESCRIPTION or same >= PASSAGE:
                # One passage may tell two events: what they say, and of whom, decides which is which.
                # Their details too, so that of two that say the same the order of the answer decides nothing.
                right = _category(event, expected) in RIGHT
                right_actor = _actor(event, expected, case, rules)
                right_day = _due_date(event, expected) != "wrong"
                weight = 4 * alike + 2 * same + right + right_actor + right_day / 2
                edges.setdefault(item, {})[place] = weight / 8.5
    chosen = assign(edges)
    items = []
    for item, event in enumerate(output.events):
        evidence = _word(event.evidence)
        notes: dict[str, Any] = {
            "category": type_of(event.category),
            "actor": _word(event.actor) or None,
            "dueDate": _word(event.due_date) or None,
            "evidence": "missing" if not evidence else "verified" if text.has(evidence) else "unverified",
        }
        if item in chosen:
            place = chosen[item]
            expected = case.expected_events[place]
            category, actor = _category(event, expected), _actor(event, expected, case, rules)
            state = STATES[category in RIGHT, actor]
            notes |= {"categoryState": category, "actorRight": actor}
            notes |= {"dueDateState": day} if (day := _due_date(event, expected)) else {}
        else:
            place = max(range(len(case.expected_events)), key=lambda at: likeness[item, at], default=-1)
            if item in edges:
                place = max(edges[item], key=lambda at: (edges[item][at], -at))
            again = item in edges and _told_again(event, case, place, likeness[item, place], rules)
            state = "duplicate" if again else "unmatched"
        nearest = case.expected_events[place].description if place >= 0 else None
        items.append(ItemMatch(event.description, state, nearest, likeness.get((item, place), 0.0), notes))
    found = {place: items[item] for item, place in chosen.items()}
    expectations = [_expectation(event, found.get(place)) for place, event in enumerate(case.expected_events)]
    return Items(tuple(items), tuple(expectations), CORRECT), chosen


def _expectation(event: ExpectedEvent, match: ItemMatch | None) -> ItemExpectation:
    facts = {"category": event.category, "actor": event.actor, "dueDate": event.due}
    if match is None:
        return ItemExpectation(event.description, None, None, 0.0, facts)
    found_by = match.label if match.state in CORRECT else None
    return ItemExpectation(event.description, found_by, match.label, match.score, facts)


def _same_passage(one: tuple[int, int], other: tuple[int, int]) -> float:
    """The share of the shorter passage that lies in the other; 0 where one is no more than a word of the other.

    Else who quotes the whole document, or a name, would have quoted every event.
    """
    short, long = sorted((one[1] - one[0], other[1] - other[0]))
    return overlap(one, other) if long <= LONGER * short else 0.0


def _told_again(event: Any, case: EventsCase, near: int, score: float, rules: Rules) -> bool:
    """It says the same as the event beside which another entry was laid, or that one's category and actor are right.

    A quote alone is not enough: what is invented with a passage that tells something else is an invention.
    """
    expected = case.expected_events[near]
    right = _category(event, expected) in RIGHT and _actor(event, expected, case, rules)
    return score > DESCRIPTION or right


def _one_document(
    given: tuple[str, Any] | None, named: str, wanted: tuple[str, Any] | None, expected: ExpectedEvent
) -> bool:
    """Of several documents: both events are told in the same one."""
    there = expected.document_id or (wanted[0] if wanted else "")
    return there in (named, given[0] if given else "")


def _category(event: Any, expected: ExpectedEvent) -> str:
    return compare_types(type_of(event.category), expected.category).state


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        return _word(next((value[key] for key in ("name", "text", "quote", "id") if key in value), None))
    if isinstance(value, list):
        return next((text for one in value if (text := _word(one))), "")
    return ""


def _actor(event: Any, expected: ExpectedEvent, case: EventsCase, rules: Rules) -> bool:
    """The actor is the expected one, by name or by a mention that is of nobody else."""
    given, key = _word(event.actor), normalise(_word(event.actor))
    if expected.actor is None:
        return key in NOBODY
    if normalise(expected.actor) == normalise(TEAM):
        return key in GROUP
    if key in NOBODY:
        return False
    owners = {
        entity.name
        for entity in case.expected_entities
        for text in (entity.name, *entity.mentions)
        if normalise(text) == key
    }
    if owners:
        return {normalise(name) for name in owners} == {normalise(expected.actor)}
    rule = rules.names
    return compare(given, expected.actor, scorer=rule.scorer, threshold=rule.threshold).same


def _due_date(event: Any, expected: ExpectedEvent) -> str:
    given = _word(event.due_date)
    if normalise(given) in NOBODY:
        return "" if expected.due_date is None else "wrong"
    if expected.due is None:
        return "wrong"
    value = value_of(given)
    return "right" if value is not None and value == value_of(expected.due) else "wrong"
