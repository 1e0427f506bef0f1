"""What a regression teaches, in STRATEGY's form: a text to read, tags and figures."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

SCHEMA_VERSION = 1
"""Of a lesson."""


class LessonFigures(Struct, frozen=True, forbid_unknown_fields=True):
    """The figures of a regression, by STRATEGY's names."""

    eval_name: Annotated[str, Meta(description="The suite.")]
    baseline_score: float
    current_score: float
    drop_percentage: Annotated[float, Meta(description="Share of the baseline score: 0.2 is 20%.")]
    timestamp: Annotated[str, Meta(description="UTC, ISO 8601.")]


class Lesson(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """One regression: a line of .row3/lessons.jsonl or lessons/<suite>.jsonl."""

    schema_version: int
    id: Annotated[
        str, Meta(description="Digest of suite, prompts, model, baseline and metric: a regression has one lesson.")
    ]
    information: Annotated[str, Meta(description="Counts and kinds of failures; nothing of a golden case.")]
    tags: list[str]
    metadata: LessonFigures
    common: Annotated[
        list[str], Meta(description="What went wrong most often, by name; for people, and never kept in lessons/.")
    ] = []

    @property
    def suite(self) -> str:
        """The suite that regressed."""
        return self.metadata.eval_name


class Found(Struct, frozen=True):
    """A lesson, and whether prompts may show it."""

    lesson: Lesson
    kept: bool
