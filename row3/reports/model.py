"""What the reports need of a run, a comparison and the history; workflows' and store's own types fit as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from row3.domain.changes import MetricChange
from row3.domain.scores import Tally
from row3.domain.verdicts import CaseChange, Reason, Verdict
from row3.gate.sensitivity import Sensitivity
from row3.reports.model_run import (
    CaseView,
    CollectedView,
    HeaderView,
    KindView,
    Lines,
    LineupView,
    RulesView,
    RunView,
    SuiteView,
)

__all__ = [
    "ApprovalView",
    "CaseView",
    "CollectedView",
    "ComparisonView",
    "HeaderView",
    "HistoryView",
    "KindView",
    "Lines",
    "LineupView",
    "RulesView",
    "RunView",
    "SuiteView",
]


class ApprovalView(Protocol):
    """Who let a blocked comparison proceed, when and why."""

    @property
    def reason(self) -> str: ...

    @property
    def by(self) -> str: ...

    @property
    def at(self) -> str: ...


class ComparisonView(Protocol):
    """A run against a baseline, judged."""

    @property
    def run(self) -> RunView: ...

    @property
    def baseline(self) -> HeaderView: ...

    @property
    def against(self) -> str | None: ...

    @property
    def behind(self) -> int: ...

    @property
    def metrics(self) -> Sequence[MetricChange]: ...

    @property
    def cases(self) -> Sequence[CaseChange]: ...

    @property
    def moves(self) -> Mapping[str, int]: ...

    @property
    def verdict(self) -> Verdict: ...

    @property
    def sensitivity(self) -> Sensitivity | None: ...

    @property
    def reasons(self) -> Sequence[Reason]: ...

    @property
    def differs(self) -> Sequence[str]: ...

    @property
    def declines(self) -> int: ...

    @property
    def compared(self) -> int: ...

    @property
    def rescored(self) -> int: ...

    @property
    def approval(self) -> ApprovalView | None: ...

    @property
    def prompt_diffs(self) -> Mapping[str, str]: ...

    @property
    def copies(self) -> Sequence[str]: ...

    @property
    def since(self) -> str | None: ...

    @property
    def in_git(self) -> bool: ...

    @property
    def new_baseline(self) -> bool: ...

    @property
    def blocked(self) -> bool: ...

    @property
    def tallies(self) -> tuple[Tally, Tally]: ...


class HistoryView(Protocol):
    """One entry of the history."""

    @property
    def at(self) -> str: ...

    @property
    def mode(self) -> str: ...

    @property
    def action(self) -> str: ...

    @property
    def suite(self) -> str: ...

    @property
    def commit(self) -> str | None: ...

    @property
    def dirty(self) -> bool | None: ...

    @property
    def prompts(self) -> Mapping[str, str]: ...

    @property
    def model(self) -> str: ...

    @property
    def metrics(self) -> Mapping[str, float]: ...

    @property
    def verdict(self) -> str | None: ...

    @property
    def approval(self) -> ApprovalView | None: ...
