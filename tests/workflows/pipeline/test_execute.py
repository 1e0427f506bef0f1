"""Cases shared among processes, or not."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from row3.workflows.pipeline.execute import PARALLEL_FROM, evaluate_all
from row3.workflows.pipeline.results import CaseResult

FILES = [Path(f"{number}.gold.json") for number in range(PARALLEL_FROM)]


class _Work:
    """Gives each case the number of the process that saw it."""

    detailed = False

    def run(self, paths: Iterable[Path]) -> Iterator[CaseResult]:
        none: dict[str, Any] = {}
        for path in paths:
            yield CaseResult(
                path.name, str(os.getpid()), none, none, none, none, b"", None, "", (), none, 1, (), False, None, None
            )


def processes(jobs: int | None) -> tuple[list[str], set[int]]:
    """The cases in the order in which they came, and the processes that saw them."""
    results = list(evaluate_all(FILES, _Work(), jobs=jobs))
    return [result.case_id for result in results], {int(result.status) for result in results}


def test_a_process_of_a_pool_which_may_have_none_of_its_own_does_all_of_it() -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        cases, seen = pool.apply(processes, (3,))
    assert cases == [path.name for path in FILES]
    assert len(seen) == 1
    assert os.getpid() not in processes(3)[1]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system cannot keep a process to some cores")
def test_one_core_that_may_be_used_is_no_reason_for_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5})
    assert processes(None)[1] == {os.getpid()}
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 5})
    assert os.getpid() not in processes(None)[1]
