from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.kinds.passages import Passages, description_similarity, overlap

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
def test_what_says_the_same(one: str, other: str) -> None:
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
def test_what_does_not(one: str, other: str) -> None:
    assert description_similarity(one, other) <= SAME


texts = st.text(st.sampled_from("ab 12.éß\n'"), max_size=30)


@given(texts, texts)
def test_likeness_is_symmetric_and_a_fraction(one: str, other: str) -> None:
    assert description_similarity(one, other) == description_similarity(other, one)
    assert 0.0 <= description_similarity(one, other) <= 1.0


@given(st.text(st.sampled_from("ab c"), min_size=1, max_size=30))
def test_a_text_is_like_itself_unless_it_says_nothing(text: str) -> None:
    assert description_similarity(text, text) in (0.0, 1.0)


class TestPassages:
    TEXT = Passages("Alice decided:  we “launch” on April 1st.\nBob tests the pump, Bob's own.")

    def test_quotes_are_found_as_they_are_normalised_and_as_whole_words(self) -> None:
        assert self.TEXT.place('we "launch" on april 1st') is not None
        assert self.TEXT.place("we laun") is None
        assert self.TEXT.place("Carol") is None
        assert self.TEXT.place(" ") is None

    def test_how_much_of_the_shorter_one_lies_in_the_other(self) -> None:
        whole = self.TEXT.place("Alice decided: we launch on April 1st")
        part = self.TEXT.place("launch on April 1st")
        later = self.TEXT.place("Bob tests the pump")
        assert overlap(whole, part) == overlap(part, whole) == overlap(whole, whole) == 1.0
        assert overlap(whole, later) == 0.0
        assert overlap(None, whole) == overlap(whole, None) == 0.0
        assert overlap((0, 10), (5, 25)) == pytest.approx(5 / 10)
