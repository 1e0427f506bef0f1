"""The gate's policy: the limits of a suite on metrics, cost, tokens and latency, and how the gate treats noise."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from row3.domain.judgements import Code, Reason, Verdict
from row3.domain.scores import SLACK, Metric
from row3.domain.words import did_you_mean
from row3.errors import UsageError
from row3.metrics.aggregate import Aggregate

ALPHA = 0.025
"""One-sided error rate of `paired`: how often chance alone puts a 95 % interval wholly beyond a limit."""
ALPHA_FALL = 0.05
"""One-sided error rate of `evidence`: how often a metric that did not fall is judged to have fallen, at most."""
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
MOST = 100
"""Largest possible drop, in points or per cent of the baseline."""
SHAPE = "Write METRIC:LIMIT pairs separated by commas, as in overall:5,recall:3,hallucination:0"

PolicyName = Literal["evidence", "fixed", "paired"]
Unit = Literal["points", "relative"]

POINT = 100.0


def exceeds(drop: float | None, limit: float) -> bool:
    """Return whether a drop is more than a limit, both in the gate's unit; NaN is, None is not."""
    return drop is not None and not drop <= limit + POINT * SLACK


def reaches(drop: float, limit: float) -> bool:
    """Return whether a drop is at least a limit, both in the gate's unit."""
    return drop >= limit - POINT * SLACK


def worse_by(metric: Metric, before: float, after: float, unit: Unit) -> float:
    """Return how much worse a metric became; negative if it is better.

    In percentage points, 100 (b - c), or relative to the baseline as in STRATEGY, 100 (b - c) / b. A rate that is
    better low lies near 0, where ratios say nothing: it is always compared in points.
    """
    return POINT * metric.drop(before, after) / (abs(before) if is_ratio(metric, before, unit) else 1.0)


def is_ratio(metric: Metric, before: float, unit: Unit) -> bool:
    """Return whether a drop is measured relative to its baseline: a baseline of 0 allows no ratio."""
    return unit == "relative" and metric.higher_is_better and abs(before) > SLACK


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """The gate's limits (STANDARDS 2, 4.3 and 5.2), and the evidence a drop needs before it blocks."""

    unit: Unit = "points"
    block: float = 5.0
    """Drop beyond which a metric can block; percentage points, or per cent of the baseline."""
    investigate: float = 1.0
    """Drop from which a person should look."""
    metrics: tuple[str, ...] = ()
    """Gated metrics: their zones and drops can block."""
    held: tuple[str, ...] = ()
    """Metrics left out of `metrics` because their judge is not calibrated."""
    declines: int = 3
    """Consecutive declining runs that trigger a warning."""
    policy: PolicyName = "evidence"
    """The evidence that a drop beyond the limit needs to block.

    `evidence`: gated metrics other than the primary one need a drop beyond noise. `fixed`: none does. `paired`: the
    interval decides, and the primary metric must be shown to be within its limit.
    """
    confirm: int = 4
    """Most further answers a case and side that confirm a block that may be noise; 0: the limit alone decides."""
    inconclusive: Literal["investigate", "block"] = "investigate"
    """Verdict of `paired` if the data neither show nor rule out a drop beyond the limit."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Limits by metric, which override `block`."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Limits of cost, tokens and latency, in per cent of the base; see `row3.gate.policy`."""
    informational: bool = False
    """Report and never block."""
    inclusive: bool = False
    """A drop of exactly the limit blocks too, as in STRATEGY."""
    baseline: Literal["saved", "rolling", "both"] = "saved"
    """Whether the mean of the latest runs gates as well; the saved baseline always does."""
    window: int = 5
    """Runs in that mean."""
    drop: float = 15.0
    """Drop from that mean that blocks; per cent of the mean."""
    drops: Mapping[str, float] = field(default_factory=dict)
    """Drops by metric, which override `drop`."""

    @property
    def level(self) -> float:
        """Confidence level of the two-sided intervals that match the policy's one-sided test."""
        return 1.0 - 2.0 * (ALPHA_FALL if self.policy == "evidence" else ALPHA)

    def limit(self, key: str) -> float:
        """Return how much worse a metric may be, in the gate's unit."""
        limit = self.limits.get(key, self.block)
        # Every comparison is "more than the limit" with a tolerance of a millionth.
        return limit - 1e-6 if self.inclusive else limit

    def margin(self, metric: Metric, before: float) -> float:
        """Return how much worse a metric may be, as a fraction."""
        return self.limit(metric.key) / POINT * (abs(before) if is_ratio(metric, before, self.unit) else 1.0)

    def worse_by(self, metric: Metric, before: float, after: float) -> float:
        """Return how much worse a metric became, in the gate's unit."""
        return worse_by(metric, before, after, self.unit)

    def beyond_limit(self, metric: Metric, before: float, after: float) -> bool:
        """Return whether a metric became worse by more than its limit."""
        return exceeds(self.worse_by(metric, before, after), self.limit(metric.key))


def parse_limits(text: str, metrics: Sequence[str], *, where: str, also: Mapping[str, str]) -> dict[str, float]:
    """Return limits by metric key, in the gate's unit; `also` maps other names to keys. Raises `UsageError`.

    An unambiguous prefix names a metric: `hallucination` is `hallucinationRate`. A name that lacks only its last letter
    is taken for a typo and refused.
    """
    limits: dict[str, float] = {}
    for part in text.split(","):
        name, colon, number = (piece.strip() for piece in part.partition(":"))
        if not name or not colon:
            raise UsageError(f"`{part.strip()}` is not a limit", where=where, fix=SHAPE)
        key = find_metric(also.get(name.casefold(), name), metrics, where)
        if key in limits:
            raise UsageError(f"`{key}` has two limits", where=where, fix="Keep one of them")
        if NUMBER.fullmatch(number) is None or float(number) > MOST:
            raise UsageError(f"`{number}` is not a limit for {key}", where=where, fix=f"Use a number from 0 to {MOST}")
        limits[key] = float(number)
    return limits


