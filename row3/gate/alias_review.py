"""Items in recorded answers that no golden case lists, and the decisions on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from row3.matching.text.places import Place

Stands = Literal["item", "quote", "nowhere"]
Verdict = Literal["alias", "canary", "wrong"]


class Candidate(NamedTuple):
    """An expected concept that an item may be another name for."""

    position: int
    """Index in the case's expected concepts."""
    label: str
    score: float
    """Highest similarity of the item to a name of the concept, in [0, 1]."""
    missed: int
    """Answers that have the item and miss the concept."""
    same_sentence: bool
    """Whether the sentence shown mentions it."""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An item in answers that matches nothing in the golden case."""

    case_id: str
    file: str
    """The golden case's file, relative to the project."""
    label: str
    count: int
    """Answers in which it is unmatched."""
    answers: int
    prompts: Mapping[str, tuple[str, ...]]
    """By prompt name, the versions that produced it."""
    candidates: tuple[Candidate, ...]
    stands: Stands
    """Which words the text has at `place`: the item's, its quote's, or none."""
    place: Place | None
    quote: str
    """The quote that an answer gave as evidence; empty for none."""

    @property
    def in_text(self) -> bool:
        """Whether the source text contains it."""
        return self.stands == "item"


@dataclass(frozen=True, slots=True)
class AliasReview:
    """The items to review in a suite."""

    suite: str
    items: tuple[Unmatched, ...]
    cases: int
    answers: int
    unanswered: tuple[str, ...]
    """Cases without a readable recorded answer."""
    flag: str = ""
    """The option that selects the suite in a command."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that was written."""

    verdict: Verdict
    item: Unmatched
    name: str
    """The text that was written."""
    concept: str
    file: str
    """The file, relative to the project."""
    before: bytes = b""
    after: bytes = b""
    """The whole file, empty if there is none."""
