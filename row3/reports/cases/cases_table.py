"""`row3 cases` on a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from row3.domain.metrics import Metric
from row3.gate.case_worth import LEAST, ROUGH, CaseWorth, Redundant
from row3.reports import numbers
from row3.reports.headline import some
from row3.reports.style import PLAIN, YELLOW, Style, cells, plain, shorten, visible
from row3.reports.terminal import table

SHOWN, SHOWN_PAIRS, SHOWN_VERSIONS, NAMED = 30, 10, 6, 5
LEAST_ROOM, GAP = 12, 2
HEADS = ("case", "tells", "mean", "±", "n", "")
WEAK = 0.2
"""A case that correlates less with the others tells little."""

Standing = Literal["never fails", "always fails", ""]


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """One case, what it tells, and where it stands."""

    worth: CaseWorth
    standing: Standing
    quarantined: bool = False


@dataclass(frozen=True, slots=True)
class CasesReport:
    """All cases of a suite over the versions in its history."""

    suite: str
    metric: Metric
    versions: tuple[str, ...]
    cases: tuple[JudgedCase, ...]
    """What tells most first."""
    unknown: tuple[str, ...]
    """Cases without an answer."""
    redundant: tuple[Redundant, ...]
    other_scorer: int
    """Saved runs that were left out, since another version of the scorer made them."""
    flag: str = ""
    """What a command has to be given to be about the suite."""


def cases_text(report: CasesReport, style: Style = PLAIN, *, verbose: bool = False) -> str:
    """The cases, what tells most first; then pairs that are redundant, and what is not known."""
    versions = len(report.versions)
    head = f"{report.suite} · {numbers.count(len(report.cases), 'case')} over {numbers.count(versions, 'version')}"
    lines = [*style.wrap(plain(head)), *_versions(report, style, verbose=verbose)]
    shown = report.cases if verbose else report.cases[:SHOWN]
    lines += ["", *_table(shown, style)]
    if len(shown) < len(report.cases):
        lines.append(style.dim(f"  and {len(report.cases) - len(shown):,} more (-v shows all)"))
    for text in _notes(report):
        lines += ["", *style.wrap(text)]
    lines += _pairs(report, style, verbose=verbose)
    return "\n".join(lines) + "\n"


def _versions(report: CasesReport, style: Style, *, verbose: bool) -> list[str]:
    shown = report.versions if verbose else report.versions[:SHOWN_VERSIONS]
    lines = [style.dim(line) for title in shown for line in style.wrap(plain(title), first="  ", then="    ")]
    left = len(report.versions) - len(shown)
    return [*lines, style.dim(f"  and {left:,} more (-v shows all)")] if left else lines


def _table(judged: Sequence[JudgedCase], style: Style) -> list[str]:
    rows = []
    for one in judged:
        each = one.worth
        rows.append(
            [
                plain(each.case_id),
                "–" if each.tells is None else f"{each.tells:+.2f}".replace("-", numbers.MINUS),
                numbers.bare(each.mean),
                numbers.bare(each.spread) if each.versions > 1 else "–",
                f"{each.versions}",
                style.paint(remark(one), YELLOW),
            ]
        )
    wide = [max(cells(visible(row[i])) for row in (HEADS, *rows)) for i in range(1, len(HEADS))]
    room = max(LEAST_ROOM, style.width - sum(wide) - GAP * len(wide))
    return table(HEADS, [[shorten(row[0], room), *row[1:]] for row in rows], "lrrrrl", style, gap=GAP)


def remark(one: JudgedCase) -> str:
    """What a reader should know of a case; empty where it does what it is for."""
    words: list[str] = [one.standing] if one.standing else []
    tells = one.worth.tells
    if tells is not None and tells < 0.0:
        words.append("against the others")
    elif tells is not None and tells < WEAK:
        words.append("tells little")
    elif one.worth.why == "it never moves" and not one.standing:
        words.append("never moves")
    if one.quarantined:
        words.append("quarantined")
    return ", ".join(words)


def _notes(report: CasesReport) -> list[str]:
    """What the columns mean and how far to trust them; what to do about a remark; what is missing."""
    versions = len(report.versions)
    if versions < LEAST:
        few = f"what tells good prompts from bad ones is unknown: that takes {LEAST} versions or more."
        notes = [f"With {numbers.count(versions, 'version')} {few}"]
    else:
        rough = f" With fewer than {ROUGH} versions it is a rough number." if versions < ROUGH else ""
        notes = [
            f"tells: correlation of the case's {report.metric.title} with that of the others over the versions, from "
            f"{numbers.MINUS}1 to +1; ±: standard deviation.{rough}"
        ]
    words = {word for one in report.cases for word in remark(one).split(", ")}
    if "never fails" in words:
        notes.append("never fails: excellent under every version. It guards what works; it cannot tell versions apart.")
    if "always fails" in words:
        look = f"row3 investigate{visible(report.flag)} CASE"
        notes.append(f"always fails: in the fail zone under every version. Is it right? {look}")
    if "against the others" in words:
        notes.append("against the others: better where they are worse. Are its expectations right?")
    if report.unknown:
        unknown = some([plain(each) for each in report.unknown], NAMED)
        notes.append(f"No {report.metric.title} is known of {unknown}: not answered, or not to be had.")
    if report.other_scorer:
        runs = numbers.count(report.other_scorer, "saved run")
        notes.append(f"{runs} left out, scored by another version of the scorer.")
    return notes


def _pairs(report: CasesReport, style: Style, *, verbose: bool) -> list[str]:
    if not report.redundant:
        return ["", *style.wrap("No two cases ask for the same and say the same.")]
    shown = report.redundant if verbose else report.redundant[:SHOWN_PAIRS]
    lines = ["", style.bold("Redundant pairs: one of the two may go")]
    for pair in shown:
        alike = "how their scores go together is unknown"
        if pair.alike is not None:
            alike = f"their scores correlate {f'{pair.alike:+.2f}'.replace('-', numbers.MINUS)}"
        names = f"{plain(pair.first)} and {plain(pair.second)}"
        text = f"{names}: {pair.overlap:.0%} of their expectations in common; {alike}"
        lines += style.wrap(text, first="  ", then="    ")
    left = len(report.redundant) - len(shown)
    return [*lines, style.dim(f"  and {left:,} more (-v shows all)")] if left else lines


def cases_json(report: CasesReport) -> dict[str, Any]:
    """The same as plain values; scores are fractions."""
    return {
        "schemaVersion": 1,
        "suite": report.suite,
        "metric": report.metric.key,
        "versions": list(report.versions),
        "cases": [_case_json(one) for one in report.cases],
        "unknown": list(report.unknown),
        "redundant": [
            {"cases": [pair.first, pair.second], "overlap": pair.overlap, "correlation": pair.alike}
            for pair in report.redundant
        ],
        "otherScorer": report.other_scorer,
    }


def _case_json(one: JudgedCase) -> dict[str, Any]:
    each = one.worth
    value: dict[str, Any] = {
        "id": each.case_id,
        "versions": each.versions,
        "mean": each.mean,
        "spread": each.spread if each.versions > 1 else None,
        "lowest": each.lowest,
        "highest": each.highest,
        "discrimination": each.tells,
        "neverFails": one.standing == "never fails",
        "alwaysFails": one.standing == "always fails",
        "quarantined": one.quarantined,
    }
    return value if each.tells is not None else value | {"why": each.why}
