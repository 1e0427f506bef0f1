"""Weaknesses, errors and contradictions of golden cases of kind `extraction` (STANDARDS, section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial

from rapidfuzz import process

from row3.domain.predicates import Predicates, fold_predicate
from row3.domain.words import count, part
from row3.kinds.base import Finding, Rules, lint_error, lint_warning
from row3.kinds.extraction.evidence import mentions, name_prefixes, prefixes
from row3.kinds.extraction.model import DOMAINS, GoldenCase, Relationship
from row3.matching.names import NameIndex
from row3.matching.normalise import normalise
from row3.matching.scorers import Named
from row3.matching.text.places import sentences
from row3.matching.text.quotes import SourceText
from row3.matching.variant.forms import category_key

_standard = partial(lint_error, setting="standards")
SIZES = {
    "words": ("word", 300, 800),
    "paragraphs": ("paragraph", 2, 5),
    "concepts": ("concept", 15, 25),
    "canaries": ("canary", 5, 10),
    "relationships": ("relationship", 30, 50),
    "forbidden relationships": ("forbidden relationship", 3, 5),
}
"""Singular, minimum and maximum number in a case, by plural."""
ALIASED = 3
"""Minimum number of concepts with aliases."""
INFERRED_SHARE = 10
"""At most one expected concept in this many may be marked `inferred`."""
CASE_COUNTS = (5, 10, 15)
"""Minimum, target and ideal number of cases (STANDARDS 3.1)."""
LIKE = 70
"""Similarity, in per cent, from which a known name is suggested."""


def lint_case(case: GoldenCase, rules: Rules) -> list[Finding]:
    """Return all findings on one case, by field."""
    matcher = _Matcher(case, rules)
    findings = [
        *_header(case),
        *_sizes(case),
        *_concepts(case, matcher),
        *_types(case, rules),
        *_canaries(case, matcher),
    ]
    return [*findings, *_relationships(case, rules)]


class _Matcher:
    """Finds names in a case's text and among its expected names, as the matcher does."""

    def __init__(self, case: GoldenCase, rules: Rules) -> None:
        self._text = SourceText(case.source_text)
        self._sentences: dict[str, list[str]] = {}
        """Sentences by the prefixes of their words."""
        for start, end in sentences(case.source_text):
            for prefix in prefixes(sentence := case.source_text[start:end]):
                self._sentences.setdefault(prefix, []).append(sentence)
        named = [Named(concept.label, concept.aliases) for concept in case.expected_concepts]
        self.index = NameIndex(named, (), rules.names, self._text)

    def mentions(self, names: Sequence[str]) -> bool:
        """Return whether the text contains one of the names, or words that the matcher takes for one."""
        if any(map(self._text.mentions, names)):
            return True
        acronyms = self.index.matcher.acronyms
        begins = sorted(name_prefixes(names, acronyms))
        places = dict.fromkeys(each for prefix in begins for each in self._sentences.get(prefix, ()))
        return any(mentions(each, names, self._text, lambda: acronyms) for each in places)


def lint_suite(cases: Sequence[GoldenCase]) -> list[Finding]:
    """Return findings on the number of cases and the coverage of domains."""
    findings: list[Finding] = []
    minimum, target, ideal = CASE_COUNTS
    cases_text = count(len(cases), "case")
    if len(cases) < minimum:
        what = f"{cases_text}, the minimum is {minimum} (target {target}, ideal {ideal})"
        findings.append(_standard("case-count", what))
    elif len(cases) < ideal:
        step = f"the target is {target}, the ideal" if len(cases) < target else "the ideal is"
        findings.append(lint_warning("case-count", f"{cases_text}; {step} {ideal} or more", setting="standards"))
    missing = [domain for domain in DOMAINS if domain not in {case.domain for case in cases}]
    if missing:
        findings.append(_standard("domain-coverage", f"no case for the domain {', '.join(missing)}"))
    return findings


def _header(case: GoldenCase) -> Iterator[Finding]:
    if not case.topic.strip():
        yield _standard("topic", "the topic is missing", ("topic",))
    if case.domain is None:
        yield _standard("domain", f"the domain is missing; one of {', '.join(DOMAINS)}", ("domain",))
    if not (case.origin or case.citation):
        yield _standard("origin", "say where the text comes from in `origin` or `citation`", ("origin",))
    if case.created is not None and not _is_date(case.created):
        yield lint_error("created", f"`{case.created}` is not a date YYYY-MM-DD", ("created",))


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
            yield _standard(f"{many.replace(' ', '-')}-count", what, (field,))


def _concepts(case: GoldenCase, matcher: _Matcher) -> Iterator[Finding]:
    concepts, whole = case.expected_concepts, ("expectedConcepts",)
    if sum(1 for concept in concepts if concept.aliases) < ALIASED:
        yield _standard("aliases", f"fewer than {ALIASED} concepts have aliases", whole)
    if len({concept.required for concept in concepts}) == 1:
        kind = "required" if concepts[0].required else "optional"
        yield _standard("required-mix", f"all concepts are {kind}; mark both kinds", whole)
    inferred = len([concept for concept in concepts if concept.inferred])
    if inferred * INFERRED_SHARE > len(concepts):
        what = f"{part(inferred, len(concepts), 'concept', 'is', 'are')} inferred, at most one in ten may be"
        yield _standard("inferred", what, whole)
    owner: dict[str, tuple[int, str]] = {}
    for i, concept in enumerate(concepts):
        names = [concept.label, *concept.aliases]
        for j, name in enumerate(names):
            place = (*whole, i, "aliases", j - 1) if j else (*whole, i, "label")
            key = normalise(name)
            at, label = owner.setdefault(key, (i, concept.label))
            if not key:
                yield lint_error("empty-name", f"`{name}` has no letter or digit", place)
            elif at != i:
                yield lint_error("name-twice", f"`{name}` is also a name of `{label}`", place)
        occurs = matcher.mentions(names)
        if not concept.inferred and not occurs:
            what = f"neither `{concept.label}` nor an alias occurs in the text; add the form used there"
            yield lint_error("not-in-text", f'{what}, or mark it `"inferred": true`', (*whole, i, "label"))
        if concept.inferred and occurs:
            what = f"`{concept.label}` is marked inferred but occurs in the text"
            yield lint_warning("inferred", what, (*whole, i, "inferred"))


