"""The output of `row3 lessons`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from row3.domain.lessons import Found
from row3.domain.models import as_json


def lessons_json(found: Sequence[Found]) -> dict[str, Any]:
    """Return the lessons as JSON."""
    return {"schemaVersion": 1, "lessons": [as_json(each.lesson) | {"kept": each.kept} for each in found]}


def lessons_text(found: Sequence[Found], query: str) -> str:
    """Return the lessons, each with its most frequent errors by name."""
    if not found:
        return f"no lesson matches `{query}`" if query else "no lessons yet: no regression has blocked a comparison"
    return "\n\n".join(map(_text, found))


def _text(found: Found) -> str:
    lesson = found.lesson
    kept = " · kept" if found.kept else ""
    lines = [f"{lesson.id} · {lesson.metadata.timestamp[:10]}{kept}", *lesson.information.splitlines()]
    common = [f"By name: {'; '.join(lesson.common)}."] if lesson.common else []
    return "\n  ".join([*lines, *common]).replace("\n  \n", "\n\n")
