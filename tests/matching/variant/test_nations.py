from __future__ import annotations

import pytest

from row3.matching.compare import compare
from row3.matching.variant.nations import of_a_nation, two_states


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("economy of germany", "german economy"),
        ("the government of the netherlands", "dutch government"),
        ("ministry of finance of chile", "chilean ministry of finance"),
        ("supreme court of south africa", "south african supreme court"),
        ("exports of brazil", "brazilian exports"),
    ],
)
def test_what_a_country_has(name: str, other: str) -> None:
    assert of_a_nation(name) == other
    assert compare(name, other).same


@pytest.mark.parametrize(
    "name",
    [
        "cheese of switzerland",
        "war of korea",
        "embassy in iran",
        "national congress in india",
        "american embassy of iran",
        "economy of scale",
        "germany",
        "",
    ],
)
def test_other_names_are_left_alone(name: str) -> None:
    assert of_a_nation(name) == ""


def test_states_of_other_forms_are_two_and_one_is_its_country() -> None:
    assert two_states("Kingdom of Spain", "Republic of Spain")
    assert not two_states("Republic of Kenya", "the Republic of Kenya")
    assert compare("Republic of Kenya", "Kenya").same
    assert not compare("Kingdom of Spain", "the Republic of Spain").same
    assert not compare("Commonwealth of Nations", "Nations").same
    assert not compare("Republic of China", "China").same
