"""Changes of metrics and cases between a baseline and a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import filterfalse, pairwise
from statistics import median
from typing import NamedTuple

from row3.domain.judgements import CaseChange, CaseMove
from row3.domain.scores import SLACK, CaseScore
from row3.gate.distributions import t_cdf
from row3.gate.pairs import align_metrics
from row3.kinds.base import Kind

LEAST_RUNS = 5
"""Fewest runs whose differences show how much the suite varies."""
LASTING = 4.0
"""Robust standard deviations by which declining runs must fall together to be more than noise: of fifty flat runs, 7%
of histories ever reach it; a decline of 1.5 deviations a run does within eight runs in 85%."""
ROBUST = 1.4826
"""Median absolute deviations to a standard deviation, for a normal distribution."""

Found = Mapping[str, Sequence[str]]


def compare_case(before: CaseScore, after: CaseScore, kind: Kind, *, comparable: bool = True) -> CaseChange:
    """Return how one case moved; both scores have their items in `found`.

    `missed…` lists hold expected items that were not found; all other lists hold wrong extracted items.
    """
    case_id = after.case_id
    if "failed" in (before.status, after.status):
        return CaseChange(case_id, "failed", 0.0)
    if not comparable:
        return CaseChange(case_id, "not comparable", 0.0, note="the case itself changed")
    old, new = align_metrics(kind, (before.metrics, after.metrics))
    deltas = {key: new[key] - old[key] for key in new if key in old}
    delta = deltas.get(kind.primary, 0.0)
    gained, lost = _flips(before.found or {}, after.found or {})
    return CaseChange(case_id, _move(before.status, after.status, delta), delta, deltas, gained, lost)


def _move(before: str, after: str, delta: float) -> CaseMove:
    if before != after:
        return "broke" if after == "bad_answer" else "fixed"
    if abs(delta) <= SLACK:
        return "unchanged"
    return "improved" if delta > 0 else "regressed"


def _flips(before: Found, after: Found) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return gains and losses by list; an item that is no longer missed or wrong is a gain."""
    gained: dict[str, tuple[str, ...]] = {}
    lost: dict[str, tuple[str, ...]] = {}
    for name in (*before, *[name for name in after if name not in before]):
        old, new = before.get(name, ()), after.get(name, ())
        if old == new:
            continue
        if better := _only_in(old, new):
            gained[name] = better
        if worse := _only_in(new, old):
            lost[name] = worse
    return gained, lost


def _only_in(these: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(filterfalse(set(others).__contains__, these)) if these else ()


def by_size(changes: Iterable[CaseChange]) -> list[CaseChange]:
    """Return changes in order of importance: broken cases first, then by size."""
    first: dict[str, int] = {"broke": 0, "failed": 0, "removed": 1}
    return sorted(changes, key=lambda change: (first.get(change.move, 2), -abs(change.delta), change.case_id))


def fall_p(
    drop: float, spread_before: float, repeats_before: float, spread_after: float, repeats_after: float
) -> float | None:
    """Return the one-sided p-value of "the case's mean did not fall"; None if neither side has repeats.

    Welch's t test; a side with one answer is assumed to be as noisy as the other. `drop` is a fraction, positive for a
    loss; spreads are standard deviations (n - 1). Source: Welch 1947, Biometrika 34, 28-35.
    """
    if max(repeats_before, repeats_after) < 2:
        return None
    sides = [(spread_before, repeats_before), (spread_after, repeats_after)]
    known = [(spread**2 * (count - 1), count - 1) for spread, count in sides if count > 1]
    pooled = sum(square for square, _ in known) / sum(df for _, df in known)
    parts = [(spread**2 if count > 1 else pooled) / count for spread, count in sides]
    total = sum(parts)
    if total <= 0.0:
        return 0.0 if drop > 0.0 else 1.0
    own = [max(1, count - 1) if count > 1 else sum(df for _, df in known) for _, count in sides]
    df = total**2 / sum(part**2 / each for part, each in zip(parts, own, strict=True))
    return t_cdf(-drop / math.sqrt(total), df)


class Decline(NamedTuple):
    """The latest runs of a suite that each scored below the previous one (STANDARDS 4.4)."""

    runs: int = 0
    fall: float = 0.0
    """Sum of their falls, a fraction."""
    lasting: bool = False
    """Whether the fall is beyond the suite's own differences from run to run."""

    def from_runs(self, least: int) -> Decline:
        """Return the decline if it has that many runs, else none."""
        return self if self.runs >= least else Decline()


def latest_decline(values: Sequence[float], least: float) -> Decline:
    """Return the decline at the end of a suite's runs, oldest first; one of less than `least` in all is not lasting."""
    runs = 0
    for before, after in zip(reversed(values[:-1]), reversed(values[1:]), strict=True):
        if after >= before - SLACK:
            break
        runs += 1
    fall = values[-1 - runs] - values[-1] if runs else 0.0
    differences = [after - before for before, after in pairwise(values)]
    if len(values) < LEAST_RUNS or fall < least - SLACK:
        return Decline(runs, fall)
    centre = median(differences)
    spread = ROBUST * median(abs(each - centre) for each in differences)
    return Decline(runs, fall, lasting=fall > LASTING * spread)
