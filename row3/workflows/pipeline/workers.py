"""Work shared among forked processes, its results in order."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from row3.errors import EnvironmentFault, Row3Error

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 3
"""Tasks a worker that are given out before the first of their results is taken, so that results do not pile up."""
PATIENCE_S = 5
"""Seconds in which a process that was told to end does so."""
NUMBER_BYTES = 4
"""Of a task's number. Every reader of the pipe takes one at once; what is written at once is never torn."""
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGHUP", "SIGTERM") if hasattr(signal, name))


def may_start() -> bool:
    """Whether processes can be forked here: on Windows they cannot, nor by one of a pool of `multiprocessing`."""
    return hasattr(os, "fork") and not multiprocessing.current_process().daemon


def in_order(tasks: Sequence[Task], do: Callable[[int, Task], Result], *, workers: int) -> Iterator[Result]:
    """Do every task in one of some forked processes; results in the order of the tasks.

    `do` is called with the number of its process, from 0 on, and is inherited, so only results have to be pickled. What
    it raises is raised here, in its turn. However the iteration ends, no process is left; where this one is killed, the
    others end by themselves. Raises `EnvironmentFault` where one of them was killed, and where none can be started.
    """
    crew = _Crew(len(tasks))
    done: dict[int, tuple[bool, Any]] = {}
    try:
        try:
            crew.start(lambda worker, number: do(worker, tasks[number]), workers)
        except OSError as error:
            what = f"{workers} processes cannot be started ({error.strerror or error})"
            raise EnvironmentFault(what, where="row3", fix="Use --jobs 1") from None
        for number in range(len(tasks)):
            while number not in done:
                done.update(crew.finished())
            fine, result = done.pop(number)
            if not fine:
                raise result
            crew.give_out()
            yield result
        crew.dismiss()
    finally:
        crew.end()


class _Crew:
    """The processes, the pipe from which they take their tasks, and one pipe each for their results."""

    def __init__(self, tasks: int) -> None:
        self._left = iter(range(tasks))
        self._giving: int | None = None
        self._results: dict[Connection, BaseProcess] = {}

    def start(self, do: Callable[[int, int], Any], workers: int) -> None:
        """Fork the processes and give out the first tasks. Raises `OSError` where the machine has no room for them."""
        taking, self._giving = os.pipe()
        context = multiprocessing.get_context("fork")
        # A signal that struck between the fork and the worker's own rules would be answered by a traceback.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            for worker in range(workers):
                mine, theirs = context.Pipe(duplex=False)
                begin = partial(_begin, self._giving, (*self._results, mine), before)
                process = context.Process(target=_work, args=(begin, partial(do, worker), taking, theirs), daemon=True)
                process.start()
                theirs.close()
                self._results[mine] = process
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.close(taking)
        for _ in range(workers * AHEAD):
            self.give_out()

    def give_out(self) -> None:
        """Let somebody take one more task, if there is one."""
        assert self._giving is not None
        for number in self._left:
            try:
                os.write(self._giving, number.to_bytes(NUMBER_BYTES, "big"))
            except BrokenPipeError:  # nobody is left to take it
                raise _gone(next(iter(self._results.values()))) from None
            return

    def finished(self) -> Iterator[tuple[int, tuple[bool, Any]]]:
        """Results that have come, at least one: the number of the task, whether it went well, and what it gave."""
        for connection in wait(list(self._results)):
            assert isinstance(connection, Connection)
            try:
                message = connection.recv_bytes()
            except (EOFError, OSError):  # the end of a process, at a message's end or within one
                raise _gone(self._results[connection]) from None
            yield pickle.loads(message)  # noqa: S301 - from our own process

    def dismiss(self) -> None:
        """Let the processes end: there are no more tasks."""
        self._close_tasks()
        for process in self._results.values():
            process.join()

    def end(self) -> None:
        """End what still runs, and close everything."""
        self._close_tasks()
        for process in self._results.values():
            process.terminate()
        for connection, process in self._results.items():
            process.join(PATIENCE_S)
            if process.is_alive():  # it was stopped, so it cannot hear
                process.kill()
                process.join()
            process.close()
            connection.close()

    def _close_tasks(self) -> None:
        if self._giving is not None:
            os.close(self._giving)
            self._giving = None


def _gone(process: BaseProcess) -> EnvironmentFault:
    """Why there is nothing more from a process."""
    process.join()
    code = process.exitcode or 0
    how = f"was killed ({signal.strsignal(-code) or 'signal'}, {-code})" if code < 0 else f"ended with code {code}"
    return EnvironmentFault(
        f"a process that scored some of the cases {how}", where="row3", fix="If memory ran out, use --jobs 1"
    )


def _begin(giving: int, others: Iterable[Connection], signals: Iterable[int]) -> None:
    """Make a worker of a forked process.

    It holds no end of a pipe but its own, so that it sees when its parent is gone, and leaves Ctrl-C, which reaches all
    processes of a terminal, to its parent.
    """
    os.close(giving)
    for connection in others:
        connection.close()
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL if number is signal.SIGTERM else signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, signals)


def _work(begin: Callable[[], None], do: Callable[[int], Any], taking: int, results: Connection) -> None:
    """What a worker process does."""
    begin()
    with contextlib.suppress(ConnectionError):  # the parent is gone
        while number := os.read(taking, NUMBER_BYTES):
            task = int.from_bytes(number, "big")
            try:
                message = pickle.dumps((task, (True, do(task))), pickle.HIGHEST_PROTOCOL)
            except Exception as error:  # none is swallowed: what the work raises is raised again at home, in its turn
                message = pickle.dumps((task, (False, _sendable(error))))
            results.send_bytes(message)


def _sendable(error: Exception) -> Exception:
    """The error as it can be sent home; a defect with its traceback, which would be lost."""
    if not isinstance(error, Row3Error):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        if isinstance(error, BrokenPipeError):  # at home it would mean that nobody reads the output any more
            raise error
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception:  # pickling runs the error's own code; the error itself is told in words, with its traceback
        return RuntimeError("".join(traceback.format_exception_only(error)).strip())
    return error
