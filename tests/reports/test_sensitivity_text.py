"""One sentence on what a comparison can see, in all its forms."""

from __future__ import annotations

import pytest

from row3.gate.power import Needed
from row3.gate.sensitivity import Sensitivity
from row3.reports.sensitivity_text import points, sensitivity_sentence, times

UNKNOWN, NEVER, ELEVEN = Needed(None, "unknown"), Needed(None, "never"), Needed(11)
UNEVEN = "points or more where they differ as unevenly as here"


def said(
    *,
    sees: float | None = 0.04,
    wanted: float = 0.05,
    cases: Needed = ELEVEN,
    repeats: Needed = UNKNOWN,
    k: float = 1.0,
    blocks: bool = False,
    n: int = 15,
) -> str:
    return sensitivity_sentence(Sensitivity("overall", n, k, sees, wanted, cases, repeats, blocks))


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (
            said(),
            f"With 15 cases this suite sees drops of 4.0 {UNEVEN}; to see 5 you need 11 cases.",
        ),
        (
            said(wanted=0.02, cases=Needed(58), repeats=Needed(4)),
            f"With 15 cases this suite sees drops of 4.0 {UNEVEN}; to see 2 you need 58 cases or 4 repeats.",
        ),
        (
            said(wanted=0.02, cases=Needed(58), repeats=NEVER),
            f"With 15 cases this suite sees drops of 4.0 {UNEVEN}; to see 2 you need 58 cases.",
        ),
        (
            said(wanted=0.025, cases=NEVER, repeats=Needed(7), k=3.0),
            f"With 15 cases asked 3 times this suite sees drops of 4.0 {UNEVEN}; to see 2.5 you need 7 repeats.",
        ),
        (
            said(sees=0.09, cases=NEVER, repeats=NEVER, blocks=True),
            f"With 15 cases this suite blocks drops of 9.0 {UNEVEN}; no number of cases is sure to block 5.",
        ),
        (
            said(wanted=0.02, cases=UNKNOWN),
            f"With 15 cases this suite sees drops of 4.0 {UNEVEN}; what it takes to see 2 is unknown.",
        ),
        (
            said(cases=UNKNOWN, k=1.5),
            f"With 15 cases asked about 1.5 times this suite sees drops of 4.0 {UNEVEN}; so it sees 5.",
        ),
        (
            said(sees=2.924, cases=Needed(583), n=2),
            "2 cases are too few to say which drops this suite sees; to see 5 you need 583 cases.",
        ),
        (
            said(sees=1.0, n=2),
            f"With 2 cases this suite sees drops of 100.0 {UNEVEN}; to see 5 you need 11 cases.",
        ),
        (
            said(sees=None, cases=UNKNOWN),
            "How small a drop can be seen is unknown: the 15 cases all moved alike, and no spread is no promise.",
        ),
        (
            sensitivity_sentence(None),
            "How small a drop can be seen is unknown: fewer than two independent cases say nothing of the spread.",
        ),
    ],
)
def test_the_sentence(sentence: str, words: str) -> None:
    assert sentence == words


def test_repeats_that_are_there_already_are_nothing_to_buy() -> None:
    assert "repeat" not in said(repeats=Needed(3), k=3.0)
    assert said(repeats=Needed(4), k=3.0).endswith("11 cases or 4 repeats.")


def test_one_case_and_thousands() -> None:
    assert "you need 1,204 cases" in said(cases=Needed(1204))
    assert said(n=2, cases=Needed(2)).startswith("With 2 cases ")


@pytest.mark.parametrize(("drop", "text"), [(0.04, "4.0"), (0.1234, "12.3"), (0.0006, "0.1"), (0.0002, "0.02")])
def test_points_keep_the_digits_that_matter(drop: float, text: str) -> None:
    assert points(drop) == text


@pytest.mark.parametrize(
    ("k", "text"), [(1.0, ""), (3.0000000000000004, " asked 3 times"), (1.5, " asked about 1.5 times")]
)
def test_times(k: float, text: str) -> None:
    assert times(k) == text
