"""`row3 investigate` of a kind whose answer is a list: what was missed, what is wrong and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from row3.domain.matches import ItemExpectation, ItemMatch, items_json
from row3.reports import numbers
from row3.reports.document import Block, Document, Facts, Items, Lines, Parts, Text, Title, code, more
from row3.reports.investigations.model import ItemsInvestigation
from row3.reports.investigations.symptoms import dumped, head_facts, head_json, symptom_blocks

SCHEMA_VERSION = 1
MOST = 60
"""Items of one list; JSON has them all."""
VERDICTS = ("State", "Right")
"""Endings of notes that the item's own state sums up."""
MOST_RAW = 1_000
"""Characters shown of an answer that could not be read."""


def items_document(found: ItemsInvestigation) -> Document:
    """The symptoms, then what was missed, wrong and right."""
    wanted = {each.label: each.notes for each in found.items.expected}
    answered = len(found.items.items)
    facts: list[tuple[str, Text]] = [("Date", found.date), ("Suite", f"{found.suite}, kind {found.kind}")]
    if found.query:
        facts.append(("Query", found.query))
    blocks: list[Block] = [
        Title(f"Failure Investigation: {found.case_id}", 2),
        Facts([*facts, *head_facts(found)]),
        *symptom_blocks(found),
        *_listed(f"Missed: {len(found.missed)} of {len(found.items.expected)} expected", map(_missed, found.missed)),
        *_listed(
            f"Wrong: {len(found.wrong)} of {answered} answered",
            (_wrong(each, wanted.get(each.expected or "", {})) for each in found.wrong),
        ),
        *_listed(f"Right: {len(found.right)}", map(_right, found.right)),
    ]
    if found.raw:
        blocks += [Title("The answer"), Lines(found.raw[:MOST_RAW].split("\n"))]
    return Document(blocks)


def items_json_text(found: ItemsInvestigation) -> str:
    """All of it as JSON, schema version 1; metrics are fractions, deltas current minus baseline."""
    names = ("suite", "kind", "date", "prompts", "model", "status", "problem", "raw", "notes")
    return dumped(
        {
            "schemaVersion": SCHEMA_VERSION,
            "case": found.case_id,
            **{name: getattr(found, name) for name in names},
            **({"query": found.query} if found.query else {}),
            **head_json(found),
            "matches": items_json(found.items),
        }
    )


def _listed(title: str, texts: Iterator[Text]) -> Sequence[Block]:
    items = list(texts)
    left = more(len(items) - MOST, how="; --format json has them all")
    return [Title(title), Items([*items[:MOST], *([left] if left else [])])]


def _missed(each: ItemExpectation) -> Text:
    near: Parts = (
        ["; nearest: ", code(each.nearest), f" ({numbers.bare(each.score)})"] if each.nearest is not None else []
    )
    return [code(each.label), _notes(each.notes), *near]


def _wrong(each: ItemMatch, wanted: Mapping[str, Any]) -> Text:
    state = each.state.replace("-", " ")
    beside: Parts = (
        [] if each.expected is None else [", beside ", code(each.expected), f" ({numbers.bare(each.score)})"]
    )
    other = [
        f"{_words(key)} {'none' if value in (None, '') else str(value)}"
        for key, value in wanted.items()
        if key in each.notes and each.notes[key] != value and each.state.startswith("wrong")
    ]
    expected = f"; expected: {', '.join(other)}" if other else ""
    return [code(each.label), f": {state}", *beside, _notes(each.notes), expected]


def _right(each: ItemMatch) -> Text:
    other: Parts = [" for ", code(each.expected)] if each.expected not in (None, each.label) else []
    return [code(each.label), *other, _notes(each.notes)]


def _notes(notes: Mapping[str, Any]) -> str:
    """` (category Decision, actor Alice)`: what else is known, without what is empty."""
    said = {True: "yes", False: "no"}
    shown = [
        f"{_words(key)} {said[value] if isinstance(value, bool) else str(value)}"
        for key, value in notes.items()
        if value not in (None, "") and not key.endswith(VERDICTS)
    ]
    return f" ({', '.join(shown)})" if shown else ""


def _words(key: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in key)
