"""Prompt versions and their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from row3.domain.calls import Stage
from row3.domain.requests import digest_text

RUBRIC_OUTPUTS = frozenset({"grade", "judgement"})
"""Outputs of judges' prompts; every other output is an answer."""
_NUMBER = r"(0|[1-9][0-9]{0,5})"
_NAME = r"[a-z0-9]+(?:-[a-z0-9]+)*"
NAME = re.compile(rf"{_NAME}\Z")
VERSION = re.compile(rf"v?{_NUMBER}\.{_NUMBER}\Z")
REFERENCE = re.compile(rf"({_NAME})-v{_NUMBER}\.{_NUMBER}(?:\.md)?\Z")


class Version(NamedTuple):
    """A prompt's version; ordered numerically."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"v{self.major}.{self.minor}"


class PromptRef(NamedTuple):
    """A prompt's name and version, `decompose-concepts-v1.1`."""

    name: str
    version: Version

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"


def parse_version(text: str) -> Version | None:
    """Return the version in `v1.1` or `1.1`; None for anything else (`v1`, `1.1.1`, `../x`)."""
    match = VERSION.match(text)
    return Version(int(match[1]), int(match[2])) if match else None


def parse_reference(text: str) -> PromptRef | None:
    """Return the name and version in `decompose-concepts-v1.1`; None for anything else."""
    match = REFERENCE.match(text)
    return PromptRef(match[1], Version(int(match[2]), int(match[3]))) if match else None


def names_of(refs: Iterable[PromptRef]) -> str:
    """Return references as in a sentence: `decompose-concepts v1.1 and map-ontology v1.1`."""
    return " and ".join(f"{name} {version}" for name, version in refs)


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """The JSON schema of a prompt's answers, as read from its file."""

    path: str
    """Relative to the project."""
    schema: Mapping[str, Any]
    digest: str
    """SHA-256 of the schema with its keys in the file's order, in which models answer."""
    model: str = ""
    """The pydantic model that the file was written from, `module:Model`."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One version of a prompt, as read from its file."""

    ref: PromptRef
    description: str
    output: str
    """The kind's output model that the answer must fit."""
    parameters: Mapping[str, Any]
    """model and `ModelParameters`; any other source overrides them."""
    body: str
    """The Jinja2 template, blocks `system` and `user`."""
    digest: str
    """Result of `digest_of_prompt`."""
    text: str
    path: str
    """Relative to the project, for messages."""
    criteria: Mapping[str, float] = field(default_factory=dict)
    """For a rubric: weight by criterion; empty for a single grade."""
    lessons: tuple[str, ...] | None = None
    """Texts that the template's `lessons()` searches; None for a prompt without lessons."""
    stage: Stage | None = None
    """In a suite without prompts, the call that replaces the prompt."""
    schema: SchemaSource | None = None
    """What answers must fit, beside their kind; None to ask for the kind's own schema."""

    @property
    def is_rubric(self) -> bool:
        """Whether a judge grades answers by this prompt."""
        return self.output in RUBRIC_OUTPUTS


def digest_of_prompt(text: str, schema: SchemaSource | None) -> str:
    """Return the SHA-256 of a prompt file's text with normalised line ends, and of its schema if it names one."""
    return digest_text(text if schema is None else f"{text}\0{schema.digest}")


@dataclass(frozen=True, slots=True)
class Lineup:
    """The prompts of a run in pipeline order, and their promoted versions."""

    prompts: tuple[Prompt, ...]
    promoted: Mapping[str, str]
    """Promoted version by prompt name, for prompts that have one."""
    formerly: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Earlier promoted versions by prompt name."""
    arms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """If two systems answer each case: the names of each system's prompts in order, by arm."""

    @property
    def steps(self) -> tuple[tuple[str, Prompt], ...]:
        """The prompts in the order of asking, each with its arm; the arm is empty for a single system."""
        if not self.arms:
            return tuple(("", prompt) for prompt in self.prompts)
        named = {prompt.ref.name: prompt for prompt in self.prompts}
        return tuple((arm, named[name]) for arm, names in self.arms.items() for name in names)

    def awaits_promotion(self, ref: PromptRef) -> bool:
        """Return whether a version is a draft: not promoted, now or earlier."""
        version = str(ref.version)
        return self.promoted.get(ref.name) != version and version not in self.formerly.get(ref.name, frozenset())

    def versions(self) -> dict[str, str]:
        """Return the version by prompt name, in pipeline order."""
        return {prompt.ref.name: str(prompt.ref.version) for prompt in self.prompts}

    def digests(self) -> dict[str, str]:
        """Return the digest by prompt name, in pipeline order."""
        return {prompt.ref.name: prompt.digest for prompt in self.prompts}
