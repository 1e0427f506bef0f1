"""Runs the command line in the tests' own process, and tells exit code, stdout and stderr.

A command gets what a new process would: its own folder, environment and streams (real files, so that the programs it
starts write there too). What is about the start of an interpreter, signals, terminals or kills needs a process:
`Box.row3(fresh=True)`, `Box.start`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from row3.cli import app
from row3.running.asks import SCORERS

READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MPL", "TZ")
"""Beginnings of variables that an interpreter, or a package while it is imported, reads once."""
READ_LATER = "LANGFUSE_"
"""Beginning of variables that only look like these."""
SET_FOR_ALL = ("LC_ALL", "MPLCONFIGDIR")
"""Set by `clean_env`; a test that gives them another value asks for a new process."""
READERS = ("row3.project.", "row3.running.", "row3.comparing.", "row3.commands.")
"""Modules whose caches may hold what an earlier command read."""
PATIENCE_S = 120.0
"""For a process that takes a second on an idle machine."""


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        """The lines of stderr that report an error."""
        return [line for line in self.err.split("\n") if line.startswith("error:")]

    @property
    def json(self) -> Any:
        """stdout as JSON; it must hold nothing else."""
        return json.loads(self.out)

    def __str__(self) -> str:
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def run_row3(args: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], stdin: str = "", fresh: bool = False) -> Done:
    """Run `row3 ARGS`: in this process where it can stand for a new one, else (or if `fresh`) in a new one."""
    if fresh or not _can_run_here(env):
        return run(sys.executable, "-m", "row3", *args, cwd=cwd, env=env, stdin=stdin)
    with contextlib.ExitStack() as stack:
        given, out, err = files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        given.write(stdin.encode())
        given.seek(0)
        with _environment(env), contextlib.chdir(cwd), _interpreter(args, cwd), _streams(files):
            code = _exit_code()
        out.seek(0)
        err.seek(0)
        return Done(code, out.read().decode("utf-8"), err.read().decode("utf-8"))


def run(
    *command: str, cwd: Path, env: Mapping[str, str], stdin: str | None = None, timeout: float = PATIENCE_S
) -> Done:
    """Run a program to its end."""
    given: dict[str, Any] = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin.encode()}
    done = subprocess.run(command, cwd=cwd, env=dict(env), capture_output=True, check=False, timeout=timeout, **given)
    return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def _can_run_here(env: Mapping[str, str]) -> bool:
    """Return whether a new interpreter would start as this one did, and whether signals reach this thread."""
    begun = {name for name in (*env, *os.environ) if name.startswith(READ_AT_START) and name not in SET_FOR_ALL}
    names = {name for name in begun if not name.startswith(READ_LATER)}
    same = all(env.get(name) == os.environ.get(name) for name in names)
    return same and threading.current_thread() is threading.main_thread()


def _exit_code() -> int:
    try:
        app.run()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1


@contextlib.contextmanager
def _environment(env: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    _set_environment(env)
    try:
        yield
    finally:
        _set_environment(before)


def _set_environment(env: Mapping[str, str]) -> None:
    for name in os.environ.keys() - env.keys():
        del os.environ[name]
    os.environ.update({name: value for name, value in env.items() if os.environ.get(name) != value})


@contextlib.contextmanager
def _streams(files: list[IO[bytes]]) -> Iterator[None]:
    """Put the files in the place of stdin, stdout and stderr, for Python and for the programs it starts."""
    before = sys.stdin, sys.stdout, sys.stderr
    kept = [os.dup(number) for number in range(3)]
    for number, file in enumerate(files):
        file.flush()
        os.dup2(file.fileno(), number)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115 - for the command's life
        for number, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "backslashreplace"))
    )
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        sys.stdin, sys.stdout, sys.stderr = before
        for number, file_number in enumerate(kept):
            os.dup2(file_number, number)
            os.close(file_number)


@contextlib.contextmanager
def _interpreter(args: tuple[str, ...], cwd: Path) -> Iterator[None]:
    """Give back, as it was, what a command changes for the rest of its process; forget what was read for another."""
    argv, path, modules = sys.argv, list(sys.path), set(sys.modules)
    threshold, on_interrupt = gc.get_threshold(), signal.getsignal(signal.SIGINT)
    sys.argv = ["row3", *args]
    sys.path.insert(0, str(cwd))
    for name in [name for name in modules if name.startswith(READERS)]:
        for value in vars(sys.modules[name]).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
    with warnings.catch_warnings():
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, on_interrupt)
            logging.disable(logging.NOTSET)
            gc.set_threshold(*threshold)
            sys.argv, sys.path[:] = argv, path
            SCORERS.end()
            _forget_modules_below(cwd, sys.modules.keys() - modules)


def _forget_modules_below(folder: Path, names: set[str]) -> None:
    """Forget the modules of a project, whose names another project may use."""
    for name in names:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and Path(file).is_relative_to(folder):
            del sys.modules[name]
    importlib.invalidate_caches()
