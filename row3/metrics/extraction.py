"""Metrics of concept and relationship extraction (STANDARDS section 1, DESIGN).

Each is a numerator and a denominator, from which per-case values, means and pooled values derive.
"""

from __future__ import annotations

from collections.abc import Collection

from row3.domain.matches import CORRECT, CORRECT_RELATIONSHIP, Explanation
from row3.metrics.aggregate import counted
from row3.metrics.ratios import f1, ratio

Counts = dict[str, tuple[int, int]]


def concept_counts(explanation: Explanation) -> Counts:
    """Return counts over n extracted and e expected concepts.

    - recall = found / e, where found are the expected concepts that an item matched (STANDARDS 1.2);
    - precision = correct / (n - d), where d are duplicates: further items for the same expected concept, which are not
      counted (STANDARDS 1.1; DESIGN, "Duplicates");
    - provenanceCoverage = with a source quote / n (STANDARDS 1.5);
    - requiredRecall = required and found / required;
    - provenanceVerified = with a quote that occurs in the source text and mentions its concept / n;
    - hallucinationRate = canaries / n (STANDARDS 1.6);
    - ungroundedRate = neither expected nor in the source text / n;
    - duplicateRate = d / n;
    - deduplicationAccuracy = found by exactly one item / found (V7, "Same entity mentions merged correctly").
    """
    concepts = explanation.concepts
    states = counted([match.state for match in concepts])
    quotes = [match.quote for match in concepts]
    n, duplicates = len(concepts), states.get("duplicate", 0)
    correct = sum([states.get(state, 0) for state in CORRECT])
    found_again = {match.expected for match in concepts if match.state == "duplicate"} if duplicates else ()
    required = [each.found_by is not None for each in explanation.expected_concepts if each.required]
    return {
        "recall": (correct, len(explanation.expected_concepts)),
        "requiredRecall": (sum(required), len(required)),
        "precision": (correct, n - duplicates),
        "provenanceCoverage": (n - quotes.count("missing"), n),
        "hallucinationRate": (states.get("canary", 0), n),
        "provenanceVerified": (quotes.count("verified"), n),
        "ungroundedRate": ([match.grounded for match in concepts].count(False), n),
        "duplicateRate": (duplicates, n),
        "deduplicationAccuracy": (correct - len(found_again), correct),
    }


def type_counts(explanation: Explanation) -> Counts:
    """Return counts over the t matched concepts whose expected concept has a type.

    - typeAccuracy = correct type / t, compared by `category_key` (EXPERIMENTS);
    - typesNormalised = types that are correct only by that key, not as written / t.
    """
    states = [match.type.state for match in explanation.concepts if match.type is not None]
    t, normalised = len(states), states.count("normalised")
    return {"typeAccuracy": (states.count("exact") + normalised, t), "typesNormalised": (normalised, t)}


def relationship_counts(explanation: Explanation) -> Counts:
    """Return counts over n extracted and e expected relationships.

    - relationshipAccuracy = correct / n (STANDARDS 1.4); a repeated relationship is correct once;
    - relationshipRecall = found / e;
    - forbiddenRelationshipRate = forbidden / n.
    """
    states = counted([match.state for match in explanation.relationships])
    n = len(explanation.relationships)
    correct = sum([states.get(state, 0) for state in CORRECT_RELATIONSHIP])
    return {
        "relationshipAccuracy": (correct, n),
        "relationshipRecall": (correct, len(explanation.expected_relationships)),
        "forbiddenRelationshipRate": (states.get("forbidden", 0), n),
    }


def values(counts: Counts, skipped: Collection[str] = ()) -> dict[str, float]:
    """Return a case's metrics from its counts, except `skipped` ones."""
    metrics = {key: ratio(*pair) for key, pair in counts.items() if key not in skipped}
    if "recall" in metrics and "precision" in metrics:
        metrics["f1"] = f1(metrics["precision"], metrics["recall"])
    return metrics
