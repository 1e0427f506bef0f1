"""Hands results to reports, and the exit code to the shell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from itertools import chain
from typing import TYPE_CHECKING

from row3.cli.common import Common
from row3.cli.output import append_summary, tell
from row3.domain.counts import part

if TYPE_CHECKING:
    from row3.gate.results import Run, SuiteResult, SuitesReport
    from row3.reports.issues import Places

INCOMPLETE = 3
BLOCKED = 1


def show_result(result: SuiteResult | SuitesReport, common: Common, page: Iterable[bytes] | None = None) -> int:
    """Show a result in the format of --format, or its page; returns its exit code."""
    from row3.gate.results import SuiteResult

    common.show(page or result_text(result, common))
    if isinstance(result, SuiteResult) and result.run is not None and result.run.failed:
        _tell_incomplete(result.run, common)
    return result.exit_code


def result_text(result: SuiteResult | SuitesReport, common: Common) -> str | Iterable[bytes]:
    """Return the result in the format of --format."""
    from row3.reports import formats
    from row3.reports.issues import HERE

    if common.format == "github":
        append_summary(formats.step_summary(result))
    places = places_of(common) if common.format in ("github", "codequality") else HERE
    return formats.result_text(result, common.format, style=common.style, verbose=common.verbose > 0, places=places)


def places_of(common: Common) -> Places:
    """Return the paths of the project's files from the root of its repository, as GitHub and GitLab want them."""
    from row3.errors import Row3Error
    from row3.reports.issues import Places
    from row3.store.cases import MANY
    from row3.store.project import open_project
    from row3.vcs.repository import Repository
    from row3.workflows.snapshots import inside_of

    try:
        project = open_project(common.start)
        repository = Repository.find(project.root)
        inside = "" if repository is None else inside_of(repository, project.root)
    except Row3Error:  # outside of git, or `lint` of settings that cannot be used
        return Places()

    def case(suite: str, case_id: str) -> str:
        folder, usual = project.golden(suite), f"{case_id}.gold.json"
        tree = project.tree
        if not tree.exists(f"{folder}/{usual}"):
            paths, quoted = tree.files(folder, deep=True), f'"{case_id}"'.encode()
            found = (path for path in paths if path.endswith(f"/{usual}"))
            many = (path for path in paths if fnmatch(path, f"*/{MANY}") and quoted in tree.read(path))
            return next(chain(found, many), f"{folder}/{usual}")
        return f"{folder}/{usual}"

    return Places(inside, project.golden, case)


def tell_noted(common: Common, noted: int, *, in_git: bool) -> None:
    """Tell the reader of a table that the history got this many comparisons."""
    if noted and common.format in (None, "table"):
        subject = "the comparison is" if noted == 1 else f"{noted} comparisons are"
        common.say(f"{subject} noted in metrics-history.json{'; commit it with the change' if in_git else ''}")


def tell_saved(common: Common, baselines: Sequence[str], *, in_git: bool) -> None:
    """Say which baselines were saved, or that none may be."""
    if not common.may_write:
        common.say("nothing was saved: a run in CI or for this format writes no tracked file")
    elif baselines:
        more = f"; commit {'it' if len(baselines) == 1 else 'them'} with metrics-history.json" if in_git else ""
        what = "baseline saved as" if len(baselines) == 1 else "baselines saved:"
        common.say(f"{what} {', '.join(baselines)}{more}")


def _tell_incomplete(run: Run, common: Common) -> None:
    """Report how many cases have no answer, and why the first unless the result on the screen says so."""
    text = f"the run is incomplete: {part(len(run.failed), run.cases, 'case', 'has', 'have')} no answer."
    if common.format not in (None, "table") or common.out is not None:
        first = run.failed[0]
        text += f" {first}: {dict(run.problems).get(first, '')}"
    tell(f"error: {text}")
