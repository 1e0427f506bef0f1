"""The tests themselves: a golden case, and the gate of a suite."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import NoReturn

import pytest

from row3.pytest_plugin.evaluating import Evaluations, Key
from row3.workflows.suites.judge_suite import JudgedCase

SHOWN, SCORE, ZONE, DELTA, VERDICT = "row3_shown", "row3_score", "row3_zone", "row3_delta", "row3_verdict"
"""Properties of a report, JUnit's too: what stands beside the test's name; the composite, a fraction; its zone; its
change against the baseline, a fraction; of a gate, its line for the end."""


def fail(text: str) -> NoReturn:
    """Fail the test, or its setup, which makes it an error; the text is all that is shown, and no traceback is made."""
    pytest.fail(text, pytrace=False)


class Judged(pytest.Item):
    """What both have in common: one run of the suite judges them all."""

    evaluations: Evaluations
    key: Key

    @abstractmethod
    def judged(self) -> JudgedCase:
        """How it was judged; runs the suite where nobody has yet. Fails where there is nothing to judge."""

    def setup(self) -> None:
        """Have the suite run; a test that cannot be judged is an error here, and no failure."""
        found = self.judged()
        self.user_properties += properties(found)
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
        """Where it stands; the heading of its failure is its name."""
        return self.path, None, self.name


class CaseItem(Judged):
    """One golden case."""

    case_id: str

    def fill(self, evaluations: Evaluations, key: Key, case_id: str) -> None:
        """Say which case of which suite it is."""
        self.evaluations, self.key, self.case_id = evaluations, key, case_id
        self.add_marker("row3_case")

    def judged(self) -> JudgedCase:
        """The case in its suite's run."""
        suite = self.evaluations.of(self.key)
        if suite.error:
            fail(suite.error)
        found = suite.cases.get(self.case_id)
        if found is None:
            fail(f"{self.case_id} was not run: what judges has another case in this file")
        return found


class GateItem(Judged):
    """The verdict on a suite, as `row3 --compare` gives it."""

    def fill(self, evaluations: Evaluations, key: Key) -> None:
        """Say which suite it judges."""
        self.evaluations, self.key = evaluations, key
        self.add_marker("row3_gate")

    def judged(self) -> JudgedCase:
        """The verdict."""
        suite = self.evaluations.of(self.key)
        if suite.error or suite.gate is None:
            fail(suite.error or "only a part of the cases was run; a part is no gate")
        return suite.gate

    def setup(self) -> None:
        """As of a case, with the line that is shown at the end."""
        super().setup()
        found = self.judged()
        mark = found.shown.partition(" ")[0]
        self.user_properties.append((VERDICT, f"{mark} {self.key[1]}  {found.text.splitlines()[0]}"))


def properties(found: JudgedCase) -> list[tuple[str, object]]:
    """What reports and JUnit XML keep of it; fractions with all their digits."""
    said: list[tuple[str, object]] = [(SHOWN, found.shown)]
    if found.value is not None:
        said.append((SCORE, found.value))
    if found.zone:
        said.append((ZONE, found.zone))
    if found.delta is not None:
        said.append((DELTA, found.delta))
    return said
