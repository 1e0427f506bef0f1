"""The questions of STANDARDS 6.1 to 6.5 about one extraction, answered as far as the data goes."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.counts import count, part
from row3.domain.prompts import Prompt
from row3.domain.requests import Answer, Request
from row3.reports.investigations.extraction import ExtractionFindings, prompt_for
from row3.reports.investigations.model import Finding, Question, Section

NEARLY = 0.9
"""Similarity from which a quote that does not occur was copied with small changes; below it is paraphrased."""


def checklist(
    found: ExtractionFindings, prompts: Sequence[Prompt], said: Sequence[tuple[Request, Answer]]
) -> tuple[Section, ...]:
    """Return the sections, by requests and answers; one about which nothing is wrong has its first question only."""
    cut = truncated(said)
    sections = (
        ("6.1 Recall issues (missing concepts)", found.missed, _recall(found)),
        ("6.2 Precision issues (hallucinated concepts)", found.unexpected, _precision(found, said)),
        ("6.3 Relationship issues (wrong predicates)", found.wrong, _relationships(found, prompts)),
        ("6.4 Provenance issues (missing source quotes)", (*found.quotes, *cut), _provenance(found, prompts, cut)),
        ("6.5 Golden test case issues", ("always",), _golden(found)),
    )
    return tuple(Section(title, questions if wrong else questions[:1]) for title, wrong, questions in sections)


def truncated(said: Sequence[tuple[Request, Answer]]) -> list[str]:
    """Return the prompts whose answer was cut off by the token limit."""
    return [request.prompt for request, answer in said if answer.finish_reason == "length"]


def _which(text: str, items: Sequence[Finding], whole: int) -> Question:
    return Question(text, f"{len(items)} of {whole}", tuple(item.label for item in items))


def _of_state(items: Sequence[Finding], *states: str) -> list[Finding]:
    return [item for item in items if item.state in states]


def _extracted(found: ExtractionFindings) -> str:
    return f"Extracted {len(found.seen.concepts)}, expected {len(found.case.expected_concepts)}"


def _recall(found: ExtractionFindings) -> tuple[Question, ...]:
    explicit = [item for item in found.missed if item.place is not None]
    implied = [item for item in found.missed if item.place is None]
    return (
        _which("Which specific concepts were missed?", found.missed, len(found.case.expected_concepts)),
        _which("Are the missed concepts mentioned explicitly in the source text?", explicit, len(found.missed)),
        _which("Are the missed concepts implied but not stated?", implied, len(found.missed)),
        Question("Is the prompt instruction too narrow/restrictive?", _extracted(found), open=True),
        Question("Would a few-shot example help?", "", open=True),
    )


def _precision(found: ExtractionFindings, said: Sequence[tuple[Request, Answer]]) -> tuple[Question, ...]:
    invented = found.unexpected
    grounded = [item for item in invented if item.place is not None]
    unclear = any(item.place is None for item in _of_state(invented, "unmatched"))
    inferred = _which("Are they plausible inferences from the source text?", grounded, len(invented))
    heat = dict.fromkeys(request.temperature for request, _ in said)
    values = ", ".join("the provider's default" if value is None else f"{value:g}" for value in heat)
    hot = "No, it is 0" if set(heat) <= {0} else f"It is {values}; 0 invents least"
    return (
        _which("Which concepts were hallucinated?", invented, len(found.seen.concepts)),
        _which(
            "Do they appear in the forbidden list (intentional canaries)?", _of_state(invented, "canary"), len(invented)
        ),
        inferred._replace(answer=f"{inferred.answer} in the text", open=unclear),
        Question("Is the prompt instruction too permissive?", _extracted(found), open=True),
        Question("Is the model temperature too high?", hot),
    )


def _relationships(found: ExtractionFindings, prompts: Sequence[Prompt]) -> tuple[Question, ...]:
    wrong = found.wrong
    pairs = tuple(f"{said} for {meant}" for said, meant, _ in found.confusions())
    confused = ", ".join(pairs) or "No predicate was taken for another"
    help_ = f"They would go into {prompt_for(prompts, 'relationships')}" if pairs else confused
    return (
        _which("Which relationships were incorrect?", wrong, len(found.seen.relationships)),
        _which("Was the source/target correct but predicate wrong?", _of_state(wrong, "wrong-predicate"), len(wrong)),
        Question("Are predicate definitions clear enough in the prompt?", confused, pairs, open=bool(pairs)),
        _which("Is the relationship directionally reversed?", _of_state(wrong, "reversed"), len(wrong)),
        Question("Would predicate examples help?", help_, open=bool(pairs)),
    )


def _provenance(found: ExtractionFindings, prompts: Sequence[Prompt], cut: Sequence[str]) -> tuple[Question, ...]:
    missing, bad = _of_state(found.quotes, "missing"), _of_state(found.quotes, "unverified")
    quotable = sum(1 for item in missing if item.place is not None)
    words = count(len(found.case.source_text.split()), "word")
    detail = f"{words}; {part(quotable, len(missing), 'unquoted concept', 'stands', 'stand')} in it"
    asks = any("quot" in each.body.lower() for each in prompts if each.output in ("concepts", "extraction"))
    near = sum(1 for item in bad if (item.score or 0.0) >= NEARLY)
    told = f"{count(len(bad), 'quote does', 'quotes do')} not occur in the text, {near:,} of them nearly"
    if other := len(_of_state(found.quotes, "unsupported")):
        told += f"; {count(other, 'quote mentions', 'quotes mention')} something else"
    told += f"; the answer of {', '.join(cut)} was cut off" if cut else ""
    return (
        _which("Which concepts lack provenance?", missing, len(found.seen.concepts)),
        Question("Is the source text sufficiently detailed?", detail),
        Question(
            "Is the prompt instruction for quoting clear?",
            "The prompt asks for quotes" if asks else "The prompt does not mention quotes",
            open=True,
        ),
        Question("Is the model truncating or paraphrasing quotes?", told if bad or cut else "No"),
    )


def _golden(found: ExtractionFindings) -> tuple[Question, ...]:
    grounded = [item for item in found.unexpected if item.place is not None]
    near = [item for item in found.missed if item.other is not None]
    strict = _which("Is the expected concept set too strict/lenient?", grounded, len(found.unexpected))
    forms = _which("Are concept aliases comprehensive enough?", near, len(found.missed))
    update = "Only if a careful reader of the text says so, never to fit an answer"
    return (
        strict._replace(answer=f"Unexpected, but in the text: {strict.answer}", open=True),
        forms._replace(answer=f"Missed, but a similar name was extracted: {forms.answer}", open=bool(near)),
        Question("Is the source text ambiguous?", "", open=True),
        Question("Should the golden case be updated?", update, open=True),
    )
