"""What `row3 lint` found: the words for it, a table for the terminal, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from row3.reports.numbers import count
from row3.reports.prose import prose
from row3.reports.style import WIDTH, plain

SCHEMA_VERSION = 1
Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing to mend, and the place to mend it."""

    level: Level
    rule: str
    file: str
    """Relative to the project."""
    field: str
    """Keys and positions from the outermost, joined by dots; empty for the whole file."""
    line: int
    """1-based; 1 where the finding is about the whole file."""
    message: str

    def order(self) -> tuple[str, str, int, str, str]:
        """Errors before warnings, then by file and line."""
        return self.level, self.file, self.line, self.field, self.rule


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings, errors first, by file and line, and how many files were looked at."""

    findings: tuple[LintFinding, ...]
    files: int
    unsized: tuple[str, ...] = ()
    """Suites of which no size was looked at, as their settings want it."""

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
    """A report of findings in any order; the same finding twice counts once."""
    return LintReport(tuple(sorted(set(findings), key=LintFinding.order)), files, tuple(unsized))


def findings_text(report: LintReport, *, width: int | None = WIDTH, errors_only: bool = False) -> str:
    """The findings for a terminal, `file:line field  level  rule  message`, and a summary line.

    Args:
        width: columns to wrap at; None for one line a finding, as grep and editors like it.
        errors_only: warnings are counted and not shown.
    """
    lines: list[str] = []
    for finding in report.findings[: report.errors if errors_only else None]:
        file = finding.file if finding.file.endswith("/") else f"{finding.file}:{finding.line}"
        place = f"{file} {finding.field}"
        line = "  ".join(map(plain, (place, finding.level, finding.rule, finding.message)))
        lines += [line] if width is None else prose(line, width, then="    ")
    last = [summary(report, errors_only=errors_only)]
    if report.unsized:
        what = f'no size was looked at in {", ".join(report.unsized)} (lint_sizes = "off")'
        last += [what] if width is None else prose(what, width, then="    ")
    return "\n".join([*lines, *([""] if lines else []), *last]) + "\n"


def summary(report: LintReport, *, errors_only: bool = False) -> str:
    """How many errors and warnings in how many files."""
    files = count(report.files, "file")
    if not report.findings:
        return f"{files} checked, nothing found"
    hidden = " (not shown)" if errors_only and report.warnings else ""
    return f"{count(report.errors, 'error')}, {count(report.warnings, 'warning')}{hidden} in {files}"


def findings_json(report: LintReport) -> str:
    """The report as JSON, schema version 1."""
    value = {
        "schemaVersion": SCHEMA_VERSION,
        "files": report.files,
        "errors": report.errors,
        "warnings": report.warnings,
        "sizesNotChecked": list(report.unsized),
        "findings": [
            {
                "level": finding.level,
                "rule": finding.rule,
                "file": plain(finding.file),
                "field": plain(finding.field),
                "line": finding.line,
                "message": plain(finding.message),
            }
            for finding in report.findings
        ],
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
