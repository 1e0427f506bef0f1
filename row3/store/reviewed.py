"""`golden/<suite>/reviewed.jsonl`: items that a person has judged to be wrong, so that no one is asked again.

It stands beside the golden cases and belongs into git, since a judgement is one of the team. One JSON object a line,
sorted: two branches that judged merge in git. A judgement is of a text: when the case's text changes, it lapses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date as Day  # noqa: N812 - a field is called date
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct, to_builtins

from row3.domain.requests import digest_text
from row3.domain.structs import MUST
from row3.errors import InvalidFile
from row3.matching.normalise import normalise
from row3.store.documents import check_schema_version, dump_line, parse_json, validate
from row3.store.files import disk_faults, read_bytes, write_atomic
from row3.store.tree import WorkTree, read_text

FILE = "reviewed.jsonl"
SCHEMA_VERSION = 1
DIGITS = 16
"""Hexadecimal digits kept of a text's digest."""


class Judgement(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """An item that a person judged to be wrong: one line of golden/<suite>/reviewed.jsonl."""

    schema_version: int = SCHEMA_VERSION
    case_id: Annotated[str, Meta(description="Id of the golden case.")]
    item: Annotated[str, Meta(description="As an answer gave it.")]
    verdict: Literal["wrong"]
    text: Annotated[
        str,
        Meta(
            pattern=f"^[0-9a-f]{{{DIGITS}}}$",
            description="Beginning of the digest of the source text that it was judged by.",
            extra={MUST: f"{DIGITS} hexadecimal digits"},
        ),
    ]
    date: Annotated[Day, Meta(description="UTC.")]


class Key(NamedTuple):
    """What a judgement is found by."""

    case_id: str
    name: str
    """Normalised."""
    text: str


class Reviewed:
    """What was judged in a suite; an absent file is an empty one. Raises `InvalidFile`."""

    def __init__(self, root: Path, folder: str) -> None:
        self.where = f"{folder}/{FILE}"
        self.path = root / self.where
        self._held: dict[Key, Judgement] = {}
        if self.path.exists():
            for number, line in enumerate(read_text(WorkTree(root), self.where).split("\n"), 1):
                if line.strip():
                    self._add(from_line(line, where=f"{self.where}:{number}"))

    def __contains__(self, key: Key) -> bool:
        return key in self._held

    def _add(self, judgement: Judgement) -> None:
        self._held[Key(judgement.case_id, normalise(judgement.item), judgement.text)] = judgement

    def add(self, case_id: str, items: Iterable[str], source_text: str, *, date: str) -> None:
        """Judge items of a case to be wrong, and write the file. Raises `EnvironmentFault`."""
        text = text_digest(source_text)
        for item in items:
            self._add(Judgement(case_id=case_id, item=item, verdict="wrong", text=text, date=Day.fromisoformat(date)))
        self._write()

    def remove(self, case_id: str, items: Iterable[str], source_text: str) -> None:
        """Take judgements back, and write the file; one that is empty then is removed. Raises `EnvironmentFault`."""
        text = text_digest(source_text)
        for item in items:
            self._held.pop(Key(case_id, normalise(item), text), None)
        self._write()

    def contents(self) -> bytes:
        """The whole file; empty where there is none. Raises `InvalidFile`, `EnvironmentFault`."""
        return read_bytes(self.path, where=self.where) if self.path.exists() else b""

    def restore(self, contents: bytes) -> None:
        """Put an earlier state of the file back. Raises `EnvironmentFault`."""
        if contents:
            write_atomic(self.path, contents, where=self.where)
        else:
            with disk_faults(self.where):
                self.path.unlink(missing_ok=True)

    def _write(self) -> None:
        lines = [dump_line(to_builtins(self._held[key])) for key in sorted(self._held)]
        self.restore("".join(f"{line}\n" for line in lines).encode())


def text_digest(source_text: str) -> str:
    """What a judgement remembers of the text it was made by."""
    return digest_text(source_text)[:DIGITS]


def judged(reviewed: Reviewed, case_id: str, items: Sequence[str], source_text: str) -> list[bool]:
    """Whether each item was judged by this text."""
    text = text_digest(source_text)
    return [Key(case_id, normalise(item), text) in reviewed for item in items]


def from_line(line: str, *, where: str) -> Judgement:
    """The judgement of a line; `where` names its file and line. Raises `InvalidFile`."""
    value = parse_json(line, where=where, surrogates=True)
    if not isinstance(value, dict):
        raise InvalidFile("the line holds no JSON object", where=where, fix="Restore the file from git")
    check_schema_version(value, SCHEMA_VERSION, where=where)
    return validate(Judgement, value, where=where, command="row3 aliases review")
