"""The weekly review, one page: trends, the worst of the sample, unhappy users, errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from row3.charting.drawing import Panel, days_chart
from row3.domain.numbers import percent
from row3.domain.printable import shorten
from row3.domain.words import count
from row3.integrations.monitoring.alerts import alerts, unevaluated
from row3.integrations.monitoring.figures import FIGURE
from row3.integrations.monitoring.records import DAY_MS, moment
from row3.integrations.monitoring.rows import stored_records
from row3.integrations.monitoring.tables import Connection, Totals, by_group, total
from row3.integrations.reviews.measures import measured, proxy_composite, read_golden
from row3.integrations.reviews.report import Cell, Review, Section, figure_cell, number
from row3.metrics.ratios import best_score
from row3.project.project import Project
from row3.running.processes import Executor

DAYS = 7
ALERTS, WORST, PATTERNS, ERRORS = 4, 5, 3, 3
"""Maximum rows of each list, so that the review fits on one page."""
LEAST = 3
"""Minimum scores to judge a topic, a concept or a version."""


def weekly(project: Project, connection: Connection, to_ms: int, executor: Executor | None = None) -> Review:
    """Return the review of the seven days before a time. Raises `InvalidFile`."""
    from_ms = to_ms - DAYS * DAY_MS
    now = total(connection, from_ms, to_ms)
    lowest = _lowest(project, connection, from_ms, to_ms, executor)
    feedback, errors = _feedback(connection, now, from_ms, to_ms), _errors(connection, now, from_ms, to_ms)
    sections = [_days(connection, to_ms), _alerts(project, connection, from_ms, to_ms), lowest, feedback, errors]
    return Review("weekly", from_ms, to_ms, now.requests, sections)


def _days(connection: Connection, to_ms: int) -> Section:
    begins = range(to_ms - 2 * DAYS * DAY_MS, to_ms, DAY_MS)
    found = [total(connection, begin, begin + DAY_MS) for begin in begins]
    rows: list[list[Any]] = []
    for begin, before, now in zip(begins[DAYS:], found[:DAYS], found[DAYS:], strict=True):
        cells = [figure_cell(key, FIGURE[key].value(one)) for key in ("errors", "latencyP95") for one in (now, before)]
        rows.append([moment(begin)[:10], now.requests, *cells])
    heads = {"day": "day", "records": "records", "errors": "errors", "errorsBefore": "week before"}
    heads |= {"latencyP95": "p95", "latencyP95Before": "week before"}

    def chart() -> bytes:
        columns = [[each and each.value for each in column] for column in list(zip(*rows, strict=True))[2:]]
        panels = [Panel("Errors, fraction of 1", *columns[:2]), Panel("Latency p95, ms", *columns[2:])]
        return days_chart("Errors and latency by day", [row[0] for row in rows], panels)

    known = rows if any(each.requests for each in found) else []
    return Section("days", "Errors and latency by day", heads, known, "No records in two weeks.", chart=chart)


def _alerts(project: Project, connection: Connection, from_ms: int, to_ms: int) -> Section:
    settings = project.config.monitor.alerts
    found = alerts(connection, settings, from_ms, to_ms)
    found.sort(key=lambda each: (each.condition.severity, -each.from_ms))
    rows = []
    for each in found[:ALERTS]:
        key, end = each.condition.figure, "ongoing" if each.to_ms is None else moment(each.to_ms)[:16]
        values = [figure_cell(key, each.value), figure_cell(key, each.threshold)]
        rows.append([key, each.condition.severity, moment(each.from_ms)[:16], end, *values])
    heads = {"condition": "alert", "severity": "", "from": "from", "to": "to", "value": "value", "threshold": "limit"}
    more = f"{len(found) - ALERTS:,} more: row3 monitor alerts --since {moment(from_ms)[:10]}"
    notes = [each.text for each in unevaluated(connection, settings, from_ms, to_ms)]
    return Section("alerts", "Alerts", heads, rows, "No alerts.", [*[more] * (len(found) > ALERTS), *notes])


def _lowest(project: Project, connection: Connection, from_ms: int, to_ms: int, executor: Executor | None) -> Section:
    golden, scored = read_golden(project), list[tuple[float, str, list[Any]]]()
    answered = [each for each in stored_records(connection, from_ms, to_ms, "sampled") if each.error is None]
    for each, known in zip(answered, measured(answered, golden, executor, by_cases=False), strict=True):
        if (score := proxy_composite(known, golden)) is not None:
            rates = [Cell(value, percent(value)) for value in (score, known["verified"], known["grounded"])]
            head = [Cell(each.id, shorten(each.id, 36)), Cell(each.topic, shorten(each.topic, 14)), each.version]
            expert = each.acceptable / each.ratings if each.ratings else None
            scored.append((score, each.id, [*head, *rates, known.get("canaries"), expert]))
    heads = {"id": "record", "topic": "topic", "version": None, "score": "score", "verified": "quoted"}
    heads |= {"grounded": "in text", "canaries": None, "acceptable": None}
    top = percent(best_score(golden.suite.rules.weights))
    note = f"Of {count(len(scored), 'sampled record')}; the composite without golden cases, at most {top}."
    empty = "No sampled record of these days has a source text, so none could be scored."
    worst = [row for *_, row in sorted(scored, key=lambda each: each[:2])[:WORST]]
    return Section("lowest", "Lowest-scoring of the sample", heads, worst, empty, [note] if scored else [])


def _feedback(connection: Connection, now: Totals, from_ms: int, to_ms: int) -> Section:
    """Return topics, versions and concepts below the mean, those first that cost most points."""
    mean, rows = FIGURE["feedback"].value(now) or 0.0, list[Sequence[Any]]()
    for group in ("topic", "version"):
        totals = by_group(connection, group, from_ms, to_ms).items()
        rows += worst_rated(group, [(name, each.scores, each.score_sum) for name, each in totals], mean)
    concepts = connection.rows(
        "SELECT o.concept, count(*), sum(o.value) FROM opinions o JOIN records ON records.id = o.id WHERE "
        "o.kind = 'feedback' AND o.concept IS NOT NULL AND records.at_ms >= ? AND records.at_ms < ? GROUP BY 1",
        [from_ms, to_ms],
    )
    rows += worst_rated("concept", concepts, mean)
    heads = {"name": "worst rated", "of": "", "points": "points of 5", "n": "n"}
    scores = count(now.scores, "score")
    empty = f"No pattern in {scores}: nothing with {LEAST} or more is below the mean of {mean:.2f}."
    notes = [f"The mean of {scores} is {mean:.2f}. Sorted by points lost against it."] if rows else []
    empty = empty if now.scores else "No feedback on records of these days."
    return Section("feedback", "Feedback", heads, rows, empty, notes)


def worst_rated(of: str, groups: Sequence[tuple[Any, ...]], mean: float) -> list[Sequence[Any]]:
    """Return groups (name, number of scores, their sum) below the mean, by n · (mean - their mean), highest first."""
    below = [each for each in groups if each[0] and each[1] >= LEAST and each[2] < each[1] * mean - 1e-9]
    below.sort(key=lambda each: (each[2] - each[1] * mean, each[0]))
    return [(name, of, number(points / n), n) for name, n, points in below[:PATTERNS]]


def _errors(connection: Connection, now: Totals, from_ms: int, to_ms: int) -> Section:
    found = connection.rows(
        "SELECT error, count(*), min(id) FROM records WHERE error IS NOT NULL AND at_ms >= ? AND at_ms < ? "
        "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        [from_ms, to_ms, ERRORS],
    )
    left = now.errors - sum(n for _, n, _ in found)
    notes = [f"{count(left, 'failed record')} with other messages."] if left else []
    heads = {"error": "error", "n": "n", "id": None}
    return Section("errors", "Most frequent errors", heads, found, "No record failed.", notes)
