"""Entries of CHANGELOG.md in the format of STANDARDS 5.3: newest first; hand-written text is kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from row3.domain import numbers
from row3.domain.printable import escaped_start, plain
from row3.domain.runs import HistoryEntry
from row3.domain.words import count

BOM = "\ufeff"
HEADING = "# Changelog"
TO_WRITE = "<!-- What changes and why, one line each. -->"
"""Placeholder under `### Changes` of an unreleased entry."""
UNWRITTEN = re.compile(r"<!--.*-->|(?:to-?do|tbd|tba|fixme|wip)(?::.*)?|none|\W*", re.IGNORECASE)
"""A line without its bullet that says nothing: blank, a comment or a placeholder."""
SECTION = re.compile(r" {0,3}##[ \t]+\S")
PART = re.compile(r" {0,3}###[ \t]+(.*?)[ \t#]*$")
UNRELEASED = re.compile(r" {0,3}##[ \t]+\[?(\S+?)\]?[ \t]*\(unreleased\)", re.IGNORECASE)
PROMPT = re.compile(r"Prompt:[ \t]*`?(.*?)`?[ \t]*$")
NAME = re.compile(r"[\w.-]+")
RELEASED = re.compile(r" {0,3}##[ \t]+\[?(\S+?)\]?[ \t]*\((\d{4}-\d\d-\d\d)\)")
FIGURES = re.compile(r"^### Metrics Impact(?: \(.*; cases or scoring changed since\))?(?=\s*$)")
MARKUP = re.compile(r"([\\`*~\[\]<]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|^[#>])")
"""What a line of a file would not show as it is; unlike in a comment, names and numbers become no links."""
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")


class MetricRow(NamedTuple):
    """A metric of a promoted version; fractions, None where it was not measured."""

    title: str
    before: float | None
    after: float | None
    higher_is_better: bool = True
    significant: bool = False
    """Whether the test of the paired differences says that it moved."""


def changelog_entry(
    version: str,
    date: str,
    prompt: str,
    *,
    changes: Sequence[str],
    rows: Sequence[MetricRow],
    baseline_version: str | None,
    notes: Sequence[str] = (),
    approval: str = "",
) -> str:
    """Return an entry for a promoted version; one column if there is no `baseline_version`; approvals are a note."""
    remarks = [_approved(approval)] if approval else []
    parts = [
        [f"## {version} ({date})"],
        [f"Prompt: {prompt}"],
        ["### Changes", *bullets(changes)],
        ["### Metrics Impact", *_table(version, baseline_version, rows)],
        ["### Notes", *bullets([*remarks, *notes])] if remarks or notes else [],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def unreleased_entry(version: str, prompt: str, *, approval: str = "") -> str:
    """Return the first entry of a new version; an approval goes among its notes."""
    notes = f"\n### Notes\n{bullets([_approved(approval)])[0]}\n" if approval else ""
    return f"## {version} (Unreleased)\n\nPrompt: {prompt}\n\n### Changes\n{TO_WRITE}\n{notes}"


def approval_entry(date: str, approval: str) -> str:
    """Return the entry of an approval without a new version: the model, a case or a setting changed."""
    return f"## Approval ({date})\n\n### Notes\n{bullets([_approved(approval)])[0]}\n"


def _approved(approval: str) -> str:
    return f"Approved: {approval}"


def is_written(line: str) -> bool:
    """Return whether a line says something, and is no placeholder."""
    return UNWRITTEN.fullmatch(line.strip(" \t*+-.:!()")) is None


def bullets(items: Sequence[str]) -> list[str]:
    """Return one bullet per item, on one line, with Markdown escaped."""
    return ["- " + escaped_start(MARKUP.sub(r"\\\1", plain(item))) for item in items if item.strip()]


def _table(version: str, baseline: str | None, rows: Sequence[MetricRow]) -> list[str]:
    headers = ["Metric", version] if baseline is None else ["Metric", baseline, version, "Delta"]
    lines = [_row(headers), "|" + "|".join("-" * (len(header) + 2) for header in headers) + "|"]
    for title, before, after, higher_is_better, significant in rows:
        name = plain(title) if higher_is_better else f"{plain(title)} (lower is better)"
        delta = "–" if before is None or after is None else numbers.changelog_delta(after - before)
        delta += ", significant" if significant else ""
        values = [_value(after)] if baseline is None else [_value(before), _value(after), delta]
        lines.append(_row([name, *values]))
    return lines


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _value(value: float | None) -> str:
    return "–" if value is None else numbers.compact(value)


class MixedEntry(NamedTuple):
    """An entry with two `Prompt:` lines, left by a merge that kept both sides."""

    line: int
    """Line of the second one, counted from 1."""
    heading: str
    names: tuple[str, ...]

    @property
    def problem(self) -> str:
        """Return what is wrong, and what to do."""
        both = f"the entry `{self.heading.strip('# ')}` has two `Prompt:` lines ({', '.join(self.names)})"
        return f"{both}: give each prompt an entry under a heading of its own"

    def concerns(self, version: str, prompt: str) -> bool:
        """Return whether a new version's entry would be inserted here."""
        return _is_draft(self.heading, version) and prompt in self.names


