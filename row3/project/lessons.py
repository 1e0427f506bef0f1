"""Lessons on disk: all in `.row3/lessons.jsonl`, those kept for prompts in `lessons/<suite>.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from row3.gate.lessons import SCHEMA_VERSION, Lesson
from row3.project.documents import dump_line
from row3.project.json_lines import parse_models
from row3.project.tree import Tree, WorkTree, read_text

FILE = "lessons.jsonl"
"""File name in `.row3/`."""
FOLDER = "lessons"
FIX = "Correct the line, or remove it"


def kept_file(suite: str) -> str:
    """Return the path of a suite's kept lessons."""
    return f"{FOLDER}/{suite}.jsonl"


def read_noted(local: Path) -> list[Lesson]:
    """Return the lessons in `.row3/`, oldest first. Raises `InvalidFile`."""
    return read_lessons(WorkTree(local.parent), f"{local.name}/{FILE}")


def read_lessons(tree: Tree, path: str) -> list[Lesson]:
    """Return the lessons of a file, oldest first; none if there is no file. Raises `InvalidFile`."""
    if not tree.exists(path):
        return []
    lessons = parse_models(read_text(tree, path), Lesson, SCHEMA_VERSION, where=tree.place(path), fix=FIX)
    return sorted({each.id: each for each in lessons}.values(), key=lambda each: (each.metadata.timestamp, each.id))


def lessons_text(lessons: Iterable[Lesson]) -> str:
    """Return the text of a file of lessons, one per line."""
    return "".join(dump_line(each.plain()) + "\n" for each in lessons)
