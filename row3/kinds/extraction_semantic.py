"""Kind `extraction`: what nothing else matched, matched by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.matches import CORRECT
from row3.matching.names import Named, NameMatch
from row3.matching.semantic import Candidate, match_by_meaning
from row3.matching.semantic_rule import SemanticRule, Similarity


def with_meanings(
    matches: Sequence[NameMatch],
    labels: Sequence[str],
    expected: Sequence[Named],
    canaries: Sequence[str],
    *,
    rule: SemanticRule,
    similarity: Similarity,
) -> list[NameMatch]:
    """The matches, in which unmatched names have found expected concepts that nothing found."""
    found = {match.position for match in matches if match.state in CORRECT}
    missed = [Candidate(place, (one.label, *one.aliases)) for place, one in enumerate(expected) if place not in found]
    left = {item: labels[item] for item, match in enumerate(matches) if match.state == "unmatched"}
    if not missed or not left:
        return list(matches)
    # What is spelt much like a concept, and yet is another, is not to be it by meaning.
    apart = {item: matches[item].position for item in left if matches[item].why_not}
    rivals = [*canaries, *(expected[place].label for place in sorted(found))]
    result = list(matches)
    chosen = match_by_meaning(left, missed, rivals, rule.threshold, similarity, apart=apart)
    for item, (place, score) in chosen.items():
        result[item] = NameMatch("semantic", place, score)
    return result
