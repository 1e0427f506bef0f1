"""Command-line options that printed commands repeat, so that they use the same answers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

REQUEST = ("prompt", "model", "temperature", "seed", "max-tokens", "set")
GATE = ("policy", "inconclusive", "fail")
REPEATED: Final[Mapping[str, tuple[str, ...]]] = {
    "row3": (*REQUEST, "mode", "repeats"),
    "row3 --compare": (*REQUEST, *GATE, "mode", "repeats", "confirm", "max-cost", "no-interleave"),
    "row3 --baseline": (*REQUEST[1:], "mode", "repeats"),
    "row3 promote": (*REQUEST, *GATE, "mode", "repeats"),
    "row3 investigate": (*REQUEST, "mode", "fail"),
    "row3 recordings import": REQUEST,
}
"""Options that a printed command repeats, apart from -C, which all commands repeat."""


@dataclass(frozen=True, slots=True)
class Given:
    """Options that select answers and set the gate, as typed."""

    options: tuple[tuple[str, str], ...] = ()
    """Name and value; a switch has an empty value."""

    def flags(self, command: str, *said: str) -> str:
        """Return the options that `command` repeats, quoted for a shell; `said` has names and values to leave out."""
        takes = {"C", *REPEATED.get(command, ())}
        # After `record` and `auto`, most commands find the answers recorded.
        modes = ("live",) if command.startswith(("row3 promote", "row3 invest")) else ("live", "record", "auto")
        return "".join(
            f" {'-' if len(name) == 1 else '--'}{name}{value and ' ' + shlex.quote(value)}"
            for name, value in self.options
            if name in takes and not {name, value} & {*said} and (name != "mode" or value in modes)
        )


NOTHING: Final = Given()


def is_set(environ: Mapping[str, str], name: str) -> bool:
    """Return whether an environment variable is set and not 0, false or no."""
    return environ.get(name, "").strip().lower() not in ("", "0", "false", "no")
