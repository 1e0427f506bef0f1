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
    from row3.reports.places import Places
    from row3.workflows.comparing.comparison import Comparison
    from row3.workflows.hook import HookVerdict
    from row3.workflows.pipeline.run_suite import Run
    from row3.workflows.running import Announced

INCOMPLETE = 3
BLOCKED = 1


def show_run(announced: Announced, common: Common) -> int:
    """Show a scorecard; returns 3 if a case has no answer, else 0."""
    run = announced.run
    common.show(other_format(run, None, common, declines=announced.declines) or scorecard(announced, common))
    return _tell_incomplete(run, common) if run.collected.failed else 0


def show_comparison(comparison: Comparison, common: Common, page: Iterable[bytes] | None = None) -> int:
    """Show a comparison, or its page; returns 3 if a case has no answer, 1 if the gate blocks, else 0."""
    other = page or other_format(comparison.run, comparison, common, declines=comparison.declines)
    common.show(other if other is not None else whole_comparison(comparison, common))
    if comparison.run.collected.failed:
        return _tell_incomplete(comparison.run, common)
    return BLOCKED if comparison.blocked else 0


def show_hook(verdict: HookVerdict, common: Common) -> int:
    """Show what a hook found, in one screen on stderr, which git passes on; returns the exit code."""
    from row3.reports.hooks.hook_text import hook_text

    text = hook_text(verdict, colour=sys.stderr.isatty() and common.wants_colour)
    if text and not common.quiet:
        sys.stderr.write(text)
    return verdict.exit_code


def headline(run: Run, common: Common) -> str:
    """Return the line that names the versions that run and the promoted ones, wrapped on a terminal."""
    from row3.reports.headline import what_runs

    line = what_runs(run, run.suite.name)
    return "\n".join(common.style.wrap(line, then="  ")) if common.on_terminal else line


def scorecard(announced: Announced, common: Common) -> str:
    """Return the whole scorecard for a person."""
    from row3.reports.scorecard_table import scorecard_table

    run, verbose = announced.run, common.verbose > 0
    table = scorecard_table(run, declines=announced.declines, colour=common.colour, verbose=verbose, width=common.width)
    return f"{headline(run, common)}\n\n{table}"


def whole_comparison(comparison: Comparison, common: Common) -> str:
    """Return the whole comparison for a person."""
    from row3.reports.comparison_table import comparison_table

    table = comparison_table(comparison, colour=common.colour, verbose=common.verbose > 0, width=common.width)
    return f"{headline(comparison.run, common)}\n\n{table}"


def other_format(
    run: Run, comparison: Comparison | None, common: Common, *, declines: int
) -> str | Iterable[bytes] | None:
    """Return the result in the format that --format names; None for the table."""
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
            from row3.reports.markdowns.comment import comment_markdown
            from row3.reports.suites.suites_model import Judged

            if comparison is None:
                raise no_comment()
            return comment_markdown([Judged(comparison)])
    return None


def no_comment() -> Exception:
    """Return the error for a comment on a run that was not compared."""
    from row3.errors import UsageError

    what, fix = "a comment reports a comparison", "Add --compare, or use --format markdown"
    return UsageError(what, where="--format comment", fix=fix)


def places_of(common: Common) -> Places:
    """Return the paths of the project's files from the root of its repository, as GitHub and GitLab want them."""
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


def tell_noted(common: Common, noted: int, *, in_git: bool) -> None:
    """Tell the reader of a table that the history got this many comparisons."""
    if noted and common.format in (None, "table"):
        subject = "the comparison is" if noted == 1 else f"{noted} comparisons are"
        common.say(f"{subject} noted in metrics-history.json{'; commit it with the change' if in_git else ''}")


def _tell_incomplete(run: Run, common: Common) -> int:
    """Report cases without an answer, and why unless the result has just said so; returns the exit code."""
    failed = run.collected.failed
    if common.format in (None, "table") and common.out is None:
        tell(f"error: the run is incomplete: {part(len(failed), run.cases, 'case', 'has', 'have')} no answer.")
        return INCOMPLETE
    problem = next((problem for case_id, problem in run.problems if case_id == failed[0]), "")
    more = f" (and {count(len(failed) - 1, 'more case')})" if len(failed) > 1 else ""
    text = f"{failed[0]}: {problem.rstrip('.')}{more}"
    tell(f"error: {text}{'' if text.endswith(('?', '!')) else '.'} The run is incomplete.")
    return INCOMPLETE
