"""What became of each suite in a run over several, and the one exit code of them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from row3.domain.judgements import Judgement
from row3.domain.verdicts import Verdict
from row3.reports.model import Standing
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.pipeline.run_suite import Run

WORST_LAST = (0, 3, 1, 2)
"""Exit codes, the worst last.

An unusable file (2) hides a verdict, so it outranks all others. A block (1) outranks an incomplete run (3): the missing
answers cannot undo it.
"""


@dataclass(frozen=True, slots=True)
class Judged:
    """A suite that was compared with its base."""

    comparison: Comparison
    problem: str = ""

    @property
    def suite(self) -> str:
        """Its name."""
        return self.comparison.run.suite.name

    @property
    def run(self) -> Run:
        """The candidate's run."""
        return self.comparison.run

    @property
    def judgement(self) -> Judgement:
        """The gate's word."""
        return self.comparison.judgement

    @property
    def declines(self) -> int:
        """Consecutive declining runs."""
        return self.comparison.declines

    @property
    def exit_code(self) -> int:
        """3 where an answer is missing, 1 where the gate blocks, else 0."""
        if self.run.collected.failed or not self.judgement.complete:
            return 3
        return 1 if self.comparison.blocked else 0

    @property
    def standing(self) -> Standing:
        """What became of it."""
        if self.exit_code:
            return "incomplete" if self.exit_code == 3 else "block"
        if self.comparison.approval is not None:
            return "approved"
        if self.judgement.verdict is Verdict.BLOCK:
            return "informational"
        return "proceed" if self.judgement.verdict is Verdict.PROCEED else "investigate"


@dataclass(frozen=True, slots=True)
class Ran:
    """A suite that was run and not judged."""

    run: Run
    declines: int = 0
    comparison: None = None
    judgement: None = None
    problem: str = ""

    @property
    def suite(self) -> str:
        """Its name."""
        return self.run.suite.name

    @property
    def exit_code(self) -> int:
        """3 where a case has no answer, else 0."""
        return 3 if self.run.collected.failed else 0

    @property
    def standing(self) -> Standing:
        """What became of it."""
        return "incomplete" if self.exit_code else "none"


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A new suite that has nothing to be compared with."""

    suite: str
    problem: str
    """Why, and what to do."""
    exit_code: int = 0
    standing: Standing = "none"
    run: None = None
    comparison: None = None
    judgement: None = None
    declines: int = 0


@dataclass(frozen=True, slots=True)
class Gone:
    """A suite that the change removes: `criteria_removed` with the subject `suite NAME`."""

    suite: str
    judgement: Judgement
    run: None = None
    comparison: None = None
    declines: int = 0
    problem: str = ""

    @property
    def exit_code(self) -> int:
        """1 until somebody approves."""
        return 1 if self.judgement.approval is None else 0

    @property
    def standing(self) -> Standing:
        """What became of it."""
        return "block" if self.judgement.approval is None else "approved"


@dataclass(frozen=True, slots=True)
class Broken:
    """A suite that could not be run: one of its files or settings is invalid, or its provider stopped."""

    suite: str
    problem: str
    exit_code: int
    run: None = None
    comparison: None = None
    judgement: None = None
    declines: int = 0

    @property
    def standing(self) -> Standing:
        """What became of it."""
        return "incomplete" if self.exit_code == 3 else "unusable"


SuiteResult = Judged | Ran | Unjudged | Gone | Broken


def worst_code(codes: Iterable[int]) -> int:
    """Return the worst exit code: 2 before 1 before 3 before 0."""
    return max(codes, key=WORST_LAST.index, default=0)


@dataclass(frozen=True, slots=True)
class SuitesReport:
    """The results of several suites, in the order of their names."""

    results: Sequence[SuiteResult]

    @property
    def exit_code(self) -> int:
        """The worst of all."""
        return worst_code(result.exit_code for result in self.results)

    @property
    def judged(self) -> bool:
        """Return whether this was a comparison."""
        return any(isinstance(result, Judged | Unjudged | Gone) for result in self.results)

    @property
    def verdict(self) -> Verdict:
        """The worst of all; a suite that could not be judged does not pass."""
        if self.exit_code:
            return Verdict.BLOCK
        looked = any(result.standing in ("investigate", "informational") for result in self.results)
        return Verdict.INVESTIGATE if looked else Verdict.PROCEED

    @property
    def behind(self) -> tuple[int, str] | None:
        """How many commits of the git ref that judges HEAD lacks, and that ref; None where it lacks none."""
        seen = (result.comparison for result in self.results if isinstance(result, Judged))
        return next(((one.behind, one.against) for one in seen if one.behind and one.against), None)
