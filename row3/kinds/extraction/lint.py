"""What makes a golden case of kind `extraction` weak, wrong or self-contradicting (STANDARDS, section 3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial

from rapidfuzz import process

from row3.domain.counts import count, part
from row3.kinds.base import Finding, Rules
from row3.kinds.extraction.model import DOMAINS, GoldenCase, Relationship
from row3.matching.names import closest
from row3.matching.normalise import normalise, normalise_text
from row3.matching.predicates import Predicates, fold_predicate
from row3.matching.spellings.forms import category_key

_error, _warning = partial(Finding, "error"), partial(Finding, "warning")
CONCEPTS = (15, 25)
ALIASED = 3
RELATIONSHIPS = (30, 50)
CANARIES = (5, 10)
FORBIDDEN = (3, 5)
WORDS = (300, 800)
PARAGRAPHS = (2, 5)
INFERRED_SHARE = 10
"""At most one expected concept in this many may be marked `inferred`."""
CASE_COUNTS = (5, 10, 15)
"""Minimum, target and ideal number of cases (STANDARDS 3.1)."""


def lint_case(case: GoldenCase, rules: Rules) -> list[Finding]:
    """All findings of one case, in the order of its fields."""
    findings = [*_header(case), *_text(case), *_concepts(case), *_types(case, rules), *_canaries(case, rules)]
    return [*findings, *_relationships(case, rules)]


def lint_suite(cases: Sequence[GoldenCase]) -> list[Finding]:
    """Number of cases and coverage of the domains, each with the step that is missed."""
    findings: list[Finding] = []
    minimum, target, ideal = CASE_COUNTS
    there, many = len(cases), count(len(cases), "case")
    if there < minimum:
        what = f"{many}, the minimum is {minimum} (target {target}, ideal {ideal})"
        findings.append(_error("case-count", what, of_size=True))
    elif there < ideal:
        step = f"the target is {target}, the ideal" if there < target else "the ideal is"
        findings.append(_warning("case-count", f"{many}; {step} {ideal} or more", of_size=True))
    missing = [domain for domain in DOMAINS if domain not in {case.domain for case in cases}]
    if missing:
        what = f"no case for the domain {', '.join(missing)}"
        findings.append(_error("domain-coverage", what, of_size=True))
    return findings


def _outside(many: str, one: str, number: int, limits: tuple[int, int], field: str) -> Iterator[Finding]:
    low, high = limits
    if not low <= number <= high:
        what = f"{count(number, one, many)}, should be {low} to {high}"
        yield _error(f"{many.replace(' ', '-')}-count", what, (field,), of_size=True)


def _header(case: GoldenCase) -> Iterator[Finding]:
    if not case.topic.strip():
        yield _error("topic", "the topic is missing", ("topic",))
    if case.domain is None:
        what = f"the domain is missing; one of {', '.join(DOMAINS)}"
        yield _error("domain", what, ("domain",), of_size=True)
    if not (case.origin or case.citation):
        yield _error("origin", "say where the text comes from in `origin` or `citation`", ("origin",))
    if case.created is None:
        yield _warning("created", "the date of creation is missing", ("created",))
    else:
        try:
            if date.fromisoformat(case.created).isoformat() != case.created:
                raise ValueError
        except ValueError:
            yield _error("created", f"`{case.created}` is not a date YYYY-MM-DD", ("created",))


def _text(case: GoldenCase) -> Iterator[Finding]:
    yield from _outside("words", "word", len(case.source_text.split()), WORDS, "sourceText")
    paragraphs = [part for part in re.split(r"\n\s*\n", case.source_text) if part.strip()]
    yield from _outside("paragraphs", "paragraph", len(paragraphs), PARAGRAPHS, "sourceText")


def _concepts(case: GoldenCase) -> Iterator[Finding]:
    concepts = case.expected_concepts
    yield from _outside("concepts", "concept", len(concepts), CONCEPTS, "expectedConcepts")
    if sum(1 for concept in concepts if concept.aliases) < ALIASED:
        what = f"fewer than {ALIASED} concepts have aliases"
        yield _error("aliases", what, ("expectedConcepts",), of_size=True)
    if len({concept.required for concept in concepts}) == 1:
        kind = "required" if concepts[0].required else "optional"
        what = f"all concepts are {kind}; mark both kinds"
        yield _error("required-mix", what, ("expectedConcepts",), of_size=True)
    inferred = [concept for concept in concepts if concept.inferred]
    if len(inferred) * INFERRED_SHARE > len(concepts):
        yield _error(
            "inferred",
            f"{part(len(inferred), len(concepts), 'concept', 'is', 'are')} inferred, at most one in ten may be",
            ("expectedConcepts",),
        )
    text = f" {normalise_text(case.source_text)} "
    owner: dict[str, tuple[int, str]] = {}
    for i, concept in enumerate(concepts):
        names = [concept.label, *concept.aliases]
        for j, name in enumerate(names):
            place: tuple[str | int, ...] = ("expectedConcepts", i, "label")
            if j:
                place = ("expectedConcepts", i, "aliases", j - 1)
            key = normalise(name)
            if not key:
                yield _error("empty-name", f"`{name}` has no letter or digit", place)
            elif key in owner and owner[key][0] != i:
                yield _error("name-twice", f"`{name}` is also a name of `{owner[key][1]}`", place)
            elif key in owner:
                yield _warning("alias-twice", f"`{name}` is the same as another name of this concept", place)
            owner.setdefault(key, (i, concept.label))
        occurs = any(f" {normalise(name)} " in text for name in names)
        if not concept.inferred and not occurs:
            yield _error(
                "not-in-text",
                f"`{concept.label}` occurs in the text under neither label nor alias; "
                'add the form in which it stands, or mark it `"inferred": true`',
                ("expectedConcepts", i, "label"),
            )
        if concept.inferred and occurs:
            yield _warning(
                "inferred",
                f"`{concept.label}` is marked inferred but stands in the text",
                ("expectedConcepts", i, "inferred"),
            )


def _types(case: GoldenCase, rules: Rules) -> Iterator[Finding]:
    concepts = case.expected_concepts
    bare = [i for i, concept in enumerate(concepts) if concept.type is None]
    if bare and (len(bare) < len(concepts) or rules.types is not None):
        what = f"{part(len(bare), len(concepts), 'concept', 'has', 'have')} no type; give one to all of them"
        yield _warning("types", what, ("expectedConcepts", bare[0], "label"))
    known = {category_key(name): name for name in rules.types or ()}
    for i, concept in enumerate(concepts):
        if known and concept.type is not None and concept.type not in known.values():
            like = process.extractOne(concept.type, list(known.values()), processor=str.casefold, score_cutoff=70)
            near = known.get(category_key(concept.type)) or next(iter(like or ()), None)
            hint = f"; did you mean `{near}`?" if near else f"; one of {', '.join(known.values())}"
            what = f"type `{concept.type}` is none of the suite's{hint}"
            yield _error("type", what, ("expectedConcepts", i, "type"))


def _canaries(case: GoldenCase, rules: Rules) -> Iterator[Finding]:
    yield from _outside("canaries", "canary", len(case.forbidden_concepts), CANARIES, "forbiddenConcepts")
    words = normalise_text(case.source_text).split()
    names = {
        normalise(name): concept.label
        for concept in case.expected_concepts
        for name in (concept.label, *concept.aliases)
    }
    seen: dict[str, int] = {}
    for i, canary in enumerate(case.forbidden_concepts):
        key, place = normalise(canary), ("forbiddenConcepts", i)
        if not key:
            yield _error("empty-name", f"`{canary}` has no letter or digit", place)
            continue
        if key in seen:
            yield _error("canary-twice", f"`{canary}` is listed twice", place)
        seen[key] = i
        if (near := closest(key, list(names), rules.names)) is not None:
            yield _error("canary-expected", f"canary `{canary}` is too close to the expected `{names[near]}`", place)
        length = len(key.split())
        windows = dict.fromkeys(
            " ".join(words[at : at + size])
            for size in range(max(1, length - 1), length + 2)
            for at in range(len(words) - size + 1)
        )
        if (near := closest(key, list(windows), rules.names)) is not None:
            how = "occurs" if near == key else f"nearly occurs (as `{near}`)"
            yield _error("canary-in-text", f"canary `{canary}` {how} in the text", place)


def _relationships(case: GoldenCase, rules: Rules) -> Iterator[Finding]:
    links, forbidden = case.expected_relationships, case.forbidden_relationships
    yield from _outside("relationships", "relationship", len(links), RELATIONSHIPS, "expectedRelationships")
    yield from _outside(
        "forbidden relationships", "forbidden relationship", len(forbidden), FORBIDDEN, "forbiddenRelationships"
    )
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
                yield _error(
                    "predicate",
                    f"predicate `{link.predicate}` is not one of {', '.join(rules.predicates)}",
                    (field, i, "predicate"),
                )
            key = _key(link, predicates)
            if field == "expectedRelationships":
                if key in keys:
                    yield _error("relationship-twice", f"the same relationship as number {keys[key] + 1}", (field, i))
                keys.setdefault(key, i)
            elif key in keys:
                yield _error("contradiction", f"expected (number {keys[key] + 1}) and forbidden", (field, i))
            elif key in {_key(other, predicates) for other in forbidden[:i]}:
                yield _error("relationship-twice", "the same forbidden relationship stands above", (field, i))
    if labels:
        used = Counter(name for link in links for name in (link.source, link.target))
        for i, concept in enumerate(case.expected_concepts):
            if links and not used[concept.label]:
                yield _warning(
                    "unconnected", f"`{concept.label}` is in no relationship", ("expectedConcepts", i, "label")
                )


def _ends(
    link: Relationship, place: tuple[str | int, ...], labels: dict[str, None], by_key: dict[str, str]
) -> Iterator[Finding]:
    for end, name in (("source", link.source), ("target", link.target)):
        if name not in labels:
            near = by_key.get(normalise(name)) or next(
                iter(process.extractOne(name, list(labels), score_cutoff=70) or ()), None
            )
            hint = f"; did you mean `{near}`?" if near else ""
            yield _error("unknown-end", f"`{name}` is not the label of an expected concept{hint}", (*place, end))
    if normalise(link.source) == normalise(link.target):
        yield _error("self-relationship", f"`{link.source}` is related to itself", place)


def _key(link: Relationship, predicates: Predicates) -> tuple[str, str, str]:
    name, swapped, symmetric = predicates.canonical(link.predicate)
    source, target = normalise(link.source), normalise(link.target)
    if target < source if symmetric else swapped:
        source, target = target, source
    return name, source, target
