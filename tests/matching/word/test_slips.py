from __future__ import annotations

import hashlib
import importlib.metadata
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from row3.matching.compare import compare
from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import listed
from row3.matching.lexicon.vocabulary import FILE, NAMES, PACKAGE, TERMS, is_listed, is_word
from row3.matching.lexicon.words import MISSPELT, TRANSLITERATIONS
from row3.matching.word.slips import edits, word_difference
from tests.rows import every_row

SLIPS = """
photosynthesis photosynthesys
accommodation accomodation
chromatography chromatograpy
thermodynamics thermodynamcis
mitochondrial mitochondiral
backpropagation backpropogation
eutrophication eutrofication
Nebuchadnezzar Nebuchadnezar
occurred occured
beginning begining
commission comission
collapse colapse
semiconductor semiconducter
comparison comparsion
skeleton skelaton
"""

WORDS = """
adsorption absorption
Austria Australia
methanol ethanol
mitosis meiosis
nitrate nitrite
alkane alkene
Hansen Hanson
dimethylamine diethylamine
cyclohexane cyclohexene
hyperkalemia hypokalemia
prescription proscription
martial marital
paris parks
Kingston Kinston
Greenville Grenville
Hoffmann Hofmann
Augsburg Ausburg
Shanxi Shaanxi
Bridgeport Bridgport
confirm infirm
"""


@every_row("row", SLIPS.strip().lower().splitlines())
def test_slips_of_spelling(row: str) -> None:
    one, other = row.split()
    assert word_difference(one, other) == word_difference(other, one) == ""
    assert word_difference(one, other, context=True) == word_difference(other, one, context=True) == ""


@every_row("row", WORDS.strip().lower().splitlines())
def test_other_words(row: str) -> None:
    one, other = row.split()
    assert word_difference(one, other)
    assert word_difference(one, other) == word_difference(other, one)
    assert word_difference(one, other, context=True)


def test_words_of_the_source_text_are_spelt_right() -> None:
    assert word_difference("zorblatine", "zorblattine") == ""
    assert word_difference("zorblatine", "zorblattine", {"zorblatine"}) == ""
    assert word_difference("zorblatine", "zorblattine", {"zorblatine", "zorblattine"})


def test_a_letter_distinguishes_surnames() -> None:
    assert word_difference("schumann", "schuman", name=True)
    assert word_difference("nielsen", "nielson", name=True)


def test_edits_have_kind_and_position() -> None:
    assert [tuple(edit) for edit in edits("occurrence", "occurence")] == [("halve", 5, 4, "r")]
    assert [edit.kind for edit in edits("mitochondrial", "mitochondiral")] == ["swap"]


def test_the_word_list_is_the_pinned_one() -> None:
    assert importlib.metadata.version("pyspellchecker") == "0.9.1"
    spec = find_spec(PACKAGE)
    assert spec is not None
    assert spec.submodule_search_locations
    packed = Path(spec.submodule_search_locations[0], FILE).read_bytes()
    assert hashlib.sha256(packed).hexdigest() == "2474a48af86fd81dccea9edd0bba6cd36dd2ecedc0ae217cefcb233bba28613c"


@every_row("word", listed("a aachen zyuganov photosynthesis zürich the"))
def test_words_are_found_anywhere_in_the_list(word: str) -> None:
    assert is_listed(word)


@every_row("word", ["", "photosynthesys", "zzzzz", "\n", '"', "a\n", "{", "}"])
def test_other_strings_are_not_listed(word: str) -> None:
    assert not is_listed(word)


def test_inflected_and_prefixed_words_are_words() -> None:
    assert is_word("hyperkalemia") or is_word("hypertension")
    assert is_word("rotavirus")
    assert not is_word("photosynthesiss")


@every_row("token", ["occured", "begining", "changeing", "happyness", "benchs", "answerd", "studyed", "algorithmes"])
def test_inflections_follow_english_spelling(token: str) -> None:
    assert not is_word(token)


@every_row("token", ["helicases", "tokenizers", "ribozymes"])
def test_an_inflected_word_is_a_word(token: str) -> None:
    assert not is_listed(token)
    assert is_word(token)


def test_a_known_misspelling_has_the_form_of_its_word() -> None:
    for spelling, word in (MISSPELT | TRANSLITERATIONS).items():
        assert token_form(spelling) == token_form(word)
    assert not [word for word in MISSPELT.values() if not is_word(word) and not is_word(f"{word}s")]
    assert not TERMS.union(NAMES) & MISSPELT.keys()


def test_a_known_misspelling_matches_below_the_threshold() -> None:
    for slip, name in (("Phillipines", "Philippines"), ("rythm", "rhythm"), ("Carribean Sea", "Caribbean Sea")):
        assert compare(slip, name).how == compare(name, slip).how == "form"


def test_nothing_is_loaded_before_a_near_miss() -> None:
    code = (
        "import sys; from row3.matching.compare import compare; from row3.matching.lexicon import vocabulary;"
        "compare('soil', 'soil erosion'); compare('Neural Networks', 'neural network'); compare('a b', 'c d');"
        "assert vocabulary._lines.cache_info().currsize == 0; assert 'spellchecker' not in sys.modules;"
        "assert 'row3.matching.value.units' not in sys.modules;"
        "compare('photosynthesis', 'photosynthesys'); assert vocabulary._lines.cache_info().currsize == 1;"
        "assert 'spellchecker' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(st.text(st.sampled_from("aeiourstnlcdph"), max_size=14), st.text(st.sampled_from("aeiourstnlcdph"), max_size=14))
def test_the_relation_is_symmetric(one: str, other: str) -> None:
    assert word_difference(one, other) == word_difference(other, one)
