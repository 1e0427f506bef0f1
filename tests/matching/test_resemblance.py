from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.matching.resemblance import best_resemblance, grouped, readings, resemblance, same_thing

NAMES = st.text(alphabet="abc ()-", max_size=20)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("wild yeast", "wild yeasts"),
        ("wild yeast", "Yeast, wild"),
        ("State machine replication (SMR)", "state machine replication"),
        ("State machine replication (SMR)", "SMR"),
        ("SMR", "state machine replication"),
        ("Ozone-depleting substances", "ozone depleting substance"),
    ],
)
def test_forms_of_one(one: str, other: str) -> None:
    assert same_thing(one, other)
    assert same_thing(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("soil carbon", "soil carbon model"),
        ("soil organic carbon (topsoil)", "soil organic carbon (subsoil)"),
        ("salt", "malt extract"),
        ("", "rye"),
        ("()", "rye"),
    ],
)
def test_two_things(one: str, other: str) -> None:
    assert not same_thing(one, other)


def test_resemblance_by_hand() -> None:
    assert resemblance("Rye bread", "bread, rye") == 1.0
    assert resemblance("rye", "rye") == 1.0
    assert resemblance("RB", "rye bread") == 0.95
    assert resemblance("rye bread (RB)", "rye bread") == 0.95
    assert resemblance("Fixed ordering costs", "ordering costs") == pytest.approx(0.9)
    assert resemblance("rye", "") == 0.0
    assert best_resemblance(["rye", "x"], ["oat", "ryes"]) == pytest.approx(6 / 7)
    assert best_resemblance([], ["rye"]) == 0.0


@given(NAMES, NAMES)
def test_resemblance_is_symmetric_and_a_fraction(one: str, other: str) -> None:
    assert 0.0 <= resemblance(one, other) <= 1.0
    assert resemblance(one, other) == pytest.approx(resemblance(other, one))
    assert same_thing(one, other) == same_thing(other, one)


def test_readings() -> None:
    assert readings("rye bread (RB)") == ["rye bread (RB)", "rye bread", "RB"]
    assert readings("rye (x) bread") == ["rye (x) bread"]
    assert readings("(RB)") == ["(RB)"]


def test_names_join_by_their_first_and_not_by_way_of_a_third() -> None:
    names = ["abcdefghij", "abcdefghix", "abcdefghxx", "rye"]
    assert same_thing(names[0], names[1])
    assert same_thing(names[1], names[2])
    assert not same_thing(names[0], names[2])
    assert grouped(names) == [[0, 1], [2], [3]]


def test_what_is_known_to_be_two_is_kept_apart() -> None:
    assert grouped(["yeast", "yeasts"], lambda one, other: True) == [[0], [1]]


@given(st.lists(NAMES, max_size=8))
def test_every_name_is_in_one_group(names: list[str]) -> None:
    assert sorted(position for group in grouped(names) for position in group) == list(range(len(names)))
