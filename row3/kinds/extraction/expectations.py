"""What a golden case of kind `extraction` demands, so that a weaker one is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any

from row3.kinds.extraction.model import GoldenCase
from row3.kinds.swapped_names import Named
from row3.matching.names import NameRule, closest
from row3.matching.normalise import normalise
from row3.matching.predicates import Predicates
from row3.matching.spellings.forms import category_key
from row3.matching.spellings.marks import apart

RULE = NameRule()
"""The default one, whatever the suite's is: what a case demands is not to change with the settings."""


def demands_of(case: GoldenCase) -> list[str]:
    """Everything the case demands, by normalised names.

    A line that stands twice demands more than once: a canary that no accepted name is like, a forbidden relationship
    that is not expected as well, an expected one that is required. So a demand that is lost in part counts as one, and
    a baseline that has the line once holds the case to no more than that. What a case lists twice, it demands once.
    """
    concepts = case.expected_concepts
    lines = [f"concept {normalise(c.label)}" for c in concepts]
    lines += [f"required {normalise(c.label)}" for c in concepts if c.required]
    lines += [f"type {normalise(c.label)} {category_key(c.type)}" for c in concepts if c.type]
    accepted = {normalise(name): (name, c.label) for c in concepts for name in (c.label, *c.aliases)}
    accepted |= {normalise(c.label): (c.label, c.label) for c in concepts}  # a label is nobody's alias
    return [*lines, *_canaries(case, {key: name for key, (name, _) in accepted.items()}), *_links(case, accepted)]


def names_of(case: GoldenCase) -> Iterator[Named]:
    """The names as they are written, each with the demand that it stands in."""
    for concept in case.expected_concepts:
        yield f"concept {normalise(concept.label)}", concept.label
        if concept.required:
            yield f"required {normalise(concept.label)}", concept.label
    for canary in case.forbidden_concepts:
        yield f"canary {normalise(canary)}", canary
    for word, links in (("link", case.expected_relationships), ("forbidden", case.forbidden_relationships)):
        for link in links:
            yield f"{_line(word, link)} from", link.source
            yield f"{_line(word, link)} to", link.target


def _canaries(case: GoldenCase, accepted: dict[str, str]) -> Iterator[str]:
    names = list(accepted)
    for key, canary in {normalise(canary): canary for canary in case.forbidden_concepts}.items():
        known = accepted.get(key)
        if known is None or apart(canary, known):  # else finding it is right, and the canary demands nothing
            yield f"canary {key}"
        if closest(key, names, RULE) is None:
            yield f"canary {key}"


def _links(case: GoldenCase, accepted: dict[str, tuple[str, str]]) -> Iterator[str]:
    names = list(accepted)

    @cache
    def end(name: str) -> str:
        """The concept that the end of a relationship is taken for."""
        key = normalise(name)
        found = key if key in accepted else closest(key, names, RULE)
        return key if found is None else normalise(accepted[found][1])

    expected = case.expected_relationships
    yield from dict.fromkeys(_line("link", one) for one in expected)
    yield from dict.fromkeys(_line("link", one) for one in expected if one.required)
    forbidden = case.forbidden_relationships
    yield from dict.fromkeys(_line("forbidden", one) for one in forbidden)
    if forbidden:
        wanted = {_meaning(one, end) for one in expected}
        yield from dict.fromkeys(_line("forbidden", one) for one in forbidden if _meaning(one, end) not in wanted)


def _line(word: str, link: Any) -> str:
    return f"{word} {normalise(link.source)} {link.predicate} {normalise(link.target)}"


@lru_cache(maxsize=1)
def _predicates() -> Predicates:
    return Predicates()


def _meaning(link: Any, end: Callable[[str], str]) -> tuple[str, str, str]:
    """What a relationship states, whichever way round and under whichever names of its ends."""
    name, swapped, symmetric = _predicates().canonical(link.predicate)
    source, target = end(link.source), end(link.target)
    if target < source if symmetric else swapped:
        source, target = target, source
    return name, source, target
