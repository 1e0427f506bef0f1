"""Results of running and judging suites: runs, comparisons with a base, and reports on several suites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from row3.domain.judgements import CaseChange, Code, Judgement, MetricChange, Reason, Verdict
from row3.domain.judges import Rate
from row3.domain.prompts import Lineup
from row3.domain.quarantine import NO_QUARANTINE, Quarantine
from row3.domain.runs import Approval, BaseHeader, RunHeader
from row3.domain.scores import CaseScore, Tally, Usage, Zone
from row3.gate.drift import Drift, DriftCheck
from row3.gate.policy import FigureChange, exceeds, reaches
from row3.gate.power import Sensitivity
from row3.gate.suites import JudgedSuite
from row3.metrics.aggregate import Seen

WORST_LAST = (0, 3, 1, 2)
"""Exit codes, the worst last: an unusable file (2) hides a verdict, and further answers cannot undo a block (1)."""
Standing = Literal["proceed", "investigate", "block", "approved", "informational", "incomplete", "unusable", "none"]
"""A suite's outcome; `none` if nothing was judged."""


class Lines(Protocol):
    """Lines of JSON that can be read repeatedly."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[bytes]: ...


@dataclass(slots=True)
class Run:
    """A finished run: header, totals, and cases as lines."""

    header: RunHeader
    suite: JudgedSuite
    lineup: Lineup
    zones: Mapping[str, Zone]
    usage: Usage
    records: Lines
    """The cases as stored in a saved run."""
    details: Lines
    """The cases with every match explained, as JSON; empty unless requested."""
    rows: Sequence[CaseScore]
    """The cases for a table: all, or the worst of many."""
    partial: bool = False
    failed: Sequence[str] = ()
    ungraded: Sequence[str] = ()
    """The failed cases that have an answer, but not its grades."""
    bad: Sequence[str] = ()
    skipped: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By metric, the number of cases for each reason."""
    seen_in: Mapping[str, Seen] = field(default_factory=dict)
    """By metric, the number of cases and sources with a nonzero value."""
    rates: Mapping[str, Rate] = field(default_factory=dict)
    """Intervals of the metrics that are a share of the cases; `count` is the number of independent units."""
    tally: Tally = field(default_factory=dict)
    notes: Sequence[str] = ()
    """Notes for the user: repairs, truncation, repeats."""
    problems: Sequence[tuple[str, str]] = ()
    quarantine: Quarantine = NO_QUARANTINE
    answers: Sequence[str] = ()
    """A live run's answers, as lines of a recording."""
    scores: Lines = ()
    """A shard's cases with all that a merge needs; empty for a whole run."""

    @property
    def complete(self) -> bool:
        """Whether every case has an answer."""
        return not self.failed

    @property
    def lacking(self) -> str:
        """What the failed cases lack."""
        return (
            "answer" if not self.ungraded else "grade" if len(self.ungraded) == len(self.failed) else "answer or grade"
        )

    @property
    def without(self) -> str:
        """The same with its article."""
        return f"{'a' if self.lacking == 'grade' else 'an'} {self.lacking}"

    @property
    def cases(self) -> int:
        """Number of cases that were run."""
        return len(self.records)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """How far a block that may be noise was confirmed by further answers."""

    most: int
    """Most further answers a case and side."""
    answers: int = 0
    """How many of them the judgement uses, a case and side."""
    asked: int = 0
    """Requests that this command sent for them."""
    missing: int = 0
    """Requests that the next look at the answers needs and that no recording answers; 0 if it needs none."""
    stopped: str = ""
    """Why they are not asked, or no more of them: the budget, an answer that failed, a model that no provider serves;
    empty if this command may not ask."""
    command: str = ""
    """The command that asks for them; empty if none can."""


