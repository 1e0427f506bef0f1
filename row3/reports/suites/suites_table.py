"""All suites on a terminal: one line each, then the details of those that block, and the verdict last."""

from __future__ import annotations

from collections.abc import Sequence

from row3.reports import numbers
from row3.reports.comparison_table import better, comparison_table
from row3.reports.headline import what_runs
from row3.reports.hooks.behind import behind_line, catch_up
from row3.reports.model import RunView
from row3.reports.scorecard_table import scorecard_table
from row3.reports.style import (
    BOLD,
    GREEN,
    MARKS,
    RED,
    VERDICT_COLOURS,
    VERDICT_MARKS,
    YELLOW,
    ZONE_COLOURS,
    Style,
    arrow,
    cells,
    plain,
    shorten,
    visible,
    wrap,
)
from row3.reports.suites.suite_figures import NONE, Figures, figures_of, run_of
from row3.reports.suites.suites_model import Broken, Gone, Judged, Ran, Standing, SuiteResult, SuitesReport, standing
from row3.reports.terminal import table
from row3.reports.told_reasons import told_reasons

LONGEST_SUITE, LEAST_TITLE = 14, 9
"""Columns of a suite's name where the table has to fit 80, twice as many where there is room; a metric's least."""
SHOWN_REASONS = 8
"""Suites whose reason to be investigated is told at the end."""
WIDE = 112
"""Columns from which on zones are named and not only marked."""
MARK_OF: dict[Standing, str] = {"incomplete": "?", "unusable": "✗", "none": " ", "approved": "!", "informational": "✗"}


def suites_table(report: SuitesReport, *, colour: bool = False, verbose: bool = False, width: int) -> str:
    """All suites, at most `width` columns wide; with `verbose` every suite in full."""
    style = Style(colour, width)
    blocks = [_summary(report, style)]
    for result in report.results:
        blocks += [block for block in _details(result, style, verbose=verbose) if block]
    blocks.append(_end(report, style))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _summary(report: SuitesReport, style: Style) -> list[str]:
    wide = style.width >= WIDE
    rows = [_row(result, style, wide=wide, judged=report.judged) for result in report.results]
    heads: tuple[str, ...] = ("suite", "metric", "now", "points ", "95% interval", "zone", "cases", "verdict")
    align = "llrrrlrl"
    if not report.judged:
        keep = (0, 1, 2, 5, 6, 7)
        heads, align = tuple(heads[i] for i in keep), "".join(align[i] for i in keep)
        heads, rows = (*heads[:-1], ""), [[row[i] for i in keep] for row in rows]
    gap = 2 if wide else 1
    lines = table(heads, _titles_wrapped(heads, rows, style.width, gap), align, style, gap=gap)
    modes = {run.header.mode for result in report.results if (run := run_of(result)) is not None}
    over = "percentage points; paired intervals; " if report.judged else ""
    marks = "" if wide else "  ".join(f"{MARKS[zone]} {zone.word}" for zone in sorted(MARKS, reverse=True))
    legend = f"{over}{', '.join(sorted(modes))}" if modes else ""
    texts = [text for text in (marks, legend) if text]
    behind = ["", *style.wrap(plain(behind_line(*report.behind)))] if report.behind else []
    return [
        *lines,
        *([""] if texts else []),
        *(style.dim(line) for text in texts for line in style.wrap(text)),
        *behind,
    ]


def _titles_wrapped(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int, gap: int) -> list[list[str]]:
    """The rows, with what a metric's name takes more than is left of the width on lines of its own."""
    others = [i for i in range(len(heads)) if i != 1]
    taken = sum(max(cells(visible(row[i])) for row in (heads, *rows)) for i in others) + gap * len(others)
    wrapped = []
    for row in rows:
        first, *rest = wrap(row[1], width=max(LEAST_TITLE, width - taken)) or [""]
        wrapped += [[row[0], first, *row[2:]], *(["", each, *[""] * len(row[2:])] for each in rest)]
    return wrapped


def _row(result: SuiteResult, style: Style, *, wide: bool, judged: bool) -> list[str]:
    name = shorten(plain(result.suite), 2 * LONGEST_SUITE if wide else LONGEST_SUITE)
    figures = figures_of(result)
    if figures is None:
        return [style.bold(name), "", NONE, f"{NONE}  ", NONE, "", NONE, _word(result, style)]
    zone = figures.zone
    mark = "" if zone is None else style.zone(zone) if wide else style.paint(MARKS[zone], ZONE_COLOURS[zone])
    moved, interval = _move(figures, style)
    return [
        style.bold(name),
        figures.metric.title,
        figures.now,
        moved,
        interval,
        mark,
        figures.cases,
        _word(result, style),
    ]


def _move(figures: Figures, style: Style) -> tuple[str, str]:
    """How the metric moved, and within which bounds."""
    if figures.delta is None:
        return f"{NONE}  ", NONE
    good = better(figures.metric, figures.delta)
    return style.moved(f"{figures.points} {arrow(good)}", good), figures.interval


def _word(result: SuiteResult, style: Style) -> str:
    """Mark and word of what became of a suite."""
    word = standing(result)
    if isinstance(result, Judged) and word in ("proceed", "investigate", "block"):
        verdict = result.comparison.verdict
        return style.paint(f"{VERDICT_MARKS[verdict]} {word}", VERDICT_COLOURS[verdict])
    if word == "none":
        return "" if isinstance(result, Ran) else style.dim("  not judged")
    colour = {"approved": YELLOW, "informational": YELLOW}.get(word, RED)
    return style.paint(f"{MARK_OF.get(word, '✗')} {word}", colour)


