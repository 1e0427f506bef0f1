"""`row3 investigate`: a page for a terminal, STANDARDS' template (6.6) filled in, and JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from row3.commands.investigation import InvestigatedCase, Investigation, Symptom, no_failure_text
from row3.domain import numbers
from row3.domain.printable import cells, plain, shorten
from row3.domain.scores import Zone
from row3.domain.words import count
from row3.kinds.mistakes import Mistake
from row3.matching.text.places import Place
from row3.reports.document import (
    Block,
    Document,
    Facts,
    Items,
    Lines,
    Note,
    Span,
    Table,
    Task,
    Text,
    Title,
    code,
    more,
    strong,
)
from row3.reports.terminal import Style, terminal_text

SCHEMA_VERSION = 2
MOST = 60
MOST_RAW = 1_000
PAGE = 40
"""Maximum lines of a page on a terminal."""
CODE = re.compile(r"(?P<fence>`+)(?P<code>.+?)(?P=fence)(?!`)|(?P<other>[^`]+|`)")


def investigation_page(found: Investigation, style: Style) -> Document:
    """Return what fits on a screen: causes with examples, questions for a person, fixes and how to verify them."""
    for most in range(14, 2, -1):
        document = Document(list(_page(found, style.width, most)))
        if terminal_text(document, style).count("\n") <= PAGE:
            break
    return document


def _page(found: Investigation, width: int, most: int) -> Iterator[Block]:
    several = len(found.cases) > 1
    yield from _head(found)
    yield Note([note for case in found.cases for note in case.notes][:2], "quiet")
    if several:
        shown = found.cases[: most // 3]
        room = width - 2 - max(len(case.id) for case in shown)
        rows = [[case.id, shorten(_failures_text(case, brief=True), room)] for case in shown]
        yield Table(("case", "fails"), rows, "ll", more=more(len(found.cases) - len(shown)))
    yield from _unusable(found, lines=4, width=width)
    yield from _causes(found, room=width, most=most)
    if asked := _open_questions(found, (2 if several else 3) * width):
        yield Title("Only a person can say")
        yield Note([asked])
    for title, texts in (("Proposed Fix", found.fixes[: 1 + most // 5]), ("Verification Plan", found.plan)):
        yield Title(title)
        yield Items([_from_markdown(shorten(text, 3 * width - 8)) for text in texts] or ["none"])


def investigation_document(found: Investigation, *, items: bool = True, width: int = 0) -> Document:
    """Return STANDARDS' template, filled in; with `items` also every fault and the checklist; tables within `width`."""
    blocks = [*_head(found, date=True), Title("Symptoms"), *_symptoms(found), Title("Root Cause"), *_unusable(found)]
    blocks += _causes(found, room=width, most=MOST)
    blocks += [*_faults(found), *_checklist(found)] if items else []
    fixes = [_from_markdown(fix) for fix in found.fixes]
    blocks += [Title("Proposed Fix"), Items(fixes)] if fixes else []
    steps = [_from_markdown(step) for step in found.plan]
    return Document([*blocks, Title("Verification Plan"), Items(steps, numbered=True)])


def _head(found: Investigation, *, date: bool = False) -> Iterator[Block]:
    yield Title(f"Failure Investigation: {found.name}", 2)
    versions = ", ".join(f"{name} {version}" for name, version in found.prompts.items())
    if len(found.cases) == 1:
        faults = filter(None, map(_symptom_text, found.cases[0].symptoms))
        failing = ", ".join(faults) or f"none: {no_failure_text(found.cases[0].symptoms)}"
    else:
        counts = Counter(s.metric.title for case in found.cases for s in case.symptoms if s.failing or s.fall)
        failing = ", ".join(f"{title} ({count(n, 'case')})" for title, n in counts.most_common()) or "none"
    rows: list[tuple[str, Text]] = [
        ("Query", found.cases[0].query if len(found.cases) == 1 else ""),
        ("Date", found.date if date else ""),
        ("Prompt Version", versions),
        ("Failing Metric(s)", failing),
        ("Compared with", found.good),
        ("Without an answer", ", ".join(found.unanswered[:3]) + "…" * (len(found.unanswered) > 3)),
    ]
    yield Facts([row for row in rows if row[1]])


def _symptom_text(symptom: Symptom) -> str:
    """Return `Concept recall 58.0% (fail, fell 6.0 points, limit 5)`; empty if it neither fails nor fell."""
    faults = [symptom.zone.word] if symptom.failing and symptom.zone is not None else []
    if (fall := symptom.fall) is not None:
        moved = "fell" if symptom.metric.higher_is_better else "rose"
        faults.append(f"{moved} {fall.worse:.1f}{fall.unit}, limit {fall.limit:g}")
    value = numbers.percent(symptom.value or 0.0, limits=numbers.limits_of(symptom.threshold))
    return f"{symptom.metric.title} {value} ({', '.join(faults)})" if faults else ""


