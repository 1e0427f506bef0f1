"""`golden/<suite>/quarantine.json`: which cases cannot block, until when, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path

from pydantic import Field

from row3.domain.models import Day, Model, Text
from row3.domain.quarantine import SHARE, Quarantined, complaint
from row3.errors import InvalidFile
from row3.project.documents import dump_line, read_model
from row3.project.files import write_all
from row3.project.tree import Tree, WorkTree

FILE = "quarantine.json"
SCHEMA_VERSION = 1
SCHEMA = "../../schemas/quarantine.schema.json"

MOST = f"no more than one in {SHARE} may be"


class QuarantineEntry(Model):
    """One case in quarantine."""

    case: Text
    """Id of the golden case."""
    since: Day
    until: Day
    """Day from which it counts again, at most 90 days after `since`."""
    reason: Text
    who: str = ""


class QuarantineFile(Model):
    """Cases that cannot block for a while: golden/<suite>/quarantine.json."""

    schema_: str | None = Field(default=None, alias="$schema")
    schema_version: int = Field(default=SCHEMA_VERSION, alias="schemaVersion")
    cases: list[QuarantineEntry]


def read_quarantine(tree: Tree, folder: str) -> list[Quarantined]:
    """Return the entries of a suite's folder, sorted by case; none if there is no file. Raises `InvalidFile`."""
    path = f"{folder}/{FILE}"
    file = read_model(tree, path, QuarantineFile, SCHEMA_VERSION, fix="Correct it and run `row3 flaky`")
    if file is None:
        return []
    where = tree.place(path)
    found: dict[str, Quarantined] = {}
    for number, entry in enumerate(file.cases):
        field = f"{where} field cases.{number}"
        if entry.case in found:
            raise InvalidFile(f"`{entry.case}` is listed twice", where=field, fix="Keep one of them")
        if wrong := complaint(entry.since, entry.until):
            what = f"the quarantine of `{entry.case}`: {wrong}"
            raise InvalidFile(what, where=field, fix="Correct `until`, or remove the entry")
        found[entry.case] = Quarantined(
            entry.case, entry.since.isoformat(), entry.until.isoformat(), entry.reason.strip(), entry.who
        )
    return [found[case_id] for case_id in sorted(found)]


def quarantine_text(entries: Iterable[Quarantined]) -> str:
    """Return the file's text: one entry per line, so that branches merge line by line."""
    values = map(asdict, sorted(entries, key=lambda entry: entry.case_id))
    rows = ["  " + dump_line({"case": value.pop("case_id"), **value}) for value in values]
    head = f'{{\n "$schema": "{SCHEMA}",\n "schemaVersion": {SCHEMA_VERSION},\n "cases": [\n'
    return head + ",\n".join(rows) + "\n ]\n}\n"


def write_quarantine(root: Path, folder: str, entries: Iterable[Quarantined]) -> None:
    """Replace the file, or remove it if there are no entries. Raises `EnvironmentFault`."""
    entries, where = list(entries), f"{folder}/{FILE}"
    write_all({WorkTree(root).at(where): quarantine_text(entries) if entries else None}, where=where)


def today() -> date:
    """Return today's date, in UTC."""
    return datetime.now(UTC).date()