def _details(result: SuiteResult, style: Style, *, verbose: bool) -> list[list[str]]:
    """A suite that blocks, or cannot be used, or has something special about it; with `verbose` every one."""
    name = plain(result.suite)
    if isinstance(result, Broken | Gone):
        return [[_rule(name, style), *style.wrap(plain(result.problem))]]
    run = run_of(result)
    if run is None or not (verbose or standing(result) == "block"):
        return _short(result, run, style)
    head = what_runs(run)
    if isinstance(result, Judged):
        text = comparison_table(result.comparison, colour=style.colour, verbose=verbose, width=style.width, named=True)
    else:
        text = scorecard_table(run, declines=0, colour=style.colour, verbose=verbose, width=style.width)
    return [[_rule(name, style), *style.wrap(head, then="  ")], [text.rstrip("\n")]]


def _short(result: SuiteResult, run: RunView | None, style: Style) -> list[list[str]]:
    """What has to be known of a suite that does not block: that answers are missing, or how it was judged."""
    lines = []
    if run is not None and run.collected.failed:
        problems = dict(run.problems)
        first = run.collected.failed[0]
        count = f"{len(run.collected.failed):,} of {numbers.count(run.cases, 'case')} without an answer"
        lines = [*style.wrap(count), *style.wrap(f"{plain(first)}: {plain(problems.get(first, ''))}", first="  ")]
    note = "" if isinstance(result, Broken | Gone | Ran) else result.note
    wrong = result.wrong_cases if isinstance(result, Judged) else ""
    lines += [line for text in (note, wrong) if text for line in style.wrap(plain(text))]
    return [[_rule(plain(result.suite), style), *lines]] if lines else []


def _rule(name: str, style: Style) -> str:
    head = f"── {shorten(name, style.width - 8)} "
    return style.bold(head + "─" * (style.width - cells(head)))


def counted(report: SuitesReport) -> str:
    """How many suites stand how: `4 suites: 1 proceeds · 1 blocks · 1 incomplete`."""
    words: tuple[tuple[tuple[Standing, ...], str, str], ...] = (
        (("block",), "blocks", "block"),
        (("incomplete",), "is incomplete", "are incomplete"),
        (("unusable",), "cannot be used", "cannot be used"),
        (("approved",), "is approved", "are approved"),
        (("informational",), "only informs", "only inform"),
        (("investigate",), "is to be investigated", "are to be investigated"),
        (("proceed",), "proceeds", "proceed"),
    )
    if not report.judged:
        words = words[1:3]
    parts = [f"{n:,} {one if n == 1 else many}" for which, one, many in words if (n := report.count(*which))]
    suites = numbers.count(len(report.results), "suite")
    return f"{suites}: {' · '.join(parts)}" if parts else suites


def headword(report: SuitesReport) -> str:
    """The verdict on all, in a word."""
    if report.exit_code in (0, 1):
        return report.verdict.word.upper() if report.judged else ""
    return "INCOMPLETE" if report.exit_code == 3 else "UNUSABLE"


def _end(report: SuitesReport, style: Style) -> list[str]:
    word = headword(report)
    if not word:
        return style.wrap(counted(report))
    mark = "?" if report.exit_code == 3 else VERDICT_MARKS[report.verdict]
    colour = RED if report.exit_code else {"PROCEED": GREEN}.get(word, YELLOW)
    first, *rest = style.wrap(counted(report), first=f"{mark} {word}  ", then="  ")
    painted = first.replace(f"{mark} {word}", style.paint(f"{mark} {word}", colour, BOLD), 1)
    why = [line for name, text in looked_into(report) for line in style.wrap(text, first=f"  {name}: ", then="    ")]
    return [style.dim("─" * style.width), painted, *rest, *why, *_steps(report, style)]


def looked_into(report: SuitesReport) -> list[tuple[str, str]]:
    """Which suites are to be investigated, and why in a few words: of those that block all is told elsewhere."""
    told = []
    for result in report.results:
        if isinstance(result, Judged) and standing(result) in ("investigate", "informational"):
            reasons = told_reasons(result.comparison)
            more = f"; and {numbers.count(len(reasons) - 1, 'more reason')}" if len(reasons) > 1 else ""
            told += [(plain(result.suite), f"{plain(reason.text)}{more}") for reason in reasons[:1]]
    left_out = len(told) - SHOWN_REASONS
    return [*told[:SHOWN_REASONS], *([("others", f"{left_out:,} more")] if left_out > 0 else [])]


def _steps(report: SuitesReport, style: Style) -> list[str]:
    return [line for text in _next(report) for line in style.wrap(text, first="  ", then="  ")]


def _next(report: SuitesReport) -> list[str]:
    """What to do about the first suite of the worst kind."""
    worst = next((result for result in report.results if result.exit_code == report.exit_code), None)
    if worst is None or not report.exit_code:
        return []
    if report.behind and report.exit_code != 2:
        first, then = catch_up(*report.behind, "row3 --compare --all")
        return [f"Next: {first}", f"Then: {then}"]
    name = plain(worst.suite)
    if isinstance(worst, Gone):
        return [f"Next: {plain(worst.signing)}"]
    if report.exit_code == 2:
        return ["Next: do what is said above; row3 lint names all that is wrong with files."]
    verb = "row3 --compare" if report.judged else "row3"
    return [f"Next: {verb} --suite {name}{_against(worst)}"]


def _against(result: SuiteResult) -> str:
    """What a command needs to be judged by the same base; a suite that the base lacks was judged by its own."""
    base = result.comparison.against if isinstance(result, Judged) else None
    return f" --against {plain(base)}" if base else ""
