"""`row3 flaky` on a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from row3.domain.metrics import Metric
from row3.domain.quarantine import Quarantine
from row3.gate.exact import upper_bound
from row3.gate.flakiness import FLIPS, LEAST, NOISE, Flakiness
from row3.reports import numbers
from row3.reports.headline import some
from row3.reports.quarantine_text import quarantine_block, quarantine_json
from row3.reports.style import PLAIN, RED, Style, cells, plain, shorten, visible
from row3.reports.terminal import table

SHOWN = 30
NAMED = 5
LEAST_ROOM, GAP = 12, 2
HEADS = ("case", "n", "from", "low…high", "± one", "flips", "verdict")
ASK_AGAIN = "row3 --repeats 3 --mode record"

Source = Literal["repeats", "runs", "live repeats"]


@dataclass(frozen=True, slots=True)
class FlakyCase:
    """One case, and the evidence on it."""

    case_id: str
    source: Source
    """Recorded repeats of one request; runs, one after the other; or runs that kept only a spread of their repeats."""
    result: Flakiness
    ends_known: bool = True
    """Lowest and highest value are known; of live repeats only their standard deviation was kept."""


@dataclass(frozen=True, slots=True)
class FlakyReport:
    """All cases of a suite under one setting."""

    suite: str
    metric: Metric
    setting: str
    """Which prompts and model, in words."""
    own: bool
    """It is that of the prompts that run now, not another one of which more is known."""
    pass_mark: float | None
    cases: tuple[FlakyCase, ...]
    """Flaky ones first, then those that waver most."""
    unknown: tuple[str, ...]
    """Cases of which no answer is known under this setting."""
    others: tuple[str, ...]
    """Other settings that have several answers of a case."""
    quarantine: Quarantine
    flag: str = ""
    """What a command has to be given to be about the suite."""


WORDS: dict[Source, str] = {"repeats": "repeats", "runs": "runs", "live repeats": "live"}


def flaky_text(report: FlakyReport, style: Style = PLAIN, *, verbose: bool = False) -> str:
    """What wavers, what does not, and what cannot be told."""
    lines = style.wrap(plain(f"{report.suite} · {report.setting}"), then="  ")
    if not report.own:
        lines += style.wrap("Not what runs now: of that nothing was asked twice. --prompt names others.")
    lines += ["", *_head(report, style)]
    shown = report.cases if verbose else report.cases[:SHOWN]
    if shown:
        lines += ["", *_table(shown, report, style)]
    if len(shown) < len(report.cases):
        lines.append(style.dim(f"  and {len(report.cases) - len(shown):,} more (-v shows all)"))
    for text in _notes(report):
        lines += ["", *style.wrap(text)]
    if block := quarantine_block(report.quarantine, style):
        lines += ["", *block]
    return "\n".join([*lines, "", *_next(report, style)]).rstrip() + "\n"


def _head(report: FlakyReport, style: Style) -> list[str]:
    """How many of each verdict, in a sentence."""
    counts = {word: sum(case.result.verdict == word for case in report.cases) for word in ("flaky", "steady")}
    asked = sum(case.result.answers > 1 for case in report.cases)
    if not asked:
        what = f"No case was asked twice, so nothing is known. To find out: {ASK_AGAIN}{visible(report.flag)}"
        return style.wrap(what)
    unknown = len(report.cases) - sum(counts.values()) + len(report.unknown)
    parts = [f"{counts['flaky']:,} flaky", f"{counts['steady']:,} steady", f"{unknown:,} unknown"]
    return [style.bold(f"{numbers.count(len(report.cases) + len(report.unknown), 'case')}: {', '.join(parts)}")]


def _table(cases: Sequence[FlakyCase], report: FlakyReport, style: Style) -> list[str]:
    held = {entry.case_id for entry in report.quarantine.active}
    rows = []
    for case in cases:
        result = case.result
        several = result.answers > 1
        verdict = style.paint("flaky", RED) if result.verdict == "flaky" else result.verdict
        rows.append(
            [
                plain(case.case_id),
                f"{result.answers:,}",
                WORDS[case.source],
                _ends(case),
                numbers.bare(result.noise) if several else "–",
                "–" if result.flip_rate is None or not several else f"{result.flip_rate:.0%}",
                verdict + (" (quarantined)" if case.case_id in held else ""),
            ]
        )
    wide = [max(cells(visible(row[i])) for row in (HEADS, *rows)) for i in range(1, len(HEADS))]
    room = max(LEAST_ROOM, style.width - sum(wide) - GAP * len(wide))
    return table(HEADS, [[shorten(row[0], room), *row[1:]] for row in rows], "lrlrrrl", style, gap=GAP)


def _ends(case: FlakyCase) -> str:
    result = case.result
    if result.answers == 1:
        return numbers.bare(result.lowest)
    return f"{numbers.bare(result.lowest)}…{numbers.bare(result.highest)}" if case.ends_known else "–"


def _notes(report: FlakyReport) -> list[str]:
    """The rule, what steady does not mean, and what was not seen."""
    if not any(case.result.answers > 1 for case in report.cases):
        return []
    mark = None if report.pass_mark is None else numbers.compact(report.pass_mark)
    passing = "" if mark is None else f", or {FLIPS:.0%} of the pairs of its answers disagree on reaching {mark}"
    title, noise = report.metric.title, f"{100 * NOISE:g}"
    notes = [
        f"Flaky: one answer's {title} is off by ± {noise} points or more (a standard deviation){passing}. Fewer than "
        f"{LEAST} answers (n) say nothing."
    ]
    least = min((c.result.answers for c in report.cases if c.result.verdict == "steady"), default=0)
    if least and mark is not None:
        hidden = f"{upper_bound(0, least):.0%}"
        notes.append(
            f"Steady is not proved: {least} answers on one side of {mark} leave it possible that up to {hidden} fall "
            "on the other."
        )
    if report.unknown:
        unknown = some([plain(each) for each in report.unknown], NAMED)
        notes.append(f"No {title} is known of {unknown}: not answered, or not to be had.")
    if report.others:
        notes.append(f"Also asked several times: {some([plain(each) for each in report.others], NAMED)} (--prompt).")
    return notes


def _next(report: FlakyReport, style: Style) -> list[str]:
    """What to do about the first flaky case that counts, and the expired entries."""
    held = {entry.case_id for entry in report.quarantine.active}
    waiting = [case.case_id for case in report.cases if case.result.verdict == "flaky" and case.case_id not in held]
    lines, flag = [], visible(report.flag)
    if waiting:
        name = plain(waiting[0])
        lines = [
            f"Next: row3 investigate{flag} {name}",
            f"Then: mend it; or row3 flaky quarantine{flag} {name} --until DATE --reason TEXT",
        ]
    lines += [f"Then: row3 flaky release{flag} {plain(entry.case_id)}" for entry in report.quarantine.expired]
    return [line for text in lines for line in style.wrap(text, then="  ")]


def flaky_json(report: FlakyReport) -> dict[str, Any]:
    """The same as plain values; all numbers are fractions."""
    return {
        "schemaVersion": 1,
        "suite": report.suite,
        "metric": report.metric.key,
        "setting": report.setting,
        "current": report.own,
        "passMark": report.pass_mark,
        "cases": [_case_json(case) for case in report.cases],
        "unknown": list(report.unknown),
        "otherSettings": list(report.others),
        **quarantine_json(report.quarantine),
    }


def _case_json(case: FlakyCase) -> dict[str, Any]:
    result = case.result
    return {
        "id": case.case_id,
        "verdict": result.verdict,
        "answers": result.answers,
        "from": case.source,
        "lowest": result.lowest if case.ends_known else None,
        "highest": result.highest if case.ends_known else None,
        "spread": result.spread if case.ends_known else None,
        "noise": result.noise if result.answers > 1 else None,
        "flipRate": result.flip_rate if result.answers > 1 else None,
        "hidden": result.hidden,
    }
