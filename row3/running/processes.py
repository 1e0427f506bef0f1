"""Work that other processes do, and the forked ones that do it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from row3.errors import EnvironmentFault, Row3Error

if TYPE_CHECKING:
    from concurrent.futures import Future

PARALLEL_FROM = 300
"""Cases from which a second process is worth its start."""
CHUNK = 40
"""Least cases in a task of a forked process."""
LARGE_CHUNK = 250
"""Most cases in a task; in a large run, sending fewer takes a noticeable part of the time."""
MOST_A_CORE = 4
"""Most processes per core; `jobs` can be large, as it also limits concurrent requests."""
AHEAD = 3
"""Tasks per process submitted before the first result is taken; more would let results pile up."""
ROUNDS = 10
"""Tasks for each process, if they are large enough, so that all processes end at about the same time."""
SWITCH_S = 0.0005
"""Seconds after which a thread that collects results lets another receive them; by default workers wait for 5 ms."""
COLLECT_AFTER = 500_000
"""Objects between two collections of cycles; scoring makes no cycles, and the default of 700 takes 10% of the time."""
OTHER_FILES = 128
"""Files that a run has open, apart from connections."""
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGHUP", "SIGTERM") if hasattr(signal, name))

Task = TypeVar("Task")
Result = TypeVar("Result")

_do: Callable[[Any], Any]
"""The work of a forked process: inherited, so only tasks and results are pickled."""


class Work(ABC, Generic[Task, Result]):
    """What workers do with each task."""

    @abstractmethod
    def __call__(self, task: Task, /) -> Result:
        """Do a task."""

    def lost(self, task: Task, why: str, /) -> Result:
        """Return the result of a task during which every worker ended that it was given to, or raise an error."""
        raise EnvironmentFault(why, where="row3", fix="Run the command again without --executor ray")

    def seen(self) -> str:
        """Return a digest of the files that workers read, which on another machine could be others."""
        return ""


class Executor(Protocol):
    """Other processes that do tasks."""

    @property
    def workers(self) -> int:
        """How many processes there are."""

    @property
    def chunk(self) -> int:
        """Cases in a task: as few as keep sending it cheap."""

    def open(self, work: Work[Task, Result]) -> AbstractContextManager[Callable[[Task], Future[Result]]]:
        """Start the processes, for a function that submits a task; a task's error is its future's.

        Raises `EnvironmentFault` if processes do not start or are killed.
        """


def in_order(
    executor: Executor | None, work: Work[Task, Result], tasks: Iterable[Task]
) -> Generator[Result, None, None]:
    """Do tasks a few ahead, here if there is no executor, and yield their results in order.

    Raises as `Executor.open`, and a task's error.
    """
    if executor is None:
        yield from map(work, tasks)
        return
    left = iter(tasks)
    with executor.open(work) as submit:
        begun = deque(map(submit, islice(left, executor.workers * AHEAD)))
        while begun:
            yield begun.popleft().result()
            begun.extend(map(submit, islice(left, 1)))


@dataclass(frozen=True, slots=True)
class Processes:
    """Does tasks in forked processes, which end with this one however it ends."""

    workers: int
    chunk: int = CHUNK

    @contextlib.contextmanager
    def open(self, work: Callable[[Task], Result]) -> Iterator[Callable[[Task], Future[Result]]]:
        """Start the processes, as `Executor.open`."""
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool

        global _do  # noqa: PLW0603 - the one way to hand a closure to a forked process
        _do = work
        one: Callable[[Task], Result] = _one
        # A signal between the fork and `_begin` would print a traceback.
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        pool = ProcessPoolExecutor(
            self.workers, multiprocessing.get_context("fork"), initializer=_begin, initargs=(masked,)
        )
        interval = sys.getswitchinterval()
        try:
            sys.setswitchinterval(SWITCH_S)
            try:
                pool.submit(os.getpid)  # forks all processes before this one has threads and connections
            except OSError as error:
                what = f"cannot start {self.workers} processes ({error.strerror or error})"
                raise EnvironmentFault(what, where="row3", fix="Use --jobs 1") from None
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, masked)
            yield lambda task: pool.submit(one, task)
        except BrokenProcessPool:
            what = "a process that scored cases was killed"
            raise EnvironmentFault(what, where="row3", fix="If memory ran out, use --jobs 1") from None
        finally:
            sys.setswitchinterval(interval)
            pool.shutdown(cancel_futures=True)


def _begin(signals: Iterable[int]) -> None:
    """Set up a forked process: it leaves Ctrl-C to its parent and ends with it."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL if number is signal.SIGTERM else signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, signals)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _one(task: object) -> Any:
    return done(_do, task)


def done(work: Callable[[Task], Result], task: Task) -> Result:
    """Do a task with `plain_errors`."""
    with plain_errors():
        return work(task)


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Raise a defect inside the block as its traceback, since not every exception can be pickled."""
    try:
        yield
    except Row3Error:
        raise
    except Exception as error:
        raise RuntimeError("".join(traceback.format_exception(error)).strip()) from None


def processes_for(tasks: int, jobs: int | None) -> Processes | None:
    """Return up to `jobs` processes (default: one per core); None for few tasks, or if forking does not work."""
    cores = count_cores()
    workers = min(jobs or cores, MOST_A_CORE * cores, tasks // CHUNK)
    if tasks < PARALLEL_FROM or workers < 2 or not hasattr(os, "fork"):
        return None
    import multiprocessing

    # A daemonic process, such as a pool's worker, may not have children.
    if multiprocessing.current_process().daemon:
        return None
    return Processes(workers, max(CHUNK, min(LARGE_CHUNK, tasks // (workers * ROUNDS))))


def count_cores() -> int:
    """Return the number of cores; a container or `taskset` may allow fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def allow_connections(count: int) -> None:
    """Raise this process's limit of open files for that many connections, as far as the system allows."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = count + OTHER_FILES if hard == resource.RLIM_INFINITY else min(count + OTHER_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
