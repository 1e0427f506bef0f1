"""Hands results to reports, and the exit code to the shell."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from row3.cli.common import Common
from row3.cli.output import append_summary, tell
from row3.domain.counts import count, part

if TYPE_CHECKING:
    from row3.gate.results import Comparison, Run
    from row3.reports.issues import Places
    from row3.workflows.hook import HookVerdict
    from row3.workflows.running import Announced

INCOMPLETE = 3
BLOCKED = 1


def show_run(announced: Announced, common: Common) -> int:
    """Show a scorecard; returns 3 if a case has no answer, else 0."""
    run = announced.run
    common.show(result_text(run, None, common, declines=announced.declines))
    return _tell_incomplete(run, common) if run.failed else 0


def show_comparison(comparison: Comparison, common: Common, page: Iterable[bytes] | None = None) -> int:
    """Show a comparison, or its page; returns 3 if a case has no answer, 1 if the gate blocks, else 0."""
    common.show(page or result_text(comparison.run, comparison, common))
    if comparison.run.failed:
        return _tell_incomplete(comparison.run, common)
    if not comparison.judgement.complete:
        return INCOMPLETE
    return BLOCKED if comparison.blocked else 0


def show_hook(verdict: HookVerdict, common: Common) -> int:
    """Show what a hook found, in one screen on stderr, which git passes on; returns the exit code."""
    from row3.reports.hook import hook_document
    from row3.reports.style import Style
    from row3.reports.terminal import terminal_text

    text = terminal_text(hook_document(verdict), Style(sys.stderr.isatty() and common.wants_colour)).strip("\n")
    if text and not common.quiet:
        sys.stderr.write(f"{text}\n")
    return verdict.exit_code


def result_text(run: Run, comparison: Comparison | None, common: Common, *, declines: int = 0) -> str | Iterable[bytes]:
    """Return the result in the format of --format. Raises `UsageError` for a comment on a run that was not compared."""
    from row3.reports.formats import run_summary, run_text
    from row3.reports.issues import HERE

    if common.format == "comment" and comparison is None:
        raise no_comment()
    if common.format == "github":
        append_summary(run_summary(run, comparison, declines=declines))
    return run_text(
        run,
        comparison,
        common.format,
        declines=declines,
        style=common.style,
        verbose=common.verbose > 0,
        places=places_of(common) if common.format in ("github", "codequality") else HERE,
    )


def no_comment() -> Exception:
    """Return the error for a comment on a run that was not compared."""
    from row3.errors import UsageError

    what, fix = "a comment is about a comparison", "Add --compare, or use --format markdown"
    return UsageError(what, where="--format comment", fix=fix)


def places_of(common: Common) -> Places:
    """Return the paths of the project's files from the root of its repository, as GitHub and GitLab want them."""
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


def tell_noted(common: Common, noted: int, *, in_git: bool) -> None:
    """Tell the reader of a table that the history got this many comparisons."""
    if noted and common.format in (None, "table"):
        subject = "the comparison is" if noted == 1 else f"{noted} comparisons are"
        common.say(f"{subject} noted in metrics-history.json{'; commit it with the change' if in_git else ''}")


def _tell_incomplete(run: Run, common: Common) -> int:
    """Report cases without an answer, and why unless the result has just said so; returns the exit code."""
    failed = run.failed
    if common.format in (None, "table") and common.out is None:
        tell(f"error: the run is incomplete: {part(len(failed), run.cases, 'case', 'has', 'have')} no answer.")
        return INCOMPLETE
    problem = next((problem for case_id, problem in run.problems if case_id == failed[0]), "")
    more = f" (and {count(len(failed) - 1, 'more case')})" if len(failed) > 1 else ""
    text = f"{failed[0]}: {problem.rstrip('.')}{more}"
    tell(f"error: {text}{'' if text.endswith(('?', '!')) else '.'} The run is incomplete.")
    return INCOMPLETE
