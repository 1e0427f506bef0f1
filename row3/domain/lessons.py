"""Lessons from regressions, in STRATEGY's form: a text, tags and figures."""

from __future__ import annotations

from row3.domain.models import CamelModel, Model

SCHEMA_VERSION = 1


class LessonFigures(Model):
    """The figures of a regression, under STRATEGY's names."""

    eval_name: str
    """The suite."""
    baseline_score: float
    current_score: float
    drop_percentage: float
    """Share of the baseline score: 0.2 is 20%."""
    timestamp: str
    """UTC, ISO 8601."""


class Lesson(CamelModel):
    """One regression: a line of .row3/lessons.jsonl or lessons/<suite>.jsonl."""

    schema_version: int
    id: str
    """Digest of suite, prompts, model, baseline and metric: one lesson per regression."""
    information: str
    """Numbers and kinds of failures, without golden-case content."""
    tags: list[str]
    metadata: LessonFigures
    common: list[str] = []
    """Most frequent failures by name; for people, and never stored in lessons/."""

    @property
    def suite(self) -> str:
        """The suite that regressed."""
        return self.metadata.eval_name
