"""`row3 flaky`: cases whose score varies between answers to the same request."""

from __future__ import annotations

from typing import Any

from row3.domain import numbers
from row3.gate.flakiness import FLIPS, LEAST, NOISE, FlakyCase, FlakyReport
from row3.reports.document import Block, Document, Note, Span, Table, Text, Title, more
from row3.reports.headline import some
from row3.reports.json_fields import json_fields
from row3.reports.quarantine_text import quarantine_json, quarantine_note

SHOWN = 30
NAMED = 5
HEADS = ("case", "n", "low…high", "± one", "flips", "verdict")


def flaky_document(report: FlakyReport, *, verbose: bool = False) -> Document:
    """Return the flaky, steady and unknown cases; all of them if verbose."""
    head: list[Text] = [f"{report.suite} · {report.setting}"]
    if not report.own:
        head.append("Not the current versions: their cases were asked only once. --prompt selects others.")
    shown = report.cases if verbose else report.cases[:SHOWN]
    blocks: list[Block] = [Note(head), _counts(report)]
    if shown:
        held = {entry.case_id for entry in report.quarantine.active}
        rows = [_row(case, quarantined=case.case_id in held) for case in shown]
        blocks.append(Table(HEADS, rows, "lrrrrl", more=more(len(report.cases) - len(shown))))
    return Document(
        [*blocks, *(Note([text]) for text in _notes(report)), quarantine_note(report.quarantine), _next(report)]
    )


def _counts(report: FlakyReport) -> Block:
    if not _asked_again(report):
        return Note(
            [f"No case has two answers, so nothing is known. To find out: row3 --repeats 3 --mode record{report.flag}"]
        )
    flaky, steady = (sum(case.verdict == word for case in report.cases) for word in ("flaky", "steady"))
    cases = len(report.cases) + len(report.unknown)
    unknown = cases - flaky - steady
    return Title(f"{numbers.count(cases, 'case')}: {flaky:,} flaky, {steady:,} steady, {unknown:,} unknown")


def _asked_again(report: FlakyReport) -> bool:
    return any(case.answers > 1 for case in report.cases)


def _row(case: FlakyCase, *, quarantined: bool) -> list[Text]:
    several = case.answers > 1
    return [
        case.case_id,
        f"{case.answers:,}",
        "…".join(map(numbers.bare, (case.lowest, case.highest) if several else (case.lowest,))),
        numbers.bare(case.noise) if several else "–",
        "–" if case.flip_rate is None or not several else f"{case.flip_rate:.0%}",
        (Span(case.verdict, "bad" if case.verdict == "flaky" else "plain"), " (quarantined)" if quarantined else ""),
    ]


def _notes(report: FlakyReport) -> list[str]:
    if not _asked_again(report):
        return []
    mark = None if report.pass_mark is None else numbers.compact(report.pass_mark)
    passing = "" if mark is None else f", or {FLIPS:.0%} of the pairs of its answers disagree on reaching {mark}"
    title, noise = report.metric.title, f"{100 * NOISE:g}"
    notes = [
        f"Flaky: one answer's {title} is off by ± {noise} points or more (a standard deviation){passing}. Unknown: "
        f"fewer than {LEAST} answers (n). Steady: no such variation so far, which proves nothing."
    ]
    if report.unknown:
        notes.append(f"{title} is unknown for {some(report.unknown, NAMED)}: no answer, or the metric does not apply.")
    if report.others:
        notes.append(f"Also asked several times: {some(report.others, NAMED)} (--prompt).")
    return notes


def _next(report: FlakyReport) -> Note:
    held = {entry.case_id for entry in report.quarantine.active}
    waiting = [case.case_id for case in report.cases if case.verdict == "flaky" and case.case_id not in held]
    lines, flag = [], report.flag
    if waiting:
        lines = [
            f"Next: row3 investigate{flag} {waiting[0]}",
            f"Then: fix it; or row3 flaky quarantine{flag} {waiting[0]} --until DATE --reason TEXT",
        ]
    return Note([*lines, *(f"Then: row3 flaky release{flag} {entry.case_id}" for entry in report.quarantine.expired)])


def flaky_json(report: FlakyReport) -> dict[str, Any]:
    """Return the report as plain values; scores are fractions."""
    return {
        "schemaVersion": 1,
        **json_fields(report, "suite", "setting", "pass_mark", "unknown"),
        "metric": report.metric.key,
        "current": report.own,
        "cases": [_case_json(case) for case in report.cases],
        "otherSettings": list(report.others),
        **quarantine_json(report.quarantine),
    }


def _case_json(case: FlakyCase) -> dict[str, Any]:
    several = case.answers > 1
    return {
        "id": case.case_id,
        **json_fields(case, "verdict", "answers", "lowest", "highest"),
        "spread": case.highest - case.lowest,
        "noise": case.noise if several else None,
        "flipRate": case.flip_rate if several else None,
    }
