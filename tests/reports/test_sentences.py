"""Sentences about how a metric moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from row3.domain.judgements import Interval, MetricChange, Verdict
from row3.domain.scores import Metric
from row3.gate.policy import GatePolicy
from row3.reports.sentences import move_text
from tests.rows import every_row

RECALL = Metric("recall", "Recall")
WIDE = Interval(-0.067, -0.183, 0.049, 0.95, 0.3, 0.05, 14.0, 15)
CLEAR = Interval(-0.067, -0.1, -0.051, 0.95, 0.001, 0.01, 14.0, 15)
FIXED, EVIDENCE, PAIRED = (GatePolicy(policy=policy) for policy in ("fixed", "evidence", "paired"))


def said(policy: GatePolicy, code: str, worse: float = 6.7, **more: Any) -> str:
    change = MetricChange("recall", 0.8, 0.733, -worse / 100, worse, Verdict.BLOCK, 15, code=code, **more)  # type: ignore[arg-type]
    return move_text(change, RECALL, policy)


@every_row(
    ("text", "words"),
    [
        (said(FIXED, ""), ""),
        (said(FIXED, "no_longer_measured"), "Recall is no longer measured"),
        (
            said(FIXED, "worse", interval=WIDE, noise="within"),
            "Recall is worse by 6.7 points (more than 5); it may be noise (95%: −18.3 to +4.9 points)",
        ),
        (
            said(EVIDENCE, "worse", interval=WIDE, noise="within", p=0.2),
            "Recall is worse by 6.7 points (more than 5); it may be noise (95%: −18.3 to +4.9 points)",
        ),
        (
            said(EVIDENCE, "worse", interval=replace(CLEAR, standard_error=0.0, units=4), noise="unknown", p=0.06),
            "Recall is worse by 6.7 points (more than 5); it may be noise (all 4 independent cases changed by the same "
            "amount, which happens by chance once in 2^4)",
        ),
        (
            said(EVIDENCE, "worse", worse=2.0, interval=WIDE, noise="within", p=0.2),
            "Recall is worse by 2.0 points (at least 1); it may be noise (95%: −18.3 to +4.9 points)",
        ),
        (said(FIXED, "worse", interval=CLEAR, noise="beyond"), "Recall is worse by 6.7 points (more than 5)"),
        (said(FIXED, "worse", worse=2.0), "Recall is worse by 2.0 points (at least 1)"),
        (
            said(EVIDENCE, "worse", interval=replace(CLEAR, level=0.98), p=0.003, tests=5, noise="beyond"),
            "Recall is worse by 6.7 points (more than 5), beyond noise (90%, adjusted for 5 metrics: −10.0 "
            "to −5.1 points); p = 0.003",
        ),
        (
            said(EVIDENCE, "worse_unproven", interval=replace(WIDE, level=0.9)),
            "Recall is worse by 6.7 points (more than 5), which may be noise (90%: −18.3 to +4.9 points)",
        ),
        (
            said(EVIDENCE, "worse_unproven", interval=WIDE, doubt="few_units", moved=2, units=15, units_needed=7),
            "Recall is worse by 6.7 points (more than 5), which may be noise (only 2 of 15 independent cases moved, "
            "and fewer than 7 cannot show a drop)",
        ),
        (
            said(PAIRED, "worse", interval=CLEAR, p=0.003),
            "Recall is worse by 6.7 points, and by more than 5 beyond noise (95%: −10.0 to −5.1 points); p = 0.003",
        ),
        (
            said(PAIRED, "inconclusive", interval=WIDE),
            "Recall is inconclusive: a loss of more than 5 points is neither shown nor ruled out (95%: −18.3 to +4.9 "
            "points)",
        ),
        (
            said(PAIRED, "inconclusive", interval=WIDE, doubt="rare_loss", units=15, units_needed=47),
            "Recall is inconclusive: no loss of more than 5 points is seen (95%: −18.3 to +4.9 points), but 15 "
            "independent cases cannot rule out a rare and large one; about 47 would",
        ),
        (
            said(PAIRED, "inconclusive"),
            "Recall is inconclusive: a loss of more than 5 points is neither shown nor ruled out; an interval needs at "
            "least two independent cases",
        ),
    ],
)
def test_the_sentence(text: str, words: str) -> None:
    assert text == words


def test_a_relative_limit_and_one_spread_for_all() -> None:
    alike = Interval(-0.1, -0.1, -0.1, 0.95, 0.01, 0.0, 8.0, 9)
    text = said(GatePolicy(policy="paired", unit="relative"), "worse", interval=alike, p=0.002)
    assert text.startswith(
        "Recall is worse by 6.7% of the baseline, and by more than 5 beyond noise (all 9 independent"
    )


def test_a_rate_that_is_better_low_is_worse_by_points() -> None:
    relative, rate = GatePolicy(unit="relative"), Metric("rate", "Rate", higher_is_better=False)
    change = MetricChange("rate", 0.1, 0.18, 0.08, 8.0, Verdict.BLOCK, 15, code="worse", noise="beyond")
    assert move_text(change, rate, relative) == "Rate is worse by 8.0 points (more than 5)"
    assert move_text(change, RECALL, relative) == "Recall is worse by 8.0% of the baseline (more than 5)"


def test_a_brief_sentence_leaves_intervals_to_the_table() -> None:
    change = MetricChange("recall", 0.8, 0.733, -0.067, 6.7, Verdict.BLOCK, 15, code="worse", interval=CLEAR, p=0.003)
    assert move_text(change, RECALL, EVIDENCE, brief=True) == "Recall is worse by 6.7 points, beyond noise"
    assert (
        move_text(replace(change, p=None), RECALL, FIXED, brief=True) == "Recall is worse by 6.7 points (more than 5)"
    )
    unproven = replace(change, code="worse_unproven", interval=WIDE)
    assert move_text(unproven, RECALL, EVIDENCE, brief=True) == "Recall is worse by 6.7 points, which may be noise"


def test_a_confirmed_fall_is_no_longer_in_doubt_and_an_interval_without_0_says_why_it_may_be_noise() -> None:
    fell = MetricChange("recall", 0.8, 0.733, -0.067, 6.7, Verdict.BLOCK, 15, code="worse", noise="within")
    assert move_text(fell, RECALL, FIXED, brief=True) == "Recall is worse by 6.7 points (more than 5); it may be noise"
    assert move_text(fell, RECALL, FIXED, confirmed=True) == "Recall is worse by 6.7 points (more than 5)"
    unproven = replace(fell, code="worse_unproven", p=0.1, tests=5)
    assert move_text(unproven, RECALL, EVIDENCE, brief=True).endswith("which may be noise (tested with 4 others)")
    few = replace(unproven, doubt="few_units", units_needed=7)
    assert move_text(few, RECALL, EVIDENCE, brief=True).endswith("which may be noise (fewer than 7 cases moved)")