def find_metric(name: str, metrics: Sequence[str], where: str) -> str:
    """Return the metric key that a name or prefix refers to; raises `UsageError` if none or several match."""
    folded = name.casefold()
    exact = [key for key in metrics if key.casefold() == folded]
    typos = [key for key in metrics if len(key) - len(folded) == 1 and key[-1].isalpha()]
    found = exact or [key for key in metrics if key.casefold().startswith(folded) and key not in typos]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"`{name}` could be {' or '.join(found)}", where=where, fix="Write more of the name")
    hint = did_you_mean(name, metrics, f"Metrics: {', '.join(metrics)}")
    raise UsageError(f"`{name}` is not a metric of this kind", where=where, fix=hint)


UNITS: Mapping[str, str] = {"cost": "USD", "tokens": "tokens", "latency": "s"}
"""Unit of each figure, which is that of a case's answers together, without judges' grades."""
MOST_RISE = 10_000
"""Largest limit, in per cent of the base."""


class FigureChange(NamedTuple):
    """How one figure moved: means over the cases for which both sides know it."""

    key: str
    before: float
    now: float
    cases: int
    limit: float | None = None
    """The largest rise that the gate accepts, in per cent of the base."""

    @property
    def unit(self) -> str:
        """US dollars, tokens or seconds."""
        return UNITS[self.key]

    @property
    def rise(self) -> float:
        """The rise in per cent of the base; infinite from 0."""
        if self.now == self.before:
            return 0.0
        return POINT * (self.now - self.before) / self.before if self.before > 0 else math.inf

    def as_json(self) -> dict[str, float | None]:
        """Return the values; a rise from 0 is null."""
        values = {"before": self.before, "now": self.now, "difference": self.now - self.before}
        rise = self.rise if math.isfinite(self.rise) else None
        return {**values, "rise": rise, "limit": self.limit, "cases": self.cases}


def split_limits(text: str, metrics: Sequence[str], *, where: str) -> tuple[str, dict[str, float]]:
    """Return the limits of metrics, unread, and those of figures (`tokens:20%`) in per cent. Raises `UsageError`."""
    others: list[str] = []
    limits: dict[str, float] = {}
    for part in text.split(","):
        name, colon, number = (piece.strip() for piece in part.partition(":"))
        key = name.casefold()
        if not number.endswith("%"):
            if key in UNITS and key not in metrics and colon:
                fix = f"Write {key}:{number if NUMBER.fullmatch(number) else 20}%"
                raise UsageError(f"the limit of {key} is a share of the base's", where=where, fix=fix)
            others.append(part)
            continue
        amount = number.removesuffix("%").strip()
        if key not in UNITS:
            fix = did_you_mean(key, UNITS, f"Write {name}:{amount}; only {', '.join(UNITS)} take a limit in per cent")
            raise UsageError(f"`{part.strip()}` is not a limit", where=where, fix=fix)
        if key in limits:
            raise UsageError(f"`{key}` has two limits in per cent", where=where, fix="Keep one of them")
        if NUMBER.fullmatch(amount) is None or float(amount) > MOST_RISE:
            fix = f"Use a number from 0 to {MOST_RISE}, as in {key}:20%"
            raise UsageError(f"`{number}` is not a limit for {key}", where=where, fix=fix)
        limits[key] = float(amount)
    return ",".join(others), limits


class Figures:
    """The figures of both sides, over the cases for which both know them."""

    def __init__(self) -> None:
        self._before, self._now = Aggregate(), Aggregate()

    def add(self, before: Mapping[str, float], now: Mapping[str, float]) -> None:
        """Add a case."""
        self._before.add({key: before[key] for key in UNITS if key in before and key in now}, {})
        self._now.add({key: now[key] for key in UNITS if key in before and key in now}, {})

    def changes(self, limits: Mapping[str, float]) -> list[FigureChange]:
        """Return the change of each figure that a case has on both sides."""
        before, now, cases = self._before.means(), self._now.means(), self._now.denominators()
        return [FigureChange(key, before[key], now[key], cases[key], limits.get(key)) for key in UNITS if key in cases]


def check_known(changes: Iterable[FigureChange], limits: Mapping[str, float], *, where: str) -> None:
    """Raise `UsageError` for a limit on a figure that no case has."""
    known = {change.key for change in changes}
    for key in limits:
        if key not in known:
            what = f"no case has the {key} of both sides' answers, so its limit of {limits[key]:g}% cannot be kept"
            price = "give the models [prices] in row3.toml, and " if key == "cost" else ""
            fix = f"To keep it, {price}record answers with their usage (--mode record); or remove the limit"
            raise UsageError(what, where=where, fix=fix)


def figure_reasons(changes: Iterable[FigureChange]) -> Iterator[Reason]:
    """Yield a reason that blocks for each figure that rose beyond its limit."""
    for each in changes:
        if each.limit is not None and exceeds(each.rise, each.limit):
            figures = {"before": each.before, "after": each.now, "limit": each.limit, "unit": each.unit}
            yield Reason(Code.WORSE, Verdict.BLOCK, each.key, figures)
