"""`row3 aliases review`: unmatched items of recorded runs, as a list and one by one, and the decisions on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from row3.domain.numbers import count
from row3.domain.printable import plain, shorten
from row3.gate.alias_review import AliasReview, Candidate, Decision, Unmatched, Verdict
from row3.matching.text.places import Place
from row3.reports.document import Block, Document, Note, Parts, Span, Table, Text, Title, strong
from row3.reports.json_values import json_fields

SCHEMA_VERSION = 1
AROUND = 400
"""Characters shown of a sentence; a longer one is cut around the words."""
LONGEST_LABEL = 36
"""Columns for an item or a candidate in a table."""
NOUNS: Mapping[Verdict, tuple[str, str]] = {
    "alias": ("alias", "aliases"),
    "canary": ("canary", "canaries"),
    "wrong": ("real miss", "real misses"),
}


def decision_text(decision: Decision) -> str:
    """Return a decision in words."""
    named = f"{NOUNS[decision.verdict][0]} `{_cut(decision.name)}`"
    return f"{named} of `{_cut(decision.concept)}`" if decision.concept else named


def item_document(item: Unmatched, number: int, total: int) -> Document:
    """Return one item: its label and place, the concepts it may mean, and the keys."""
    versions = "; ".join(f"{name} {', '.join(versions)}" for name, versions in item.prompts.items())
    about: list[Text] = [
        Span(_cut(item.label), "excellent"),
        Span(f"in {item.count} of {count(item.answers, 'answer')}: {versions}", "quiet"),
    ]
    blocks: list[Block] = [Title(f"{number} of {total} · {item.case_id}", 2), Note(about), _surroundings(item)]
    if item.candidates:
        rows: list[list[Text]] = [
            [[strong(str(n)), f"  {shorten(plain(one.label), LONGEST_LABEL)}"], f"{one.score:.2f}", _remark(one, item)]
            for n, one in enumerate(item.candidates, 1)
        ]
        blocks.append(Table(("another name of", "alike", ""), rows, "lrl"))
    else:
        blocks.append(Note(["No missing concept looks like another name for it."]))
    return Document([*blocks, _keys(item)])


def _surroundings(item: Unmatched) -> Note:
    if item.place is None:
        if not item.quote:
            return Note(["Not in the text, and the answer gives no quote for it."])
        return Note(["Not in the text, nor is its quote:", Span(f"  {_cut(item.quote)}", "quiet")])
    where = f"paragraph {item.place.paragraph}, line {item.place.line}"
    head = f"In the text, {where}:" if item.in_text else f"Not in the text under this name; its quote is, {where}:"
    return Note([head, ["  ", *_sentence(item.place)]])


def _sentence(place: Place) -> Parts:
    """Return the sentence with `»«` around the words; cut if it is very long."""
    text, shift = place.sentence, 0
    if place.marks and len(text) > AROUND:
        shift = max(0, min(place.marks[0][0] - AROUND // 3, len(text) - AROUND))
        text = text[shift : shift + AROUND]
    pieces: list[str | Span] = ["…"] if shift else []
    at = 0
    for start, end in sorted((max(0, s - shift), min(len(text), e - shift)) for s, e in place.marks):
        if at <= start < end:
            unclosed = text.count(")", start, end) < text.count("(", start, end) and text[end : end + 1] == ")"
            pieces += [_one_line(text[at:start]), strong(f"»{plain(text[start : end + unclosed])}«")]
            at = end + unclosed
    return [*pieces, _one_line(text[at:]), "…" if shift + len(text) < len(place.sentence) else ""]


def _one_line(text: str) -> str:
    """Return the text on one line, keeping one blank at each end that has any."""
    return f"{' ' * text[:1].isspace()}{plain(text)}{' ' * (text[-1:].isspace() and bool(text.strip()))}"


def _cut(text: str) -> str:
    text = plain(text)
    return text if len(text) <= AROUND else f"{text[:AROUND].rstrip()}…"


def _remark(candidate: Candidate, item: Unmatched) -> str:
    if not candidate.missed:
        fared = "found as well"
    elif item.count in (1, candidate.missed):
        fared = "missed"
    else:
        fared = f"missed in {candidate.missed} of {item.count}"
    return f"{fared}, same sentence" if candidate.same_sentence else fared


def _keys(item: Unmatched) -> Note:
    known = len(item.candidates)
    first = [("a", "alias of 1")] if known else []
    first += [("2" if known == 2 else f"2-{known}", "alias of that")] if known > 1 else []
    first += [("m", "wrong, a real miss"), ("h", "hallucination")]
    second = [("s", "skip"), ("u", "undo"), ("q", "quit")]
    lines: list[Parts] = []
    for row in (first, second):
        line: list[str | Span] = []
        for key, what in row:
            line += [" · " if line else "", strong(key), f" {what}"]
        lines.append(line)
    return Note(lines)


def summary_document(review: AliasReview, decisions: Sequence[Decision], left: int) -> Document:
    """Return the decisions file by file, and the next step."""
    if not decisions and not left:
        return Document([_nothing(review)])
    numbers = [(sum(each.verdict == verdict for each in decisions), nouns) for verdict, nouns in NOUNS.items()]
    decided = ", ".join(count(number, *nouns) for number, nouns in numbers if number) or "Nothing decided"
    lines = [f"{decided}; {left} left, in {_seen(review)}."]
    for file in sorted({decision.file for decision in decisions}):
        lines.append(f"  {file}")
        for each in decisions:
            if each.file == file:
                place = f"{each.item.case_id}: " if each.verdict == "wrong" else ""
                lines.append(f"    + {place}{decision_text(each)}")
    last = f"Next: row3 lint, then row3 --compare{review.flag}; commit the golden cases together."
    if all(decision.verdict == "wrong" for decision in decisions):
        last = "Commit the file, so that nobody has to review these again."
    return Document([Note(lines), Note([last] if decisions else [])])


def _seen(review: AliasReview) -> str:
    return f"{count(review.answers, 'recorded answer')} of {count(review.cases, 'case')}"


def _nothing(review: AliasReview) -> Note:
    return Note([f"Nothing to review: every item in {_seen(review)} is matched or already judged."])


def list_document(review: AliasReview) -> Document:
    """Return a table of the items for each case."""
    blocks: list[Block] = []
    for (case_id, file), items in groupby(review.items, key=lambda item: (item.case_id, item.file)):
        rows = [
            (
                shorten(plain(item.label), LONGEST_LABEL),
                f"{item.count} of {item.answers}",
                shorten(plain(best.label), LONGEST_LABEL) if best else "–",
                f"{best.score:.2f}" if best else "–",
                "yes" if item.in_text else "no",
            )
            for item in items
            for best in [next(iter(item.candidates), None)]
        ]
        head = ("item", "answers", "nearest expected", "alike", "in text")
        blocks += [Title(f"{case_id}  {file}"), Table(head, rows, "lrlrl")]
    return Document(blocks or [_nothing(review)])


def list_json(review: AliasReview) -> dict[str, Any]:
    """Return all items for JSON, with their candidates and surrounding text."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        **json_fields(review, "suite", "cases", "answers"),
        "unanswered": list(review.unanswered),
        "unmatched": [
            {
                **json_fields(item, "case_id", "count", "answers", "stands", "quote", "file"),
                "item": item.label,
                "prompts": [f"{name}-{version}" for name, versions in item.prompts.items() for version in versions],
                "candidates": [
                    {**json_fields(one, "label", "missed", "same_sentence"), "score": round(one.score, 4)}
                    for one in item.candidates
                ],
                "place": item.place and json_fields(item.place, "paragraph", "line", "sentence"),
            }
            for item in review.items
        ],
    }
