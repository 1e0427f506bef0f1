"""The questions of STANDARDS 6.1 to 6.5 about one case, answered as far as the data goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from row3.domain.counts import count, part
from row3.domain.prompts import Prompt
from row3.domain.requests import Answer, Request
from row3.kinds.extraction.model import GoldenCase
from row3.reports.investigations.investigation_parts import Investigation, Question, predicate_confusions

NEARLY = 0.9
"""Similarity from which a quote that does not occur was copied with small changes; below it is paraphrased."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the checklist asks beside what went wrong."""

    case: GoldenCase
    prompts: Sequence[Prompt]
    said: Sequence[tuple[Request, Answer]]

    def prompt(self, *outputs: str) -> str:
        """The prompt with one of these outputs."""
        return next((str(p.ref) for p in self.prompts if p.output in (*outputs, "extraction")), "the prompt")

    @property
    def truncated(self) -> list[str]:
        """Prompts whose answer was cut off by the token limit."""
        return [request.prompt for request, answer in self.said if answer.finish_reason == "length"]

    def asks_for_quotes(self) -> bool:
        """Whether a prompt that asks for concepts speaks of quotes."""
        return any("quot" in p.body.lower() for p in self.prompts if p.output in ("concepts", "extraction"))

    def temperature(self) -> str:
        """What the requests said."""
        values = {request.temperature for request, _ in self.said}
        if values <= {0}:
            return "No, it is 0"
        said = ", ".join("the provider's default" if value is None else f"{value:g}" for value in values)
        return f"It is {said}; 0 invents least"


def checklist(found: Investigation, around: Circumstances) -> tuple[tuple[str, tuple[Question, ...]], ...]:
    """The questions of STANDARDS 6.1 to 6.5, answered as far as the data goes."""
    return (
        ("6.1 Recall issues (missing concepts)", _recall(found, around)),
        ("6.2 Precision issues (hallucinated concepts)", _precision(found, around)),
        ("6.3 Relationship issues (wrong predicates)", _relationships(found, around)),
        ("6.4 Provenance issues (missing source quotes)", _provenance(found, around)),
        ("6.5 Golden test case issues", _golden(found)),
    )


def _which(text: str, items: Sequence[str], whole: int) -> Question:
    """A question for which of many something holds."""
    return Question(text, f"{len(items)} of {whole}", tuple(items))


def _recall(found: Investigation, around: Circumstances) -> tuple[Question, ...]:
    missed, expected = [item.label for item in found.missed], len(around.case.expected_concepts)
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


def _precision(found: Investigation, around: Circumstances) -> tuple[Question, ...]:
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
    count = f"Extracted {found.extracted[0]}, expected {len(around.case.expected_concepts)}"
    return (
        _which("Which concepts were hallucinated?", invented, found.extracted[0]),
        _which("Do they appear in the forbidden list (intentional canaries)?", canaries, len(invented)),
        inferred,
        Question("Is the prompt instruction too permissive?", count, open=bool(invented)),
        Question("Is the model temperature too high?", around.temperature()),
    )


def _relationships(found: Investigation, around: Circumstances) -> tuple[Question, ...]:
    wrong = [str(item.triple) for item in found.misdirected]
    predicate = [str(item.triple) for item in found.misdirected if item.state == "wrong-predicate"]
    reverse = [str(item.triple) for item in found.misdirected if item.state == "reversed"]
    pairs = tuple(f"{said} for {meant}" for said, meant, _ in predicate_confusions(found.misdirected))
    confused = "Confused" if pairs else "No predicate was taken for another"
    help_ = f"They would go into {around.prompt('relationships')}" if pairs else "No predicate was taken for another"
    return (
        _which("Which relationships were incorrect?", wrong, found.extracted[1]),
        _which("Was the source/target correct but predicate wrong?", predicate, len(wrong)),
        Question("Are predicate definitions clear enough in the prompt?", confused, pairs, open=bool(pairs)),
        _which("Is the relationship directionally reversed?", reverse, len(wrong)),
        Question("Would predicate examples help?", help_, open=bool(pairs)),
    )


def _provenance(found: Investigation, around: Circumstances) -> tuple[Question, ...]:
    missing = [item for item in found.quotes if item.state == "missing"]
    bad = [item for item in found.quotes if item.state == "unverified"]
    quotable = sum(1 for item in missing if item.place is not None)
    words = count(len(around.case.source_text.split()), "word")
    detail = f"{words}; {part(quotable, len(missing), 'unquoted concept', 'stands', 'stand')} in it"
    clear = "The prompt asks for quotes" if around.asks_for_quotes() else "The prompt does not speak of quotes"
    near = sum(1 for item in bad if item.similarity >= NEARLY)
    told = f"{count(len(bad), 'quote does', 'quotes do')} not occur in the text: "
    told += f"{count(near, 'nearly does', 'nearly do')}, {count(len(bad) - near, 'is', 'are')} paraphrased or made up"
    if around.truncated:
        told += f"; the answer of {', '.join(around.truncated)} was cut off"
    return (
        _which("Which concepts lack provenance?", [item.label for item in missing], found.extracted[0]),
        Question("Is the source text sufficiently detailed?", detail),
        Question("Is the prompt instruction for quoting clear?", clear, open=bool(found.quotes)),
        Question("Is the model truncating or paraphrasing quotes?", told if bad or around.truncated else "No"),
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
