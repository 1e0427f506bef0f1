"""A review of aliases on a terminal: one item with its surroundings and keys, and what became of all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from row3.matching.texts.places import Place
from row3.reports.aliases.alias_parts import AliasReview, Candidate, Decision, Unmatched
from row3.reports.numbers import count
from row3.reports.style import CYAN, GREEN, RED, WIDTH, Style, cells, plain, shorten, visible, wrap

BEGIN, END = "»", "«"
"""Around the words that were looked for."""
_BEGIN, _END = "\x02", "\x03"
"""The same until the lines are broken: what is shown of a text never holds these."""
_MARKS = re.compile(f"([{_BEGIN}{_END}])")
AROUND = 400
"""Characters of a sentence that are shown; of a longer one, those around the words."""
LONGEST_LABEL, AROUND_LABEL = 44, 15
"""Columns that a candidate's label may take, and those of its number and score."""
FEW = 10
"""Aliases that met nothing which are listed; of more only the number is told."""
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


def item_screen(item: Unmatched, number: int, total: int, style: Style) -> str:
    """One item: what it is, where it stands, what it may mean, and the keys."""
    head = f"── {number} of {total} · {shorten(plain(item.case_id), 50)} "
    lines = [style.dim(head + "─" * (WIDTH - cells(head))), ""]
    lines += [style.paint(line, "1", CYAN) for line in wrap(_cut(plain(item.label)), first="  ")]
    versions = "; ".join(f"{name} {', '.join(versions)}" for name, versions in item.prompts.items())
    often = f"in {item.count} of {count(item.answers, 'answer')}: {versions}"
    lines += [style.dim(line) for line in wrap(often, first="  ")]
    if len(item.forms) > 1:
        others = ", ".join(f"{_cut(plain(form.label))} ({form.answers})" for form in item.forms[1:])
        lines += wrap(others, first="  also written: ", then="    ")
    lines += ["", *_surroundings(item, style), "", *_candidates(item, style), "", *_keys(item, style)]
    return "\n".join(lines) + "\n"


def _surroundings(item: Unmatched, style: Style) -> list[str]:
    if item.place is None:
        if not item.quote:
            return wrap("Not in the text, and no quote was given for it.", first="  ")
        quoted = wrap(_cut(plain(item.quote)), first="    ")
        return [*wrap("Not in the text, and neither is what was quoted for it:", first="  "), *map(style.dim, quoted)]
    where = f"paragraph {item.place.paragraph}, line {item.place.line}"
    head = f"In the text, {where}:" if item.in_text else f"Not in the text by this name. Its quote is, {where}:"
    return [*wrap(head, first="  "), *_marked(wrap(_sentence(item.place), first="    "), style)]


