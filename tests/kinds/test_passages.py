from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.kinds.passages import (
    contradicts,
    description_key,
    description_similarity,
    other_act,
    overlap,
    position_of,
    tells,
)
from row3.matching.normalise import normalise_text
from tests.rows import every_row

SAME = 0.8


@every_row(
    ("one", "other"),
    [
        ("Launch on April 1st", "Launch product on April 1st"),
        ("Deliver API by March 25th", "Deliver the API by 25 March 2024"),
        ("Complete the API refactor", "API refactor completed"),
        ("Approve a credit of 18,000 euros", "Approved credit of €18,000"),
        ("Finalize UI mockups", "finalize the UI mockups by Friday"),
        ("Do not bid for the tender", "not bid for tender"),
    ],
)
def test_descriptions_that_say_the_same(one: str, other: str) -> None:
    assert description_similarity(one, other) > SAME


@every_row(
    ("one", "other"),
    [
        ("Move the launch from May to June", "Move the launch from May to July"),
        ("Move Rime 4 launch from 15 September to 20 October", "Move Rime 4 launch from 20 October to 24 November"),
        ("Approve a credit of 18,000 euros", "Approve a credit of 12,000 euros"),
        ("Completed the first cut-over", "Completed the second cut-over"),
        ("Bid for the tender", "Do not bid for the tender"),
        ("Increase the budget for testing", "Decrease the budget for testing"),
        ("Launch on April 1st", "Hire a designer"),
        ("Launch on April 1st", ""),
        ("the", "a"),
    ],
)
def test_descriptions_that_differ(one: str, other: str) -> None:
    assert description_similarity(one, other) <= SAME


@every_row(
    ("one", "other"),
    [("Do not stop the pilot", "Stop the pilot"), ("The lift cannot carry it", "The lift is too weak for it")],
)
def test_a_negation_counts_alike_from_both_sides(one: str, other: str) -> None:
    assert description_similarity(one, other) == description_similarity(other, one) <= SAME


@every_row(
    ("one", "other", "said", "expected"),
    [
        ("Launch in May", "Launch in April", "we launch in April", True),
        ("Launch in May", "Launch in April", "in May, not in April, we launch", False),
        ("Lower the price to 6 percent on 4 August", "Cut the price from 18 to 6 percent", "", False),
        ("Lower the price to 8 percent", "Cut the price from 18 to 6 percent", "", True),
        ("Raise the price from 6 to 18 percent", "Cut the price from 18 to 6 percent", "", True),
        ("The launch is on 14 July", "Launch on 7 July", "on the 7th", True),
        ("The lab is unable to do 600", "The lab cannot do 600", "", False),
        ("The lab can do 600", "The lab cannot do 600", "", True),
        ("No one may leave", "All have to stay", "nobody leaves", False),
        ("Do not freeze hiring", "Freeze hiring", "no hiring", True),
    ],
)
def test_contradictions(one: str, other: str, said: str, expected: bool) -> None:
    assert contradicts(one, other, description_key(said).split()) is expected


@every_row(
    ("one", "other", "said", "expected"),
    [
        ("Fire Dan", "Hire Dan", "we hire Dan", True),
        ("Recruit Dan", "Hire Dan", "we take Dan on", False),
        ("Reject the order", "Approve the order", "", True),
        ("Signed off the order", "Approve the order", "", False),
        ("Shorten the text", "Publish the text", "", True),
        ("Shorten the text", "Publish the text", "shorten the text, publish it", False),
        ("Decline the renewal offer", "Make a renewal offer", "", True),
        ("Ask Ann to throw the samples away", "Ask Ann to keep the samples", "", True),
        ("The text is ready", "Publish the text", "", False),
    ],
)
def test_other_acts(one: str, other: str, said: str, expected: bool) -> None:
    assert other_act(one, other, description_key(said).split(), {"dan", "ann"}) is expected


@every_row(
    ("one", "other", "said", "expected"),
    [
        ("The tiny kitchen is full", "The kitchen is too small", "kitchens tiny, three people and its full", True),
        ("The heating is off", "The kitchen is too small", "kitchen tiny, heating off", False),
        # One of two words that the passage says of it is not enough; two are, and one of one.
        ("The audit is in Lyon", "Cancel the audit in Rome", "cancel that audit, go to Lyon", False),
        ("The audit is off", "Cancel the audit", "no audit", True),
        # Most of its words will do where the passage says none of them.
        ("Take part in the Oslo tender", "Bid for the Oslo tender", "scrap that, we are in", True),
        ("The tender is long", "Bid for the Oslo tender", "scrap that, we are in", False),
        # Values in another notation, acts by another verb.
        ("Spend €1.2m", "Cap the budget at 1.2 million euros", "1.2m euros and no cent more", True),
        ("Spend €1.3m", "Cap the budget at 1.2 million euros", "1.2m euros and no cent more", False),
        ("Recruit a driver", "Hire a driver", "we hire a driver", True),
        # What its actor is called is said of every act.
        ("Ann sells the van", "Ann paints the hall", "Ann paints the hall and sells the van", False),
        ("", "Hire Dan", "we hire Dan", False),
        ("Ann", "Ann", "Ann", False),
    ],
)
def test_only_the_same_act_is_told(one: str, other: str, said: str, expected: bool) -> None:
    assert tells(one, other, description_key(said).split(), {"ann"}) is expected


texts = st.text(st.sampled_from("ab 12.éß\n'"), max_size=30)


@given(texts, texts)
def test_similarity_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    assert description_similarity(one, other) == description_similarity(other, one)
    assert 0.0 <= description_similarity(one, other) <= 1.0


@given(st.text(st.sampled_from("ab c"), min_size=1, max_size=30))
def test_a_description_equals_itself_unless_it_has_no_words(text: str) -> None:
    assert description_similarity(text, text) in (0.0, 1.0)


TEXT = " " + normalise_text("Alice decided:  we “launch” on April 1st.\nBob tests the pump, Bob's own.") + " "


def test_quotes_are_located_as_whole_normalised_words() -> None:
    assert position_of('we "launch" on april 1st', TEXT) is not None
    assert position_of("we laun", TEXT) is None
    assert position_of("Carol", TEXT) is None
    assert position_of(" ", TEXT) is None


def test_overlap_is_a_share_of_the_shorter_passage() -> None:
    quotes = ("Alice decided: we launch on April 1st", "launch on April 1st", "Bob tests the pump")
    whole, part, later = (at for quote in quotes if (at := position_of(quote, TEXT)))
    assert overlap(whole, part) == overlap(part, whole) == overlap(whole, whole) == 1.0
    assert overlap(whole, later) == 0.0
    assert overlap((0, 10), (5, 25)) == pytest.approx(5 / 10)
