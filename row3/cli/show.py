"""Shows results and returns their exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from row3.cli.common import Common
from row3.cli.output import append_summary, tell
from row3.domain.words import part

if TYPE_CHECKING:
    from row3.gate.results import Run, SuiteResult, SuitesReport
    from row3.reports.issues import Places

INCOMPLETE = 3
BLOCKED = 1


def show_result(result: SuiteResult | SuitesReport, common: Common, page: Iterable[bytes] | None = None) -> int:
    """Show a result in the chosen format, or its page; returns its exit code."""
    from row3.gate.results import SuiteResult

    common.show(page or result_text(result, common))
    if isinstance(result, SuiteResult) and result.run is not None and result.run.failed:
        _report_incomplete(result.run, common)
    return result.exit_code


def result_text(result: SuiteResult | SuitesReport, common: Common) -> str | Iterable[bytes]:
    """Return the result in the chosen format."""
    from row3.reports import formats

    if common.format == "github":
        append_summary(formats.step_summary(result))
    places = places_of(common) if common.format in ("github", "codequality") else None
    return formats.result_text(result, common.format, style=common.style, verbose=common.verbose > 0, places=places)


def places_of(common: Common) -> Places:
    """Return the paths of the project's files relative to the repository, as GitHub and GitLab need them."""
    from row3.errors import Row3Error
    from row3.project.base import repository_of
    from row3.project.cases import file_of
    from row3.project.git.forks import inside_of
    from row3.project.project import open_project
    from row3.reports.issues import Places

    try:
        project = open_project(common.start)
        repository = repository_of(project)
        inside = "" if repository is None else inside_of(repository, project.root)
    except Row3Error:  # outside of git, or `lint` of settings that cannot be used
        return Places()

    def case(suite: str, case_id: str) -> str:
        if project.tree.exists(usual := f"{(folder := project.golden(suite))}/{case_id}.gold.json"):
            return usual
        paths, entry = project.cases.paths(folder), project.cases.entry
        return next((file_of(path) for path in paths if entry(path).id == case_id), usual)

    return Places(inside, project.golden, case)


def note_history(common: Common, noted: int, *, in_git: bool) -> None:
    """Note how many comparisons the history gained, if the result is a table."""
    if noted and common.format in (None, "table"):
        subject = "the comparison was" if noted == 1 else f"{noted} comparisons were"
        common.say(f"{subject} added to metrics-history.json{'; commit it with the change' if in_git else ''}")


def note_baselines(common: Common, baselines: Sequence[str], *, in_git: bool) -> None:
    """Note which baselines were saved, or why none was."""
    if not common.may_write:
        common.say("nothing saved: runs in CI or in this format write no tracked file")
    elif baselines:
        more = f"; commit {'it' if len(baselines) == 1 else 'them'} with metrics-history.json" if in_git else ""
        what = "baseline saved as" if len(baselines) == 1 else "baselines saved:"
        common.say(f"{what} {', '.join(baselines)}{more}")


def _report_incomplete(run: Run, common: Common) -> None:
    """Report how many cases have no answer or grade, with the first problem unless the result shows it."""
    text = f"the run is incomplete: {part(len(run.failed), run.cases, 'case', 'has', 'have')} no {run.lacking}."
    if common.format not in (None, "table") or common.out is not None:
        first = run.failed[0]
        text += f" {first}: {dict(run.problems).get(first, '')}"
    tell(f"error: {text}")
