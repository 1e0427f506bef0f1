"""`golden/<suite>/reviewed.jsonl`: items that a person judged to be wrong, so that nobody is asked again.

Commit it with the golden cases. One JSON object per line, sorted, so that branches merge. A judgement holds for one
source text: it lapses when the case's text changes.
"""

from __future__ import annotations

from datetime import date as date_type
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from row3.domain.models import CamelModel, Day, Worded
from row3.domain.requests import digest_text
from row3.matching.normalise import normalise
from row3.project.documents import dump_line
from row3.project.files import decode
from row3.project.json_lines import parse_model
from row3.project.tree import WorkTree

FILE = "reviewed.jsonl"
SCHEMA_VERSION = 1
DIGITS = 16
"""Number of hexadecimal digits of a text's digest that are kept."""


class Judgement(CamelModel):
    """An item that a person judged to be wrong: one line of golden/<suite>/reviewed.jsonl."""

    schema_version: int = SCHEMA_VERSION
    case_id: str
    """Id of the golden case."""
    item: str
    """As an answer gave it."""
    verdict: Literal["wrong"]
    text: Annotated[str, Worded(f"[0-9a-f]{{{DIGITS}}}", f"{DIGITS} hexadecimal digits")]
    """Start of the digest of the source text it was judged by."""
    date: Day
    """UTC."""


class Key(NamedTuple):
    """Key of a judgement."""

    case_id: str
    name: str
    """Normalised."""
    text: str
    """Start of the text's digest."""


def key_of(case_id: str, item: str, source_text: str) -> Key:
    """Return the key of an item judged by a text."""
    return Key(case_id, normalise(item), digest_text(source_text)[:DIGITS])


def read_reviewed(root: Path, where: str) -> dict[Key, Judgement]:
    """Return a file's judgements; none if there is no file. Raises `InvalidFile`."""
    tree = WorkTree(root)
    raw = tree.read(where) if tree.exists(where) else b""
    lines = enumerate(decode(raw, where=where).split("\n"), 1)
    found = (from_line(line, where=f"{where}:{number}") for number, line in lines if line.strip())
    return {Key(each.case_id, normalise(each.item), each.text): each for each in found}


def with_wrong(judged: dict[Key, Judgement], case_id: str, item: str, source_text: str, *, date: str) -> bytes:
    """Return the file's contents with one more wrong item."""
    key = key_of(case_id, item, source_text)
    new = Judgement(case_id=case_id, item=item, verdict="wrong", text=key.text, date=date_type.fromisoformat(date))
    ordered = sorted((judged | {key: new}).items(), key=lambda pair: pair[0])
    return "".join(f"{dump_line(each.model_dump(mode='json'))}\n" for _, each in ordered).encode()


def from_line(line: str, *, where: str) -> Judgement:
    """Return the judgement of a line; `where` names its file and line. Raises `InvalidFile`."""
    return parse_model(
        line, Judgement, SCHEMA_VERSION, where=where, fix="Correct the line and run `row3 aliases review`"
    )
