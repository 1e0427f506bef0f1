"""What is said of the recordings of a suite: sums by file, and findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from row3.errors import Row3Error

Level = Literal["error", "warning"]


@dataclass(slots=True)
class FileSummary:
    """What a recordings file holds of one prompt."""

    file: str
    prompt: str
    count: int = 0
    bytes: int = 0
    cases: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    promoted: int = 0
    """Recordings that a replay of the promoted prompts uses; none where this prompt has no promoted version."""
    candidate: int = 0
    """Recordings that a replay of the candidates uses."""
    stale: int = 0
    """Recordings that no prompt version asks for any more."""


def broken_line(error: Row3Error, where: str) -> RecordingFinding:
    """The finding of a line that cannot be read: what is wrong and what to do, as `where` names the place already."""
    column = error.where.removeprefix(where).rpartition(":")[2]
    what = f"{error.what} (column {column})" if column.isdecimal() else error.what
    return RecordingFinding("error", "broken-line", f"{what}. {error.fix}" if error.fix else what, where)


@dataclass(frozen=True, slots=True)
class RecordingFinding:
    """One thing that is wrong or noteworthy about the recordings."""

    level: Level
    rule: str
    message: str
    where: str
