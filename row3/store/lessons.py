"""Lessons on disk: `.row3/lessons.jsonl` as they come, `lessons/<suite>.jsonl` those that are kept for prompts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from msgspec import to_builtins

from row3.domain.lessons import SCHEMA_VERSION, Lesson
from row3.domain.prompts import Prompt, PromptRef
from row3.store.documents import check_schema_version, dump_line, parse_json, validate
from row3.store.files import decode
from row3.store.prompts import read_prompt
from row3.store.tree import Tree, WorkTree, read_text

FILE = "lessons.jsonl"
"""In `.row3/`."""
FOLDER = "lessons"
FIX = "Correct the line, or remove it"


def kept_file(suite: str) -> str:
    """Return the file of a suite's kept lessons, from the project on."""
    return f"{FOLDER}/{suite}.jsonl"


def read_noted(local: Path) -> list[Lesson]:
    """Return the lessons in `.row3/`, oldest first. Raises `InvalidFile`."""
    tree, path = WorkTree(local.parent), f"{local.name}/{FILE}"
    return _parsed(decode(tree.read(path), where=path), path) if tree.exists(path) else []


def read_kept(tree: Tree, suite: str) -> list[Lesson]:
    """Return a suite's kept lessons, oldest first. Raises `InvalidFile`."""
    path = kept_file(suite)
    return _parsed(read_text(tree, path), tree.place(path)) if tree.exists(path) else []


def _parsed(text: str, where: str) -> list[Lesson]:
    found: list[Lesson] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            value = parse_json(line, where=f"{where}:{number}")
            check_schema_version(value, SCHEMA_VERSION, where=f"{where}:{number}")
            found.append(validate(Lesson, value, where=f"{where}:{number}", fix=FIX))
    return sorted({each.id: each for each in found}.values(), key=lambda each: (each.metadata.timestamp, each.id))


def lessons_text(lessons: Iterable[Lesson]) -> str:
    """Return the text of a file of lessons, a line each."""
    return "".join(dump_line(to_builtins(each)) + "\n" for each in lessons)


def read_taught(tree: Tree, ref: PromptRef, suite: str) -> Prompt:
    """Return a prompt version with the lessons that its template may show in a suite. Raises `InvalidFile`."""
    prompt = read_prompt(tree, ref)
    if prompt.lessons is None:
        return prompt
    return replace(prompt, lessons=tuple(each.information for each in read_kept(tree, suite)))
