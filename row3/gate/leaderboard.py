"""The result of `row3 leaderboard`: combinations of models and prompt versions, ranked on the same cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from row3.domain.intervals import Interval
from row3.gate.ranking import Contest, Standing
from row3.kinds.base import Kind, Rules


@dataclass(frozen=True, slots=True)
class Combination:
    """A model and a version of each prompt, and which answers there are."""

    prompts: Mapping[str, str]
    """Version by prompt name, in pipeline order."""
    model: str
    """One name, or those of the stages."""
    shown_model: str
    """The same as people read it: it says where a model runs locally."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Digest by prompt name."""
    parameters: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Model and the rest, by prompt name."""
    unanswered: Sequence[str] = ()
    """Ids of cases without an answer."""
    bad: Sequence[str] = ()
    """Ids of cases whose answer could not be used; they score 0."""
    missing: int = 0
    """Answers that are missing."""
    problem: str = ""
    """Why the first case without an answer has none."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A combination with an answer to every case."""

    entrant: Combination
    rank: int
    mean: float
    interval: Interval | None
    """Of the mean, 95 %."""
    to_first: Contest | None
    """Against the first of the board; None for the first itself."""
    to_above: Contest | None
    """Against the next better one; None for the first."""
    cost_usd: float | None
    """For one case."""
    latency_p50_s: float | None
    latency_p95_s: float | None
    known: tuple[int, int]
    """Number of cases with a known cost, and with a known time."""
    standing: Standing
    same_as: int | None
    """Place on the board, from 0, of a better combination with the same answers word for word."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A combination that lacks an answer."""

    entrant: Combination
    cases: int
    """Cases that can be compared with the first of the board."""
    mean: float | None
    """Over those cases."""
    delta: float | None
    """Mean difference to the first of the board, over those cases."""
    interval: Interval | None
    """Paired, 95 %, of `delta`."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A suite's combinations, best first."""

    suite: str
    kind: Kind
    rules: Rules
    mode: str
    repeats: int
    cases: Sequence[str]
    """Ids of the cases behind every figure: all placed combinations have an answer to them."""
    left_out: Sequence[str]
    """Ids of cases to which the composite does not apply for one of the placed combinations."""
    quarantined: Sequence[str]
    placed: Sequence[Placed]
    incomplete: Sequence[Unplaced]
    """Fewest missing answers first."""
    nothing_recorded: int
    """Combinations left out because none of their answers is recorded."""
    pairs: Sequence[Contest]
    """All pairs of placed combinations, by place on the board, from 0."""

    @property
    def cost_known(self) -> bool:
        """Whether the cost of any placed combination is known."""
        return any(one.cost_usd is not None for one in self.placed)

    @property
    def latency_known(self) -> bool:
        """Whether the time of any placed combination is known."""
        return any(one.latency_p50_s is not None for one in self.placed)

    @property
    def title(self) -> str:
        """Title of the composite metric."""
        return next((m.title for m in self.kind.metrics if m.key == self.kind.primary), self.kind.primary)