def _types(case: GoldenCase, rules: Rules) -> Iterator[Finding]:
    concepts = case.expected_concepts
    bare = [i for i, concept in enumerate(concepts) if concept.type is None]
    if bare and (len(bare) < len(concepts) or rules.types is not None):
        what = f"{part(len(bare), len(concepts), 'concept', 'has', 'have')} no type; give one to all of them"
        yield lint_warning("types", what, ("expectedConcepts", bare[0], "label"))
    known = {category_key(name): name for name in rules.types or ()}
    for i, concept in enumerate(concepts):
        if known and concept.type is not None and concept.type not in known.values():
            hint = _like(concept.type, [*known.values()], known.get(category_key(concept.type)))
            hint = hint or f"; one of {', '.join(known.values())}"
            what = f"type `{concept.type}` is not one of the suite's{hint}"
            yield lint_error("type", what, ("expectedConcepts", i, "type"), "types")


def _like(name: str, known: Sequence[str], exact: str | None = None) -> str:
    """Return the end of a message that suggests `exact`, or else the most similar known name; empty for none."""
    found = process.extractOne(name, known, processor=str.casefold, score_cutoff=LIKE)
    near = exact or next(iter(found or ()), None)
    return f"; did you mean `{near}`?" if near else ""


def _canaries(case: GoldenCase, matcher: _Matcher) -> Iterator[Finding]:
    seen: set[str] = set()
    for i, canary in enumerate(case.forbidden_concepts):
        key, place = normalise(canary), ("forbiddenConcepts", i)
        if not key:
            yield lint_error("empty-name", f"`{canary}` has no letter or digit", place)
            continue
        if key in seen:
            yield lint_error("canary-twice", f"`{canary}` is listed twice", place)
        seen.add(key)
        if (found := matcher.index.resolve(canary)) is not None:
            what = f"canary `{canary}` is too close to the expected `{case.expected_concepts[found[0]].label}`"
            yield lint_error("canary-expected", what, place, "matching" if matcher.index.exact(canary) is None else "")
        if matcher.mentions([canary]):
            yield lint_error("canary-in-text", f"canary `{canary}` occurs in the text", place)


def _relationships(case: GoldenCase, rules: Rules) -> Iterator[Finding]:
    links, forbidden = case.expected_relationships, case.forbidden_relationships
    predicates = Predicates(rules.inverses, rules.symmetric)
    known = {fold_predicate(name) for name in rules.predicates}
    # A case may also use the inverse of an allowed predicate, which matches with its ends swapped.
    pairs = [tuple(map(fold_predicate, pair)) for pair in rules.inverses]
    known |= {name for pair in pairs if not known.isdisjoint(pair) for name in pair}
    labels = dict.fromkeys(concept.label for concept in case.expected_concepts)
    by_key = {normalise(label): label for label in labels}
    keys: dict[tuple[str, str, str], int] = {}
    for field, rows in (("expectedRelationships", links), ("forbiddenRelationships", forbidden)):
        for i, link in enumerate(rows):
            yield from _ends(link, (field, i), labels, by_key)
            if known and fold_predicate(link.predicate) not in known:
                what = f"predicate `{link.predicate}` is not one of {', '.join(rules.predicates)}"
                yield lint_error("predicate", what, (field, i, "predicate"), "predicates.allowed")
            key = relationship_key(link, predicates)
            if field == "expectedRelationships":
                if key in keys:
                    yield lint_error("relationship-twice", f"the same as relationship {keys[key] + 1}", (field, i))
                keys.setdefault(key, i)
            elif key in keys:
                yield lint_error(
                    "contradiction", f"forbidden, and also expected (relationship {keys[key] + 1})", (field, i)
                )
            elif key in {relationship_key(other, predicates) for other in forbidden[:i]}:
                yield lint_error("relationship-twice", "the same as an earlier forbidden relationship", (field, i))
    used = {name for link in links for name in (link.source, link.target)}
    for i, concept in enumerate(case.expected_concepts):
        if links and concept.label not in used:
            place = ("expectedConcepts", i, "label")
            yield lint_warning(
                "unconnected", f"`{concept.label}` is not part of any relationship", place, setting="standards"
            )


def _ends(
    link: Relationship, place: tuple[str | int, ...], labels: dict[str, None], by_key: dict[str, str]
) -> Iterator[Finding]:
    for end, name in (("source", link.source), ("target", link.target)):
        if name not in labels:
            hint = _like(name, [*labels], by_key.get(normalise(name)))
            yield lint_error("unknown-end", f"`{name}` is not the label of an expected concept{hint}", (*place, end))
    if normalise(link.source) == normalise(link.target):
        yield lint_error("self-relationship", f"`{link.source}` is related to itself", place)


def relationship_key(link: Relationship, predicates: Predicates) -> tuple[str, str, str]:
    """Return predicate, source and target, the same for a relationship and its inverse."""
    name, swapped, symmetric = predicates.canonical(link.predicate)
    source, target = normalise(link.source), normalise(link.target)
    if target < source if symmetric else swapped:
        source, target = target, source
    return name, source, target
