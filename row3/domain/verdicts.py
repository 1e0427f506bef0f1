"""What the gate says."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, Literal, NamedTuple

Word = Literal["proceed", "investigate", "block"]
WORDS: Final[tuple[Word, Word, Word]] = ("proceed", "investigate", "block")


class Verdict(IntEnum):
    """Ordered, so that the worst of many is `max`."""

    PROCEED, INVESTIGATE, BLOCK = range(3)

    @property
    def word(self) -> Word:
        """The word of the vocabulary, as files and output spell it."""
        return WORDS[self]


CaseMove = Literal["improved", "unchanged", "regressed", "broke", "fixed", "new", "removed", "not comparable", "failed"]


class CaseChange(NamedTuple):
    """How one case moved between two runs. Deltas are current minus baseline, fractions."""

    case_id: str
    move: CaseMove
    delta: float
    """Change of `overall`."""
    deltas: Mapping[str, float] = {}
    gained: Mapping[str, tuple[str, ...]] = {}
    lost: Mapping[str, tuple[str, ...]] = {}
    """By list: `concepts` and `relationships` found in one run only, `extra` what was invented."""
    note: str = ""


class Compared(NamedTuple):
    """One case beside the base's answer to it; small, since it is sent between processes."""

    change: CaseChange
    before: Mapping[str, float] | None
    """The base's metrics; None where it has no answer."""
    spread: Mapping[str, float] = {}
    """Standard deviation over the base's repeats, by metric."""
    tally: Mapping[str, Mapping[str, int]] = {}
    """What became of the items of the base's answer, counted."""
    repeats: int = 1
    requests: tuple[str, ...] = ()
    """Digests of the base's requests, stage by stage, repeat by repeat."""
    answers: tuple[str, ...] = ()
    """Digests of its answers."""
    problem: str = ""
    """Why the base has no answer."""
    served: tuple[str, ...] = ()
    """Models that gave them, by the provider's own account."""
