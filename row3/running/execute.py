"""Evaluate many cases in this process, or in forked ones."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
import traceback
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from row3.domain.runs import Shard
from row3.domain.scores import CaseScore
from row3.errors import EnvironmentFault, Row3Error
from row3.kinds.base import Kind
from row3.project.cases import Cases, StoredCase

if TYPE_CHECKING:
    from concurrent.futures import Future

PARALLEL_FROM = 300
"""Cases from which a second process is worth its start."""
CHUNK = 40
"""Cases in a task."""
MOST_A_CORE = 4
"""Most processes per core; `jobs` can be large, as it also limits concurrent requests."""
AHEAD = 3
"""Tasks per process submitted before the first result is taken; more would let results pile up."""
COLLECT_AFTER = 50_000
"""Objects between two collections of cycles; scoring makes no cycles, and the default of 700 takes 10% of the time."""
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGHUP", "SIGTERM") if hasattr(signal, name))

Task = TypeVar("Task")
Result = TypeVar("Result")

_do: Callable[[Any], Any]
"""The work of a forked process: inherited, so only tasks and results are pickled."""


@dataclass(frozen=True, slots=True)
class Processes:
    """Does tasks in forked processes, which end with this one however it ends."""

    workers: int

    def map(self, do: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Do tasks a few ahead. A task's error is raised in its turn; `EnvironmentFault` if a process was killed."""
        left = iter(tasks)
        with self.open(do) as submit:
            begun = deque(map(submit, islice(left, self.workers * AHEAD)))
            while begun:
                yield begun.popleft().result()
                begun.extend(map(submit, islice(left, 1)))

    @contextlib.contextmanager
    def open(self, do: Callable[[Task], Result]) -> Iterator[Callable[[Task], Future[Result]]]:
        """Start the processes and yield a function that submits a task. Raises as `map`."""
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool

        global _do  # noqa: PLW0603 - the one way to hand a closure to a forked process
        _do = do
        one: Callable[[Task], Result] = _one
        # A signal between the fork and `_begin` would print a traceback.
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        pool = ProcessPoolExecutor(
            self.workers, multiprocessing.get_context("fork"), initializer=_begin, initargs=(masked,)
        )
        try:
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
    """Do a task; send a defect back as its traceback, since not every exception can be pickled."""
    try:
        return _do(task)
    except Row3Error:
        raise
    except Exception as error:
        raise RuntimeError("".join(traceback.format_exception(error)).strip()) from None


def processes_for(tasks: int, jobs: int | None) -> Processes | None:
    """Return up to `jobs` processes (default: one per core); None for few tasks, or if forking does not work."""
    # A container or `taskset` may allow fewer cores than the machine has.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(jobs or cores, MOST_A_CORE * cores, tasks // CHUNK)
    if tasks < PARALLEL_FROM or workers < 2 or not hasattr(os, "fork"):
        return None
    import multiprocessing

    # A daemonic process, such as a pool's worker, may not have children.
    return None if multiprocessing.current_process().daemon else Processes(workers)


def evaluate_all(
    cases: Cases,
    folder: str,
    kind: Kind,
    evaluate: Callable[[StoredCase], CaseScore],
    wanted: Callable[[str], bool],
    *,
    jobs: int | None,
    shard: Shard | None = None,
) -> Iterator[CaseScore]:
    """Evaluate every wanted case, of a shard or the suite, in file order.

    Raises what `evaluate` raises, and `InvalidFile` for an id twice.
    """
    paths = cases.scored(folder)
    paths = paths if shard is None else shard.part(paths)
    processes = processes_for(len(paths), jobs)
    do_all, size = (map, 1) if processes is None else (processes.map, CHUNK)

    def chunk(start: int) -> list[CaseScore]:
        read = cases.at(paths[start : start + size], kind)
        return [evaluate(stored) for stored in read if wanted(stored.id)]

    seen = array("q")
    with few_collections() if len(paths) >= PARALLEL_FROM else contextlib.nullcontext():
        for result in chain.from_iterable(do_all(chunk, range(0, len(paths), size))):
            seen.append(hash(result.case_id))
            yield result
    if len(set(seen)) < len(seen):
        list(cases.read(folder, kind))  # names the two files of an id


@contextlib.contextmanager
def few_collections() -> Iterator[None]:
    """Keep the garbage collector from writing to, and so copying, the pages that forked processes share."""
    often = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*often)
        gc.unfreeze()
