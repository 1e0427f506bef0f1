from __future__ import annotations

import pytest

from row3.matching.compare import compare
from row3.matching.marks import two_companies, two_units
from row3.matching.names import Named, NameIndex, NameRule, match_names


@pytest.mark.parametrize(
    ("one", "other", "two"),
    [
        ("10 mW laser", "10 MW laser", True),
        ("10mW laser", "10MW laser", True),
        ("5 kg sack", "5 KG sack", False),  # KG is no unit
        ("a 3 V and 5 mA supply", "a 3 V and 5 MA supply", False),
        ("laser", "Laser", False),
    ],
)
def test_the_case_of_a_unit_counts_where_both_are_units(one: str, other: str, two: bool) -> None:
    assert two_units(one, other) is two_units(other, one) is two


def test_what_look_up_takes_for_equal_is_two_where_the_units_are() -> None:
    index = NameIndex([Named("10 mW laser", ())], (), NameRule())
    assert [match.state for match in match_names(["10 MW laser", "10 mW Laser"], index)] == ["unmatched", "exact"]


@pytest.mark.parametrize(
    ("one", "other", "two"),
    [
        ("Merck KGaA", "Merck & Co.", True),
        ("Bosch GmbH", "Bosch Ltd", True),
        ("Ford Motor Co.", "Ford Motor Company", False),
        ("Toyota Motor Co., Ltd.", "Toyota Motor Company", False),
        ("Siemens AG", "Siemens", False),
        ("company", "Co.", False),
    ],
)
def test_two_legal_forms_are_two_companies(one: str, other: str, two: bool) -> None:
    assert two_companies(one, other) is two_companies(other, one) is two
    if two:
        assert not compare(one, other).same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Tata Steel Limited", "Tata Steel Ltd.", True),
        ("Sony Group Corporation", "Sony Group Corp.", True),
        ("blood group AB", "blood group", False),
        ("Prof. Amartya Sen", "Sen, Amartya", True),
        ("customer relationship management (CRM)", "cause-related marketing (CRM)", False),
        ("machine learning (ML)", "ML", True),
        ("machine learning (ML)", "ML (machine learning)", True),
    ],
)
def test_names_by_their_marks(one: str, other: str, same: bool) -> None:
    assert compare(one, other).same is compare(other, one).same is same
