"""`row3 investigate` of an extraction: STANDARDS' template (6.6), filled in, and the same as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import astuple

from row3.domain.counts import count
from row3.domain.matches import RelationshipState, Triple
from row3.matching.texts.places import Place
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
    Text,
    Title,
    code,
    joined,
    more,
    spans,
    strong,
)
from row3.reports.investigations.checklist import checklist, checklist_blocks
from row3.reports.investigations.fixes import proposed_fixes, verification_plan
from row3.reports.investigations.model import (
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
from row3.reports.investigations.symptoms import dumped, head_facts, head_json, symptom_blocks

SCHEMA_VERSION = 1
MOST = 60
"""Items of one list; JSON has them all."""
MOST_RAW = 1_000
"""Characters shown of an answer that could not be read."""
CODE = re.compile(r"(?P<fence>`+)(?P<code>.+?)(?P=fence)(?!`)|(?P<other>[^`]+|`)")
HEADINGS: Mapping[RelationshipState, str] = {
    "wrong-predicate": "wrong predicate",
    "reversed": "reversed",
    "wrong-end": "one wrong end",
    "forbidden": "forbidden",
    "duplicate": "said twice",
    "unmatched": "not expected at all",
}


def investigation_document(found: Investigation) -> Document:
    """STANDARDS' template, filled in."""
    fixes = proposed_fixes(found)
    return Document(
        [
            Title(f"Failure Investigation: {found.case_id}", 2),
            Facts([("Date", found.date), *head_facts(found)]),
            *symptom_blocks(found),
            Title("Root Cause"),
            *_causes(found),
            *checklist_blocks(found, checklist(found)),
            Title("Proposed Fix"),
            Items([from_markdown(fix) for fix in fixes]),
            Title("Verification Plan"),
            Items([from_markdown(step) for step in verification_plan(found, fixes)], numbered=True),
        ]
    )


def _causes(found: Investigation) -> Iterator[Block]:
    if found.status == "bad_answer":
        yield Note([f"Nothing was extracted: {found.problem}. The answer begins:"])
        yield Lines(found.raw[:MOST_RAW].split("\n"), "text")
        return
    concepts, relationships = found.extracted
    stand = count(sum(1 for item in found.missed if item.place is not None), "stands", "stand")
    yield from _list("Missed concepts", f"in all, {stand} in the text", map(_missed, found.missed))
    yield from _list("Unexpected concepts", f"of {concepts} extracted", map(_invented, found.invented))
    again: list[Text] = [[code(label), " names ", code(expected), " again"] for label, expected in found.duplicates]
    yield from _list("Duplicates", f"of {concepts} extracted", again)
    yield from _list("Matched though written otherwise", f"of {concepts} extracted", map(_otherwise, found.otherwise))
    yield from _list("Matched by meaning", f"of {concepts} extracted", map(_meant, found.meant))
    matched = concepts - len(found.invented) - len(found.duplicates)
    for heading, states in (("Wrong types", ("wrong", "missing")), ("Types in another spelling", ("normalised",))):
        typed = [_mistyped(item) for item in found.mistyped if item.state in states]
        yield from _list(heading, f"of {matched} matched", typed)
    for state, heading in HEADINGS.items():
        wrong = [_misdirected(item) for item in found.misdirected if item.state == state]
        yield from _list(f"Misdirected relationships: {heading}", f"of {relationships} extracted", wrong)
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
        yield Note(["Nothing went wrong."])


def _list(heading: str, remark: str, texts: Iterable[Text], *, counted: bool = True) -> Iterator[Block]:
    """A list under its heading; `counted` has the remark begin with the number of its items."""
    items = list(texts)
    if items:
        yield Note([[strong(heading), f" ({f'{len(items)} ' if counted else ''}{remark})"]])
        left = more(len(items) - MOST, how="; --format json has them all")
        yield Items([*items[:MOST], *([left] if left else [])])


def _missed(item: Missed) -> Text:
    kind = "required" if item.required else "optional"
    where: Text = at(item.place) if item.place else "implied, not stated" if item.inferred else "not in the text"
    near: Parts = (
        [" Nearest extracted: ", code(item.nearest), f" ({numbers.percent(item.score)})."] if item.nearest else []
    )
    return [code(item.label), f" ({kind}): ", *spans(where), ".", *near]


