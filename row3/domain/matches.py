"""What each item of an answer turned out to be, and what found each expected one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from msgspec import Struct

ConceptState = Literal["exact", "alias", "fuzzy", "semantic", "duplicate", "canary", "unmatched"]
"""`semantic`: in other words, found by embeddings; only in suites that ask for it."""
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
"""Of a quote: it occurs in the text and mentions its concept, mentions something else, does not occur, is none."""
TypeState = Literal["exact", "normalised", "wrong", "missing"]
"""`normalised`: the expected type, but not as it is written (`Commitments` for `Commitment`)."""

CORRECT: frozenset[str] = frozenset({"exact", "alias", "fuzzy", "semantic"})
CORRECT_RELATIONSHIP: frozenset[str] = frozenset({"exact", "inverse", "fuzzy", "inverse-fuzzy"})


class Triple(Struct, frozen=True, gc=False, array_like=True, order=True):
    """A relationship as it is written: source, predicate, target."""

    source: str
    predicate: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} {self.predicate} {self.target}"


class TypeMatch(Struct, frozen=True, gc=False, rename="camel"):
    """The type that was given to a concept, beside the expected one."""

    given: str
    """Empty for none."""
    expected: str
    state: TypeState


class ConceptMatch(Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """One extracted concept, in output order; written in this order of fields, without those that say nothing."""

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
    """The rule by which a name that is not equal is one with `expected`: form, value, acronym, person, variant or
    spelling. Of a canary and a duplicate too."""
    why_not: str = ""
    """Why an unmatched name is not the nearest one, where the two are similar."""
    type: TypeMatch | None = None
    """Of a match (exact, alias, fuzzy) whose expected concept has a type."""


class Expectation(Struct, frozen=True, gc=False, rename="camel"):
    """One expected concept and what found it."""

    label: str
    required: bool
    found_by: str | None
    """The extracted label, or None where it was missed."""
    nearest: str | None
    """The extracted label nearest to a missed one."""
    score: float
    """Similarity to the one or the other in [0, 1], to four digits."""


class RelationshipMatch(Struct, frozen=True, gc=False, rename="camel"):
    """One extracted relationship, in output order."""

    triple: Triple
    state: RelationshipState
    expected: Triple | None
    """The expected relationship it is, or the one it comes nearest to."""


class ExpectedRelationship(Struct, frozen=True, gc=False, rename="camel"):
    """One expected relationship and what found it."""

    triple: Triple
    required: bool
    found_by: Triple | None


class Explanation(Struct, frozen=True, gc=False, rename="camel"):
    """Why a case scored as it did."""

    concepts: tuple[ConceptMatch, ...]
    expected_concepts: tuple[Expectation, ...]
    relationships: tuple[RelationshipMatch, ...]
    expected_relationships: tuple[ExpectedRelationship, ...]


class Item(Protocol):
    """One item of the answer: an `ItemMatch`, or what a kind works its fields out from when somebody reads them."""

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
    """One item of the answer, in its order."""

    label: str
    """What it says, in a line."""
    state: str
    """The kind's own word: `match`, `wrong-category`, `duplicate`, `unmatched` …"""
    expected: str | None
    """The expected item that it is, or comes nearest to."""
    score: float
    """How well the two fit, in [0, 1]."""
    notes: Mapping[str, Any]
    """What else can be said: category, actor, evidence, rank …"""


class ItemExpectation(NamedTuple):
    """One expected item and what found it."""

    label: str
    found_by: str | None
    nearest: str | None
    score: float
    notes: Mapping[str, Any]


def expectation(label: str, notes: Mapping[str, Any], match: ItemMatch | None) -> ItemExpectation:
    """Return an expected item with the item that found it, None for none."""
    if match is None:
        return ItemExpectation(label, None, None, 0.0, notes)
    return ItemExpectation(label, match.label, None, match.score, notes)


class Items(NamedTuple):
    """Why a case scored as it did."""

    items: Sequence[Item]
    expected: tuple[ItemExpectation, ...]
    correct: frozenset[str]
    """States that count as found."""


def items_json(found: Items) -> dict[str, Any]:
    """As plain values, for JSON."""
    return {
        "items": [
            {"label": m.label, "state": m.state, "expected": m.expected, "score": round(m.score, 4), **m.notes}
            for m in found.items
        ],
        "expected": [
            {"label": e.label, "foundBy": e.found_by, "nearest": e.nearest, "score": round(e.score, 4), **e.notes}
            for e in found.expected
        ],
    }
