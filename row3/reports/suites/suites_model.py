"""What became of each suite in a run over all of them, and the one exit code of it all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from row3.domain.verdicts import Verdict
from row3.reports import numbers
from row3.reports.model import ApprovalView, ComparisonView, RunView

WORST_LAST = (0, 3, 1, 2)
"""Exit codes, the worst last.

A file that cannot be used (2) hides a verdict, so it comes before all others; a block (1) stands whatever an incomplete
run (3) may still say.
"""

Standing = Literal["proceed", "investigate", "block", "approved", "informational", "incomplete", "unusable", "none"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A suite that was compared with its baseline."""

    comparison: ComparisonView
    note: str = ""
    """What is special about how it was judged."""
    hint: str = ""
    """What would spare those who come after the change; empty for nothing."""
    wrong_cases: str = ""
    """Which of the golden cases that are new or edited lint has errors in; empty for none."""

    @property
    def suite(self) -> str:
        """Its name."""
        return self.comparison.run.suite.name

    @property
    def exit_code(self) -> int:
        """3 where a case has no answer, 1 where the gate blocks, else 0."""
        if self.comparison.run.collected.failed:
            return 3
        return 1 if self.comparison.blocked else 0


@dataclass(frozen=True, slots=True)
class Ran:
    """A suite that was run and not judged."""

    run: RunView
    declines: int = 0

    @property
    def suite(self) -> str:
        """Its name."""
        return self.run.suite.name

    @property
    def exit_code(self) -> int:
        """3 where a case has no answer, else 0."""
        return 3 if self.run.collected.failed else 0


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A suite that is new and has nothing to be compared with."""

    suite: str
    note: str
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Gone:
    """A suite that the base has a baseline of, and that has no golden case any more."""

    suite: str
    base: str = ""
    """What messages call the commit that has it."""
    cases: int = 0
    composite: tuple[str, float] | None = None
    """Title and value of what its baseline is judged by first, as far as that can be read."""
    was_default: bool = False
    promotes: tuple[str, ...] = ()
    """Prompt versions that the change promotes and that no suite is left to judge."""
    brings: tuple[str, ...] = ()
    """Suites of the change that the base cannot judge: the approval is for them as they are."""
    evidence: str = ""
    """Digest of what an approval holds for."""
    approval: ApprovalView | None = None

    @property
    def exit_code(self) -> int:
        """1 until somebody signs for it."""
        return 1 if self.approval is None else 0

    @property
    def signing(self) -> str:
        """The command that signs for it."""
        return f"row3 --compare --suite {self.suite} --against {self.base} --approve REASON"

    @property
    def problem(self) -> str:
        """What is wrong, and who signed for it."""
        there = f" ({self.cases:,} at {self.base})" if self.base else ""
        parts = [f"all its golden cases are gone{there}"]
        if self.composite is not None:
            title, value = self.composite
            parts.append(f"its baseline has {title} {numbers.percent(value)}")
        parts += ["it is the default suite there"] if self.was_default else []
        parts += [f"nobody judges {one}, which this change promotes" for one in self.promotes]
        if self.brings:
            parts.append(f"approved with it as it is, since no baseline there judges it: {', '.join(self.brings)}")
        if self.approval is not None:
            at = numbers.moment(self.approval.at)
            parts.append(f"approved by {self.approval.by}, {at} UTC: {self.approval.reason}")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Broken:
    """A suite that could not be run: a file or a setting of it cannot be used, or its provider stopped."""

    suite: str
    problem: str
    exit_code: int


SuiteResult = Judged | Ran | Unjudged | Gone | Broken


def worst_code(codes: Iterable[int]) -> int:
    """The worst of these exit codes: 2 before 1 before 3 before 0."""
    return max(codes, key=WORST_LAST.index, default=0)


def standing(result: SuiteResult) -> Standing:
    """What became of a suite, in a word."""
    if isinstance(result, Broken):
        return "incomplete" if result.exit_code == 3 else "unusable"
    if isinstance(result, Gone):
        return "block" if result.approval is None else "approved"
    if result.exit_code == 3:
        return "incomplete"
    if not isinstance(result, Judged):
        return "none"
    comparison = result.comparison
    if comparison.verdict is not Verdict.BLOCK:
        return "proceed" if comparison.verdict is Verdict.PROCEED else "investigate"
    if comparison.blocked:
        return "block"
    return "approved" if comparison.approval is not None else "informational"


@dataclass(frozen=True, slots=True)
class SuitesReport:
    """All suites of a project, each with what became of it, in the order of their names."""

    results: Sequence[SuiteResult]

    @property
    def exit_code(self) -> int:
        """The worst of all."""
        return worst_code(result.exit_code for result in self.results)

    @property
    def judged(self) -> bool:
        """Whether this was a comparison, of whatever came of it."""
        return any(isinstance(result, Judged | Unjudged | Gone) for result in self.results)

    @property
    def verdict(self) -> Verdict:
        """The worst of all; whatever could not be judged does not pass."""
        if self.exit_code:
            return Verdict.BLOCK
        looked = any(standing(result) in ("investigate", "approved", "informational") for result in self.results)
        return Verdict.INVESTIGATE if looked else Verdict.PROCEED

    @property
    def behind(self) -> tuple[int, str] | None:
        """How many commits HEAD lacks of the git ref that judges, and that ref; None where it lacks none."""
        seen = (result.comparison for result in self.results if isinstance(result, Judged))
        return next(((one.behind, one.against) for one in seen if one.behind and one.against), None)

    def count(self, *standings: Standing) -> int:
        """How many suites stand so."""
        return sum(1 for result in self.results if standing(result) in standings)
