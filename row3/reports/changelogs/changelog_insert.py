"""Puts an entry into CHANGELOG.md: newest first, and no hand-written word is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from row3.reports.changelogs.changelog import TO_WRITE

HEADING = "# Changelog"
_SECTION = re.compile(r" {0,3}##[ \t]+\S")
_PART = re.compile(r" {0,3}###[ \t]+(.*?)[ \t#]*$")
_UNRELEASED = re.compile(r" {0,3}##[ \t]+\[?(\S+?)\]?[ \t]*\(unreleased\)", re.IGNORECASE)
_PROMPT = re.compile(r"Prompt:[ \t]*`?(.*?)`?[ \t]*$")
_NAME = re.compile(r"[\w.-]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")


@dataclass(slots=True)
class _Part:
    """What stands under one `###` heading, or above the first (no title)."""

    heading: str
    title: str
    body: list[str]


@dataclass(frozen=True, slots=True)
class MixedEntry:
    """An entry that tells of two prompts, as a merge that kept both sides leaves it."""

    line: int
    """Where the second one begins, counted from 1."""
    heading: str
    version: str | None
    """Of an entry that is not released; None for all others."""
    names: tuple[str, ...]
    """The prompts that it names."""
    what: str
    """What stands there twice."""

    @property
    def told(self) -> str:
        """What is wrong."""
        return f"the entry `{self.heading}` has two {self.what}, as after a merge that kept both sides"

    def concerns(self, version: str, prompt: str) -> bool:
        """Whether the entry of a new version of a prompt would go in here."""
        own = self.version is not None and _bare(self.version) == _bare(version)
        return own and (not self.names or prompt in self.names)


MEND_MIXED = "Give each prompt an entry of its own, under its own heading"


def mixed_entries(changelog: str) -> Iterator[MixedEntry]:
    """The entries with two `Prompt:` lines or two `### Metrics Impact`, in order."""
    lines = changelog.split("\n")
    outside = [(i, line.rstrip("\r")) for i, line in _outside_code(lines)]
    starts = [i for i, line in outside if _SECTION.match(line)]
    for first, end in pairwise([*starts, len(lines)]):
        within = [(i, line) for i, line in outside if first < i < end]
        named = [(i, m[1]) for i, line in within if (m := _PROMPT.match(line)) and _NAME.fullmatch(m[1])]
        tables = [i for i, line in within if (m := _PART.match(line)) and m[1].lower() == "metrics impact"]
        names, heading = tuple(name for _, name in named), lines[first].strip().lstrip("#").strip()
        found = _UNRELEASED.match(lines[first])
        version = None if found is None else found[1]
        for places, what in (
            ([i for i, _ in named], f"`Prompt:` lines ({', '.join(names)})"),
            (tables, "`### Metrics Impact` parts"),
        ):
            if len(places) > 1:
                yield MixedEntry(places[1] + 1, heading, version, names, what)


def _bare(version: str) -> str:
    return version.lower().removeprefix("v")


def insert_entry(changelog: str, entry: str, version: str, prompt: str) -> str:
    """The changelog with the entry in it; all other text stays as it is, byte for byte.

    The entry goes above the newest released one. An unreleased entry of the same version and prompt gives way to it,
    and everything a hand wrote there moves into the new one. An entry that is there already is not put in twice.
    """
    newline = "\r\n" if "\r\n" in changelog else "\n"
    entry = entry.strip("\n") + "\n"
    if not changelog.strip("\ufeff \t\r\n"):
        return f"{HEADING}\n\n{entry}"
    if entry.replace("\n", newline) in changelog:
        return changelog
    lines = re.findall(r"[^\n]*\n|[^\n]+$", changelog)
    starts = [i for i, line in _outside_code(lines) if _SECTION.match(line)]
    old = _unreleased(lines, starts, version, prompt)
    if old is not None:
        first, end = old
        entry = _merge(entry, [line.rstrip("\r\n") for line in lines[first:end]])
        place = _top(lines, [i for i in starts if i != first], released=not _UNRELEASED.match(entry))
        rest = lines[:first] + lines[end:]
        place = place - (end - first) if place >= end else place
    else:
        rest, place = lines, _top(lines, starts, released=not _UNRELEASED.match(entry))
    above, below = "".join(rest[:place]), "".join(rest[place:])
    if above and not above.endswith("\n"):
        above += newline
    gap = "" if not above or above.endswith((newline * 2, "\n\n")) else newline
    return above + gap + entry.replace("\n", newline) + (newline if below else "") + below


def merged_entry(changelog: str, entry: str, version: str, prompt: str) -> str:
    """The entry as `insert_entry` would put it in, with what a hand wrote under its unreleased heading."""
    lines = re.findall(r"[^\n]*\n|[^\n]+$", changelog)
    starts = [i for i, line in _outside_code(lines) if _SECTION.match(line)]
    old = _unreleased(lines, starts, version, prompt)
    if old is None:
        return entry
    return _merge(entry.strip("\n") + "\n", [line.rstrip("\r\n") for line in lines[slice(*old)]])


def _top(lines: list[str], starts: list[int], *, released: bool) -> int:
    """The line at which a new section begins: the first section that is released, or the very first."""
    for i in starts:
        if not released or not _UNRELEASED.match(lines[i]):
            return i
    return len(lines)


def _unreleased(lines: list[str], starts: list[int], version: str, prompt: str) -> tuple[int, int] | None:
    """First and last-but-one line of the unreleased section of this version; one that names no prompt fits any."""
    unnamed = None
    for i, end in pairwise([*starts, len(lines)]):
        found = _UNRELEASED.match(lines[i])
        if found is None or _bare(found[1]) != _bare(version):
            continue
        names = [m[1] for line in lines[i:end] if (m := _PROMPT.match(line.rstrip("\r\n")))]
        if prompt in names[:1]:
            return i, end
        if not names and unnamed is None:
            unnamed = i, end
    return unnamed


def _merge(entry: str, old: list[str]) -> str:
    """The new entry with everything from the old one that row3 did not write."""
    new_parts, old_parts = _parts(entry.rstrip("\n").split("\n")), _joined(_parts(old[1:]))
    heading = new_parts[0].body.pop(0)
    for part in old_parts:
        kept = _trim([line for line in part.body if line.strip() != TO_WRITE])
        if not part.title:
            named = next((i for i, line in enumerate(kept) if _PROMPT.match(line)), None)
            kept = kept if named is None else _trim(kept[:named] + kept[named + 1 :])
        same = next((new for new in new_parts if new.title.lower() == part.title.lower()), None)
        if same is None:
            new_parts.append(_Part(part.heading, part.title, kept))
            continue
        generated = [line for line in _trim(same.body) if line != TO_WRITE and line not in kept]
        if part.title.lower() == "changes":  # what a hand wrote says it better than the prompt's description
            same.body = kept or generated
        elif part.title.lower() == "notes":
            same.body = kept + generated
        else:
            same.body = _trim(same.body) + ([""] if kept else []) + kept
        if not same.body:
            same.body = [TO_WRITE]
    blocks = [[heading], *([*([part.heading] if part.title else []), *_trim(part.body)] for part in new_parts)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _parts(lines: list[str]) -> list[_Part]:
    parts = [_Part("", "", [])]
    headings = {i: found[1] for i, line in _outside_code(lines) if (found := _PART.match(line)) and found[1]}
    for i, line in enumerate(lines):
        if i in headings:
            parts.append(_Part(line, headings[i], []))
        else:
            parts[-1].body.append(line)
    return parts


def _joined(parts: list[_Part]) -> list[_Part]:
    """The parts, those of one title together: a hand may have written two of them."""
    found: dict[str, _Part] = {}
    for part in parts:
        first = found.setdefault(part.title.lower(), part)
        if first is not part:
            first.body += part.body
    return list(found.values())


def _trim(lines: list[str]) -> list[str]:
    """Without the blank lines at both ends."""
    there = [i for i, line in enumerate(lines) if line.strip()]
    return lines[there[0] : there[-1] + 1] if there else []


def _outside_code(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines that are not in a block of code or an HTML comment."""
    fence, comment = "", False
    for i, raw in enumerate(lines):
        line = raw.rstrip("\r\n")
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif comment:
            comment = "-->" not in line
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
        elif re.match(r" {0,3}<!--", line):
            comment = "-->" not in line
        else:
            yield i, line
