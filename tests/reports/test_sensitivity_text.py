"""One sentence on what a comparison can see, in all its forms."""

from __future__ import annotations

import pytest

from row3.gate.pairs import DifferenceVariance
from row3.gate.power import Finding, Needed, Sensitivity
from row3.reports.sensitivity_text import points, sensitivity_sentence, times

UNKNOWN, NEVER, ELEVEN = Needed(None, "unknown"), Needed(None, "never"), Needed(11)
SPREAD = "with this much spread"


def said(
    *,
    sees: float | None = 0.12,
    wanted: float = 0.1,
    cases: Needed = ELEVEN,
    repeats: Needed = UNKNOWN,
    k: float = 1.0,
    n: int = 15,
) -> str:
    variance = DifferenceVariance(0.01, n - 1.0, n, k)
    seen = Sensitivity("overall", variance, Finding(0.05), sees, wanted, cases, repeats, True)
    return sensitivity_sentence(seen, "Overall")


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (said(sees=0.07), f"Overall: 15 cases {SPREAD} detect a drop of 7.0 points."),
        (
            said(cases=Needed(58), repeats=Needed(4)),
            f"Overall: 15 cases {SPREAD} detect a drop of 12.0 points; 58 cases or 4 repeats would detect 10.",
        ),
        (
            said(cases=NEVER, repeats=Needed(7), k=3.0),
            f"Overall: 15 cases asked 3 times {SPREAD} detect a drop of 12.0 points; 7 repeats would detect 10.",
        ),
        (
            said(wanted=0.05, cases=NEVER, repeats=NEVER),
            f"Overall: 15 cases {SPREAD} detect a drop of 12.0 points; no number of cases would detect 5.",
        ),
        (
            said(sees=2.924, cases=Needed(583), n=2),
            f"Overall: 2 cases {SPREAD} are too few to detect any drop reliably; 583 cases would detect 10.",
        ),
        (
            said(sees=None, cases=Needed(40)),
            f"Overall: 15 cases {SPREAD} are too few to detect any drop reliably; 40 cases would detect 10.",
        ),
        (said(sees=None, cases=UNKNOWN), "Overall: how small a drop 15 cases detect is unknown, as no case moved."),
        (
            sensitivity_sentence(None, "Rate", what="rise"),
            "Rate: how small a rise is detected is unknown, as it takes two independent cases.",
        ),
    ],
)
def test_the_sentence(sentence: str, words: str) -> None:
    assert sentence == words


def test_repeats_that_are_there_already_are_nothing_to_buy() -> None:
    assert "repeat" not in said(repeats=Needed(3), k=3.0)
    assert "11 cases or 4 repeats would" in said(repeats=Needed(4), k=3.0)


def test_thousands() -> None:
    assert "1,204 cases would detect 10" in said(cases=Needed(1204))


@pytest.mark.parametrize(("drop", "text"), [(0.04, "4.0"), (0.1234, "12.3"), (0.0006, "0.1"), (0.0002, "0.02")])
def test_points_keep_the_digits_that_matter(drop: float, text: str) -> None:
    assert points(drop) == text


@pytest.mark.parametrize(
    ("k", "text"), [(1.0, ""), (3.0000000000000004, " asked 3 times"), (1.5, " asked about 1.5 times")]
)
def test_times(k: float, text: str) -> None:
    assert times(k) == text