def mixed_entries(changelog: str) -> Iterator[MixedEntry]:
    """Yield the entries with two `Prompt:` lines, in order."""
    lines, starts = _split(changelog)
    outside = list(_outside_code(lines))
    for first, end in pairwise([*starts, len(lines)]):
        within = [(i, PROMPT.match(line)) for i, line in outside if first < i < end]
        named = [(i, found[1]) for i, found in within if found and NAME.fullmatch(found[1])]
        if len(named) > 1:
            yield MixedEntry(named[1][0] + 1, lines[first].strip(), tuple(name for _, name in named))


def insert_entry(changelog: str, entry: str, version: str, prompt: str) -> str:
    """Return the changelog with the entry above the newest released one; other text stays as it is, byte for byte.

    It replaces an unreleased entry of the same version and prompt, and keeps the text written there.
    """
    newline = "\r\n" if "\r\n" in changelog else "\n"
    entry = entry.strip("\n") + "\n"
    mark = BOM if changelog.startswith(BOM) else ""
    if not changelog.strip(f"{BOM} \t\r\n"):
        return f"{mark}{HEADING}\n\n{entry}".replace("\n", newline)
    if entry.replace("\n", newline) in changelog:
        return changelog
    lines, starts = _split(changelog)
    first, end = _draft(lines, starts, version, prompt) or (0, 0)
    entry = merged_entry(changelog, entry, version, prompt)
    released = not UNRELEASED.match(entry)
    others = [i for i in starts if i != first or first == end]
    place = next((i for i in others if not released or not UNRELEASED.match(lines[i])), len(lines))
    rest, place = lines[:first] + lines[end:], place - (end - first) if place >= end else place
    above, below = "".join(rest[:place]), "".join(rest[place:])
    if above and not above.endswith("\n"):
        above += newline
    gap = "" if not above or above.endswith((newline * 2, "\n\n")) else newline
    return mark + above + gap + entry.replace("\n", newline) + (newline if below else "") + below


def mark_figures(changelog: str, promotions: Sequence[HistoryEntry], scored: str) -> str:
    """Return the changelog with the cases of figures that other cases, or another scorer, gave than those now.

    `promotions` are the oldest first.
    """
    lines, starts = _split(changelog)
    passed: Counter[tuple[str, ...]] = Counter()
    for first, end in pairwise([*starts, len(lines)]):
        heading = RELEASED.match(lines[first])
        named = [found[1] for line in lines[first:end] if (found := PROMPT.match(line.rstrip("\r\n")))]
        if heading is None or not named:
            continue
        at = heading.groups()
        same = [each for each in promotions if (each.prompts.get(named[0]), each.at[:10]) == at]
        for each in same[::-1][passed[named[0], *at] :][:1]:  # entries are newest first
            cases = f" ({count(each.cases, 'case')} of {each.at[:10]}; cases or scoring changed since)"
            mark = "" if each.scored == scored else cases
            lines[first:end] = [FIGURES.sub(f"### Metrics Impact{mark}", line) for line in lines[first:end]]
        passed[named[0], *at] += 1
    return BOM * changelog.startswith(BOM) + "".join(lines)


