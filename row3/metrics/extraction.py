"""The metrics of concept and relationship extraction (STANDARDS, section 1, and DESIGN beside it).

Each is a pair of counts, numerator and denominator, so that per-case values, their mean and the
pooled value all come from the same place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from row3.domain.matches import Explanation
from row3.metrics.ratios import f1, ratio

Counts = dict[str, tuple[int, int]]


def concept_counts(explanation: Explanation) -> Counts:
    """Counts over the extracted concepts; n of them, e expected.

    - recall = found / e, where found are the expected concepts that some item matched (STANDARDS 1.2);
    - precision = correct / (n - d), where d are duplicates: a second item for the same expected
      concept counts neither for nor against (STANDARDS 1.1 and DESIGN, "Duplicates");
    - provenanceCoverage = with a source quote / n (STANDARDS 1.5);
    - provenanceVerified = with a quote that occurs in the source text / n;
    - hallucinationRate = canaries / n (STANDARDS 1.6);
    - ungroundedRate = neither expected nor found in the source text / n;
    - duplicateRate = d / n.
    """
    concepts = explanation.concepts
    states = Counter([match.state for match in concepts])
    quotes = Counter([match.quote for match in concepts])
    grounded = sum([match.grounded for match in concepts])
    n = len(concepts)
    correct = states["exact"] + states["alias"] + states["fuzzy"]
    return {
        "recall": (correct, len(explanation.expected_concepts)),
        "precision": (correct, n - states["duplicate"]),
        "provenanceCoverage": (n - quotes["missing"], n),
        "hallucinationRate": (states["canary"], n),
        "provenanceVerified": (quotes["verified"], n),
        "ungroundedRate": (n - grounded, n),
        "duplicateRate": (states["duplicate"], n),
    }


def relationship_counts(explanation: Explanation) -> Counts:
    """Counts over the extracted relationships; n of them, e expected.

    - relationshipAccuracy = correct / n (STANDARDS 1.4); a repeated relationship is not correct twice;
    - relationshipRecall = found / e;
    - forbiddenRelationshipRate = forbidden / n.
    """
    states = Counter([match.state for match in explanation.relationships])
    n = len(explanation.relationships)
    correct = states["exact"] + states["inverse"] + states["fuzzy"] + states["inverse-fuzzy"]
    return {
        "relationshipAccuracy": (correct, n),
        "relationshipRecall": (correct, len(explanation.expected_relationships)),
        "forbiddenRelationshipRate": (states["forbidden"], n),
    }


def values(counts: Counts, skipped: Sequence[str] = ()) -> dict[str, float]:
    """The metrics of one case from its counts, without those that do not apply to it."""
    metrics = {key: ratio(*pair) for key, pair in counts.items() if key not in skipped}
    if "recall" in metrics and "precision" in metrics:
        metrics["f1"] = f1(metrics["precision"], metrics["recall"])
    return metrics
