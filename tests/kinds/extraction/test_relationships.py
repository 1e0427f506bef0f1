from __future__ import annotations

import itertools
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.matches import CORRECT_RELATIONSHIP, ExpectedRelationship, RelationshipMatch, Triple
from row3.domain.predicates import INVERSES, SYMMETRIC, Predicates
from row3.kinds.extraction.relationships import RelationshipIndex
from row3.matching.names import NameIndex
from row3.matching.scorers import Named, NameRule
from tests.rows import every_row

NAMES = NameIndex(
    [Named("John Smith", ["JS"]), Named("Mary Miller", ["MM"]), Named("Acme Company", []), Named("Berlin Office", [])],
    ["Johnny Smithers"],
    NameRule(),
)
JOHN, MARY, ACME, BERLIN = "John Smith", "Mary Miller", "Acme Company", "Berlin Office"


def index(expected: Sequence[Triple], forbidden: Sequence[Triple] = ()) -> RelationshipIndex:
    return RelationshipIndex([(triple, True) for triple in expected], forbidden, NAMES.resolve, Predicates())


def states(extracted: Sequence[Triple], expected: Sequence[Triple], forbidden: Sequence[Triple] = ()) -> list[str]:
    return [match.state for match in index(expected, forbidden).match(extracted)[0]]


def state(
    extracted: tuple[str, str, str], expected: tuple[str, str, str], forbidden: tuple[str, str, str] | None = None
) -> str:
    return states([Triple(*extracted)], [Triple(*expected)], [Triple(*forbidden)] if forbidden else [])[0]


class TestKindsOfMatch:
    def test_exact(self) -> None:
        expected = Triple(JOHN, "parent_of", MARY)
        assert index([expected]).match([expected])[0] == [RelationshipMatch(expected, "exact", expected)]

    def test_inverse(self) -> None:
        assert state((MARY, "child_of", JOHN), (JOHN, "parent_of", MARY)) == "inverse"

    def test_fuzzy(self) -> None:
        assert state(("John D. Smith", "parent_of", MARY), (JOHN, "parent_of", MARY)) == "fuzzy"
        assert state((JOHN, "parent_of", "Mary Millers"), (JOHN, "parent_of", MARY)) == "fuzzy"

    def test_inverse_fuzzy(self) -> None:
        assert state(("Mary Millers", "child_of", JOHN), (JOHN, "parent_of", MARY)) == "inverse-fuzzy"

    def test_an_alias_is_exact(self) -> None:
        assert state(("js", "parent_of", "MM"), (JOHN, "parent_of", MARY)) == "exact"
        assert state(("MM", "child_of", "js"), (JOHN, "parent_of", MARY)) == "inverse"

    def test_the_ends_of_an_expected_relationship_resolve_too(self) -> None:
        assert state((JOHN, "parent_of", MARY), ("JS", "parent_of", "MM")) == "exact"

    def test_the_spelling_of_a_predicate_does_not_matter(self) -> None:
        assert state((JOHN, "Is a", MARY), (JOHN, "IS_A", MARY)) == "exact"
        assert state((MARY, "Child-Of", JOHN), (JOHN, "PARENT_OF", MARY)) == "inverse"

    @every_row(("left", "right"), sorted(INVERSES.items()))
    def test_every_pair_of_inverses_in_both_directions(self, left: str, right: str) -> None:
        assert state((MARY, right, JOHN), (JOHN, left, MARY)) == "inverse"
        assert state((MARY, left, JOHN), (JOHN, right, MARY)) == "inverse"
        assert state((JOHN, left, MARY), (JOHN, left, MARY)) == "exact"
        assert state((JOHN, right, MARY), (JOHN, right, MARY)) == "exact"
        assert state((JOHN, right, MARY), (JOHN, left, MARY)) == "reversed"

    @every_row("predicate", SYMMETRIC)
    def test_symmetric_predicates_match_either_way_as_exact(self, predicate: str) -> None:
        for pair in ((JOHN, MARY), (MARY, JOHN), (BERLIN, JOHN), ("Nobody Known", JOHN), ("Zed", "Abc")):
            assert state((pair[0], predicate, pair[1]), (pair[1], predicate, pair[0])) == "exact"
            assert state((pair[0], predicate, pair[1]), (pair[0], predicate, pair[1])) == "exact"

    def test_symmetric_and_fuzzy(self) -> None:
        assert state(("Mary Millers", "RELATES_TO", JOHN), (JOHN, "RELATES_TO", MARY)) == "fuzzy"

    def test_ends_that_are_no_concepts_match_by_their_normal_form(self) -> None:
        assert state(("Some-thing Else", "CAUSES", JOHN), ("some thing else", "CAUSES", JOHN)) == "exact"


