"""Handing results to reports, and the exit code to the shell."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from row3.cli.options import Common
from row3.cli.output import emit, tell
from row3.domain.counts import count, part

if TYPE_CHECKING:
    from row3.reports.places import Places
    from row3.store.history import HistoryEntry
    from row3.workflows.comparing.comparison import Comparison
    from row3.workflows.hook import HookVerdict
    from row3.workflows.pipeline.run_suite import Run
    from row3.workflows.running import Announced

INCOMPLETE = 3
BLOCKED = 1


def headline(run: Run, common: Common) -> str:
    """Which versions run, and which are promoted: one line, but for a terminal that is too narrow for it."""
    from row3.reports.headline import what_runs

    line = what_runs(run, run.suite.name)
    return "\n".join(common.style.wrap(line, then="  ")) if common.on_terminal else line


def show_run(announced: Announced, common: Common) -> int:
    """A scorecard; 3 where a case has no answer, else 0."""
    emit(_run_text(announced, common), common.out)
    run = announced.run
    if run.collected.failed:
        _tell_incomplete(run, common)
        return INCOMPLETE
    return 0


def _run_text(announced: Announced, common: Common) -> str | Iterable[bytes]:
    return other_format(announced.run, None, common, declines=announced.declines) or scorecard(announced, common)


def scorecard(announced: Announced, common: Common) -> str:
    """The whole scorecard for a person."""
    from row3.reports.scorecard_table import scorecard_table

    run = announced.run
    table = scorecard_table(
        run, declines=announced.declines, colour=common.colour, verbose=common.verbose > 0, width=common.width
    )
    return f"{headline(run, common)}\n\n{table}"


def other_format(
    run: Run, comparison: Comparison | None, common: Common, *, declines: int
) -> str | Iterable[bytes] | None:
    """The result in a format other than the table."""
    match common.format:
        case "json":
            from row3.reports.result_json import result_json

            return result_json(run, comparison, declines=declines)
        case "markdown":
            from row3.reports.markdowns.markdown import markdown_report

            return markdown_report(run, comparison, declines=declines)
        case "junit":
            from row3.reports.ci.junit import junit_xml

            return junit_xml(run, comparison)
        case "github":
            from row3.reports.ci.github import github_annotations, step_summary

            append_summary(step_summary(run, comparison, declines=declines))
            return github_annotations(run, comparison, declines=declines, places=places_of(common))
        case "codequality":
            from row3.reports.ci.codequality import codequality_json

            return codequality_json(run, comparison, places_of(common))
        case "comment":
            from row3.errors import UsageError
            from row3.reports.markdowns.comment import comment_markdown
            from row3.reports.suites.suites_model import Judged

            if comparison is None:
                what, fix = "a comment tells of a comparison", "Add --compare, or use --format markdown"
                raise UsageError(what, where="--format comment", fix=fix)
            return comment_markdown([Judged(comparison)])
    return None


def places_of(common: Common) -> Places:
    """How the project's files are called from the root of its repository, as GitHub and GitLab want them."""
    from row3.errors import Row3Error
    from row3.reports.places import Places
    from row3.store.project import open_project
    from row3.vcs.repository import Repository
    from row3.workflows.against.at_ref import inside_of

    try:
        project = open_project(common.start)
        repository = Repository.find(project.root)
        inside = "" if repository is None else inside_of(repository, project.root)
    except Row3Error:  # outside of git, or `lint` of settings that cannot be used
        return Places()

    def folder(suite: str) -> str:
        return project.golden(suite)

    def case(suite: str, case_id: str) -> str:
        usual = f"{case_id}.gold.json"
        if not (project.root / project.golden(suite) / usual).is_file():
            for path in (project.root / project.golden(suite)).rglob(glob.escape(usual)):
                return path.relative_to(project.root).as_posix()
        return f"{folder(suite)}/{usual}"

    return Places(inside, folder, case)


def show_comparison(comparison: Comparison, common: Common, *, history: Sequence[HistoryEntry] = ()) -> int:
    """A comparison; 3 where a case has no answer, 1 where the gate blocks, else 0.

    A page for a browser also draws `history`, the suite's earlier runs.
    """
    if common.format == "html":
        from row3.reports.html import html_report

        emit(html_report(comparison, history), common.out)
    else:
        emit(_comparison_text(comparison, common), common.out)
    if comparison.run.collected.failed:
        _tell_incomplete(comparison.run, common)
        return INCOMPLETE
    return BLOCKED if comparison.blocked else 0


def _comparison_text(comparison: Comparison, common: Common) -> str | Iterable[bytes]:
    other = other_format(comparison.run, comparison, common, declines=comparison.declines)
    return other if other is not None else whole_comparison(comparison, common)


def whole_comparison(comparison: Comparison, common: Common) -> str:
    """The whole comparison for a person."""
    from row3.reports.comparison_table import comparison_table

    table = comparison_table(comparison, colour=common.colour, verbose=common.verbose > 0, width=common.width)
    return f"{headline(comparison.run, common)}\n\n{table}"


def append_summary(markdown: str) -> None:
    """Append to the step's summary, where GitHub says to."""
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(markdown + "\n")


def _tell_incomplete(run: Run, common: Common) -> None:
    """That it is; and why, unless the person has just read that in the result."""
    failed = run.collected.failed
    if common.format in (None, "table") and common.out is None:
        tell(f"error: the run is incomplete: {part(len(failed), run.cases, 'case', 'has', 'have')} no answer.")
        return
    problem = next((problem for case_id, problem in run.problems if case_id == failed[0]), "")
    more = f" (and {count(len(failed) - 1, 'more case')})" if len(failed) > 1 else ""
    text = f"{failed[0]}: {problem.rstrip('.')}{more}"
    tell(f"error: {text}{'' if text.endswith(('?', '!')) else '.'} The run is incomplete.")


def tell_noted(common: Common, noted: int, *, in_git: bool) -> None:
    """Say to whoever reads a table that a tracked file was written: how many comparisons the history got."""
    if noted and common.format in (None, "table"):
        subject = "the comparison is" if noted == 1 else f"{noted} comparisons are"
        common.say(f"{subject} noted in metrics-history.json{'; commit it with the change' if in_git else ''}")


def show_hook(verdict: HookVerdict, common: Common) -> int:
    """What a hook found, in one screen on stderr: git shows that to the person."""
    from row3.reports.hooks.hook_text import hook_text

    text = hook_text(verdict, colour=sys.stderr.isatty() and not common.no_color and not os.environ.get("NO_COLOR"))
    if text and not common.quiet:
        sys.stderr.write(text)
    return verdict.exit_code
