from __future__ import annotations

from row3.matching.lexicon.inflection import token_form, unaccented
from row3.matching.lexicon.words import PLURALS, SPELLINGS
from row3.matching.variant.skeletons import IRREGULAR, consonants, last_skeletons, skeletons
from tests.rows import every_row

TAKEN = ("colour", "analyses", "leaves", "studies", "boxes", "haemoglobin", "modelling", "women", "cheques", "quizzes")


def test_all_forms_of_a_word_share_its_skeleton() -> None:
    for word in map(unaccented, (*TAKEN, *PLURALS, *SPELLINGS)):
        form = token_form(word)
        for one, other in ((word, form), (form, word)):
            assert "".join(skeletons([one])) in consonants(other) or IRREGULAR.intersection((one, other))


@every_row(("word", "begins"), [("cats", "kt"), ("photosynthesis", "ftsnt"), ("glass", "gl"), ("ball", "bl")])
def test_the_first_consonants(word: str, begins: str) -> None:
    assert skeletons([word]) == last_skeletons([[word, "of"], []])[:1] == [begins]


def test_optional_words_have_no_skeleton() -> None:
    assert skeletons(["the", "two", "xvii", "company", "of", "3d", "mice", "a"]) == []
    assert skeletons([]) == []


def test_irregular_words_are_listed() -> None:
    assert {"mice", "acad"} <= IRREGULAR
    assert "studies" not in IRREGULAR
