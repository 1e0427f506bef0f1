"""`golden/<suite>/quarantine.json`: which cases count for nothing, until when, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, field

from row3.domain.quarantine import Quarantined, complaint
from row3.errors import InvalidFile
from row3.store.documents import check_schema_version, dump_line, parse_json, validate
from row3.store.files import write_all
from row3.store.tree import Tree, WorkTree, read_text

FILE = "quarantine.json"
SCHEMA_VERSION = 1
SCHEMA = "../../schemas/quarantine.schema.json"
Text = Annotated[str, Meta(pattern=r"\S")]


class QuarantineEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One case in quarantine."""

    case: Annotated[Text, Meta(description="Id of the golden case.")]
    since: date
    until: Annotated[date, Meta(description="The day from which it counts again, at most 90 days after `since`.")]
    reason: Text
    who: str = ""


class QuarantineFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cases that count for nothing for a while: golden/<suite>/quarantine.json."""

    schema_: str | None = field(default=None, name="$schema")
    schema_version: int = field(default=SCHEMA_VERSION, name="schemaVersion")
    cases: list[QuarantineEntry]


def read_quarantine(tree: Tree, folder: str) -> list[Quarantined]:
    """The entries beside a suite's golden cases, by case; none where there is no file. Raises `InvalidFile`."""
    path = f"{folder}/{FILE}"
    if not tree.exists(path):
        return []
    where = tree.place(path)
    value = parse_json(read_text(tree, path), where=where)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    file = validate(QuarantineFile, value, where=where, command="row3 flaky")
    found: dict[str, Quarantined] = {}
    for number, entry in enumerate(file.cases):
        field = f"{where} field cases.{number}"
        if entry.case in found:
            raise InvalidFile(f"`{entry.case}` stands twice", where=field, fix="Keep one of them")
        if wrong := complaint(entry.since, entry.until):
            what = f"the quarantine of `{entry.case}`: {wrong}"
            raise InvalidFile(what, where=field, fix="Correct `until`, or remove the entry")
        found[entry.case] = Quarantined(
            entry.case, entry.since.isoformat(), entry.until.isoformat(), entry.reason.strip(), entry.who
        )
    return [found[case_id] for case_id in sorted(found)]


def quarantine_text(entries: Iterable[Quarantined]) -> str:
    """The file's text: an entry a line, so that two branches merge line by line."""
    rows = []
    for entry in sorted(entries, key=lambda entry: entry.case_id):
        value = asdict(entry)
        rows.append("  " + dump_line({"case": value.pop("case_id"), **value}))
    head = f'{{\n "$schema": "{SCHEMA}",\n "schemaVersion": {SCHEMA_VERSION},\n "cases": [\n'
    return head + ",\n".join(rows) + "\n ]\n}\n"


def write_quarantine(root: Path, folder: str, entries: Iterable[Quarantined]) -> None:
    """Replace the file; without entries there is none. Raises `EnvironmentFault`."""
    held, where = list(entries), f"{folder}/{FILE}"
    write_all({WorkTree(root).at(where): quarantine_text(held) if held else None}, where=where)
