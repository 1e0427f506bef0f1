"""Results of `row3 investigate`, for cases of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from row3.domain import numbers
from row3.domain.printable import code, shorten
from row3.domain.scores import Metric, Threshold, Zone
from row3.kinds.checklist import Evidence
from row3.kinds.mistakes import UNJUDGED, Mistake, Mistakes

MOST_GOALS = 3
LONGEST = 60
"""Columns of an example in a fix."""


class Fall(NamedTuple):
    """A drop below the last good run that is larger than the gate's limit."""

    worse: float
    """Size of the drop in the gate's unit: percentage points, or per cent of the good run's value."""
    limit: float
    least: float
    """The worst value within the limit, a fraction."""
    relative: bool
    """Whether the unit is per cent of the good run's value."""

    @property
    def unit(self) -> str:
        """The unit in words."""
        return "% of its value before" if self.relative else " points"


class Symptom(NamedTuple):
    """A metric of the case; values are fractions."""

    metric: Metric
    value: float | None
    """None if the metric does not apply."""
    zone: Zone | None
    threshold: Threshold | None
    baseline: float | None
    """Value in the last good run; None without one."""
    fall: Fall | None = None
    """None unless it fell beyond the limit."""

    @property
    def failing(self) -> bool:
        """Whether it is below its target."""
        return self.zone in (Zone.FAIL, Zone.MARGINAL)

    @property
    def goal(self) -> str:
        """The value to reach, the harder of target and limit; empty if it neither fails nor fell."""
        bounds = [self.threshold.target] if self.failing and self.threshold is not None else []
        bounds += [self.fall.least] if self.fall is not None else []
        if not bounds:
            return ""
        harder, words = (max, "at least") if self.metric.higher_is_better else (min, "at most")
        goal = f"{self.metric.title} {words} {numbers.percent(harder(bounds))}"
        if self.fall is None or self.baseline is None or harder(bounds) != self.fall.least:
            return goal
        return f"{goal} ({numbers.percent(self.baseline)} before, limit {self.fall.limit:g}{'%' * self.fall.relative})"


@dataclass(frozen=True, slots=True)
class InvestigatedCase:
    """A case with its metrics, and the faults of its answer."""

    id: str
    status: str
    problem: str
    raw: str
    """The answer, if it is unusable."""
    query: str
    """The question; empty if the case has a text."""
    symptoms: tuple[Symptom, ...]
    faults: Mistakes
    before: Mistakes | None
    """The faults in the last good run; None if its answer is unknown."""
    notes: tuple[str, ...] = ()
    """Notes on the comparison."""
    remarks: tuple[str, ...] = ()
    """Repairs of the answer, and why metrics are skipped."""

    @property
    def fails(self) -> bool:
        """Whether it is unusable, below a target, or fell beyond the limit."""
        return self.status != "scored" or any(s.failing or s.fall is not None for s in self.symptoms)


class Group(NamedTuple):
    """Mistakes with the same cause, over all cases."""

    part: str
    words: str
    fix: str
    faults: Sequence[Mistake]
    before: int | None
    """Their number in the last good run, in the same cases; None if unknown for any case."""

    @property
    def cases(self) -> int:
        """Number of cases with such a fault."""
        return len({fault.case_id for fault in self.faults})

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        """Sort key: known to be wrong, growth since the last good run, number of cases, number of faults."""
        grown = 0 if self.before is None else max(0, len(self.faults) - self.before)
        return self.faults[0].cause != UNJUDGED, grown, self.cases, len(self.faults)


