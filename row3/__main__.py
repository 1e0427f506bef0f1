"""The program: `python -m row3`, and the `row3` that pip installs."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


def main() -> None:
    """Run the command line as a process that Ctrl-C ends with exit code 130 and one message, whenever it comes.

    So do SIGTERM, by which CI cancels a job, and SIGHUP, of a terminal that is closed: to die of them at once would
    leave the servers and commands behind that a live run has started.
    """
    for number in _OTHERS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _as_ctrl_c)
    sys.unraisablehook = _once_more
    try:
        from row3.cli.app import run

        try:
            run()
        finally:
            # The command is over and its exit code is decided; an interpreter that is being taken down has no answer to
            # Ctrl-C but a traceback.
            _deaf()
    except KeyboardInterrupt:
        _deaf()
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)


_OTHERS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Windows has no SIGHUP."""


def _as_ctrl_c(_: int, frame: FrameType | None) -> None:
    """Whoever answers Ctrl-C at this moment answers this: an event loop has its own way."""
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)
    else:  # a shell starts what it runs in the background without Ctrl-C
        raise KeyboardInterrupt


def _once_more(lost: UnraisableHookArgs) -> None:
    """Ctrl-C that strikes where nothing can be raised, as in what importing does behind the scenes, would only be
    printed, as a traceback, and be over. It is sent again from a thread, when that place is left."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(_strike, ())
    else:
        sys.__unraisablehook__(lost)


def _strike() -> None:
    time.sleep(0.02)
    if sys.platform == "win32":
        _thread.interrupt_main()  # there, a signal to oneself would be the end
    else:
        os.kill(os.getpid(), signal.SIGINT)


def _deaf() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in _OTHERS:
        if signal.getsignal(number) is _as_ctrl_c:
            signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    main()
