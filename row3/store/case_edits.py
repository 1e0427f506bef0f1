"""A golden case of kind `extraction` with one expectation more, its file otherwise as it was, to the byte.

Indent, line ends, the blank after a colon and the way of writing lists are taken from what stands around.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from row3.errors import InvalidFile

CONCEPTS, CANARIES, HISTORY = "expectedConcepts", "forbiddenConcepts", "history"
SPACE = re.compile(r"[\ufeff \t\n\r]*")
LEAD = re.compile(r"(?:\r\n|\n|\r)[ \t]*\Z")
DECODER = json.JSONDecoder()
Path = tuple[str | int, ...]


def with_aliases(raw: bytes, position: int, names: Sequence[str], entry: Mapping[str, str]) -> bytes:
    """The file with more aliases of the concept at that position, and an entry in the case's history."""
    text, value = _read(raw)
    concepts = value[CONCEPTS]
    like = [(CONCEPTS, i, "aliases") for i in range(len(concepts)) if i != position]
    for name in names:
        text = append(text, (CONCEPTS, position, "aliases"), name, after=("label",), like=[*like, (CANARIES,)])
        concepts[position].setdefault("aliases", []).append(name)
    return _finished(text, value, entry)


def with_canaries(raw: bytes, names: Sequence[str], entry: Mapping[str, str]) -> bytes:
    """The file with more canaries, and an entry in the case's history."""
    text, value = _read(raw)
    like = [(CONCEPTS, i, "aliases") for i in range(len(value[CONCEPTS]))]
    for name in names:
        text = append(text, (CANARIES,), name, after=("expectedRelationships", CONCEPTS), like=like)
        value.setdefault(CANARIES, []).append(name)
    return _finished(text, value, entry)


def _read(raw: bytes) -> tuple[str, dict[str, Any]]:
    text = raw.decode("utf-8")
    value = json.loads(text.removeprefix("\ufeff"))
    assert isinstance(value, dict)
    return text, value


def _finished(text: str, value: dict[str, Any], entry: Mapping[str, str]) -> bytes:
    """With the entry; raises `InvalidFile` where the text does not say exactly what it should, and nothing less."""
    text = append(text, (HISTORY,), dict(entry), like=[("expectedRelationships",), (CONCEPTS,)])
    value.setdefault(HISTORY, []).append(dict(entry))
    if json.loads(text.removeprefix("\ufeff")) != value:
        raise InvalidFile("the file cannot be edited without harm", where=str(value.get("id")), fix="Edit it by hand")
    return text.encode("utf-8")


class Part(NamedTuple):
    """A member of an object or an item of an array, as it stands in the text."""

    key: str
    """Empty for an item."""
    gap: str
    """White space in front of it."""
    colon: str
    """From key to value, white space and all; empty for an item."""
    start: int
    end: int
    """Offsets of its value."""


def parts(text: str, at: int) -> Iterator[Part]:
    """The parts of the object or array that begins at an offset; none of any other value."""
    if text[at] not in "{[":
        return
    in_object = text[at] == "{"
    begin = _skip(text, at + 1)
    gap = text[at + 1 : begin]
    while text[begin] not in "}]":
        key, colon, start = "", "", begin
        if in_object:
            key, after = DECODER.raw_decode(text, begin)
            start = _skip(text, _skip(text, after) + 1)
            colon = text[after:start]
        end = DECODER.raw_decode(text, start)[1]
        yield Part(key, gap, colon, start, end)
        begin = _skip(text, end)
        if text[begin] == ",":
            gap = text[begin + 1 : (next_one := _skip(text, begin + 1))]
            begin = next_one


def find(text: str, path: Path) -> Part | None:
    """The value of that path; None where there is none."""
    start = _skip(text, 0)
    found: Part | None = Part("", "", "", start, DECODER.raw_decode(text, start)[1])
    for step in path:
        assert found is not None
        inner = enumerate(parts(text, found.start))
        found = next((part for number, part in inner if step == (number if isinstance(step, int) else part.key)), None)
        if found is None:
            return None
    return found


