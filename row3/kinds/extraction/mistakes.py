"""Kind `extraction`: the mistakes of an answer, with their places in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from row3.domain.matches import CORRECT, CORRECT_RELATIONSHIP, ConceptMatch, Explanation, RelationshipMatch
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.mistakes import Mistake, Mistakes
from row3.matching.names import NameIndex
from row3.matching.normalise import normalise
from row3.matching.resemblance import LIKE, best_resemblance
from row3.matching.scorers import Named, NameRule
from row3.matching.text.places import NEARLY, SearchableText


def extraction_mistakes(
    case: GoldenCase, seen: Explanation, quotes: Sequence[str], unknown: Sequence[str], rule: NameRule
) -> Mistakes:
    """Return the mistakes of an answer; `quotes` are its concepts', `unknown` the predicates that the suite lacks."""
    typed = sum(match.type is not None for match in seen.concepts)
    sizes = dict.fromkeys(("extra", "evidence"), len(seen.concepts)) | {"types": typed}
    sizes |= {"missed": len(case.expected_concepts), "lost": len(case.expected_relationships)}
    sizes["wrong"] = len(seen.relationships)
    finder = _MistakeFinder(case, seen, rule)
    return Mistakes((*finder.concepts(), *finder.relationships(unknown), *finder.quotes(quotes)), sizes)


class _MistakeFinder:
    """Finds the mistakes in an explanation, and looks up their places in the text."""

    def __init__(self, case: GoldenCase, seen: Explanation, rule: NameRule) -> None:
        self.case, self.seen = case, seen
        self.text = SearchableText(case.source_text)
        named = [Named(concept.label, concept.aliases) for concept in case.expected_concepts]
        self.names = NameIndex(named, case.forbidden_concepts, rule)

    def concepts(self) -> Iterator[Mistake]:
        yield from self._missed()
        for match in self.seen.concepts:
            if match.state in ("fuzzy", "semantic"):
                yield Mistake("otherwise", match.label, match.expected or "", match.how or match.state)
            elif match.state not in CORRECT:
                yield self._extra(match)
            if match.type is not None and match.type.state != "exact":
                pair = f"{match.type.given or 'none'} for {match.type.expected}"
                yield Mistake("type", match.label, match.type.expected, match.type.state, pair=pair)

    def _missed(self) -> Iterator[Mistake]:
        free = [match.label for match in self.seen.concepts if match.state not in CORRECT]
        for concept, expectation in zip(self.case.expected_concepts, self.seen.expected_concepts, strict=True):
            if expectation.found_by is None:
                forms = [concept.label, *concept.aliases]
                near = max(((best_resemblance(forms, [label]), label) for label in free), default=(0.0, ""))
                place, other = self.text.find(forms), near[1] if near[0] >= LIKE else ""
                cause = "near" if other else "stated" if place else "implied" if concept.inferred else "absent"
                yield Mistake(cause, concept.label, other, "" if concept.required else "optional", place)

    def _extra(self, match: ConceptMatch) -> Mistake:
        place, expected = self.text.find([match.label]), match.expected or ""
        label, short = normalise(match.label), normalise(expected)
        cause = "unexpected" if place else "ungrounded"
        if match.state != "unmatched":
            cause = match.state
        elif short and short != label and short in label:
            cause = "longer"
        return Mistake(cause, match.label, expected, match.how or match.why_not, place)

    def relationships(self, unknown: Sequence[str]) -> Iterator[Mistake]:
        invented = {normalise(m.label) for m in self.seen.concepts if m.state in ("unmatched", "canary")}
        for match in self.seen.relationships:
            if match.state not in CORRECT_RELATIONSHIP:
                yield self._wrong(match, invented)
        yield from (Mistake("unknown", name) for name in unknown)
        missed = {each.label for each in self.seen.expected_concepts if each.found_by is None}
        for each in self.seen.expected_relationships:
            if each.found_by is None:
                ends = [end for end in dict.fromkeys((each.triple.source, each.triple.target)) if end in missed]
                note = "" if each.required else "optional"
                yield Mistake("end-missed" if ends else "ends-there", str(each.triple), ", ".join(ends), note)

    def _wrong(self, match: RelationshipMatch, invented: set[str]) -> Mistake:
        triples = [match.triple] if match.expected is None else [match.expected, match.triple]
        places = (self.text.together(self._forms(each.source), self._forms(each.target)) for each in triples)
        place, cause, pair = next(filter(None, places), None), str(match.state), ""
        if match.state == "duplicate":
            cause = "again"
        elif match.state == "wrong-predicate" and match.expected is not None:
            pair = f"{match.triple.predicate} for {match.expected.predicate}"
        elif match.state in ("wrong-end", "unmatched") and not invented.isdisjoint(
            map(normalise, (match.triple.source, match.triple.target))
        ):
            cause = "invented-end"
        expected = "" if match.expected is None else str(match.expected)
        return Mistake(cause, str(match.triple), expected, "" if place else "no sentence has both ends", place, pair)

    def quotes(self, quotes: Sequence[str]) -> Iterator[Mistake]:
        for match, quote in zip(self.seen.concepts, quotes, strict=True):
            if match.quote == "missing":
                yield Mistake("missing", match.label, place=self.text.find(self._forms(match.label)))
            elif match.quote == "unsupported":
                yield Mistake("unsupported", match.label, quote, place=self.text.find((quote,)))
            elif match.quote == "unverified":
                place, score = self.text.most_like(quote) or (None, 0.0)
                yield Mistake("changed" if score >= NEARLY else "made-up", match.label, quote, place=place)

    def _forms(self, name: str) -> list[str]:
        """Return a name, with the label and aliases of the concept that it stands for."""
        hit = self.names.resolve(name)
        if hit is None:
            return [name]
        concept = self.case.expected_concepts[hit[0]]
        return [name, concept.label, *concept.aliases]