def _failures_text(case: InvestigatedCase, *, brief: bool = False) -> str:
    """Return what fails; in brief only metrics in the fail zone and those that fell, if there are any."""
    if case.status == "bad_answer":
        return case.problem
    worst = [s for s in case.symptoms if s.zone is Zone.FAIL or s.fall is not None] if brief else []
    texts = filter(None, map(_symptom_text, worst or case.symptoms))
    return ", ".join(text.partition(" (")[0] if brief else text for text in texts) or "nothing"


def _open_questions(found: Investigation, room: int) -> str:
    """Return as many open questions as fit."""
    text = ""
    for _, question, reply in found.evidence.asked():
        asked = f"{question.rstrip('?')} ({reply.text})? " if reply.text else f"{question} "
        if reply.open and asked not in text and len(text) + len(asked) <= room:
            text += asked
    return text.rstrip()


def _unusable(found: Investigation, *, lines: int = MOST_RAW, width: int = MOST_RAW) -> Iterator[Block]:
    if len(found.cases) == 1 and found.cases[0].status == "bad_answer":
        case = found.cases[0]
        yield Note([f"The answer could not be used, so every metric is 0: {case.problem}. It begins:"])
        yield Lines([shorten(line, width - 4) for line in case.raw[:MOST_RAW].split("\n")[:lines]], "text")


