"""The filled-in investigation of one case (STANDARDS 6.6), as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import astuple

from row3.domain.counts import count
from row3.domain.matches import RelationshipState, Triple
from row3.matching.texts.places import Place
from row3.reports import numbers
from row3.reports.investigations.checklist_text import checklist_lines
from row3.reports.investigations.investigation_parts import (
    BadQuote,
    Invented,
    Investigation,
    Lost,
    Meant,
    Misdirected,
    Missed,
    Mistyped,
    Otherwise,
)
from row3.reports.investigations.symptoms_text import failing_metrics, falls_json, metric_json, symptom_lines
from row3.reports.markdown import code, fenced, inline

SCHEMA_VERSION = 1
MOST = 60
"""Items of one list in Markdown; JSON has them all."""
MOST_RAW = 1_000
"""Characters shown of an answer that could not be read."""
HEADINGS: Mapping[RelationshipState, str] = {
    "wrong-predicate": "Wrong predicate",
    "reversed": "Reversed",
    "wrong-end": "One wrong end",
    "forbidden": "Forbidden",
    "duplicate": "Said twice",
    "unmatched": "Not expected at all",
}


def investigation_markdown(found: Investigation) -> str:
    """STANDARDS' template, filled in."""
    versions = ", ".join(f"{inline(name)} {version}" for name, version in found.prompts.items())
    lines = [
        f"## Failure Investigation: {inline(found.case_id)}",
        "",
        f"**Date**: {found.date}",
        f"**Prompt Version**: {versions}",
        f"**Failing Metric(s)**: {failing_metrics(found.symptoms)}",
        "",
        "### Symptoms",
        "",
        *symptom_lines(found),
        "",
        "### Root Cause",
        "",
        *_causes(found),
    ]
    lines += [*checklist_lines(found), "### Proposed Fix", "", *(f"- {fix}" for fix in found.fixes), ""]
    lines += ["### Verification Plan", "", *(f"{number}. {step}" for number, step in enumerate(found.plan, 1))]
    return "\n".join(lines) + "\n"


def _causes(found: Investigation) -> Iterator[str]:
    if found.status == "bad_answer":
        yield f"Nothing was extracted: {inline(found.problem)}. The answer begins:"
        yield ""
        yield from [*fenced(found.raw[:MOST_RAW], "text"), ""]
        return
    concepts, relationships = found.extracted
    stand = count(sum(1 for item in found.missed if item.place is not None), "stands", "stand")
    yield from _list("Missed concepts", f"in all, {stand} in the text", map(_missed, found.missed))
    yield from _list("Unexpected concepts", f"of {concepts} extracted", map(_invented, found.invented))
    again = (f"{code(label)} names {code(expected)} again" for label, expected in found.duplicates)
    yield from _list("Duplicates", f"of {concepts} extracted", again)
    yield from _list("Matched though written otherwise", f"of {concepts} extracted", map(_otherwise, found.otherwise))
    yield from _list("Matched by meaning", f"of {concepts} extracted", map(_meant, found.meant))
    matched = concepts - len(found.invented) - len(found.duplicates)
    for heading, states in (("Wrong types", ("wrong", "missing")), ("Types in another spelling", ("normalised",))):
        typed = [_mistyped(item) for item in found.mistyped if item.state in states]
        yield from _list(heading, f"of {matched} matched", typed)
    for state, heading in HEADINGS.items():
        wrong = [_misdirected(item) for item in found.misdirected if item.state == state]
        yield from _list(f"Misdirected relationships: {heading.lower()}", f"of {relationships} extracted", wrong)
    strange, among = [code(name) for name in found.unknown_predicates], count(relationships, "relationship")
    yield from _list("Predicates that the suite does not know", f"among {among}", strange)
    blocked = sum(1 for item in found.lost if item.missed_ends)
    remark = f"{len(found.lost)} in all, {blocked} because an end was missed"
    yield from _list("Missed relationships", remark, _lost(found.lost), counted=False)
    unquoted = [_quote(item) for item in found.quotes if item.state == "missing"]
    yield from _list("Unquoted concepts", f"of {concepts} extracted", unquoted)
    unverified = [_quote(item) for item in found.quotes if item.state == "unverified"]
    yield from _list("Quotes that are not in the text", f"of {concepts} extracted", unverified)
    wrong_at_all = (found.missed, found.invented, found.duplicates, found.mistyped, found.misdirected, found.lost)
    if not any((*wrong_at_all, found.quotes)):
        yield from ["Nothing went wrong.", ""]


def _list(heading: str, remark: str, items: Iterator[str] | Sequence[str], *, counted: bool = True) -> Iterator[str]:
    """A list under its heading; `counted` has the remark begin with how many lines it has."""
    lines = [f"- {item}" for item in items]
    if lines:
        yield f"**{heading}** ({f'{len(lines)} ' if counted else ''}{remark})"
        yield ""
        yield from lines[:MOST]
        if len(lines) > MOST:
            yield f"- and {len(lines) - MOST} more; `--format json` has them all"
        yield ""


