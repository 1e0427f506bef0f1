"""Locations of names in a text."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from row3.matching.normalise import normalise, normalise_text
from row3.matching.text.places import SearchableText, sentences
from tests.rows import every_row


@every_row(
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


@every_row("name", ["barley", "", "…", "ye", "cereal rye"])
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


WRAPPED = (
    "The council of the city met on the first Monday of the month and heard\n"
    "that the bridge would be closed until the repairs to its northern end\n"
    "are done. Nobody objected."
)


@every_row(
    ("text", "number"),
    [
        ("- milk\n- rye bread\n- two eggs", 3),
        ("milk\nrye bread\ntwo eggs", 3),
        ("* milk and the rye bread of the baker in the old town\n* two eggs of the farm near the northern bridge", 2),
        ("1. Milk\n2. Bread\n10. Eggs", 3),
        ("a) milk\nb) bread", 2),
        ("Minutes\r\nann: we ship it on monday\r\nbob: nothing to add", 3),
        ("it rained. the sun came. it set.", 3),
        ("A Title of the Text\n\nIts only sentence.", 2),
        (WRAPPED, 2),
        (f"{WRAPPED}\n\n{'A line that is not wrapped at all. ' * 5}", 7),
        ("Dr. Fermi left. He (i.e. Enrico) won 5.5 points.", 2),
        ("植物进行光合作用。叶子是绿色的。", 2),
        ("", 1),
    ],
)
def test_a_sentence_ends_at_a_stop_a_bullet_or_the_end_of_a_short_line(text: str, number: int) -> None:
    assert len(sentences(text)) == number


@given(st.text("aB.? \n-•1)", max_size=60))
def test_sentences_cover_all_words_in_order(text: str) -> None:
    spans = sentences(text)
    assert "".join("".join(text[start:end] for start, end in spans).split()) == "".join(text.split())
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


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
