"""The tests, one per golden case and gate, and how the terminal shows them."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

from row3.pytest_plugin.suite_results import Flags, JudgedCase, JudgedSuite, judge_suite, judged_from_json

LONGEST_RUN_S = 86_400.0
"""How long a process waits for the run of another process; a long live run takes hours."""
SHOWN, SCORE, ZONE, DELTA, VERDICT = "row3_shown", "row3_score", "row3_zone", "row3_delta", "row3_verdict"
"""Report properties, also in JUnit: text after the test's name; composite, a fraction; its zone; its change from the
baseline, a fraction; the gate's line in the summary."""
Key = tuple[Path, str]
"""A project's folder and a suite's name."""


@dataclass
class Evaluations:
    """Runs each suite once per session, in the process that runs its first test."""

    flags: Flags
    shared: Path | None = None
    """Folder shared by the session's processes; None with one process."""
    wanted: dict[Key, frozenset[str] | None] = field(default_factory=dict)
    """Ids of the cases to run, by suite; None for all."""
    _judged: dict[Key, JudgedSuite] = field(default_factory=dict)

    def of(self, key: Key) -> JudgedSuite:
        """Return a judged suite; the first process that needs it runs it, the others wait and read the result."""
        if key not in self._judged:
            shared = self.shared if self.shared is not None and self.shared.is_dir() else None
            self._judged[key] = self._judge(key) if shared is None else self._judge_once(key, shared)
        return self._judged[key]

    def _judge(self, key: Key) -> JudgedSuite:
        return judge_suite(*key, self.flags, self.wanted.get(key))

    def _judge_once(self, key: Key, shared: Path) -> JudgedSuite:
        name = hashlib.sha256(f"{key[0]}\n{key[1]}".encode()).hexdigest()[:16]
        file, half = shared / f"{name}.json", shared / f"{name}.half"
        from filelock import FileLock  # imports asyncio, which a single process does not need

        with FileLock(shared / f"{name}.lock", timeout=LONGEST_RUN_S):
            if file.exists():
                return judged_from_json(file.read_text(encoding="utf-8"))
            made = self._judge(key)
            half.write_text(made.as_json(), encoding="utf-8")  # a process may be killed while it writes
            half.replace(file)
            return made


def fail(text: str) -> NoReturn:
    """Fail the test (in setup: an error) and show only this text."""
    pytest.fail(text, pytrace=False)


class Judged(pytest.Item):
    """A test whose outcome comes from running its suite."""

    marker: str
    evaluations: Evaluations
    key: Key

    def fill(self, evaluations: Evaluations, key: Key, keywords: Iterable[str]) -> None:
        """Set the suite, and further keywords for `-k`."""
        self.evaluations, self.key = evaluations, key
        self.add_marker(self.marker)
        self.extra_keyword_matches.update(keywords)

    @abstractmethod
    def judged(self) -> JudgedCase:
        """Return the outcome, running the suite first if needed. Fails without one."""

    def setup(self) -> None:
        """Run the suite; a test without a verdict is an error here, not a failure."""
        found = self.judged()
        given = ((SHOWN, found.shown), (SCORE, found.value), (ZONE, found.zone or None), (DELTA, found.delta))
        self.user_properties += [(name, value) for name, value in given if value is not None]
        if found.outcome == "error":
            fail(found.text)

    def runtest(self) -> None:
        """Pass, skip or fail according to the verdict."""
        found = self.judged()
        if found.outcome == "skipped":
            pytest.skip(f"{found.text} ({found.shown})")
        if found.outcome == "failed":
            fail(found.text)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return file and name, for the heading of a failure."""
        return self.path, None, self.name


class CaseItem(Judged):
    """A golden case."""

    marker = "row3_case"
    case_id: str

    def judged(self) -> JudgedCase:
        """Return the case in its suite's run."""
        suite = self.evaluations.of(self.key)
        if suite.error:
            fail(suite.error)
        found = suite.cases.get(self.case_id)
        if found is None:
            fail(f"{self.case_id} was not run: the base has a different case in this file")
        return found


class GateItem(Judged):
    """The verdict of `row3 --compare` on a suite."""

    marker = "row3_gate"

    def judged(self) -> JudgedCase:
        """Return the verdict."""
        suite = self.evaluations.of(self.key)
        if suite.error or suite.gate is None:
            fail(suite.error or "only part of the cases ran, so there is no verdict")
        return suite.gate

    def setup(self) -> None:
        """Run the suite and add the line for the summary."""
        super().setup()
        found = self.judged()
        mark = found.shown.partition(" ")[0]
        self.user_properties.append((VERDICT, f"{mark} {self.key[1]}  {found.text.splitlines()[0]}"))


class ReportPlugin:
    """Shows score and zone after each test's name, and the verdicts at the end."""

    _listing = True
    """False once the summary begins."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> Any:
        """Return the status of a test with score and zone."""
        shown = properties(report).get(SHOWN)
        if not self._listing or shown is None or report.when != "call" or report.outcome not in ("passed", "failed"):
            return None
        letter, colour = (".", "green") if report.passed else ("F", "red")
        return report.outcome, letter, (f"{report.outcome.upper()} {shown}", {colour: True})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Report a skip at the case's file instead of a line of row3, and a failure as its text only."""
        report = yield
        if not isinstance(item, Judged) or call.excinfo is None:
            return report
        if report.skipped and isinstance(report.longrepr, tuple):
            report.longrepr = (str(item.path), 1, report.longrepr[2])
        elif isinstance(call.excinfo.value, pytest.fail.Exception):
            report.longrepr = str(call.excinfo.value)
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write the verdicts."""
        self._listing = False
        found = terminalreporter.stats
        reports = [report for category in ("passed", "failed", "error") for report in found.get(category, ())]
        verdicts = sorted({str(properties(report)[VERDICT]) for report in reports if VERDICT in properties(report)})
        if verdicts:
            terminalreporter.section("row3")
            for line in verdicts:
                terminalreporter.write_line(line)


def properties(report: Any) -> dict[str, Any]:
    """Return the properties of any report."""
    return dict(getattr(report, "user_properties", ()))
