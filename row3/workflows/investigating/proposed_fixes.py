"""What an investigation suggests to change in prompts, parameters or the golden case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from row3.domain.counts import count, part
from row3.matching.likeness import is_acronym
from row3.matching.normalise import normalise
from row3.reports.investigations.investigation_parts import Investigation, predicate_confusions
from row3.reports.markdown import code
from row3.workflows.investigating.checklist import Circumstances

NOTHING = "Nothing went wrong in this case."
"""What is proposed where there is nothing to mend."""


def proposed_fixes(found: Investigation, around: Circumstances) -> list[str]:
    """What the data suggests to change, in Markdown, the most telling first."""
    if found.status == "bad_answer":
        prompt = found.problem.partition(":")[0]
        fixes = [f"{code(prompt)}: ask for JSON and nothing else, and check that the model keeps to the output schema."]
    else:
        fixes = [*_concept_fixes(found, around.prompt("concepts")), *_link_fixes(found, around.prompt("relationships"))]
    if around.truncated:
        fixes.insert(0, f"Raise `max_tokens` of {', '.join(around.truncated)}: its answer was cut off.")
    return fixes or [NOTHING]


def _concept_fixes(found: Investigation, prompt: str) -> Iterable[str]:
    explicit = [item for item in found.missed if item.place is not None]
    if explicit:
        stand = count(len(explicit), "missed concept stands", "missed concepts stand")
        yield (
            f"{prompt}: {stand} in the text, such as {code(explicit[0].label)}. "
            "Add a rule of completeness (go through the text sentence by sentence) or a few-shot example."
        )
    for item in found.missed:
        if item.nearest is not None and is_acronym(item.label, item.nearest):
            forms = f"{code(item.label)} or {code(item.nearest)}"
            yield f"{prompt}: say which form a label takes, {forms}; or add the alias to the golden case."
    longer = [item for item in found.invented if item.expected and _contains(item.label, item.expected)]
    if longer:
        short, label = code(longer[0].expected or ""), code(longer[0].label)
        yield f"{prompt}: a label is the shortest complete form of a term, {short} and not {label}."
    ungrounded = sum(1 for item in found.invented if item.place is None)
    if ungrounded:
        yield f"{prompt}: only what the text says, no inference or background knowledge (not in it: {ungrounded})."
    if found.duplicates:
        other = [pair for pair in found.duplicates if normalise(pair[0]) != normalise(pair[1])]
        label, expected = (other or found.duplicates)[0]
        again = f"{code(label)} is {code(expected)} again" if other else f"{code(label)} stands twice"
        yield f"{prompt}: two names of one thing are one concept ({again})."
    yield from _type_fixes(found, prompt)
    if found.quotes:
        yield f"{prompt}: for every concept a clause copied character by character (without: {len(found.quotes)})."


def _contains(label: str, expected: str) -> bool:
    """The label is the expected one and more."""
    whole, part = normalise(label), normalise(expected)
    return part in whole and part != whole


def _type_fixes(found: Investigation, prompt: str) -> Iterable[str]:
    wrong = [item for item in found.mistyped if item.state == "wrong"]
    if wrong:
        pair = f"{code(wrong[0].expected)} against {code(wrong[0].given)}"
        yield f"{prompt}: define each type, such as {pair} (wrong: {len(wrong)})."
    untyped = sum(1 for item in found.mistyped if item.state == "missing")
    if untyped:
        yield f"{prompt}: every concept has a type (without: {untyped})."
    spelt = [item for item in found.mistyped if item.state == "normalised"]
    if spelt:
        pair = f"{code(spelt[0].expected)} and not {code(spelt[0].given)}"
        yield f"{prompt}: a type is written as it is listed, {pair} (otherwise: {len(spelt)})."


def _link_fixes(found: Investigation, prompt: str) -> Iterable[str]:
    blocked = sum(1 for item in found.lost if item.missed_ends)
    if blocked:
        have = part(blocked, len(found.lost), "missed relationship", "has", "have")
        yield f"Recall first: {have} an end that was missed."
    invented = {normalise(item.label) for item in found.invented}
    ends = sum(
        1 for item in found.misdirected if {normalise(item.triple.source), normalise(item.triple.target)} & invented
    )
    if ends:
        have = part(ends, len(found.misdirected), "wrong relationship", "has", "have")
        yield f"Labels first: {have} an invented end."
    for said, meant, times in predicate_confusions(found.misdirected)[:3]:
        yield f"{prompt}: define {code(meant)} against {code(said)}, with an example of each (confused: {times})."
    if found.unknown_predicates:
        names = ", ".join(map(code, found.unknown_predicates[:3]))
        yield f"{prompt}: only the predicates that are listed, not {names}."
    states = Counter(item.state for item in found.misdirected)
    if states["reversed"]:
        yield f"{prompt}: say which end is the source, also in passive sentences (reversed: {states['reversed']})."
    if states["forbidden"]:
        yield f"{prompt}: only what a sentence states (forbidden ones: {states['forbidden']})."
    loose = states["wrong-end"] + states["unmatched"]
    if loose:
        yield f"{prompt}: only relationships that a sentence states between just these two (others: {loose})."
