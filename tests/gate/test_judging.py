"""The gate's truth table, over in-memory values: one row per situation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.judgements import Approval, CriteriaChange, Judgement
from row3.domain.metrics import Metric, Threshold
from row3.domain.verdicts import Verdict
from row3.gate.judging import Context, Effect, Scores, approved, judge, signature
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy

RECALL = Metric("recall", "Recall", threshold=Threshold(0.6, 0.75, 0.9))
OVERALL = Metric("overall", "Overall", threshold=Threshold(0.5, 0.65, 0.8))
CANARIES = Metric("hallucinationRate", "Hallucination", higher_is_better=False, alarm=True)
METRICS = (RECALL, OVERALL, CANARIES)
POLICY = GatePolicy(metrics=("recall", "overall"))
PROCEED, INVESTIGATE, BLOCK = Verdict


def policy_with(**given: Any) -> GatePolicy:
    return replace(POLICY, **given)


def side(
    before: Mapping[str, float] | None = None,
    after: Mapping[str, float] | None = None,
    *,
    noise: float = 0.0,
    cases: int = 20,
    policy: GatePolicy = POLICY,
    **given: Any,
) -> Scores:
    """Return scores whose cases all moved by the same amount, plus or minus `noise` in turn."""
    before = {"recall": 0.9, "overall": 0.8, "hallucinationRate": 0.0} | (before or {})
    after = before | (after or {})
    pairs = Pairs()
    for number in range(cases):
        shift = noise if number % 2 else -noise
        pairs.add(before, {key: value + (shift if key == "recall" else 0.0) for key, value in after.items()})
    old, new = pairs.means()
    thresholds = {metric.key: metric.threshold for metric in METRICS if metric.threshold is not None}
    changes = compare_metrics(old, new, METRICS, policy, pairs, primary="overall")
    return Scores(policy, METRICS, thresholds, changes, old, new, cases=cases, **given)


def verdict(
    *sides: Scores,
    after: Scores | None = None,
    changes: Iterable[CriteriaChange] = (),
    effect: Effect | None = None,
    unchanged: bool = False,
    **context: Any,
) -> Judgement:
    """Return the judgement of a candidate with these scores by the base's criteria, and `after` by the head's."""
    head = [] if after is None else [replace(after, by_head=True)]
    judged = [replace(each, unchanged=unchanged) for scores in sides or (side(),) for each in (scores, *head)]
    return judge("bread", tuple(changes), judged, Context(**context), effect=lambda _: effect)


def codes(judgement: Judgement) -> list[tuple[str, Verdict]]:
    return [(reason.code.value, reason.verdict) for reason in judgement.reasons]


def added(key: str = "case rye", case: str = "rye") -> CriteriaChange:
    return CriteriaChange("added", key, case_id=case)


ROWS = {
    "scores as before": ({}, []),
    "composite 6 points lower": ({"scores": side(after={"overall": 0.74})}, [("worse", BLOCK)]),
    "composite 5 points lower": ({"scores": side(after={"overall": 0.75})}, [("worse", INVESTIGATE)]),
    "composite 0.9 points lower": ({"scores": side(after={"overall": 0.791})}, []),
    "recall 8 lower beyond noise, composite 2 lower": (
        {"scores": side(after={"recall": 0.82, "overall": 0.78}, noise=0.01)},
        [("worse", BLOCK), ("worse", INVESTIGATE)],
    ),
    "recall 8 lower within noise": (
        {"scores": side(after={"recall": 0.82}, noise=0.5)},
        [("worse_unproven", INVESTIGATE)],
    ),
    "recall enters its fail zone": (
        {"scores": side({"recall": 0.605}, {"recall": 0.599})},
        [("entered_fail_zone", BLOCK)],
    ),
    "recall falls further inside its fail zone": (
        {"scores": side({"recall": 0.5}, {"recall": 0.499})},
        [("entered_fail_zone", BLOCK)],
    ),
    "recall was in its fail zone and is higher now": (
        {"scores": side({"recall": 0.5}, {"recall": 0.55})},
        [("in_fail_zone", INVESTIGATE)],
    ),
    "no recorded answer": ({"scores": side(failed=["rye"])}, [("no_answer", BLOCK)]),
    "a canary": ({"scores": side(after={"hallucinationRate": 0.01})}, [("canary", INVESTIGATE)]),
    "a critical case breaks": ({"scores": side(critical=["rye"], broke=["rye"])}, [("critical_broke", BLOCK)]),
    "a case breaks": ({"scores": side(broke=["rye"])}, [("case_broke", INVESTIGATE)]),
    "another model": ({"model": ("a", "b")}, [("model_changed", PROCEED)]),
    "another served model": ({"served": ("a", "b")}, [("served_model_changed", PROCEED)]),
    "other parameters refused": ({"omitted": ("none", "temperature")}, [("omitted_changed", PROCEED)]),
    "identical requests, other answers": ({"recorded_again": ("rye",)}, [("recorded_again", INVESTIGATE)]),
    "a case added": ({"changes": [added()], "after": side()}, [("criteria_added", PROCEED)]),
    "a case added and not answered": (
        {"changes": [added()], "after": side(failed=["rye"])},
        [("no_answer", BLOCK), ("criteria_added", PROCEED)],
    ),
    "an addition that raises a score": (
        {"changes": [added("case rye concept:flour")], "effect": Effect({"base": (0.7, 0.8)}, raises=True)},
        [("criteria_changed", INVESTIGATE)],
    ),
    "an addition that raises none": (
        {"changes": [added("case rye concept:flour")], "effect": Effect({"base": (0.8, 0.8)}, raises=False)},
        [("criteria_added", PROCEED)],
    ),
    "a case removed": ({"changes": [CriteriaChange("removed", "case rye")]}, [("criteria_removed", BLOCK)]),
    "an expectation removed": (
        {"changes": [CriteriaChange("removed", "case rye concept:flour", case_id="rye")]},
        [("criteria_removed", BLOCK)],
    ),
    "a suite removed": ({"suite_removed": True}, [("criteria_removed", BLOCK)]),
    "a threshold raised that the candidate meets": (
        {"changes": [CriteriaChange("tightened", "rule threshold.recall.minimum", 0.6, 0.7)], "after": side()},
        [("criteria_tightened", PROCEED)],
    ),
    "a threshold raised that only the candidate fails": (
        {
            "changes": [CriteriaChange("tightened", "rule threshold.recall.minimum", 0.4, 0.6)],
            "after": side({"recall": 0.605}, {"recall": 0.598}),
        },
        [("entered_fail_zone", BLOCK), ("criteria_tightened", PROCEED)],
    ),
    "a threshold raised that both fail": (
        {
            "changes": [CriteriaChange("tightened", "rule threshold.recall.minimum", 0.4, 0.6)],
            "after": side({"recall": 0.5}, {"recall": 0.5}),
        },
        [("criteria_tightened", PROCEED)],
    ),
    "a limit raised": (
        {"changes": [CriteriaChange("loosened", "rule limit.recall", 5, 9)]},
        [("criteria_loosened", BLOCK)],
    ),
    "a quarantine entry": (
        {"changes": [CriteriaChange("loosened", "quarantine rye", None, "2027-01-01", "rye")]},
        [("criteria_loosened", BLOCK)],
    ),
    "an alias changed": (
        {"changes": [CriteriaChange("changed", "case rye alias:flour", "a", "b", "rye")]},
        [("criteria_changed", INVESTIGATE)],
    ),
    "a canary becomes expected": (
        {"changes": [CriteriaChange("loosened", "case rye disarmed:canary:gold", None, "yes", "rye")]},
        [("criteria_loosened", BLOCK)],
    ),
    "a source after which the suite sees its limit": (
        {"changes": [CriteriaChange("changed", "case rye source", None, "a", "rye")]},
        [("criteria_changed", INVESTIGATE)],
    ),
    "a source that merges cases until the suite cannot see its limit": (
        {
            "changes": [
                CriteriaChange("changed", "case rye source", None, "a", "rye"),
                CriteriaChange("changed", "case rye alias:flour", "a", "b", "rye"),
            ],
            "merged": True,
        },
        [("criteria_loosened", BLOCK), ("criteria_changed", INVESTIGATE)],
    ),
    "an alias added beside a prompt that needs it": (
        {
            "changes": [CriteriaChange("changed", "case rye alias:flour", "a", "b", "rye")],
            "scores": side(after={"overall": 0.7}),
            "after": side(),
        },
        [("worse", BLOCK), ("criteria_changed", INVESTIGATE)],
    ),
    "a case only the base cannot answer": ({"scores": side(incomparable=["rye"])}, [("incomparable", INVESTIGATE)]),
    "half of the cases only the base cannot answer": (
        {"scores": side(incomparable=[str(n) for n in range(10)])},
        [("incomparable", INVESTIGATE)] * 10,
    ),
    "more than half of the cases only the base cannot answer": (
        {"scores": side(incomparable=[str(n) for n in range(11)])},
        [("incomparable", BLOCK)] * 11,
    ),
    "the candidate falls only by the head's criteria": ({"after": side(after={"overall": 0.7})}, [("worse", BLOCK)]),
    "a fall of 2 by the head's criteria": ({"after": side(after={"overall": 0.78})}, []),
    "a baseline that differs": ({"baseline_differs": True}, [("baseline_differs", BLOCK)]),
    "a baseline removed": ({"baseline_removed": True}, [("criteria_removed", BLOCK)]),
    "recordings of the head's baseline deleted": (
        {"unanswered": ("rye",)},
        [("no_answer", BLOCK)],
    ),
    "a lock broken": ({"broken_locks": ("bake-v1.0",)}, [("lock_broken", BLOCK)]),
    "a draft that the base has too": (
        {"scores": side(after={"overall": 0.1}), "after": side(after={"overall": 0.1}), "unchanged": True},
        [],
    ),
    "a fall in a case in quarantine": (
        {"scores": side(quarantined=["rye"])},
        [("quarantined_fell", INVESTIGATE)],
    ),
    "another default suite": (
        {"project_changes": (CriteriaChange("changed", "rule suite", "a", "b"),)},
        [("criteria_changed", INVESTIGATE)],
    ),
    "a suite added": ({"added": "suite bread"}, [("criteria_added", PROCEED)]),
    "history entries removed": ({"history_removed": 2}, [("history_removed", INVESTIGATE)]),
    "three declining runs": ({"declines": 3}, [("declining", INVESTIGATE)]),
    "a limit that a flag raises": (
        {"flags": (CriteriaChange("loosened", "rule limit.recall", 5, 9),)},
        [("criteria_loosened", PROCEED)],
    ),
    "a metric in its fail zone that is not gated": (
        {"scores": side({"recall": 0.5}, policy=policy_with(metrics=("overall",)))},
        [],
    ),
    "a loss of recall neither shown nor ruled out": (
        {"scores": side(after={"recall": 0.88}, noise=0.1, policy=policy_with(policy="paired"))},
        [("inconclusive", INVESTIGATE)],
    ),
    "only the base can answer, by the head's criteria": (
        {"after": side(incomparable=[str(n) for n in range(11)])},
        [],
    ),
    "a part of the cases": ({"partial": True}, [("partial", INVESTIGATE)]),
    "no case": ({"scores": side(cases=20) and replace(side(), cases=0)}, [("no_case", BLOCK)]),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_truth_table(name):
    given, expected = ROWS[name]
    given = dict(given)
    scores = given.pop("scores", None)
    found = verdict(*([scores] if scores is not None else []), **given)
    assert codes(found) == expected
    assert found.verdict is max((each for _, each in expected), default=PROCEED)
    assert found.complete is ("no_answer" not in {code for code, _ in expected})


def test_promoted_versions_are_judged_in_addition_to_the_candidate():
    found = verdict(side(), side(after={"overall": 0.7}))
    assert codes(found) == [("worse", BLOCK)]


def test_a_reason_appears_once_with_its_worst_verdict():
    mild, bad = side(after={"overall": 0.78}), side(after={"overall": 0.7})
    assert codes(verdict(mild, bad)) == codes(verdict(bad, mild)) == [("worse", BLOCK)]


def test_a_metric_that_the_candidate_never_has():
    before = {"recall": 0.9, "overall": 0.8}
    pairs = Pairs()
    for _ in range(20):
        pairs.add(before, {"overall": 0.8})
    changes = compare_metrics(before, {"overall": 0.8}, METRICS, POLICY, pairs, primary="overall")
    scores = Scores(POLICY, METRICS, {}, changes, before, {"overall": 0.8}, cases=20)
    assert [code for code, _ in codes(verdict(scores))] == ["no_longer_measured"]


def test_a_changed_list_is_shown_sorted_and_with_its_effect():
    change = CriteriaChange("loosened", "rule gate.metrics", frozenset({"recall", "overall"}), frozenset({"overall"}))
    (reason,) = verdict(changes=[change]).reasons
    assert reason.figures == {"before": ["overall", "recall"], "after": ["overall"]}
    alias = CriteriaChange("changed", "case rye alias:flour", "a", "b", "rye")
    (reason,) = verdict(changes=[alias], effect=Effect({"base": (0.7, 0.8)}, raises=True)).reasons
    assert reason.figures == {"before": "a", "after": "b", "base": (0.7, 0.8)}


def test_a_missing_answer_names_the_side():
    assert [reason.after for reason in verdict(side(failed=["rye"])).reasons] == [False]
    assert [reason.after for reason in verdict(after=side(failed=["rye"])).reasons] == [True]
    assert [reason.after for reason in verdict(unanswered=("rye",)).reasons] == [True]


def test_a_changed_model_is_named_with_the_previous_one():
    (reason,) = verdict(model=("baker-1", "baker-2")).reasons
    assert reason.figures == {"before": "baker-1", "after": "baker-2"}


def test_a_rising_rate_falls_further_into_its_fail_zone():
    for before, after, code in ((0.2, 0.3, "entered_fail_zone"), (0.3, 0.2, "in_fail_zone")):
        rates = {"hallucinationRate": before}, {"hallucinationRate": after}
        scores = replace(
            side(*rates, policy=policy_with(metrics=("hallucinationRate",))),
            thresholds={"hallucinationRate": Threshold(0.1, 0.05, 0.0)},
        )
        assert code in [reason.code.value for reason in verdict(scores).reasons]


def test_a_companion_in_its_fail_zone_warns():
    companion = Metric("recall", "Recall", threshold=RECALL.threshold, blocking=False)
    scores = replace(side({"recall": 0.5}, policy=policy_with(metrics=("overall",))), metrics=(companion, OVERALL))
    assert codes(verdict(scores)) == [("in_fail_zone", INVESTIGATE)]


def test_a_companion_that_is_gated_blocks():
    companion = Metric("recall", "Recall", threshold=RECALL.threshold, blocking=False)
    scores = replace(side({"recall": 0.605}, {"recall": 0.599}), metrics=(companion, OVERALL))
    assert codes(verdict(scores)) == [("entered_fail_zone", BLOCK)]


def test_after_marks_reasons_that_would_block_the_next_change():
    by_base, by_head = verdict(side(after={"overall": 0.7})), verdict(after=side(after={"overall": 0.7}))
    assert [reason.after for reason in by_base.reasons] == [False]
    assert [reason.after for reason in by_head.reasons] == [True]


def test_a_threshold_that_only_warns_never_blocks():
    thresholds = {"recall": Threshold(0.6, 0.75, 0.9, blocking=False)}
    found = verdict(replace(side({"recall": 0.61}, {"recall": 0.59}), thresholds=thresholds))
    assert codes(found) == [("worse", INVESTIGATE), ("in_fail_zone", INVESTIGATE)]


def test_a_first_promotion_blocks_in_a_fail_zone():
    thresholds = {"recall": Threshold(0.6, 0.75, 0.9)}
    alone = Scores(POLICY, METRICS, thresholds, after={"recall": 0.5}, cases=3)
    assert codes(verdict(alone)) == [("entered_fail_zone", BLOCK)]


def test_a_signature_covers_contents_and_codes():
    scores = side(after={"overall": 0.7})
    answers = [("rye", ("a",), ("b",))]

    def signed(scores=scores, changes=(), answers=answers, suite="bread"):
        return judge(suite, changes, [scores], Context(), answers=answers).signature

    assert signed() == signed()
    assert signed(answers=[("rye", ("x",), ("b",))]) != signed()
    assert signed(answers=[("rye", ("a",), ("x",))]) != signed()
    assert signed(suite="cake") != signed()
    assert signed(changes=[added()]) != signed()
    assert signed(scores=side(after={"overall": 0.7, "recall": 0.5})) != signed()
    assert signed(scores=side(after={"overall": 0.71})) == signed()  # the same codes; only the answers differ


def test_notes_are_not_signed():
    assert signature("bread", (), (), verdict(model=("a", "b")).reasons) == signature("bread", (), (), ())


def approve(of: str) -> Any:
    approval = Approval("shorter answers are wanted", "Ann", "2026-11-23T10:00:00Z")
    return {of: approval}


def test_an_approval_lets_a_block_proceed_with_a_note():
    side_ = [side(after={"overall": 0.7})]
    signed = judge("bread", (), side_, Context()).signature
    found = judge("bread", (), side_, Context(), approvals=approve(signed))
    assert found.approval is not None
    assert found.verdict is BLOCK
    assert codes(found)[-1] == ("approved", PROCEED)
    assert judge("bread", (), side_, Context(), approvals=approve("other")).approval is None


def test_a_change_that_proceeds_needs_no_approval():
    signed = judge("bread", (), [side()], Context()).signature
    assert judge("bread", (), [side()], Context(), approvals=approve(signed)).approval is None


def test_a_stale_approval_is_noted_only_on_a_block():
    stale = Approval("other answers", "Ann", "2026-11-23T10:00:00Z")
    blocked = judge("bread", (), [side(after={"overall": 0.7})], Context(), approvals={"other": stale}, added=True)
    assert codes(blocked) == [("worse", BLOCK), ("approval_stale", PROCEED)]
    looked = judge("bread", (), [side(after={"overall": 0.78})], Context(), approvals={"other": stale}, added=True)
    assert codes(looked) == [("worse", INVESTIGATE)]
    signed = approved(approved(blocked, stale), Approval("again", "Ben", "2026-11-24T10:00:00Z"))
    assert codes(signed) == [("worse", BLOCK), ("approved", PROCEED)]
    assert signed.reasons[-1].figures["by"] == "Ben"


def test_an_incomplete_run_cannot_be_approved():
    side_ = [side(failed=["rye"])]
    signed = judge("bread", (), side_, Context()).signature
    assert judge("bread", (), side_, Context(), approvals=approve(signed)).approval is None


@given(st.floats(0, 0.3), st.floats(0, 0.3))
def test_a_larger_fall_never_gets_a_milder_verdict(one, other):
    small, large = sorted((one, other))
    assert (
        verdict(side(after={"overall": 0.8 - small})).verdict <= verdict(side(after={"overall": 0.8 - large})).verdict
    )


@given(
    st.sampled_from(("evidence", "fixed", "paired")),
    *[st.floats(0, 1) for _ in range(4)],
    st.booleans(),
)
def test_a_held_metric_never_blocks_and_says_so(policy, recall, overall, new_recall, new_overall, critical):
    """What blocks but for an uncalibrated judge is investigated, with the reason."""
    moved = ({"recall": recall, "overall": overall}, {"recall": new_recall, "overall": new_overall})
    given = {"critical": ("rye",) if critical else (), "primary": "overall"}
    held = side(*moved, policy=policy_with(policy=policy, metrics=("recall",), held=("overall",)), **given)
    warning = {"overall": replace(OVERALL.threshold, blocking=False, held=True)}
    reasons = verdict(replace(held, thresholds=held.thresholds | warning)).reasons
    own = [each for each in reasons if each.subject in ("overall", "rye")]
    assert all(each.verdict < BLOCK for each in own)
    free = verdict(side(*moved, policy=policy_with(policy=policy), **given)).reasons
    blocked = {each.subject for each in free if each.verdict is BLOCK} & {"overall", "rye"}
    assert blocked <= {each.subject for each in own if each.figures.get("uncalibrated")}
    fell = [each for each in own if each.figures.get("uncalibrated") and each.code == "worse"]
    assert all(overall - new_overall > 0.05 for _ in fell)
