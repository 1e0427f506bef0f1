"""The quarterly review: versions compared, targets to review, and weights that predict satisfaction."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Any, NamedTuple

from row3.charting.drawing import Estimate, estimates_chart
from row3.domain.judges import Coefficient
from row3.domain.numbers import interval, points
from row3.domain.words import count
from row3.gate.agreement import LEVEL, wilson
from row3.integrations.monitoring.figures import FIGURE, FIGURES, Figure, target_text, value_text
from row3.integrations.monitoring.records import DAY_MS, moment
from row3.integrations.monitoring.tables import NUMBER, Connection, Totals, hourly, total
from row3.integrations.reviews.measures import PROXIES, WEIGHED, read_golden
from row3.integrations.reviews.monthly import rated_records
from row3.integrations.reviews.regression import Sample, propose
from row3.integrations.reviews.report import Cell, Review, Section, figure_cell, number
from row3.project.project import Project
from row3.running.processes import Executor

DAYS = 92
LEAST = 30
"""Minimum records of a version to compare it."""
VERSIONS = 4
"""Maximum versions to compare, the latest ones."""
LEAST_DAYS = 14
"""Minimum days with a figure to review its target."""
OFTEN, LOOSE = 0.5, 0.5
"""Review a target missed on at least this share of days, or of whose room the worst day uses at most this share."""
SAMPLES, TOPICS = 100, 10
"""Minimum records with feedback, and topics, to propose weights."""
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
PER_RECORD = {
    "concepts": "CASE WHEN error IS NULL THEN concepts END",
    "relationships": "CASE WHEN error IS NULL THEN relationships END",
    "confidence": "confidence_sum / nullif(confidences, 0)",
    "latency": "latency_ms",
    "cost": "cost_usd",
    "errors": "CASE WHEN error IS NULL THEN 0 ELSE 1 END",
    "acceptable": "rating",
    "feedback": "score",
    "verified": f"CAST(verified AS {NUMBER}) / nullif(quotes, 0)",
    "ungrounded": f"CAST(ungrounded AS {NUMBER}) / nullif(CASE WHEN ungrounded IS NOT NULL THEN concepts END, 0)",
    "hallucination": f"CAST(canaries AS {NUMBER}) / nullif(CASE WHEN canaries IS NOT NULL THEN concepts END, 0)",
}
"""SQL of each figure for one record."""


class Spread(NamedTuple):
    """A figure over the records of a version."""

    n: int
    mean: float
    variance: float


def quarterly(project: Project, connection: Connection, to_ms: int, executor: Executor | None = None) -> Review:
    """Return the review of the 92 days before a time. Raises `InvalidFile`."""
    from_ms, golden = to_ms - DAYS * DAY_MS, read_golden(project)
    samples = [one for _, one in rated_records(connection, golden, from_ms, to_ms, executor)]
    sections = [
        _versions(connection, from_ms, to_ms),
        targets(hourly(connection, from_ms, to_ms)),
        weights_section({key: each for key, each in golden.suite.rules.weights.items() if key in WEIGHED}, samples),
    ]
    return Review("quarterly", from_ms, to_ms, total(connection, from_ms, to_ms).requests, sections)


def _versions(connection: Connection, from_ms: int, to_ms: int) -> Section:
    """Compare each version with the one before it."""
    each = "count({0}), CAST(avg({0}) AS {1}), CAST(var_samp({0}) AS {1})"
    figures = ", ".join(each.format(sql, NUMBER) for sql in PER_RECORD.values())
    found = connection.rows(
        f"SELECT version, count(*), min(at_ms), max(at_ms), {figures} FROM records LEFT JOIN (SELECT id AS of, "
        "avg(value) FILTER (WHERE kind = 'rating') AS rating, avg(value) FILTER (WHERE kind = 'feedback') AS score "
        "FROM opinions GROUP BY id) o ON of = records.id WHERE version IS NOT NULL AND records.at_ms >= ? AND "
        "records.at_ms < ? GROUP BY version ORDER BY min(at_ms), version",
        [from_ms, to_ms],
    )
    rows, shown = list[Sequence[Any]](), list[Estimate]()
    pairs = list(pairwise([one for one in found if one[1] >= LEAST][-VERSIONS:]))
    for old, new in pairs:
        for place, key in enumerate(PER_RECORD):
            before, after = (Spread(*one[4 + 3 * place : 7 + 3 * place]) for one in (old, new))
            if min(before.n, after.n) >= LEAST:
                moved, name = difference(key, before, after), FIGURE[key].name
                ends = moved.value, moved.low, moved.high
                values = [figure_cell(key, one.mean) for one in (before, after)]
                span = Cell([moved.low, moved.high], f"{_signed(key, moved.low)}…{_signed(key, moved.high)}")
                rows.append([key, name, f"{old[0]} → {new[0]}", *values, moved.value, span, before.n, after.n])
                if before.mean:
                    shown.append(Estimate(f"{name}, {new[0]}", *(100 * each / before.mean for each in ends)))
    heads: dict[str, str | None] = {"figure": None, "name": "mean per record"}
    heads |= {"versions": None if len(pairs) == 1 else "versions", "before": "before", "after": "after"}
    heads |= {"difference": None, "interval": "difference, 95%", "nBefore": None, "n": "n"}
    notes = [f"{each[0]}: {each[1]:,} records, {moment(each[2])[:10]} to {moment(each[3])[:10]}." for each in found]
    if rows:
        notes.append("A difference is due to the version only if requests were split between both at random.")
    empty = f"Fewer than two versions with {LEAST} or more records: nothing to compare."
    caption = "change in per cent of the earlier value, with its 95% interval"
    chart = (lambda: estimates_chart("Changes between versions", caption, shown, 100.0)) if shown else None
    return Section("versions", "Versions side by side", heads, rows, empty, notes[-8:], chart=chart)


def difference(key: str, before: Spread, after: Spread) -> Coefficient:
    """Return the difference of two versions, with its 95% interval.

    Error rates: Newcombe's hybrid of Wilson's intervals (1998, Statistics in Medicine 17, 873-890, method 10). Other
    figures: means with unequal variances, z · √(s₁²/n₁ + s₂²/n₂).
    """
    value = after.mean - before.mean
    if key == "errors":
        (l1, u1), (l2, u2) = (wilson(one.mean * one.n, one.n) for one in (after, before))
        down, up = math.hypot(after.mean - l1, u2 - before.mean), math.hypot(u1 - after.mean, before.mean - l2)
    else:
        down = up = Z * math.sqrt(before.variance / before.n + after.variance / after.n)
    return Coefficient(value, value - down, value + up)


def _signed(key: str, value: float) -> str:
    value = round(value, 9)  # sums of the same values differ in their last digits
    return f"{'−' if value < 0 else '+' if value else ''}{value_text(FIGURE[key], abs(value))}"


def targets(hours: Mapping[int, Totals]) -> Section:
    """Return the figures that miss their target on most days, and those that never come near it."""
    days, rows = defaultdict[int, Totals](Totals), list[Sequence[Any]]()
    for at_ms, totals in hours.items():
        days[at_ms // DAY_MS] += totals
    for figure in FIGURES:
        values = [value for each in days.values() if (value := figure.value(each)) is not None]
        if len(values) < LEAST_DAYS or figure.low is figure.high is None:
            continue
        missed = sum(figure.met(value) is False for value in values)
        worst = max(values, key=lambda value: room_used(figure, value))
        far = missed >= OFTEN * len(values)
        if far or room_used(figure, worst) <= LOOSE:
            advice = "missed on most days" if far else "never near"
            shown = [figure.name, target_text(figure), figure_cell(figure.key, worst)]
            rows.append([figure.key, *shown, missed, len(values), advice])
    heads: dict[str, str | None] = {"figure": None, "name": "figure", "target": "target", "worst": "worst day"}
    heads |= {"missed": "days missed", "days": "of", "advice": ""}
    empty = f"No target is far from production (figures with {LEAST_DAYS} or more days)."
    return Section("targets", "Targets to review", heads, rows, empty)


def room_used(figure: Figure, value: float) -> float:
    """Return the share of a target's room that a value uses: 0 is the best value, above 1 misses the target."""
    if figure.low is not None and figure.high is not None:
        return abs(2 * value - figure.low - figure.high) / (figure.high - figure.low)
    if figure.high is not None:
        return value / figure.high
    best = 5.0 if figure.unit == "of 5" else 1.0
    return (best - value) / (best - (figure.low or 0.0))


