"""`metrics-history.json`: every baseline, comparison and promotion, one entry a line.

Each line but the first begins with its comma. So an append adds one line and changes none, and git's
union merge of two branches that both appended is again a valid file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from row3.domain.runs import HISTORY_SCHEMA_VERSION, HistoryEntry
from row3.errors import InvalidFile
from row3.store.documents import check_schema_version, dump_line, parse_json, validate
from row3.store.files import refuse_conflicts
from row3.store.tree import Tree, read_text

FILE = "metrics-history.json"
ASKS = ("live", "record")
"""Modes in which every answer is asked for anew."""
OF_THE_MOMENT = ("schemaVersion", "runId", "at", "commit", "dirty")


def read_history(tree: Tree) -> list[HistoryEntry]:
    """All entries, in file order; none where there is no file. Raises `InvalidFile`."""
    if not tree.exists(FILE):
        return []
    return parse_history(read_text(tree, FILE), where=tree.place(FILE))


def parse_history(text: str, *, where: str = FILE) -> list[HistoryEntry]:
    """Entries of the file's text; raises `InvalidFile` with the line."""
    rows = [(number, parse_json(row, where=f"{where}:{number}")) for number, row in _rows(text, where)]
    return [_entry(value, where=f"{where}:{number}") for number, value in rows]


def _rows(text: str, where: str = FILE) -> list[tuple[int, str]]:
    """Line number and text of every entry. A file that a formatter spread over lines is put back on lines."""
    lines = text.split("\n")
    rows = [(number, bare) for number, line in enumerate(lines[1:], 2) if (bare := line.strip().strip(",").strip())]
    if lines[0].strip() == "[" and rows and rows[-1][1] == "]" and all(row.endswith("}") for _, row in rows[:-1]):
        return rows[:-1]
    if lines[0].strip() == "[" and not any(row == "]" for _, row in rows):
        refuse_conflicts(text, where=where)
        raise InvalidFile("the array has no end", where=where, fix="Restore the file from git")
    value = parse_json(text, where=where)
    if not isinstance(value, list):
        raise InvalidFile("the file holds no JSON array", where=where, fix="Restore the file from git")
    return [(1, dump_line(entry)) for entry in value]


def _entry(value: Any, *, where: str) -> HistoryEntry:
    check_schema_version(value, HISTORY_SCHEMA_VERSION, where=where)
    return validate(HistoryEntry, value, where=where, fix="Restore the file from git")


def history_text(tree: Tree, entry: HistoryEntry) -> str:
    """Return the file's text with one more entry; every earlier line stays as it is. Raises `InvalidFile`."""
    return _appended(_earlier(tree)[0], [entry])


def history_with_new(tree: Tree, entries: Sequence[HistoryEntry]) -> tuple[str, int]:
    """Return the same with the entries that differ from their suite's newest or were asked for anew, and how many."""
    rows, known = _earlier(tree)
    newest = {entry.suite: entry for entry in known}
    new = [entry for entry in entries if entry.mode in ASKS or _said(newest.get(entry.suite)) != _said(entry)]
    return _appended(rows, new), len(new)


def _said(entry: HistoryEntry | None) -> dict[str, Any]:
    """What an entry says, apart from when and at which commit it was looked."""
    plain = {} if entry is None else entry.plain()
    return {key: value for key, value in plain.items() if key not in OF_THE_MOMENT}


def _earlier(tree: Tree) -> tuple[list[str], list[HistoryEntry]]:
    """The lines of the file and what they say. Raises `InvalidFile`."""
    if not tree.exists(FILE):
        return [], []
    text = read_text(tree, FILE)
    return [row for _, row in _rows(text)], parse_history(text)


def _appended(earlier: Sequence[str], entries: Sequence[HistoryEntry]) -> str:
    rows = [*earlier, *(dump_line(entry.plain()) for entry in entries)]
    return "[\n" + "".join(f"{'' if i == 0 else ','}{row}\n" for i, row in enumerate(rows)) + "]\n"
