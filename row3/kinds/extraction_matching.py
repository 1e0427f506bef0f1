"""Kind `extraction`: what each extracted item is, and what found each expected one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from row3.domain.matches import CORRECT, ConceptMatch, Expectation, Explanation, QuoteState, Triple
from row3.kinds.base import Rules
from row3.kinds.extraction_models import ExtractionOut, GoldenCase, quote_of
from row3.kinds.extraction_types import carries_types, with_types
from row3.matching.ends import by_matches, end_resolver
from row3.matching.names import Named, NameIndex, NameMatch, NameRule, match_names, nearest
from row3.matching.normalise import normalise, normalise_all
from row3.matching.predicates import Predicates
from row3.matching.relationships import RelationshipIndex
from row3.matching.spellings.forms import category_key
from row3.matching.texts.quotes import SourceText

GROUNDED = CORRECT | {"duplicate"}


@lru_cache(maxsize=64)
def _predicates(inverses: tuple[tuple[str, str], ...], symmetric: tuple[str, ...]) -> Predicates:
    return Predicates(inverses, symmetric)


PERSON_TYPES = ("person", "human", "individual")
"""Types of concepts whose names are compared as persons' names, however they look."""


@lru_cache(maxsize=256)
def _is_person(type_: str | None) -> bool:
    return type_ is not None and category_key(type_) in map(category_key, PERSON_TYPES)


def _triples(relationships: Iterable[Any]) -> list[Triple]:
    return [Triple(one.source, one.predicate, one.target) for one in relationships]


def explain(case: GoldenCase, output: ExtractionOut, rules: Rules) -> Explanation:
    """Match a whole output: what each extracted item is, and what found each expected one."""
    expected, canaries = case.expected_concepts, case.forbidden_concepts
    text, typed = SourceText(case.source_text), carries_types(case)
    named = [Named(c.label, c.aliases, typed and _is_person(c.type)) for c in expected]
    labels = [concept.label for concept in output.concepts]
    wanted, forbidden = _triples(case.expected_relationships), _triples(case.forbidden_relationships)
    given = _triples(output.relationships)
    normalise_all(
        [*[one.label for one in named], *[alias for one in named for alias in one.aliases], *labels, *canaries]
    )
    index = NameIndex(named, canaries, rules.names, text)
    matches = match_names(labels, index)
    ends = dict.fromkeys([end for triple in (*wanted, *forbidden) for end in (triple.source, triple.target)])
    if rules.semantic is not None and rules.similarity is not None:
        from row3.kinds.extraction_semantic import with_meanings

        matches = with_meanings(matches, labels, named, canaries, rule=rules.semantic, similarity=rules.similarity)
    resolve = end_resolver(index, ends, rules.names, text)
    links = RelationshipIndex(
        list(zip(wanted, [r.required for r in case.expected_relationships], strict=True)),
        forbidden,
        resolve,
        _predicates(rules.inverses, rules.symmetric),
        index.spelt(),
        answers=by_matches(resolve, labels, matches, text),
    )
    relationships, found = links.match(given)
    concepts = _concepts(case, output, matches, text)
    return Explanation(
        tuple(with_types(case, output, matches, concepts) if typed else concepts),
        tuple(_expectations(case, labels, matches, rules.names)),
        tuple(relationships),
        tuple(found),
    )


def _concepts(
    case: GoldenCase, output: ExtractionOut, matches: Sequence[NameMatch], text: SourceText
) -> list[ConceptMatch]:
    expected_labels = [concept.label for concept in case.expected_concepts]
    result = []
    for concept, match in zip(output.concepts, matches, strict=True):
        label, state, position = concept.label, match.state, match.position
        if state == "canary":
            expected: str | None = case.forbidden_concepts[position]
        else:
            expected = expected_labels[position] if position >= 0 else None
        quote = concept.source_quote
        if quote.__class__ is not str:
            quote = quote_of(quote)
        quoted: QuoteState = "missing"
        if quote and not quote.isspace() and normalise(label):  # a quote for nothing is no evidence
            quoted = "verified" if text.contains_quote(quote) else "unverified" if normalise(quote) else "missing"
        grounded = state in GROUNDED or text.mentions(label)
        result.append(
            ConceptMatch(
                label,
                state,
                expected,
                round(match.score, 4),
                quoted,
                grounded,
                match.how,
                "" if match.how else match.why_not,
            )
        )
    return result


def _expectations(
    case: GoldenCase, labels: Sequence[str], matches: Sequence[NameMatch], rule: NameRule
) -> list[Expectation]:
    found = {match.position: item for item, match in enumerate(matches) if match.state in CORRECT}
    keys = [normalise(label) for label in labels]
    result = []
    for position, concept in enumerate(case.expected_concepts):
        item = found.get(position)
        if item is not None:
            result.append(
                Expectation(concept.label, concept.required, labels[item], None, round(matches[item].score, 4))
            )
        else:
            near, score = nearest(normalise(concept.label), keys, rule)
            result.append(
                Expectation(concept.label, concept.required, None, labels[near] if near >= 0 else None, round(score, 4))
            )
    return result
