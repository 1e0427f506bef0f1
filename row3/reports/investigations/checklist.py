"""The questions of STANDARDS 6.1 to 6.5 about one extraction, answered as far as the data goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from row3.domain.counts import count, part
from row3.reports.document import Block, Items, Note, Parts, Span, Task, Title, code, joined
from row3.reports.investigations.model import Circumstances, Investigation, predicate_confusions

NEARLY = 0.9
"""Similarity from which a quote that does not occur was copied with small changes; below it is paraphrased."""
LEGEND = (
    code("[x]"),
    " the data answer it, ",
    code("[ ]"),
    " a person has to. 6.1 to 6.4 ask why something was missed, unexpected, misdirected or not quoted, 6.5 whether the "
    "golden case is right. Where nothing is wrong the first question stands for all.",
)


class Question(NamedTuple):
    """A question of STANDARDS 6.1 to 6.5 with what the data says to it."""

    text: str
    answer: str
    items: tuple[str, ...] = ()
    """What the answer speaks of."""
    open: bool = False
    """Only a person can tell; the answer is what there is to go by."""


Section = tuple[str, tuple[Question, ...]]
"""Heading and questions."""


def checklist_blocks(found: Investigation, sections: Sequence[Section]) -> Iterator[Block]:
    """The sections with their questions; items that the lists above name are not repeated.

    `--format json` has every question with all of its items.
    """
    named = _named_above(found)
    if sections:
        yield Note([LEGEND])
    for title, questions in sections:
        shown = questions[:1] if _all_is_well(found, title, questions) else questions
        yield Title(title, 4)
        yield Items([_task(question, named) for question in shown])


def _named_above(found: Investigation) -> set[str]:
    """Items in the lists of the root cause; a bad answer has no such lists."""
    if found.status == "bad_answer":
        return set()
    lists = (found.missed, found.invented, found.quotes)
    named = {item.label for items in lists for item in items}
    return named | {str(item.triple) for item in found.misdirected}


def _all_is_well(found: Investigation, title: str, questions: tuple[Question, ...]) -> bool:
    """There is nothing that a section could ask about; an answer that was cut off is something."""
    about = {"6.1": found.missed, "6.2": found.invented, "6.3": found.misdirected, "6.4": found.quotes}
    return not about.get(title[:3], ("always",)) and not any("cut off" in question.answer for question in questions)


def _task(question: Question, named: set[str]) -> Task:
    again = named.issuperset(question.items)
    named.update(question.items)
    items = [Span("named above")] if again and question.items else joined([code(item) for item in question.items])
    parts = [part for part in ([Span(question.answer)] if question.answer else [], items) if part]
    answer = joined(parts, ", " if again else ": ")
    shown: Parts = [question.text, " ", *answer, "."] if answer else [question.text]
    return Task(shown, done=not question.open)


def checklist(found: Investigation) -> tuple[tuple[str, tuple[Question, ...]], ...]:
    """The questions of STANDARDS 6.1 to 6.5, answered as far as the data goes."""
    return (
        ("6.1 Recall issues (missing concepts)", _recall(found)),
        ("6.2 Precision issues (hallucinated concepts)", _precision(found)),
        ("6.3 Relationship issues (wrong predicates)", _relationships(found)),
        ("6.4 Provenance issues (missing source quotes)", _provenance(found)),
        ("6.5 Golden test case issues", _golden(found)),
    )


def _which(text: str, items: Sequence[str], whole: int) -> Question:
    """A question for which of many something holds."""
    return Question(text, f"{len(items)} of {whole}", tuple(items))


def _recall(found: Investigation) -> tuple[Question, ...]:
    missed, expected = [item.label for item in found.missed], found.around.expected
    explicit = [item.label for item in found.missed if item.place is not None]
    implied = [item.label for item in found.missed if item.place is None]
    count, nothing = f"Extracted {found.extracted[0]}, expected {expected}", "" if missed else "Nothing was missed"
    return (
        _which("Which specific concepts were missed?", missed, expected),
        _which("Are the missed concepts mentioned explicitly in the source text?", explicit, len(missed)),
        _which("Are the missed concepts implied but not stated?", implied, len(missed)),
        Question("Is the prompt instruction too narrow/restrictive?", nothing or count, open=bool(missed)),
        Question("Would a few-shot example help?", nothing, open=bool(missed)),
    )


def _precision(found: Investigation) -> tuple[Question, ...]:
    invented = [item.label for item in found.invented]
    canaries = [item.label for item in found.invented if item.state == "canary"]
    grounded = [item.label for item in found.invented if item.place is not None]
    unclear = any(item.place is None and item.state != "canary" for item in found.invented)
    inferred = Question(
        "Are they plausible inferences from the source text?",
        f"{len(grounded)} of {len(invented)} {'stands' if len(grounded) == 1 else 'stand'} in it",
        tuple(grounded),
        open=unclear,
    )
    count = f"Extracted {found.extracted[0]}, expected {found.around.expected}"
    return (
        _which("Which concepts were hallucinated?", invented, found.extracted[0]),
        _which("Do they appear in the forbidden list (intentional canaries)?", canaries, len(invented)),
        inferred,
        Question("Is the prompt instruction too permissive?", count, open=bool(invented)),
        Question("Is the model temperature too high?", _temperature(found.around)),
    )


def _relationships(found: Investigation) -> tuple[Question, ...]:
    wrong = [str(item.triple) for item in found.misdirected]
    predicate = [str(item.triple) for item in found.misdirected if item.state == "wrong-predicate"]
    reverse = [str(item.triple) for item in found.misdirected if item.state == "reversed"]
    pairs = tuple(f"{said} for {meant}" for said, meant, _ in predicate_confusions(found.misdirected))
    confused = "Confused" if pairs else "No predicate was taken for another"
    help_ = f"They would go into {found.around.relationship_prompt}" if pairs else "No predicate was taken for another"
    return (
        _which("Which relationships were incorrect?", wrong, found.extracted[1]),
        _which("Was the source/target correct but predicate wrong?", predicate, len(wrong)),
        Question("Are predicate definitions clear enough in the prompt?", confused, pairs, open=bool(pairs)),
        _which("Is the relationship directionally reversed?", reverse, len(wrong)),
        Question("Would predicate examples help?", help_, open=bool(pairs)),
    )


def _provenance(found: Investigation) -> tuple[Question, ...]:
    missing = [item for item in found.quotes if item.state == "missing"]
    bad = [item for item in found.quotes if item.state == "unverified"]
    quotable = sum(1 for item in missing if item.place is not None)
    words = count(found.around.words, "word")
    detail = f"{words}; {part(quotable, len(missing), 'unquoted concept', 'stands', 'stand')} in it"
    clear = "The prompt asks for quotes" if found.around.asks_for_quotes else "The prompt does not speak of quotes"
    near = sum(1 for item in bad if item.similarity >= NEARLY)
    told = f"{count(len(bad), 'quote does', 'quotes do')} not occur in the text: "
    told += f"{count(near, 'nearly does', 'nearly do')}, {count(len(bad) - near, 'is', 'are')} paraphrased or made up"
    if found.around.truncated:
        told += f"; the answer of {', '.join(found.around.truncated)} was cut off"
    return (
        _which("Which concepts lack provenance?", [item.label for item in missing], found.extracted[0]),
        Question("Is the source text sufficiently detailed?", detail),
        Question("Is the prompt instruction for quoting clear?", clear, open=bool(found.quotes)),
        Question("Is the model truncating or paraphrasing quotes?", told if bad or found.around.truncated else "No"),
    )


def _golden(found: Investigation) -> tuple[Question, ...]:
    grounded = tuple(item.label for item in found.invented if item.place is not None)
    near = tuple(item.label for item in found.missed if item.nearest is not None)
    strict = (
        "Extracted and in the text, but not expected"
        if grounded
        else "All that was extracted and is in the text is expected"
    )
    forms = "Missed, while a similar name was extracted" if near else "No missed concept is like an extracted name"
    update = "Only where a careful reader of the text says so, never to fit an answer"
    return (
        Question("Is the expected concept set too strict/lenient?", strict, grounded, open=True),
        Question("Are concept aliases comprehensive enough?", forms, near, open=bool(near)),
        Question("Is the source text ambiguous?", "", open=True),
        Question("Should the golden case be updated?", update, open=True),
    )


def _temperature(around: Circumstances) -> str:
    if set(around.temperatures) <= {0}:
        return "No, it is 0"
    values = ("the provider's default" if value is None else f"{value:g}" for value in around.temperatures)
    return f"It is {', '.join(values)}; 0 invents least"
