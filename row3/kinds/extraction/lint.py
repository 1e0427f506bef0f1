"""What makes a golden case of kind `extraction` weak, wrong or self-contradicting (STANDARDS, section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial

from rapidfuzz import process

from row3.domain.counts import count, part
from row3.domain.predicates import Predicates, fold_predicate
from row3.kinds.base import Finding, Rules
from row3.kinds.extraction.evidence import mentions
from row3.kinds.extraction.model import DOMAINS, GoldenCase, Relationship
from row3.matching.names import Named, NameIndex
from row3.matching.normalise import normalise
from row3.matching.text.quotes import SourceText
from row3.matching.variant.forms import category_key

_error, _warning = partial(Finding, "error"), partial(Finding, "warning")
_size = partial(Finding, "error", setting="standards")
SIZES = {
    "words": ("word", 300, 800),
    "paragraphs": ("paragraph", 2, 5),
    "concepts": ("concept", 15, 25),
    "canaries": ("canary", 5, 10),
    "relationships": ("relationship", 30, 50),
    "forbidden relationships": ("forbidden relationship", 3, 5),
}
"""Noun, fewest and most in a case, by the noun's plural."""
ALIASED = 3
"""Concepts with aliases, at least."""
INFERRED_SHARE = 10
"""At most one expected concept in this many may be marked `inferred`."""
CASE_COUNTS = (5, 10, 15)
"""Minimum, target and ideal number of cases (STANDARDS 3.1)."""
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
LIKE = 70
"""Similarity, in per cent, from which a name is suggested."""


def lint_case(case: GoldenCase, rules: Rules) -> list[Finding]:
    """All findings of one case, in the order of its fields."""
    said = _Said(case, rules)
    findings = [*_header(case), *_sizes(case), *_concepts(case, said), *_types(case, rules), *_canaries(case, said)]
    return [*findings, *_relationships(case, rules)]


class _Said:
    """What the matcher finds in a case's text and among its expected names."""

    def __init__(self, case: GoldenCase, rules: Rules) -> None:
        self._text = SourceText(case.source_text)
        self._sentences = SENTENCE_END.split(case.source_text)
        named = [Named(concept.label, concept.aliases) for concept in case.expected_concepts]
        self.index = NameIndex(named, (), rules.names, self._text)

    def mentions(self, names: Sequence[str]) -> bool:
        """Return whether a run of the text's words is one of the names, or what the matcher takes for one."""
        if any(map(self._text.mentions, names)):
            return True
        return any(mentions(each, names, self._text, lambda: self.index.judge.acronyms) for each in self._sentences)


def lint_suite(cases: Sequence[GoldenCase]) -> list[Finding]:
    """Number of cases and coverage of the domains, each with the step that is missed."""
    findings: list[Finding] = []
    minimum, target, ideal = CASE_COUNTS
    there, many = len(cases), count(len(cases), "case")
    if there < minimum:
        findings.append(_size("case-count", f"{many}, the minimum is {minimum} (target {target}, ideal {ideal})"))
    elif there < ideal:
        step = f"the target is {target}, the ideal" if there < target else "the ideal is"
        findings.append(_warning("case-count", f"{many}; {step} {ideal} or more", setting="standards"))
    missing = [domain for domain in DOMAINS if domain not in {case.domain for case in cases}]
    if missing:
        findings.append(_size("domain-coverage", f"no case for the domain {', '.join(missing)}"))
    return findings


def _header(case: GoldenCase) -> Iterator[Finding]:
    if not case.topic.strip():
        yield _size("topic", "the topic is missing", ("topic",))
    if case.domain is None:
        yield _size("domain", f"the domain is missing; one of {', '.join(DOMAINS)}", ("domain",))
    if not (case.origin or case.citation):
        yield _size("origin", "say where the text comes from in `origin` or `citation`", ("origin",))
    if case.created is not None and not _is_date(case.created):
        yield _error("created", f"`{case.created}` is not a date YYYY-MM-DD", ("created",))


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _sizes(case: GoldenCase) -> Iterator[Finding]:
    for field, many, number in (
        ("sourceText", "words", len(case.source_text.split())),
        ("sourceText", "paragraphs", len([text for text in re.split(r"\n\s*\n", case.source_text) if text.strip()])),
        ("expectedConcepts", "concepts", len(case.expected_concepts)),
        ("forbiddenConcepts", "canaries", len(case.forbidden_concepts)),
        ("expectedRelationships", "relationships", len(case.expected_relationships)),
        ("forbiddenRelationships", "forbidden relationships", len(case.forbidden_relationships)),
    ):
        one, low, high = SIZES[many]
        if not low <= number <= high:
            what = f"{count(number, one, many)}, should be {low} to {high}"
            yield _size(f"{many.replace(' ', '-')}-count", what, (field,))


def _concepts(case: GoldenCase, said: _Said) -> Iterator[Finding]:
    concepts, whole = case.expected_concepts, ("expectedConcepts",)
    if sum(1 for concept in concepts if concept.aliases) < ALIASED:
        yield _size("aliases", f"fewer than {ALIASED} concepts have aliases", whole)
    if len({concept.required for concept in concepts}) == 1:
        kind = "required" if concepts[0].required else "optional"
        yield _size("required-mix", f"all concepts are {kind}; mark both kinds", whole)
    inferred = len([concept for concept in concepts if concept.inferred])
    if inferred * INFERRED_SHARE > len(concepts):
        what = f"{part(inferred, len(concepts), 'concept', 'is', 'are')} inferred, at most one in ten may be"
        yield _size("inferred", what, whole)
    owner: dict[str, tuple[int, str]] = {}
    for i, concept in enumerate(concepts):
        names = [concept.label, *concept.aliases]
        for j, name in enumerate(names):
            place = (*whole, i, "aliases", j - 1) if j else (*whole, i, "label")
            key = normalise(name)
            at, label = owner.setdefault(key, (i, concept.label))
            if not key:
                yield _error("empty-name", f"`{name}` has no letter or digit", place)
            elif at != i:
                yield _error("name-twice", f"`{name}` is also a name of `{label}`", place)
        occurs = said.mentions(names)
        if not concept.inferred and not occurs:
            what = f"`{concept.label}` occurs in the text under neither label nor alias; add the form it has there"
            yield _error("not-in-text", f'{what}, or mark it `"inferred": true`', (*whole, i, "label"))
        if concept.inferred and occurs:
            what = f"`{concept.label}` is marked inferred but stands in the text"
            yield _warning("inferred", what, (*whole, i, "inferred"))