class TestMistakes:
    def test_reversed(self) -> None:
        assert state((MARY, "CAUSES", JOHN), (JOHN, "CAUSES", MARY)) == "reversed"

    def test_wrong_predicate(self) -> None:
        assert state((JOHN, "REQUIRES", MARY), (JOHN, "CAUSES", MARY)) == "wrong-predicate"
        assert state((MARY, "REQUIRES", JOHN), (JOHN, "CAUSES", MARY)) == "wrong-predicate"

    def test_wrong_end(self) -> None:
        assert state((JOHN, "CAUSES", ACME), (JOHN, "CAUSES", MARY)) == "wrong-end"
        assert state((ACME, "CAUSES", MARY), (JOHN, "CAUSES", MARY)) == "wrong-end"

    def test_an_inverse_with_a_wrong_end(self) -> None:
        assert state((ACME, "child_of", JOHN), (JOHN, "parent_of", MARY)) == "wrong-end"

    def test_unmatched(self) -> None:
        assert index([Triple(JOHN, "CAUSES", MARY)]).match([Triple(ACME, "CAUSES", BERLIN)])[0] == [
            RelationshipMatch(Triple(ACME, "CAUSES", BERLIN), "unmatched", None)
        ]

    def test_a_mistake_names_the_relationship_it_comes_nearest_to(self) -> None:
        expected = [Triple(JOHN, "CAUSES", MARY), Triple(ACME, "IS_A", BERLIN)]
        assert [
            m.expected
            for m in index(expected).match([Triple(MARY, "CAUSES", JOHN), Triple(ACME, "REQUIRES", BERLIN)])[0]
        ] == expected

    def test_forbidden(self) -> None:
        forbidden = Triple(ACME, "CAUSES", JOHN)
        assert index([Triple(JOHN, "CAUSES", ACME)], [forbidden]).match([forbidden])[0] == [
            RelationshipMatch(forbidden, "forbidden", forbidden)
        ]

    def test_forbidden_through_alias_fuzzy_inverse_and_symmetry(self) -> None:
        expected = (BERLIN, "IS_A", ACME)
        assert state(("JS", "CAUSES", "Mary Millers"), expected, (JOHN, "CAUSES", MARY)) == "forbidden"
        assert state((MARY, "child_of", JOHN), expected, (JOHN, "parent_of", MARY)) == "forbidden"
        assert state((MARY, "RELATES_TO", JOHN), expected, (JOHN, "RELATES_TO", MARY)) == "forbidden"

    def test_the_opposite_of_the_forbidden_is_not_forbidden(self) -> None:
        assert state((MARY, "CAUSES", JOHN), (BERLIN, "IS_A", ACME), (JOHN, "CAUSES", MARY)) == "unmatched"

    def test_an_end_that_is_a_canary_is_no_concept(self) -> None:
        assert state(("Johnny Smithers", "CAUSES", MARY), (JOHN, "CAUSES", MARY)) == "wrong-end"

    @every_row("end", ["", "?!", " "])
    def test_an_end_that_normalises_to_nothing_matches_no_concept(self, end: str) -> None:
        assert state((end, "CAUSES", MARY), (JOHN, "CAUSES", MARY)) == "wrong-end"


