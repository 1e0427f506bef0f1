"""Work split over processes: in order, bounded, and never left hanging."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, InvalidFile
from row3.running.processes import AHEAD, PARALLEL_FROM, Processes, in_order, processes_for
from tests.rows import every_row


def children() -> set[int]:
    return {int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()}


def test_several_processes_return_results_in_task_order() -> None:
    def do(task: int) -> tuple[int, int]:
        time.sleep(0.002 * (task % 3))
        return os.getpid(), task * task

    results = list(in_order(Processes(3), do, range(60)))
    assert [square for _, square in results] == [task * task for task in range(60)]
    assert len({pid for pid, _ in results} - {os.getpid()}) == 3
    assert list(in_order(Processes(2), do, [])) == []


def test_only_requested_results_are_computed(tmp_path: Path) -> None:
    def do(task: int) -> int:
        (tmp_path / str(task)).touch()
        return task

    before = children()
    results = in_order(Processes(2), do, range(100))
    assert [next(results), next(results)] == [0, 1]
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) <= 2 * AHEAD + 2
    assert len(children() - before) == 2
    results.close()
    assert children() == before


def test_an_error_is_raised_in_task_order_with_its_fields() -> None:
    def do(task: int) -> int:
        if task == 4:
            raise InvalidFile("it is broken", where="golden/a", fix="Fix it")
        return task

    results = in_order(Processes(2), do, range(40))
    assert [next(results) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(InvalidFile) as caught:
        next(results)
    assert (caught.value.what, caught.value.where, caught.value.fix) == ("it is broken", "golden/a", "Fix it")


class Odd(Exception):
    """Cannot be made from what it keeps."""

    def __init__(self, left: str, right: str) -> None:
        super().__init__(left + right)


@every_row("raised", [KeyError("x"), Odd("a", "b"), BrokenPipeError("somebody else's")])
def test_a_defect_arrives_with_its_traceback(raised: Exception) -> None:
    def do(task: int) -> int:
        raise raised

    with pytest.raises(RuntimeError, match=f"in do[^$]*{raised}"):
        list(in_order(Processes(2), do, range(5)))
    with pytest.raises(Exception, match="pickle"):
        list(in_order(Processes(2), lambda task: lambda: task, range(5)))


def test_a_killed_process_ends_the_run_with_one_message() -> None:
    def do(task: int) -> int:
        if task == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        return task

    before = children()
    with pytest.raises(EnvironmentFault, match="was killed. If memory ran out, use --jobs 1"):
        list(in_order(Processes(2), do, range(40)))
    assert children() == before


def test_processes_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", none)
    with pytest.raises(EnvironmentFault) as caught:
        list(in_order(Processes(2), abs, range(5)))
    assert str(caught.value) == "row3: cannot start 2 processes (Resource temporarily unavailable). Use --jobs 1."


def test_few_cases_one_core_or_one_job_need_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processes_for(PARALLEL_FROM, 3) == Processes(3)
    assert processes_for(PARALLEL_FROM, 1) is None
    assert processes_for(PARALLEL_FROM - 1, 3) is None
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5}, raising=False)
    assert processes_for(PARALLEL_FROM, None) is None
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 5}, raising=False)
    assert processes_for(PARALLEL_FROM, None) == Processes(2)


@every_row(("cases", "chunk"), [(600, 40), (2_000, 100), (100_000, 250)])
def test_tasks_are_larger_in_a_large_run(cases: int, chunk: int) -> None:
    assert processes_for(cases, 2) == Processes(2, chunk)


def test_a_task_may_yield_to_other_threads_sooner_while_results_arrive() -> None:
    before = sys.getswitchinterval()
    results = in_order(Processes(2), abs, range(4))
    next(results)
    assert sys.getswitchinterval() < before
    results.close()
    assert sys.getswitchinterval() == before


def test_a_daemonic_process_starts_no_others() -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(processes_for, (PARALLEL_FROM, 3)) is None


SLOW = """
import sys, time
from row3.running.processes import Processes, in_order

def do(task):
    time.sleep(0.05)
    return task

try:
    for task in in_order(Processes(2), do, range(10_000)):
        print(task, flush=True)
except KeyboardInterrupt:
    sys.stderr.write("stopped")
    sys.exit(130)
"""


@every_row(("number", "code", "said"), [(signal.SIGINT, 130, b"stopped"), (signal.SIGKILL, -9, b"")])
def test_the_processes_end_with_their_parent(number: int, code: int, said: bytes) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"0\n"
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.kill()
        _, errors = process.communicate(timeout=20)  # returns when no process has the pipes any more
    assert (process.returncode, errors) == (code, said)
