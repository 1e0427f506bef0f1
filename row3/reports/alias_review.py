"""`row3 aliases review` on a terminal: one item with its surroundings and keys, and what became of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from row3.matching.texts.places import Place
from row3.reports.alias_model import AliasReview, Candidate, Decision, Unmatched
from row3.reports.document import Block, Document, Facts, Note, Parts, Span, Table, Text, Title, strong
from row3.reports.numbers import count
from row3.reports.style import plain, shorten

AROUND = 400
"""Characters of a sentence that are shown; of a longer one, those around the words."""
LONGEST_LABEL = 36
"""Columns that a candidate's label may take."""
FEW = 10
"""Unused aliases that are listed; more are only counted."""
HELP = (
    ("a", "accept it as another name of the first concept shown; written to the golden case"),
    ("1-9", "the same, of the concept with that number"),
    ("m", "the item is wrong, and what it comes near is a real miss; not asked about again"),
    ("h", "a hallucination: made up; written to the golden case as a canary"),
    ("x", "ask about each of its forms by itself"),
    ("s", "skip it; it is asked about next time"),
    ("u", "undo the last decision"),
    ("q", "quit; what was decided is kept"),
)


def item_document(item: Unmatched, number: int, total: int) -> Document:
    """One item: what it is, where it stands, what it may mean, and the keys."""
    versions = "; ".join(f"{name} {', '.join(versions)}" for name, versions in item.prompts.items())
    about: list[Text] = [
        Span(_cut(item.label), "excellent"),
        Span(f"in {item.count} of {count(item.answers, 'answer')}: {versions}", "quiet"),
    ]
    if len(item.forms) > 1:
        others = ", ".join(f"{_cut(form.label)} ({form.answers})" for form in item.forms[1:])
        about.append(f"also written: {others}")
    blocks: list[Block] = [Title(f"{number} of {total} · {item.case_id}", 2), Note(about), _surroundings(item)]
    if item.candidates:
        rows: list[list[Text]] = [
            [[strong(str(n)), f"  {shorten(plain(one.label), LONGEST_LABEL)}"], f"{one.score:.2f}", _remark(one, item)]
            for n, one in enumerate(item.candidates, 1)
        ]
        blocks.append(Table(("another name of", "alike", ""), rows, "lrl"))
    else:
        blocks.append(Note(["These answers missed no expected concept, so there is none that it could be."]))
    return Document([*blocks, _keys(item)])


def _surroundings(item: Unmatched) -> Note:
    if item.place is None:
        if not item.quote:
            return Note(["Not in the text, and no quote was given for it."])
        return Note(["Not in the text, and neither is its quote:", Span(f"  {_cut(item.quote)}", "quiet")])
    where = f"paragraph {item.place.paragraph}, line {item.place.line}"
    head = f"In the text, {where}:" if item.in_text else f"Not in the text by this name. Its quote is, {where}:"
    return Note([head, ["  ", *_sentence(item.place)]])


