"""Render templates that may be harmful in a separate process, with limits on time and memory.

The process starts with the first such template and is kept. It receives pickles, which come from row3, and answers in
JSON, as its output cannot be trusted.
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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from row3.errors import EnvironmentFault
from row3.running.rendering.sandbox import Fault, attempt

DEADLINE_S = 2.0
"""Seconds to render one template."""
MAX_MEMORY = 512 * 1024**2
"""Bytes of address space."""
LONGEST_LINE = 32_000_000
"""Bytes of an answer: room for two parts of the longest prompt with every character escaped."""
HOME = Path(__file__).parents[3]
ENVIRONMENT = frozenset({"LANG", "LC_ALL", "LC_CTYPE", "PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP"})
"""Environment variables that the process gets."""


class _Renderer:
    def __init__(self) -> None:
        # Isolated (-I): it imports nothing from the current folder, and knows no keys.
        start = f"import sys; sys.path.insert(0, {str(HOME)!r}); from {__name__} import main; main()"
        self._process = subprocess.Popen(
            (sys.executable, "-I", "-c", start),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name in ENVIRONMENT},
        )
        self._killed = False
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._into, self._out = self._process.stdin, self._process.stdout
        if not self._out.readline():  # "ready": the deadline of a template does not include the start
            self.end()
            raise EnvironmentFault("cannot start the process that renders templates", where=sys.executable)

    @property
    def ended(self) -> bool:
        """Whether the process is gone or about to be."""
        return self._killed or self._process.poll() is not None

    def attempt(self, given: bytes) -> tuple[str, str] | Fault | None:
        """Return a rendered template or its fault; None if the process ended."""
        timer = threading.Timer(DEADLINE_S, self._kill)
        timer.start()
        try:
            self._into.write(given)
            self._into.flush()
            line = self._out.readline(LONGEST_LINE)
            said = json.loads(line) if line.endswith(b"\n") else None
        except (BrokenPipeError, ValueError):
            said = None
        finally:
            timer.cancel()
            timer.join()
        match said:
            case {"parts": [str(system), str(user)]}:
                return system, user
            case {"what": str(what), "fix": str(fix)}:
                return Fault(what, fix)
        return None

    def _kill(self) -> None:
        self._killed = True
        self._process.kill()

    def end(self) -> None:
        self._process.kill()
        with contextlib.suppress(OSError):
            self._into.close()
        self._out.close()
        self._process.wait()

    def disown(self) -> None:
        """Leave the process to the parent, after a fork."""
        self._process.returncode = 0
        self._into.close()
        self._out.close()


_kept: list[_Renderer] = []
_lock = threading.Lock()


def attempt_apart(body: str, variables: Mapping[str, Any], lessons: Sequence[str] | None) -> tuple[str, str] | Fault:
    """Return a template's system and user part as the process renders them, or its fault."""
    with _lock:
        if _kept and _kept[0].ended:
            _end()
        if not _kept:
            _kept.append(_Renderer())
        try:
            found = _kept[0].attempt(pickle.dumps((body, dict(variables), lessons)))
        except BaseException:  # a late answer would be taken for the next template's
            _end()
            raise
        if found is not None:
            return found
        _end()
    return Fault(f"takes longer than {DEADLINE_S:g} s, or more memory than a prompt may", "Simplify it")


def _end() -> None:
    while _kept:
        _kept.pop().end()


def _disown() -> None:
    while _kept:
        _kept.pop().disown()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown)


def _limit() -> None:
    """Limit the memory of this process, if the system can."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    except (ImportError, ValueError, OSError):
        return


def serve(given: IO[bytes], said: IO[bytes]) -> None:
    """Render every template read from `given`, until it ends."""
    said.write(b"ready\n")
    said.flush()
    while True:
        try:
            body, variables, lessons = pickle.load(given)  # noqa: S301 - from the process that started this one
        except EOFError:
            return
        found = attempt(body, variables, lessons)
        value = found._asdict() if isinstance(found, Fault) else {"parts": found}
        said.write(json.dumps(value).encode() + b"\n")
        said.flush()


def main() -> None:
    """Run the rendering process."""
    _limit()
    serve(sys.stdin.buffer, sys.stdout.buffer)