def weights_section(today: Mapping[str, float], samples: Sequence[Sample]) -> Section:
    """Return today's weights of the composite, and those proposed by regression on satisfaction."""
    whole, kind = [each for each in samples if today.keys() <= each.metrics.keys()], "by golden cases"
    if len(whole) < SAMPLES:
        known = ({PROXIES[key]: value for key, value in each.metrics.items() if key in PROXIES} for each in samples)
        proxies = [{"hallucinationRate": 0.0, **each} for each in known]  # no canaries, no penalty
        renamed = [each._replace(metrics=metrics) for each, metrics in zip(samples, proxies, strict=True)]
        whole, kind = [each for each in renamed if today.keys() <= each.metrics.keys()], "by proxies of golden cases"
    topics, found, notes = len({each.topic for each in whole}), None, list[str]()
    empty = f"No metric predicts satisfaction in {count(len(whole), 'record')} {kind}: keep today's weights."
    if len(whole) < SAMPLES or topics < TOPICS:
        has = f"{count(len(whole), 'record')} with feedback and every metric, over {count(topics, 'topic')}"
        empty = f"Too little data: {has}; {SAMPLES} over {TOPICS} are needed."
    elif (found := propose(whole, today)) is not None:
        gain = f"{points(found.gain.estimate)} points of variance ({interval(found.gain.low, found.gain.high)})"
        notes = [f"Cross-validated gain over today's: {gain}, n = {found.n:,} records {kind}."]
        advice = "Nothing is applied; to try them, set them as weights of the suite in row3.toml."
        notes.append(advice if found.gain.low > 0 else "The gain may be noise: keep today's weights.")
    proposed = {} if found is None else found.weights
    rows = [[key, number(today[key]), number(weight)] for key, weight in proposed.items()]
    heads = {"metric": "metric", "weight": "today", "proposed": "proposed"}
    return Section("weights", "Weights of the composite", heads, rows, empty, notes)
