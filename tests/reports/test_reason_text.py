"""Every reason has a sentence, and reasons that share a code share a line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from row3.domain.judgements import Code, MetricChange, Reason, Verdict
from row3.gate.policy import GatePolicy
from row3.gate.results import Confirmation
from row3.reports.reason_text import Words, grounds, reason_text
from tests.reports.conftest import METRICS
from tests.rows import every_row

NOTE, INVESTIGATE, BLOCK = Verdict
FELL = MetricChange("recall", 0.8, 0.7, -0.1, 10.0, BLOCK, 15, code="worse")
WORDS = Words({metric.key: metric for metric in METRICS}, {"recall": FELL}, GatePolicy())


def text(code: Code, verdict: Verdict, subject: str = "", **figures: Any) -> str:
    return reason_text(Reason(code, verdict, subject, figures), WORDS)


def lines(code: Code, verdict: Verdict, *subjects: str, **figures: Any) -> list[str]:
    return [each.text for each in grounds([Reason(code, verdict, name, figures) for name in subjects], WORDS)]


@every_row("code", list(Code))
def test_every_code_has_a_sentence(code: Code) -> None:
    sentence = text(code, INVESTIGATE, "recall")
    assert sentence
    assert "{" not in sentence


def test_a_metric_that_moved_has_the_sentence_of_its_move() -> None:
    assert text(Code.WORSE, BLOCK, "recall", before=0.8, after=0.7).startswith("Concept recall is worse by 10.0 points")
    other = reason_text(Reason(Code.WORSE, BLOCK, "overall", {"before": 0.72, "after": 0.66}), WORDS)
    assert other == "Overall went from 72.0% to 66.0% (−6.0 points)"
    assert reason_text(Reason(Code.WORSE, BLOCK, "unknown"), WORDS) == "unknown is worse"


def test_a_drop_from_the_rolling_baseline_names_both_figures_and_the_runs() -> None:
    figures = {"before": 0.85, "after": 0.68, "drop": 0.2, "runs": 5}
    expected = "Concept recall is 20.0% worse than the mean of the latest 5 runs: 85.0% → 68.0%"
    assert text(Code.ROLLING_DROP, BLOCK, "recall", **figures) == expected
    none = text(Code.ROLLING_DROP, NOTE, runs=1)
    assert none == "no rolling baseline yet: the history has 1 comparable run, and 2 are needed"


def test_what_stops_the_next_change_says_so() -> None:
    reason = Reason(Code.WORSE, BLOCK, "recall", {"before": 0.8, "after": 0.7}, after=True)
    assert reason_text(reason, WORDS) == (
        "under this change's own criteria, Concept recall went from 80.0% to 70.0% (−10.0 points); "
        "that would stop the next change"
    )


@every_row(
    ("before", "after", "expected"),
    [
        (0.65, 0.58, "Concept recall entered its fail zone: 58.0% (minimum 60%), was 65.0%"),
        (None, 0.58, "Concept recall is in its fail zone: 58.0% (minimum 60%)"),
        (0.65, 0.59996, "Concept recall entered its fail zone: 59.996% (minimum 60%), was 65.0%"),
    ],
)
def test_the_fail_zone(before: float | None, after: float, expected: str) -> None:
    reason = Reason(Code.ENTERED_FAIL_ZONE, BLOCK, "recall", {"before": before, "after": after, "minimum": 0.6})
    assert reason_text(reason, WORDS) == expected


def test_the_side_before_is_named() -> None:
    again = replace(WORDS, before="the base asked again")
    entered = Reason(Code.ENTERED_FAIL_ZONE, BLOCK, "recall", {"before": 0.65, "after": 0.58, "minimum": 0.6})
    assert reason_text(entered, again).endswith("58.0% (minimum 60%), the base asked again 65.0%")
    inside = replace(entered, code=Code.IN_FAIL_ZONE, verdict=INVESTIGATE, figures=entered.figures | {"before": 0.58})
    assert reason_text(inside, again).startswith("Concept recall is in its fail zone, no worse than the base asked")
    moved = replace(entered, figures=inside.figures | {"saved": 0.95})
    assert reason_text(moved, again) == (
        "Concept recall entered its fail zone: 58.0% (minimum 60%), was 95.0% when saved"
    )


def test_metrics_that_fell_further_inside_have_a_line_each() -> None:
    figures = {"before": 0.59, "after": 0.58, "minimum": 0.6}
    assert lines(Code.IN_FAIL_ZONE, BLOCK, "recall", "overall", **figures) == [
        "Concept recall fell further inside its fail zone: 58.0% (minimum 60%), was 59.0%",
        "Overall fell further inside its fail zone: 58.0% (minimum 60%), was 59.0%",
    ]


def test_metrics_that_were_in_their_fail_zone() -> None:
    figures = {"before": 0.5, "after": 0.55, "minimum": 0.6}
    still = "Concept recall is in its fail zone, no worse than before: 55.0% (minimum 60%)"
    assert lines(Code.IN_FAIL_ZONE, INVESTIGATE, "recall", **figures) == [still]
    warns = "Concept recall is in its fail zone, which only warns: 55.0% (minimum 60%)"
    assert lines(Code.IN_FAIL_ZONE, INVESTIGATE, "recall", **figures | {"before": 0.7}) == [warns]
    for noise, words in (("within", "worse within noise"), ("unknown", "worse, in too few cases to tell from noise")):
        (seen,) = lines(Code.IN_FAIL_ZONE, INVESTIGATE, "recall", **figures | {"before": 0.7, "noise": noise})
        assert seen == f"Concept recall is in its fail zone, {words}: 55.0% (minimum 60%)"
    both = "2 metrics are in their fail zone: Concept recall 55.0% (minimum 60%), Overall 55.0% (minimum 60%)"
    assert lines(Code.IN_FAIL_ZONE, INVESTIGATE, "recall", "overall", **figures) == [both]


ASK = Confirmation(4, command="row3 --compare --mode record --confirm 4")


@pytest.mark.parametrize(
    ("answers", "known", "expected"),
    [
        (0, None, "not confirmed, may be noise: Concept recall, rye"),
        (0, ASK, "not confirmed, may be noise: Concept recall, rye"),
        (
            2,
            replace(ASK, answers=2, stopped="--max-cost is spent"),
            "not confirmed after 2 more answers a case and side, may be noise: Concept recall, rye; "
            "--max-cost is spent",
        ),
        (
            3,
            Confirmation(4, 3, stopped="no provider serves `by-hand`"),
            "not confirmed after 3 more answers a case and side, may be noise: Concept recall, rye; "
            "no provider serves `by-hand`",
        ),
        (
            1,
            replace(ASK, answers=3),
            "not confirmed after 1 more answer a case and side, may be noise: Concept recall, rye",
        ),
    ],
)
def test_an_unconfirmed_block_says_what_may_be_noise(answers: int, known: Confirmation | None, expected: str) -> None:
    reasons = [Reason(Code.UNCONFIRMED, BLOCK, subject, {"answers": answers}) for subject in ("recall", "rye")]
    (line,) = grounds(reasons, replace(WORDS, confirmation=known))
    assert line.text == expected


def test_a_cleared_block_has_both_figures_and_the_number_of_answers() -> None:
    figures = {"answers": 2, "once": (0.8, 0.74), "before": 0.79, "after": 0.78}
    reasons = [
        Reason(Code.CLEARED, NOTE, "recall", figures),
        Reason(Code.CLEARED, NOTE, "rye", {"answers": 2}),
    ]
    assert [each.text for each in grounds(reasons, WORDS)] == [
        "cleared by 2 more answers a case and side: Concept recall −6.0 points at first, −1.0 with them, rye"
    ]


def test_a_provider_that_moved_has_both_figures() -> None:
    assert lines(Code.PROVIDER_MOVED, NOTE, "recall", "overall", before=1.0, after=0.4) == [
        "the provider moved: the base's Concept recall 100.0% → 40.0%, Overall 100.0% → 40.0%"
    ]


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (NOTE, "3 consecutive runs declined, by 1.2 points in all"),
        (INVESTIGATE, "3 consecutive runs declined, by 1.2 points in all, more than its runs differ"),
    ],
)
def test_declining_runs_say_by_how_much(verdict: Verdict, expected: str) -> None:
    assert text(Code.DECLINING, verdict, runs=3, fall=0.012) == expected


def test_a_rolling_drop_of_a_rate_that_is_better_low_is_in_points() -> None:
    figures = {"before": 0.05, "after": 0.21, "drop": 0.16, "runs": 3}
    expected = "Hallucination rate is 16.0 points worse than the mean of the latest 3 runs: 5.0% → 21.0%"
    assert text(Code.ROLLING_DROP, BLOCK, "hallucinationRate", **figures) == expected


def test_many_cases_of_a_code_are_one_line() -> None:
    names = ("a", "b", "c", "d")
    assert lines(Code.CRITERIA_ADDED, NOTE, *(f"case {name}" for name in names)) == [
        "4 golden cases are new: a, b, c and 1 more"
    ]
    assert lines(Code.CRITERIA_REMOVED, BLOCK, "case a") == ["1 golden case was removed: a"]
    assert lines(Code.CASE_BROKE, INVESTIGATE, *names) == [
        "the answers to 4 cases are no longer usable: a, b, c and 1 more"
    ]
    assert lines(Code.INCOMPARABLE, BLOCK, *names, count=4, cases=6) == [
        "the base cannot answer 4 of 6 cases, more than half, so row3 cannot compare them: a, b, c and 1 more"
    ]
    assert lines(Code.NO_ANSWER, BLOCK, "a") == ["1 case has no answer: a"]


def test_reasons_of_one_code_but_another_kind_stay_apart() -> None:
    subjects = (
        "case a", "case b concept:gas", "rule threshold.recall.minimum", "quarantine c", "suite old", "baseline",
    )  # fmt: skip
    assert lines(Code.CRITERIA_REMOVED, BLOCK, *subjects, before=0.6, after=None) == [
        "1 golden case was removed: a",
        "golden case b: concept gas was removed",
        "rule threshold.recall.minimum was removed: 0.6 → none",
        "quarantine of c was removed: 0.6 → none",
        "suite old was removed",
        "the baseline was removed",
    ]


def test_demands_are_grouped_by_case() -> None:
    subjects = ["case ozone concept:halons", "case ozone alias:concept:gas", "case rye input"]
    assert lines(Code.CRITERIA_CHANGED, INVESTIGATE, *subjects) == [
        "3 demands of golden cases changed: ozone (concept halons, alias concept:gas), rye (input)"
    ]


def test_the_effect_of_changed_criteria_is_the_largest_of_the_group() -> None:
    reasons = [
        Reason(Code.CRITERIA_CHANGED, INVESTIGATE, f"rule weight.{key}", {"before": 1, "after": 2, "base": pair})
        for key, pair in (("recall", (0.7, 0.72)), ("precision", (0.7, 0.65)))
    ]
    assert [each.text for each in grounds(reasons, WORDS)] == [
        "2 rules changed: weight.recall 1 → 2, weight.precision 1 → 2; the same answers score −5.0 (base) points"
    ]


def test_lines_keep_the_order_of_the_reasons() -> None:
    reasons = [
        Reason(Code.WORSE, BLOCK, "recall"),
        Reason(Code.PARTIAL, INVESTIGATE),
        Reason(Code.WORSE, BLOCK, "overall"),
    ]
    found = grounds(reasons, WORDS)
    assert [each.reasons[0].subject for each in found] == ["recall", "", "overall"]
    assert [each.note for each in found] == [False] * 3


def test_a_confirmed_block_says_so_instead_of_that_it_may_be_noise() -> None:
    confirmed = replace(WORDS, confirmation=Confirmation(4, answers=4))
    critical = Reason(Code.CRITICAL_BROKE, BLOCK, "rye")
    assert reason_text(critical, confirmed).endswith("limit: rye, confirmed by 4 more answers a case and side")
    assert "confirmed" not in reason_text(critical, replace(confirmed, doubtful=frozenset(["rye"])))
    assert "confirmed" not in reason_text(replace(critical, verdict=INVESTIGATE), confirmed)


def test_a_confirmation_that_stopped_says_how_far_it_came() -> None:
    stopped = replace(ASK, asked=25, missing=35, stopped="the budget is used up")
    text = reason_text(Reason(Code.UNCONFIRMED, BLOCK, "rye"), replace(WORDS, confirmation=stopped, brief=True))
    assert text == "not confirmed, may be noise: rye; asked 25 of 60 more answers; the budget is used up"
