"""Kind `events`: matching of extracted events to expected ones (V7, "Matching Logic").

Two events may be paired if their descriptions are similar (above 0.8), or if their evidence is the same passage of the
document and the descriptions, in other words, tell the same act; never if they contradict. Pairs are assigned first,
one-to-one and optimally, an event said twice once; then category and actor are judged separately. An event is found if
both are right. Embeddings propose pairs of what is then left, if the suite matches by meaning.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from row3.domain.asks import Ask, SemanticRule
from row3.domain.matches import ItemExpectation, ItemMatch, Items
from row3.kinds.base import Rules
from row3.kinds.events.model import TEAM, EventOut, EventsCase, EventsOut, ExpectedEvent
from row3.kinds.outputs import compare_types, type_of
from row3.kinds.passages import (
    contradicts,
    description_key,
    description_similarity,
    other_act,
    overlap,
    position_of,
    tells,
)
from row3.kinds.person_types import is_person_type
from row3.matching.assignment import assign_groups, group_items
from row3.matching.compare import compare
from row3.matching.normalise import normalise, normalise_text
from row3.matching.text.quotes import SourceText
from row3.matching.value.values import value_of

DESCRIPTION = 0.80
"""Similarity above which two descriptions are of one event (V7)."""
PASSAGE = 0.5
"""Minimum share of the shorter evidence that lies in the longer one."""
MAX_LENGTH_RATIO = 5
"""Maximum ratio of the lengths of two pieces of evidence; honest pairs stay below 3."""
CORRECT = frozenset({"match"})
RIGHT = ("exact", "normalised")
"""States of a right category."""
STATES = {
    (True, True): "match",
    (True, False): "wrong-actor",
    (False, True): "wrong-category",
    (False, False): "wrong-both",
}
"""States of a paired event, by whether its category and its actor are right."""
NOBODY = frozenset({"", "none", "null", "unknown", "unclear", "nobody", "n a", "na", "unspecified", "not specified"})
GROUP = frozenset({"team", "the team", "we", "all", "everyone", "everybody", "group", "the group", "all attendees"})


Place = tuple[str, tuple[int, int]]
"""A document, and the start and end of a passage in it."""


class _Compared(NamedTuple):
    """An extracted event, compared with each expected one."""

    alike: Sequence[float]
    """Similarity of the descriptions."""
    shares: Mapping[int, float]
    """Share of the passage, by each expected event of the same document."""
    weights: Mapping[int, float]
    """Weight of each pair that may be matched, in (0, 1]."""
    said: tuple[str, str, str]
    """Description, actor and document: what makes two extracted events one."""
    how: str = ""
    """`semantic` if embeddings proposed the pairs."""


class _Case:
    """The expected events of a case, and its documents, in which quotes are located."""

    def __init__(self, case: EventsCase, rules: Rules) -> None:
        self.case, self.rules = case, rules
        self.texts = {name: (SourceText(text), f" {normalise_text(text)} ") for name, text in case.texts().items()}
        self.names = frozenset(word for one in case.expected_entities for word in _words(one.name, *one.mentions))
        self.passages = [self.place(one.document_id or "", one.evidence or "") for one in case.expected_events]

    def place(self, document: str, quote: str) -> Place | None:
        """Return the document and the position of a quote, looking in the named document first; None if not found."""
        for name in sorted(self.texts, key=lambda one: one != document):
            place = position_of(quote, self.texts[name][1])
            if place is not None:
                return name, place
        return None

    def compare(self, event: EventOut) -> _Compared:
        """Compare an event with the expected ones; a passage proposes the nearest of the events that it reports."""
        expected, several = self.case.expected_events, bool(self.case.documents)
        document, alike = _text_of(event.document_id), []
        given = self.place(document, _text_of(event.evidence))
        shares: dict[int, float] = {}
        for place, (one, passage) in enumerate(zip(expected, self.passages, strict=True)):
            alike.append(description_similarity(event.description, one.description))
            if not several or _one_document(given, document, passage, one):
                shares[place] = _same_passage(given, passage)
        near = max([alike[place] for place, share in shares.items() if share >= PASSAGE], default=0.0)
        weights: dict[int, float] = {}
        for place, share in shares.items():
            similar = alike[place] > DESCRIPTION
            proposed = similar or (share >= PASSAGE and alike[place] >= near)
            if proposed and self.says(event.description, place, alike=similar):
                weights[place] = self.weight(event, place, alike[place], share)
        source = (given[0] if given else document) if several else ""
        return _Compared(alike, shares, weights, (event.description, normalise(_text_of(event.actor)), source))

    def says(self, description: str, place: int, *, alike: bool) -> bool:
        """Return whether a description tells what is expected, without another number, act or actor."""
        expected = self.case.expected_events[place]
        wanted, passage, actor = expected.description, _words(expected.evidence or ""), _words(expected.actor or "")
        people = [_words(one.name, *one.mentions) for one in self.case.expected_entities if is_person_type(one.type)]
        named = {*actor, *passage, *_words(wanted)}
        others = {word for words in people if actor and named.isdisjoint(words) for word in words}
        return (
            (alike or tells(description, wanted, passage, actor))
            and not contradicts(description, wanted, self.names.union(passage))
            and not other_act(description, wanted, passage, self.names)
            and others.isdisjoint(_words(description)[:1])
        )

    def weight(self, event: EventOut, place: int, alike: float, share: float) -> float:
        """Return the weight of a pair, of which category and due date are part.

        So the order of the answer does not decide between equal descriptions.
        """
        category, actor, day = _compared(event, self.case.expected_events[place], self.case, self.rules)
        return (4 * alike + 2 * share + (category in RIGHT) + actor + (day != "wrong") / 2) / 8.5

    def by_meaning(
        self, events: Sequence[EventOut], compared: Sequence[_Compared], found: set[int], rule: SemanticRule
    ) -> Generator[Ask, Any, dict[int, _Compared]]:
        """Return the events that nothing matched and that mean a missed one, compared by their embeddings."""
        from row3.kinds.semantic import Candidate, Unmatched, description_difference, near_in_meaning

        expected = [one.description for one in self.case.expected_events]
        said = {item: events[item].description for item, seen in enumerate(compared) if not seen.weights}
        left = Unmatched(
            said,
            [Candidate(place, (text,)) for place, text in enumerate(expected) if place not in found],
            [expected[place] for place in sorted(found)],
            description_difference,
            lambda item, place: place in compared[item].shares and self.says(said[item], place, alike=True),
        )
        result = {}
        for item, scores in (yield from near_in_meaning(left, rule)).items():
            seen = compared[item]
            weights = {at: self.weight(events[item], at, score, seen.shares[at]) for at, score in scores.items()}
            alike = [scores.get(at, score) for at, score in enumerate(seen.alike)]
            result[item] = seen._replace(alike=alike, weights=weights, how="semantic")
        return result

    def match(self, event: EventOut, seen: _Compared, pair: int | None) -> ItemMatch:
        """Return the state of an event that is paired with the expected one at a position, or with none."""
        expected, evidence = self.case.expected_events, _text_of(event.evidence)
        occurs = any(text.is_passage(evidence) for text, _ in self.texts.values()) if evidence else False
        notes: dict[str, Any] = {
            "category": type_of(event.category),
            "actor": _text_of(event.actor) or None,
            "dueDate": _text_of(event.due_date) or None,
            "evidence": "verified" if occurs else "unverified" if evidence else "missing",
        }
        if pair is not None:
            category, actor, day = _compared(event, expected[pair], self.case, self.rules)
            notes |= {"categoryState": category, "actorRight": actor} | ({"dueDateState": day} if day else {})
            notes |= {"how": seen.how} if seen.how else {}
            state = STATES[category in RIGHT, actor]
            return ItemMatch(event.description, state, expected[pair].description, seen.alike[pair], notes)
        state, ranks = ("duplicate", seen.weights) if seen.weights else ("unmatched", dict(enumerate(seen.alike)))
        place = max(ranks, key=lambda at: (ranks[at], -at), default=None)
        if place is None:
            return ItemMatch(event.description, state, None, 0.0, notes)
        return ItemMatch(event.description, state, expected[place].description, seen.alike[place], notes)


def match_events(
    case: EventsCase, output: EventsOut, rules: Rules
) -> Generator[Ask, Any, tuple[Items, dict[int, int]]]:
    """Return the state of each event, and the position of the expected event by that of its pair in the answer.

    States are match, wrong-category, wrong-actor, wrong-both, duplicate and unmatched.
    """
    known = _Case(case, rules)
    compared = [known.compare(event) for event in output.events]
    chosen = _assigned(compared, range(len(compared)))
    if rules.semantic is not None:
        meant = yield from known.by_meaning(output.events, compared, {*chosen.values()}, rules.semantic)
        compared = [meant.get(item, seen) for item, seen in enumerate(compared)]
        chosen |= _assigned(compared, meant)
    answered = zip(output.events, compared, strict=True)
    items = [known.match(event, seen, chosen.get(item)) for item, (event, seen) in enumerate(answered)]
    found = {place: items[item] for item, place in chosen.items()}
    expectations = [_expectation(event, found.get(place)) for place, event in enumerate(case.expected_events)]
    return Items(tuple(items), tuple(expectations), CORRECT), chosen


def _assigned(compared: Sequence[_Compared], items: Iterable[int]) -> dict[int, int]:
    """Return the best pairs of these events with expected ones, an event said twice once."""
    edges = {item: weights for item in items if (weights := compared[item].weights)}
    likely = {item: {place: compared[item].alike[place] for place in places} for item, places in edges.items()}
    return assign_groups(edges, group_items(likely, [one.said for one in compared], _repeated))


def _words(*texts: str) -> list[str]:
    return [word for text in texts for word in description_key(text).split()]


def _repeated(one: tuple[str, ...], other: tuple[str, ...], _: int) -> float:
    """Return how alike the descriptions of two events of one actor and document are; 0 if they are not one."""
    alike = description_similarity(one[0], other[0]) if one[1:] == other[1:] else 0.0
    return alike if alike > DESCRIPTION else 0.0


def _expectation(event: ExpectedEvent, match: ItemMatch | None) -> ItemExpectation:
    facts = {"category": event.category, "actor": event.actor, "dueDate": event.due}
    if match is None:
        return ItemExpectation(event.description, None, None, 0.0, facts)
    found_by = match.label if match.state in CORRECT else None
    return ItemExpectation(event.description, found_by, match.label, match.score, facts)


def _same_passage(given: Place | None, wanted: Place | None) -> float:
    """Return the share of the shorter passage that lies in the longer one; 0 if their lengths differ too much.

    Otherwise an answer that quotes the whole document, or just a name, would have evidence for every event.
    """
    if given is None or wanted is None or given[0] != wanted[0]:
        return 0.0
    one, other = given[1], wanted[1]
    short, long = sorted((one[1] - one[0], other[1] - other[0]))
    return overlap(one, other) if long <= MAX_LENGTH_RATIO * short else 0.0


def _one_document(given: Place | None, named: str, wanted: Place | None, expected: ExpectedEvent) -> bool:
    """Return whether both events are from the same one of several documents."""
    document = expected.document_id or (wanted[0] if wanted else "")
    return document in (named, given[0] if given else "")


def _compared(event: Any, expected: ExpectedEvent, case: EventsCase, rules: Rules) -> tuple[str, bool, str]:
    """Return the state of the category, whether the actor is right, and the state of the due date (empty for none)."""
    category = compare_types(type_of(event.category), expected.category).state
    return category, _actor(event, expected, case, rules), _due_date(event, expected)


def _text_of(value: Any) -> str:
    """Return a value given as text, as an object with a name or the like, or as a list of either; empty for none."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        return _text_of(next((value[key] for key in ("name", "text", "quote", "id") if key in value), None))
    if isinstance(value, list):
        return next((text for one in value if (text := _text_of(one))), "")
    return ""


def _actor(event: Any, expected: ExpectedEvent, case: EventsCase, rules: Rules) -> bool:
    """Return whether the actor is the expected one, by name or by a mention that belongs to nobody else."""
    given, key = _text_of(event.actor), normalise(_text_of(event.actor))
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
    return compare(given, expected.actor, rules.names).same


def _due_date(event: Any, expected: ExpectedEvent) -> str:
    given = _text_of(event.due_date)
    if normalise(given) in NOBODY:
        return "" if expected.due_date is None else "wrong"
    if expected.due is None:
        return "wrong"
    value = value_of(given)
    return "right" if value is not None and value == value_of(expected.due) else "wrong"
