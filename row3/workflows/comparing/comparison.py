"""A candidate beside its base, judged: what the gate says, and what reports show of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from row3.domain.changes import MetricChange
from row3.domain.judgements import Approval, Judgement, Reason
from row3.domain.scores import Tally
from row3.domain.verdicts import CaseChange, Verdict
from row3.gate.drift import Drift
from row3.gate.power import Sensitivity
from row3.workflows.pipeline.run_suite import Run

if TYPE_CHECKING:
    from row3.gate.adaptive import Standing


@dataclass(frozen=True, slots=True)
class BaseHeader:
    """What answered on the base's side."""

    prompts: Mapping[str, str]
    """Version by prompt name, in pipeline order."""
    prompt_digests: Mapping[str, str]
    model: str
    parameters: Mapping[str, Mapping[str, Any]]
    repeats: int
    mode: str = "replay"
    at: str = ""
    """When the baseline was saved, UTC; empty where there is none."""
    run_id: str = ""
    commit: str | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Means over the cases that both sides answer, by today's scorer."""


@dataclass(slots=True)
class Comparison:
    """A run beside its base, judged."""

    run: Run
    baseline: BaseHeader
    against: str | None
    """The git ref whose criteria judge; None where the work tree's own do."""
    metrics: list[MetricChange]
    cases: list[CaseChange]
    """Those that moved most, largest first."""
    moves: Mapping[str, int]
    """How many cases moved in which way."""
    judgement: Judgement
    compared: int
    """Cases that both sides answer."""
    declines: int = 0
    sensitivity: Sensitivity | None = None
    """What this many cases can see of the composite."""
    approval: Approval | None = None
    """Of this judgement, given now or before."""
    prompt_diffs: dict[str, str] = field(default_factory=dict)
    """Unified diff by prompt name, base to candidate."""
    copies: Sequence[str] = ()
    """Versions that await promotion and ask what the promoted ones ask: not edited yet."""
    since: str | None = None
    """What `git diff` is given to show how the project's files changed; None where git cannot."""
    in_git: bool = True
    tallies: tuple[Tally, Tally] = ({}, {})
    """What became of the items of base and candidate, over the cases that both answer."""
    interleaved: bool = False
    """The base's prompts were asked again in the same run."""
    saved: bool = False
    """Answers of now stand beside those that were saved: a provider that moved looks like the prompt."""
    drift: Drift | None = None
    """How far the base's prompts answer otherwise than recorded, where they were asked, all or a sample."""
    adaptive: Standing | None = None
    behind: int = 0
    """Commits of `against` that change what row3 reads, and that HEAD lacks: what they did looks undone here."""
    wrong_cases: Sequence[str] = ()
    """Files of new or edited golden cases in which lint has errors."""
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
    def blocked(self) -> bool:
        """The gate blocks and nobody has approved; where an answer is missing nothing is judged yet."""
        stands = self.verdict is Verdict.BLOCK and self.approval is None and self.judgement.complete
        return stands and not self.run.suite.policy.informational
