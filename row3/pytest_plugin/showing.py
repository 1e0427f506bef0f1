"""What `--row3` shows on the terminal: score and zone beside each name, and the verdicts at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from row3.pytest_plugin.items import DELTA, SCORE, SHOWN, VERDICT, Judged
from row3.reports import numbers
from row3.reports.style import cells, shorten

SHOWN_CASES = 40
WIDTH = 80


class Showing:
    """The part of the plugin that only looks at reports; where tests run in several processes, that of the first."""

    def __init__(self, config: pytest.Config) -> None:
        self._verbosity = config.get_verbosity()
        self._listing = True
        """Tests are being told one by one; false for the summary at the end, which has its own words."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> Any:
        """Score and zone beside the name."""
        shown = said(report).get(SHOWN)
        if not self._listing or shown is None or report.when != "call" or report.outcome not in ("passed", "failed"):
            return None
        letter, colour = (".", "green") if report.passed else ("F", "red")
        return report.outcome, letter, (f"{report.outcome.upper()} {shown}", {colour: True})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """A skipped case is skipped at its own file, not in a line of row3; a failure is its text, without a prefix."""
        report = yield
        if not isinstance(item, Judged) or call.excinfo is None:
            return report
        if report.skipped and isinstance(report.longrepr, tuple):
            report.longrepr = (str(item.path), 1, report.longrepr[2])
        elif isinstance(call.excinfo.value, pytest.fail.Exception):
            report.longrepr = str(call.excinfo.value)
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The cases, worst first, where they were not told one by one; the verdicts one below the other."""
        self._listing = False
        reports = [
            report
            for category in ("passed", "failed", "skipped", "error")
            for report in terminalreporter.stats.get(category, ())
            if SHOWN in said(report) and report.when in ("setup", "call")
        ]
        verdicts = sorted({str(said(report)[VERDICT]) for report in reports if VERDICT in said(report)})
        cases = [report for report in reports if VERDICT not in said(report)]
        lines = list(_table(cases)) if self._verbosity == 0 else []
        if lines or verdicts:
            terminalreporter.section("row3")
            for line in (*lines, *([""] if lines and verdicts else []), *verdicts):
                terminalreporter.write_line(line)


def said(report: Any) -> dict[str, Any]:
    """What the test said of itself; of any report."""
    return dict(getattr(report, "user_properties", ()))


def _table(reports: list[Any]) -> Iterator[str]:
    ordered = sorted(reports, key=lambda report: (said(report).get(SCORE, -1.0), report.nodeid))
    for report in ordered[:SHOWN_CASES]:
        values = said(report)
        moved = "" if DELTA not in values else f"  {numbers.points(values[DELTA])}"
        mark = {"passed": " ", "failed": "✗", "skipped": "s"}[report.outcome]
        text = f"{values[SHOWN]:<18}{moved:>7}"
        name = shorten(report.nodeid, WIDTH - 3 - cells(text) - 2)
        yield f"{mark} {name}{' ' * (WIDTH - 4 - cells(text) - cells(name))}  {text}".rstrip()
    if len(ordered) > SHOWN_CASES:
        yield f"  and {len(ordered) - SHOWN_CASES:,} better ones (-v shows all)"
