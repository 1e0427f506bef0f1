"""What `row3 investigate` found about one case of any kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from row3.domain.matches import Item, Items
from row3.domain.metrics import Metric, Threshold, Zone
from row3.reports import numbers
from row3.reports.places import Place

VERDICTS = ("State", "Right")
"""Endings of notes that the item's own state sums up."""


class Fall(NamedTuple):
    """How much worse than the baseline a metric is, if that is more than the gate lets a metric lose."""

    worse: float
    """In the gate's unit: percentage points, or per cent of the baseline."""
    limit: float
    least: float
    """The worst value that is within the limit, a fraction."""
    relative: bool
    """The unit is per cent of the baseline."""

    @property
    def unit(self) -> str:
        """The unit in words."""
        return "% of the baseline" if self.relative else " points"


class Symptom(NamedTuple):
    """One metric of the case; fractions."""

    metric: Metric
    value: float | None
    """None where it does not apply."""
    zone: Zone | None
    threshold: Threshold | None
    baseline: float | None
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


class Finding(NamedTuple):
    """An item of the answer or an expectation, with what became of it."""

    label: str
    state: str
    """The kind's word: `unmatched`, `canary`, `wrong-predicate`; `required` or `optional` if it was missed."""
    other: str | None = None
    """The item that it is, or comes nearest to."""
    score: float | None = None
    """How alike the two are, in [0, 1]."""
    remark: str = ""
    place: Place | None = None
    phrase: str = ""
    """State and other item in words, with `{}` for the item's name."""


class Findings(NamedTuple):
    """A list of findings."""

    key: str
    title: str
    whole: str
    """What its items are a part of: `of 25 extracted`."""
    items: tuple[Finding, ...]


class Question(NamedTuple):
    """A question of STANDARDS 6.1 to 6.5 with what the data says."""

    text: str
    answer: str
    items: tuple[str, ...] = ()
    """What the answer is about; named in JSON, since the lists show them too."""
    open: bool = False
    """Only a person can answer; `answer` is what there is to go by."""


class Section(NamedTuple):
    """A heading of the checklist with its questions."""

    title: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Investigation:
    """Why one case scored as it did, and what to do about it."""

    case_id: str
    suite: str
    kind: str
    date: str
    prompts: Mapping[str, str]
    model: str
    status: str
    problem: str
    raw: str
    """The answer, if it cannot be used."""
    notes: tuple[str, ...]
    symptoms: tuple[Symptom, ...]
    findings: tuple[Findings, ...]
    flags: str
    """Options of `row3 --compare` for this suite and these answers, after a space."""
    change: str
    """Where a change is made, a sentence in Markdown."""
    checklist: tuple[Section, ...] = ()
    fixes: tuple[str, ...] = ()
    """What to change, in Markdown, the most telling first."""
    query: str = ""
    """What was asked; empty where a case has a text."""

    @property
    def plan(self) -> list[str]:
        """Return how to verify a change, in Markdown."""
        goals = [symptom.goal for symptom in self.symptoms if symptom.goal]
        if not goals and not self.fixes:
            return [f"Nothing has to be changed: {all_is_well(self.symptoms)}."]
        return [
            self.change,
            f"`row3 --case {self.case_id} --compare{self.flags}`: {'; '.join(goals) or 'nothing gets worse'}.",
            f"`row3 --compare{self.flags}`: no other case regresses, and the verdict is not block.",
        ]


def all_is_well(symptoms: Sequence[Symptom]) -> str:
    """Return what is known if nothing fails: less without a baseline."""
    compared = any(s.baseline is not None and s.value is not None for s in symptoms)
    fell = ", and none is worse than the baseline by more than its limit" if compared else ""
    return f"every metric reaches its target{fell}"


def item_findings(matches: Items) -> tuple[Findings, ...]:
    """Return what was missed, wrong and right in an answer that is a list of items."""
    expected = {each.label: each.notes for each in matches.expected}
    missed = tuple(
        Finding(each.label, "missed", each.nearest, each.score, _notes(each.notes), phrase="nearest {}")
        for each in matches.expected
        if each.found_by is None
    )
    wrong = tuple(
        _wrong(each, expected.get(each.expected or "", {}))
        for each in matches.items
        if each.state not in matches.correct
    )
    right = tuple(
        Finding(
            each.label,
            each.state,
            None if each.expected == each.label else each.expected,
            remark=_notes(each.notes),
            phrase="for {}",
        )
        for each in matches.items
        if each.state in matches.correct
    )
    whole = f"of {len(matches.items)} answered"
    return (
        Findings("missed", "Missed", f"of {len(matches.expected)} expected", missed),
        Findings("wrong", "Wrong", whole, wrong),
        Findings("right", "Right", whole, right),
    )


def _wrong(match: Item, expected: Mapping[str, Any]) -> Finding:
    remarks = [_notes(match.notes)]
    if match.state.startswith("wrong"):
        differs = {key: value for key, value in expected.items() if match.notes.get(key, value) != value}
        remarks += [f"expected: {_notes(differs) or 'none'}"] if differs else []
    words, remark = match.state.replace("-", " "), "; ".join(filter(None, remarks))
    phrase = words if match.expected is None else f"{words}, nearest {{}}"
    return Finding(match.label, match.state, match.expected, match.score, remark, phrase=phrase)


def _notes(notes: Mapping[str, Any]) -> str:
    """`category Decision, actor Alice`: what else is known, without what is empty."""
    said = {True: "yes", False: "no"}
    return ", ".join(
        f"{re.sub('[A-Z]', lambda at: f' {at[0].lower()}', key)} {said[value] if isinstance(value, bool) else value}"
        for key, value in notes.items()
        if value not in (None, "") and not key.endswith(VERDICTS)
    )
