"""What is said of the recordings of a suite: sums by file, and findings."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from row3.domain.quick_dataclass import dataclass

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
    """Recordings that a replay of the promoted prompts uses."""
    candidate: int = 0
    """Recordings that a replay of the candidates uses."""
    stale: int = 0
    """Recordings that no prompt version asks for any more."""


@dataclass(frozen=True, slots=True)
class RecordingFinding:
    """One thing that is wrong or noteworthy about the recordings."""

    level: Level
    rule: str
    message: str
    where: str
