"""All suites for a pull request and for CI: Markdown, JUnit, GitHub's annotations."""

from __future__ import annotations

from typing import Literal

from row3.domain.verdicts import Verdict
from row3.reports.ci.github import SUMMARY_BYTES, Level, annotation, annotations_of, behind_annotation
from row3.reports.ci.junit import junit_file, junit_suite, unusable_suite
from row3.reports.hooks.behind import behind_line
from row3.reports.markdown import grid, inline
from row3.reports.markdowns.markdown import SIGNS, markdown_report
from row3.reports.places import HERE, Places
from row3.reports.style import MARKS
from row3.reports.suites.suite_figures import NONE, figures_of, run_of
from row3.reports.suites.suites_model import (
    Broken,
    Gone,
    Judged,
    Ran,
    Standing,
    SuiteResult,
    SuitesReport,
    Unjudged,
    standing,
)
from row3.reports.suites.suites_table import counted, headword, looked_into

SIGN_OF: dict[Standing, str] = {
    "proceed": SIGNS[Verdict.PROCEED],
    "investigate": SIGNS[Verdict.INVESTIGATE],
    "block": SIGNS[Verdict.BLOCK],
    "approved": SIGNS[Verdict.INVESTIGATE],
    "informational": SIGNS[Verdict.INVESTIGATE],
    "incomplete": "❔",
    "unusable": SIGNS[Verdict.BLOCK],
}


def suites_markdown(report: SuitesReport, *, details: bool = True) -> str:
    """A table of all suites; below it those that block or lack something, and folded the others."""
    word = headword(report)
    sign = "" if not word else f"{'❔' if report.exit_code == 3 else SIGNS[report.verdict]} {word} · "
    parts = [f"### {sign}row3 · {inline(counted(report))}", "\n".join(_grid(report))]
    parts += [inline(behind_line(*report.behind))] if report.behind else []
    why = [f"- **{inline(name)}**: {inline(text)}" for name, text in looked_into(report)]
    parts += ["\n".join(why)] if why else []
    for result in report.results:
        parts += _part(result, details=details)
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _grid(report: SuitesReport) -> list[str]:
    rows = [_row(result) for result in report.results]
    heads = ("Suite", "Metric", "Now", "Points", "95% interval", "Zone", "Cases", "Verdict")
    return grid(heads, "llrrrlrl", rows)


def _row(result: SuiteResult) -> list[str]:
    figures, word = figures_of(result), standing(result)
    verdict = "" if word == "none" else f"{SIGN_OF[word]} {word}"
    if figures is None:
        return [inline(result.suite), "", NONE, NONE, NONE, "", NONE, verdict or "not judged"]
    zone = figures.zone
    return [
        f"**{inline(result.suite)}**",
        inline(figures.metric.title),
        figures.now,
        figures.points,
        figures.interval,
        "" if zone is None else f"{MARKS[zone]} {zone.word}",
        figures.cases,
        verdict,
    ]


def _part(result: SuiteResult, *, details: bool) -> list[str]:
    """A suite in full where it does not pass; else folded, with what is special about it."""
    if isinstance(result, Broken | Gone):
        return [f"- **{inline(result.suite)}**: {inline(result.problem)}"]
    if isinstance(result, Unjudged):
        return [f"- **{inline(result.suite)}**: {inline(result.note)}"]
    note = (
        [f"- **{inline(result.suite)}**: {inline(result.note)}"] if isinstance(result, Judged) and result.note else []
    )
    comparison = result.comparison if isinstance(result, Judged) else None
    run = run_of(result)
    assert run is not None
    if result.exit_code:
        return [*note, markdown_report(run, comparison, details=details, named=True)]
    if not details:
        wrong = result.wrong_cases if isinstance(result, Judged) else ""
        return [*note, *([f"- **{inline(result.suite)}**: {inline(wrong)}"] if wrong else [])]
    declines = result.declines if isinstance(result, Ran) else 0
    text = markdown_report(run, comparison, declines=declines, named=True)
    return [*note, f"<details><summary>{inline(result.suite)}</summary>\n\n{text}\n</details>"]


def suites_junit(report: SuitesReport) -> str:
    """One test suite for each suite."""
    suites = []
    for result in report.results:
        if isinstance(result, Judged):
            suites.append(junit_suite(result.comparison.run, result.comparison))
        elif isinstance(result, Ran):
            suites.append(junit_suite(result.run, None))
        elif isinstance(result, Gone):
            tag: Literal["failure"] | None = "failure" if result.exit_code else None
            suites.append(unusable_suite(result.suite, "gone", result.problem, tag=tag))
        elif isinstance(result, Broken):
            suites.append(unusable_suite(result.suite, standing(result), result.problem, tag="error"))
    return junit_file(suites)


def suites_github(report: SuitesReport, places: Places = HERE) -> str:
    """The annotations of all suites, errors first, since GitHub shows ten of a level; then a notice for all of them."""
    found: list[tuple[Level, str]] = []
    for result in report.results:
        name, run = f"row3 {result.suite}", run_of(result)
        if isinstance(result, Broken | Gone):
            level: Level = "error" if result.exit_code else "warning"
            found.append((level, annotation(level, result.problem, title=f"{name}: {standing(result)}")))
        elif isinstance(result, Unjudged):
            found.append(("warning", annotation("warning", result.note, title=f"{name}: not judged")))
        elif run is not None:
            comparison = result.comparison if isinstance(result, Judged) else None
            declines = result.declines if isinstance(result, Ran) else 0
            found += annotations_of(run, comparison, declines=declines, name=name, places=places)
    lines = [text for level in ("error", "warning") for each, text in found if each == level]
    if report.behind:
        lines.insert(0, behind_annotation(*report.behind))
    word = headword(report)
    lines.append(annotation("notice", counted(report), title=f"row3: {word}" if word else "row3"))
    return "".join(f"{line}\n" for line in lines)


def suites_summary(report: SuitesReport) -> str:
    """The Markdown for `$GITHUB_STEP_SUMMARY`."""
    text = suites_markdown(report)
    return text if len(text.encode("utf-8", "replace")) <= SUMMARY_BYTES else suites_markdown(report, details=False)
