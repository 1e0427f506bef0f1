"""What `row3 investigate` found about cases of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from row3.domain.metrics import Metric, Threshold, Zone
from row3.kinds.faults import Fault, Faults
from row3.reports import numbers
from row3.reports.investigations.checklist import Seen
from row3.reports.markdown import code
from row3.reports.style import shorten

MOST_GOALS = 3
LONGEST = 60
"""Columns of an example in a fix."""


class Fall(NamedTuple):
    """How much worse than the last good run a metric is, if that is more than the gate lets a metric lose."""

    worse: float
    """In the gate's unit: percentage points, or per cent of the good run's value."""
    limit: float
    least: float
    """The worst value that is within the limit, a fraction."""
    relative: bool
    """The unit is per cent of the good run's value."""

    @property
    def unit(self) -> str:
        """The unit in words."""
        return "% of its value before" if self.relative else " points"


class Symptom(NamedTuple):
    """One metric of the case; fractions."""

    metric: Metric
    value: float | None
    """None where it does not apply."""
    zone: Zone | None
    threshold: Threshold | None
    baseline: float | None
    """Value in the last good run; None where there is none."""
    fall: Fall | None = None
    """None if it did not fall, or within the limit."""

    @property
    def failing(self) -> bool:
        """Below its target."""
        return self.zone in (Zone.FAIL, Zone.MARGINAL)

    @property
    def goal(self) -> str:
        """What it has to reach: the harder of target and limit; empty if it neither fails nor fell."""
        bounds = [self.threshold.target] if self.failing and self.threshold is not None else []
        bounds += [self.fall.least] if self.fall is not None else []
        if not bounds:
            return ""
        bound = f"at least {numbers.percent(max(bounds))}"
        if not self.metric.higher_is_better:
            bound = f"at most {numbers.percent(min(bounds))}"
        return f"{self.metric.title} {bound}"


@dataclass(frozen=True, slots=True)
class InvestigatedCase:
    """One case with its metrics, and what is wrong with its answer."""

    id: str
    status: str
    problem: str
    raw: str
    """The answer, if it cannot be used."""
    query: str
    """What was asked; empty where a case has a text."""
    symptoms: tuple[Symptom, ...]
    faults: Faults
    before: Faults | None
    """The same of the last good run; None where its answer is not known."""
    notes: tuple[str, ...] = ()
    """What to know about the comparison."""
    remarks: tuple[str, ...] = ()
    """Repairs of the answer, and why metrics are skipped."""

    @property
    def fails(self) -> bool:
        """Whether it is unusable, in a fail zone, or fell beyond the limit."""
        return self.status != "scored" or any(s.zone is Zone.FAIL or s.fall is not None for s in self.symptoms)


class Group(NamedTuple):
    """The faults of one cause, narrowed down, over all cases."""

    part: str
    words: str
    fix: str
    faults: Sequence[Fault]
    before: int | None
    """How many the last good run has in the same cases; None where that is not known of all."""

    @property
    def rank(self) -> tuple[int, int, int]:
        """How many more there are than in the last good run, cases that have one, and how many there are."""
        grown = 0 if self.before is None else max(0, len(self.faults) - self.before)
        return grown, len({fault.case_id for fault in self.faults}), len(self.faults)


@dataclass(frozen=True, slots=True)
class Investigation:
    """Why cases of a suite scored as they did, and what to do about it."""

    suite: str
    kind: str
    date: str
    prompts: Mapping[str, str]
    model: str
    good: str
    """The run that was compared with, or why none was."""
    cases: tuple[InvestigatedCase, ...]
    of: int
    """How many cases were looked at for failing ones; 0 where they were named."""
    unanswered: tuple[str, ...]
    """Cases without an answer."""
    seen: Seen
    """The faults of all cases."""
    flags: str
    """Options of `row3 --compare` for this suite and these answers, after a space."""
    change: str
    """Where a change is made, a sentence in Markdown."""
    prompted: bool
    """Prompts answer, not a system."""

    @property
    def name(self) -> str:
        """The case, or how many."""
        if len(self.cases) == 1 and not self.of:
            return self.cases[0].id
        failing = f"{len(self.cases):,} failing of {self.of:,} cases" if self.of else f"{len(self.cases):,} cases"
        return f"{failing} of {self.suite}"

    @property
    def earlier(self) -> list[Fault] | None:
        """The faults of the last good run in the same cases; None where they are not known of all."""
        before = [case.before.items for case in self.cases if case.before is not None]
        return None if len(before) < len(self.cases) else [fault for items in before for fault in items]

    @property
    def groups(self) -> list[Group]:
        """Causes with their faults: those that grew most, are in most cases and are the most frequent first."""
        found: dict[tuple[str, str], list[Fault]] = {}
        for fault in self.seen.faults:
            found.setdefault((fault.cause, fault.pair), []).append(fault)
        earlier = self.earlier
        groups = []
        for (cause, pair), faults in found.items():
            before = None if earlier is None else sum((each.cause, each.pair) == (cause, pair) for each in earlier)
            part, words, fix = self.seen.causes[cause]
            groups.append(Group(part, f"{words}: {pair}" if pair else words, fix, faults, before))
        return sorted(groups, key=lambda group: group.rank, reverse=True)

    @property
    def fixes(self) -> list[str]:
        """What to change, in Markdown, for the causes in their order."""
        return list(dict.fromkeys(self._fix(group) for group in self.groups if group.fix))

    def _fix(self, group: Group) -> str:
        one = group.faults[0]
        words = {name: code(shorten(getattr(one, name), LONGEST)) for name in ("label", "other", "pair")}
        said = group.fix.format(note=shorten(one.note, 2 * LONGEST), n=f"{len(group.faults):,}", **words)
        if not self.prompted:
            return said[0].upper() + said[1:]
        output = next(part.output for part in self.seen.parts if part.key == group.part)
        prompts = [each.ref for each in self.seen.prompts if each.output in (output, "extraction")]
        return f"{[*prompts, self.seen.prompts[-1].ref][0]}: {said}"

    @property
    def plan(self) -> list[str]:
        """How to verify a change, in Markdown."""
        symptoms = [symptom for case in self.cases for symptom in case.symptoms]
        goals = [symptom.goal for symptom in symptoms if symptom.goal]
        if not goals and not self.seen.faults:
            return [f"Nothing has to be changed: {all_is_well(symptoms)}."]
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


def all_is_well(symptoms: Sequence[Symptom]) -> str:
    """Return what is known if nothing fails: less without a run to compare with."""
    compared = any(s.baseline is not None and s.value is not None for s in symptoms)
    fell = ", and none is worse than the last good run by more than its limit" if compared else ""
    return f"every metric reaches its target{fell}"
