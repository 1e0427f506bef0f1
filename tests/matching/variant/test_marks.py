from __future__ import annotations

from row3.matching.compare import compare
from row3.matching.names import NameIndex, match_names
from row3.matching.scorers import Named, NameRule
from row3.matching.text.quotes import SourceText
from row3.matching.variant.marks import legal_forms_differ, mark_difference
from tests.rows import every_row


@every_row(
    ("one", "other", "two"),
    [
        ("10 mW laser", "10 MW laser", True),
        ("10mW laser", "10MW laser", True),
        ("5 kg sack", "5 KG sack", False),  # KG is not a unit
        ("a 3 V and 5 mA supply", "a 3 V and 5 MA supply", False),
        ("laser", "Laser", False),
    ],
)
def test_case_distinguishes_units(one: str, other: str, two: bool) -> None:
    assert (
        (mark_difference(one, other) == "different units") is (mark_difference(other, one) == "different units") is two
    )


def test_different_units_are_not_equal_by_look_up() -> None:
    index = NameIndex([Named("10 mW laser", ())], (), NameRule())
    assert [match.state for match in match_names(["10 MW laser", "10 mW Laser"], index)] == ["unmatched", "exact"]


@every_row(
    ("one", "other", "two"),
    [
        ("Merck KGaA", "Merck & Co.", True),
        ("Bosch GmbH", "Bosch Ltd", True),
        ("Ford Motor Co.", "Ford Motor Company", False),
        ("Toyota Motor Co., Ltd.", "Toyota Motor Company", False),
        ("Siemens AG", "Siemens", False),
        ("Bayer Aktiengesellschaft", "Bayer AG", False),
        ("company", "Co.", False),
    ],
)
def test_different_legal_forms_are_different_companies(one: str, other: str, two: bool) -> None:
    assert legal_forms_differ(one, other) is legal_forms_differ(other, one) is two
    if two:
        assert not compare(one, other).same


@every_row(
    ("one", "other", "same"),
    [
        ("Tata Steel Limited", "Tata Steel Ltd.", True),
        ("Sony Group Corporation", "Sony Group Corp.", True),
        ("blood group AB", "blood group", False),
        ("Prof. Amartya Sen", "Sen, Amartya", True),
        ("customer relationship management (CRM)", "cause-related marketing (CRM)", False),
        ("24-hour shift", "24 hour shift", True),
        ("twenty-four hour shifts", "twenty-four-hour shifts", True),
        ("machine learning (ML)", "ML", True),
        ("machine learning (ML)", "ML (machine learning)", True),
    ],
)
def test_marks_distinguish_names(one: str, other: str, same: bool) -> None:
    assert compare(one, other).same is compare(other, one).same is same


@every_row(
    ("one", "other", "why"),
    [
        ("CO", "Co", "different codes"),
        ("CO poisoning", "Co poisoning", "different codes"),
        ("NACL", "NaCl", ""),  # upper case: A is not an element
        ("NO CHILD LEFT", "No Child Left", ""),
        ("WHO", "who", "different codes"),
        ("DNA", "dna", ""),
        ("PHOTOSYNTHESIS", "photosynthesis", ""),
        ("A* search", "A search", "different codes"),
        ("MW", "mW", "different codes"),
        ("10 MW", "10 mW", "different units"),
        ("eBay", "EBAY", ""),
    ],
)
def test_codes_that_differ_in_case(one: str, other: str, why: str) -> None:
    assert mark_difference(one, other) == mark_difference(other, one) == why
    for name, expected in ((one, other), (other, one)):
        state = match_names([name], NameIndex([Named(expected, ())], (), NameRule()))[0].state
        assert state == ("unmatched" if why else "exact")


@every_row(
    ("text", "one", "other", "two"),
    [
        ("Turkey exports figs; they roast a turkey.", "Turkey", "turkey", True),
        ("The army began its march in March.", "March", "march", True),
        ("The Fed raised its rate; the farmer fed his cows.", "the Fed", "fed", True),
        ("March is cold. They march.", "March", "march", False),  # sentences begin with a capital
        ("They roast a turkey.", "Turkey", "turkey", False),
        (
            "Photosynthesis is old. The role of Photosynthesis; photosynthesis.",
            "Photosynthesis",
            "photosynthesis",
            False,
        ),
    ],
)
def test_capitals_distinguish_words_if_the_text_has_both(text: str, one: str, other: str, two: bool) -> None:
    for name, expected in ((one, other), (other, one)):
        index = NameIndex([Named(expected, ())], (), NameRule(), SourceText(text))
        assert (match_names([name], index)[0].state == "unmatched") is two
        assert (index.resolve(name) is None) is two
        assert compare(name, expected, text=SourceText(text)).same is not two
