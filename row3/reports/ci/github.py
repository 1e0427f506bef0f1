"""`--format github`: annotations as workflow commands, and the step summary."""

from __future__ import annotations

from typing import Literal

from row3.domain.verdicts import Reason, Verdict
from row3.reports import numbers
from row3.reports.advice import summary, verdict_word
from row3.reports.cases.case_outcomes import Outcome, outcomes
from row3.reports.findings import LintReport
from row3.reports.findings import summary as findings_summary
from row3.reports.headline import declines_line, fail_zones
from row3.reports.hooks.behind import behind_line
from row3.reports.markdowns.markdown import markdown_report
from row3.reports.model import ComparisonView, RunView
from row3.reports.places import HERE, Places
from row3.reports.style import plain, visible
from row3.reports.told_reasons import told_reasons

Level = Literal["error", "warning", "notice"]
MOST_OF_A_LEVEL = 10
"""GitHub shows no more of each level for a step."""
SUMMARY_BYTES = 1_000_000
"""GitHub takes 1 MiB of a step's summary."""


def github_annotations(
    run: RunView, comparison: ComparisonView | None = None, *, declines: int = 0, places: Places = HERE
) -> str:
    """Workflow commands, one a line: reasons, then cases, then the verdict as a notice."""
    found = annotations_of(run, comparison, declines=declines, places=places)
    lines = [text for level in ("error", "warning") for each, text in found if each == level]
    if comparison is not None:
        if comparison.behind and comparison.against:
            lines.insert(0, behind_annotation(comparison.behind, comparison.against))
        lines.append(annotation("notice", summary(comparison), title=f"row3: {verdict_word(comparison)}"))
    return "".join(f"{line}\n" for line in lines)


def annotations_of(
    run: RunView,
    comparison: ComparisonView | None,
    *,
    declines: int = 0,
    name: str = "row3",
    places: Places = HERE,
) -> list[tuple[Level, str]]:
    """The errors and warnings of a run, with their levels; `name` begins each title."""
    found: list[tuple[Level, str]] = []
    told = [] if comparison is None else told_reasons(comparison)
    if comparison is not None:
        found += [_reason(comparison, reason, name, places) for reason in told]
    else:
        if failing := fail_zones(run):
            text = f"{', '.join(failing)} (row3 --compare{visible(run.suite.flags('row3 --compare'))} judges)"
            found.append(("warning", annotation("warning", text, title=f"{name}: fail zone")))
        if text := declines_line(declines, run):
            found.append(("warning", annotation("warning", text, title=f"{name}: declining")))
    named = {reason.case_id for reason in told}
    counts = dict.fromkeys(("error", "warning"), 0)
    for outcome in outcomes(run, comparison):
        line = _case(run, outcome, name, places) if outcome.case_id not in named else None
        if line is not None and counts[line[0]] < MOST_OF_A_LEVEL:
            counts[line[0]] += 1
            found.append(line)
    return found


def behind_annotation(commits: int, ref: str) -> str:
    """What HEAD lacks of the git ref that judges; it stands before all that this may explain."""
    return annotation("warning", behind_line(commits, ref), title="row3: behind")


def step_summary(run: RunView, comparison: ComparisonView | None = None, *, declines: int = 0) -> str:
    """The Markdown for `$GITHUB_STEP_SUMMARY`."""
    text = markdown_report(run, comparison, declines=declines)
    if len(text.encode("utf-8", "replace")) <= SUMMARY_BYTES:
        return text
    return markdown_report(run, comparison, declines=declines, details=False)


def lint_annotations(report: LintReport, places: Places = HERE) -> str:
    """The findings of `row3 lint` as workflow commands at their lines; GitHub shows ten of a level."""
    lines = [
        annotation(
            found.level,
            f"{found.field}: {found.message}" if found.field else found.message,
            title=f"row3 lint: {found.rule}",
            file=f"{places.inside}{found.file}",
            line=found.line,
        )
        for found in report.findings
    ]
    lines.append(annotation("notice", findings_summary(report), title="row3 lint"))
    return "".join(f"{line}\n" for line in lines)


def annotation(level: Level, message: str, *, title: str, file: str = "", line: int = 0) -> str:
    """One workflow command; nothing in its parts can end it or begin another."""
    place = f"file={_property(file)}," if file else ""
    place += f"line={line}," if line else ""
    return f"::{level} {place}title={_property(title)}::{_data(message)}"


def _reason(comparison: ComparisonView, reason: Reason, name: str, places: Places) -> tuple[Level, str]:
    level: Level = "error" if reason.verdict is Verdict.BLOCK and comparison.blocked else "warning"
    file = _file(comparison.run, reason.case_id, places) if reason.case_id else ""
    return level, annotation(level, reason.text, title=f"{name}: {reason.verdict.word}", file=file)


def _case(run: RunView, outcome: Outcome, name: str, places: Places) -> tuple[Level, str] | None:
    file = _file(run, outcome.case_id, places)
    if outcome.status == "failed":
        text = f"{outcome.case_id}: {outcome.problem}"
        return "error", annotation("error", text, title=f"{name}: no answer", file=file)
    if outcome.status == "bad_answer":
        text = f"{outcome.case_id}: {outcome.problem}"
        return "warning", annotation("warning", text, title=f"{name}: bad answer", file=file)
    if outcome.regressed and outcome.delta is not None and outcome.value is not None:
        moved = f"{numbers.percent(outcome.value)} ({numbers.points(outcome.delta)} points)"
        return "warning", annotation("warning", f"{outcome.case_id}: {moved}", title=f"{name}: regressed", file=file)
    return None


def _file(run: RunView, case_id: str, places: Places) -> str:
    """Found where the host of the repository looks for it: from its root on."""
    if places is HERE:
        return f"{run.suite.golden}/{case_id}.gold.json"
    return f"{places.inside}{places.case(run.suite.name, case_id)}"


def _data(text: str) -> str:
    lines = "\n".join(plain(line) for line in text.splitlines())
    return lines.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text)).replace(":", "%3A").replace(",", "%2C")
