"""Work in forked processes: in order, bounded, and never left hanging."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, InvalidFile
from row3.workflows.pipeline.workers import AHEAD, in_order, may_start


def children() -> set[int]:
    own = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
    return {int(pid) for pid in Path(own).read_text().split()}


def test_results_come_in_the_order_of_the_tasks_from_several_processes() -> None:
    def do(worker: int, task: int) -> tuple[int, int, int]:
        time.sleep(0.002 * (task % 3))
        return worker, os.getpid(), task * task

    results = list(in_order(range(60), do, workers=3))
    assert [square for _, _, square in results] == [task * task for task in range(60)]
    assert len({pid for _, pid, _ in results} - {os.getpid()}) == 3
    assert len({(worker, pid) for worker, pid, _ in results}) == 3


def test_no_more_is_done_than_is_wanted(tmp_path: Path) -> None:
    def do(_: int, task: int) -> int:
        (tmp_path / str(task)).touch()
        return task

    before = children()
    results = in_order(range(100), do, workers=2)
    assert [next(results), next(results)] == [0, 1]
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) <= 2 * AHEAD + 2
    assert len(children() - before) == 2
    results.close()
    assert children() == before


def test_large_results_and_no_tasks() -> None:
    assert list(in_order([3, 1, 2], lambda _, size: b"x" * size * 2**20, workers=2)) == [
        b"x" * size * 2**20 for size in (3, 1, 2)
    ]
    assert list(in_order([], lambda _, task: task, workers=2)) == []


def test_an_error_arrives_in_its_turn_with_its_fields() -> None:
    def do(_: int, task: int) -> int:
        if task == 4:
            raise InvalidFile("it is broken", where="golden/a", fix="Mend it")
        return task

    results = in_order(range(40), do, workers=2)
    assert [next(results) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(InvalidFile) as caught:
        next(results)
    assert (caught.value.what, caught.value.where, caught.value.fix) == ("it is broken", "golden/a", "Mend it")


class Odd(Exception):
    """Cannot be made from what it keeps."""

    def __init__(self, left: str, right: str) -> None:
        super().__init__(left + right)


@pytest.mark.parametrize(("raised", "arrives"), [(KeyError("x"), KeyError), (Odd("a", "b"), RuntimeError)])
def test_a_defect_arrives_too(raised: Exception, arrives: type[Exception]) -> None:
    def do(_: int, task: int) -> int:
        raise raised

    with pytest.raises(arrives, match=str(raised)):
        list(in_order(range(5), do, workers=2))
    with pytest.raises(Exception, match="pickle"):
        list(in_order(range(5), lambda _, task: lambda: task, workers=2))


@pytest.mark.parametrize(("end", "said"), [(lambda: os.kill(os.getpid(), 9), "Killed, 9"), (lambda: os._exit(3), "3")])
def test_a_process_that_is_gone_ends_the_work_with_one_message(end: object, said: str) -> None:
    def do(_: int, task: int) -> int:
        if task == 7:
            end()  # type: ignore[operator]
        return task

    before = children()
    with pytest.raises(EnvironmentFault, match=said):
        list(in_order(range(40), do, workers=2))
    assert children() == before


def test_processes_that_are_gone_while_tasks_are_given_out(monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def no_reader(descriptor: int, data: bytes) -> int:
        if data == (9).to_bytes(4, "big"):
            for process in multiprocessing.active_children():
                process.kill()
                process.join()
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", no_reader)
    with pytest.raises(EnvironmentFault, match="Killed, 9"):
        list(in_order(range(40), lambda _, task: task, workers=2))


def test_a_process_that_is_gone_in_the_middle_of_its_message() -> None:
    dying: set[int] = set()

    def do(worker: int, task: int) -> bytes:
        if worker not in dying:
            dying.add(worker)
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return bytes(4_000_000)  # much more than a pipe holds

    def taken() -> None:
        results = in_order(range(40), do, workers=2)
        next(results)
        while any(child.is_alive() for child in multiprocessing.active_children()):
            time.sleep(0.05)  # they are writing, and nobody reads
        list(results)

    with pytest.raises(EnvironmentFault, match="Killed, 9"):
        taken()


def test_a_broken_pipe_of_the_work_is_not_taken_for_one_of_the_output() -> None:
    def do(_: int, task: int) -> int:
        raise BrokenPipeError("somebody else's")

    with pytest.raises(RuntimeError, match="somebody else's"):
        list(in_order(range(5), do, workers=2))


def test_a_process_that_was_stopped_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("row3.workflows.pipeline.workers.PATIENCE_S", 0.2)

    def do(_: int, task: int) -> int:
        if task == 7:
            raise ValueError("enough")
        if task == 8:
            os.kill(os.getpid(), signal.SIGSTOP)
        return task

    before = children()
    with pytest.raises(ValueError, match="enough"):
        list(in_order(range(40), do, workers=2))
    assert children() == before


def test_a_machine_that_has_no_room_for_processes_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", none)
    with pytest.raises(EnvironmentFault) as caught:
        list(in_order(range(5), lambda _, task: task, workers=2))
    assert str(caught.value) == (
        "row3: 2 processes cannot be started (Resource temporarily unavailable). Use --jobs 1."
    )


def test_a_process_of_a_pool_does_all_of_it_itself() -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(may_start) is False
    assert may_start() is True


SLOW = """
import sys, time
from row3.workflows.pipeline.workers import in_order

def do(worker, task):
    time.sleep(0.05)
    return task

try:
    for task in in_order(range(10_000), do, workers=2):
        print(task, flush=True)
except KeyboardInterrupt:
    sys.stderr.write("stopped")
    sys.exit(130)
"""


@pytest.mark.parametrize(("number", "code", "said"), [(signal.SIGINT, 130, b"stopped"), (signal.SIGKILL, -9, b"")])
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
