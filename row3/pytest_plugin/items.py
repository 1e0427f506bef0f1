"""The tests: a golden case, and the gate of a suite; and what the terminal shows of them."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

from row3.workflows.suites.judge_suite import Flags, JudgedCase, JudgedSuite, judge_suite, judged_from_json

LONGEST_RUN_S = 86_400.0
"""How long a process waits for the run of another one: a live run of many cases takes hours."""
SHOWN, SCORE, ZONE, DELTA, VERDICT = "row3_shown", "row3_score", "row3_zone", "row3_delta", "row3_verdict"
"""Properties of a report, also in JUnit: the text after the test's name; the composite, a fraction; its zone; its
change against the baseline, a fraction; the line of a gate for the summary."""
Key = tuple[Path, str]
"""A project's folder and the name of one of its suites."""


@dataclass
class Evaluations:
    """The suites of one session: each runs once, when its first test does, in whichever process."""

    flags: Flags
    shared: Path | None = None
    """Folder that all processes of the session see; None if there is one process."""
    wanted: dict[Key, frozenset[str] | None] = field(default_factory=dict)
    """By suite, the ids of the cases to run; None for all."""
    _held: dict[Key, JudgedSuite] = field(default_factory=dict)

    def of(self, key: Key) -> JudgedSuite:
        """Return a judged suite; the first process that needs it runs it, the others wait and read."""
        if key not in self._held:
            shared = self.shared is not None and self.shared.is_dir()
            self._held[key] = self._once(key, self.shared) if self.shared and shared else self._judged(key)
        return self._held[key]

    def _judged(self, key: Key) -> JudgedSuite:
        return judge_suite(*key, self.flags, self.wanted.get(key))

    def _once(self, key: Key, shared: Path) -> JudgedSuite:
        name = hashlib.sha256(f"{key[0]}\n{key[1]}".encode()).hexdigest()[:16]
        file, half = shared / f"{name}.json", shared / f"{name}.half"
        from filelock import FileLock  # brings asyncio: only processes that share their work pay for it

        with FileLock(shared / f"{name}.lock", timeout=LONGEST_RUN_S):
            if file.exists():
                return judged_from_json(file.read_text(encoding="utf-8"))
            made = self._judged(key)
            half.write_text(made.as_json(), encoding="utf-8")  # a process may be killed while it writes
            half.replace(file)
            return made


def fail(text: str) -> NoReturn:
    """Fail the test, or its setup, which makes it an error; the text is all that is shown."""
    pytest.fail(text, pytrace=False)


class Judged(pytest.Item):
    """A test whose outcome is found by running its suite."""

    marker: str
    evaluations: Evaluations
    key: Key

    def fill(self, evaluations: Evaluations, key: Key, keywords: Iterable[str]) -> None:
        """Say whose suite it judges, and which further words of `-k` choose it."""
        self.evaluations, self.key = evaluations, key
        self.add_marker(self.marker)
        self.extra_keyword_matches.update(keywords)

    @abstractmethod
    def judged(self) -> JudgedCase:
        """Return the outcome; runs the suite if it has not run. Fails if there is nothing to judge."""

    def setup(self) -> None:
        """Run the suite; a test that cannot be judged is an error here, not a failure."""
        found = self.judged()
        said = ((SHOWN, found.shown), (SCORE, found.value), (ZONE, found.zone or None), (DELTA, found.delta))
        self.user_properties += [(name, value) for name, value in said if value is not None]
        if found.outcome == "error":
            fail(found.text)

    def runtest(self) -> None:
        """Pass, skip or fail as it was judged."""
        found = self.judged()
        if found.outcome == "skipped":
            pytest.skip(f"{found.text} ({found.shown})")
        if found.outcome == "failed":
            fail(found.text)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return its file and its name, which heads a failure."""
        return self.path, None, self.name


class CaseItem(Judged):
    """One golden case."""

    marker = "row3_case"
    case_id: str

    def judged(self) -> JudgedCase:
        """Return the case in its suite's run."""
        suite = self.evaluations.of(self.key)
        if suite.error:
            fail(suite.error)
        found = suite.cases.get(self.case_id)
        if found is None:
            fail(f"{self.case_id} was not run: what judges has another case in this file")
        return found


class GateItem(Judged):
    """The verdict on a suite, as `row3 --compare` gives it."""

    marker = "row3_gate"

    def judged(self) -> JudgedCase:
        """Return the verdict."""
        suite = self.evaluations.of(self.key)
        if suite.error or suite.gate is None:
            fail(suite.error or "only part of the cases was run, so there is no verdict")
        return suite.gate

    def setup(self) -> None:
        """Do as for a case, and add the line for the summary."""
        super().setup()
        found = self.judged()
        mark = found.shown.partition(" ")[0]
        self.user_properties.append((VERDICT, f"{mark} {self.key[1]}  {found.text.splitlines()[0]}"))


class Showing:
    """Shows score and zone after each name, and the verdicts at the end; with several processes, in the first."""

    _listing = True
    """False once the summary begins, which has its own words."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> Any:
        """Return score and zone for the line of a test."""
        shown = properties(report).get(SHOWN)
        if not self._listing or shown is None or report.when != "call" or report.outcome not in ("passed", "failed"):
            return None
        letter, colour = (".", "green") if report.passed else ("F", "red")
        return report.outcome, letter, (f"{report.outcome.upper()} {shown}", {colour: True})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Report a skipped case at its own file, not in a line of row3; a failure as its text alone."""
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
    """Return what a test reports of itself; works for any report."""
    return dict(getattr(report, "user_properties", ()))
