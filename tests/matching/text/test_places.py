"""Locations of names in a text."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from row3.matching.normalise import normalise, normalise_text
from row3.matching.text.places import SearchableText


@pytest.mark.parametrize(
    ("text", "name", "there", "paragraph", "line"),
    [
        ("Rye is a cereal.", "CEREAL", "cereal", 1, 1),
        ("One.\n\nTwo ryes.\nThree rye fields.", "rye", "rye", 2, 4),
        ("The eﬃcient ﬂow", "efficient flow", "eﬃcient ﬂow", 1, 1),
        ("Lender’s “last – resort”", "lenders last resort", "Lender’s “last – resort", 1, 1),
        ("cafe\u0301 noir", "café", "cafe\u0301", 1, 1),
        ("soft\u00adware tests", "software", "soft\u00adware", 1, 1),
        ("a well-known\n  fact", "well known fact", "well-known\n  fact", 1, 1),
        ("It costs 5 % of C++", "c++", "C++", 1, 1),
        ("Ｆｕｌｌ width", "full", "Ｆｕｌｌ", 1, 1),
        ("한글 is Korean", "한글", "한글", 1, 1),
    ],
)
def test_a_place_refers_to_the_original_text(text: str, name: str, there: str, paragraph: int, line: int) -> None:
    place = SearchableText(text).find([name])
    assert place is not None
    assert text[place.start : place.end] == there
    assert (place.paragraph, place.line) == (paragraph, line)
    assert there in place.sentence


@pytest.mark.parametrize("name", ["barley", "", "…", "ye", "cereal rye"])
def test_text_that_does_not_occur(name: str) -> None:
    assert SearchableText("Rye is a cereal.").find([name]) is None


def test_sentences_end_where_readers_see_an_end() -> None:
    text = 'He (e.g. Dr. Fermi) said "stop." Then J. Smith left? Yes, at 3.5 points. "Why?" she asked.'
    for name, sentence in [
        ("fermi", 'He (e.g. Dr. Fermi) said "stop."'),
        ("smith", "Then J. Smith left?"),
        ("points", "Yes, at 3.5 points."),
        ("she asked", '"Why?" she asked.'),
    ]:
        place = SearchableText(text).find([name])
        assert place is not None
        assert place.sentence == sentence


@given(st.text(max_size=60), st.integers(0, 8), st.integers(1, 4))
def test_every_word_of_the_normalised_text_is_found_where_it_came_from(text: str, first: int, count: int) -> None:
    words = normalise_text(text).split(" ")
    name = " ".join(words[first : first + count])
    assume(name and normalise(name) == name)
    place = SearchableText(text).find([name])
    assert place is not None
    assert name in normalise_text(text[place.start : place.end])
    assert 0 <= place.start < place.end <= len(text)
    assert place.sentence in text
