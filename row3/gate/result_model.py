"""The result of `--format json`: its keys in the order in which they are written. Its schema is derived from it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SkipValidation

from row3.domain.judgements import CaseMove, Word
from row3.domain.models import CamelModel
from row3.domain.runs import Tier
from row3.domain.scores import CaseStatus, Zone
from row3.gate.results import WORST_LAST, Standing

RESULT_VERSION = 2
"""2: a reason has a code, a subject and figures; `rescored` is gone."""
Shown = Annotated[str, SkipValidation]
"""A text that may quote half a surrogate pair, which a model can write."""
# What row3 computed is not checked again, so that a mean of 1 + 2^-52 stops no command.
Fraction = Annotated[float, Field(json_schema_extra={"minimum": 0, "maximum": 1})]
Delta = Annotated[float, Field(json_schema_extra={"minimum": -1, "maximum": 1})]
Zones = dict[str, Annotated[str, Field(json_schema_extra={"enum": [zone.word for zone in Zone]})]]
ExitCode = Annotated[int, Field(json_schema_extra={"enum": list(WORST_LAST)})]


class Part(CamelModel, extra="ignore"):
    """A part of a result; a later version may add keys."""


class ReasonResult(Part):
    """A reason for the verdict."""

    code: str
    verdict: Word
    subject: Shown
    """A metric, a case, a file or a criterion."""
    figures: dict[str, Any]
    after: bool
    """Whether the head's criteria are the reason."""
    text: Shown


class CaseResult(Part):
    """One case; `running.case_results` writes it as a line."""

    id: str
    status: CaseStatus
    metrics: dict[str, Fraction]
    zones: Zones
    deltas: dict[str, Delta]
    bad_answer: str = ""
    """What kind of answer cannot be used."""
    change: CaseMove | None = None
    gained: dict[str, list[str]] = {}
    lost: dict[str, list[str]] = {}
    skipped: dict[str, str] = {}
    """Why a metric does not apply."""
    problem: str = ""
    """Why the answer is missing or unusable."""
    raw: str = ""
    notes: list[str] = []
    spread: dict[str, float] = {}
    """Standard deviation over the repeats."""
    entity_metrics: dict[str, Fraction] = {}
    matches: dict[str, Any] | None
    """How each extracted and expected item was matched."""


class BaselineResult(Part):
    """The baseline of a comparison."""

    run_id: str
    at: str
    mode: str
    prompts: dict[str, str]
    model: str
    metrics: dict[str, Fraction]
    tier: Tier
    against: str | None = None
    """The git ref whose criteria judge."""


class Result(Part):
    """The output of `--format json` for a run or a comparison."""

    schema_version: int
    suite: str
    mode: str
    prompts: dict[str, str]
    """Version by prompt name, in pipeline order."""
    model: str
    metrics: dict[str, Fraction]
    """Means over the cases, fractions, by metric."""
    intervals: Annotated[dict[str, dict[str, float]], SkipValidation]
    """Paired interval of each delta; without a comparison, of the judged rates."""
    zones: Zones
    deltas: dict[str, Delta]
    """Current minus baseline, fractions; empty without a comparison."""
    verdict: Word | None
    reasons: list[ReasonResult]
    usage: dict[str, Any]
    """Requests, tokens, cost in US dollars (null: unknown), seconds."""
    tier: Tier
    """Recorded or live answers."""
    run_id: str
    at: str
    repeats: int
    shard: str = ""
    """The part of the suite that ran, such as 3/8."""
    pooled: dict[str, float]
    """Summed numerators over summed denominators, by metric."""
    denominators: dict[str, int]
    """Number of cases behind each mean."""
    complete: bool
    skipped: dict[str, dict[Shown, int]]
    """By metric, the number of cases for each reason."""
    bounds: dict[str, Any]
    """Upper bounds of rates of forbidden items."""
    quarantined: list[dict[str, str]]
    quarantine_expired: list[dict[str, str]] = []
    quarantine_waiting: list[dict[str, str]] = []
    failed: list[str]
    """Cases without an answer."""
    bad_answers: list[str]
    declines: int
    """Consecutive declining runs."""
    judges: dict[str, Any] = {}
    """Calibration of the judges, by rubric."""
    judge_family: Shown = ""
    match_counts: dict[str, Any] = {}
    """Counts of match states over the run."""
    warning_only: list[str] = []
    """Metrics whose fail zone warns but does not block."""
    entity_metrics: dict[str, Fraction] = {}
    """Means of typed suites as entity_precision …"""
    blocked: bool | None = None
    compared: int | None = None
    """Cases that both sides answer."""
    moves: dict[str, int] | None = None
    baseline: BaselineResult | None = None
    differs: list[Shown] | None = None
    interleaved: bool = False
    drift: dict[str, Any] | None = None
    noise: dict[str, Literal["beyond", "within", "unknown"]] = {}
    """Whether each metric fell by more than noise; `unknown`: too few cases for a test."""
    unconfirmed: list[str] = []
    """Metrics and critical cases whose block may be noise."""
    confirmation: dict[str, Any] | None = None
    """How far a block was confirmed by further answers."""
    match_moves: dict[Literal["baseline", "current"], dict[str, Any]] = {}
    """Match counts over the cases in both runs."""
    figures: dict[Literal["cost", "tokens", "latency"], dict[str, float | None]] = {}
    """Means per case, if both sides know them: US dollars, tokens, seconds; `rise` and `limit` in per cent."""
    sensitivity: dict[str, Any] | None = None
    """The drops of the composite that so many cases can detect."""
    approval: dict[str, str] | None = None
    cases: list[CaseResult]


class SuiteEntry(Part):
    """The result of a suite, or why it is missing."""

    schema_version: int
    suite: str
    verdict: Word | None
    problem: Shown = ""
    """Why the suite has no result."""


class Results(CamelModel):
    """The output of `--all --format json`."""

    schema_version: int
    verdict: Word | None
    """Worst verdict of the suites; null: none judged."""
    exit_code: ExitCode
    """Worst of the suites, in the order 2, 1, 3, 0."""
    standings: dict[str, Standing]
    """Standing by suite."""
    suites: list[SuiteEntry]
