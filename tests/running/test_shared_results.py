"""Results on a path that workers share: parts of a fitting size, each whole or done again, all of them seen."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from row3.domain.scores import CaseScore
from row3.errors import EnvironmentFault
from row3.project.cases import StoredCase
from row3.project.parquet import ROWS
from row3.project.project import open_project, pick_suite
from row3.project.shared_folder import CASES, DETAILS
from row3.running.case_results import Packing
from row3.running.execute import evaluate_all
from row3.running.processes import CHUNK, Processes
from row3.running.run_options import RunOptions
from row3.running.shared_results import SharedResults
from tests.projects import Box
from tests.rows import every_row
from tests.systems.wanted import missing

pytestmark = pytest.mark.slow  # pyarrow and fsspec come with make test-all
IDS = ["oven", "rye", "yeast"]


@pytest.fixture(autouse=True)
def _extra() -> None:
    if find_spec("pyarrow") is None or find_spec("fsspec") is None:
        missing("pyarrow and fsspec, of the extra row3[scale]")


Share = Callable[..., SharedResults]


@pytest.fixture
def share(small: Box, tmp_path: Path) -> Share:
    def shared(**options: bool) -> SharedResults:
        suite = pick_suite(open_project(small.root), None)
        found = RunOptions(results=str(tmp_path / "shared"), **options).begun(suite, "run-1").shared
        assert found is not None
        return found

    return shared


def scores(box: Box, shared: SharedResults, wanted: Callable[[str], bool] = bool) -> list[CaseScore]:
    project = open_project(box.root)
    pack = Packing(pick_suite(project, None), shared.explained, shared=shared)

    def evaluate(stored: StoredCase) -> CaseScore:
        if stored.id == "rye":
            return CaseScore(stored.id, "failed", {}, problem="no answer")
        return CaseScore(stored.id, "scored", {"recall": 0.1})

    return list(evaluate_all(project.cases, evaluate, pack, wanted, jobs=1))


@every_row(
    "workers, cases, size",
    [
        (0, 3, ROWS),  # this process alone
        (0, 10**6, ROWS),
        (2, 300, CHUNK),
        (2, 700, 88),
        (2, 10**6, ROWS),
        (64, 10**5, 391),
    ],
)
def test_every_worker_has_some_parts_and_none_is_small(share: Share, workers: int, cases: int, size: int) -> None:
    assert share().part_size(Processes(workers) if workers else None, cases) == size


def test_scores_come_back_without_what_the_worker_wrote(small: Box, share: Share) -> None:
    shared = share(explain=True)
    found = scores(small, shared)
    assert [(each.case_id, each.line, each.detail) for each in found] == [(each, b"", None) for each in IDS]
    records, details = shared.lines()
    for score in found:
        records.add(score.line)
        details.add(score.detail)
    assert len(records) == len(details) == 3
    told = [json.loads(line) for line in records]
    assert [each["id"] for each in told] == IDS
    assert [each["status"] for each in told] == ["scored", "failed", "scored"]
    assert [json.loads(line)["problem"] for line in list(details)[1:2]] == ["no answer"]
    assert [*records] == [*records]
    assert shared.found(3) == {"cases_file": shared.folder.url, "case_count": 3}


def test_without_explanations_there_are_no_details(small: Box, share: Share) -> None:
    shared = share()
    scores(small, shared)
    _, details = shared.lines()
    details.add(None)
    assert (len(details), list(details)) == (0, [])
    assert os.listdir(shared.folder.url) == ["cases-000000000.parquet"]


def test_a_part_without_a_wanted_case_is_not_written(small: Box, share: Share) -> None:
    shared = share()
    assert scores(small, shared, lambda case_id: case_id == "none") == []
    assert os.listdir(shared.folder.url) == []


def test_a_part_that_is_done_again_replaces_its_files(small: Box, share: Share) -> None:
    shared = share(explain=True)
    scores(small, shared)
    shared.folder.write(CASES.format(0), [b"half a fi"])
    scores(small, pickle.loads(pickle.dumps(shared)))
    assert sorted(os.listdir(shared.folder.url)) == ["cases-000000000.parquet", "details-000000000.jsonl"]
    assert shared.found(3)


def test_results_that_this_process_does_not_see_are_told(small: Box, share: Share) -> None:
    shared = share()
    scores(small, shared)
    with pytest.raises(EnvironmentFault) as found:
        shared.found(5)
    told = "the workers wrote the results of 5 cases, but here are those of 3. Choose a path that every worker"
    assert f"{shared.folder.url}: {told}" in str(found.value)


def test_results_that_go_while_they_are_needed_are_told(small: Box, share: Share) -> None:
    shared = share(explain=True)
    both = shared.lines()
    for score in scores(small, shared):
        for lines in both:
            lines.add(score.line)
    for lines, name in zip(both, (CASES, DETAILS), strict=True):
        assert len(list(lines)) == 3
        os.unlink(shared.folder.url + name.format(0))
        with pytest.raises(EnvironmentFault, match="--results: 3 cases were written, and 0 are left. Run again"):
            list(lines)
