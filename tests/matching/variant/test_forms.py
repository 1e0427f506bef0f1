from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import listed
from row3.matching.normalise import normalise
from row3.matching.variant.forms import category_key, form_key, form_keys
from tests.rows import every_row

ONE = """
A.T.M. | ATM
RISKS | Risk
verandah | veranda
marshalling yards | marshaling yard
duelled | dueled
mouldy | moldy
dieticians | dietitian
chequered flag | checkered flag
neural networks | neural network
hypotheses | hypothesis
ground water | groundwater
e-mail | email
data-base | databases
behavioural economics | behavioral economics
organisation | organization
modelling | modeling
haemoglobin | hemoglobin
centre | center
naïve Bayes | naive Bayes
Research & Development | research and development
the central banks | central bank
a neural network | neural network
Apple Inc. | Apple
Smith & Co. Ltd | Smith
World War II | World War 2
Type I error | type 1 error
Fourth Amendment | 4th Amendment
twenty-first century | 21st century
CO₂ | CO2
TNF-α | TNF-alpha
version 1.0 | v1.0
release v3.4 | release 3.4
20th Century Fox II | 20th Century Fox 2
Ave. of the Americas | Avenue of the Americas
the few complaints | few complaints
the number of errors | number of errors
a number line | number line
a little-known fact | little-known fact
§ 3.1 | Section 3.1
Art. 5 | Article 5
Symphony No. 9 | Symphony Number 9
St. Louis | Saint Louis
4 per cent | 4%
GPUs | GPU
IDs | ID
Gauss's law | Gauss' law
Müller | Mueller
Müller | Muller
mothers-in-law | mother-in-law
base pairs | base pair
Axes | axis
ellipses | ellipse
stadia | stadium
protozoa | protozoan
passersby | passerby
tsunamis | tsunami
Keynes' multiplier | Keynes's multiplier
Mt. Saint Helens | Mount St. Helens
Python v3.11 | Python 3.11
Ubuntu release 22.04 | Ubuntu 22.04
v2.4.0 | release 2.4.0
version 2.4.0 | v2.4.0
Second World War | World War II
WWI veterans | First World War veterans
Sr. Software Engineer | senior software engineer
a dozen eggs | 12 eggs
Peking | Beijing
Москва | Moskva
Київ | Kyiv
Mao Tse-tung | Mao Zedong
Super Bowl LVIII | Super Bowl 58
Brown v. Board of Education | Brown vs. Board of Education
Bayer Aktiengesellschaft | Bayer
a 5-year plan | five-year plan
rock 'n' roll | Rock and Roll
Hartmann Bros. Shipping Co. | Hartmann Brothers Shipping Company
Stata version 16 | Stata 16
PostgreSQL v16 | PostgreSQL 16
Chanukah | Hanukkah
Pafnuty Tchebychev | Pafnuty Chebyshev
U.S.A. | USA
"""

TWO = """
DNS | DN
AIDS | aid
lamé | lame
steelwork | steelworks
nobody | no body
everyday life | every day life
a priori | priori
the second storey | a story
version 1.0 | version 10
basis | base
axe | axis
lead V2 | lead 2
XVIII century | XVII century
V century | v century plan
canvass | canvas
Stokes | Stoke
pâte | pate
version 1.0 | version 1.1
1 0 | 10
Models | Model S
A* search | search
vitamin A | vitamin
a theist | atheist
AIDS | aid
HTTPS | HTTP
GPS | GP
Rh+ | Rh
C++ | C#
B♭ major | B major
re-cover | recover
un-ionized | unionized
résumé | resume
customs | custom
news | new
princes | princess
filling | filing
timbre | timber
hour | our
World War I | World War II
First World War | Second World War
release 2 | version 3
"""


def rows(text: str) -> list[tuple[str, str]]:
    return [(a.strip(), b.strip()) for a, _, b in (line.partition("|") for line in text.strip().splitlines())]


@every_row(("one", "other"), rows(ONE))
def test_forms_of_a_concept_share_a_key(one: str, other: str) -> None:
    assert set(form_keys(one)) & set(form_keys(other))


@every_row(("one", "other"), rows(TWO))
def test_keys_keep_what_distinguishes_concepts(one: str, other: str) -> None:
    assert not set(form_keys(one)) & set(form_keys(other))


@every_row(
    "word",
    ["virus", "analysis", "physics", "series", "species", "lens", "gas", "class", "diabetes", "specimen", "regimen"],
)
def test_a_singular_word_stays(word: str) -> None:
    assert token_form(word) == word


@every_row(("name", "other"), [("Commitments", "Commitment"), ("HasPart", "has_part"), ("KeyFindings", "Key Finding")])
def test_categories_may_be_joined_words(name: str, other: str) -> None:
    assert category_key(name) == category_key(other)


def test_no_name_no_key() -> None:
    assert form_key("") == ""
    assert form_keys("  ?! ") == ()


PARTS = listed(
    "the of and inc ltd co ii iv x type 1 2 a an per cent & % + - é ü ß α glass news gas lens st no v 2.0 re form"
)
names = st.lists(st.sampled_from(PARTS), max_size=6).map(" ".join) | st.text(max_size=20)


@given(names)
def test_keys_are_idempotent(name: str) -> None:
    key = form_key(normalise(name))
    assert form_key(key) == key
    assert all(form_key(other) == other for other in form_keys(name))


@given(st.text(st.sampled_from("abcdeilmnorstuyvszx"), max_size=14))
def test_forms_are_idempotent(token: str) -> None:
    assert token_form(token_form(token)) == token_form(token)


@given(names)
def test_names_that_normalise_alike_share_a_key(name: str) -> None:
    assert form_key(normalise(name)) == form_key(normalise(f" {name.upper().lower()} ")) or not name.isascii()


def test_plurals_and_singulars_in_ics() -> None:
    for plural, noun in (("antibiotics", "antibiotic"), ("topics", "topic"), ("sceptics", "skeptic")):
        assert form_key(plural) == form_key(noun)
    for field, other in (("physics", "physic"), ("statistics", "statistic"), ("mechanics", "mechanic")):
        assert form_key(field) != form_key(other)
