"""Kind `extraction`: what is counted of an explanation, for metrics and for the tally.

The tally says how many items were what, and which predicates and types were said for which: a scorecard adds them up,
so that a user sees what kind of error the prompt makes (STANDARDS 6.3).
"""

from __future__ import annotations

from functools import lru_cache

from row3.domain.matches import CORRECT_RELATIONSHIP, Explanation, Triple
from row3.domain.scores import Tally
from row3.kinds.base import Measured, Rules
from row3.kinds.extraction.explain import carries_types
from row3.kinds.extraction.model import GoldenCase
from row3.matching.predicates import fold_predicate
from row3.metrics.aggregate import PAIR, counted
from row3.metrics.extraction import concept_counts, relationship_counts, type_counts, values
from row3.metrics.ratios import overall

LONGEST = 80
"""Characters kept of a predicate that an answer gives."""


def measured(case: GoldenCase, explanation: Explanation, rules: Rules) -> Measured:
    """Return the counts, the tally, and why metrics do not apply."""
    typed = carries_types(case)
    counts = concept_counts(explanation) | relationship_counts(explanation)
    if typed:
        counts |= type_counts(explanation)
    skipped, empty = _skipped(case, explanation, typed=typed)
    metrics = values(counts, skipped.keys() | empty.keys())
    metrics["overall"] = overall(metrics, rules.weights)
    return Measured(explanation, counts, metrics, skipped, empty, _tally(explanation, rules, typed=typed))


def _skipped(case: GoldenCase, explanation: Explanation, *, typed: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return why metrics do not apply: because of the case, and because of the answer."""
    concepts, relationships = case.expected_concepts, case.expected_relationships
    skipped: dict[str, str] = {}
    empty: dict[str, str] = {}
    if not concepts:
        skipped |= dict.fromkeys(("recall", "f1", "deduplicationAccuracy"), "the case expects no concepts")
        if relationships:
            skipped["precision"] = "the case expects no concepts"
    if not relationships:
        skipped["relationshipRecall"] = "the case expects no relationships"
        if concepts:
            skipped["relationshipAccuracy"] = "the case expects no relationships"
    if not case.forbidden_relationships:
        skipped["forbiddenRelationshipRate"] = "the case forbids no relationships"
    if not typed:
        skipped |= dict.fromkeys(("typeAccuracy", "typesNormalised"), "the case carries no types")
    if not concepts and not relationships and not explanation.relationships:
        # Where nothing is to be found, silence is right, and what is said all the same is judged.
        skipped["relationshipAccuracy"] = "no relationships are expected or extracted"
        if not explanation.concepts:
            about_concepts = ("precision", "provenanceCoverage", "provenanceVerified")
            empty = dict.fromkeys(about_concepts, "no concepts are expected or extracted")
    return skipped, empty


@lru_cache(maxsize=4096)
def _spelt(
    predicate: str,
    allowed: tuple[str, ...],
    inverses: tuple[tuple[str, str], ...],
    symmetric: tuple[str, ...],
) -> tuple[str, bool]:
    """Return how a predicate is shown, and whether the suite knows it; a suite that allows none knows them all."""
    folded = fold_predicate(predicate.encode("utf-8", "replace").decode())[:LONGEST]
    names = (*(name for pair in inverses for name in pair), *symmetric, *allowed) if allowed else ()
    known = {fold_predicate(name): name for name in names}.get(folded)
    loud = predicate.isupper() or (bool(allowed) and all(name.isupper() for name in allowed))
    return known or (folded.upper() if loud else folded), known is not None or not allowed


def _tally(explanation: Explanation, rules: Rules, *, typed: bool) -> Tally:
    """Return concepts, relationships and types by state, and by name what was said for what."""
    groups = {
        "concepts": counted([match.state for match in explanation.concepts]),
        "relationships": counted([match.state for match in explanation.relationships]),
        **_predicates(explanation, rules),
    }
    if typed and (types := [match.type for match in explanation.concepts if match.type is not None]):
        groups["types"] = counted([match.state for match in types])
        for group, state in (("normalisedTypes", "normalised"), ("wrongTypes", "wrong")):
            if pairs := [f"{match.given}{PAIR}{match.expected}" for match in types if match.state == state]:
                groups[group] = counted(pairs)
    return groups


def _predicates(explanation: Explanation, rules: Rules) -> dict[str, dict[str, int]]:
    """Which predicate was said for which, and those that neither the suite nor the case knows."""
    wrong = [match for match in explanation.relationships if match.state not in CORRECT_RELATIONSHIP]

    def spelt(triple: Triple) -> tuple[str, bool]:
        return _spelt(triple.predicate, rules.predicates, rules.inverses, rules.symmetric)

    mixed = [
        f"{spelt(match.triple)[0]}{PAIR}{spelt(match.expected)[0]}"
        for match in wrong
        if match.state == "wrong-predicate" and match.expected is not None
    ]
    expected = {spelt(each.triple)[0] for each in explanation.expected_relationships}
    said = [spelt(match.triple) for match in wrong if match.state != "forbidden"]
    strange = [name for name, known in said if not known and name not in expected]
    groups = {"wrongPredicates": counted(mixed), "unknownPredicates": counted(strange)}
    return {group: counts for group, counts in groups.items() if counts}
