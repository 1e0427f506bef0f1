"""A run against a baseline, judged: what the gate says, and what the reports tell of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from row3.domain.changes import MetricChange
from row3.domain.scores import Tally
from row3.domain.verdicts import CaseChange, Reason, Verdict
from row3.gate.sensitivity import Sensitivity
from row3.store.history import Approval
from row3.store.run_records import RunHeader
from row3.workflows.pipeline.run_suite import Run

if TYPE_CHECKING:
    from row3.gate.adaptive import Standing
    from row3.gate.drift import Drift


@dataclass(slots=True)
class Comparison:
    """A run against a baseline, judged."""

    run: Run
    baseline: RunHeader
    against: str | None
    """The git ref that baseline, cases and thresholds were read from."""
    metrics: list[MetricChange]
    cases: list[CaseChange]
    """Those that moved most, largest first."""
    moves: Counter[str]
    verdict: Verdict
    reasons: tuple[Reason, ...]
    differs: list[str]
    """What differs from the baseline apart from the answers, a line each."""
    declines: int
    evidence: str
    compared: int
    """Cases that both sides have and that could be compared."""
    rescored: int = 0
    sensitivity: Sensitivity | None = None
    """What this many cases can see of the composite."""
    approval: Approval | None = None
    prompt_diffs: dict[str, str] = field(default_factory=dict)
    copies: list[str] = field(default_factory=list)
    """Versions that ask word for word what the promoted ones ask: they were not edited yet."""
    since: str | None = None
    """What `git diff` is given to show how the project's files changed since the baseline; None where git cannot."""
    in_git: bool = True
    """False where no git repository is there to commit to."""
    tallies: tuple[Tally, Tally] = ({}, {})
    """What became of the items of the baseline and of the run, over the cases that both have and know it of."""
    interleaved: bool = False
    """The baseline's prompts were asked again in the same run, and `metrics` compares with what they answer now."""
    drift: Drift | None = None
    """How far they answer otherwise than the baseline says, where they were asked."""
    adaptive: Standing | None = None
    behind: int = 0
    """Commits of that git ref that change what row3 reads, and that HEAD lacks: what they did looks undone here."""
    new_baseline: bool = False
    """The change brings a baseline of its own."""
    hint: str = ""
    """What would spare those who come after the change; empty for nothing."""
    wrong_cases: str = ""
    """Which of the golden cases that are new or edited lint has errors in; empty for none."""
    brought: bool = False
    """The git ref cannot judge the suite, so the baseline that the change brings does."""

    @property
    def blocked(self) -> bool:
        """The gate blocks and nobody has approved."""
        return self.verdict is Verdict.BLOCK and self.approval is None and not self.run.suite.policy.informational
