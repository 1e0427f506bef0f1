"""Verdicts of the gate, and changes of single cases."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, Literal, NamedTuple

Word = Literal["proceed", "investigate", "block"]
WORDS: Final[tuple[Word, Word, Word]] = ("proceed", "investigate", "block")


class Verdict(IntEnum):
    """The gate's verdict; ordered, so that the worst of several is `max`."""

    PROCEED, INVESTIGATE, BLOCK = range(3)

    @property
    def word(self) -> Word:
        """The verdict's name in files and output."""
        return WORDS[self]


CaseMove = Literal["improved", "unchanged", "regressed", "broke", "fixed", "new", "removed", "not comparable", "failed"]


class CaseChange(NamedTuple):
    """Change of one case between two runs. Deltas are current minus baseline, fractions."""

    case_id: str
    move: CaseMove
    delta: float
    """Change of the primary metric."""
    deltas: Mapping[str, float] = {}
    gained: Mapping[str, tuple[str, ...]] = {}
    lost: Mapping[str, tuple[str, ...]] = {}
    """By list: `concepts` and `relationships` found in one run only, `extra` for invented ones."""
    note: str = ""
