"""Kind `extraction`: the state of each extracted item, and what found each expected one."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from operator import attrgetter
from typing import Any, TypeGuard

from row3.domain.asks import Ask
from row3.domain.matches import CORRECT, ConceptMatch, Expectation, Explanation, QuoteState, Triple
from row3.domain.predicates import Predicates
from row3.kinds.base import Rules
from row3.kinds.extraction.evidence import mentions
from row3.kinds.extraction.model import ExtractionOut, GoldenCase
from row3.kinds.extraction.relationships import RelationshipIndex, Resolve
from row3.kinds.outputs import compare_types, type_of
from row3.kinds.person_types import is_person_type
from row3.matching.names import NameIndex, NameMatch, match_names, nearest
from row3.matching.normalise import normalise, normalise_all
from row3.matching.scorers import Named, NameRule
from row3.matching.text.quotes import SourceText

FOREIGN = 1_000_000
"""First index of relationship ends that are not expected concepts."""


def end_resolver(index: NameIndex, ends: Iterable[str], rule: NameRule, text: SourceText | None = None) -> Resolve:
    """Return a resolver of relationship ends: to an expected concept, or by the same rules to another one of `ends`.

    `ends` are those of the expected and forbidden relationships. Lint requires expected concepts, but a forbidden
    relationship may have a made-up end, and a variant spelling of that end must not slip through.
    """
    known = index.by_spelling()
    foreign = [name for name in dict.fromkeys(ends) if name not in known and index.resolve(name) is None]
    if not foreign:
        return index.resolve
    others = NameIndex([Named(name, ()) for name in foreign], (), rule, text)

    def resolve(name: str) -> tuple[int, bool] | None:
        hit = index.resolve(name)
        if hit is None and (other := others.resolve(name)) is not None:
            return FOREIGN + other[0], other[1]
        return hit

    return resolve


def match_resolver(resolve: Resolve, labels: Sequence[str], matches: Sequence[NameMatch], index: NameIndex) -> Resolve:
    """Return a resolver by which an end that is an extracted concept resolves to what the concept was matched with.

    A name alone may fit two expected concepts (`J. Smith`); the assignment of all names has decided on one. A name that
    equals one of the golden case stands for that one all the same. An end that equals a concept only when normalised is
    that concept unless another one is written so too, or the two are different values (-5, 5).
    """
    settled: dict[str, int] = {}
    for label, match in zip(labels, matches, strict=True):
        if match.state in ("fuzzy", "semantic"):
            settled.setdefault(label, match.position)
    if not settled:
        return resolve

    by_key: dict[str, str | None] = {}  # None if several concepts have the key
    for label in dict.fromkeys(labels):
        key = normalise(label)
        by_key[key] = None if key in by_key else label

    def resolved(name: str) -> tuple[int, bool] | None:
        hit = resolve(name)
        if hit is not None and (hit[0] >= FOREIGN or not hit[1]):
            return hit
        concept = name if name in settled else by_key.get(normalise(name))
        if concept is None or concept not in settled or (concept != name and index.different_values(name, concept)):
            return hit
        return settled[concept], True

    return resolved


NO_QUOTE = frozenset(("", "n a", "na", "none", "null", "not available", "not applicable"))
"""Normalised texts that answers write for want of a quote."""
GROUNDED = CORRECT | {"duplicate"}
"""States of concepts that are grounded without a look at the text."""


@lru_cache(maxsize=64)
def _predicates(inverses: tuple[tuple[str, str], ...], symmetric: tuple[str, ...]) -> Predicates:
    return Predicates(inverses, symmetric)


_ENDS = attrgetter("source", "predicate", "target")


def _triples(relationships: Iterable[Any]) -> list[Triple]:
    return list(map(tuple.__new__, repeat(Triple), map(_ENDS, relationships)))


def is_quote(quote: str | None, label: str) -> TypeGuard[str]:
    """Return whether a concept has a source quote; a label without letters or digits has none."""
    return bool(quote) and normalise(quote or "") not in NO_QUOTE and bool(normalise(label))


def explain(case: GoldenCase, output: ExtractionOut, rules: Rules, *, typed: bool) -> Generator[Ask, Any, Explanation]:
    """Return the state of each extracted item and what found each expected one; asks for embeddings if set."""
    expected, canaries = case.expected_concepts, case.forbidden_concepts
    text = SourceText(case.source_text)
    named = [Named(c.label, c.aliases, is_person_type(c.type) if typed else None) for c in expected]
    labels = [concept.label for concept in output.concepts]
    wanted, forbidden = _triples(case.expected_relationships), _triples(case.forbidden_relationships)
    given = _triples(output.relationships)
    ends = dict.fromkeys([end for triple in (*wanted, *forbidden) for end in (triple.source, triple.target)])
    names = [name for one in named for name in (one.label, *one.aliases)]
    said = [end for source, _, target in given for end in (source, target)]
    normalise_all({*names, *labels, *canaries, *said, *ends, *[concept.quote for concept in output.concepts]})
    index = NameIndex(named, canaries, rules.names, text)
    matches = match_names(labels, index)
    if rules.semantic is not None:
        from row3.kinds.semantic import names_by_meaning  # suites without embeddings need not load its word lists

        matches = yield from names_by_meaning(matches, labels, named, canaries, rules.semantic)
    resolve = end_resolver(index, ends, rules.names, text)
    links = RelationshipIndex(
        list(zip(wanted, [r.required for r in case.expected_relationships], strict=True)),
        forbidden,
        resolve,
        _predicates(rules.inverses, rules.symmetric),
        index.by_spelling(),
        answers=match_resolver(resolve, labels, matches, index),
    )
    relationships, found = links.match(given)
    return Explanation(
        tuple(_concepts(case, output, matches, text, index)),
        tuple(_expectations(case, labels, matches, rules.names)),
        tuple(relationships),
        tuple(found),
    )


def _concepts(
    case: GoldenCase, output: ExtractionOut, matches: Sequence[NameMatch], text: SourceText, index: NameIndex
) -> Iterator[ConceptMatch]:
    """Yield the match of each concept; its type is compared if it found a concept with a type."""
    expected, inferred = case.expected_concepts, [concept.inferred for concept in case.expected_concepts]
    for concept, (state, position, score, how, why_not) in zip(output.concepts, matches, strict=True):
        label, quote = concept.label, concept.quote
        wanted = expected[position] if position >= 0 and state != "canary" else None
        key, quote_key = normalise(label), normalise(quote)
        quoted: QuoteState = "missing"
        if key and quote_key not in NO_QUOTE:
            quoted = "unverified"
            if (cited := text.is_passage(quote)) is not None:
                found = wanted if state != "unmatched" else None
                # The text has no name for what it implies.
                mentioned = f" {key} " in f" {quote_key} " or (found is not None and inferred[position])
                if cited and not mentioned:
                    names = (label,) if found is None else (label, found.label, *found.aliases)
                    other = index.exact if state == "unmatched" else None
                    mentioned = mentions(quote, names, text, lambda: index.matcher.acronyms, other)
                quoted = "verified" if mentioned and cited else "unsupported"
        type_ = wanted.type if wanted is not None and state in CORRECT else None
        yield ConceptMatch(
            label,
            state,
            case.forbidden_concepts[position] if state == "canary" else wanted.label if wanted else None,
            round(score, 4),
            quoted,
            state in GROUNDED or text.mentions(label),
            how,
            "" if how else why_not,
            compare_types(type_of(concept.type), type_) if type_ else None,
        )


def _expectations(
    case: GoldenCase, labels: Sequence[str], matches: Sequence[NameMatch], rule: NameRule
) -> Iterator[Expectation]:
    """Yield what found each expected concept, or the label nearest to a missed one."""
    found = {match.position: item for item, match in enumerate(matches) if match.state in CORRECT}
    keys = list(map(normalise, labels)) if len(found) < len(case.expected_concepts) else []
    for position, concept in enumerate(case.expected_concepts):
        if (item := found.get(position)) is not None:
            yield Expectation(concept.label, concept.required, labels[item], None, round(matches[item].score, 4))
        else:
            place, score = nearest(normalise(concept.label), keys, rule)
            near = labels[place] if place >= 0 else None
            yield Expectation(concept.label, concept.required, None, near, round(score, 4))
