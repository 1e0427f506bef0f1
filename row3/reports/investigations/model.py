"""What `row3 investigate` found about one case: of an extraction, and of a case whose answer is a list of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from row3.domain.matches import (
    ConceptState,
    ItemExpectation,
    ItemMatch,
    Items,
    QuoteState,
    RelationshipState,
    Triple,
    TypeState,
)
from row3.domain.metrics import Metric, Threshold, Zone
from row3.matching.texts.places import Place


@dataclass(frozen=True, slots=True)
class Verification:
    """What the commands that verify a change of this case need."""

    flags: str = ""
    """Options of `row3 --compare`, after a space."""
    prompts: tuple[tuple[str, str], ...] = ()
    """Name and version of each prompt that ran, in pipeline order."""
    promoted: frozenset[str] = frozenset()
    """Names of the prompts that ran in their promoted version."""


class Fall(NamedTuple):
    """How much worse than the baseline a metric is, where that is more than the gate lets a metric lose."""

    worse: float
    """In the gate's unit: percentage points, or per cent of the baseline."""
    limit: float
    """In the same unit."""
    least: float
    """The worst value that is within the limit, a fraction."""
    relative: bool
    """The unit is per cent of the baseline."""
    blocks: bool
    """Whether the gate blocks on this metric; else it is to be investigated."""


class Symptom(NamedTuple):
    """One metric of the case; fractions."""

    metric: Metric
    value: float | None
    """None where it does not apply."""
    zone: Zone | None
    threshold: Threshold | None
    baseline: float | None
    fall: Fall | None = None
    """None where it did not fall, or within the limit."""

    @property
    def failing(self) -> bool:
        """Below its target."""
        return self.zone in (Zone.FAIL, Zone.MARGINAL)


@dataclass(frozen=True, slots=True)
class ItemsInvestigation:
    """What is known of the case."""

    case_id: str
    suite: str
    kind: str
    date: str
    prompts: Mapping[str, str]
    model: str
    status: str
    problem: str
    raw: str
    notes: tuple[str, ...]
    symptoms: tuple[Symptom, ...]
    items: Items
    query: str = ""
    """What was asked; empty where a case has a text."""

    @property
    def missed(self) -> list[ItemExpectation]:
        """What was expected and not found."""
        return [each for each in self.items.expected if each.found_by is None]

    @property
    def wrong(self) -> list[ItemMatch]:
        """What was answered and is not right."""
        return [each for each in self.items.items if each.state not in self.items.correct]

    @property
    def right(self) -> list[ItemMatch]:
        """What was answered and is."""
        return [each for each in self.items.items if each.state in self.items.correct]


class Missed(NamedTuple):
    """An expected concept that was not extracted."""

    label: str
    required: bool
    inferred: bool
    place: Place | None
    """Where it stands in the text under label or alias; None where it does not."""
    nearest: str | None
    """The extracted label most like it, of those that matched nothing."""
    score: float


class Meant(NamedTuple):
    """An extracted concept that was matched by meaning."""

    label: str
    expected: str
    score: float
    """How alike their embeddings are."""


class Mistyped(NamedTuple):
    """A matched concept whose type is not the expected one as it is written."""

    label: str
    given: str
    """Empty for none."""
    expected: str
    state: TypeState


class Otherwise(NamedTuple):
    """An extracted concept that is written otherwise than the expected one it is."""

    label: str
    expected: str
    how: str
    """The rule by which the two are one (`row3.matching.compare`)."""
    score: float


class Invented(NamedTuple):
    """An extracted concept that is not expected."""

    label: str
    state: ConceptState
    expected: str | None
    """The canary it is, or the nearest expected label."""
    score: float
    place: Place | None
    why_not: str = ""
    """Why it is not the nearest one, where the two are similar."""


class Misdirected(NamedTuple):
    """An extracted relationship that is not correct."""

    triple: Triple
    state: RelationshipState
    expected: Triple | None
    place: Place | None
    """The first sentence in which both ends stand."""


class BadQuote(NamedTuple):
    """A concept without a quote, or with one that does not occur in the text."""

    label: str
    state: QuoteState
    quote: str
    place: Place | None
    """Where the concept stands, or the sentence most like the quote."""
    similarity: float


class Lost(NamedTuple):
    """An expected relationship that was not extracted, and those of its ends that were missed as concepts."""

    triple: Triple
    required: bool
    missed_ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the checklist asks beside what went wrong."""

    expected: int
    """Expected concepts of the case."""
    words: int
    """Words of the source text."""
    concept_prompt: str
    relationship_prompt: str
    asks_for_quotes: bool
    """Whether a prompt that asks for concepts mentions quotes."""
    truncated: tuple[str, ...]
    """Prompts whose answer was cut off by the token limit."""
    temperatures: tuple[float | None, ...]
    """Of the requests; None for the provider's default."""


@dataclass(frozen=True, slots=True)
class Investigation:
    """Why one case scored as it did, and what to do about it."""

    case_id: str
    topic: str
    suite: str
    date: str
    prompts: Mapping[str, str]
    model: str
    status: str
    problem: str
    raw: str
    notes: tuple[str, ...]
    extracted: tuple[int, int]
    """How many concepts and relationships."""
    symptoms: tuple[Symptom, ...]
    missed: tuple[Missed, ...]
    invented: tuple[Invented, ...]
    duplicates: tuple[tuple[str, str], ...]
    """Extracted label and the concept it names again."""
    misdirected: tuple[Misdirected, ...]
    lost: tuple[Lost, ...]
    quotes: tuple[BadQuote, ...]
    around: Circumstances
    verification: Verification
    meant: tuple[Meant, ...] = ()
    mistyped: tuple[Mistyped, ...] = ()
    unknown_predicates: tuple[str, ...] = ()
    """Those of wrong relationships that neither the suite nor the case knows."""
    otherwise: tuple[Otherwise, ...] = ()


def predicate_confusions(misdirected: Sequence[Misdirected]) -> list[tuple[str, str, int]]:
    """Which predicate was said for which, and how often; the most frequent first."""
    pairs = Counter(
        (item.triple.predicate, item.expected.predicate)
        for item in misdirected
        if item.state == "wrong-predicate" and item.expected is not None
    )
    return [
        (said, meant, times) for (said, meant), times in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
