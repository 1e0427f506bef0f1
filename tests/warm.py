"""Runs `python -m row3` in processes that are forked from one where everything is imported already.

Each command is a process of its own, with its own environment, folder and streams, forked from one that has run none:
only the second of imports that a new interpreter takes is saved. Where a new interpreter is the point (imports, hash
seeds, locales, kills), and for local models, whose threads may not like a fork, tests start one:
`Box.row3(fresh=True)`, `Box.start`. On a terminal a command is forked too, and so is what a git hook runs, if it was
installed by a command that was.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import marshal
import os
import pkgutil
import runpy
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[1]
READ_AT_START = ("PYTHON", "LC_", "LANG", "PATH", "LD_", "MPL", "TZ")
"""Beginnings of variables that an interpreter, or a package while it is imported, reads once."""
HEAVY = (
    *(
        "openai.resources.chat.completions",
        "httpcore2",
        "anyio._backends._asyncio",
        "mcp",
        "mcp.client.streamable_http",
    ),
    *("matplotlib.figure", "matplotlib.style", "matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg"),
    *("git", "jinja2", "yaml"),
)
"""What takes long to import where it is used, and what these import only once they are used themselves."""
LARGEST = 1 << 20
"""Bytes of a request."""
CALLER = Path(__file__).with_name("warm_call.py")
HOOKS_PYTHON = "ROW3_TESTS_HOOKS_PYTHON"
"""Variable of the server: what stands for the interpreter in the hooks that its commands install."""


def can_run(env: Mapping[str, str]) -> bool:
    """Whether what is imported already does not depend on how this environment differs from the tests' own."""
    names = {name for name in (*env, *os.environ) if name.startswith(READ_AT_START) and name not in _ALWAYS}
    return all(env.get(name) == os.environ.get(name) for name in names)


_ALWAYS = ("LC_ALL", "MPLCONFIGDIR")
"""Set by `clean_env`, and for the server too; a test that gives them another value asks for `fresh`."""


class Forked:
    """A command that was forked, with what tests ask of `subprocess.Popen`."""

    def __init__(self, args: tuple[str, ...], call: socket.socket) -> None:
        self._args, self._call = args, call
        self.pid = int(call.recv(32))
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, at its end; raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            self._call.settimeout(timeout)
            try:
                self.returncode = int(self._call.recv(32))
            except TimeoutError:
                raise subprocess.TimeoutExpired(["row3", *self._args], timeout or 0.0) from None
            self._call.close()
        return self.returncode

    def poll(self) -> int | None:
        """Its exit code; None where it still runs."""
        if self.returncode is None and select.select([self._call], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self.send_signal(signal.SIGKILL)


class Server:
    """The process that forks; it ends with the one that started it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="row3-warm-")
        self._address = f"{self._folder.name}/s"
        hooks_python = Path(self._folder.name, "python")
        call = shlex.join([sys.executable, "-IS", str(CALLER), self._address, sys.executable, env.get("PATH", "")])
        hooks_python.write_text(f'#!/bin/sh\nexec {call} "$@"\n')
        hooks_python.chmod(0o755)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm", self._address],
            cwd=HOME,
            env={
                **env,
                "OPENBLAS_NUM_THREADS": "1",
                "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
                HOOKS_PYTHON: str(hooks_python),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def start(
        self, args: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], files: Sequence[int], session: bool = False
    ) -> Forked:
        """The command, begun: `files` are its three streams, `session` gives it a process group of its own."""
        request = marshal.dumps({"args": args, "cwd": str(cwd), "env": dict(env), "session": session})
        assert len(request) < LARGEST
        call = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        call.connect(self._address)
        call.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST)
        socket.send_fds(call, [request], list(files))
        return Forked(args, call)

    def run(
        self, args: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], stdin: bytes | None, timeout: float
    ) -> tuple[int, bytes, bytes]:
        """Exit code, stdout and stderr; raises `subprocess.TimeoutExpired`."""
        with contextlib.ExitStack() as stack:
            given, *files = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            given.write(stdin or b"")
            given.seek(0)
            process = self.start(args, cwd=cwd, env=env, files=[given.fileno(), *(file.fileno() for file in files)])
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            out, err = (file.seek(0) or file.read() for file in files)
            return code, out, err

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        self._folder.cleanup()


@cache
def server(pid: int, env: tuple[tuple[str, str], ...]) -> Server:
    """That of this test process, started when it is needed first."""
    made = Server(dict(env))
    atexit.register(made.stop)
    return made


def server_for(env: Mapping[str, str]) -> Server:
    """The server of this process for commands in an environment."""
    own = {name: value for name, value in env.items() if name.startswith(READ_AT_START)}
    return server(os.getpid(), tuple(sorted(own.items())))


def _serve(address: str) -> None:
    """Fork for every request until stdin ends; the child goes on from here as a new `python -m row3`."""
    for name in _modules():
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(address)
    listening.listen(8)
    wake, ended = socket.socketpair()
    for end in (wake, ended):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ended.fileno())
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    running: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([listening, wake, sys.stdin.fileno()], [], [])
        if wake in ready:
            wake.recv(4096)
            _tell_ended(running)
        if listening in ready:
            call, _ = listening.accept()
            request, files, _, _ = socket.recv_fds(call, LARGEST, 3)
            if not (pid := os.fork()):
                for one in (listening, wake, ended, call, *running.values()):
                    one.close()
                _become(marshal.loads(request), files)
                return
            for file in files:
                os.close(file)
            call.send(str(pid).encode())
            running[pid] = call
        elif sys.stdin.fileno() in ready:
            os._exit(0)


def _tell_ended(running: dict[int, socket.socket]) -> None:
    """Tell of every command that has ended how it did."""
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with running.pop(pid) as call, contextlib.suppress(OSError):
            call.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(value: Mapping[str, Any], files: Sequence[int]) -> None:
    """Be the process that a request asks for."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if value["session"]:
        os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(value["cwd"])
    if "hook" in value["args"]:
        sys.executable = os.environ[HOOKS_PYTHON]
    os.environ.clear()
    os.environ.update(value["env"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115 - for the process's life
        for number, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "backslashreplace"))
    )
    sys.argv = ["row3", *value["args"]]
    if "PYTHONSAFEPATH" in value["env"]:
        del sys.path[0]
    else:
        sys.path[0] = value["cwd"]


def _command() -> int:
    """`python -m row3`, from here on; the exit code."""
    try:
        runpy.run_module("row3", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _end(code: int) -> None:
    """What an interpreter does at its end, but for taking a hundred thousand objects apart."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as the interpreter does
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _modules() -> list[str]:
    """All of row3 but its entry point, and what it imports where it is used."""
    import row3

    own = [one.name for one in pkgutil.walk_packages(row3.__path__, "row3.")]
    return [*(name for name in own if not name.endswith("__main__")), *HEAVY]


if __name__ == "__main__":
    _serve(sys.argv[1])
    _end(_command())
