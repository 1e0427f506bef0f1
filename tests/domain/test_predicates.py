from __future__ import annotations

from row3.domain.predicates import INVERSES, ROW3_PREDICATES, SYMMETRIC, Predicates, fold_predicate
from tests.rows import every_row

EXPERIMENTS_INVERSES = {
    ("parent_of", "child_of"),
    ("employs", "employed_by"),
    ("contains", "contained_in"),
    ("owns", "owned_by"),
    ("manages", "managed_by"),
    ("created", "created_by"),
    ("supervises", "supervised_by"),
    ("leads", "led_by"),
    ("member_of", "has_member"),
    ("located_in", "contains_location"),
    ("lived_in", "was_residence_of"),
    ("born_in", "birthplace_of"),
    ("died_in", "deathplace_of"),
    ("originated_from", "origin_of"),
}
EXPERIMENTS_SYMMETRIC = {
    "married_to", "sibling_of", "related_to", "colleague_of", "friend_of", "neighbor_of", "connected_to",
    "associated_with", "partnered_with",
}  # fmt: skip


def test_inverses_are_those_of_experiments() -> None:
    assert set(INVERSES.items()) == EXPERIMENTS_INVERSES


def test_symmetric_are_those_of_experiments_and_relates_to() -> None:
    assert set(SYMMETRIC) == EXPERIMENTS_SYMMETRIC | {"relates_to"}


def test_the_five_predicates_of_row_3() -> None:
    assert ROW3_PREDICATES == ("IS_A", "CAUSES", "PRECEDES", "REQUIRES", "RELATES_TO")


@every_row("spelling", ["IS_A", "is_a", "Is a", "is-a", " is  a ", "IS A", "is_ a"])
def test_spellings_of_a_predicate_are_folded(spelling: str) -> None:
    assert fold_predicate(spelling) == "is_a"


@every_row(("left", "right"), sorted(EXPERIMENTS_INVERSES))
def test_a_pair_of_inverses_has_one_canonical_name_and_opposite_directions(left: str, right: str) -> None:
    (name, swapped, symmetric), (other, turned, _) = map(Predicates().canonical, (left, right))
    assert name == other
    assert swapped is not turned
    assert symmetric is False


@every_row("name", SYMMETRIC)
def test_symmetric_predicates_in_any_spelling(name: str) -> None:
    assert Predicates().canonical(name.upper().replace("_", " ")) == (name, False, True)


@every_row("name", ["IS_A", "CAUSES", "PRECEDES", "REQUIRES"])
def test_the_other_row_3_predicates_have_a_direction(name: str) -> None:
    assert Predicates().canonical(name) == (name.lower(), False, False)


def test_a_suite_may_have_its_own() -> None:
    own = Predicates((("Eats", "Eaten By"),), ["Touches"])
    assert own.canonical("eaten_by") == ("eats", True, False)
    assert own.canonical("TOUCHES") == ("touches", False, True)
    assert own.canonical("child_of") == ("child_of", False, False)


def test_two_inverses_of_one_predicate_are_the_same() -> None:
    predicates = Predicates((("owned_by", "owns"), ("owns", "has")), ())
    (name, turned, _), *others = map(predicates.canonical, ("owned_by", "has", "owns"))
    assert [other[0] for other in others] == [name, name]
    assert [other[1] for other in others] == [turned, not turned]


def test_families_that_meet_later_are_one() -> None:
    predicates = Predicates((("a", "b"), ("c", "d"), ("b", "d")), ())
    assert {predicates.canonical(name)[0] for name in "abcd"} == {"a"}
    assert [predicates.canonical(name)[1] for name in "abcd"] == [False, True, True, False]


def test_the_inverse_of_a_symmetric_predicate_is_symmetric() -> None:
    predicates = Predicates((("owns", "owned_by"),), ("OWNED_BY",))
    assert predicates.canonical("owns") == ("owns", False, True)
    assert predicates.canonical("owned_by") == ("owns", True, True)


@every_row("pairs", [(("meets", "meets"),), (("a", "b"), ("b", "c"), ("c", "a"))])
def test_a_predicate_that_is_its_own_inverse_is_symmetric(pairs: tuple[tuple[str, str], ...]) -> None:
    predicates = Predicates(pairs, ())
    assert all(predicates.canonical(name)[2] for pair in pairs for name in pair)
