from __future__ import annotations

from row3.matching.names import NameIndex, match_names
from row3.matching.scorers import Named, NameRule
from row3.matching.text.quotes import SourceText
from row3.matching.variant.additions import same_but_for_addition, without_addition
from tests.rows import every_row


@every_row(
    ("name", "bare"),
    [
        ("Boston, Massachusetts", "Boston"),
        ("Austin, TX", "Austin"),
        ("Lyon (France)", "Lyon"),
        ("Rust (programming language)", "Rust"),
        ("Chicago", ""),
        ("Smith, John", ""),
        ("heart failure (acute)", ""),
        ("France, France", ""),
    ],
)
def test_names_without_roles(name: str, bare: str) -> None:
    assert without_addition(name) == bare


@every_row(
    ("text", "same"),
    [
        ("The marches began in Birmingham, Alabama, in April. By May the jails of Birmingham were full.", True),
        ("She left Birmingham, north of London, for Birmingham, Alabama.", False),
        ("Nothing of either.", False),
        ("", False),
    ],
)
def test_a_common_place_name_is_the_place_the_text_introduces(text: str, same: bool) -> None:
    for one, other in (("Birmingham", "Birmingham, Alabama"), ("Birmingham, Alabama", "Birmingham")):
        assert same_but_for_addition(one, other, text) is same
        index = NameIndex([Named(other, ())], (), NameRule(), SourceText(text))
        assert (match_names([one], index)[0].state == "fuzzy") is same


def test_different_regions_are_different_places() -> None:
    assert not same_but_for_addition("Austin, Texas", "Austin, Minnesota", "")
    assert same_but_for_addition("Austin, Texas", "Austin", "")
