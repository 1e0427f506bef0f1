"""The output of `row3 import`: what was written, and what was left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from row3.domain.counts import count
from row3.domain.findings import ImportedCases
from row3.reports.document import Document, Note, Table, more

SHOWN, MOST = 40, 50
"""Characters shown of a value, and rows."""


def imported_document(done: ImportedCases, *, dry_run: bool) -> Document:
    """Return how many cases are new, other files written, and a row for each part left out."""
    verb = "would be written" if dry_run else "written"
    lines = [f"{count(len(done.new), 'golden case')} of suite {done.suite} {verb}, {len(done.unchanged):,} unchanged"]
    lines += [f"{path} {verb}" for path in done.written]
    rows = [(each.case or "–", each.type, _short(each.value), each.why) for each in done.not_imported]
    headers, left = ("not imported", "type", "value", "why"), more(len(rows) - MOST, how=" in not-imported.jsonl")
    table = [Table(headers, rows[:MOST], "llll", more=left)] if rows else []
    return Document([Note(lines), *table])


def kept_text(done: ImportedCases) -> Iterator[str]:
    """Yield the warning that something was left out."""
    if left_out := len(done.not_imported):
        what = count(left_out, "part of the file was", "parts of the file were")
        yield f"{what} not imported: see not-imported.jsonl beside the cases of suite {done.suite}"


def _short(value: Any) -> str:
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
