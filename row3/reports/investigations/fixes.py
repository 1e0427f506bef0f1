"""What an investigation suggests to change in prompts, parameters or the golden case, and how to verify it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from row3.domain.counts import count, part
from row3.matching.likeness import is_acronym
from row3.matching.normalise import normalise
from row3.reports.investigations.model import Investigation, predicate_confusions
from row3.reports.investigations.symptoms import aims, all_is_well
from row3.reports.markdown import code

NOTHING = "Nothing went wrong in this case."


def proposed_fixes(found: Investigation) -> list[str]:
    """What the data suggests to change, in Markdown, the most telling first."""
    around = found.around
    if found.status == "bad_answer":
        prompt = found.problem.partition(":")[0]
        fixes = [f"{code(prompt)}: ask for JSON and nothing else, and check that the model keeps to the output schema."]
    else:
        fixes = [*_concept_fixes(found, around.concept_prompt), *_link_fixes(found, around.relationship_prompt)]
    if around.truncated:
        fixes.insert(0, f"Raise `max_tokens` of {', '.join(around.truncated)}: its answer was cut off.")
    return fixes or [NOTHING]


def _concept_fixes(found: Investigation, prompt: str) -> Iterator[str]:
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


def _type_fixes(found: Investigation, prompt: str) -> Iterator[str]:
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


def _link_fixes(found: Investigation, prompt: str) -> Iterator[str]:
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


def verification_plan(found: Investigation, fixes: Sequence[str]) -> Iterator[str]:
    """What to do, in Markdown, and how to see that it helped."""
    plan = found.verification
    flags = plan.flags
    named = [ref for ref in plan.prompts if any("-".join(ref) in fix for fix in fixes)]
    name, version = (named or list(plan.prompts))[0]
    wanted = aims(found.symptoms)
    if not wanted:
        yield f"Nothing has to be changed: {all_is_well(found.symptoms)}."
        if list(fixes) == [NOTHING]:
            return
    make = "Make the change" if wanted else "To do better all the same, make the change"
    if name in plan.promoted:
        yield f"{make} in a new version: `row3 new-version {name}`."
    else:
        yield f"{make} in `prompts/{name}-{version}.md`, which is not promoted."
    yield f"`row3 --case {found.case_id} --compare{flags}`: {'; '.join(wanted) or 'nothing gets worse'}."
    yield f"`row3 --compare{flags}`: no other case regresses, and the verdict is not block."