def _causes(found: Investigation, *, room: int, most: int) -> Iterator[Block]:
    """Yield the table of causes, with as many examples in each row as fit into `room` columns."""
    kept = found.groups[: max(1, most - len({group.part for group in found.groups}))]
    several, earlier = len(found.cases) > 1, found.earlier
    rows: list[tuple[list[str], Sequence[Mistake]]] = []
    for part in found.evidence.parts:
        if faults := found.evidence.of(part.key):
            size = found.evidence.size(part.key)
            before = None if earlier is None else sum(found.evidence.causes[f.cause].part == part.key for f in earlier)
            rows.append((_cells(part.title, faults, before, f" of {size:,}" if size else ""), ()))
            rows += [
                (_cells(shorten(f"  {g.words}", room // 2 or MOST), g.faults, g.before), g.faults)
                for g in kept
                if g.part == part.key
            ]
    if not rows:
        yield Note(["Nothing went wrong."])
        return
    heads = ("what is wrong", "items", "cases", "before")
    columns = [0, 1, *([2] if several else []), *([3] if earlier is not None else [])]
    widths = [max(cells(text) for text in (heads[i], *(row[i] for row, _ in rows))) for i in columns]
    free = room - sum(widths) - 2 * len(widths) if room else 0
    shown: list[list[Text]] = [
        [row[0] if faults else strong(row[0]), *(row[i] for i in columns[1:]), _examples(faults, free)]
        for row, faults in rows
    ]
    left = more(len(found.groups) - len(kept))
    yield Table([*(heads[i] for i in columns), "such as"], shown, "l" + "r" * (len(columns) - 1) + "l", more=left)


def _cells(words: str, faults: Sequence[Mistake], before: int | None, of: str = "") -> list[str]:
    cases = len({fault.case_id for fault in faults})
    return [words, f"{len(faults):,}{of}", f"{cases:,}", "" if before is None else f"{before:,}"]


def _examples(faults: Sequence[Mistake], room: int) -> list[Span | str]:
    """Return as many labels as fit into `room` columns; three if it is 0."""
    parts: list[Span | str] = []
    for label in dict.fromkeys(plain(fault.label) for fault in faults):
        used = sum(cells(part) if isinstance(part, str) else cells(part.text) + 2 for part in parts)
        if parts and (used + cells(label) + 4 > room if room else len(parts) >= 5):
            break
        parts += [*([", "] if parts else []), code(shorten(label, max(8, room - 2) if room else 60))]
    return parts


def _symptoms(found: Investigation) -> Iterator[Block]:
    several = len(found.cases) > 1
    if several:
        yield Table(("Case", "Fails"), [[case.id, _failures_text(case)] for case in found.cases], "ll")
    else:
        heads = ("Metric", "Value", "Zone", "Target", "Short by", "Before", "Delta")
        yield Table(heads, [_row(symptom) for case in found.cases for symptom in case.symptoms], "lrlrrrr")
    yield Items([f"{c.id}: {note}" if several else note for c in found.cases for note in (*c.notes, *c.remarks)])


def _row(symptom: Symptom) -> list[str]:
    metric, value, zone, threshold, baseline, _ = symptom
    if value is None:
        return [metric.title, "skipped", "", "", "", "", ""]
    target, short = "", ""
    if threshold is not None:
        target = numbers.limit(threshold.target, metric)
        short = f"{100 * abs(threshold.target - value):.1f} points" if symptom.failing else ""
    percent = numbers.percent(value, limits=numbers.limits_of(threshold))
    moved = ["", ""] if baseline is None else [numbers.percent(baseline), numbers.points(value - baseline)]
    return [metric.title, percent, zone.word if zone is not None else "", target, short, *moved]


def _faults(found: Investigation) -> Iterator[Block]:
    """Yield every fault below its cause, with its nearest match and its place."""
    for part in found.evidence.parts:
        for group in [group for group in found.groups if group.part == part.key]:
            yield Note([[strong(f"{part.title}: {group.words}"), f" ({len(group.faults):,})"]])
            left = more(len(group.faults) - MOST, how="; --format json has them all")
            shown = [_fault(fault, several=len(found.cases) > 1) for fault in group.faults[:MOST]]
            yield Items([*shown, *([left] if left else [])])


def _fault(fault: Mistake, *, several: bool) -> Text:
    text: list[str | Span] = [f"{fault.case_id}: ", code(fault.label)] if several else [code(fault.label)]
    text += ["; nearest ", code(fault.other)] if fault.other else []
    text += [f"; {fault.note}"] if fault.note else []
    return [*text, "; ", *at(fault.place)] if fault.place else text


def _checklist(found: Investigation) -> Iterator[Block]:
    """Yield the questions about what went wrong, ticked if the data answer them."""
    for part in found.evidence.parts:
        tasks = []
        for _, question, reply in (asked for asked in found.evidence.asked() if asked[0] is part):
            said = f" {reply.text[:1].upper()}{reply.text[1:]}." if reply.text else ""
            tasks.append(Task(f"{question}{said}", done=not reply.open))
        if tasks:
            size, faults = found.evidence.size(part.key), len(found.evidence.of(part.key))
            yield Title(f"{part.title}: {faults:,} of {size:,}" if size else part.title, 4)
            yield Items(tasks)


def at(place: Place) -> list[str | Span]:
    """Return paragraph, line and sentence of a place, with the marked words in bold."""
    text, done = place.sentence, 0
    pieces: list[str | Span] = [f"paragraph {place.paragraph}, line {place.line}: “"]
    for start, end in sorted(place.marks):
        if start >= done:
            pieces += [text[done:start], strong(text[start:end])]
            done = end
    return [*pieces, text[done:].rstrip(), "”"]


def _from_markdown(text: str) -> list[Span]:
    """Return the parts of a sentence with names and commands in backticks."""
    return [code(m["code"].strip()) if m["code"] else Span(m["other"]) for m in CODE.finditer(text)]


def investigation_json(found: Investigation) -> dict[str, Any]:
    """Return the investigation as plain values; metrics are fractions, deltas current minus before."""
    names = ("suite", "kind", "date", "prompts", "model", "unanswered", "fixes", "plan")
    return {
        "schemaVersion": SCHEMA_VERSION,
        **{name: getattr(found, name) for name in names},
        "comparedWith": found.good,
        "cases": [_case_json(found, case) for case in found.cases],
        "causes": [
            {"part": g.part, "cause": g.words, "items": len(g.faults), "cases": g.cases, "before": g.before}
            for g in found.groups
        ],
        "checklist": [
            {"part": part.key, "question": question, "answer": reply.text, "open": reply.open}
            | {"items": [fault.label for fault in reply.faults]}
            for part, question, reply in found.evidence.asked(all_parts=True)
        ],
    }


def _case_json(found: Investigation, case: InvestigatedCase) -> dict[str, Any]:
    names = ("id", "status", "problem", "raw", "query", "notes", "remarks")
    fallen = [(symptom.metric.key, symptom.fall) for symptom in case.symptoms if symptom.fall is not None]
    return {name: getattr(case, name) for name in names} | {
        "failing": [symptom.metric.key for symptom in case.symptoms if symptom.failing],
        "fell": [
            {"metric": key, "worseBy": f.worse, "limit": f.limit, "unit": "relative" if f.relative else "points"}
            for key, f in fallen
        ],
        "metrics": {s.metric.key: _metric_json(s) for s in case.symptoms if s.value is not None},
        "faults": [
            fault._asdict()
            | {"part": found.evidence.causes[fault.cause].part, "place": fault.place and fault.place._asdict()}
            for fault in case.faults.items
        ],
    }


def _metric_json(symptom: Symptom) -> dict[str, Any]:
    value: dict[str, Any] = {"value": symptom.value, "zone": symptom.zone.word if symptom.zone is not None else None}
    if symptom.threshold is not None:
        value["target"], value["minimum"] = symptom.threshold.target, symptom.threshold.minimum
    if symptom.baseline is not None and symptom.value is not None:
        value["before"], value["delta"] = symptom.baseline, symptom.value - symptom.baseline
    return value