def merged_entry(changelog: str, entry: str, version: str, prompt: str) -> str:
    """Return the entry as `insert_entry` writes it, with the text under its unreleased heading."""
    lines, starts = _split(changelog)
    draft = _draft(lines, starts, version, prompt)
    if draft is None:
        return entry
    new, old = _parts(entry.strip("\n").split("\n")), _parts([line.rstrip("\r\n") for line in lines[slice(*draft)]][1:])
    heading = new[""].body.pop(0)
    for title, part in old.items():
        kept = _trim([line for line in part.body if line.strip() != TO_WRITE])
        if not title:
            named = next((i for i, line in enumerate(kept) if PROMPT.match(line)), None)
            kept = kept if named is None else _trim(kept[:named] + kept[named + 1 :])
        if title not in new:
            new[title] = _Part(part.heading, kept)
            continue
        generated = [line for line in _trim(new[title].body) if line != TO_WRITE and line not in kept]
        if title == "changes":  # hand-written text beats the prompt's description
            written = [line for line in kept if not line.strip() or is_written(line)]
            body = written if any(map(is_written, kept)) else generated
        elif title == "notes":
            body = kept + generated
        else:
            body = _trim(new[title].body) + ([""] if kept else []) + kept
        new[title].body = body or [TO_WRITE]
    blocks = [[heading], *([*([part.heading] if part.heading else []), *_trim(part.body)] for part in new.values())]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


@dataclass(slots=True)
class _Part:
    """The text under a `###` heading; no heading above the first one."""

    heading: str
    body: list[str]


def _parts(lines: list[str]) -> dict[str, _Part]:
    """Return the parts by title in lower case; two with the same title become one."""
    headings = {i: found[1] for i, line in _outside_code(lines) if (found := PART.match(line)) and found[1]}
    parts = {"": _Part("", [])}
    title = ""
    for i, line in enumerate(lines):
        if i in headings:
            title = headings[i].lower()
            parts.setdefault(title, _Part(line, []))
        else:
            parts[title].body.append(line)
    return parts


def _split(changelog: str) -> tuple[list[str], list[int]]:
    """Return the lines with their ends, without a byte-order mark, and the numbers of those that begin an entry."""
    lines = re.findall(r"[^\n]*\n|[^\n]+$", changelog.removeprefix(BOM))
    return lines, [i for i, line in _outside_code(lines) if SECTION.match(line)]


def _draft(lines: list[str], starts: list[int], version: str, prompt: str) -> tuple[int, int] | None:
    """Return the line range of this version's unreleased entry; an entry that names no prompt fits any."""
    unnamed = None
    for i, end in pairwise([*starts, len(lines)]):
        if _is_draft(lines[i], version):
            names = [found[1] for line in lines[i:end] if (found := PROMPT.match(line.rstrip("\r\n")))]
            if prompt in names[:1]:
                return i, end
            unnamed = unnamed or (None if names else (i, end))
    return unnamed


def _is_draft(heading: str, version: str) -> bool:
    found = UNRELEASED.match(heading)
    return found is not None and found[1].lower().removeprefix("v") == version.lower().removeprefix("v")


def _trim(lines: list[str]) -> list[str]:
    """Return the lines without blank ones at either end."""
    written = [i for i, line in enumerate(lines) if line.strip()]
    return lines[written[0] : written[-1] + 1] if written else []


def _outside_code(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield numbered lines outside code blocks and HTML comments."""
    fence, comment = "", False
    for i, raw in enumerate(lines):
        line = raw.rstrip("\r\n")
        found = FENCE.match(line)
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
