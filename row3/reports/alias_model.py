"""What a review of aliases consists of: the unmatched items of recorded runs, and the aliases nothing ever met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from row3.matching.texts.places import Place

Stands = Literal["item", "quote", "nowhere"]
Verdict = Literal["alias", "canary", "wrong"]


class Form(NamedTuple):
    """One way in which an item was written."""

    label: str
    answers: int
    """In how many it stood unmatched."""


class Candidate(NamedTuple):
    """An expected concept that an item may be another form of."""

    position: int
    """Among the case's expected concepts."""
    label: str
    score: float
    """Resemblance of any form of the item to any name of the concept, in [0, 1]."""
    missed: int
    """In how many of the answers with the item the concept was missed."""
    beside: bool
    """It stands in the sentence that is shown."""
    line: int
    """Of its label in the golden case's file."""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An item that answers gave and the golden case does not know, with all its forms."""

    case_id: str
    file: str
    """The golden case's, relative to the project."""
    forms: tuple[Form, ...]
    """The most frequent first."""
    count: int
    """Answers in which any of the forms stood unmatched."""
    answers: int
    """Recorded answers of the case."""
    prompts: Mapping[str, tuple[str, ...]]
    """Versions by prompt name whose answers had it."""
    candidates: tuple[Candidate, ...]
    """The likeliest first."""
    stands: Stands
    """What of it stands in the text at `place`."""
    place: Place | None
    quote: str
    """What an answer gave as its evidence; empty for nothing."""

    @property
    def label(self) -> str:
        """The form it is shown by."""
        return self.forms[0].label

    @property
    def in_text(self) -> bool:
        """One of its forms stands in the source text."""
        return self.stands == "item"

    @property
    def references(self) -> list[str]:
        """The prompt versions whose answers had it, `decompose-concepts-v1.0`."""
        return [f"{name}-{version}" for name, versions in self.prompts.items() for version in versions]


class UnusedAlias(NamedTuple):
    """An alias that no item and no end of a relationship ever met."""

    case_id: str
    concept: str
    alias: str
    in_text: bool
    """It stands in the source text: the concept may need it for lint, whatever the answers say."""
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class AliasReview:
    """All there is to review in a suite."""

    suite: str
    items: tuple[Unmatched, ...]
    unused: tuple[UnusedAlias, ...]
    aliases: int
    """Aliases of the cases that have recorded answers."""
    cases: int
    """Cases that have recorded answers."""
    answers: int
    unanswered: tuple[str, ...]
    """Cases without a recorded answer that could be read."""
    judged: int
    """Items left out because they were judged in an earlier review."""
    flag: str = ""
    """What a command has to be given to be about the suite."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that was decided, and written."""

    verdict: Verdict
    item: Unmatched
    names: tuple[str, ...]
    """What was written: aliases, canaries, or items judged to be wrong."""
    concept: str
    """Whose aliases they are; empty else."""
    file: str
    """Where it is written, relative to the project."""
    before: bytes = b""
    after: bytes = b""
    """The whole file, empty where there is none, so that undoing can see whether somebody else has changed it."""
