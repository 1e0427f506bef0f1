"""What running and judging a suite gives: the run, the comparison with its base, and the results of several suites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from row3.domain.changes import MetricChange
from row3.domain.given import NOTHING, Given
from row3.domain.judgements import Approval, Judgement, Reason
from row3.domain.judges import Rate
from row3.domain.manifests import Tier
from row3.domain.metrics import Zone
from row3.domain.prompts import Lineup
from row3.domain.quarantine import NO_QUARANTINE, Quarantine
from row3.domain.runs import BaseHeader, CaseRow, RunHeader
from row3.domain.scores import Tally, Usage
from row3.domain.verdicts import CaseChange, Verdict
from row3.gate.adaptive import Standing as Rounds
from row3.gate.drift import Again, Drift
from row3.gate.policy import GatePolicy
from row3.gate.power import Sensitivity
from row3.kinds.base import Kind, Rules
from row3.metrics.aggregate import Seen

WORST_LAST = (0, 3, 1, 2)
"""Exit codes, the worst last.

An unusable file (2) hides a verdict, so it outranks all others. A block (1) outranks an incomplete run (3): the missing
answers cannot undo it.
"""
Standing = Literal["proceed", "investigate", "block", "approved", "informational", "incomplete", "unusable", "none"]
"""What became of a suite; `none` where nothing was judged."""


class Lines(Protocol):
    """Lines of JSON that can be read repeatedly."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[bytes]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSuite:
    """What judging and reporting need to know of a suite."""

    name: str
    kind: Kind
    rules: Rules
    policy: GatePolicy
    golden: str
    """Folder of its cases, relative to the project."""
    tier: Tier = "replay"
    """Whose thresholds and limits these are, and whose baseline is compared with."""
    prompted: bool = True
    """A model answers prompts; else a system under test answers calls."""
    local: bool = False
    """Its model runs in this process."""
    address: str = ""
    """Where its model is asked, if the environment says so."""
    flag: str = ""
    """The option that selects it in a printed command, ` --suite NAME`; empty for the default suite."""
    given: Given = NOTHING
    """Other options of the command line that select answers."""

    def flags(self, command: str, *said: str) -> str:
        """Return the options with which a printed command selects this suite and the same answers; as `Given.flags`."""
        return self.flag + self.given.flags(command, *said)