def _sentence(place: Place) -> Parts:
    """The sentence with `»«` around the words; cut where it is very long."""
    text, shift = place.sentence, 0
    if place.marks and len(text) > AROUND:
        shift = max(0, min(place.marks[0][0] - AROUND // 3, len(text) - AROUND))
        text = text[shift : shift + AROUND]
    pieces: list[str | Span] = ["…"] if shift else []
    at = 0
    for start, end in sorted((max(0, s - shift), min(len(text), e - shift)) for s, e in place.marks):
        if at <= start < end:
            closed = text.count(")", start, end) < text.count("(", start, end) and text[end : end + 1] == ")"
            pieces += [_one_line(text[at:start]), strong(f"»{plain(text[start : end + closed])}«")]
            at = end + closed
    return [*pieces, _one_line(text[at:]), "…" if shift + len(text) < len(place.sentence) else ""]


def _one_line(text: str) -> str:
    """Without line breaks, with one blank at an end that has any."""
    return f"{' ' * text[:1].isspace()}{plain(text)}{' ' * (text[-1:].isspace() and bool(text.strip()))}"


def _cut(text: str, most: int = AROUND) -> str:
    text = plain(text)
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def _remark(candidate: Candidate, item: Unmatched) -> str:
    if not candidate.missed:
        fared = "found as well"
    elif item.count in (1, candidate.missed):
        fared = "missed"
    else:
        fared = f"missed in {candidate.missed} of {item.count}"
    return f"{fared}, same sentence" if candidate.beside else fared


def _keys(item: Unmatched) -> Note:
    known = len(item.candidates)
    first = [("a", "alias of 1")] if known else []
    first += [("2" if known == 2 else f"2-{known}", "alias of that")] if known > 1 else []
    first += [("m", "wrong, a real miss"), ("h", "hallucination")]
    second = [("x", "each form by itself")] if len(item.forms) > 1 else []
    second += [("s", "skip"), ("u", "undo"), ("q", "quit"), ("?", "help")]
    lines: list[Parts] = []
    for row in (first, second):
        line: list[str | Span] = []
        for key, what in row:
            line += [" · " if line else "", strong(key), f" {what}"]
        lines.append(line)
    return Note(lines)


def help_document() -> Document:
    """What each key does."""
    return Document([Facts([(key, what) for key, what in HELP])])


def outcome(decision: Decision) -> Document:
    """What was just written."""
    return Document([Note([[Span("✓", "good"), f" {_words(decision)} ({decision.file})"]])])


def undone(decision: Decision) -> Document:
    """What was just taken back."""
    return Document([Note([f"– undone: {_words(decision)}"])])


def refusal(text: str) -> Document:
    """Why a decision cannot be made."""
    return Document([Note([[Span("✗", "bad"), f" {text}"]])])


def _words(decision: Decision) -> str:
    names = ", ".join(f"`{_cut(name)}`" for name in decision.names)
    many = len(decision.names) > 1
    match decision.verdict:
        case "alias":
            return f"{'aliases' if many else 'alias'} {names} of `{_cut(decision.concept)}`"
        case "canary":
            return f"{'canaries' if many else 'canary'} {names}"
    return f"real miss {names}"


def summary_document(review: AliasReview, decisions: Sequence[Decision], left: int) -> Document:
    """What was decided, file by file, what is left, and the aliases that met nothing."""
    lines = [_first_line(review, decisions, left)]
    for file in sorted({decision.file for decision in decisions}):
        lines.append(f"  {file}")
        for decision in decisions:
            if decision.file == file:
                place = f"{decision.item.case_id}: " if decision.verdict == "wrong" else ""
                lines.append(f"    + {place}{_words(decision)}")
    last = []
    if any(decision.verdict != "wrong" for decision in decisions):
        last = [f"Next: row3 lint, then row3 --compare{review.flag}; commit the golden cases together."]
    elif decisions:
        last = ["Commit the file, so that nobody is asked again."]
    return Document([Note(lines), Note(_unused(review)), Note(last)])


def _first_line(review: AliasReview, decisions: Sequence[Decision], left: int) -> str:
    seen = f"{count(review.answers, 'recorded answer')} of {count(review.cases, 'case')}"
    if not decisions and not left:
        return f"Nothing to review: no item in {seen} stood unmatched, or all are judged."
    words = {"alias": ("alias", "aliases"), "canary": ("canary", "canaries"), "wrong": ("real miss", "real misses")}
    parts = []
    for verdict, (one, many) in words.items():
        number = sum(1 for decision in decisions if decision.verdict == verdict)
        parts += [f"{number} {one if number == 1 else many}"] if number else []
    return f"{', '.join(parts) or 'Nothing decided'}; {left} left, in {seen}."


def _unused(review: AliasReview) -> list[str]:
    if not review.unused:
        return [f"All {review.aliases:,} aliases met something."] if review.aliases else []
    if len(review.unused) > FEW:
        return [_unused_count(review), _unused_named(review)]
    named = (f"  {one.file}:{one.line} `{_cut(one.alias)}` of `{_cut(one.concept)}`" for one in review.unused)
    return [_unused_count(review), *named]


def unused_told(review: AliasReview) -> str:
    """How many aliases never met anything, and what names them."""
    return f"{_unused_count(review)} {_unused_named(review)}"


def _unused_count(review: AliasReview) -> str:
    outside = sum(1 for one in review.unused if not one.in_text)
    never = f"{len(review.unused):,} of {review.aliases:,} aliases never met anything"
    return f"{never} (not in the text either: {outside:,})."


def _unused_named(review: AliasReview) -> str:
    them = "it" if len(review.unused) == 1 else "them"
    return f"`row3 aliases review{review.flag} --list unused` names {them}, with file and line."
