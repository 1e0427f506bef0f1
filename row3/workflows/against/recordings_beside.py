"""Answers that a change lacks and that are recorded in the work tree: they were only not added."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from row3.errors import Row3Error
from row3.reports.suites.suites_model import Judged, SuiteResult
from row3.store.cases import CaseFiles, case_files
from row3.store.config import read_config
from row3.store.project import Project
from row3.store.tree import WorkTree
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.pipeline.run_suite import Run, RunOptions, make_asking, replay


def recorded_beside(laid_out: Path, results: Iterable[SuiteResult], work_tree: Path) -> set[str]:
    """The suites with cases without an answer, all of which the recordings of the work tree answer.

    Args:
        laid_out: the project as it was judged.
        results: what came of it.
        work_tree: the same project where people work.
    """
    found = set()
    for result in results:
        if isinstance(result, Judged) and result.comparison.run.collected.failed:
            assert isinstance(result.comparison, Comparison)
            if _answers(work_tree, laid_out, result.comparison.run):
                found.add(result.suite)
    return found


def _answers(work_tree: Path, laid_out: Path, run: Run) -> bool:
    judged = Project(laid_out, read_config(WorkTree(laid_out)))
    lacking = frozenset(run.collected.failed)
    options = RunOptions(mode="replay", only=lacking)
    try:
        files = CaseFiles(judged.tree, case_files(judged.tree, run.suite.golden))
        asking = make_asking(run.suite, run.lineup, options)
        results = replay(Project(work_tree, judged.config), run.suite, asking, options, files)
        return lacking <= {result.case_id for result in results if result.status != "failed"}
    except Row3Error:  # of recordings that cannot be read there is nothing to add
        return False