@dataclass(slots=True)
class Run:
    """A finished run: its header and sums, its cases as lines."""

    header: RunHeader
    suite: JudgedSuite
    lineup: Lineup
    zones: Mapping[str, Zone]
    usage: Usage
    records: Lines
    """The cases as a saved run keeps them."""
    details: Lines
    """The cases with every match explained, as JSON; empty unless asked for."""
    rows: Sequence[CaseRow]
    """The cases of a table: all, or the worst of many."""
    partial: bool = False
    """Only some of the cases were run."""
    failed: Sequence[str] = ()
    bad: Sequence[str] = ()
    skipped: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By metric: reason and how many cases."""
    seen_in: Mapping[str, Seen] = field(default_factory=dict)
    """By metric, in how many cases and sources there was any of it."""
    rates: Mapping[str, Rate] = field(default_factory=dict)
    """By metric that is a share of the cases, its interval; `count` is the number of independent units."""
    tally: Tally = field(default_factory=dict)
    notes: Sequence[str] = ()
    """Lines for the user: repairs, truncation, repeats."""
    problems: Sequence[tuple[str, str]] = ()
    quarantine: Quarantine = NO_QUARANTINE

    @property
    def complete(self) -> bool:
        """Return whether every case has an answer."""
        return not self.failed

    @property
    def cases(self) -> int:
        """Return how many cases were run."""
        return len(self.records)


@dataclass(slots=True)
class Comparison:
    """A run beside its base, judged."""

    run: Run
    baseline: BaseHeader
    against: str | None
    """The git ref whose criteria judge; None where the work tree's own do."""
    metrics: Sequence[MetricChange]
    cases: Sequence[CaseChange]
    """Those that moved most, largest first."""
    moves: Mapping[str, int]
    judgement: Judgement
    compared: int
    """Cases that both sides answer."""
    declines: int = 0
    sensitivity: Sensitivity | None = None
    """What this many cases can see of the composite."""
    approval: Approval | None = None
    """Of this judgement, given now or before."""
    prompt_diffs: Mapping[str, str] = field(default_factory=dict)
    """Unified diff by prompt name, base to candidate."""
    in_git: bool = True
    tallies: tuple[Tally, Tally] = ({}, {})
    """What became of the items of base and candidate, over the cases that both answer."""
    interleaved: bool = False
    """The base's prompts were asked again in the same run."""
    saved: bool = False
    """Answers of now stand beside those that were saved: a provider that moved looks like the prompt."""
    drift: Drift | None = None
    """How far the base's prompts answer otherwise than recorded, where they were asked, all or a sample."""
    adaptive: Rounds | None = None
    behind: int = 0
    """Commits of `against` that change what row3 reads, and that HEAD lacks: what they did looks undone here."""
    own_baseline: bool = False
    """`against` has no baseline of this suite, so the change's own judges."""
    noted: bool = False
    """The history got an entry."""

    @property
    def verdict(self) -> Verdict:
        """The gate's word, approved or not."""
        return self.judgement.verdict

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Worst first, notes last."""
        return self.judgement.reasons

    @property
    def complete(self) -> bool:
        """Return whether every answer is there; an incomplete comparison is not judged."""
        return self.judgement.complete and not self.run.failed

    @property
    def blocked(self) -> bool:
        """The gate blocks and nobody has approved; where an answer is missing nothing is judged yet."""
        stands = self.verdict is Verdict.BLOCK and self.approval is None and self.judgement.complete
        return stands and not self.run.suite.policy.informational

    @property
    def primary_change(self) -> MetricChange | None:
        """Return how the metric judged first moved."""
        return next((each for each in self.metrics if each.key == self.run.suite.kind.primary), None)


@dataclass(frozen=True, slots=True)
class Drifted:
    """What `row3 drift` found."""

    suite: JudgedSuite
    then: BaseHeader
    """The baseline, or the recordings of the promoted prompts."""
    source: str
    sample: Sequence[str]
    of: int
    """Cases there are to take a sample of."""
    seed: int
    again: Again

    @property
    def recorded(self) -> bool:
        """Recordings are what it is compared with, not a baseline."""
        return not self.then.run_id

    @property
    def exit_code(self) -> int:
        """Return 3 where a case has no answer, 1 where the provider is shown to have moved, else 0."""
        return 3 if self.again.failed else int(self.again.drift.state == "moved")


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """What became of one suite: compared, only run, removed by the change, new, or unusable."""

    suite: str
    run: Run | None = None
    comparison: Comparison | None = None
    judgement: Judgement | None = None
    """The gate's word; None where nothing was judged."""
    declines: int = 0
    problem: str = ""
    fault: int = 0
    """Exit code of an error that stopped it: an invalid file or setting (2), a provider that stopped (3)."""

    @property
    def exit_code(self) -> int:
        """Return 3 where an answer is missing, 1 where the gate blocks, else 0; of an error, its own."""
        if self.fault or (self.run is not None and self.run.failed):
            return self.fault or 3
        if self.comparison is not None:
            return int(self.comparison.blocked) if self.comparison.judgement.complete else 3
        return int(self.judgement is not None and self.judgement.approval is None)

    @property
    def standing(self) -> Standing:
        """Return what became of it in a word."""
        if self.exit_code:
            return "block" if self.exit_code == 1 else "incomplete" if self.exit_code == 3 else "unusable"
        if self.judgement is None:
            return "none"
        if (self.judgement if self.comparison is None else self.comparison).approval is not None:
            return "approved"
        return "informational" if self.judgement.verdict is Verdict.BLOCK else self.judgement.verdict.word

    @property
    def is_new(self) -> bool:
        """Return whether it has nothing to be compared with."""
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


@dataclass(frozen=True, slots=True)
class SuitesReport:
    """The results of several suites, in the order of their names."""

    results: Sequence[SuiteResult]

    @property
    def exit_code(self) -> int:
        """Return the worst of all."""
        return worst_code(result.exit_code for result in self.results)

    @property
    def judged(self) -> bool:
        """Return whether this was a comparison."""
        return any(result.judgement is not None or result.is_new for result in self.results)

    @property
    def verdict(self) -> Verdict:
        """Return the worst of all; a suite that could not be judged does not pass."""
        if self.exit_code:
            return Verdict.BLOCK
        looked = any(result.standing in ("investigate", "informational") for result in self.results)
        return Verdict.INVESTIGATE if looked else Verdict.PROCEED

    @property
    def behind(self) -> tuple[int, str] | None:
        """Return how many commits of the git ref that judges HEAD lacks, and that ref; None where it lacks none."""
        seen = (result.comparison for result in self.results if result.comparison is not None)
        return next(((one.behind, one.against) for one in seen if one.behind and one.against), None)
