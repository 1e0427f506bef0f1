from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.matching.names import NameIndex
from row3.matching.scorers import Named, NameRule
from row3.matching.variant.numbered import numbered
from tests.rows import every_row

ONE = """
release v3.4 | Release 3.4
release v3.4 notes | release 3.4 notes
version 2 of the protocol | protocol v2
version two of the report | report version 2
HTTP version 2 | HTTP v2
SNMP version 3 | SNMPv3
v2 API | API version 2
Python v3 | Python 3
Symphony No. 5 | Fifth Symphony
Seventh Symphony | Symphony No. 7
Symphony 5 | the Fifth Symphony
Symphony No. 9 in D minor | Ninth Symphony in D minor
Beethoven's Fifth Symphony | Beethoven's Symphony No. 5
14th String Quartet | String Quartet no. 14
the fifth chapter | chapter 5
Act III | third act
Rule No. 14 | Rule 14
2020/21 season | 2020-2021 season
1999/00 season | 1999-2000 season
2023/24 Premier League | 2023–24 Premier League
Fifth Avenue | 5th Ave.
5th Avenue, New York | Fifth Ave., New York
a share of a third | a share of 1/3
a height of 5 ft 10 in | a height of 5'10"
"""

TWO = """
release v3.4 | release v3.40
version 2 of the protocol | protocol v3
protocol v2 | protocol 2.1
lead V2 | lead II
Lead V2 | Lead 2
v1 neurons | neurons 1
version 2 of the report | 2 versions of the report
Release 3.4 | Revision 3.4
Symphony No. 5 | Sixth Symphony
Symphony No. 5 | Symphony, Op. 5
Symphony No. 5 | Five Symphonies
Chanel No. 5 | Fifth Chanel
First Performance of Symphony | Performance of Symphony No. 1
Violin Concerto No. 1 | First Cello Concerto
Act III | second act
5 chapters | chapter 5
the No. 5 shirt | the 5 shirt
No. 5 shirt | 5 shirts
the XVIII century | the XVII century
the V century BC | the fifth century
Century 21 | 21st century
2020/21 season | 2021/22 season
2020/21 season | 2020 season
2011-12 | 2011-2012
the 2011-12 report | the 2011-2012 report
5th Ave. | 6th Ave.
Fifth Avenue | Fifth Street
St. Paul | Paul Street
1st St. Paul | 1st Street Paul
E. 42nd St. | W. 42nd St.
Rm. 204 | 204 rooms
a share of 0.25 | a share of 0.25%
a share of 2.5 | a share of 25%
an increase of 0.25 | an increase of 25%
a third chance | a 1/3 chance
odds of three to one | odds of one to three
odds of 3 to 1 | ratio of 3 to 1
a 2/3 majority | a two-to-three majority
blood pressure 120/80 | blood pressure 180/120
6/12 vision | 1/2 vision
the half past six train | the 6:13 train
a height of 5 ft 10 in | a height of 5'9"
"""


def pairs(text: str) -> list[list[str]]:
    return [line.split(" | ") for line in text.strip().splitlines()]


def are_one(one: str, other: str) -> bool:
    return NameIndex([Named(other, ()), Named("tea", ())], (), NameRule()).resolve(one) is not None


@every_row(("one", "other"), pairs(ONE))
def test_numbers_with_two_spellings(one: str, other: str) -> None:
    assert are_one(one, other)
    assert are_one(other, one)


@every_row(("one", "other"), pairs(TWO))
def test_different_numbers_or_things_differ(one: str, other: str) -> None:
    assert not are_one(one, other)
    assert not are_one(other, one)


@given(st.text(st.sampled_from("0123 /:.-%vVXIV act no.symphony shareofodds"), max_size=40))
def test_any_name_is_numbered_without_error(name: str) -> None:
    assert all(isinstance(variant, str) for variant in numbered(name))
