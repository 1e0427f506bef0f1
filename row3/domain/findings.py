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
    """Dotted path from the outermost key or index; empty for the whole file."""
    line: int
    """1-based; 1 if the finding is about the whole file."""
    message: str
    setting: str = ""
    """Key of row3.toml that changes the rule; the message names it too."""

    def order(self) -> tuple[Any, ...]:
        """Return the sort key: errors before warnings, contents before counts, then file and line."""
        return self.level, self.setting.endswith(".standards"), self.file, self.line, self.field, self.rule


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings, errors first, by file and line, and the number of files checked."""

    findings: tuple[LintFinding, ...]
    files: int

    @property
    def errors(self) -> int:
        """Number of errors."""
        return sum(finding.level == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """Number of warnings."""
        return len(self.findings) - self.errors

    @property
    def exit_code(self) -> int:
        """2 if there is an error, else 0; warnings do not fail."""
        return 2 if self.errors else 0


def make_report(findings: Iterable[LintFinding], files: int) -> LintReport:
    """Return a sorted report of findings, without duplicates."""
    return LintReport(tuple(sorted(set(findings), key=LintFinding.order)), files)


@dataclass(frozen=True, slots=True)
class RecordingFinding:
    """A problem with the recordings, or a remark about them."""

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
    """Recordings that a replay of the promoted prompts uses; 0 if this prompt has no promoted version."""
    candidate: int = 0
    """Recordings that a replay of the candidates uses."""
    stale: int = 0
    """Lines that no current request uses."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of importing responses."""

    responses: int
    merged: tuple[int, int, int]
    """Number of new, replaced and unchanged recordings."""
    by_prompt: dict[str, int]
    models: dict[str, str]
    unused: tuple[str, ...] = ()
    """Responses that no run can use because the earlier stage's answer is unusable; a line each."""
    waiting: dict[str, int] = field(default_factory=dict)
    """Number of resulting later-stage requests without an answer, by prompt reference."""
    replaced: tuple[str, ...] = ()
    """References of the promoted versions, now or earlier, with a replaced answer."""


class NotImported(NamedTuple):
    """A part of a file without a counterpart in row3."""

    case: str
    """Case id; empty if it belongs to no case."""
    type: str
    """Its name in the file: an assertion type or a key."""
    value: Any
    why: str


@dataclass(frozen=True, slots=True)
class ImportedCases:
    """The result of importing golden cases, or of a dry run."""

    suite: str
    new: tuple[str, ...]
    unchanged: tuple[str, ...]
    written: tuple[str, ...]
    """Other new or changed files."""
    not_imported: tuple[NotImported, ...]
    notes: tuple[str, ...]
    """Remaining steps for the user."""
