"""The program: `python -m row3`, and the `row3` that pip installs."""

from __future__ import annotations

import _thread
import gc
import signal
import sys
from threading import Timer
from types import FrameType

ENDS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals by which CI cancels a job and a closed terminal ends its programs; Windows has no SIGHUP."""

COLLECT_AFTER = 200_000
"""Garbage collection threshold: imports and cases create many objects and few cycles."""


def main() -> None:
    """Run the command line; Ctrl-C, SIGTERM and SIGHUP end it with one message and exit code 130, at any time.

    To die of a signal at once would leave behind the servers and commands that a live run has started.
    """
    gc.set_threshold(COLLECT_AFTER)
    for number in ENDS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _interrupt_later
    try:
        from row3.cli.app import run

        try:
            run()
        finally:  # the exit code is decided, and Ctrl-C during the interpreter's end would be a traceback
            _ignore_signals()
            gc.freeze()  # the interpreter's end would search all modules for cycles, a quarter of a short command
    except KeyboardInterrupt:
        _ignore_signals()
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Do what Ctrl-C does at this moment: an event loop has its own way."""
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)
    else:  # a shell turns Ctrl-C off for what it runs in the background
        raise KeyboardInterrupt


def _interrupt_later(lost: sys.UnraisableHookArgs) -> None:
    """Send Ctrl-C again if it came where nothing can be raised, as during an import."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        Timer(0.02, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(lost)


def _ignore_signals() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in ENDS:
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    main()
