"""How far a case's result moves by itself, with the same prompts and model, and whether that makes it flaky."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from row3.domain.metrics import Metric
from row3.domain.quarantine import Quarantine
from row3.gate.exact import upper_bound
from row3.metrics.aggregate import mean_and_spread

LEAST = 3
"""Fewer values cannot go back and forth, so nothing is said of them."""
FLIPS = 0.1
"""A case is flaky where two of its answers disagree on passing at least this often."""
NOISE = 0.05
"""A case is flaky where one answer's standard deviation is at least this much; the gate's limit for a whole suite."""


@dataclass(frozen=True, slots=True)
class FlakyCase:
    """One case under unchanged prompts and model. Values are fractions."""

    case_id: str
    answers: int
    lowest: float
    highest: float
    noise: float
    """Standard deviation of one answer; 0 of a single one."""
    flip_rate: float | None
    """How often two answers disagree on passing; None without a pass mark."""
    verdict: Literal["steady", "flaky", "unknown"]
    hidden: float | None
    """Share of answers that could fall on the rarer side of the pass mark, at 95 %: 0 of 3 leave 63 % possible. None
    without a pass mark."""


@dataclass(frozen=True, slots=True)
class FlakyReport:
    """All cases of a suite under one setting."""

    suite: str
    metric: Metric
    setting: str
    """Prompts and model, in words."""
    own: bool
    """Whether these are the prompts that run now."""
    pass_mark: float | None
    cases: tuple[FlakyCase, ...]
    """Flaky cases first, then the noisiest."""
    unknown: tuple[str, ...]
    """Ids of cases without an answer under this setting."""
    others: tuple[str, ...]
    """Other settings that have several answers of a case."""
    quarantine: Quarantine
    flag: str = ""
    """Options that select the suite on the command line."""


def flakiness(
    case_id: str, values: Sequence[float], pass_mark: float | None = None, *, higher_is_better: bool = True
) -> FlakyCase:
    """Return spread, flip rate and verdict of one case, from at least one answer to one request (fractions).

    `unknown` with fewer than `LEAST` values, else `flaky` where the flip rate is at least `FLIPS` or the noise at least
    `NOISE`; `steady` means that nothing was seen, and `hidden` says how much could happen. For n values of which f pass
    (as good as `pass_mark`), noise is the sample standard deviation and the flip rate f (n - f) / (n (n - 1) / 2), the
    share of pairs that disagree. Source: the thresholds are row3's own.
    """
    n = len(values)
    noise = mean_and_spread([*values])[1]
    rate = hidden = None
    if pass_mark is not None:
        passed = sum(value >= pass_mark if higher_is_better else value <= pass_mark for value in values)
        rate = passed * (n - passed) / max(1, n * (n - 1) // 2)
        hidden = upper_bound(min(passed, n - passed), n)
    flaky = noise >= NOISE or (rate is not None and rate >= FLIPS)
    verdict: Literal["steady", "flaky", "unknown"] = "unknown" if n < LEAST else "flaky" if flaky else "steady"
    return FlakyCase(case_id, n, min(values), max(values), noise, rate, verdict, hidden)
