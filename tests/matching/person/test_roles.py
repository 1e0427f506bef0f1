"""Roles next to persons' names."""

from __future__ import annotations

from row3.matching.compare import compare
from row3.matching.names import NameIndex, match_names
from row3.matching.person.persons import parse_person
from row3.matching.person.roles import without_role
from row3.matching.person.same_person import same_person
from row3.matching.scorers import Named, NameRule
from tests.rows import every_row

ONE = """
UN Secretary-General António Guterres | Antonio Guterres
NATO Secretary General Jens Stoltenberg | Jens Stoltenberg
Attorney General Merrick Garland | Merrick Garland
Secretary of State Antony Blinken | Antony Blinken
Federal Reserve Chair Jerome Powell | Jerome Powell
Fed Chair Powell | Jerome Powell
House Speaker Nancy Pelosi | Nancy Pelosi
Speaker Pelosi | Nancy Pelosi
Vice President Kamala Harris | Kamala Harris
IMF Managing Director Christine Lagarde | Christine Lagarde
ECB President Lagarde | Christine Lagarde
EU Commissioner Margrethe Vestager | M. Vestager
Archbishop Desmond Tutu | Desmond Tutu
Archbishop Tutu | Desmond Tutu
Crown Prince Mohammed bin Salman | Mohammed bin Salman
British economist John Maynard Keynes | John Maynard Keynes
Nobel laureate Marie Curie | Marie Curie
Tesla co-founder Elon Musk | Elon Musk
civil rights leader Martin Luther King Jr. | Martin Luther King Jr.
Marie Curie, physicist | Marie Curie
Jerome Powell, chair of the Federal Reserve | Jerome Powell
Jerome Powell (Fed Chair) | Fed Chair Powell
Clint Eastwood (actor and director) | Clint Eastwood
Nobel laureate Wole Soyinka | Wole Soyinka
Nvidia founder Jensen Huang | Jensen Huang
World Health Organization Director-General Tedros Adhanom Ghebreyesus | Tedros Adhanom Ghebreyesus
Microsoft CEO Satya Nadella | Satya Nadella, chief executive of Microsoft
Bong Joon-ho, director of Parasite | director Bong Joon-ho
Bangladeshi Prime Minister Sheikh Hasina | Sheikh Hasina
Prof. Dr. Farrow | Dr. Farrow
"""

TWO = """
Larry King Live | Larry King
Martin Luther King Jr. | Martin Luther
son of painter Pablo Picasso | Pablo Picasso
biography by historian Ron Chernow | Ron Chernow
assassination of President John Kennedy | John Kennedy
Attorney General Janet Reno | Attorney General Loretta Lynch
John Smith (engineer) | John Smith (lawyer)
Fed Chair Powell | Colin Powell, Secretary of State
President Bush | Barbara Bush (First Lady)
Chief Product Officer | Product Officer
Director Compensation Policy | Compensation Policy
Matcher Selection Committee | Selection Committee
Major Depressive Disorder | Depressive Disorder
Saddam Hussein | Hussein Saddam Jr.
Winston Churchill (novelist) | Prime Minister Winston Churchill
General Riemann Hypothesis | Riemann Hypothesis
Forward Markov Chain | Markov Chain
Producer Price Index | Price Index
Pilot Data Analysis | Data Analysis
Chief Information Officer | Information Officer
Speaker Recognition Software | Recognition Software
Leader Election Algorithm | Election Algorithm
General Kubernetes Cluster | Kubernetes Cluster
Director Information Portal | Information Portal
"""


def _pairs(table: str) -> list[tuple[str, ...]]:
    return [tuple(line.split(" | ")) for line in table.strip().splitlines()]


@every_row(("one", "other"), _pairs(ONE))
def test_a_role_is_not_part_of_the_name(one: str, other: str) -> None:
    assert compare(one, other).how == "person"
    assert compare(other, one).how == "person"
    for extracted, expected in ((one, other), (other, one)):
        matches = match_names([extracted], NameIndex([Named(expected, ())], (), NameRule()))
        assert matches[0].state == "fuzzy"


@every_row(("one", "other"), _pairs(TWO))
def test_other_names_with_roles_differ(one: str, other: str) -> None:
    assert not compare(one, other).same
    assert not compare(other, one).same


@every_row(
    ("one", "other"),
    [
        ("Governor Newsom", "Lieutenant Governor Newsom"),
        ("Vice Chair Jefferson", "Fed Chair Jefferson"),
        ("Deputy Governor Smith", "Governor Smith"),
    ],
)
def test_a_deputy_is_not_the_holder_of_the_office(one: str, other: str) -> None:
    assert not same_person(one, other)
    assert not same_person(other, one)
    assert not compare(one, other).same


@every_row(
    ("one", "other"),
    [
        ("Vice President Cheney", "Dick Cheney"),
        ("Vice President Harris", "Vice President Kamala Harris"),
        ("Fed Vice Chair Jefferson", "Vice Chair Jefferson"),
        ("Chief Smith", "Police Chief Smith"),
        ("Defense Secretary Smith", "Defence Secretary Smith"),
        ("Treasury Secretary Smith", "Finance Secretary Smith"),
        ("Lieutenant General Smith", "General Smith"),
        ("Vice Admiral Smith", "Admiral Smith"),
    ],
)
def test_a_rank_may_be_more_or_less_exact(one: str, other: str) -> None:
    assert same_person(one, other)
    assert same_person(other, one)


@every_row(
    ("text", "left"),
    [
        ("Fed Chair Powell", ("Chair Powell", "")),
        ("Marie Curie, physicist", ("Marie Curie", "physicist")),
        ("Jerome Powell (chair of the Federal Reserve)", ("Jerome Powell", "chair")),
        ("British economist John Maynard Keynes", ("John Maynard Keynes", "")),
        ("Smith, John", ("Smith, John", "")),
        ("climate change policy", ("climate change policy", "")),
        ("Rose Garden, home of painter", ("Rose Garden, home of painter", "")),
        ("", ("", "")),
    ],
)
def test_the_name_without_its_role(text: str, left: tuple[str, str]) -> None:
    bare = without_role(text)
    assert (bare.name, bare.office) == left


@every_row("noun", ["Rose", "Bill", "Jack", "Model"])
def test_a_name_that_is_also_a_noun_has_a_plural(noun: str) -> None:
    assert compare(f"{noun}s", noun).how == "form"


def test_a_long_text_is_not_a_name() -> None:
    assert parse_person("Director " + "Word " * 50_000) is None
    assert not compare("Director " + "Word " * 5_000, "Tom Hanks").same
