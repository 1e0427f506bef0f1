"""`--format json`: the documented schema (docs/formats.md), in pieces, so that results of any size fit in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any

from row3.domain.judgements import Code
from row3.domain.runs import tier_of
from row3.domain.scores import by_other_names, warning_only
from row3.gate.agreement import LEVEL
from row3.gate.power import Sensitivity
from row3.gate.result_model import RESULT_VERSION, BaselineResult, ReasonResult, Result, Results, SuiteEntry
from row3.gate.results import Comparison, Run, SuiteResult, SuitesReport
from row3.metrics.aggregate import tally_json
from row3.reports.differences import differences
from row3.reports.json_values import drift_json, interval_json, json_fields, quarantine_json
from row3.reports.judges import family_lines, judges_json
from row3.reports.match_counts import bounds_json
from row3.reports.reason_text import reason_text, words_of
from row3.reports.suites import problem_of

LINES_AT_ONCE = 64


def result_json(result: SuiteResult) -> Iterator[bytes]:
    """Yield a suite's result; `cases` are the run's details unchanged, one a line. A suite without a run has none.

    Metrics, deltas and pooled values are fractions; a delta is current minus baseline over the cases both answer.
    """
    if result.run is None:
        verdict = None if result.judgement is None else result.judgement.verdict.word
        entry = SuiteEntry(
            schema_version=RESULT_VERSION, suite=result.suite, verdict=verdict, problem=problem_of(result)
        )
        yield json.dumps(entry.model_dump(), ensure_ascii=False).encode("utf-8", "backslashreplace")
        return
    value = result_of(result.run, result.comparison, result.declines).model_dump(exclude_defaults=True)
    del value["cases"]
    head = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1, default=_plain)
    yield f'{head.removesuffix("}").rstrip()},\n "cases": ['.encode("utf-8", "backslashreplace")
    empty = True
    for piece in joined(result.run.details):
        yield b"\n" + piece if empty else piece
        empty = False
    yield b"]\n}\n" if empty else b"\n]}\n"


def suites_json(report: SuitesReport) -> Iterator[bytes]:
    """Yield several results in one document: `verdict` (null if nothing was judged), `exitCode`, `suites`."""
    head = Results(
        schema_version=RESULT_VERSION,
        verdict=report.verdict.word if report.judged else None,
        exit_code=report.exit_code,
        standings={result.suite: result.standing for result in report.results if result.standing != "none"},
        suites=[],
    ).model_dump(exclude={"suites"})
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


def result_of(run: Run, comparison: Comparison | None, declines: int = 0) -> Result:
    """Return a run, or its comparison with the base, as it is written, without its cases."""
    header, rules = run.header, run.suite.rules
    judges, quarantine = judges_json(run), quarantine_json(run.quarantine)
    result = Result(
        schema_version=RESULT_VERSION,
        suite=run.suite.name,
        mode=header.mode,
        prompts=dict(header.prompts),
        model=header.model,
        metrics=header.metrics,
        intervals={
            key: {"low": rate.low, "high": rate.high, "level": LEVEL, "units": rate.count}
            for key, rate in run.rates.items()
        },
        zones={key: zone.word for key, zone in run.zones.items()},
        deltas={},
        verdict=None,
        reasons=[],
        usage=header.usage,
        tier=tier_of(header.mode),
        run_id=header.run_id,
        at=header.at,
        repeats=header.repeats,
        shard="" if header.shard is None else str(header.shard),
        pooled=header.pooled,
        denominators=header.denominators,
        complete=not run.failed,
        skipped={key: dict(reasons) for key, reasons in run.skipped.items()},
        bounds=bounds_json(run),
        quarantined=quarantine["quarantined"],
        quarantine_expired=quarantine.get("quarantineExpired", []),
        quarantine_waiting=quarantine.get("quarantineWaiting", []),
        failed=list(run.failed),
        bad_answers=list(run.bad),
        declines=declines,
        judges=judges,
        judge_family="".join(family_lines(run)[:1]) if judges else "",
        match_counts=tally_json(run.tally, rules.predicates),
        warning_only=sorted(warning_only(rules.thresholds)),
        entity_metrics=by_other_names(run.suite.kind.metrics, header.metrics),
        cases=[],
    )
    return result if comparison is None else _compared(result, comparison)


def _compared(result: Result, comparison: Comparison) -> Result:
    words, base, predicates = words_of(comparison), comparison.baseline, comparison.run.suite.rules.predicates
    before, now = (tally_json(each, predicates) for each in comparison.tallies)
    seen, approval = comparison.sensitivity, comparison.approval
    return result.replace(
        intervals={
            change.key: interval_json(change.interval) for change in comparison.metrics if change.interval is not None
        },
        deltas={change.key: change.delta for change in comparison.metrics if change.delta is not None},
        verdict=comparison.verdict.word if comparison.complete else None,
        reasons=[
            ReasonResult(
                code=reason.code.value,
                verdict=reason.verdict.word,
                subject=reason.subject,
                figures=dict(reason.figures),
                after=reason.after,
                text=reason_text(reason, words),
            )
            for reason in comparison.reasons
        ],
        complete=comparison.complete,
        blocked=comparison.blocked,
        compared=comparison.compared,
        moves=dict(comparison.moves),
        baseline=BaselineResult(
            run_id=base.run_id,
            at=base.at,
            mode=base.mode,
            prompts=dict(base.prompts),
            model=base.model,
            metrics=dict(base.metrics),
            tier=tier_of(base.mode),
            against=comparison.against,
        ),
        differs=[f"{name}: {text}" for name, text in differences(base, comparison.run.header)],
        interleaved=comparison.interleaved,
        drift=None if comparison.drift is None else drift_json(comparison.drift),
        noise={change.key: change.noise for change in comparison.metrics if change.noise},
        unconfirmed=[reason.subject for reason in comparison.reasons if reason.code is Code.UNCONFIRMED],
        confirmation=None if comparison.confirmation is None else asdict(comparison.confirmation),
        match_moves={"baseline": before, "current": now} if before else {},
        figures={each.key: each.as_json() for each in comparison.figures},
        sensitivity=None if seen is None else _sensitivity(seen),
        approval=None if approval is None else json_fields(approval, "reason", "by", "at"),
    )


def _sensitivity(seen: Sensitivity) -> dict[str, Any]:
    return {
        "metric": seen.metric,
        **json_fields(seen.variance, "cases", "repeats"),
        "smallestDrop": seen.smallest_drop,
        "wantedDrop": seen.wanted,
        "casesNeeded": seen.needs_cases.count,
        "repeatsNeeded": seen.needs_repeats.count,
        "detected": "blocked" if seen.blocks else "seen",
    }


def _plain(value: Any) -> Any:
    """Return a set as a sorted list, anything else as text."""
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
