"""`metrics-history.json`: every baseline, comparison and promotion, one entry per line.

Each line but the first begins with its comma. So an append adds one line and changes none, and git's union merge of two
branches that both appended is a valid file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from row3.domain.runs import HISTORY_SCHEMA_VERSION, HistoryEntry
from row3.errors import InvalidFile
from row3.project.documents import check_schema_version, dump_line, parse_json, validate
from row3.project.files import refuse_conflicts
from row3.project.tree import Tree, read_text

FILE = "metrics-history.json"
RESTORE = "Restore the file from git"
ASKING_MODES = ("live", "record")
"""Modes that request every answer again."""
IDENTITY = ("schemaVersion", "runId", "at", "commit", "dirty")
"""Keys that differ between entries of equal results."""


def read_history(tree: Tree) -> list[HistoryEntry]:
    """Return all entries in file order; none if there is no file. Raises `InvalidFile`."""
    return [entry for _, entry in _read(tree)]


def parse_history(text: str, *, where: str = FILE) -> list[HistoryEntry]:
    """Return the entries of the file's text. Raises `InvalidFile` with the line."""
    return [entry for _, entry in _parse(text, where)]


def history_text(tree: Tree, entry: HistoryEntry) -> str:
    """Return the file's text with one more entry, its other lines unchanged. Raises `InvalidFile`."""
    return _text([line for line, _ in _read(tree)], [entry])


def new_entries(known: Iterable[HistoryEntry], entries: Iterable[HistoryEntry]) -> list[HistoryEntry]:
    """Return the entries whose results differ from their suite's newest ones, or whose answers were asked for again."""
    newest = {entry.suite: _results(entry) for entry in known}
    return [entry for entry in entries if entry.mode in ASKING_MODES or newest.get(entry.suite) != _results(entry)]


def history_with_new(tree: Tree, entries: Iterable[HistoryEntry]) -> tuple[str, int]:
    """Return the file's text with the `new_entries`, and their number. Raises `InvalidFile`."""
    known = _read(tree)
    new = new_entries((entry for _, entry in known), entries)
    return _text([line for line, _ in known], new), len(new)


def _read(tree: Tree) -> list[tuple[str, HistoryEntry]]:
    return _parse(read_text(tree, FILE), tree.place(FILE)) if tree.exists(FILE) else []


def _parse(text: str, where: str) -> list[tuple[str, HistoryEntry]]:
    """Return text and value of every entry."""
    found = []
    for number, line in _rows(text, where):
        place = f"{where}:{number}"
        value = parse_json(line, where=place)
        check_schema_version(value, HISTORY_SCHEMA_VERSION, where=place)
        found.append((line, validate(HistoryEntry, value, where=place, fix=RESTORE)))
    return found


def _rows(text: str, where: str) -> list[tuple[int, str]]:
    """Return line number and text of every entry; entries that a formatter spread over lines are joined."""
    lines = text.split("\n")
    rows = [(number, bare) for number, line in enumerate(lines[1:], 2) if (bare := line.strip().strip(",").strip())]
    if lines[0].strip() == "[" and rows and rows[-1][1] == "]" and all(row.endswith("}") for _, row in rows[:-1]):
        return rows[:-1]
    if lines[0].strip() == "[" and not any(row == "]" for _, row in rows):
        refuse_conflicts(text, where=where)
        raise InvalidFile("the array has no end", where=where, fix=RESTORE)
    value = parse_json(text, where=where)
    if not isinstance(value, list):
        raise InvalidFile("the file is not a JSON array", where=where, fix=RESTORE)
    return [(1, dump_line(entry)) for entry in value]


def _results(entry: HistoryEntry) -> dict[str, Any]:
    return {key: value for key, value in entry.plain().items() if key not in IDENTITY}


def _text(lines: Sequence[str], entries: Sequence[HistoryEntry]) -> str:
    return "[\n" + "\n,".join([*lines, *(dump_line(entry.plain()) for entry in entries)]) + "\n]\n"
