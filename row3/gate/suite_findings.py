"""What `row3 flaky`, `row3 power` and `row3 cases` find out about a suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from row3.domain.metrics import Metric
from row3.domain.quarantine import Quarantine
from row3.gate.case_worth import CaseWorth, Redundant
from row3.gate.flakiness import Flakiness
from row3.gate.policy import GatePolicy
from row3.gate.power import MetricPlan

Standing = Literal["never fails", "always fails", ""]


@dataclass(frozen=True, slots=True)
class FlakyCase:
    """One case and the evidence on it."""

    case_id: str
    result: Flakiness


@dataclass(frozen=True, slots=True)
class FlakyReport:
    """All cases of a suite under one setting."""

    suite: str
    metric: Metric
    setting: str
    """Prompts and model, in words."""
    own: bool
    """Whether these are the prompts that run now."""
    pass_mark: float | None
    cases: tuple[FlakyCase, ...]
    """Flaky cases first, then the noisiest."""
    unknown: tuple[str, ...]
    """Ids of cases without an answer under this setting."""
    others: tuple[str, ...]
    """Other settings that have several answers of a case."""
    quarantine: Quarantine
    flag: str = ""
    """Options that select the suite on the command line."""


@dataclass(frozen=True, slots=True)
class PowerSource:
    """The two sides that a plan was made from."""

    kind: Literal["replay", "repeats"]
    words: str
    before: str
    """Prompts and model of the first side."""
    after: str
    repeats: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PowerReport:
    """What a suite detects, metric by metric, the composite first."""

    suite: str
    source: PowerSource
    policy: GatePolicy
    plans: tuple[tuple[Metric, MetricPlan | None], ...]
    """None where fewer than two independent cases have the metric."""
    tried: tuple[str, ...]
    """Better sources, and why they could not be used."""
    flag: str = ""
    """Options that select the suite on the command line."""


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """One case, how well it tells versions apart, and whether any version passes it."""

    worth: CaseWorth
    standing: Standing
    quarantined: bool = False


@dataclass(frozen=True, slots=True)
class CasesReport:
    """All cases of a suite over the versions in its history."""

    suite: str
    metric: Metric
    versions: tuple[str, ...]
    cases: tuple[JudgedCase, ...]
    """The most telling first."""
    unknown: tuple[str, ...]
    """Ids of cases without an answer."""
    redundant: tuple[Redundant, ...]
    flag: str = ""
    """Options that select the suite on the command line."""
