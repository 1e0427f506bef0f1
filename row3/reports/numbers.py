"""All formatting of numbers: one place, so that a value reads the same in every report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from row3.domain import counts
from row3.domain.changes import cut
from row3.domain.judges import Rate
from row3.domain.metrics import Metric, Threshold

SILENCE_S = 5.0
"""Seconds without an answer from which on a person wonders."""
count = counts.count
LEAST_MOVE = 5e-4
"""A smaller move rounds to 0.0 points."""
MINUS = "−"
"""On screens; files that are read by programs have a plain hyphen."""


def percent(value: float, *, beside: Iterable[float] = ()) -> str:
    """A fraction as per cent with one decimal; more where rounding would put it on a limit it does not hold."""
    limits = list(beside)
    for digits in (1, 2, 3):
        text = f"{value:.{digits}%}"
        if not any(abs(value - limit) > 1e-9 and text == f"{limit:.{digits}%}" for limit in limits):
            break
    return _no_minus_zero(text).replace("-", MINUS)


def bare(value: float) -> str:
    """Per cent without the sign, for narrow columns."""
    return percent(value)[:-1]


def compact(value: float) -> str:
    """A limit or a changelog value: `70%`, `69.9%`; a decimal only where there is one."""
    return _no_minus_zero(f"{round(100 * value, 1):g}%")


def limit(threshold: float, metric: Metric) -> str:
    """Where a zone begins: `≥70%`, `≤2%`, `0%`."""
    if not metric.higher_is_better and threshold <= 0:
        return "0%"
    return f"{'≥' if metric.higher_is_better else '≤'}{compact(threshold)}"


def limit_texts(threshold: Threshold, metric: Metric) -> list[str]:
    """Minimum, target, excellent; a minimum that only warns in brackets, a dash where there is none."""
    minimum, *others = (limit(each, metric) for each in limits_of(threshold))
    if not (threshold.minimum > 0 if metric.higher_is_better else threshold.minimum < 1):  # every value is above it
        return ["–", *others]
    return [minimum if threshold.blocking else f"({minimum})", *others]


def limits_of(threshold: Threshold | None) -> tuple[float, ...]:
    """The three limits as numbers; none of none."""
    return () if threshold is None else (threshold.minimum, threshold.target, threshold.excellent)


def points(delta: float) -> str:
    """A difference of fractions in percentage points: `+4.2`, `−1.3`, `0.0`."""
    text = f"{100 * delta:+.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", MINUS)


def drop_points(drop: float) -> str:
    """A drop in percentage points with one decimal, or more for tiny ones; `>100` beyond what is possible."""
    shown = 100 * drop
    return ">100" if drop > 1.0 else f"{shown:.1f}" if shown >= 0.05 else f"{shown:.1g}"


def moved(before: float, after: float) -> str:
    """Both values and their difference: `85.0% → 74.1% (−10.9 points)`."""
    return f"{percent(before)} → {percent(after)} ({points(after - before)} points)"


def interval(low: float, high: float) -> str:
    """Both ends of a difference in percentage points, cut at −100 and +100: `+2.7…+9.1`."""
    return "…".join(points(end) for end in cut(low, high))


def ends(rate: Rate) -> str:
    """Both ends of a share's interval, per cent without the sign: `0.5…15.3`."""
    return f"{bare(rate.low)}…{bare(rate.high)}"


def p_value(p: float) -> str:
    """A p-value as tables spell it: `.044`, `<.001`, `1.00`."""
    if p < 0.001:
        return "<.001"
    return f"{p:.2f}" if p >= 0.995 else f"{p:.3f}"[1:]


def changelog_delta(delta: float) -> str:
    """A difference as the changelog spells it: `+4.0 points`, `-1.3 points`, `0.0 points`."""
    return f"{points(delta).replace(MINUS, '-')} points"


def money(dollars: float) -> str:
    """US dollars; small amounts with the decimals that matter."""
    if dollars == 0:
        return "$0.00"
    if dollars < 0.0001:
        return "<$0.0001"
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def seconds(value: float) -> str:
    """A duration: `840 ms`, `1.2 s`, `2 min 05 s`."""
    if value < 0.9995:
        return f"{1000 * value:.0f} ms"
    if value < 59.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes:,} min {rest:02d} s"


@dataclass(slots=True)
class Progress:
    """How far a run is; times are seconds of one clock."""

    began: float
    last_case: float
    last_answer: float
    total: int | None = None
    """Cases in all; None if they are not counted yet."""
    done: int = 0
    failed: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    """None where a price is unknown, which is said of the finished run."""

    def text(self, now: float) -> str:
        """Return cases, failures, tokens and cost so far, and how long the rest takes, or how long nothing came."""
        parts = [count(self.done, "case") if self.total is None else f"{self.done:,} of {count(self.total, 'case')}"]
        parts += [f"{self.failed:,} failed"] if self.failed else []
        parts += [f"{self.tokens:,} tokens"] if self.tokens else []
        parts += [money(self.usd)] if self.usd else []
        silent = now - self.last_answer
        if silent >= SILENCE_S:
            parts.append(f"waiting for an answer, {whole_seconds(silent)}")
        elif self.total is not None and 1 < self.done < self.total:
            left = (self.last_case - self.began) / self.done * (self.total - self.done) - (now - self.last_case)
            parts += [f"about {whole_seconds(max(left, 1.0))} left"] if left > 0 else []
        return " · ".join(parts)


def whole_seconds(value: float) -> str:
    """A duration for eyes that only glance: `8 s`, `2 min 05 s`."""
    whole = round(value)
    return f"{whole} s" if whole < 60 else seconds(whole)


def moment(at: str) -> str:
    """An ISO 8601 time to the minute, in UTC; what is no time stays as it is."""
    try:
        when = datetime.fromisoformat(at)
        when = when.astimezone(UTC) if when.tzinfo else when
    except (ValueError, OverflowError):
        return at
    return when.strftime("%Y-%m-%d %H:%M")


def _no_minus_zero(text: str) -> str:
    return text[1:] if text.startswith("-") and not any(c in "123456789" for c in text) else text
