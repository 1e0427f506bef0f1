"""Stored parts of a run: header, shard and history entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import NoneType
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, model_validator

from row3.domain.judgements import Approval
from row3.domain.models import CamelModel, Worded

Item = TypeVar("Item")


class Shard(CamelModel):
    """Part `number` of `of` parts of a suite."""

    number: Annotated[int, Field(ge=1)]
    of: Annotated[int, Field(ge=1)]
    cases: str = ""
    """Digest of the paths of the suite's cases; empty until the shard runs."""
    version: str = ""
    """Version of row3 that ran it."""

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def part(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return this shard's items: the parts in order are all items, and their sizes differ by at most one."""
        return items[len(items) * (self.number - 1) // self.of : len(items) * self.number // self.of]


def parse_shard(text: str) -> Shard | None:
    """Return the shard of a text like `3/8`; None for anything else."""
    number, _, of = text.partition("/")
    if not all(each.isascii() and each.isdigit() and len(each) < 6 for each in (number, of)):
        return None
    return Shard(number=int(number), of=int(of)) if 1 <= int(number) <= int(of) else None


SCHEMA_VERSION = 1
"""Version of a saved run's header."""
HISTORY_SCHEMA_VERSION = 2
"""Version of a history entry; version 1 has no `scored`."""
RunId = Annotated[str, Worded(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,63}", "at most 64 letters, digits, `-`, `_` and `.`")]
"""Part of a file name, so it must not be a path."""


def check_models(prompts: Iterable[str], parameters: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise `ValueError` if `parameters` lacks a prompt's model or has a temperature, seed or limit of another type."""
    for name in prompts:
        asked = parameters.get(name, {})
        if type(asked.get("model")) is not str:
            raise ValueError(f"field `parameters.{name}.model` is missing or not a string")
        for key in ("temperature", "seed", "maxTokens"):
            if type(asked.get(key)) not in (int, float, NoneType):
                raise ValueError(f"field `parameters.{name}.{key}` is not a number")


class _Plain(CamelModel):
    def plain(self) -> dict[str, Any]:
        """Return the value as JSON, without fields that are None."""
        return {key: value for key, value in self.model_dump(mode="json").items() if value is not None}


class RunHeader(_Plain):
    """Everything about a run except its cases, as later comparisons need it."""

    schema_version: int = SCHEMA_VERSION
    run_id: RunId
    suite: str
    kind: str
    action: Literal["run", "baseline", "compare", "promotion"]
    at: str
    """UTC, ISO 8601."""
    commit: str | None = None
    dirty: bool | None = None
    mode: str
    prompts: dict[str, str]
    """Version by prompt name, in pipeline order."""
    prompt_digests: dict[str, str]
    model: str
    parameters: dict[str, dict[str, Any]]
    """By prompt name."""
    repeats: Annotated[int, Field(ge=1)] = 1
    scorer: str
    """Everything in row3 that can move a score, with versions."""
    weights: dict[str, float]
    thresholds: dict[str, dict[str, float]]
    gate: dict[str, Any]
    """Unit, limits and gated metrics."""
    metrics: dict[str, float]
    """Means over the cases."""
    pooled: dict[str, float]
    denominators: dict[str, int]
    zones: dict[str, str]
    usage: dict[str, Any] = {}
    complete: bool = True
    omitted: list[str] | None = None
    """Parameters that an answer was given without, as the endpoint refuses them."""
    shard: Shard | None = None
    """The part of the suite that ran; None for all of it."""
    cases_file: str | None = None
    """Name of the Parquet file beside the saved run that has its cases; None if they are in it."""

    @model_validator(mode="after")
    def _checked(self) -> Self:
        try:
            datetime.fromisoformat(self.at).astimezone(UTC)
        except (ValueError, OverflowError):
            raise ValueError("field `at` is not a time like 2026-12-01T09:30:00Z") from None
        check_models(self.prompts, self.parameters)
        return self

    @property
    def quarantined(self) -> frozenset[str]:
        """Ids of the cases in quarantine, which no mean includes."""
        return frozenset(self.gate.get("quarantined", ()))


@dataclass(frozen=True, slots=True)
class BaseHeader:
    """Prompts, model and parameters of the base."""

    prompts: Mapping[str, str]
    """Version by prompt name, in pipeline order."""
    prompt_digests: Mapping[str, str]
    model: str
    parameters: Mapping[str, Mapping[str, Any]]
    repeats: int
    mode: str = "replay"
    at: str = ""
    """When the baseline was saved, UTC; empty without a baseline."""
    run_id: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Means over the cases that both sides answer, by the current scorer."""
    omitted: Sequence[str] | None = None
    """As in `RunHeader`, if the baseline says it."""


Header = RunHeader | BaseHeader


class HistoryEntry(_Plain):
    """One entry of `metrics-history.json`."""

    schema_version: int = HISTORY_SCHEMA_VERSION
    run_id: str
    at: str
    """UTC, ISO 8601."""
    action: Literal["baseline", "compare", "promotion"]
    suite: str
    commit: str | None = None
    dirty: bool | None = None
    prompts: dict[str, str]
    model: str
    mode: str
    cases: int
    metrics: dict[str, float]
    scored: str = ""
    """Digest of scorer, weights and golden cases: runs with the same digest are comparable."""
    verdict: Literal["proceed", "investigate", "block"] | None = None
    reasons: list[str] = []
    evidence: str = ""
    """Digest of what the verdict is based on: prompts, cases, scorer, baseline."""
    approval: Approval | None = None