class TestOneToOne:
    def test_repeated_relationships_are_duplicates(self) -> None:
        triple = Triple(JOHN, "CAUSES", MARY)
        assert states([triple, triple, Triple("JS", "causes", "MM")], [triple]) == ["exact", "duplicate", "duplicate"]

    def test_the_inverse_of_one_found_is_a_duplicate(self) -> None:
        assert states(
            [Triple(MARY, "child_of", JOHN), Triple(JOHN, "parent_of", MARY)], [Triple(JOHN, "parent_of", MARY)]
        ) == [
            "duplicate",
            "exact",
        ]

    def test_both_directions_of_a_symmetric_one_are_duplicates(self) -> None:
        assert states(
            [Triple(JOHN, "RELATES_TO", MARY), Triple(MARY, "RELATES_TO", JOHN)], [Triple(MARY, "RELATES_TO", JOHN)]
        ) == [
            "exact",
            "duplicate",
        ]

    def test_both_directions_of_a_directed_one_are_two(self) -> None:
        both = [Triple(JOHN, "CAUSES", MARY), Triple(MARY, "CAUSES", JOHN)]
        assert states(both, both) == ["exact", "exact"]

    def test_exact_is_preferred_to_fuzzy_whatever_the_order(self) -> None:
        fuzzy, exact = Triple("John D. Smith", "CAUSES", MARY), Triple(JOHN, "CAUSES", MARY)
        assert states([fuzzy, exact], [exact]) == ["duplicate", "exact"]
        assert states([exact, fuzzy], [exact]) == ["exact", "duplicate"]

    def test_what_found_each_expected_one(self) -> None:
        expected = [Triple(JOHN, "parent_of", MARY), Triple(ACME, "CAUSES", BERLIN)]
        links = RelationshipIndex([(expected[0], True), (expected[1], False)], [], NAMES.resolve, Predicates())
        finder = Triple(MARY, "child_of", "JS")
        assert links.match([finder, Triple(BERLIN, "CAUSES", ACME)])[1] == [
            ExpectedRelationship(expected[0], True, finder),
            ExpectedRelationship(expected[1], False, None),
        ]

    def test_a_repeated_expectation_is_found_at_most_twice(self) -> None:
        triple = Triple(JOHN, "CAUSES", MARY)
        links = index([triple, triple])
        for count, found in ((1, 1), (2, 2), (3, 2)):
            matches, found_by = links.match([triple] * count)
            assert sum(match.state in CORRECT_RELATIONSHIP for match in matches) == found
            assert sum(entry.found_by is not None for entry in found_by) == found

    def test_nothing(self) -> None:
        assert index([]).match([]) == ([], [])
        assert states([Triple(JOHN, "CAUSES", MARY)], []) == ["unmatched"]
        assert index([Triple(JOHN, "CAUSES", MARY)]).match([])[1] == [
            ExpectedRelationship(Triple(JOHN, "CAUSES", MARY), True, None)
        ]


ENDS = st.sampled_from([JOHN, "JS", "John D. Smith", MARY, "MM", "Mary Millers", "stranger"])
TRIPLES = st.lists(
    st.builds(Triple, ENDS, st.sampled_from(["parent_of", "child_of", "RELATES_TO", "relates to", "CAUSES"]), ENDS),
    max_size=5,
)


def means_the_same(one: Triple, other: Triple) -> bool:
    """Written out rather than computed by the code under test."""
    who = {JOHN: 1, "JS": 1, "John D. Smith": 1, MARY: 2, "MM": 2, "Mary Millers": 2, "stranger": 3}

    def facts(triple: Triple) -> set[tuple[str, int, int]]:
        s, p, t = who[triple.source], triple.predicate.lower().replace(" ", "_"), who[triple.target]
        if p == "child_of":
            return {("parent_of", t, s)}
        return {(p, s, t), (p, t, s)} if p == "relates_to" else {(p, s, t)}

    return facts(one) == facts(other)


@given(TRIPLES, TRIPLES)
@settings(max_examples=150, deadline=None)
def test_matching_is_one_to_one_and_no_larger_one_exists(extracted: list[Triple], expected: list[Triple]) -> None:
    links = index(expected)
    matches, found = links.match(extracted)
    assert [match.triple for match in matches] == extracted
    right = [match for match in matches if match.state in CORRECT_RELATIONSHIP]
    assert all(match.expected is not None and means_the_same(match.triple, match.expected) for match in right)
    assert sum(entry.found_by is not None for entry in found) == len(right)

    slots = [*range(len(expected)), *[None] * len(extracted)]
    best = 0
    for chosen in set(itertools.permutations(slots, len(extracted))) if len(slots) <= 6 else ():
        best = max(
            best, sum(j is not None and means_the_same(t, expected[j]) for t, j in zip(extracted, chosen, strict=True))
        )
    if len(slots) > 6:  # equivalence classes: as many pairs as the smaller side has, class by class
        rest = list(expected)
        for triple in extracted:
            partner = next((other for other in rest if means_the_same(triple, other)), None)
            if partner is not None:
                rest.remove(partner)
                best += 1
    assert len(right) == best


@given(TRIPLES, TRIPLES)
@settings(max_examples=100, deadline=None)
def test_the_order_of_the_output_does_not_change_the_count(extracted: list[Triple], expected: list[Triple]) -> None:
    def count(triples: list[Triple]) -> int:
        return sum(match.state in CORRECT_RELATIONSHIP for match in index(expected).match(triples)[0])

    assert count(extracted) == count(extracted[::-1]) == count(sorted(extracted))
