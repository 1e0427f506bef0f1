"""One case of a kind whose answer is a list, looked into: what was missed, what is wrong and why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from row3.domain.items import ItemExpectation, ItemMatch, Items, items_json
from row3.reports import numbers
from row3.reports.investigations.investigation_parts import Symptom
from row3.reports.investigations.symptoms_text import failing_metrics, falls_json, metric_json, symptom_lines
from row3.reports.markdown import code, fenced, inline

SCHEMA_VERSION = 1
MOST = 60
"""Items of one list in Markdown; JSON has them all."""
VERDICTS = ("State", "Right")
"""Endings of notes that the item's own state sums up."""
MOST_RAW = 1_000
"""Characters shown of an answer that could not be read."""


@dataclass(frozen=True, slots=True)
class ItemsInvestigation:
    """What is known of the case."""

    case_id: str
    suite: str
    kind: str
    date: str
    prompts: Mapping[str, str]
    model: str
    status: str
    problem: str
    raw: str
    notes: tuple[str, ...]
    symptoms: tuple[Symptom, ...]
    items: Items
    query: str = ""
    """What was asked; empty where a case has a text."""

    @property
    def missed(self) -> list[ItemExpectation]:
        """What was expected and not found."""
        return [each for each in self.items.expected if each.found_by is None]

    @property
    def wrong(self) -> list[ItemMatch]:
        """What was answered and is not right."""
        return [each for each in self.items.items if each.state not in self.items.correct]

    @property
    def right(self) -> list[ItemMatch]:
        """What was answered and is."""
        return [each for each in self.items.items if each.state in self.items.correct]


def items_markdown(found: ItemsInvestigation) -> str:
    """The symptoms, then what was missed, wrong and right."""
    versions = ", ".join(f"{inline(name)} {version}" for name, version in found.prompts.items())
    wanted = {each.label: each.notes for each in found.items.expected}
    lines = [
        f"## Failure Investigation: {inline(found.case_id)}",
        "",
        f"**Date**: {found.date}",
        f"**Suite**: {inline(found.suite)}, kind {found.kind}",
        *([f"**Query**: {inline(found.query)}"] if found.query else []),
        f"**Prompt Version**: {versions}",
        f"**Failing Metric(s)**: {failing_metrics(found.symptoms)}",
        "",
        "### Symptoms",
        "",
        *symptom_lines(found),
        "",
        f"### Missed: {len(found.missed)} of {len(found.items.expected)} expected",
        "",
        *_listed([_missed(each) for each in found.missed]),
        f"### Wrong: {len(found.wrong)} of {len(found.items.items)} answered",
        "",
        *_listed([_wrong(each, wanted.get(each.expected or "", {})) for each in found.wrong]),
        f"### Right: {len(found.right)}",
        "",
        *_listed([_right(each) for each in found.right]),
    ]
    if found.raw:
        lines += ["### The answer", "", *fenced(found.raw[:MOST_RAW], ""), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def items_investigation_json(found: ItemsInvestigation) -> str:
    """All of it as JSON, schema version 1; metrics are fractions, deltas current minus baseline."""
    value = {
        "schemaVersion": SCHEMA_VERSION,
        "case": found.case_id,
        **{
            name: getattr(found, name)
            for name in ("suite", "kind", "date", "prompts", "model", "status", "problem", "raw", "notes")
        },
        **({"query": found.query} if found.query else {}),
        "failing": [symptom.metric.key for symptom in found.symptoms if symptom.failing],
        "fell": falls_json(found.symptoms),
        "metrics": {s.metric.key: metric_json(s) for s in found.symptoms if s.value is not None},
        "matches": items_json(found.items),
    }
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2).encode("utf-8", "replace").decode() + "\n"


def _listed(lines: list[str]) -> Iterator[str]:
    yield from (f"- {line}" for line in lines[:MOST])
    if len(lines) > MOST:
        yield f"- and {len(lines) - MOST:,} more"
    if lines:
        yield ""


def _missed(each: ItemExpectation) -> str:
    near = f"; nearest: {code(each.nearest)} ({numbers.bare(each.score)})" if each.nearest is not None else ""
    return f"{code(each.label)}{_notes(each.notes)}{near}"


def _wrong(each: ItemMatch, wanted: Mapping[str, Any]) -> str:
    state = each.state.replace("-", " ")
    beside = "" if each.expected is None else f", beside {code(each.expected)} ({numbers.bare(each.score)})"
    other = [
        f"{inline(_words(key))} {'none' if value in (None, '') else inline(str(value))}"
        for key, value in wanted.items()
        if key in each.notes and each.notes[key] != value and each.state.startswith("wrong")
    ]
    expected = f"; expected: {', '.join(other)}" if other else ""
    return f"{code(each.label)}: {state}{beside}{_notes(each.notes)}{expected}"


def _right(each: ItemMatch) -> str:
    other = f" for {code(each.expected)}" if each.expected not in (None, each.label) else ""
    return f"{code(each.label)}{other}{_notes(each.notes)}"


def _notes(notes: Mapping[str, Any]) -> str:
    """` (category Decision, actor Alice)`: what else is known, without what is empty."""
    said = {True: "yes", False: "no"}
    shown = [
        f"{inline(_words(key))} {inline(said[value] if isinstance(value, bool) else str(value))}"
        for key, value in notes.items()
        if value not in (None, "") and not key.endswith(VERDICTS)
    ]
    return f" ({', '.join(shown)})" if shown else ""


def _words(key: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in key)
