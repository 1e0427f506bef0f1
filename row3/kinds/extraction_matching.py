"""Kind `extraction`: what each extracted item is, and what found each expected one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from row3.domain.matches import CORRECT, ConceptMatch, Expectation, Explanation, QuoteState, Triple
from row3.kinds.base import Rules
from row3.kinds.extraction_models import ExtractionOut, GoldenCase, quote_of
from row3.matching.names import Named, NameIndex, NameMatch, NameRule, end_resolver, match_names, nearest
from row3.matching.normalise import normalise
from row3.matching.predicates import Predicates
from row3.matching.quotes import SourceText
from row3.matching.relationships import RelationshipIndex


@lru_cache(maxsize=64)
def _predicates(inverses: tuple[tuple[str, str], ...], symmetric: tuple[str, ...]) -> Predicates:
    return Predicates(dict(inverses), symmetric)


def explain(case: GoldenCase, output: ExtractionOut, rules: Rules) -> Explanation:
    """Match a whole output: what each extracted item is, and what found each expected one."""
    expected = case.expected_concepts
    index = NameIndex(
        [Named(concept.label, concept.aliases) for concept in expected], case.forbidden_concepts, rules.names
    )
    labels = [concept.label for concept in output.concepts]
    matches = match_names(labels, index)
    text = SourceText(case.source_text)
    concepts = tuple(
        [_concept(concept, match, case, text) for concept, match in zip(output.concepts, matches, strict=True)]
    )
    keys = [normalise(label) for label in labels]
    found = {match.position: item for item, match in enumerate(matches) if match.state in CORRECT}
    ends = [
        name for r in (*case.expected_relationships, *case.forbidden_relationships) for name in (r.source, r.target)
    ]
    links = RelationshipIndex(
        [(Triple(r.source, r.predicate, r.target), r.required) for r in case.expected_relationships],
        [Triple(r.source, r.predicate, r.target) for r in case.forbidden_relationships],
        end_resolver(index, ends, rules.names),
        _predicates(tuple(sorted(rules.inverses.items())), rules.symmetric),
    )
    relationships = links.match([Triple(r.source, r.predicate, r.target) for r in output.relationships])
    return Explanation(
        concepts,
        tuple(
            [
                _expectation(case, i, labels=labels, keys=keys, matches=matches, found=found, rule=rules.names)
                for i in range(len(expected))
            ]
        ),
        tuple(relationships),
        tuple(links.found(relationships)),
    )


def _concept(concept: Any, match: NameMatch, case: GoldenCase, text: SourceText) -> ConceptMatch:
    state, position, score = match
    if state == "canary":
        expected: str | None = case.forbidden_concepts[position]
    else:
        expected = case.expected_concepts[position].label if position >= 0 else None
    quote = quote_of(concept.source_quote)
    quoted: QuoteState = "missing"
    if quote.strip() and normalise(concept.label):  # a quote for nothing is no evidence
        quoted = "verified" if text.contains_quote(quote) else "unverified"
    grounded = state in ("exact", "alias", "fuzzy", "duplicate") or text.mentions(concept.label)
    return ConceptMatch(concept.label, state, expected, score, quoted, grounded)


def _expectation(
    case: GoldenCase,
    position: int,
    *,
    labels: Sequence[str],
    keys: Sequence[str],
    matches: Sequence[NameMatch],
    found: Mapping[int, int],
    rule: NameRule,
) -> Expectation:
    concept = case.expected_concepts[position]
    item = found.get(position)
    if item is not None:
        return Expectation(concept.label, concept.required, labels[item], None, matches[item].score)
    near, score = nearest(normalise(concept.label), keys, rule)
    return Expectation(concept.label, concept.required, None, labels[near] if near >= 0 else None, score)
