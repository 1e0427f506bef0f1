"""`row3 cases` and `row3 flaky`: which cases tell versions apart, which vary by chance, and which do not count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from row3.domain import numbers
from row3.domain.printable import plain
from row3.domain.quarantine import Quarantined
from row3.domain.scores import Metric
from row3.gate.case_worth import (
    FLIPS,
    LEAST_ANSWERS,
    LEAST_VERSIONS,
    NOISE,
    ROUGH,
    CasesReport,
    CaseWorth,
    FlakyCase,
    FlakyReport,
)
from row3.reports.document import Block, Document, Items, Note, Span, Table, Text, Title, more
from row3.reports.json_values import json_fields, quarantine_json
from row3.reports.sentences import quarantine_note, some
from row3.reports.terminal import PLAIN

SHOWN, SHOWN_PAIRS, SHOWN_VERSIONS, NAMED = 30, 10, 6, 5
WEAK = 0.2
"""Below this correlation with the others, a case says little."""
MEANINGS = {
    "never fails": "excellent under every version: it guards what works but cannot tell versions apart.",
    "always fails": "in the fail zone under every version: too hard, or wrong.",
    "against the others": "rises when the others fall. Are its expectations right?",
}


def cases_document(report: CasesReport, *, verbose: bool = False) -> Document:
    """Return the cases, most informative first; then redundant pairs, and what is unknown."""
    shown = report.cases if verbose else report.cases[:SHOWN]
    versions = report.versions if verbose else report.versions[:SHOWN_VERSIONS]
    left = more(len(report.versions) - len(versions))
    over = numbers.count(len(report.versions), "version")
    head = f"{report.suite} · {numbers.count(len(report.cases), 'case')} over {over}"
    heads = ("case", "tells", "mean", "±", "n", "")
    return Document(
        [
            Note([head, *(Span(f"  {text}", "quiet") for text in (*versions, left) if text)]),
            Table(heads, [_row(one) for one in shown], "lrrrrl", more=more(len(report.cases) - len(shown))),
            *(Note([text]) for text in _notes(report)),
            *_pairs(report, verbose=verbose),
        ]
    )


def _row(one: CaseWorth) -> list[Text]:
    digits = 1 if one.versions < ROUGH else 2
    return [
        one.case_id,
        "–" if one.tells is None else f"{one.tells:+.{digits}f}".replace("-", numbers.MINUS),
        numbers.bare(one.mean),
        numbers.bare(one.spread) if one.versions > 1 else "–",
        f"{one.versions}",
        Span(remark(one), "warning"),
    ]


def remark(one: CaseWorth) -> str:
    """Return a remark on a case; empty if it does its job."""
    words: list[str] = [one.standing] if one.standing else []
    tells = one.tells
    if tells is not None and tells < 0.0:
        words.append("against the others")
    elif tells is not None and tells < WEAK:
        words.append("tells little")
    elif one.why == "it never moves" and not one.standing:
        words.append("never moves")
    return ", ".join([*words, *(["quarantined"] if one.quarantined else [])])


def _notes(report: CasesReport) -> list[str]:
    versions = len(report.versions)
    rough = f" With fewer than {ROUGH} versions it is rough." if versions < ROUGH else ""
    notes = [
        f"tells: correlation of the case's {report.metric.title} with that of the others over the versions, from "
        f"{numbers.MINUS}1 to +1; ±: standard deviation.{rough}"
    ]
    if versions < LEAST_VERSIONS:
        few = f"row3 cannot say which cases tell good prompts from bad: that takes at least {LEAST_VERSIONS}."
        notes = [f"With {numbers.count(versions, 'version')} {few}"]
    words = {word for one in report.cases for word in remark(one).split(", ")}
    notes += [f"{word}: {meaning}" for word, meaning in MEANINGS.items() if word in words]
    return notes + _unknown(report.metric, report.unknown)


def _unknown(metric: Metric, cases: Sequence[str]) -> list[str]:
    why = "no answer, or the metric does not apply."
    return [f"{metric.title} is unknown for {some(cases, NAMED)}: {why}"] if cases else []


def _pairs(report: CasesReport, *, verbose: bool) -> list[Block]:
    if not report.redundant:
        return [Note(["No two cases test the same thing."])]
    shown = report.redundant if verbose else report.redundant[:SHOWN_PAIRS]
    items = [f"{first} and {second}: {overlap:.0%} of their expectations in common" for first, second, overlap in shown]
    left = more(len(report.redundant) - len(shown))
    return [Title("Redundant pairs: one of each may go", 4), Items([*items, *([left] if left else [])])]


def flaky_document(report: FlakyReport, *, verbose: bool = False) -> Document:
    """Return the flaky, steady and unknown cases, all of them if verbose; then the quarantine."""
    head = [f"{report.suite} · {report.setting}"]
    if not report.own:
        head.append("Not the current versions: their cases were asked only once. --prompt selects others.")
    shown = report.cases if verbose else report.cases[:SHOWN]
    held = {entry.case_id for entry in report.quarantine.active}
    rows = [_flaky_row(case, held="quarantined" if case.case_id in held else "") for case in shown]
    heads = ("case", "n", "low…high", "± one", "flips", "verdict")
    table = [Table(heads, rows, "lrrrrl", more=more(len(report.cases) - len(shown)))] if rows else []
    waiting = [case.case_id for case in report.cases if case.verdict == "flaky" and case.case_id not in held]
    flag, steps = report.flag, []
    if waiting:
        steps = [
            f"Next: row3 investigate{flag} {waiting[0]}",
            f"Then: fix it; or row3 flaky quarantine{flag} {waiting[0]} --until DATE --reason TEXT",
        ]
    steps += [f"Then: row3 flaky release{flag} {entry.case_id}" for entry in report.quarantine.expired]
    notes = [Note([text]) for text in _flaky_notes(report)]
    return Document([Note(head), _counts(report), *table, *notes, quarantine_note(report.quarantine), Note(steps)])


def _counts(report: FlakyReport) -> Block:
    if not report.asked_again:
        find_out = f"row3 --repeats 3 --mode record{report.flag}"
        return Note([f"No case has two answers, so nothing is known. To find out: {find_out}"])
    flaky, steady = (sum(case.verdict == word for case in report.cases) for word in ("flaky", "steady"))
    cases = len(report.cases) + len(report.unknown)
    unknown = cases - flaky - steady
    return Title(f"{numbers.count(cases, 'case')}: {flaky:,} flaky, {steady:,} steady, {unknown:,} unknown")


def _flaky_row(case: FlakyCase, *, held: str) -> list[Text]:
    several = case.answers > 1
    return [
        case.case_id,
        f"{case.answers:,}",
        "…".join(map(numbers.bare, (case.lowest, case.highest) if several else (case.lowest,))),
        numbers.bare(case.noise) if several else "–",
        "–" if case.flip_rate is None or not several else f"{case.flip_rate:.0%}",
        (Span(case.verdict, "bad" if case.verdict == "flaky" else "plain"), f" ({held})" if held else ""),
    ]


def _flaky_notes(report: FlakyReport) -> list[str]:
    if not report.asked_again:
        return []
    passing = ""
    if report.pass_mark is not None:
        mark = numbers.compact(report.pass_mark)
        passing = f", or {FLIPS:.0%} of the pairs of its answers disagree on reaching {mark}"
    others = [f"Also asked several times: {some(report.others, NAMED)} (--prompt)."] if report.others else []
    return [
        f"Flaky: one answer's {report.metric.title} is off by ± {100 * NOISE:g} points or more (a standard deviation)"
        f"{passing}. Unknown: fewer than {LEAST_ANSWERS} answers (n). Steady: no such variation so far, which proves "
        "nothing.",
        *_unknown(report.metric, report.unknown),
        *others,
    ]


def changed_text(entry: Quarantined, file: str, *, left: int, released: bool) -> str:
    """Return what `row3 flaky quarantine` or `release` did."""
    name, resting = plain(entry.case_id), f"{numbers.count(left, 'case')} in quarantine"
    if released:
        texts = [f"{name} is out of quarantine and counts again; {resting}.", f"Commit {file}."]
    else:
        texts = [
            f"{name} does not count until {entry.until}; {resting}.",
            f"reason: {plain(entry.reason)}",
            f"Commit {file}. Hooks and --against use the base's quarantine, so it counts there once merged.",
        ]
    return "\n".join(line for text in texts for line in PLAIN.wrap(text, then="  ")) + "\n"


def cases_json(report: CasesReport) -> dict[str, Any]:
    """Return the worth of the cases as plain values; scores are fractions."""
    return {
        "schemaVersion": 1,
        **json_fields(report, "suite", "versions", "unknown"),
        "metric": report.metric.key,
        "cases": [
            {
                "id": one.case_id,
                **json_fields(one, "versions", "mean", "lowest", "highest", "quarantined"),
                "spread": one.spread if one.versions > 1 else None,
                "discrimination": one.tells,
                "neverFails": one.standing == "never fails",
                "alwaysFails": one.standing == "always fails",
                **({"why": one.why} if one.tells is None else {}),
            }
            for one in report.cases
        ],
        "redundant": [{"cases": [first, second], "overlap": overlap} for first, second, overlap in report.redundant],
    }


def flaky_json(report: FlakyReport) -> dict[str, Any]:
    """Return the flakiness of the cases as plain values; scores are fractions."""
    return {
        "schemaVersion": 1,
        **json_fields(report, "suite", "setting", "pass_mark", "unknown"),
        "metric": report.metric.key,
        "current": report.own,
        "cases": [
            {
                "id": one.case_id,
                **json_fields(one, "verdict", "answers", "lowest", "highest"),
                "spread": one.highest - one.lowest,
                "noise": one.noise if one.answers > 1 else None,
                "flipRate": one.flip_rate if one.answers > 1 else None,
            }
            for one in report.cases
        ],
        "otherSettings": list(report.others),
        **quarantine_json(report.quarantine),
    }
