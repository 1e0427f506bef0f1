from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.kinds.passages import description_similarity, overlap, position_of
from row3.matching.normalise import normalise_text

SAME = 0.8


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
