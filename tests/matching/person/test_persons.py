"""Parsing of persons' names."""

from __future__ import annotations

from row3.matching.person.persons import parse_person
from tests.rows import every_row

NOBODY = (
    "GPT-4", "University of Oxford", "Stanford University", "neural network", "World War II Memorial Act", "Smith", "",
    "Type 2", "A", "law of large numbers", "Smith, John, Paul, George", "L.X.C. Aviation", "K.L.M. Airways",
    "St. Louis Cardinals, Major League Baseball", "Mr. Duck Steps Out,Jack King", "Sir Walter Scott, Jane Austen",
    "New York Yankees, Major League Baseball", "San Diego Padres, National League", "St. Paul, Minnesota",
    "Manchester United, Premier League", "Golden State Warriors, Western Conference", "Walter Scott, Jane Austen",
    "Lady Gaga, Bradley Cooper", "Mount Vernon, Ohio", "St. Petersburg, Florida", "U.S. Steel", "U.S. Bank",
    "U.K. Treasury", "A.B.C. Bakery", "B.B.C. News", "D.H. Logistics", "T.B.S. Television", "A.C. Motors",
)  # fmt: skip


@every_row("name", NOBODY)
def test_other_names_are_not_parsed_as_persons(name: str) -> None:
    person = parse_person(name)
    assert person is None or not person.evident


def test_the_parts_of_a_name() -> None:
    person = parse_person("Dr. Ludwig M. van der Rohe, Jr.")
    assert person is not None
    assert person.given == ("ludwig", "m")
    assert person.surname == ("van", "der", "rohe")
    assert person.generation == "jr"
    assert person.titles == ("dr",)
