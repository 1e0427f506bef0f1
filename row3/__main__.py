"""The program: `python -m row3`, and the `row3` that pip installs."""

from __future__ import annotations

import signal
import sys
from types import FrameType


def main() -> None:
    """Run the command line as a process that Ctrl-C ends with exit code 130 and one message, whenever it comes.

    So do SIGTERM, by which CI cancels a job, and SIGHUP, of a terminal that is closed: to die of them at once would
    leave the servers and commands behind that a live run has started.
    """
    for number in _OTHERS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _as_ctrl_c)
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


def _deaf() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in _OTHERS:
        if signal.getsignal(number) is _as_ctrl_c:
            signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    main()
