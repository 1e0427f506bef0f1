"""What the command line said of the answers that are looked at, for the commands that row3 prints to say it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PLACE = frozenset({"C"})
REQUEST = frozenset({"prompt", "model", "temperature", "seed", "max-tokens"})
GATE = frozenset({"policy", "inconclusive", "fail"})
LIVE = frozenset({"adaptive", "max-repeats", "max-cost", "no-interleave"})
REPEATED: Final[Mapping[str, frozenset[str]]] = {
    "row3": REQUEST | {"mode", "repeats"},
    "row3 --compare": REQUEST | GATE | LIVE | {"mode", "repeats"},
    "row3 --baseline": REQUEST - {"prompt"} | {"mode", "repeats"},
    "row3 promote": REQUEST | GATE | {"mode", "repeats"},
    "row3 investigate": REQUEST | {"mode", "fail"},
    "row3 recordings import": REQUEST,
}
"""What a printed command is given again, beside the project's place, which all take; others take just the suite."""
KEPT_MODES: Final[Mapping[str, tuple[str, ...]]] = {
    "row3": ("live", "record", "auto"),
    "row3 --compare": ("live", "record", "auto"),
    "row3 --baseline": ("live", "record"),
    "row3 promote": ("live",),
    "row3 investigate": ("live",),
}
"""Modes that a command needs again: what `record` and `auto` asked for is recorded, and need not be asked twice."""


@dataclass(frozen=True, slots=True)
class Given:
    """The options that decide which answers a command looks at and how it judges them, as they were typed."""

    options: tuple[tuple[str, str], ...] = ()
    """Name and value; no value for a switch."""

    def flags(self, command: str, *said: str) -> str:
        """Those that `command` takes, each after a space and quoted for a shell; empty for none.

        Args:
            command: the words that call it, `row3 investigate`.
            said: what it says itself: names of options, and a prompt version that is its argument.
        """
        takes = PLACE | REPEATED.get(command, frozenset())
        return "".join(
            f" {_spelled(name)}{value and ' ' + shlex.quote(value)}"
            for name, value in self.options
            if name in takes
            and name not in said
            and value not in said
            and (name != "mode" or value in KEPT_MODES[command])
        )


NOTHING: Final = Given()


def _spelled(name: str) -> str:
    return f"{'-' if len(name) == 1 else '--'}{name}"
