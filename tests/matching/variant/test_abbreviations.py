from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.matching.normalise import normalise
from row3.matching.variant.abbreviations import spelt_out
from tests.rows import every_row


@every_row(
    ("name", "full"),
    [
        ("coffee w/o sugar", "coffee without sugar"),
        ("burger w/ cheese", "burger with cheese"),
        ("drinks with no sugar", "drinks without sugar"),
        ("Weds 6 Nov", "Wednesday 6 Nov"),
        ("Stage IIB", "Stage 2b"),
        ("2nd-gen. sensor", "2nd generation sensor"),
        ("the 3rd edn.", "the 3rd edition"),
        ("5 mg daily", "5 mg per day"),
        ("5 mg a day", "5 mg per day"),
        ("a total of 18 votes", "18 votes"),
        ("F.C. Halden", "Halden FC"),
    ],
)
def test_abbreviations(name: str, full: str) -> None:
    assert spelt_out(name).split() == full.split()


@every_row(
    "name",
    [
        "photosynthesis",
        "5% w/w solution",
        "with no-fault cover",
        "with no. 1 on it",
        "with no one",
        "Max Planck",
        "Ln 5",
        "the '90s",
        "the sun 3",
        "Sat 1 in a queue",
        "act of war",
        "sum of squares",
        "big in shape",
        "C++",
        "growth of +5",
        "newspaper daily news",
        "temp. nurse",
        "Min. of Health",
        "Max. Weber",
        "P. 53",
        "Rev. J Smith",
        "first ed visit",
        "third gen surgeon",
        "sum of 2 primes",
        "the act of meeting",
        "the '45 rebellion",
        "five fold mountains",
        "A.C. Grayling",
        "w/o " * 40,
    ],
)
def test_names_without_abbreviations(name: str) -> None:
    assert spelt_out(name) == ""


@given(st.text(max_size=60))
def test_any_text_is_parsed_in_time_without_error(name: str) -> None:
    full = spelt_out(name)
    assert full == "" or full != name
    normalise(full)
