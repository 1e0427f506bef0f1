"""Formatting of numbers, in one place so that a value reads the same in every report."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal

from row3.domain import words
from row3.domain.judgements import cut
from row3.domain.judges import Rate
from row3.domain.scores import Metric, Threshold

count = words.count
LEAST_MOVE = 5e-4
"""A smaller move rounds to 0.0 points."""
MINUS = "−"
"""For people; files for programs have a plain hyphen."""


def percent(value: float, *, limits: Iterable[float] = ()) -> str:
    """Return a fraction as per cent with one decimal, or more if it would round to one of the `limits`."""
    limits = list(limits)
    for digits in (1, 2, 3):
        text = f"{value:.{digits}%}"
        if not any(abs(value - limit) > 1e-9 and text == f"{limit:.{digits}%}" for limit in limits):
            break
    return _no_minus_zero(text).replace("-", MINUS)


def bare(value: float) -> str:
    """Return per cent without the sign, for narrow columns."""
    return percent(value)[:-1]


def compact(value: float) -> str:
    """Return a limit or a changelog value, with a decimal only if needed: `70%`, `69.9%`."""
    return _no_minus_zero(f"{round(100 * value, 1):g}%")


def limit(threshold: float, metric: Metric) -> str:
    """Return the start of a zone: `≥70%`, `≤2%`, `0%`."""
    if not metric.higher_is_better and threshold <= 0:
        return "0%"
    return f"{'≥' if metric.higher_is_better else '≤'}{compact(threshold)}"


def limit_texts(threshold: Threshold, metric: Metric) -> list[str]:
    """Return minimum, target and excellent; a minimum in brackets only warns, a dash means none."""
    minimum, *others = (limit(each, metric) for each in limits_of(threshold))
    if not (threshold.minimum > 0 if metric.higher_is_better else threshold.minimum < 1):  # every value is above it
        return ["–", *others]
    return [minimum if threshold.blocking else f"({minimum})", *others]


def limits_of(threshold: Threshold | None) -> tuple[float, ...]:
    """Return the three limits as numbers; none without a threshold."""
    return () if threshold is None else (threshold.minimum, threshold.target, threshold.excellent)


def points(delta: float) -> str:
    """Return a difference of fractions in percentage points: `+4.2`, `−1.3`, `0.0`."""
    text = f"{100 * delta:+.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", MINUS)


def per_cent(change: float) -> str:
    """Return a relative change that is in per cent: `+20%`, `−3.4%`, `0%`; below 10 with a decimal."""
    text = f"{change:+.{0 if abs(change) >= 9.95 else 1}f}".removesuffix(".0")
    return "0%" if float(text) == 0 else f"{text.replace('-', MINUS)}%"


def drop_points(drop: float) -> str:
    """Return a drop in percentage points with one decimal, or more for tiny ones; `>100` if impossible."""
    shown = 100 * drop
    return ">100" if drop > 1.0 else f"{shown:.1f}" if shown >= 0.05 else f"{shown:.1g}"


def moved(before: float, after: float) -> str:
    """Return both values and their difference: `85.0% → 74.1% (−10.9 points)`."""
    return f"{percent(before)} → {percent(after)} ({points(after - before)} points)"


def interval(low: float, high: float) -> str:
    """Return both ends of a difference in percentage points, cut at −100 and +100: `+2.7…+9.1`."""
    return "…".join(points(end) for end in cut(low, high))


def ends(rate: Rate) -> str:
    """Return both ends of a share's interval, per cent without the sign: `0.5…15.3`."""
    return f"{bare(rate.low)}…{bare(rate.high)}"


def p_value(p: float) -> str:
    """Return a p-value for tables: `.044`, `<.001`, `1.00`."""
    if p < 0.001:
        return "<.001"
    return f"{p:.2f}" if p >= 0.995 else f"{p:.3f}"[1:]


def changelog_delta(delta: float) -> str:
    """Return a difference for the changelog: `+4.0 points`, `-1.3 points`, `0.0 points`."""
    return f"{points(delta).replace(MINUS, '-')} points"


def decimal(value: float) -> str:
    """Return a number as people type it, never like `5e-05`."""
    return f"{Decimal(f'{value:.15g}'):f}"


def money(dollars: float) -> str:
    """Return US dollars; small amounts with more decimals."""
    if dollars == 0:
        return "$0.00"
    if dollars < 0.0001:
        return "<$0.0001"
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def seconds(value: float) -> str:
    """Return a duration: `840 ms`, `1.2 s`, `2 min 05 s`."""
    if value < 0.9995:
        return f"{1000 * value:.0f} ms"
    if value < 59.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes:,} min {rest:02d} s"


def moment(at: str) -> str:
    """Return an ISO 8601 time to the minute, in UTC; other text stays unchanged."""
    try:
        when = datetime.fromisoformat(at)
        when = when.astimezone(UTC) if when.tzinfo else when
    except (ValueError, OverflowError):
        return at
    return when.strftime("%Y-%m-%d %H:%M")


def _no_minus_zero(text: str) -> str:
    return text[1:] if text.startswith("-") and not any(c in "123456789" for c in text) else text