def _sentence(place: Place) -> str:
    """The sentence on one line, the words in marks that no text holds; cut where it is very long."""
    text, shift = place.sentence, 0
    if place.marks and len(text) > AROUND:
        shift = max(0, min(place.marks[0][0] - AROUND // 3, len(text) - AROUND))
        text = text[shift : shift + AROUND]
    pieces, at = ["…"] if shift else [], 0
    for start, end in sorted((max(0, s - shift), min(len(text), e - shift)) for s, e in place.marks):
        if at <= start < end:
            closed = text.count(")", start, end) < text.count("(", start, end) and text[end : end + 1] == ")"
            pieces += [visible(text[at:start]), _BEGIN, visible(text[start : end + closed]), _END]
            at = end + closed
    pieces += [visible(text[at:]), "…" if shift + len(text) < len(place.sentence) else ""]
    return " ".join("".join(pieces).split())


def _cut(text: str, most: int = AROUND) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def _marked(lines: Iterable[str], style: Style) -> list[str]:
    """The marks as signs, and the words between them, which may go over a line's end, in bold."""
    done, inside = [], False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        written = line[:indent]
        for part in _MARKS.split(line[indent:]):
            inside = part == _BEGIN or (inside and part != _END)
            shown = part.replace(_BEGIN, BEGIN).replace(_END, END)
            written += style.bold(shown) if inside or part == _END else shown
        done.append(written)
    return done


def _candidates(item: Unmatched, style: Style) -> list[str]:
    if not item.candidates:
        return wrap("These answers missed no expected concept, so there is none that it could be.", first="  ")
    most = min(LONGEST_LABEL, WIDTH - AROUND_LABEL - max(len(_remark(one, item)) for one in item.candidates))
    room = max(min(cells(plain(one.label)), most) for one in item.candidates)
    lines = ["  Another name of"]
    for number, one in enumerate(item.candidates, 1):
        label = shorten(plain(one.label), most)
        row = f"{label}{' ' * (room - cells(label))}  {one.score:.2f}  {_remark(one, item)}"
        lines.append(f"    {style.bold(str(number))}  {row}")
    return lines


def _remark(candidate: Candidate, item: Unmatched) -> str:
    if not candidate.missed:
        fared = "found as well"
    elif item.count in (1, candidate.missed):
        fared = "missed"
    else:
        fared = f"missed in {candidate.missed} of {item.count}"
    return f"{fared}, same sentence" if candidate.beside else fared


def _keys(item: Unmatched, style: Style) -> list[str]:
    known = len(item.candidates)
    first = [("a", "alias of 1")] if known else []
    first += [("2" if known == 2 else f"2-{known}", "alias of that")] if known > 1 else []
    first += [("m", "wrong, a real miss"), ("h", "hallucination")]
    second = [("x", "each form by itself")] if len(item.forms) > 1 else []
    second += [("s", "skip"), ("u", "undo"), ("q", "quit"), ("?", "help")]
    return ["  " + " · ".join(f"{style.bold(key)} {what}" for key, what in row) for row in (first, second)]


def help_text(style: Style) -> str:
    """What each key does."""
    lines = []
    for key, what in HELP:
        first, *others = wrap(what, first="       ")
        lines += [f"  {style.bold(key)}{first[2 + len(key) :]}", *others]
    return "\n".join(lines) + "\n"


def outcome(decision: Decision, style: Style) -> str:
    """What was just written, in a line or two."""
    return style.paint("✓", GREEN) + "\n".join(wrap(f"{_words(decision)} ({decision.file})", first="  "))[1:] + "\n"


def undone(decision: Decision) -> str:
    """What was just taken back."""
    return "\n".join(wrap(f"undone: {_words(decision)}", first="– ")) + "\n"


def refusal(text: str, style: Style) -> str:
    """Why something cannot be."""
    first, *others = wrap(plain(text), first="  ")
    return "\n".join([style.paint("✗", RED) + first[1:], *others]) + "\n"


def _words(decision: Decision) -> str:
    names = ", ".join(f"`{_cut(plain(name))}`" for name in decision.names)
    many = len(decision.names) > 1
    match decision.verdict:
        case "alias":
            return f"{'aliases' if many else 'alias'} {names} of `{plain(decision.concept)}`"
        case "canary":
            return f"{'canaries' if many else 'canary'} {names}"
    return f"real miss {names}"


def summary(review: AliasReview, decisions: Sequence[Decision], left: int, style: Style) -> str:
    """What was decided, file by file, what is left, and the aliases that met nothing."""
    lines = wrap(_first_line(review, decisions, left))
    for file in sorted({decision.file for decision in decisions}):
        lines.append(f"  {file}")
        for decision in decisions:
            if decision.file == file:
                place = f"{decision.item.case_id}: " if decision.verdict == "wrong" else ""
                lines += wrap(f"{place}{_words(decision)}", first="    + ")
    lines += ["", *_unused(review)]
    if any(decision.verdict != "wrong" for decision in decisions):
        lines += [
            "",
            *wrap(f"Next: row3 lint, then row3 --compare{visible(review.flag)}; commit the golden cases together."),
        ]
    elif decisions:
        lines += ["", "Commit the file, so that nobody is asked again."]
    return "\n".join(lines) + "\n"


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
    met = review.aliases - len(review.unused)
    if not review.unused:
        return [f"All {review.aliases:,} aliases met something."] if met else []
    lines = wrap(_unused_count(review))
    if len(review.unused) > FEW:
        return [*lines, _unused_named(review)]
    for one in review.unused:
        lines += wrap(f"{one.file}:{one.line} `{plain(one.alias)}` of `{plain(one.concept)}`", first="  ", then="    ")
    return lines


def unused_told(review: AliasReview) -> str:
    """How many aliases never met anything, and what names them."""
    return f"{_unused_count(review)} {_unused_named(review)}"


def _unused_count(review: AliasReview) -> str:
    outside = sum(1 for one in review.unused if not one.in_text)
    never = f"{len(review.unused):,} of {review.aliases:,} aliases never met anything"
    return f"{never} (not in the text either: {outside:,})."


def _unused_named(review: AliasReview) -> str:
    them = "it" if len(review.unused) == 1 else "them"
    return f"`row3 aliases review{visible(review.flag)} --list unused` names {them}, with file and line."
