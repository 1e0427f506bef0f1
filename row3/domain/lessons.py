"""Lessons from regressions, in STRATEGY's form: a text, tags and figures."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

SCHEMA_VERSION = 1


class LessonFigures(Struct, frozen=True, forbid_unknown_fields=True):
    """The figures of a regression, under STRATEGY's names."""

    eval_name: Annotated[str, Meta(description="The suite.")]
    baseline_score: float
    current_score: float
    drop_percentage: Annotated[float, Meta(description="Share of the baseline score: 0.2 is 20%.")]
    timestamp: Annotated[str, Meta(description="UTC, ISO 8601.")]


class Lesson(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """One regression: a line of .row3/lessons.jsonl or lessons/<suite>.jsonl."""

    schema_version: int
    id: Annotated[
        str, Meta(description="Digest of suite, prompts, model, baseline and metric: one lesson per regression.")
    ]
    information: Annotated[str, Meta(description="Numbers and kinds of failures, without golden-case content.")]
    tags: list[str]
    metadata: LessonFigures
    common: Annotated[
        list[str], Meta(description="Most frequent failures by name; for people, and never stored in lessons/.")
    ] = []

    @property
    def suite(self) -> str:
        """The suite that regressed."""
        return self.metadata.eval_name


class Found(Struct, frozen=True):
    """A lesson, and whether prompts may show it."""

    lesson: Lesson
    kept: bool
