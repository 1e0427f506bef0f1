"""How each extracted and each expected item fared, so that every score can explain itself.

Named tuples rather than dataclasses: a case makes more than a hundred of them, and they are the
inner loop of every run.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

ConceptState = Literal["exact", "alias", "fuzzy", "duplicate", "canary", "unmatched"]
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
QuoteState = Literal["verified", "unverified", "missing"]

CORRECT: frozenset[str] = frozenset({"exact", "alias", "fuzzy"})
CORRECT_RELATIONSHIP: frozenset[str] = frozenset({"exact", "inverse", "fuzzy", "inverse-fuzzy"})


class Triple(NamedTuple):
    """A relationship as it is written: source, predicate, target."""

    source: str
    predicate: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} {self.predicate} {self.target}"


class ConceptMatch(NamedTuple):
    """One extracted concept, in output order."""

    label: str
    state: ConceptState
    expected: str | None
    """The expected label (exact, alias, fuzzy, duplicate), the canary, or the nearest expected label."""
    score: float
    """Similarity to `expected` in [0, 1]."""
    quote: QuoteState
    grounded: bool
    """Expected, or found in the source text."""


class Expectation(NamedTuple):
    """One expected concept and what found it."""

    label: str
    required: bool
    found_by: str | None
    """The extracted label, or None where it was missed."""
    nearest: str | None
    """The extracted label nearest to a missed one."""
    score: float


class RelationshipMatch(NamedTuple):
    """One extracted relationship, in output order."""

    triple: Triple
    state: RelationshipState
    expected: Triple | None
    """The expected relationship it is, or the one it comes nearest to."""


class ExpectedRelationship(NamedTuple):
    """One expected relationship and what found it."""

    triple: Triple
    required: bool
    found_by: Triple | None


class Explanation(NamedTuple):
    """Why a case scored as it did."""

    concepts: tuple[ConceptMatch, ...]
    expected_concepts: tuple[Expectation, ...]
    relationships: tuple[RelationshipMatch, ...]
    expected_relationships: tuple[ExpectedRelationship, ...]
