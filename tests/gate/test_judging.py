"""The gate's truth table, over in-memory values: one row per situation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.judgements import CriteriaChange, Judgement, Verdict
from row3.domain.runs import Approval
from row3.domain.scores import Metric, Threshold
from row3.gate.comparison import Decline
from row3.gate.judging import approved, judge, signature, unconfirmed
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.scores import Context, Effect, Scores
from tests.rows import every_row

RECALL = Metric("recall", "Recall", threshold=Threshold(0.6, 0.75, 0.9))
OVERALL = Metric("overall", "Overall", threshold=Threshold(0.5, 0.65, 0.8))
CANARIES = Metric("hallucinationRate", "Hallucination", higher_is_better=False, alarm=True)
BESIDE = Metric("beside", "Beside", companion=True)
METRICS = (RECALL, OVERALL, CANARIES, BESIDE)
POLICY = GatePolicy(metrics=("recall", "overall"))
LAST = POLICY.confirm
PROCEED, INVESTIGATE, BLOCK = Verdict


def policy_with(**given: Any) -> GatePolicy:
    return replace(POLICY, **given)


def side(
    before: Mapping[str, float] | None = None,
    after: Mapping[str, float] | None = None,
    *,
    noise: float = 0.0,
    noisy: str = "recall",
    cases: int = 20,
    policy: GatePolicy = POLICY,
    confirmed: int = 0,
    same: bool = False,
    **given: Any,
) -> Scores:
    """Return scores whose cases all moved by the same amount, the `noisy` metric plus or minus `noise` in turn."""
    before = {"recall": 0.9, "overall": 0.8, "hallucinationRate": 0.0, "beside": 0.5} | (before or {})
    after = before | (after or {})
    pairs = Pairs()
    for number in range(cases):
        shift = noise if number % 2 else -noise
        now = {key: value + (shift if key == noisy else 0.0) for key, value in after.items()}
        pairs.add(before, now, same=same)
    old, new = pairs.means()
    thresholds = {metric.key: metric.threshold for metric in METRICS if metric.threshold is not None}
    changes = compare_metrics(old, new, METRICS, policy, pairs, primary="overall", confirmed=confirmed)
    return Scores(policy, METRICS, thresholds, changes, old, new, cases=cases, confirmed=confirmed, **given)


def lower(by: float, **given: Any) -> Scores:
    """Return scores whose composite fell by this much, within noise."""
    return side(after={"overall": 0.8 - by}, noise=0.3, noisy="overall", **given)


def entered(**given: Any) -> Scores:
    """Return scores whose recall enters its fail zone by half a point, within noise."""
    return side({"recall": 0.6}, {"recall": 0.595}, **{"noise": 0.3} | given)


def moved_provider(by: float, now: float = 0.4, *, noise: float = 0.0, **given: Any) -> Scores:
    """Return scores of both sides asked again, recall 40% for the base, with a saved baseline `by` above the new."""
    again = side({"recall": 0.4}, {"recall": now}, confirmed=given.pop("confirmed", 0))
    saved = side({"recall": now + by}, {"recall": now}, noise=noise, **given)
    return replace(again, saved={change.key: change for change in saved.changes})


def few(**given: Any) -> Scores:
    """Return scores of five cases, too few for a test of three gated metrics to reject; recall fell by 8 points."""
    return side(after={"recall": 0.82}, cases=5, policy=policy_with(metrics=(*POLICY.metrics, "beside")), **given)


def critical(*p_values: float | None, of: int = 0, **given: Any) -> Scores:
    """Return scores with critical cases that fell beyond the limit, out of `of`."""
    fallen = {f"rye-{place}": p for place, p in enumerate(p_values)}
    unmoved = {f"oat-{place}": 1.0 for place in range(of - len(fallen))}
    return side(critical=fallen | unmoved, primary="overall", **given)


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
    "only the head's criteria block, until the pooled answers clear it": (
        {"after": side(confirmed=2, once=lower(0.06))},
        [("cleared", PROCEED)],
    ),
    "composite 6 lower within noise, a provider may be asked": (
        {"scores": lower(0.06)},
        [("worse", BLOCK), ("unconfirmed", BLOCK)],
    ),
    "... after two more answers": (
        {"scores": lower(0.06, confirmed=2, once=lower(0.07))},
        [("worse", BLOCK), ("unconfirmed", BLOCK)],
    ),
    "... still beyond 5 after all of them": (
        {"scores": lower(0.06, confirmed=LAST, once=lower(0.07))},
        [("worse", BLOCK)],
    ),
    "... cleared by the pooled answers, 2 lower": (
        {"scores": lower(0.02, confirmed=2, once=lower(0.06))},
        [("worse", INVESTIGATE), ("cleared", PROCEED)],
    ),
    "... cleared by the pooled answers, as before": (
        {"scores": lower(0.005, confirmed=LAST, once=lower(0.06))},
        [("cleared", PROCEED)],
    ),
    "composite 6 lower within noise, no confirmation wanted": (
        {"scores": lower(0.06, policy=policy_with(confirm=0))},
        [("worse", BLOCK)],
    ),
    "composite 6 lower within noise, by fixed limits": (
        {"scores": lower(0.06, policy=policy_with(policy="fixed"))},
        [("worse", BLOCK), ("unconfirmed", BLOCK)],
    ),
    "recall 8 lower beyond noise, composite 2 lower": (
        {"scores": side(after={"recall": 0.82, "overall": 0.78}, noise=0.01)},
        [("worse", BLOCK), ("worse", INVESTIGATE)],
    ),
    "recall 8 lower within noise": (
        {"scores": side(after={"recall": 0.82}, noise=0.5)},
        [("worse_unproven", INVESTIGATE)],
    ),
    "recall 8 lower within noise, by fixed limits": (
        {"scores": side(after={"recall": 0.82}, noise=0.5, policy=policy_with(policy="fixed"))},
        [("worse", BLOCK), ("unconfirmed", BLOCK)],
    ),
    "recall 8 lower in 5 cases, where no test can reject": (
        {"scores": few()},
        [("worse", BLOCK), ("unconfirmed", BLOCK)],
    ),
    "... confirmed": ({"scores": few(confirmed=LAST, once=few())}, [("worse", BLOCK)]),
    "recall 2 lower within noise": ({"scores": side(after={"recall": 0.88}, noise=0.3)}, []),
    "recall 2 lower beyond noise": ({"scores": side(after={"recall": 0.88})}, [("worse", INVESTIGATE)]),
    "a metric that is not gated 8 lower within noise": (
        {"scores": side(after={"beside": 0.42}, noise=0.4, noisy="beside")},
        [],
    ),
    "a metric that is not gated 8 lower beyond noise": (
        {"scores": side(after={"beside": 0.42})},
        [("worse", INVESTIGATE)],
    ),
    "recall enters its fail zone beyond noise": (
        {"scores": side({"recall": 0.605}, {"recall": 0.599})},
        [("entered_fail_zone", BLOCK)],
    ),
    "recall enters its fail zone by 0.5 points, replay": (
        {"scores": entered()},
        [("entered_fail_zone", BLOCK), ("unconfirmed", BLOCK)],
    ),
    "... still within noise after all answers": (
        {"scores": entered(confirmed=LAST, once=entered())},
        [("in_fail_zone", INVESTIGATE), ("cleared", PROCEED)],
    ),
    "... by more than its limit, within noise after all answers": (
        {"scores": side({"recall": 0.7}, {"recall": 0.59}, noise=0.4, confirmed=LAST)},
        [("entered_fail_zone", BLOCK), ("worse_unproven", INVESTIGATE)],
    ),
    "... beyond noise after all answers": (
        {"scores": entered(noise=0.001, confirmed=LAST, once=entered())},
        [("entered_fail_zone", BLOCK)],
    ),
    "... where no test can reject": (
        {"scores": entered(cases=4, confirmed=LAST, once=entered(cases=4))},
        [("entered_fail_zone", BLOCK)],
    ),
    "... no confirmation wanted": (
        {"scores": entered(policy=policy_with(confirm=0))},
        [("entered_fail_zone", BLOCK)],
    ),
    "live: both sides in a fail zone that the saved baseline was not in": (
        {"scores": moved_provider(0.6)},
        [("entered_fail_zone", BLOCK), ("provider_moved", PROCEED)],
    ),
    "... within noise": (
        {"scores": moved_provider(0.25, noise=0.4, cases=8)},
        [("entered_fail_zone", BLOCK), ("unconfirmed", BLOCK), ("provider_moved", PROCEED)],
    ),
    "... within noise after all answers": (
        {"scores": moved_provider(0.25, noise=0.4, cases=8, confirmed=LAST)},
        [("entered_fail_zone", BLOCK), ("provider_moved", PROCEED)],
    ),
    "... by less than its limit": (
        {"scores": moved_provider(0.04, 0.58, noise=0.4, cases=8, confirmed=LAST)},
        [("in_fail_zone", INVESTIGATE)],
    ),
    "... in too few cases for a test": (
        {"scores": moved_provider(0.25, cases=4, confirmed=LAST)},
        [("entered_fail_zone", BLOCK), ("provider_moved", PROCEED)],
    ),
    "... better than the base now": (
        {"scores": moved_provider(0.5, 0.5)},
        [("entered_fail_zone", BLOCK), ("provider_moved", PROCEED)],
    ),
    "live: both sides in the fail zone, where the saved baseline was too": (
        {"scores": moved_provider(0.15)},
        [("in_fail_zone", INVESTIGATE)],
    ),
    "recall was in its fail zone and is lower beyond noise": (
        {"scores": side({"recall": 0.5}, {"recall": 0.499})},
        [("in_fail_zone", BLOCK)],
    ),
    "recall was in its fail zone and is lower within noise": (
        {"scores": side({"recall": 0.5}, {"recall": 0.47}, noise=0.4)},
        [("in_fail_zone", INVESTIGATE)],
    ),
    "recall was in its fail zone and is higher now": (
        {"scores": side({"recall": 0.5}, {"recall": 0.55})},
        [("in_fail_zone", INVESTIGATE)],
    ),
    "no recorded answer": ({"scores": side(failed=["rye"])}, [("no_answer", BLOCK)]),
    "a canary": ({"scores": side(after={"hallucinationRate": 0.01})}, [("canary", INVESTIGATE)]),
    "a canary less": (
        {"scores": side({"hallucinationRate": 0.02}, {"hallucinationRate": 0.01})},
        [],
    ),
    "as many canaries": ({"scores": side({"hallucinationRate": 0.02})}, []),
    "a critical case breaks": (
        {"scores": critical(0.0, of=5, broke=["rye-0"], confirmed=LAST)},
        [("critical_broke", BLOCK)],
    ),
    "a critical case falls beyond the limit, one answer a side": (
        {"scores": critical(None)},
        [("critical_broke", BLOCK), ("unconfirmed", BLOCK)],
    ),
    "... beyond the noise of its answers": (
        {"scores": critical(0.01, confirmed=2, once=critical(None))},
        [("critical_broke", BLOCK)],
    ),
    "... but not by Holm over the critical cases": (
        {"scores": critical(0.01, of=5, confirmed=2, once=critical(None, of=5))},
        [("critical_broke", BLOCK), ("unconfirmed", BLOCK)],
    ),
    "... nor after all answers": (
        {"scores": critical(0.01, of=5, confirmed=LAST, once=critical(None, of=5))},
        [("critical_broke", INVESTIGATE), ("cleared", PROCEED)],
    ),
    "... and no longer beyond the limit": (
        {"scores": critical(of=5, confirmed=2, once=critical(None, of=5))},
        [("cleared", PROCEED)],
    ),
    "... one answer a side, no confirmation wanted": (
        {"scores": critical(None, policy=policy_with(confirm=0))},
        [("critical_broke", BLOCK)],
    ),
    "... several answers, within noise, no confirmation wanted": (
        {"scores": critical(0.3, of=5, policy=policy_with(confirm=0))},
        [("critical_broke", BLOCK)],
    ),
    "one of two critical cases is beyond noise": (
        {"scores": critical(0.001, 0.3)},
        [("critical_broke", BLOCK), ("critical_broke", BLOCK), ("unconfirmed", BLOCK)],
    ),
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
    "three declining runs, beyond what runs differ": (
        {"decline": Decline(3, 0.06, lasting=True)},
        [("declining", INVESTIGATE)],
    ),
    "three declining runs, within it": ({"decline": Decline(3, 0.005)}, [("declining", PROCEED)]),
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
    "paired: no score moved, answers differ, too few cases to rule out a loss": (
        {"scores": side(cases=5, policy=policy_with(policy="paired"))},
        [("inconclusive", INVESTIGATE)],
    ),
    "paired: the same answers": ({"scores": side(cases=5, same=True, policy=policy_with(policy="paired"))}, []),
    "only the base can answer, by the head's criteria": (
        {"after": side(incomparable=[str(n) for n in range(11)])},
        [],
    ),
    "a part of the cases": ({"partial": True}, [("partial", INVESTIGATE)]),
    "no case": ({"scores": side(cases=20) and replace(side(), cases=0)}, [("no_case", BLOCK)]),
}


@every_row("name", ROWS)
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
    for before, after, blocks in ((0.2, 0.3, BLOCK), (0.3, 0.2, INVESTIGATE)):
        rates = {"hallucinationRate": before}, {"hallucinationRate": after}
        scores = replace(
            side(*rates, policy=policy_with(metrics=("hallucinationRate",))),
            thresholds={"hallucinationRate": Threshold(0.1, 0.05, 0.0)},
        )
        assert ("in_fail_zone", blocks) in codes(verdict(scores))


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
    given = {"critical": {"rye": None} if critical else {}, "primary": "overall"}
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


@given(st.floats(-0.1, 0.3), st.sampled_from(("overall", "recall", "beside")), st.floats(0, 0.3), st.integers(1, 12))
def test_the_last_look_is_never_unconfirmed(by, key, noise, cases):
    given = {"noise": noise, "noisy": key, "cases": cases, "critical": {"rye": 0.2}}
    for policy, confirmed in ((POLICY, LAST), (POLICY, LAST + 4), (policy_with(confirm=0), 0)):
        scores = side(after={key: 0.5 - by}, policy=policy, confirmed=confirmed, **given)
        assert not unconfirmed(scores)
        assert "unconfirmed" not in dict(codes(verdict(scores)))


@given(st.floats(-0.1, 0.2), st.floats(0, 0.4), st.floats(-0.1, 0.2), st.floats(0, 0.4))
def test_what_a_confirmation_asked_about_blocks_or_is_cleared(by, noise, later, less):
    """Answers that were asked to confirm a block leave no trace only where nothing was unconfirmed."""
    once = side(after={"overall": 0.8 - by}, noise=noise, noisy="overall")
    final = side(after={"overall": 0.8 - later}, noise=less, noisy="overall", confirmed=LAST, once=once)
    found = {each.subject: each for each in verdict(final).reasons if each.code == "cleared"}
    blocked = {each.subject for each in verdict(final).reasons if each.verdict is BLOCK}
    assert found.keys() == set(unconfirmed(once)) - blocked
    for each in found.values():
        assert each.figures["answers"] == LAST
        assert each.figures["once"] == (once.before["overall"], once.after["overall"])
        assert (each.figures["before"], each.figures["after"]) == (final.before["overall"], final.after["overall"])


@given(
    st.sampled_from(("evidence", "fixed")),
    st.sampled_from(("overall", "recall", "beside")),
    st.floats(0, 0.4),
    st.floats(0, 0.3),
    st.integers(0, LAST),
)
def test_a_metric_that_is_no_worse_never_blocks(rule, key, rise, noise, confirmed):
    before = {"overall": 0.3, "recall": 0.3, "beside": 0.3}  # in their fail zones
    after = {key: before[key] + rise}
    found = verdict(side(before, after, noise=noise, noisy=key, confirmed=confirmed, policy=policy_with(policy=rule)))
    assert BLOCK not in {each.verdict for each in found.reasons if each.subject == key and rise > 1e-6}


@given(st.floats(0, 0.3), st.floats(0, 0.4), st.integers(1, 20))
def test_each_further_look_asks_for_less(by, noise, cases):
    """The same figures after more answers are unconfirmed no longer, and block no more than before."""
    looks = [side(after={"recall": 0.9 - by}, noise=noise, cases=cases, confirmed=n) for n in (0, 2, LAST)]
    doubtful = [set(unconfirmed(each)) for each in looks]
    assert doubtful[0] == doubtful[1]
    assert not doubtful[2]
    assert verdict(looks[2]).verdict <= verdict(looks[0]).verdict
