"""One extraction item by item: what was missed, unexpected, wrong or not quoted, where, and what to change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from row3.domain.counts import count, part
from row3.domain.matches import CORRECT, CORRECT_RELATIONSHIP, Explanation, RelationshipMatch
from row3.domain.prompts import Prompt
from row3.kinds.extraction.model import GoldenCase
from row3.matching.names import Named, NameIndex, NameRule
from row3.matching.normalise import normalise
from row3.reports.investigations.model import Finding, Findings
from row3.reports.markdown import code
from row3.reports.places import SearchableText
from row3.reports.resemblance import LIKE, best_resemblance, is_acronym

NOT_IN_TEXT = "not in the text"
WRONG_STATES = ("wrong-predicate", "reversed", "wrong-end", "forbidden", "duplicate", "unmatched")
"""States of wrong relationships, in the order in which they are listed."""


class ExtractionFindings:
    """What the scorer explained of an extraction, looked up in the case's text."""

    def __init__(self, case: GoldenCase, seen: Explanation, quotes: Sequence[str], rule: NameRule) -> None:
        """Look every item up; `quotes` are those of the extracted concepts, in their order."""
        self.case, self.seen = case, seen
        self._text = SearchableText(case.source_text)
        named = [Named(concept.label, concept.aliases) for concept in case.expected_concepts]
        self._names = NameIndex(named, case.forbidden_concepts, rule)
        self.missed = tuple(self._missed())
        self.unexpected = tuple(self._unexpected())
        self.wrong = tuple(map(self._wrong, sorted(self._wrong_matches(), key=lambda m: WRONG_STATES.index(m.state))))
        self.lost = tuple(self._lost())
        self.quotes = tuple(self._quotes(quotes))
        self.duplicates = self._of_state("duplicate", "names {} again")
        self.types = tuple(
            Finding(m.label, m.type.state, m.type.expected, phrase=f"{m.type.given or 'no type'} for {{}}")
            for m in seen.concepts
            if m.type is not None and m.type.state != "exact"
        )

    def lists(self, unknown_predicates: Sequence[str]) -> tuple[Findings, ...]:
        """Return all lists; `unknown_predicates` are those that neither the suite nor the case knows."""
        case, seen = self.case, self.seen
        concepts, links = f"of {len(seen.concepts)} extracted", f"of {len(seen.relationships)} extracted"
        otherwise = (*self._of_state("fuzzy", "counts as {}"), *self._of_state("semantic", "counts as {}"))
        strange = tuple(Finding(name, "unknown") for name in unknown_predicates)
        return (
            Findings("missed", "Missed concepts", f"of {len(case.expected_concepts)} expected", self.missed),
            Findings("invented", "Unexpected concepts", concepts, self.unexpected),
            Findings("duplicates", "Duplicates", concepts, self.duplicates),
            Findings("otherwise", "Matched though written otherwise", concepts, otherwise),
            Findings("mistyped", "Types not as expected", concepts, self.types),
            Findings("misdirected", "Wrong relationships", links, self.wrong),
            Findings("unknownPredicates", "Predicates that the suite does not know", links, strange),
            Findings("lost", "Missed relationships", f"of {len(case.expected_relationships)} expected", self.lost),
            Findings("quotes", "Without a quote from the text", concepts, self.quotes),
        )

    def confusions(self) -> list[tuple[str, str, int]]:
        """Return which predicate was said for which, and how often; the most frequent first."""
        pairs = Counter(
            (match.triple.predicate, match.expected.predicate)
            for match in self._wrong_matches()
            if match.state == "wrong-predicate" and match.expected is not None
        )
        return [(*pair, times) for pair, times in sorted(pairs.items(), key=lambda each: (-each[1], each[0]))]

    def fixes(self, concept_prompt: str, relationship_prompt: str, predicates: Sequence[str]) -> Iterator[str]:
        """Yield what the data suggests to change, in Markdown, the most telling first."""
        for fix in self._concept_fixes():
            yield f"{concept_prompt}: {fix}"
        blocked = sum(1 for item in self.lost if "missed" in item.remark)
        if blocked:
            have = part(blocked, len(self.lost), "missed relationship", "has", "have")
            yield f"Recall first: {have} an end that was missed."
        invented = {normalise(item.label) for item in self.unexpected}
        wrong = [{normalise(m.triple.source), normalise(m.triple.target)} for m in self._wrong_matches()]
        if ends := sum(1 for pair in wrong if pair & invented):
            have = part(ends, len(wrong), "wrong relationship", "has", "have")
            yield f"Labels first: {have} an invented end."
        for fix in self._link_fixes(predicates):
            yield f"{relationship_prompt}: {fix}"

    def _concept_fixes(self) -> Iterator[str]:
        explicit = [item.label for item in self.missed if item.place is not None]
        if explicit:
            stand = count(len(explicit), "missed concept stands", "missed concepts stand")
            yield (
                f"{stand} in the text, such as {code(explicit[0])}. "
                "Add a rule of completeness (go through the text sentence by sentence) or a few-shot example."
            )
        for item in self.missed:
            if item.other is not None and is_acronym(item.label, item.other):
                forms = f"{code(item.label)} or {code(item.other)}"
                yield f"say which form a label takes, {forms}; or add the alias to the golden case."
        for item in self.unexpected:
            label, short = normalise(item.label), normalise(item.other or "")
            if short and short != label and short in label:
                forms = f"{code(item.other or '')} and not {code(item.label)}"
                yield f"a label is the shortest complete form of a term, {forms}."
                break
        if ungrounded := sum(1 for item in self.unexpected if item.place is None):
            yield f"only what the text says, no inference or background knowledge (not in it: {ungrounded})."
        if self.duplicates:
            one = self.duplicates[0]
            yield f"two names of one thing are one concept ({code(one.label)} is {code(one.other or '')} again)."
        for state, rule in (
            ("wrong", "define each type, such as {}"),
            ("missing", "every concept has a type, as {}"),
            ("normalised", "write a type as it is listed, {}"),
        ):
            if types := [m.type for m in self.seen.concepts if m.type is not None and m.type.state == state]:
                pair = f"{code(types[0].expected)} and not {code(types[0].given or 'no type')}"
                yield f"{rule.format(pair)} ({len(types)} {state})."
        if self.quotes:
            yield f"for every concept a clause copied character by character (without: {len(self.quotes)})."

    def _link_fixes(self, predicates: Sequence[str]) -> Iterator[str]:
        for said, meant, times in self.confusions()[:3]:
            yield f"define {code(meant)} against {code(said)}, with an example of each (confused: {times})."
        if predicates:
            yield f"only the predicates that are listed, not {', '.join(map(code, predicates[:3]))}."
        states = Counter(item.state for item in self.wrong)
        if states["reversed"]:
            yield f"say which end is the source, also in passive sentences (reversed: {states['reversed']})."
        if states["forbidden"]:
            yield f"only what a sentence states (forbidden ones: {states['forbidden']})."
        if loose := states["wrong-end"] + states["unmatched"]:
            yield f"only relationships that a sentence states between just these two (others: {loose})."

    def _of_state(self, state: str, phrase: str) -> tuple[Finding, ...]:
        found = [match for match in self.seen.concepts if match.state == state]
        return tuple(Finding(m.label, state, m.expected, m.score, m.how or state, phrase=phrase) for m in found)

    def _missed(self) -> Iterator[Finding]:
        free = [match.label for match in self.seen.concepts if match.state not in CORRECT]
        for concept, expectation in zip(self.case.expected_concepts, self.seen.expected_concepts, strict=True):
            if expectation.found_by is None:
                forms = [concept.label, *concept.aliases]
                near = max(((best_resemblance(forms, [label]), label) for label in free), default=(0.0, ""))
                score, other = near if near[0] >= LIKE else (None, None)
                state = "required" if concept.required else "optional"
                place = self._text.find(forms)
                remark = "" if place else "implied, not stated" if concept.inferred else NOT_IN_TEXT
                phrase = f"{state}, nearest extracted {{}}" if other else state
                yield Finding(concept.label, state, other, score, remark, place, phrase)

    def _unexpected(self) -> Iterator[Finding]:
        for match in self.seen.concepts:
            if match.state in ("unmatched", "canary"):
                place = self._text.find([match.label])
                remarks = [match.why_not, "" if place else NOT_IN_TEXT]
                nearest = "not expected, nearest {}" if match.expected else "not expected"
                phrase = "canary {}" if match.state == "canary" else nearest
                remark = "; ".join(filter(None, remarks))
                yield Finding(match.label, match.state, match.expected, match.score, remark, place, phrase)

    def _wrong_matches(self) -> list[RelationshipMatch]:
        return [match for match in self.seen.relationships if match.state not in CORRECT_RELATIONSHIP]

    def _wrong(self, match: RelationshipMatch) -> Finding:
        triples = [match.expected, match.triple] if match.expected is not None else [match.triple]
        places = (self._text.together(self._forms(each.source), self._forms(each.target)) for each in triples)
        place = next(filter(None, places), None)
        words = match.state.replace("-", " ")
        how = "as" if words == "forbidden" else "expected"
        phrase = words if match.expected is None else f"{words}, {how} {{}}"
        expected = None if match.expected is None else str(match.expected)
        remark = "" if place else "no sentence has both ends"
        return Finding(str(match.triple), match.state, expected, None, remark, place, phrase)

    def _lost(self) -> Iterator[Finding]:
        missed = {item.label for item in self.missed}
        for each in self.seen.expected_relationships:
            if each.found_by is None:
                ends = [end for end in dict.fromkeys((each.triple.source, each.triple.target)) if end in missed]
                remark = f"missed end: {', '.join(ends)}" if ends else "both ends were extracted"
                state = "required" if each.required else "optional"
                yield Finding(str(each.triple), state, remark=remark, phrase=state)

    def _quotes(self, quotes: Sequence[str]) -> Iterator[Finding]:
        for match, quote in zip(self.seen.concepts, quotes, strict=True):
            if match.quote == "missing":
                place = self._text.find(self._forms(match.label))
                yield Finding(match.label, "missing", None, None, "" if place else NOT_IN_TEXT, place, "no quote")
            elif match.quote == "unsupported":
                place = self._text.find((quote,))
                phrase = "its quote mentions something else"
                yield Finding(match.label, "unsupported", quote, None, "", place, phrase)
            elif match.quote == "unverified":
                place, score = self._text.most_like(quote) or (None, 0.0)
                phrase = "its quote {} is most like"
                yield Finding(match.label, "unverified", quote, score, "", place, phrase)

    def _forms(self, name: str) -> list[str]:
        """Return a name with the other forms of the concept that it stands for."""
        hit = self._names.resolve(name)
        if hit is None:
            return [name]
        concept = self.case.expected_concepts[hit[0]]
        return [name, concept.label, *concept.aliases]


def prompt_for(prompts: Sequence[Prompt], output: str) -> str:
    """Return the reference of the prompt that gives an output, or that gives all."""
    return next((str(each.ref) for each in prompts if each.output in (output, "extraction")), "the prompt")
