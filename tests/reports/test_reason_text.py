"""Every reason has a sentence, and reasons that share a code share a line."""

from __future__ import annotations

from typing import Any

from row3.domain.changes import MetricChange
from row3.domain.judgements import Code, Reason
from row3.domain.verdicts import Verdict
from row3.gate.policy import GatePolicy
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
        (0.59, 0.58, "Concept recall fell further inside its fail zone: 58.0% (minimum 60%), was 59.0%"),
        (None, 0.58, "Concept recall is in its fail zone: 58.0% (minimum 60%)"),
        (0.65, 0.59996, "Concept recall entered its fail zone: 59.996% (minimum 60%), was 65.0%"),
    ],
)
def test_the_fail_zone(before: float | None, after: float, expected: str) -> None:
    reason = Reason(Code.ENTERED_FAIL_ZONE, BLOCK, "recall", {"before": before, "after": after, "minimum": 0.6})
    assert reason_text(reason, WORDS) == expected


def test_metrics_that_were_in_their_fail_zone() -> None:
    figures = {"before": 0.5, "after": 0.55, "minimum": 0.6}
    still = "Concept recall is in its fail zone, no worse than before: 55.0% (minimum 60%)"
    assert lines(Code.IN_FAIL_ZONE, INVESTIGATE, "recall", **figures) == [still]
    warns = "Concept recall is in its fail zone, which only warns: 55.0% (minimum 60%)"
    assert lines(Code.IN_FAIL_ZONE, INVESTIGATE, "recall", **figures | {"before": 0.7}) == [warns]
    both = "2 metrics are in their fail zone: Concept recall 55.0% (minimum 60%), Overall 55.0% (minimum 60%)"
    assert lines(Code.IN_FAIL_ZONE, INVESTIGATE, "recall", "overall", **figures) == [both]


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
