"""`row3 cases`: how well each case tells a suite's versions apart, as a document and as JSON."""

from __future__ import annotations

from typing import Any

from row3.domain import numbers
from row3.gate.case_worth import LEAST, ROUGH, CasesReport, CaseWorth
from row3.reports.document import Block, Document, Items, Note, Span, Table, Text, Title, more
from row3.reports.headline import some
from row3.reports.json_fields import json_fields

SHOWN, SHOWN_PAIRS, SHOWN_VERSIONS, NAMED = 30, 10, 6, 5
HEADS = ("case", "tells", "mean", "±", "n", "")
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
    rows = [_row(one) for one in shown]
    versions = report.versions if verbose else report.versions[:SHOWN_VERSIONS]
    left = more(len(report.versions) - len(versions))
    over = numbers.count(len(report.versions), "version")
    head = f"{report.suite} · {numbers.count(len(report.cases), 'case')} over {over}"
    return Document(
        [
            Note([head, *(Span(f"  {text}", "quiet") for text in (*versions, left) if text)]),
            Table(HEADS, rows, "lrrrrl", more=more(len(report.cases) - len(shown))),
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
    if one.quarantined:
        words.append("quarantined")
    return ", ".join(words)


def _notes(report: CasesReport) -> list[str]:
    versions = len(report.versions)
    rough = f" With fewer than {ROUGH} versions it is rough." if versions < ROUGH else ""
    notes = [
        f"tells: correlation of the case's {report.metric.title} with that of the others over the versions, from "
        f"{numbers.MINUS}1 to +1; ±: standard deviation.{rough}"
    ]
    if versions < LEAST:
        few = f"row3 cannot say which cases tell good prompts from bad: that takes at least {LEAST}."
        notes = [f"With {numbers.count(versions, 'version')} {few}"]
    words = {word for one in report.cases for word in remark(one).split(", ")}
    notes += [f"{word}: {meaning}" for word, meaning in MEANINGS.items() if word in words]
    if report.unknown:
        unknown = some(report.unknown, NAMED)
        notes.append(f"{report.metric.title} is unknown for {unknown}: no answer, or the metric does not apply.")
    return notes


def _pairs(report: CasesReport, *, verbose: bool) -> list[Block]:
    if not report.redundant:
        return [Note(["No two cases test the same thing."])]
    shown = report.redundant if verbose else report.redundant[:SHOWN_PAIRS]
    items = [f"{first} and {second}: {overlap:.0%} of their expectations in common" for first, second, overlap in shown]
    left = more(len(report.redundant) - len(shown))
    return [Title("Redundant pairs: one of each may go", 4), Items([*items, *([left] if left else [])])]


def cases_json(report: CasesReport) -> dict[str, Any]:
    """Return the report as plain values; scores are fractions."""
    return {
        "schemaVersion": 1,
        **json_fields(report, "suite", "versions", "unknown"),
        "metric": report.metric.key,
        "cases": [_case_json(one) for one in report.cases],
        "redundant": [{"cases": [first, second], "overlap": overlap} for first, second, overlap in report.redundant],
    }


def _case_json(one: CaseWorth) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": one.case_id,
        **json_fields(one, "versions", "mean", "lowest", "highest", "quarantined"),
        "spread": one.spread if one.versions > 1 else None,
        "discrimination": one.tells,
        "neverFails": one.standing == "never fails",
        "alwaysFails": one.standing == "always fails",
    }
    return value if one.tells is not None else value | {"why": one.why}