def _types(case: GoldenCase, rules: Rules) -> Iterator[Finding]:
    concepts = case.expected_concepts
    bare = [i for i, concept in enumerate(concepts) if concept.type is None]
    if bare and (len(bare) < len(concepts) or rules.types is not None):
        what = f"{part(len(bare), len(concepts), 'concept', 'has', 'have')} no type; give one to all of them"
        yield _warning("types", what, ("expectedConcepts", bare[0], "label"))
    known = {category_key(name): name for name in rules.types or ()}
    for i, concept in enumerate(concepts):
        if known and concept.type is not None and concept.type not in known.values():
            hint = _like(concept.type, [*known.values()], known.get(category_key(concept.type)))
            hint = hint or f"; one of {', '.join(known.values())}"
            what = f"type `{concept.type}` is none of the suite's{hint}"
            yield _error("type", what, ("expectedConcepts", i, "type"), "types")


def _like(name: str, known: Sequence[str], exact: str | None = None) -> str:
    """Return the known name that was probably meant, as the end of a sentence; `exact` where it is certain."""
    found = process.extractOne(name, known, processor=str.casefold, score_cutoff=LIKE)
    near = exact or next(iter(found or ()), None)
    return f"; did you mean `{near}`?" if near else ""


def _canaries(case: GoldenCase, said: _Said) -> Iterator[Finding]:
    seen: set[str] = set()
    for i, canary in enumerate(case.forbidden_concepts):
        key, place = normalise(canary), ("forbiddenConcepts", i)
        if not key:
            yield _error("empty-name", f"`{canary}` has no letter or digit", place)
            continue
        if key in seen:
            yield _error("canary-twice", f"`{canary}` is listed twice", place)
        seen.add(key)
        if (found := said.index.resolve(canary)) is not None:
            what = f"canary `{canary}` is too close to the expected `{case.expected_concepts[found[0]].label}`"
            yield _error("canary-expected", what, place, "matching" if said.index.exact(canary) is None else "")
        if said.mentions([canary]):
            yield _error("canary-in-text", f"canary `{canary}` occurs in the text", place)


def _relationships(case: GoldenCase, rules: Rules) -> Iterator[Finding]:
    links, forbidden = case.expected_relationships, case.forbidden_relationships
    predicates = Predicates(rules.inverses, rules.symmetric)
    known = {fold_predicate(name) for name in rules.predicates}
    # A case may also use the inverse of an allowed predicate: it matches the other way round.
    known |= {
        fold_predicate(pair[1 - side])
        for pair in rules.inverses
        for side in (0, 1)
        if fold_predicate(pair[side]) in known
    }
    labels = dict.fromkeys(concept.label for concept in case.expected_concepts)
    by_key = {normalise(label): label for label in labels}
    keys: dict[tuple[str, str, str], int] = {}
    for field, rows in (("expectedRelationships", links), ("forbiddenRelationships", forbidden)):
        for i, link in enumerate(rows):
            yield from _ends(link, (field, i), labels, by_key)
            if known and fold_predicate(link.predicate) not in known:
                what = f"predicate `{link.predicate}` is not one of {', '.join(rules.predicates)}"
                yield _error("predicate", what, (field, i, "predicate"), "predicates.allowed")
            key = _key(link, predicates)
            if field == "expectedRelationships":
                if key in keys:
                    yield _error("relationship-twice", f"the same relationship as number {keys[key] + 1}", (field, i))
                keys.setdefault(key, i)
            elif key in keys:
                yield _error("contradiction", f"expected (number {keys[key] + 1}) and forbidden", (field, i))
            elif key in {_key(other, predicates) for other in forbidden[:i]}:
                yield _error("relationship-twice", "the same forbidden relationship stands above", (field, i))
    used = {name for link in links for name in (link.source, link.target)}
    for i, concept in enumerate(case.expected_concepts):
        if links and concept.label not in used:
            place = ("expectedConcepts", i, "label")
            yield _warning("unconnected", f"`{concept.label}` is in no relationship", place, setting="standards")


def _ends(
    link: Relationship, place: tuple[str | int, ...], labels: dict[str, None], by_key: dict[str, str]
) -> Iterator[Finding]:
    for end, name in (("source", link.source), ("target", link.target)):
        if name not in labels:
            hint = _like(name, [*labels], by_key.get(normalise(name)))
            yield _error("unknown-end", f"`{name}` is not the label of an expected concept{hint}", (*place, end))
    if normalise(link.source) == normalise(link.target):
        yield _error("self-relationship", f"`{link.source}` is related to itself", place)


def _key(link: Relationship, predicates: Predicates) -> tuple[str, str, str]:
    name, swapped, symmetric = predicates.canonical(link.predicate)
    source, target = normalise(link.source), normalise(link.target)
    if target < source if symmetric else swapped:
        source, target = target, source
    return name, source, target