def append(text: str, path: Path, value: Any, *, after: Sequence[str] = (), like: Sequence[Path] = ()) -> str:
    """The text with one more item at the end of an array; an array that is missing is made.

    Args:
        path: leads to the array, by its key in an object that is there and has at least one key.
        after: keys behind the first of which, of those there are, a missing one goes; else it goes to the end.
        like: paths of arrays that show how the file writes such a list; the first that has an item counts.
    """
    *above, key = path
    holder = find(text, tuple(above))
    assert holder is not None
    members = list(parts(text, holder.start))
    member = next((part for part in members if part.key == key), None)
    if member is not None and (there := list(parts(text, member.start))):
        last, ways = there[-1], _ways(text, member, there)
        lead = _lead(last.gap)
        gap = lead or (last.gap if len(there) > 1 else ways.blank)
        return f"{text[: last.end]},{gap}{ways.value(value, lead)}{text[last.end :]}"
    examples = (list(parts(text, found.start)) for each in like if (found := find(text, each)) is not None)
    ways = _ways(text, members[0], next(filter(None, examples), []))
    beside = member or next((part for name in after for part in members if part.key == name), members[-1])
    lead = _lead(beside.gap)
    if member is not None:
        return f"{text[: member.start]}{ways.array(value, lead)}{text[member.end :]}"
    written = f"{ways.value(key, None)}{ways.colon}{ways.array(value, lead)}"
    return f"{text[: beside.end]},{lead or ways.blank}{written}{text[beside.end :]}"


@dataclass(frozen=True, slots=True)
class _Ways:
    """How a file writes things."""

    unit: str
    """One step of indent."""
    colon: str
    ascii_only: bool
    a_line_each: bool
    """An item of a list stands on a line of its own."""
    spread: bool
    """A key of an object in a list stands on a line of its own."""
    pad: str
    """Between a brace and the key beside it."""

    @property
    def blank(self) -> str:
        """What follows a comma within a line."""
        return "" if self.colon == ":" else " "

    def array(self, value: Any, lead: str | None) -> str:
        """A list with this item; `lead` is the line end and indent in front of its key, None where that has none."""
        if not self.a_line_each or lead is None:
            return f"[{self.value(value, None)}]"
        return f"[{lead}{self.unit}{self.value(value, lead + self.unit)}{lead}]"

    def value(self, value: Any, lead: str | None) -> str:
        """A text, or an object of texts."""
        if not isinstance(value, Mapping):
            return json.dumps(value, ensure_ascii=self.ascii_only)
        rows = [f"{self.value(key, None)}{self.colon}{self.value(inner, None)}" for key, inner in value.items()]
        if self.spread and lead is not None:
            return "{" + ",".join(f"{lead}{self.unit}{row}" for row in rows) + lead + "}"
        return "{" + self.pad + f",{self.blank}".join(rows) + self.pad + "}"


def _ways(text: str, member: Part, example: Sequence[Part]) -> _Ways:
    """As a member of an object is written, and a list of which these are the items."""
    last = text[example[-1].start : example[-1].end] if example else ""
    first = next(parts(text, _skip(text, 0)))
    return _Ways(
        unit=(_lead(first.gap) or "  ").lstrip("\r\n"),
        colon=member.colon if _lead(member.colon) is None else ": ",
        ascii_only=text.isascii() and "\\u" in text,
        a_line_each=bool(example) and _lead(example[0].gap) is not None,
        spread="\n" in last or "\r" in last,
        pad=" " if last.startswith("{ ") else "",
    )


def _skip(text: str, at: int) -> int:
    space = SPACE.match(text, at)
    assert space is not None
    return space.end()


def _lead(gap: str) -> str | None:
    """The last line end of a gap, with the indent behind it; None where the gap has none."""
    found = LEAD.search(gap)
    return None if found is None else found[0]
