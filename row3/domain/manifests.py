"""Baselines: which prompts answered which cases, by which requests. Scores are computed when needed.

A suite has two tiers: recorded answers for every change, live answers for nightly runs and releases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict

from row3.domain.models import PART
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
