from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.matching.word.contradictions import contradict, opposite
from tests.rows import every_row

TWO = """
GPT-4 | GPT-4o | numbers or codes
version 1.0 | version 1.1 | numbers or codes
Type 1 diabetes | Type 2 diabetes | numbers or codes
HIV+ patients | HIV patients | numbers or codes
Model 3 | Model S | numbers or codes
Windows XP | Windows NT | short
supervised learning | unsupervised learning | opposites
inflation | deflation | opposites
hypertension | hypotension | opposites
prenatal care | postnatal care | opposites
interstate commerce | intrastate commerce | opposites
insurance | reinsurance | different prefixes
voting shares | non-voting shares | negated
guilty verdict | not guilty verdict | negated
income tax | income tax return | extra word
milk chocolate | chocolate milk | different word order
nuclear fission | nuclear fusion | different words
Austria | Australia | different words
counties | countries | different words
sampling with replacement | sampling without replacement | negated
"""

ONE = """
photosynthesis | photosynthesys
gas chromatography | gas chromatograpy
learning algorithms | learning algoritm
Byzantine Empire | Byzantine Emipre
neural networks | neural network
University of Oxfordshire | the University Oxfordshire
"""


@every_row("line", TWO.strip().splitlines())
def test_the_reason_why_names_differ(line: str) -> None:
    one, other, reason = (part.strip() for part in line.split("|"))
    for first, second in ((one, other), (other, one)):
        found = contradict(first, second)
        assert found is not None
        assert found.startswith(reason) or reason in found


@every_row("line", ONE.strip().splitlines())
def test_slips_do_not_contradict(line: str) -> None:
    one, other = (part.strip() for part in line.split("|"))
    assert contradict(one, other) is None
    assert contradict(other, one) is None


@every_row(
    ("one", "other"),
    [
        ("New York City Council", "New York City Counsil"),
        ("United Nations Security Council", "United Nations Security Counsil"),
        ("Federal Reserve System", "Federal Reserve Sistem"),
        ("Supreme Court of Canada", "Supreme Court of Cannda"),
        ("Great Barrier Reef", "Great Barrjer Reef"),
        ("Los Angeles City Council", "Los Angeles City Councel"),
        ("New York Stock Exchange", "New York Stok Exchange"),
        ("New York City Council", "New Yrok City Council"),
        ("Great Lakes Water Authority", "Great Lakes Wter Authority"),
        ("Supreme Court of Canada", "Supreme Cort of Canada"),
        ("International Monetary Fund", "International Monetary Fnud"),
        ("Great Wall of China", "Great Wall of Chna"),
        ("European Central Bank", "European Centrel Bank"),
        ("World Bank Group Report", "World Bank Goup Report"),
        ("Pacific Ocean Trade Winds", "Pacific Ocean Tade Winds"),
        ("Sydney Harbour Tunnel Company", "Sydney Harbour Tunnal Company"),
        ("European Space Agency Council", "European Space Agancy Council"),
        ("Federal Reserve Board", "Federal Reserve Bord"),
    ],
)
def test_two_more_words_tell_what_a_short_word_is_a_slip_of(one: str, other: str) -> None:
    assert contradict(one, other) is contradict(other, one) is None
    alone = [word for word in zip(one.split(), other.split(), strict=True) if word[0] != word[1]]
    assert contradict(*alone[0])


@every_row(
    ("one", "other"),
    [
        ("New York City Council", "New York City Counsel"),
        ("World Health Organization", "World Heath Organization"),
        ("New York City Council", "New York City Founcil"),  # a first letter
        ("New York City Council", "New Yorq City Counsil"),  # two slips
        ("City of Council", "City of Counsil"),  # one more word that says anything
        ("Type A Counsil 1", "Type A Council 2"),
        ("Port of Greenville", "Port of Grenville"),
        ("methyl ethyl alkane", "methyl ethyl alkene"),
        ("liquid methane storage tank", "liquid methene storage tank"),
        ("North Bank Street Mill", "North Bark Street Mill"),
        ("University of Bern Press", "University of Bonn Press"),
        ("Kiel Canal Port Authority", "Keel Canal Port Authority"),
        ("Battle of Lake Erne", "Battle of Lake Erie"),
        ("South Korea Trade Union", "South Kora Trade Union"),
        ("National Book Fair Prize", "National Book Hair Prize"),
        ("River Tees Barrage Gate", "River Tyes Barrage Gate"),
        ("Beta Zork Data Model", "Beta Zorn Data Model"),
        ("State of Iran Oil", "State of Iraq Oil"),
        ("International Monetary Fund", "International Monetary Fnd"),  # three letters may be an acronym
        ("New York City Stock", "New York City Stoc"),  # a last letter
    ],
)
def test_two_words_stay_two_in_a_longer_name(one: str, other: str) -> None:
    assert contradict(one, other)
    assert contradict(other, one)


def test_words_of_the_source_text_differ() -> None:
    assert contradict("Zorblatine", "Zorblattine") is None
    assert contradict("Zorblatine", "Zorblattine", {"zorblatine", "zorblattine"})


@every_row(("one", "other"), [("supervised", "unsupervised"), ("hyperemia", "hypoemia"), ("exocytosis", "endocytosis")])
def test_prefixes_are_recognised(one: str, other: str) -> None:
    assert opposite(one, other).startswith("opposites")
    assert not opposite(one, one)


names = st.text(st.sampled_from("abcdeilnorst  -12.&éS"), max_size=20)


@given(names, names)
def test_a_contradiction_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert (contradict(one, other) is None) == (contradict(other, one) is None)


@given(names)
def test_no_name_contradicts_itself(name: str) -> None:
    assert contradict(name, name) is None
    assert contradict(name, name.upper()) is None or not name.isascii()
