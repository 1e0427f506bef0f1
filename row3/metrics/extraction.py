"""The metrics of concept and relationship extraction (STANDARDS, section 1, and DESIGN beside it).

Each is a pair of counts, numerator and denominator, so that per-case values, their mean and the
pooled value all come from the same place.
"""

from __future__ import annotations

from collections.abc import Collection

from row3.domain.matches import CORRECT, CORRECT_RELATIONSHIP, Explanation
from row3.metrics.aggregate import counted
from row3.metrics.ratios import f1, ratio

Counts = dict[str, tuple[int, int]]


def concept_counts(explanation: Explanation) -> Counts:
    """Counts over the extracted concepts; n of them, e expected.

    - recall = found / e, where found are the expected concepts that some item matched (STANDARDS 1.2);
    - precision = correct / (n - d), where d are duplicates: a second item for the same expected
      concept counts neither for nor against (STANDARDS 1.1 and DESIGN, "Duplicates");
    - provenanceCoverage = with a source quote / n (STANDARDS 1.5);
    - requiredRecall = found of the required / required;
    - provenanceVerified = with a quote that occurs in the source text and mentions its concept / n;
    - hallucinationRate = canaries / n (STANDARDS 1.6);
    - ungroundedRate = neither expected nor found in the source text / n;
    - duplicateRate = d / n;
    - deduplicationAccuracy = found by one item only / found (V7, "Same entity mentions merged correctly").
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
    """Counts over the matched concepts whose expected one has a type; t of them.

    - typeAccuracy = with the correct type / t, by the key of `matching.forms.category_key` (EXPERIMENTS);
    - typesNormalised = with a type that is correct only by that key / t: written otherwise than the suite does.
    """
    states = [match.type.state for match in explanation.concepts if match.type is not None]
    t, normalised = len(states), states.count("normalised")
    return {"typeAccuracy": (states.count("exact") + normalised, t), "typesNormalised": (normalised, t)}


def relationship_counts(explanation: Explanation) -> Counts:
    """Counts over the extracted relationships; n of them, e expected.

    - relationshipAccuracy = correct / n (STANDARDS 1.4); a repeated relationship is not correct twice;
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
    """Return the metrics of one case from its counts, without those that do not apply to it."""
    metrics = {key: ratio(*pair) for key, pair in counts.items() if key not in skipped}
    if "recall" in metrics and "precision" in metrics:
        metrics["f1"] = f1(metrics["precision"], metrics["recall"])
    return metrics