@dataclass(slots=True)
class Comparison:
    """A judged comparison of a run with its base."""

    run: Run
    baseline: BaseHeader
    metrics: Sequence[MetricChange]
    cases: Sequence[CaseChange]
    """The cases that moved most, largest move first."""
    moves: Mapping[str, int]
    judgement: Judgement
    compared: int
    """Number of cases that both sides answer."""
    against: str | None = None
    """The git ref whose criteria judge; None for those of the work tree."""
    declines: int = 0
    sensitivity: Sensitivity | None = None
    """The drops of the composite that this many cases can detect."""
    prompt_diffs: Mapping[str, str] = field(default_factory=dict)
    """Unified diff by prompt name, base to candidate."""
    in_git: bool = True
    tallies: tuple[Tally, Tally] = ({}, {})
    """Item counts of base and candidate, over the cases that both answer."""
    figures: Sequence[FigureChange] = ()
    """Cost, tokens and latency, if known."""
    interleaved: bool = False
    """The base's prompts were asked again in the same run."""
    saved: bool = False
    """New answers are compared with saved ones, so provider drift looks like an effect of the prompt."""
    drift: Drift | None = None
    """Drift of the base's prompts from their recorded answers, if all cases or a sample were asked again."""
    confirmation: Confirmation | None = None
    """None if no block had to be confirmed."""
    once: Run | None = None
    """The run without the answers that confirm, which a promotion saves as the baseline; None if `run` has none."""
    behind: int = 0
    """Commits of `against` that HEAD lacks and that change files row3 reads; their effects look reverted here."""
    own_baseline: bool = False
    """`against` has no baseline of this suite, so the change's own is used."""
    noted: bool = False
    """The comparison has an entry in the history."""
    golden: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Ids of the golden cases that are `edited`, `removed` or `new` since the base."""
    asking: str = ""
    """The commit against which the hook judges, if the change removes or loosens criteria that it has."""

    @property
    def verdict(self) -> Verdict:
        """The gate's verdict, approved or not."""
        return self.judgement.verdict

    @property
    def approval(self) -> Approval | None:
        """Approval of this judgement, new or earlier."""
        return self.judgement.approval

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Reasons of the verdict, worst first, notes last."""
        return self.judgement.reasons

    @property
    def complete(self) -> bool:
        """Whether no answer is missing; an incomplete comparison is not judged."""
        return self.judgement.complete and not self.run.failed

    @property
    def unanswered(self) -> list[str]:
        """Ids of the cases without an answer, those of the base first, then those that only the head has."""
        missing = [reason.subject for reason in self.reasons if reason.code is Code.NO_ANSWER]
        return list(dict.fromkeys([*self.run.failed, *missing]))

    @property
    def blocked(self) -> bool:
        """Whether the gate blocks without an approval; False if an answer is missing, as nothing is judged yet."""
        stands = self.verdict is Verdict.BLOCK and self.approval is None and self.judgement.complete
        return stands and not self.run.suite.policy.informational

    @property
    def fell(self) -> bool:
        """Whether the primary metric, gated or not, fell as far as `fixed` investigates.

        Promoting then needs a reason (STANDARDS 4.3).
        """
        change, policy = self.primary_change, self.run.suite.policy
        if change is None or change.worse_by is None or policy.informational:
            return False
        beyond = change.key in policy.metrics and exceeds(change.worse_by, change.limit)
        return reaches(change.worse_by, policy.investigate) and not beyond

    @property
    def primary_change(self) -> MetricChange | None:
        """Change of the primary metric."""
        return next((each for each in self.metrics if each.key == self.run.suite.kind.primary), None)


class Drifted(NamedTuple):
    """The result of `row3 drift`."""

    suite: JudgedSuite
    then: BaseHeader
    """The baseline, or the recordings of the promoted prompts."""
    source: str
    sample: Sequence[str]
    of: int
    """Number of cases the sample is drawn from."""
    seed: int
    again: DriftCheck

    @property
    def recorded(self) -> bool:
        """Whether recordings, not a baseline, are compared with."""
        return not self.then.run_id

    @property
    def exit_code(self) -> int:
        """3 if a case has no answer, 1 if the provider is shown to have moved, else 0."""
        return 3 if self.again.failed else int(self.again.drift.state == "moved")


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The result of one suite: compared, only run, removed by the change, new, or unusable."""

    suite: str
    run: Run | None = None
    comparison: Comparison | None = None
    judgement: Judgement | None = None
    declines: int = 0
    problem: str = ""
    fault: int = 0
    """Exit code of the error that stopped the suite: invalid file or setting (2), provider stopped (3)."""

    @property
    def exit_code(self) -> int:
        """3 if an answer is missing, 1 if the gate blocks, else 0; after an error, its exit code."""
        if self.fault or (self.run is not None and self.run.failed):
            return self.fault or 3
        if self.comparison is not None:
            return int(self.comparison.blocked) if self.comparison.judgement.complete else 3
        return int(self.judgement is not None and self.judgement.approval is None)

    @property
    def standing(self) -> Standing:
        """The suite's outcome."""
        if self.exit_code:
            return "block" if self.exit_code == 1 else "incomplete" if self.exit_code == 3 else "unusable"
        if self.judgement is None:
            return "none"
        if self.judgement.approval is not None:
            return "approved"
        return "informational" if self.judgement.verdict is Verdict.BLOCK else self.judgement.verdict.word

    @property
    def is_new(self) -> bool:
        """Whether the suite has no baseline yet."""
        return self.run is None and self.judgement is None and not self.fault


def ran(run: Run, declines: int = 0) -> SuiteResult:
    """Return the result of a suite that was run and not judged."""
    return SuiteResult(run.suite.name, run, declines=declines)


def judged(comparison: Comparison) -> SuiteResult:
    """Return the result of a suite that was compared with its base."""
    run, judgement = comparison.run, comparison.judgement
    return SuiteResult(run.suite.name, run, comparison, judgement, comparison.declines)


def worst_code(codes: Iterable[int]) -> int:
    """Return the worst exit code: 2 before 1 before 3 before 0."""
    return max(codes, key=WORST_LAST.index, default=0)


class SuitesReport(NamedTuple):
    """The results of several suites, in the order of their names."""

    results: Sequence[SuiteResult]

    @property
    def exit_code(self) -> int:
        """The worst exit code of all suites."""
        return worst_code(result.exit_code for result in self.results)

    @property
    def judged(self) -> bool:
        """Whether suites were compared, not only run."""
        return any(result.judgement is not None or result.is_new for result in self.results)

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all suites; a suite that could not be judged blocks."""
        if self.exit_code:
            return Verdict.BLOCK
        look = any(result.standing in ("investigate", "informational") for result in self.results)
        return Verdict.INVESTIGATE if look else Verdict.PROCEED

    @property
    def behind(self) -> tuple[int, str] | None:
        """How many commits HEAD lacks of the ref it is compared with, and the ref; None if it lacks none."""
        seen = (result.comparison for result in self.results if result.comparison is not None)
        return next(((one.behind, one.against) for one in seen if one.behind and one.against), None)
