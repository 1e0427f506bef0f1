"""Names of the same person and of different persons."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.matching.compare import compare
from row3.matching.lexicon.lists import listed
from row3.matching.names import NameIndex
from row3.matching.person.persons import parse_person
from row3.matching.person.same_person import same_person
from row3.matching.scorers import Named, NameRule
from tests.rows import every_row

ONE = """
J. Smith | John Smith
Smith, John (Dr) | Dr. John Smith
Prof. em. Dr. Ingrid Solheim | Ingrid Solheim
Lt. Col. Denise Rourke | Lieutenant Colonel Denise Rourke
Lt. Col. Denise Rourke | Denise Rourke
John D. Smith | John Smith
Smith, John | John Smith
Dr. John Smith | John Smith
JOHN SMITH | John Smith
Smith, J. D. | John David Smith
Bob Woodward | Robert Woodward
Bill Clinton | William J. Clinton
W. Clinton | Bill Clinton
Ludwig van Beethoven | Beethoven, Ludwig van
Juana de la Cruz | de la Cruz, Juana
Gabriel García Márquez | García Márquez, Gabriel
Irène Joliot-Curie | Irene Joliot Curie
Jean-Paul Sartre | J.-P. Sartre
JRR Tolkien | J. R. R. Tolkien
J. Robert Oppenheimer | Robert Oppenheimer
Martin Luther King Jr. | Martin Luther King, Junior
Davis, Sammy, Jr. | Sammy Davis Jr.
Stephen Hawking, PhD | Prof. Stephen Hawking
Dr. Smith | John Smith
Mao Zedong | Zedong Mao
Smith John | John Smith
Min-jun Kim | Kim Min-jun
Jong-un Kim | Kim Jong Un
Jinping Xi | Xi Jinping
Abe Shinzo | Shinzo Abe
Hans Müller | Hans Mueller
O’Connor, Flannery | Flannery O'Connor
van der Berg, Dr. Hans | Hans van der Berg
Dr. van der Berg, Hans | Hans van der Berg
Henry St. John | St. John, Henry
Vargas Llosa, Mario | Mario Vargas Llosa
Lloyd George, David | David Lloyd George
Conan Doyle, A. | Arthur Conan Doyle
Ortega y Gasset, José | José Ortega y Gasset
Le Guin, Ursula K. | Ursula K. Le Guin
Okonkwo, Chidi | Chidi Okonkwo
U.S. Grant | Ulysses S. Grant
H.G. Wells | Herbert George Wells
P.G. Wodehouse | Pelham Grenville Wodehouse
E.B. White | Elwyn Brooks White
C.S. Lewis | Clive Staples Lewis
W.H. Auden | Wystan Hugh Auden
"""

TWO = """
John Smith | Jane Smith
John D. Smith | John B. Smith
J. Smith | K. Smith
Paul Simon | Simon Paul
Henry James | James Henry
Ann Lee | Lee Ann
Rose Garden | Garden Rose
Erik Hansen | Erik Hanson
Martin Luther King Jr. | Martin Luther King Sr.
John F. Kennedy Jr. | John F. Kennedy
Ken Griffey, Jr. | Griffey, Ken
Elizabeth I | Elizabeth II
Pieter Bruegel the Elder | Pieter Bruegel the Younger
Henry Ford | Henry Ford II
Mr. Bennet | Mrs. Bennet
Mrs. Smith | John Smith
Jane Smith | Janet Smith
Francis Kelly | Frances Kelly
John Maynard Keynes | John Neville Keynes
Laura Smith-Jones | Laura Smith-James
Maria van der Berg | Maria van den Berg
Smith | John Smith
John | John Smith
Dr. Pepper | Sgt. Pepper
James Martin | Martin James
"""


def rows(text: str) -> list[tuple[str, str]]:
    return [(a.strip(), b.strip()) for a, _, b in (line.partition("|") for line in text.strip().splitlines())]


@every_row(("one", "other"), rows(ONE))
def test_the_same_person(one: str, other: str) -> None:
    assert same_person(one, other)
    assert same_person(other, one)


@every_row(("one", "other"), rows(TWO))
def test_different_persons(one: str, other: str) -> None:
    assert not same_person(one, other)
    assert not same_person(other, one)


words = st.sampled_from(listed("John Jane J. D. Smith Smith-Jones van der Berg, Dr. Mrs. Jr. II Bob the Elder de é"))
people = st.lists(words, min_size=1, max_size=5).map(" ".join) | st.text(max_size=20)


@given(people, people)
def test_the_relation_is_symmetric(one: str, other: str) -> None:
    assert same_person(one, other) == same_person(other, one)


@given(people)
def test_a_person_matches_itself(name: str) -> None:
    assert parse_person(name) is None or same_person(name, name)


@every_row(
    ("one", "other"),
    [
        ("Robert E. Lee", "Robert Lee"),
        ("Thomas Y. Crowell", "Thomas Crowell"),
        ("Franklin, Rosalind E.", "Rosalind Franklin"),
        ("Smith, John, PhD", "John Smith"),
        ("José Ortega y Gasset", "Ortega y Gasset, José"),
    ],
)
def test_a_middle_initial_is_not_a_particle(one: str, other: str) -> None:
    assert compare(one, other).same
    assert compare(other, one).same


OFFICES = """
CFO Helena Voss | Helena Voss
Helena Voss, CFO | Helena Voss
Helena Voss (CFO) | Voss, Helena
Helena Voss, Chief Financial Officer | CFO Helena Voss
Prime Minister Keir Starmer | Keir Starmer
Former Prime Minister Mario Draghi | Draghi, Mario
Prime Minister Thatcher | Margaret Thatcher
Vice-Chancellor Olaf Scholz | Olaf Scholz
Governor Newsom | Gavin Newsom
Director Jane Goodall | Jane Goodall
Acting Commissioner Lena Ortiz | Lena Ortiz
"""

NO_OFFICE = """
CFO Voss | CEO Voss
CFO Helena Voss | CFO Martin Voss
CEO Pay Ratio | Pay Ratio
CEO of Acme | Acme
Prime Minister | Minister
Prime Number Theorem | Number Theorem
Vice President Harris | President Truman
Premier League | League
King Leopold | Lake Leopold
Director General | General
Governor Newsom | Newsom Act
"""


@every_row(("one", "other"), rows(OFFICES))
def test_an_office_before_or_after_a_name_is_not_part_of_it(one: str, other: str) -> None:
    assert compare(one, other).how == compare(other, one).how == "person"
    for expected, found in ((one, other), (other, one)):  # also by the search in a case
        index = NameIndex([Named("Central bank", ()), Named(expected, ())], (), NameRule())
        assert index.resolve(found) == (1, True)


@every_row(("one", "other"), rows(NO_OFFICE))
def test_an_office_does_not_make_other_names_persons(one: str, other: str) -> None:
    assert not compare(one, other).same
    assert not compare(other, one).same
