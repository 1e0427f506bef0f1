"""`--format json`: the documented schema (DESIGN, "Command line"), piece by piece, so that many cases fit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from row3.domain.intervals import Interval
from row3.domain.tiers import tier_of
from row3.domain.verdicts import Reason
from row3.gate.power import Sensitivity
from row3.gate.zones import warning_only
from row3.metrics.extraction import entity_metrics
from row3.reports.bounds_text import bounds_json
from row3.reports.match_counts import tally_json
from row3.reports.model import ComparisonView, HeaderView, RunView
from row3.reports.model_run import JoinedLines, Lines
from row3.reports.quarantine_text import quarantine_json

SCHEMA_VERSION = 1


def result_json(run: RunView, comparison: ComparisonView | None = None, *, declines: int = 0) -> Iterator[bytes]:
    """The text of a result; `cases` are the run's details as they are, one a line.

    Metrics, deltas and pooled values are fractions; a delta is current minus baseline, over the cases both runs have.
    """
    head = json.dumps(_head(run, comparison, declines), ensure_ascii=False, allow_nan=False, indent=1)
    yield f'{head.removesuffix("}").rstrip()},\n "cases": ['.encode("utf-8", "backslashreplace")
    empty = True
    for piece in joined(run.details):
        yield b"\n" + piece if empty else piece
        empty = False
    yield b"]\n}\n" if empty else b"\n]}\n"


def joined(lines: Lines) -> Iterator[bytes]:
    """The lines with a comma and a line end between them."""
    if isinstance(lines, JoinedLines):
        yield from lines.joined()
        return
    between = b""
    for line in lines:
        yield between + line
        between = b",\n"


def _head(run: RunView, comparison: ComparisonView | None, declines: int) -> dict[str, Any]:
    header = run.header
    value: dict[str, Any] = {
        "schemaVersion": SCHEMA_VERSION,
        "suite": run.suite.name,
        "mode": header.mode,
        "prompts": dict(header.prompts),
        "model": header.model,
        "metrics": dict(header.metrics),
        "intervals": {},
        "zones": {key: zone.word for key, zone in run.zones.items()},
        "deltas": {},
        "verdict": None,
        "reasons": [],
        "usage": dict(header.usage),
        "tier": tier_of(header.mode),
        "runId": header.run_id,
        "at": header.at,
        "repeats": header.repeats,
        "complete": not run.collected.failed,
        "pooled": dict(header.pooled),
        "denominators": dict(header.denominators),
        "skipped": {key: dict(reasons) for key, reasons in run.collected.skipped.items()},
        "bounds": bounds_json(run),
        **quarantine_json(run.quarantine),
        "failed": list(run.collected.failed),
        "badAnswers": list(run.collected.bad),
        "declines": declines if comparison is None else comparison.declines,
    }
    if run.collected.tally:
        value["matchCounts"] = tally_json(run.collected.tally, run.suite.rules.predicates)
    if warns := warning_only(run.suite.rules.thresholds):
        value["warningOnly"] = sorted(warns)
    if entities := entity_metrics(header.metrics):
        value["entityMetrics"] = entities
    return value if comparison is None else value | _judged(comparison)


def _judged(comparison: ComparisonView) -> dict[str, Any]:
    value: dict[str, Any] = {
        "intervals": {
            change.key: interval_json(change.interval) for change in comparison.metrics if change.interval is not None
        },
        "deltas": {change.key: change.delta for change in comparison.metrics if change.delta is not None},
        "verdict": comparison.verdict.word,
        "reasons": [_reason(reason) for reason in comparison.reasons],
        "blocked": comparison.blocked,
        "baseline": _baseline(comparison.baseline, comparison.against),
        "compared": comparison.compared,
        "rescored": comparison.rescored,
        "moves": dict(comparison.moves),
        "differs": list(comparison.differs),
    }
    if comparison.tallies[0]:
        known = comparison.run.suite.rules.predicates
        sides = zip(("baseline", "current"), comparison.tallies, strict=True)
        value["matchMoves"] = {name: tally_json(tally, known) for name, tally in sides}
    if (seen := comparison.sensitivity) is not None:
        value["sensitivity"] = _sensitivity(seen)
    if (approval := comparison.approval) is not None:
        value["approval"] = {"reason": approval.reason, "by": approval.by, "at": approval.at}
    return value


def interval_json(interval: Interval) -> dict[str, float]:
    """Of the delta: a fraction like it."""
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "pValue": interval.p_value,
        "standardError": interval.standard_error,
        "df": interval.df,
        "units": interval.units,
    }


def _sensitivity(seen: Sensitivity) -> dict[str, Any]:
    """What this many cases can see; drops are fractions."""
    return {
        "metric": seen.metric,
        "cases": seen.cases,
        "repeats": seen.repeats,
        "smallestDrop": seen.sees,
        "wantedDrop": seen.wanted,
        "casesNeeded": seen.needs_cases.count,
        "repeatsNeeded": seen.needs_repeats.count,
        "detected": "blocked" if seen.blocks else "seen",
    }


def _reason(reason: Reason) -> dict[str, str]:
    value = {"verdict": reason.verdict.word, "text": reason.text}
    if reason.metric is not None:
        value["metric"] = reason.metric
    if reason.case_id is not None:
        value["case"] = reason.case_id
    return value


def _baseline(header: HeaderView, against: str | None) -> dict[str, Any]:
    value: dict[str, Any] = {
        "runId": header.run_id,
        "at": header.at,
        "mode": header.mode,
        "tier": tier_of(header.mode),
        "prompts": dict(header.prompts),
        "model": header.model,
        "metrics": dict(header.metrics),
    }
    return value | ({} if against is None else {"against": against})
