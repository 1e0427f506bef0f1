"""What `row3 lint` finds, as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from row3.domain.findings import LintReport
from row3.domain.numbers import count
from row3.domain.printable import plain
from row3.reports.terminal import WIDTH, prose

SCHEMA_VERSION = 2


def findings_text(report: LintReport, *, width: int | None = WIDTH, errors_only: bool = False) -> str:
    """Return findings, `file:line field  level  rule  message`, and a summary; without a width one line each."""
    lines: list[str] = []
    for finding in report.findings[: report.errors if errors_only else None]:
        file = finding.file if finding.file.endswith("/") else f"{finding.file}:{finding.line}"
        line = "  ".join(map(plain, (f"{file} {finding.field}", finding.level, finding.rule, finding.message)))
        lines += [line] if width is None else prose(line, width, then="    ")
    return "\n".join([*lines, *([""] if lines else []), lint_summary(report, errors_only=errors_only)]) + "\n"


def lint_summary(report: LintReport, *, errors_only: bool = False) -> str:
    """Return how many errors and warnings are in how many files."""
    files = count(report.files, "file")
    if not report.findings:
        return f"{files} checked, nothing found"
    hidden = " (not shown)" if errors_only and report.warnings else ""
    return f"{count(report.errors, 'error')}, {count(report.warnings, 'warning')}{hidden} in {files}"


def findings_json(report: LintReport) -> str:
    """Return the report as JSON."""
    value = {
        "schemaVersion": SCHEMA_VERSION,
        "files": report.files,
        "errors": report.errors,
        "warnings": report.warnings,
        "findings": [
            {key: plain(value) if isinstance(value, str) else value for key, value in asdict(finding).items()}
            for finding in report.findings
        ],
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
