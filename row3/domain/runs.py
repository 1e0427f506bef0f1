"""Stored parts of a run: header, shard, history entry, and the manifest of a baseline.

A manifest says which prompts answered which cases, by which requests; scores are computed when needed. A suite has two
tiers: recorded answers for every change, live answers for nightly runs and releases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import ConfigDict, Field, model_validator

from row3.domain.models import PART, CamelModel, Worded
from row3.domain.requests import digest_json

Tier = Literal["replay", "live"]
TIERS: tuple[Tier, ...] = ("replay", "live")


def tier_of(mode: str) -> Tier:
    """Return the tier of a run in this mode: all modes but `live` leave recordings that can be replayed."""
    return "live" if mode == "live" else "replay"


def file_stem(suite: str, tier: Tier) -> str:
    """Return the stem of a tier's files: `bread`, `bread.live`; suite names in row3.toml contain no dot."""
    return suite if tier == "replay" else f"{suite}.{tier}"


def suite_of_stem(stem: str) -> str:
    """Return the suite of a file of any tier."""
    return stem.removesuffix(".live")


@dataclass(frozen=True, slots=True)
class ManifestPrompt:
    """One stage of the pipeline."""

    __pydantic_config__: ClassVar[ConfigDict] = PART

    version: str
    digest: str
    output: str = ""
    """The kind's output that the prompt produces; empty in a manifest of version 1."""


@dataclass(frozen=True, slots=True)
class ManifestCase:
    """One golden case of the baseline; digests are SHA-256, hexadecimal."""

    __pydantic_config__: ClassVar[ConfigDict] = PART

    id: str
    digest: str
    """Digest of the golden case's file."""
    input: str
    """Digest of the prompts' variables."""
    requests: tuple[str, ...] = ()
    """Request digests by stage, then repeat; empty in a manifest of version 1."""
    answers: tuple[str, ...] = ()
    """Digest of the answer to each request."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The baseline of one tier of a suite."""

    suite: str
    kind: str
    tier: Tier
    run_id: str
    at: str
    """UTC, ISO 8601."""
    prompts: Mapping[str, ManifestPrompt]
    """By name, in pipeline order."""
    model: str
    parameters: Mapping[str, Mapping[str, Any]]
    """By prompt name, as in `Parameters.as_json`."""
    repeats: int
    cases: Mapping[str, ManifestCase]
    commit: str | None = None
    summary: Mapping[str, float] = field(default_factory=dict)
    """Metrics at the time of saving, for people; row3 does not read them."""
    version: int = 2
    omitted: Sequence[str] | None = None
    """Parameters that an answer was given without, as the endpoint refuses them."""

    @property
    def versions(self) -> dict[str, str]:
        """Version by prompt name, in pipeline order."""
        return {name: prompt.version for name, prompt in self.prompts.items()}

    @property
    def prompt_digests(self) -> dict[str, str]:
        """Digest by prompt name, in pipeline order."""
        return {name: prompt.digest for name, prompt in self.prompts.items()}

    @property
    def digest(self) -> str:
        """Digest of everything that affects a judgement, so without time, id, commit and summary."""
        cases = [[each.id, each.digest, each.input, each.requests, each.answers] for each in self.cases.values()]
        prompts = [[name, each.version, each.digest, each.output] for name, each in self.prompts.items()]
        about = [self.suite, self.kind, self.tier, prompts, self.model, self.parameters, self.repeats]
        return digest_json([*about, sorted(cases), self.version, *([self.omitted] if self.omitted else [])])


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
ELSEWHERE = "outputs"
"""The mode of `row3 score`, which sends no request."""
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
    """Name of the Parquet file beside the saved run that has its cases, or the URL of a shared folder, with a slash at
    its end; None if they are in it."""
    case_count: int | None = None
    """Number of cases in the shared folder."""

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


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's approval of a comparison."""

    __pydantic_config__: ClassVar[ConfigDict] = PART

    reason: str
    by: str
    at: str
    """UTC, ISO 8601."""
    id: str | None = None
    """Distinguishes approvals with the same content in the same second."""


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
