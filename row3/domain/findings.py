"""What `row3 lint` found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing to fix, and its place."""

    level: Level
    rule: str
    file: str
    """Relative to the project."""
    field: str
    """Keys and positions from the outermost inwards, joined by dots; empty for the whole file."""
    line: int
    """1-based; 1 where the finding is about the whole file."""
    message: str

    def order(self) -> tuple[str, str, int, str, str]:
        """Return the key that sorts errors before warnings, then by file and line."""
        return self.level, self.file, self.line, self.field, self.rule


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings, errors first, by file and line, and how many files were checked."""

    findings: tuple[LintFinding, ...]
    files: int
    unsized: tuple[str, ...] = ()
    """Suites whose size was not checked, as their settings ask."""

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
        """2 where there is an error; warnings do not fail."""
        return 2 if self.errors else 0


def make_report(findings: Iterable[LintFinding], files: int, *, unsized: Iterable[str] = ()) -> LintReport:
    """Return a report of findings in any order; duplicates count once."""
    return LintReport(tuple(sorted(set(findings), key=LintFinding.order)), files, tuple(unsized))
