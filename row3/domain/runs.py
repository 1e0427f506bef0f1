"""What is kept of a run: its header, a row of each case, its entry in the history, and two runs side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import NoneType
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, to_builtins

from row3.domain.changes import MetricChange
from row3.domain.judgements import Approval
from row3.domain.metrics import Zone
from row3.domain.structs import worded
from row3.domain.verdicts import CaseChange

SCHEMA_VERSION = 1
"""Of a saved run's header."""
HISTORY_SCHEMA_VERSION = 2
"""Of an entry of the history; version 1 has no `scored`."""
RunId = Annotated[str, worded(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,63}", "at most 64 letters, digits, `-`, `_` and `.`")]
"""Part of a file's name, so it is no path."""


def check_models(prompts: Iterable[str], parameters: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise `ValueError` for a prompt of which a file does not say what model answered it, and how it was asked."""
    for name in prompts:
        asked = parameters.get(name, {})
        if type(asked.get("model")) is not str:
            raise ValueError(f"field `parameters.{name}.model` is missing or no text")
        for key in ("temperature", "seed", "maxTokens"):
            if type(asked.get(key)) not in (int, float, NoneType):
                raise ValueError(f"field `parameters.{name}.{key}` is no number")


class RunHeader(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Everything of a run but its cases; all that a later comparison has to know."""

    schema_version: int = SCHEMA_VERSION
    run_id: RunId
    suite: str
    kind: str
    action: Literal["run", "baseline", "compare", "promotion"]
    at: Annotated[str, Meta(description="UTC, ISO 8601.")]
    commit: str | None = None
    dirty: bool | None = None
    mode: str
    prompts: Annotated[dict[str, str], Meta(description="Version by prompt name, in pipeline order.")]
    prompt_digests: dict[str, str]
    model: str
    parameters: Annotated[dict[str, dict[str, Any]], Meta(description="By prompt name.")]
    repeats: Annotated[int, Meta(ge=1)] = 1
    scorer: Annotated[str, Meta(description="All in row3 that can move a score, with its version.")]
    weights: dict[str, float]
    thresholds: dict[str, dict[str, float]]
    gate: Annotated[dict[str, Any], Meta(description="Unit, limits and gated metrics.")]
    metrics: Annotated[dict[str, float], Meta(description="Means over the cases.")]
    pooled: dict[str, float]
    denominators: dict[str, int]
    zones: dict[str, str]
    usage: dict[str, Any] = {}
    complete: bool = True

    def __post_init__(self) -> None:
        try:
            datetime.fromisoformat(self.at).astimezone(UTC)
        except (ValueError, OverflowError):
            raise ValueError("field `at` is no time like 2026-12-01T09:30:00Z") from None
        check_models(self.prompts, self.parameters)

    @property
    def resting(self) -> frozenset[str]:
        """Return the ids of the cases that were in quarantine: they are in no sum."""
        return frozenset(self.gate.get("quarantined", ()))

    def plain(self) -> dict[str, Any]:
        """Return the header as JSON, without what is None."""
        return {key: value for key, value in to_builtins(self).items() if value is not None}


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


Header = RunHeader | BaseHeader


@dataclass(slots=True)
class CaseRow:
    """What a table shows of a case."""

    case_id: str
    status: str
    metrics: Mapping[str, float]
    zones: Mapping[str, Zone]
    spread: float | None
    """Standard deviation of `overall` over the repeats."""


class HistoryEntry(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """One entry of `metrics-history.json`."""

    schema_version: int = HISTORY_SCHEMA_VERSION
    run_id: str
    at: Annotated[str, Meta(description="UTC, ISO 8601.")]
    action: Literal["baseline", "compare", "promotion"]
    suite: str
    commit: str | None = None
    dirty: bool | None = None
    prompts: dict[str, str]
    model: str
    mode: str
    cases: int
    metrics: dict[str, float]
    scored: Annotated[
        str, Meta(description="Digest of scorer, weights and golden cases: metrics of runs with the same one compare.")
    ] = ""
    verdict: Literal["proceed", "investigate", "block"] | None = None
    reasons: list[str] = []
    evidence: Annotated[
        str, Meta(description="Digest of what the verdict rests on: prompts, cases, scorer, baseline.")
    ] = ""
    approval: Approval | None = None

    def plain(self) -> dict[str, Any]:
        """Return the entry as JSON, without what is None."""
        return {key: value for key, value in to_builtins(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Diff:
    """Two runs side by side; deltas are after minus before."""

    suite: str
    names: tuple[str, str]
    places: tuple[str, str]
    commits: tuple[str | None, str | None]
    """Of git refs."""
    before: RunHeader
    after: RunHeader
    sizes: tuple[int, int]
    """Cases of each."""
    notes: Sequence[str]
    """Prompts that differ and whose text as run is gone."""
    metrics: Sequence[MetricChange]
    """Means over the cases that both have and that could be compared."""
    primary: str
    """Key of the composite."""
    moves: Mapping[str, int]
    cases: Sequence[CaseChange]
    """Those that moved most, largest first."""
    compared: int
    gained: Mapping[str, int]
    """By list, how many items became right over all cases: missed ones found, wrong ones gone."""
    lost: Mapping[str, int]
    prompt_diffs: Mapping[str, str]
    """By prompt name, where the text differs and both are to be had."""
    unanswered: Sequence[tuple[str, int, str]]
    """Sides that were replayed and lack answers: name, how many cases, and why the first of them."""
