from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.matching.compare import compare
from row3.matching.names import Named, NameIndex, NameRule
from row3.matching.value.signs import two_signs

TWO = """
growth of -3.1% | growth of 3.1%
growth of −3.1% | growth of 3.1%
growth of –3.1% | growth of 3.1%
growths of -3.1% | growth of 3.1%
growth rate: -3.1 | growth rate: 3.1
(growth of -3.1%) | growth of 3.1%
from -5 to 3 | from 5 to -3
a range of −5 to 3 °C | a range of 5 to −3 °C
-5 diopters | 5 diopters
"-5 °C" | "5 °C"
a net result of -$5m | a net result of $5m
spin -½ | spin ½
x=-1 | x=1
10^-3 molar solution | 10^3 molar solution
1e-5 learning rate | 1e5 learning rate
an A− rating | an A rating
O- blood | O blood
Cl⁻ ion | Cl ion
growth of 3.5% | growth of 3-5%
stays of 3.5 days | stay of 3-5 days
$1-2 million | $1.2 million
1/2 cup | 1-2 cups
pages 3, 5 | pages 3-5
a height of 5'10" | a height of 510
6' wall | 6" wall
4'x8' sheet | 4"x8" sheet
±5 V supply | 5 V supply
"""

ONE = """
growth of −3.1% | growth of -3.1%
growth of minus 3.1% | growth of -3.1%
-3.10% growth | -3.1% growth
storage at −80 °C | storage at minus 80 °C
temperature of -5 °C | temperature of minus five °C
a tolerance of ±0.1 mm | a tolerance of +/-0.1 mm
a tolerance of ±0.1 mm | a tolerance of plus or minus 0.1 mm
SO₄²⁻ | SO42-
Cl⁻ ion | Cl- ion
A- and B-class | A and B-class
1914 -18 war | 1914-18 war
2 – 4 hours | 2-4 hours
pages 3-5 | pages 3–5
50/50 split | 50-50 split
9/11 attacks | 9-11 attacks
16:9 aspect ratio | 16/9 aspect ratio
10.30 a.m. meeting | 10:30 a.m. meeting
1,000 people | 1'000 people
HIV-negative patients | HIV negative patients
COVID-19 | COVID 19
claude-3-5-sonnet | Claude 3.5 Sonnet
"Catch 22" | 'Catch 22'
5' cap | 5′ cap
"""


def pairs(text: str) -> list[list[str]]:
    return [line.split(" | ") for line in text.strip().splitlines()]


def are_one(one: str, other: str) -> bool:
    """As a case decides: by look-up or by the rules."""
    return NameIndex([Named(other, ())], (), NameRule()).resolve(one) is not None


@pytest.mark.parametrize(("one", "other"), pairs(TWO))
def test_a_sign_is_never_lost(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert not compare(first, second).same
        assert not are_one(first, second)


@pytest.mark.parametrize(("one", "other"), pairs(ONE))
def test_a_sign_may_be_written_in_two_ways(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert compare(first, second).same
        assert are_one(first, second)


def test_one_of_two_expected_names_that_part_in_a_sign_is_found() -> None:
    index = NameIndex([Named("growth of -3.1%", ()), Named("growth of 3.1%", ())], (), NameRule())
    assert index.resolve("growth of 3.1%") == (1, False)
    assert index.resolve("growth of −3.1%") == (0, False)


names = st.text(st.sampled_from("ab01235 -−–.,:/'\"½$%±(AB"), max_size=16)


@given(names, names)
def test_the_order_makes_no_difference(one: str, other: str) -> None:
    assert two_signs(one, other) == two_signs(other, one)


@given(names)
def test_no_name_parts_from_itself(name: str) -> None:
    assert not two_signs(name, name)


@given(st.decimals(min_value=1, max_value=10**6, places=2), st.sampled_from(["growth of {}%", "{} °C", "a {}% change"]))
def test_a_minus_makes_two_of_any_number(number: object, name: str) -> None:
    assert two_signs(name.format(f"-{number}"), name.format(number))
