from __future__ import annotations

import pytest

from row3.matching.compare import compare
from row3.matching.names import Named, NameIndex, NameRule, match_names
from row3.matching.text.quotes import SourceText

TWO_WHERE_THE_TEXT_HAS_BOTH = [
    (
        "greenhouse",
        "green house",
        "Tomatoes grow in the greenhouse. The Millers live in the green house on Elm Street.",
    ),
    ("Münster", "Munster", "They met at Münster in Westphalia. Cork lies in the Irish province of Munster."),
    ("the Economist", "an economist", "I read it in the Economist. It was written by an economist."),
    ("Turkey", "turkey", "He ate a turkey while he was in Turkey."),
]

WHY = ("two words", "two persons of one family", "a proper name and a common noun")


@pytest.mark.parametrize(("one", "other", "text"), TWO_WHERE_THE_TEXT_HAS_BOTH)
def test_two_where_the_text_has_both_and_one_where_it_has_not(one: str, other: str, text: str) -> None:
    for name, expected in ((one, other), (other, one)):
        for known, state in ((text, "unmatched"), ("Nothing of it.", None)):
            index = NameIndex([Named(expected, ())], (), NameRule(), SourceText(known))
            found = match_names([name], index)[0].state
            assert found == state if state else found in ("exact", "fuzzy")
        if name.lower() != expected.lower():
            assert compare(name, expected, known=SourceText(text)).why_not in WHY


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        ("healthcare", "health care", "Health care costs more than healthcare did."),
        ("colour", "color", "The colour was a color."),
        ("hard disk", "hard disc", "A hard disk."),
        ("Reading", "reading", "Reading improves vocabulary. He gave a reading of ten minutes."),
        ("Target", "target", "Target setting matters. It sets a target."),
        ("security", "securities", "A security can be sold. Securities are listed."),
        ("the Mississippi", "Mississippi", "The Mississippi is long."),
        ("cheque fraud", "check fraud", "The report on check fraud cites an older study, which wrote cheque fraud."),
        ("NASA budget", "Nasa budget", "NASA said that the budget of Nasa was cut."),
    ],
)
def test_a_text_that_spells_one_thing_in_two_ways(one: str, other: str, text: str) -> None:
    assert compare(one, other, known=SourceText(text)).same
