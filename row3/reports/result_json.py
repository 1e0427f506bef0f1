"""`--format json`: the documented schema (docs/formats.md), in pieces, so that results of any size fit in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from row3.domain.manifests import tier_of
from row3.domain.metrics import by_other_names, warning_only
from row3.domain.runs import Header
from row3.gate.agreement import LEVEL
from row3.gate.power import Sensitivity
from row3.gate.results import RESULT_VERSION, Comparison, Run, SuiteResult, SuitesReport
from row3.metrics.aggregate import tally_json
from row3.reports.comparison import differences
from row3.reports.json_values import drift_json, interval_json, json_fields, quarantine_json
from row3.reports.judges import judges_json
from row3.reports.match_counts import bounds_json
from row3.reports.reason_text import reason_text, words_of
from row3.reports.suites import problem_of

LINES_AT_ONCE = 64


def result_json(result: SuiteResult) -> Iterator[bytes]:
    """Yield a suite's result; `cases` are the run's details unchanged, one a line. A suite without a run has none.

    Metrics, deltas and pooled values are fractions; a delta is current minus baseline over the cases both answer.
    """
    if result.run is None:
        value = {"schemaVersion": RESULT_VERSION, "suite": result.suite, "verdict": None, "problem": problem_of(result)}
        if result.judgement is not None:
            value["verdict"] = result.judgement.verdict.word
        yield json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
        return
    value = _head(result.run, result.declines)
    if result.comparison is not None:
        value |= _judged(result.comparison)
    head = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1, default=_plain)
    yield f'{head.removesuffix("}").rstrip()},\n "cases": ['.encode("utf-8", "backslashreplace")
    empty = True
    for piece in joined(result.run.details):
        yield b"\n" + piece if empty else piece
        empty = False
    yield b"]\n}\n" if empty else b"\n]}\n"


def suites_json(report: SuitesReport) -> Iterator[bytes]:
    """Yield several results in one document: `verdict` (null if nothing was judged), `exitCode`, `suites`."""
    standings = {result.suite: result.standing for result in report.results if result.standing != "none"}
    head = {
        "schemaVersion": RESULT_VERSION,
        "verdict": report.verdict.word if report.judged else None,
        "exitCode": report.exit_code,
        "standings": standings,
    }
    yield f'{json.dumps(head, ensure_ascii=False, indent=1).removesuffix("}").rstrip()},\n"suites": ['.encode()
    between = b"\n"
    for result in report.results:
        yield between
        held = b""
        for piece in result_json(result):
            yield held
            held = piece
        yield held.rstrip(b"\n")  # a comma follows
        between = b",\n"
    yield b"\n]}\n"


def joined(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines, joined by a comma and a line end, in few large pieces."""
    left, between = iter(lines), b""
    while some := list(islice(left, LINES_AT_ONCE)):
        yield between + b",\n".join(some)
        between = b",\n"


def _head(run: Run, declines: int) -> dict[str, Any]:
    header = run.header
    value: dict[str, Any] = {
        "schemaVersion": RESULT_VERSION,
        "suite": run.suite.name,
        **json_fields(header, "mode", "prompts", "model", "metrics"),
        "intervals": {
            key: {"low": rate.low, "high": rate.high, "level": LEVEL, "units": rate.count}
            for key, rate in run.rates.items()
        },
        "zones": {key: zone.word for key, zone in run.zones.items()},
        "deltas": {},
        "verdict": None,
        "reasons": [],
        "usage": header.usage,
        "tier": tier_of(header.mode),
        **json_fields(header, "run_id", "at", "repeats", "pooled", "denominators"),
        "complete": not run.failed,
        "skipped": {key: dict(reasons) for key, reasons in run.skipped.items()},
        "bounds": bounds_json(run),
        **quarantine_json(run.quarantine),
        "failed": list(run.failed),
        "badAnswers": list(run.bad),
        "declines": declines,
        **judges_json(run),
    }
    if run.tally:
        value["matchCounts"] = tally_json(run.tally, run.suite.rules.predicates)
    if warns := warning_only(run.suite.rules.thresholds):
        value["warningOnly"] = sorted(warns)
    if entities := by_other_names(run.suite.kind.metrics, header.metrics):
        value["entityMetrics"] = entities
    return value


def _judged(comparison: Comparison) -> dict[str, Any]:
    words = words_of(comparison)
    complete = comparison.judgement.complete and not comparison.run.failed
    value: dict[str, Any] = {
        "intervals": {
            change.key: interval_json(change.interval) for change in comparison.metrics if change.interval is not None
        },
        "deltas": {change.key: change.delta for change in comparison.metrics if change.delta is not None},
        "verdict": comparison.verdict.word if complete else None,
        "reasons": [
            {
                "code": reason.code.value,
                "verdict": reason.verdict.word,
                "subject": reason.subject,
                "figures": dict(reason.figures),
                "after": reason.after,
                "text": reason_text(reason, words),
            }
            for reason in comparison.reasons
        ],
        "complete": complete,
        **json_fields(comparison, "blocked", "compared", "moves"),
        "baseline": _baseline(comparison.baseline, comparison.against),
        "differs": [f"{name}: {text}" for name, text in differences(comparison.baseline, comparison.run.header)],
        **live_json(comparison),
    }
    if comparison.tallies[0]:
        known = comparison.run.suite.rules.predicates
        sides = zip(("baseline", "current"), comparison.tallies, strict=True)
        value["matchMoves"] = {name: tally_json(tally, known) for name, tally in sides}
    if (seen := comparison.sensitivity) is not None:
        value["sensitivity"] = _sensitivity(seen)
    if (approval := comparison.approval) is not None:
        value["approval"] = json_fields(approval, "reason", "by", "at")
    return value


def _sensitivity(seen: Sensitivity) -> dict[str, Any]:
    return {
        "metric": seen.metric,
        "cases": seen.variance.cases,
        "repeats": seen.variance.repeats,
        "smallestDrop": seen.smallest_drop,
        "wantedDrop": seen.wanted,
        "casesNeeded": seen.needs_cases.count,
        "repeatsNeeded": seen.needs_repeats.count,
        "detected": "blocked" if seen.blocks else "seen",
    }


def _baseline(base: Header, against: str | None) -> dict[str, Any]:
    value = json_fields(base, "run_id", "at", "mode", "prompts", "model", "metrics") | {"tier": tier_of(base.mode)}
    return value if against is None else value | {"against": against}


def _plain(value: Any) -> Any:
    """Return a set as a sorted list, anything else as text."""
    return sorted(value) if isinstance(value, set | frozenset) else str(value)


def live_json(comparison: Comparison) -> dict[str, Any]:
    """Return how a comparison was asked; empty if it asked nothing."""
    value: dict[str, Any] = {}
    if comparison.interleaved:
        value["interleaved"] = True
    if (drift := comparison.drift) is not None:
        value["drift"] = drift_json(drift)
    if (progress := comparison.adaptive) is not None:
        value["adaptive"] = {
            **json_fields(progress, "rounds", "cases", "stop", "repeated", "changed"),
            "maxRounds": progress.most,
            "meanDifference": progress.mean,
            "capitalLoss": min(progress.loss, 1e300),
            "capitalWithin": min(progress.within, 1e300),
            "casesNeeded": progress.needs,
        }
    return value
