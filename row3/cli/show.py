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
    from row3.reports.issues import Places
    from row3.store.history import HistoryEntry
    from row3.workflows.comparing.comparison import Comparison
    from row3.workflows.hook import HookVerdict
    from row3.workflows.pipeline.run_suite import Run
    from row3.workflows.running import Announced

INCOMPLETE = 3
BLOCKED = 1


def show_run(announced: Announced, common: Common) -> int:
    """A scorecard; 3 where a case has no answer, else 0."""
    run = announced.run
    emit(result_text(run, None, common, declines=announced.declines), common.out)
    if run.collected.failed:
        _tell_incomplete(run, common)
        return INCOMPLETE
    return 0


def result_text(run: Run, comparison: Comparison | None, common: Common, *, declines: int = 0) -> str | Iterable[bytes]:
    """The result in the wanted format. Raises `UsageError` for a comment about a run that is not compared."""
    from row3.errors import UsageError
    from row3.reports.formats import run_summary, run_text
    from row3.reports.issues import HERE

    if common.format == "comment" and comparison is None:
        what, fix = "a comment is about a comparison", "Add --compare, or use --format markdown"
        raise UsageError(what, where="--format comment", fix=fix)
    places = places_of(common) if common.format in ("github", "codequality") else HERE
    if common.format == "github":
        append_summary(run_summary(run, comparison, declines=declines))
    return run_text(
        run,
        comparison,
        common.format,
        declines=declines,
        style=common.style,
        verbose=common.verbose > 0,
        places=places,
    )


def places_of(common: Common) -> Places:
    """How the project's files are called from the root of its repository, as GitHub and GitLab want them."""
    from row3.errors import Row3Error
    from row3.reports.issues import Places
    from row3.store.project import open_project
    from row3.vcs.repository import Repository
    from row3.workflows.snapshots import inside_of

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
        emit(result_text(comparison.run, comparison, common), common.out)
    if comparison.run.collected.failed:
        _tell_incomplete(comparison.run, common)
        return INCOMPLETE
    if not comparison.judgement.complete:
        return INCOMPLETE
    return BLOCKED if comparison.blocked else 0


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
    from row3.reports.hook import hook_document
    from row3.reports.style import Style
    from row3.reports.terminal import terminal_text

    document = hook_document(verdict)
    colour = sys.stderr.isatty() and not common.no_color and not os.environ.get("NO_COLOR")
    if not common.quiet and (text := terminal_text(document, Style(colour)).strip("\n")):
        sys.stderr.write(f"{text}\n")
    return verdict.exit_code
