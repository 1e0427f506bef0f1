"""Findings of `row3 lint` and `row3 recordings`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One problem and its place."""

    level: Level
    rule: str
    file: str
    """Relative to the project."""
    field: str
    """Keys and positions from the outermost inwards, joined by dots; empty for the whole file."""
    line: int
    """1-based; 1 if the finding is about the whole file."""
    message: str
    setting: str = ""
    """Key of row3.toml that changes it; the message names it too."""

    def order(self) -> tuple[Any, ...]:
        """Return the key that sorts errors before warnings and contents before counts, then by file and line."""
        return self.level, self.setting.endswith(".standards"), self.file, self.line, self.field, self.rule


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings, errors first, by file and line, and how many files were checked."""

    findings: tuple[LintFinding, ...]
    files: int

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(1 for finding in self.findings if finding.level == "error")

    @property
    def warnings(self) -> int:
        """How many findings are warnings."""
        return len(self.findings) - self.errors

    @property
    def exit_code(self) -> int:
        """Return 2 if there is an error, else 0: warnings do not fail."""
        return 2 if self.errors else 0


def make_report(findings: Iterable[LintFinding], files: int) -> LintReport:
    """Return a report of findings in any order; duplicates count once."""
    return LintReport(tuple(sorted(set(findings), key=LintFinding.order)), files)


@dataclass(frozen=True, slots=True)
class RecordingFinding:
    """A problem or remark about the recordings."""

    level: Level
    rule: str
    message: str
    where: str


@dataclass(slots=True)
class FileSummary:
    """Counts of a recordings file for one prompt, or an embeddings file for one model."""

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
    """Lines that nothing asks for now."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    responses: int
    """Lines in the file."""
    merged: tuple[int, int, int]
    """How many recordings are new, how many replace an earlier one, and how many are as they were."""
    by_prompt: dict[str, int]
    models: dict[str, str]
    """By prompt reference, the assumed model."""
    unused: tuple[str, ...] = ()
    """Responses that no run can ask for, because the earlier stage's answer cannot be used; a line each."""
    waiting: dict[str, int] = field(default_factory=dict)
    """By prompt reference, requests of a later stage that follow from these answers and that nothing answers yet."""


class NotImported(NamedTuple):
    """A part of a file without a counterpart in row3."""

    case: str
    """Id of its case; empty if it belongs to none."""
    type: str
    """Its name in the file: a type of assertion, or a key."""
    value: Any
    why: str


@dataclass(frozen=True, slots=True)
class ImportedCases:
    """What an import of golden cases did, or would do."""

    suite: str
    new: tuple[str, ...]
    """Ids of the cases."""
    unchanged: tuple[str, ...]
    written: tuple[str, ...]
    """Other files that are new or changed."""
    not_imported: tuple[NotImported, ...]
    notes: tuple[str, ...]
    """What remains to do."""
