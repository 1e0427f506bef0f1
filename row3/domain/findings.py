"""Findings of `row3 lint` and `row3 recordings`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

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
