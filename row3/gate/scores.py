"""What the gate judges: both sides' scores by one set of criteria, effects of changed criteria, and further facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from row3.domain.judgements import CriteriaChange, MetricChange, Reason
from row3.domain.scores import Metric, Threshold
from row3.gate.comparison import Decline
from row3.gate.policy import FigureChange, GatePolicy

NO_DECLINE = Decline()


@dataclass(frozen=True, slots=True)
class Scores:
    """Candidate and base scored by one set of criteria; metric values are fractions."""

    policy: GatePolicy
    metrics: Sequence[Metric]
    thresholds: Mapping[str, Threshold]
    changes: Sequence[MetricChange] = ()
    """How each metric moved over the cases that both sides answer."""
    before: Mapping[str, float] = field(default_factory=dict)
    """Means of the base over those cases."""
    after: Mapping[str, float] = field(default_factory=dict)
    """Means of the candidate over those cases; over all its cases for a metric that the base never has."""
    saved: Mapping[str, MetricChange] = field(default_factory=dict)
    """By metric, from the base's saved answers to the candidate's, if the base was asked again."""
    cases: int = 0
    failed: Sequence[str] = ()
    """Cases without an answer from the candidate."""
    incomparable: Sequence[str] = ()
    """Cases that only the base cannot answer."""
    broke: Sequence[str] = ()
    critical: Mapping[str, float | None] = field(default_factory=dict)
    """Critical cases with the p-value of a fall beyond the limit or into the fail zone: 1 if there is none, 0 if the
    case broke, None if no side was asked twice."""
    quarantined: Sequence[str] = ()
    """Quarantined cases that broke or fell beyond the limit."""
    primary: str = ""
    """Metric by which cases fall."""
    by_head: bool = False
    """The criteria are the head's, if they differ from the base's."""
    unchanged: bool = False
    """Equal to the base's own draft in prompts, settings and answers: not judged again."""
    confirmed: int = 0
    """Answers a case and side that were asked to confirm a block; these scores contain them."""
    once: Scores | None = None
    """The scores before the first of them."""
    figures: Sequence[FigureChange] = ()
    """How cost, tokens and latency moved, as far as known."""

    @property
    def final(self) -> bool:
        """Whether no further answer may be asked, so that the limit alone decides."""
        return self.confirmed >= self.policy.confirm


class Effect(NamedTuple):
    """The same answers scored by the old and by the new criteria."""

    figures: Mapping[str, Any]
    """Primary metric before and after, as fractions, for `base` and `candidate`."""
    raises: bool


@dataclass(frozen=True, slots=True)
class Context:
    """Further facts that the verdict depends on."""

    decline: Decline = NO_DECLINE
    """The declining runs up to this one."""
    merged: bool = False
    """Cases that share a `source` leave too few independent ones to see a fall that the base's cases could show."""
    partial: bool = False
    flags: Sequence[CriteriaChange] = ()
    """Rules that the command line loosens; only reported, because such a comparison is never saved."""
    recorded_again: Sequence[str] = ()
    """Cases, and texts with an embedding, whose answer to an identical request differs from the base's."""
    recorded: int = 0
    """How many of the candidate's answers the change itself records."""
    model: tuple[str, str] | None = None
    """Model and parameters of base and candidate, if they differ."""
    served: tuple[str, str] | None = None
    provider_moved: MetricChange | None = None
    """How the base's answers moved when they were asked again, if beyond noise."""
    omitted: tuple[str, str] | None = None
    """Parameters that the sides were asked without, if they differ."""
    history_removed: int = 0
    rolling: Sequence[Reason] = ()
    """The mean of the latest runs, if the suite's gate uses it."""
    added: str = ""
    """What the change adds and is judged by: `suite NAME` or `baseline`."""
    suite_removed: bool = False
    project_changes: Sequence[CriteriaChange] = ()
    """Default suite, protected branch."""
    broken_locks: Sequence[str] = ()
    """References of promoted versions whose lock, file or digest differs from the base's."""
    baseline_removed: bool = False
    baseline_differs: bool = False
    """The head's baseline differs from what its promoted versions would write."""
    unanswered: Sequence[str] = ()
    """Cases without an answer from the head's promoted versions."""