def _invented(item: Invented) -> Text:
    what: list[str | Span] = ["not expected"]
    if item.state == "canary":
        what = ["canary ", code(item.expected or "")]
    elif item.expected:
        why = f": {item.why_not}" if item.why_not else ""
        what = ["not expected, nearest ", code(item.expected), f" ({numbers.percent(item.score)}{why})"]
    return [code(item.label), ": ", *what, "; ", *_place(item.place, "not in the text"), "."]


def _otherwise(item: Otherwise) -> Text:
    how = f"spelling({item.score:.2f})" if item.how == "spelling" else item.how
    return [code(item.label), " counts as ", code(item.expected), f": {how}."]


def _meant(item: Meant) -> Text:
    return [code(item.label), " counts as ", code(item.expected), f": semantic({item.score:.2f})."]


def _mistyped(item: Mistyped) -> Text:
    return [code(item.label), ": ", code(item.given) if item.given else "no type", " for ", code(item.expected), "."]


def _misdirected(item: Misdirected) -> Text:
    verb = "forbidden" if item.state == "forbidden" else "expected"
    expected: Parts = [f"; {verb} ", code(str(item.expected))] if item.expected else []
    return [code(str(item.triple)), *expected, ": ", *_place(item.place, "no sentence has both ends"), "."]


def _lost(lost: Sequence[Lost]) -> Iterator[Text]:
    """A line for all that the same missed ends caused, and one for each that lacks no end."""
    by_ends: dict[tuple[str, ...], list[Lost]] = {}
    for item in lost:
        by_ends.setdefault(item.missed_ends, []).append(item)
    for ends, items in by_ends.items():
        if ends:
            demands = joined([_demand(item) for item in items], "; ")
            yield [*joined([code(end) for end in ends], " and "), " missed: ", *demands, "."]
    yield from ([*_demand(item), ": both ends were extracted."] for item in by_ends.get((), ()))


def _demand(item: Lost) -> list[str | Span]:
    return [code(str(item.triple)), f" ({'required' if item.required else 'optional'})"]


def _quote(item: BadQuote) -> Text:
    if item.state == "missing":
        return [code(item.label), ": ", *_place(item.place, "not in the text"), "."]
    near: Parts = [f" Most like it ({numbers.percent(item.similarity)}): ", *at(item.place), "."] if item.place else []
    return [code(item.label), " quotes ", code(item.quote), ".", *near]


def _place(place: Place | None, otherwise: str) -> Parts:
    return at(place) if place else [otherwise]


def at(place: Place) -> list[str | Span]:
    """Paragraph, line and the sentence, with what it is about in bold."""
    text, done = place.sentence, 0
    pieces: list[str | Span] = [f"paragraph {place.paragraph}, line {place.line}: “"]
    for start, end in sorted(place.marks):
        if start >= done:
            pieces += [text[done:start], strong(text[start:end])]
            done = end
    return [*pieces, text[done:].rstrip(), "”"]


def from_markdown(text: str) -> list[Span]:
    """The parts of a sentence that has names and commands in backticks."""
    return [code(m["code"].strip()) if m["code"] else Span(m["other"]) for m in CODE.finditer(text)]


def investigation_json(found: Investigation) -> str:
    """All of it as JSON, schema version 1; metrics are fractions, deltas current minus baseline."""
    fixes = proposed_fixes(found)
    value = {
        "schemaVersion": SCHEMA_VERSION,
        "case": found.case_id,
        **{
            name: getattr(found, name)
            for name in ("topic", "suite", "date", "prompts", "model", "status", "problem", "raw")
        },
        "notes": found.notes,
        "extracted": dict(zip(("concepts", "relationships"), found.extracted, strict=True)),
        **head_json(found),
        **{
            name: _plain(getattr(found, name))
            for name in ("missed", "invented", "otherwise", "meant", "mistyped", "misdirected", "lost", "quotes")
        },
        "unknownPredicates": found.unknown_predicates,
        "duplicates": [{"label": label, "expected": expected} for label, expected in found.duplicates],
        "checklist": [{"section": title, "questions": _plain(questions)} for title, questions in checklist(found)],
        "fixes": fixes,
        "plan": list(verification_plan(found, fixes)),
    }
    return dumped(value)


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
