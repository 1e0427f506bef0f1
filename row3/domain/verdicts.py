"""What the gate says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, NamedTuple


class Verdict(IntEnum):
    """Ordered, so that the worst of many is `max`."""

    PROCEED, INVESTIGATE, BLOCK = range(3)

    @property
    def word(self) -> str:
        """The word of the vocabulary, as files and output spell it."""
        return self.name.lower()


Cause = Literal[
    "answers",
    "unrecorded",
    "unjudged",
    "recordings",
    "lost",
    "cases",
    "texts",
    "rules",
    "locks",
    "baseline",
    "stale",
    "part",
    "history",
]
"""What has to be looked at.

What the model said, what it was never asked, what cases asked before and nobody can compare, its recordings, that the
baseline's answers cannot be scored again, golden cases, golden cases that ask otherwise than the baseline's,
`row3.toml`, `promoted.json`, the baseline, that it is older than what judges, that only a part was run, or the runs
before.
"""


@dataclass(frozen=True, slots=True)
class Reason:
    """One ground of a verdict."""

    verdict: Verdict
    text: str
    metric: str | None = None
    case_id: str | None = None
    cause: Cause = "answers"
    broke: bool = False
    """That the answer to its case cannot be used."""
    follows: bool = False
    """Without the cases that broke it would not be there."""


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


class Then(NamedTuple):
    """A case as the baseline saved it, where the comparison is with what its prompts answer now."""

    metrics: Mapping[str, float]
    """Scored as today's."""
    spread: Mapping[str, float]
    same: bool
    """The answers of now are word for word those of then."""


class Compared(NamedTuple):
    """How a case moved, and what the comparison had to do to tell; small, since it is sent between processes."""

    change: CaseChange
    before: Mapping[str, float] | None
    """The baseline's metrics, scored as today's; None where the two cannot be compared."""
    before_spread: Mapping[str, float] = {}
    """Standard deviation of the baseline's repeats, by metric."""
    before_status: str = ""
    weakened: tuple[str, ...] = ()
    """What the case no longer demands."""
    changed: bool = False
    """Its expectations are others than the baseline's."""
    rescored: bool = False
    problem: str = ""
    """Why the baseline's answers could not be scored again."""
    before_tally: Mapping[str, Mapping[str, int]] = {}
    """What became of the baseline's items, scored as today's; empty where it is not known."""
    before_repeats: int = 0
    """How often the baseline's prompts were asked for it now; 0 where `before` is what the baseline saved."""
    then: Then | None = None
    otherwise: bool = False
    """Its answers are not those that the baseline saved."""
    saved: Mapping[str, float] | None = None
    """The baseline's metrics of a case that cannot be compared, to which it is held; None for every other case."""
    unscored: bool = False
    """Its text is the baseline's, and the old answer cannot be scored again."""