@dataclass(frozen=True, slots=True)
class Investigation:
    """Why cases of a suite scored as they did, and what to do about it."""

    suite: str
    kind: str
    date: str
    prompts: Mapping[str, str]
    model: str
    good: str
    """The run to compare with, or why there is none."""
    cases: tuple[InvestigatedCase, ...]
    of: int
    """Number of cases searched for failing ones; 0 if the cases were named."""
    unanswered: tuple[str, ...]
    """Cases without an answer."""
    evidence: Evidence
    """Faults of all cases."""
    flags: str
    """Options of `row3 --compare` for this suite and these answers, after a space."""
    change: str
    """Where to make the change, a sentence in Markdown."""
    prompted: bool
    """Whether prompts answer, not a system."""

    @property
    def name(self) -> str:
        """The case's id, or the number of cases."""
        if len(self.cases) == 1 and not self.of:
            return self.cases[0].id
        failing = f"{len(self.cases):,} of {self.of:,} cases failing" if self.of else f"{len(self.cases):,} cases"
        return f"{failing} in {self.suite}"

    @property
    def earlier(self) -> list[Mistake] | None:
        """Mistakes in the last good run, in the same cases; None if unknown for any case."""
        before = [case.before.items for case in self.cases if case.before is not None]
        return None if len(before) < len(self.cases) else [fault for items in before for fault in items]

    @property
    def groups(self) -> list[Group]:
        """Causes with their faults, by growth, number of cases and number of faults; missing judgements come last."""
        found: dict[tuple[str, str], list[Mistake]] = {}
        for fault in self.evidence.faults:
            found.setdefault((fault.cause, fault.pair), []).append(fault)
        earlier = self.earlier
        groups = []
        for (cause, pair), faults in found.items():
            before = None if earlier is None else sum((each.cause, each.pair) == (cause, pair) for each in earlier)
            part, words, fix = self.evidence.causes[cause]
            groups.append(Group(part, f"{words}: {pair}" if pair else words, fix, faults, before))
        return sorted(groups, key=lambda group: group.rank, reverse=True)

    @property
    def fixes(self) -> list[str]:
        """Fixes in Markdown, in the order of the causes."""
        return list(dict.fromkeys(self._fix(group) for group in self.groups if group.fix))

    def _fix(self, group: Group) -> str:
        one = group.faults[0]
        words = {name: code(shorten(getattr(one, name), LONGEST)) for name in ("label", "other", "pair")}
        said = group.fix.format(note=shorten(one.note, 2 * LONGEST), n=f"{len(group.faults):,}", **words)
        if len(self.cases) > 1 and ("{label}" in group.fix or "{note}" in group.fix):
            said = f"{said.rstrip('.')}; case {code(one.case_id)}."
        if not self.prompted:
            return said[0].upper() + said[1:]
        outputs = next(part.outputs for part in self.evidence.parts if part.key == group.part)
        prompts = [each.ref for each in self.evidence.prompts if each.output in outputs]
        return f"{[*prompts, self.evidence.prompts[-1].ref][0]}: {said}"

    @property
    def plan(self) -> list[str]:
        """Steps that verify a change, in Markdown."""
        symptoms = [symptom for case in self.cases for symptom in case.symptoms]
        goals = [symptom.goal for symptom in symptoms if symptom.goal]
        if not goals and not self.evidence.faults:
            return [f"No change is needed: {no_failure_text(symptoms)}."]
        more = [f"{len(goals) - MOST_GOALS:,} more at their targets"] if len(goals) > MOST_GOALS else []
        last = f"`row3 --compare{self.flags}`: no other case regresses, and the verdict is not block."
        reached = "; ".join([*goals[:MOST_GOALS], *more])
        if len(self.cases) > 1:
            return [self.change, last.replace("no other case", "these cases reach their targets, no other case")]
        return [
            self.change,
            f"`row3 --case {self.cases[0].id} --compare{self.flags}`: {reached or 'nothing gets worse'}.",
            last,
        ]


def no_failure_text(symptoms: Sequence[Symptom]) -> str:
    """Return what holds if nothing fails; the last good run is mentioned only if there is one."""
    compared = any(s.baseline is not None and s.value is not None for s in symptoms)
    fell = ", and none is worse than the last good run by more than its limit" if compared else ""
    return f"every metric reaches its target{fell}"
