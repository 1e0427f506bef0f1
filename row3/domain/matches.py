"""Match results: the state of each item of an answer, and the item that found each expected one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

ConceptState = Literal["exact", "alias", "fuzzy", "semantic", "duplicate", "canary", "unmatched"]
"""`semantic`: different words, matched by embeddings; only in suites that enable it."""
RelationshipState = Literal[
    "exact",
    "inverse",
    "fuzzy",
    "inverse-fuzzy",
    "duplicate",
    "forbidden",
    "wrong-predicate",
    "reversed",
    "wrong-end",
    "unmatched",
]
QuoteState = Literal["verified", "unsupported", "unverified", "missing"]
"""Whether a quote occurs in the text and mentions its concept, only occurs, does not occur, or is missing."""
TypeState = Literal["exact", "normalised", "wrong", "missing"]
"""`normalised`: the expected type in a different spelling (`Commitments` for `Commitment`)."""

CORRECT: frozenset[str] = frozenset({"exact", "alias", "fuzzy", "semantic"})
CORRECT_RELATIONSHIP: frozenset[str] = frozenset({"exact", "inverse", "fuzzy", "inverse-fuzzy"})


class Triple(NamedTuple):
    """A relationship as written: source, predicate, target."""

    source: str
    predicate: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} {self.predicate} {self.target}"


class TypeMatch(NamedTuple):
    """A concept's extracted and expected type."""

    given: str
    """Empty if there is none."""
    expected: str
    state: TypeState


class ConceptMatch(NamedTuple):
    """One extracted concept, in output order. The order of fields is that of the JSON."""

    label: str
    state: ConceptState
    expected: str | None
    """The expected label (exact, alias, fuzzy, duplicate), the canary, or the nearest expected label."""
    score: float
    """Similarity to `expected` in [0, 1], to four digits."""
    quote: QuoteState
    grounded: bool
    """Expected, or found in the source text."""
    how: str = ""
    """The rule that matched a name to a different `expected`: form, value, acronym, person, variant or spelling; set
    for canaries and duplicates too."""
    why_not: str = ""
    """Why an unmatched name does not match the nearest one, if the two are similar."""
    type: TypeMatch | None = None
    """Set for a match (exact, alias, fuzzy) whose expected concept has a type."""


class Expectation(NamedTuple):
    """One expected concept and the extracted label that found it."""

    label: str
    required: bool
    found_by: str | None
    """The extracted label; None if the concept was missed."""
    nearest: str | None
    """The extracted label nearest to a missed concept."""
    score: float
    """Similarity to that label in [0, 1], to four digits."""


class RelationshipMatch(NamedTuple):
    """One extracted relationship, in output order."""

    triple: Triple
    state: RelationshipState
    expected: Triple | None
    """The matched or nearest expected relationship."""


class ExpectedRelationship(NamedTuple):
    """One expected relationship and the extracted one that found it."""

    triple: Triple
    required: bool
    found_by: Triple | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a case scored as it did."""

    concepts: tuple[ConceptMatch, ...]
    expected_concepts: tuple[Expectation, ...]
    relationships: tuple[RelationshipMatch, ...]
    expected_relationships: tuple[ExpectedRelationship, ...]

    def as_json(self) -> dict[str, Any]:
        """Return every match of every concept and relationship as plain values."""
        return {
            "concepts": [_concept_json(match) for match in self.concepts],
            "expectedConcepts": [
                {"label": label, "required": required, "foundBy": found_by}
                if found_by is not None
                else {"label": label, "required": required, "foundBy": None, "nearest": near, "score": score}
                for label, required, found_by, near, score in self.expected_concepts
            ],
            "relationships": [
                {"triple": [*triple], "state": state, "expected": None if expected is None else [*expected]}
                for triple, state, expected in self.relationships
            ],
            "expectedRelationships": [
                {"triple": [*triple], "required": required, "foundBy": None if found_by is None else [*found_by]}
                for triple, required, found_by in self.expected_relationships
            ],
        }


def _concept_json(match: ConceptMatch) -> dict[str, Any]:
    label, state, expected, score, quote, grounded, how, why_not, kind = match
    value: dict[str, Any] = {
        "label": label,
        "state": state,
        "expected": expected,
        "score": score,
        "quote": quote,
        "grounded": grounded,
    }
    if how:
        value["how"] = how
    if why_not:
        value["whyNot"] = why_not
    if kind is not None:
        value["type"] = kind._asdict()
    return value


class Item(Protocol):
    """One item of the answer: an `ItemMatch`, or a kind's own class that computes the fields when they are read."""

    @property
    def label(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def expected(self) -> str | None: ...
    @property
    def score(self) -> float: ...
    @property
    def notes(self) -> Mapping[str, Any]: ...


class ItemMatch(NamedTuple):
    """One item of the answer, in answer order."""

    label: str
    """The item in one line."""
    state: str
    """The kind's term: `match`, `wrong-category`, `duplicate`, `unmatched` …"""
    expected: str | None
    score: float
    """Similarity of the two, in [0, 1]."""
    notes: Mapping[str, Any]
    """Further properties: category, actor, evidence, rank …"""


class ItemExpectation(NamedTuple):
    """One expected item and the item that found it."""

    label: str
    found_by: str | None
    nearest: str | None
    score: float
    notes: Mapping[str, Any]


def expectation(label: str, notes: Mapping[str, Any], match: ItemMatch | None) -> ItemExpectation:
    """Return an expected item with the item that found it, if any."""
    found_by, score = (None, 0.0) if match is None else (match.label, match.score)
    return ItemExpectation(label, found_by, None, score, notes)


class Items(NamedTuple):
    """Why a case scored as it did."""

    items: Sequence[Item]
    expected: tuple[ItemExpectation, ...]
    correct: frozenset[str]
    """States that count as found."""
    flawed: frozenset[str] = frozenset()
    """Those of them that are partly wrong."""

    def as_json(self) -> dict[str, Any]:
        """Return the items as plain values."""
        return {
            "items": [
                {"label": m.label, "state": m.state, "expected": m.expected, "score": round(m.score, 4), **m.notes}
                for m in self.items
            ],
            "expected": [
                {"label": e.label, "foundBy": e.found_by, "nearest": e.nearest, "score": round(e.score, 4), **e.notes}
                for e in self.expected
            ],
        }
