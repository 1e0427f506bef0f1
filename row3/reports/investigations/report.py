"""`row3 investigate`: why one case scored as it did, as STANDARDS' template (6.6) and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from row3.reports import numbers
from row3.reports.document import (
    Block,
    Document,
    Facts,
    Items,
    Lines,
    Note,
    Parts,
    Span,
    Table,
    Task,
    Text,
    Title,
    code,
    more,
    strong,
)
from row3.reports.investigations.model import Finding, Investigation, Symptom, all_is_well
from row3.reports.places import Place

SCHEMA_VERSION = 1
MOST = 60
MOST_RAW = 1_000
CODE = re.compile(r"(?P<fence>`+)(?P<code>.+?)(?P=fence)(?!`)|(?P<other>[^`]+|`)")
LEGEND = (
    code("[x]"),
    " the data answer it, ",
    code("[ ]"),
    " a person has to; a section with nothing wrong is cut short.",
)


def investigation_document(found: Investigation) -> Document:
    """Return STANDARDS' template, filled in."""
    versions = ", ".join(f"{name} {version}" for name, version in found.prompts.items())
    query: list[tuple[str, Text]] = [("Query", found.query)] if found.query else []
    failing = ", ".join(filter(None, map(_failing, found.symptoms))) or f"none: {all_is_well(found.symptoms)}"
    facts: list[tuple[str, Text]] = [("Date", found.date), ("Prompt Version", versions), ("Failing Metric(s)", failing)]
    blocks: list[Block] = [
        Title(f"Failure Investigation: {found.case_id}", 2),
        Facts([*query, *facts]),
        Title("Symptoms"),
        Table(
            ("Metric", "Value", "Zone", "Target", "Short by", "Baseline", "Delta"),
            [_row(symptom) for symptom in found.symptoms],
            "lrlrrrr",
        ),
        Items(found.notes),
        Title("Root Cause"),
        *_causes(found),
    ]
    if found.checklist:
        blocks.append(Note([LEGEND]))
    for title, questions in found.checklist:
        tasks = [Task(f"{q.text} {q.answer}.".removesuffix(" ."), done=not q.open) for q in questions]
        blocks += [Title(title, 4), Items(tasks)]
    if found.fixes:
        blocks += [Title("Proposed Fix"), Items([_from_markdown(fix) for fix in found.fixes])]
    steps = [_from_markdown(step) for step in found.plan]
    return Document([*blocks, Title("Verification Plan"), Items(steps, numbered=True)])


def _causes(found: Investigation) -> Iterator[Block]:
    if found.status == "bad_answer":
        yield Note([f"The answer could not be used, so every metric is 0: {found.problem}. It begins:"])
        yield Lines(found.raw[:MOST_RAW].split("\n"), "text")
        return
    for each in found.findings:
        if each.items:
            yield Note([[strong(each.title), f" ({len(each.items)} {each.whole})"]])
            left = more(len(each.items) - MOST, how="; --format json has them all")
            yield Items([*map(_finding, each.items[:MOST]), *([left] if left else [])])
    if not any(each.items for each in found.findings if each.key != "right"):
        yield Note(["Nothing went wrong."])


def _finding(found: Finding) -> Text:
    """Return `` `label`: state `other` (80.0%); remark; place ``."""
    before, named, after = found.phrase.partition("{}")
    score = f" ({numbers.percent(found.score)})" if found.score is not None else ""
    known: Parts = [before, code(found.other), score, after] if named and found.other else []
    parts: list[Parts] = [
        known or ([] if named else [found.phrase]),
        [found.remark],
        at(found.place) if found.place else [],
    ]
    text: list[str | Span] = [code(found.label)]
    for part in parts:
        if part and any(part):
            text += ["; " if len(text) > 1 else ": ", *part]
    return text


def _failing(symptom: Symptom) -> str:
    """Return `Concept recall (fail, fell 6.0 points, limit 5)`; empty if it neither fails nor fell."""
    faults = [symptom.zone.word] if symptom.failing and symptom.zone is not None else []
    if (fall := symptom.fall) is not None:
        moved = "fell" if symptom.metric.higher_is_better else "rose"
        faults.append(f"{moved} {fall.worse:.1f}{fall.unit}, limit {fall.limit:g}")
    return f"{symptom.metric.title} ({', '.join(faults)})" if faults else ""


def _row(symptom: Symptom) -> list[str]:
    metric, value, zone, threshold, baseline, _ = symptom
    if value is None:
        return [metric.title, "skipped", "", "", "", "", ""]
    target, short = "", ""
    if threshold is not None:
        target = numbers.limit(threshold.target, metric)
        short = f"{100 * abs(threshold.target - value):.1f} points" if symptom.failing else ""
    percent = numbers.percent(value, beside=numbers.limits_of(threshold))
    moved = ["", ""] if baseline is None else [numbers.percent(baseline), numbers.points(value - baseline)]
    return [metric.title, percent, zone.word if zone is not None else "", target, short, *moved]


def at(place: Place) -> list[str | Span]:
    """Return paragraph, line and the sentence, with what it is about in bold."""
    text, done = place.sentence, 0
    pieces: list[str | Span] = [f"paragraph {place.paragraph}, line {place.line}: “"]
    for start, end in sorted(place.marks):
        if start >= done:
            pieces += [text[done:start], strong(text[start:end])]
            done = end
    return [*pieces, text[done:].rstrip(), "”"]


def _from_markdown(text: str) -> list[Span]:
    """Return the parts of a sentence that has names and commands in backticks."""
    return [code(m["code"].strip()) if m["code"] else Span(m["other"]) for m in CODE.finditer(text)]


def investigation_json(found: Investigation) -> dict[str, Any]:
    """Return all of it for JSON; metrics are fractions, deltas current minus baseline."""
    names = ("suite", "kind", "date", "prompts", "model", "status", "problem", "raw", "notes", "query", "fixes", "plan")
    return {
        "schemaVersion": SCHEMA_VERSION,
        "case": found.case_id,
        **{name: getattr(found, name) for name in names},
        "failing": [symptom.metric.key for symptom in found.symptoms if symptom.failing],
        "fell": [
            {
                "metric": s.metric.key,
                "worseBy": s.fall.worse,
                "limit": s.fall.limit,
                "unit": "relative" if s.fall.relative else "points",
            }
            for s in found.symptoms
            if s.fall is not None
        ],
        "metrics": {s.metric.key: _metric_json(s) for s in found.symptoms if s.value is not None},
        **{each.key: [_finding_json(item) for item in each.items] for each in found.findings},
        "checklist": [
            {"section": title, "questions": [question._asdict() for question in questions]}
            for title, questions in found.checklist
        ],
    }


def _metric_json(symptom: Symptom) -> dict[str, Any]:
    value: dict[str, Any] = {"value": symptom.value, "zone": symptom.zone.word if symptom.zone is not None else None}
    if symptom.threshold is not None:
        value["target"], value["minimum"] = symptom.threshold.target, symptom.threshold.minimum
    if symptom.baseline is not None and symptom.value is not None:
        value["baseline"], value["delta"] = symptom.baseline, symptom.value - symptom.baseline
    return value


def _finding_json(found: Finding) -> dict[str, Any]:
    value = found._asdict() | {"place": found.place and found.place._asdict()}
    del value["phrase"]
    return value
