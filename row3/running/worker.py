"""A process of its own that answers one question at a time, within a deadline.

It starts with the first question, is kept, and starts anew after it ended. Questions are pickles, which come from row3;
answers are JSON, as what runs there cannot be trusted.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from row3.errors import EnvironmentFault

LONGEST_LINE = 32_000_000
"""Bytes of an answer: room for two parts of the longest prompt with every character escaped."""
MAX_MEMORY = 512 * 1024**2
"""Bytes of an isolated process's address space, if the system can limit it."""
START_LIMIT_S = 60.0
LOAD_LIMIT_S = 120.0
"""Seconds that a module of the project may take to be imported."""
END_LIMIT_S = 1.0
"""Seconds that the process may take to end by itself."""
HOME = str(Path(__file__).parents[2])
ENVIRONMENT = frozenset({"LANG", "LC_ALL", "LC_CTYPE", "PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP"})
"""Environment variables that an isolated process gets."""


class Worker:
    """Asks a process, one question at a time and from any thread."""

    def __init__(self, module: str, does: str, *, isolated: bool) -> None:
        """Take the module whose `answer` the process calls, and what it does, for messages.

        An isolated process imports nothing from the current folder, knows no keys, writes nothing to stderr and has
        little memory; any other has the environment and the import path of this process.
        """
        self._module, self._does, self._isolated = module, does, isolated
        self._process: subprocess.Popen[bytes] | None = None
        self._place = ""
        self._lock = threading.Lock()
        atexit.register(self.end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._disown)

    def ask(self, question: tuple[Any, ...], limit_s: float, place: str = "") -> Any:
        """Return the answer; a process that answered for another place is replaced.

        Raises `TimeoutError`, `EOFError` with how the process ended, and `EnvironmentFault` if it cannot be started.
        """
        given = pickle.dumps(question)
        with self._lock:
            try:
                if self._process is not None and self._process.poll() is None and self._place == place:
                    # What an earlier question left behind, such as a thread, may end the process: ask a new one.
                    with contextlib.suppress(EOFError):
                        return self._exchange(given, limit_s)
                self._start(place)
                return self._exchange(given, limit_s)
            except BaseException:  # a late answer would be taken for the next question's
                self.end(kill=True)
                raise

    def _start(self, place: str) -> None:
        self.end()
        path = f"sys.path.insert(0, {HOME!r})" if self._isolated else f"sys.path[:] = {[*map(str, sys.path)]!r}"
        start = f"import sys; {path}; from {__name__} import serve; from {self._module} import answer"
        start += f"; serve(answer, isolated={self._isolated})"
        environment = {name: os.environ[name] for name in ENVIRONMENT & os.environ.keys()} if self._isolated else None
        try:
            self._process = subprocess.Popen(
                (sys.executable, "-I" if self._isolated else "-P", "-c", start),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if self._isolated else None,
                env=environment,
                start_new_session=True,  # Ctrl-C is for row3
            )
            self._place = place
            self._exchange(b"", START_LIMIT_S)  # "ready": no deadline includes the start
        except (OSError, EOFError):
            raise EnvironmentFault(f"cannot start the process that {self._does}", where=sys.executable) from None

    def _exchange(self, given: bytes, limit_s: float) -> Any:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        line, ends = b"", time.monotonic() + limit_s
        timer = threading.Timer(limit_s, process.kill)
        timer.start()
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(given)
                process.stdin.flush()
                line = process.stdout.readline(LONGEST_LINE)
        finally:
            timer.cancel()
            timer.join()
        if time.monotonic() >= ends:
            raise TimeoutError
        if not line:
            raise EOFError(f"ended its process ({_status(process)})")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise EOFError("gave something that row3 cannot read") from None

    def end(self, *, kill: bool = False) -> None:
        """End the process, which may first do what it registered for its exit."""
        process, self._process = self._process, None
        if process is None:
            return
        if kill:
            process.kill()
        _close(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_LIMIT_S)
        process.kill()
        process.wait()

    def _disown(self) -> None:
        """Leave the process to the parent, after a fork."""
        self._lock = threading.Lock()
        process, self._process = self._process, None
        if process is not None:
            process.returncode = 0
            _close(process)


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in filter(None, (process.stdin, process.stdout)):
        with contextlib.suppress(OSError):
            pipe.close()


def _status(process: subprocess.Popen[bytes]) -> str:
    """Return how a process ended; it may live on as another program."""
    try:
        code = process.wait(END_LIMIT_S)
    except subprocess.TimeoutExpired:
        return "another program took its place"
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def serve(answer: Callable[[Any], Any], *, isolated: bool) -> None:
    """Answer the questions from stdin on stdout, until stdin ends.

    What runs here finds an empty stdin, its stdout is stderr, and a process that it forks neither reads questions nor
    answers.
    """
    if isolated:
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    owner, null = os.getpid(), os.open(os.devnull, os.O_RDWR)
    given, said = os.dup(0), os.dup(1)
    os.dup2(null, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if hasattr(os, "register_at_fork"):  # or the pipes would outlive this process
        os.register_at_fork(after_in_child=lambda: [os.dup2(null, pipe) for pipe in (given, said)])
    questions: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_read, args=(given, questions), daemon=True).start()
    with contextlib.suppress(OSError), os.fdopen(said, "wb") as into:  # row3 is gone
        into.write(b"null\n")
        into.flush()
        for question in iter(questions.get, None):
            line = json.dumps(answer(question)).encode() + b"\n"
            if os.getpid() != owner:  # forked by what ran
                os._exit(0)
            into.write(line)
            into.flush()


def _read(given: int, questions: SimpleQueue[Any]) -> None:
    """Pass the questions on; when they end, so does the process, whatever it is doing."""
    with os.fdopen(given, "rb") as pipe, contextlib.suppress(EOFError):
        while True:
            questions.put(pickle.load(pipe))  # noqa: S301 - from the process that started this one
    questions.put(None)
    time.sleep(END_LIMIT_S)
    os._exit(0)