def _missed(item: Missed) -> str:
    kind = "required" if item.required else "optional"
    where = at(item.place) if item.place else "implied, not stated" if item.inferred else "not in the text"
    near = f" Nearest extracted: {code(item.nearest)} ({numbers.percent(item.score)})." if item.nearest else ""
    return f"{code(item.label)} ({kind}): {where}.{near}"


def _invented(item: Invented) -> str:
    what = "not expected"
    if item.state == "canary":
        what = f"canary {code(item.expected or '')}"
    elif item.expected:
        why = f": {item.why_not}" if item.why_not else ""
        what = f"not expected, nearest {code(item.expected)} ({numbers.percent(item.score)}{why})"
    return f"{code(item.label)}: {what}; {at(item.place) if item.place else 'not in the text'}."


def _otherwise(item: Otherwise) -> str:
    how = f"spelling({item.score:.2f})" if item.how == "spelling" else item.how
    return f"{code(item.label)} counts as {code(item.expected)}: {how}."


def _meant(item: Meant) -> str:
    return f"{code(item.label)} counts as {code(item.expected)}: semantic({item.score:.2f})."


def _mistyped(item: Mistyped) -> str:
    return f"{code(item.label)}: {code(item.given) if item.given else 'no type'} for {code(item.expected)}."


def _misdirected(item: Misdirected) -> str:
    expected = f"; {'forbidden' if item.state == 'forbidden' else 'expected'} {code(str(item.expected))}"
    where = at(item.place) if item.place else "no sentence has both ends"
    return f"{code(str(item.triple))}{expected if item.expected else ''}: {where}."


def _lost(lost: Sequence[Lost]) -> Iterator[str]:
    """A line for what the same missed ends took along, and for each that lacks none."""
    by_ends: dict[tuple[str, ...], list[Lost]] = {}
    for item in lost:
        by_ends.setdefault(item.missed_ends, []).append(item)
    for ends, items in by_ends.items():
        if ends:
            yield f"{' and '.join(map(code, ends))} missed: {'; '.join(map(_demand, items))}."
    yield from (f"{_demand(item)}: both ends were extracted." for item in by_ends.get((), ()))


def _demand(item: Lost) -> str:
    return f"{code(str(item.triple))} ({'required' if item.required else 'optional'})"


def _quote(item: BadQuote) -> str:
    if item.state == "missing":
        return f"{code(item.label)}: {at(item.place) if item.place else 'not in the text'}."
    near = f" Most like it ({numbers.percent(item.similarity)}): {at(item.place)}." if item.place else ""
    return f"{code(item.label)} quotes {code(item.quote)}.{near}"


def at(place: Place) -> str:
    """Paragraph, line and the sentence, with what it is about in bold."""
    text, done, pieces = place.sentence, 0, []
    for start, end in sorted(place.marks):
        if start >= done:
            pieces += [_chunk(text[done:start]), f"**{_chunk(text[start:end]).strip()}**"]
            done = end
    return f"paragraph {place.paragraph}, line {place.line}: “{''.join([*pieces, _chunk(text[done:])]).strip()}”"


def _chunk(text: str) -> str:
    """Safe Markdown that keeps the space at its ends."""
    inner = inline(text)
    before, after = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' if before else ''}{inner}{' ' if after and inner else ''}"


def as_json(found: Investigation) -> str:
    """All of it as JSON, schema version 1; metrics are fractions, deltas current minus baseline."""
    value = {
        "schemaVersion": SCHEMA_VERSION,
        "case": found.case_id,
        **{
            name: getattr(found, name)
            for name in ("topic", "suite", "date", "prompts", "model", "status", "problem", "raw")
        },
        "notes": found.notes,
        "extracted": dict(zip(("concepts", "relationships"), found.extracted, strict=True)),
        "failing": [symptom.metric.key for symptom in found.symptoms if symptom.failing],
        "fell": falls_json(found.symptoms),
        "metrics": {s.metric.key: metric_json(s) for s in found.symptoms if s.value is not None},
        **{
            name: _plain(getattr(found, name))
            for name in ("missed", "invented", "otherwise", "meant", "mistyped", "misdirected", "lost", "quotes")
        },
        "unknownPredicates": found.unknown_predicates,
        "duplicates": [{"label": label, "expected": expected} for label, expected in found.duplicates],
        "checklist": [{"section": title, "questions": _plain(questions)} for title, questions in found.checks],
        "fixes": found.fixes,
        "plan": found.plan,
    }
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2).encode("utf-8", "replace").decode() + "\n"


def _plain(value: Any) -> Any:
    """Named tuples as objects with the file format's keys; a relationship as the three words it has everywhere."""
    if isinstance(value, Triple):
        return astuple(value)
    if not isinstance(value, tuple):
        return value
    if not hasattr(value, "_asdict"):
        return [_plain(part) for part in value]
    named = value._asdict()
    words = {name: name.split("_") for name in named}
    return {words[n][0] + "".join(map(str.title, words[n][1:])): _plain(part) for n, part in named.items()}
