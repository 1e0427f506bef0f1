"""Keys pressed on a terminal, one at a time, without Enter."""

from __future__ import annotations

import re
import sys
from collections import deque

import click

INTERRUPT, END = "\x03", "\x04"
"""What Ctrl-C and Ctrl-D send while keys are read one at a time."""
NO_LETTER = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
"""What arrows, function keys, Alt with a letter and Escape send."""


def can_ask() -> bool:
    """Whether there is a person to ask: keys come from a terminal, and questions go to one."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


class Keys:
    """The keys of one session; several that come at once are taken one after the other."""

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()

    def next(self) -> str:
        """The next key; "" where there are no more (Ctrl-D, or the terminal has gone).

        Arrows, function keys and the like are passed over. Raises `KeyboardInterrupt` for Ctrl-C.
        """
        while not self._waiting:
            try:
                pressed = click.getchar()
            except (EOFError, OSError):
                return ""
            if not pressed:
                return ""
            self._waiting.extend(NO_LETTER.sub("", pressed))
        key = self._waiting.popleft()
        if key == INTERRUPT:
            raise KeyboardInterrupt
        return "" if key == END else key
