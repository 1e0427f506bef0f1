"""Flakiness: how much a case's result varies under unchanged prompts and model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from row3.domain.metrics import Metric
from row3.domain.quarantine import Quarantine
from row3.metrics.aggregate import mean_and_spread

LEAST = 3
"""Fewest values for a verdict: fewer cannot go back and forth."""
FLIPS = 0.1
"""A case is flaky if at least this share of its answer pairs disagree on passing."""
NOISE = 0.05
"""A case is flaky if an answer's standard deviation is at least this; it equals the gate's limit for a suite."""


@dataclass(frozen=True, slots=True)
class FlakyCase:
    """One case under unchanged prompts and model. Values are fractions."""

    case_id: str
    answers: int
    lowest: float
    highest: float
    noise: float
    """Standard deviation of an answer; 0 for a single one."""
    flip_rate: float | None
    """How often two answers disagree on passing; None without a pass mark."""
    verdict: Literal["steady", "flaky", "unknown"]


@dataclass(frozen=True, slots=True)
class FlakyReport:
    """The flakiness of a suite's cases under one setting."""

    suite: str
    metric: Metric
    setting: str
    """Prompts and model, in words."""
    own: bool
    """Whether these are the current prompts."""
    pass_mark: float | None
    cases: tuple[FlakyCase, ...]
    """Flaky cases first, then the noisiest."""
    unknown: tuple[str, ...]
    """Ids of cases without an answer under this setting."""
    others: tuple[str, ...]
    """Other settings with several answers to a case."""
    quarantine: Quarantine
    flag: str = ""
    """Options that select the suite on the command line."""


def flakiness(
    case_id: str, values: Sequence[float], pass_mark: float | None = None, *, higher_is_better: bool = True
) -> FlakyCase:
    """Return the spread, flip rate and verdict of one case from one or more answers to one request (fractions).

    `unknown` with fewer than `LEAST` values, else `flaky` if the flip rate reaches `FLIPS` or the noise `NOISE`, else
    `steady`. For n values of which f pass (at least as good as
    `pass_mark`), noise is the sample standard deviation and the flip rate f (n - f) / (n (n - 1) / 2), the share of
    pairs that disagree. Source: the thresholds are row3's own.
    """
    n = len(values)
    noise = mean_and_spread([*values])[1]
    rate = None
    if pass_mark is not None:
        passed = sum(value >= pass_mark if higher_is_better else value <= pass_mark for value in values)
        rate = passed * (n - passed) / max(1, n * (n - 1) // 2)
    flaky = noise >= NOISE or (rate is not None and rate >= FLIPS)
    verdict: Literal["steady", "flaky", "unknown"] = "unknown" if n < LEAST else "flaky" if flaky else "steady"
    return FlakyCase(case_id, n, min(values), max(values), noise, rate, verdict)
