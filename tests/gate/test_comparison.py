from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from row3.domain.judgements import CaseChange, CaseMove, Verdict
from row3.domain.scores import CaseScore, CaseStatus, Metric
from row3.gate.comparison import LASTING, Decline, by_size, compare_case, fall_p, latest_decline
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.kinds.events.score import KIND as EVENTS
from row3.kinds.extraction.score import KIND as EXTRACTION
from tests.rows import every_row

PROCEED, INVESTIGATE, BLOCK = Verdict
FRACTION = st.floats(0, 1)
OVERALL = Metric("overall", "Overall")
RATE = Metric("hallucinationRate", "Hallucination rate", higher_is_better=False)
BESIDE = Metric("duplicateRate", "Duplicate rate", higher_is_better=False, companion=True)
POLICY = GatePolicy(metrics=("overall", "hallucinationRate"))


class TestCompareMetrics:
    def test_every_metric_of_either_side_in_the_kinds_order(self) -> None:
        pairs = Pairs()
        for _ in range(15):
            pairs.add({"overall": 0.8}, {"overall": 0.74})
        changes = compare_metrics(
            {"hallucinationRate": 0.0, "overall": 0.8},
            {"overall": 0.74, "hallucinationRate": 0.0},
            [OVERALL, RATE, BESIDE],
            POLICY,
            pairs,
        )
        assert [(c.key, c.verdict, c.cases) for c in changes] == [
            ("overall", BLOCK, 15),
            ("hallucinationRate", PROCEED, 0),
        ]
        assert changes[0].delta == pytest.approx(-0.06)
        assert changes[0].worse_by == pytest.approx(6.0)

    def test_a_rate_that_rises_is_worse(self) -> None:
        (change,) = compare_metrics({"hallucinationRate": 0.0}, {"hallucinationRate": 0.06}, [RATE], POLICY, Pairs())
        assert (change.delta, change.worse_by, change.verdict) == (pytest.approx(0.06), pytest.approx(6.0), BLOCK)

    def test_a_metric_the_policy_does_not_list_cannot_block(self) -> None:
        pairs = Pairs()
        for _ in range(15):
            pairs.add({"duplicateRate": 0.0}, {"duplicateRate": 0.5})
        (change,) = compare_metrics(*pairs.means(), [BESIDE], POLICY, pairs)
        assert change.verdict is INVESTIGATE

    @every_row(("before", "after"), [({"overall": 0.8}, {}), ({}, {"overall": 0.8})])
    def test_a_metric_that_only_one_side_has_has_no_delta(
        self, before: dict[str, float], after: dict[str, float]
    ) -> None:
        (change,) = compare_metrics(before, after, [OVERALL], POLICY, Pairs())
        assert (change.baseline, change.current) == (before.get("overall"), after.get("overall"))
        assert change.delta is change.worse_by is None

    def test_points_and_relative_can_disagree(self) -> None:
        before, after = {"overall": 0.50}, {"overall": 0.46}
        relative = GatePolicy(unit="relative", metrics=("overall",))
        assert compare_metrics(before, after, [OVERALL], POLICY, Pairs())[0].verdict is INVESTIGATE  # 4 points
        assert compare_metrics(before, after, [OVERALL], relative, Pairs())[0].verdict is BLOCK  # 8 % of the baseline


def side(overall: float = 0.0, status: CaseStatus = "scored", **found: tuple[str, ...]) -> CaseScore:
    return CaseScore("c", status, {"overall": overall, "recall": overall}, found=found)


def moved(before: CaseScore, after: CaseScore, **options: bool) -> CaseChange:
    return compare_case(before, after, EXTRACTION, **options)


class TestCompareCase:
    @every_row(
        ("before", "after", "move"),
        [
            (side(0.7), side(0.8), "improved"),
            (side(0.8), side(0.7), "regressed"),
            (side(0.8), side(0.8), "unchanged"),
            (side(0.8), side(0.8 + 1e-12), "unchanged"),
            (side(0.8), side(0.0, "bad_answer"), "broke"),
            (side(0.0), side(0.0, "bad_answer"), "broke"),
            (side(0.0, "bad_answer"), side(0.8), "fixed"),
            (side(0.0, "bad_answer"), side(0.0, "bad_answer"), "unchanged"),
            (side(0.8), CaseScore("c", "failed", {}), "failed"),
            (CaseScore("c", "failed", {}), side(0.8), "failed"),
        ],
    )
    def test_moves(self, before: CaseScore, after: CaseScore, move: CaseMove) -> None:
        assert moved(before, after).move == move

    def test_not_comparable(self) -> None:
        change = moved(side(0.8), side(0.2), comparable=False)
        assert (change.move, change.delta, dict(change.deltas)) == ("not comparable", 0.0, {})
        assert change.note

    def test_a_failed_case_is_not_incomparable(self) -> None:
        assert moved(side(0.8), CaseScore("c", "failed", {}), comparable=False).move == "failed"

    def test_a_failed_case_has_no_delta(self) -> None:
        change = moved(side(0.8), CaseScore("c", "failed", {}))
        assert (change.delta, dict(change.deltas)) == (0.0, {})

    def test_deltas_are_current_minus_baseline_where_both_have_the_metric(self) -> None:
        change = moved(
            CaseScore("c", "scored", {"overall": 0.7, "recall": 0.5, "f1": 1.0}),
            CaseScore("c", "scored", {"overall": 0.6, "recall": 0.75}),
        )
        assert change.delta == pytest.approx(-0.1)
        assert change.deltas == pytest.approx({"overall": -0.1, "recall": 0.25})

    def test_the_composite_of_the_kind_decides(self) -> None:
        before, after = (
            CaseScore("c", "scored", {"overall": 0.9, "f1": 0.2}),
            CaseScore("c", "scored", {"overall": 0.1, "f1": 0.4}),
        )
        assert compare_case(before, after, EVENTS).move == "improved"

    def test_gained_and_lost(self) -> None:
        change = moved(
            side(0.5, missedConcepts=("A", "B"), canaries=("Fake",), wrongConcepts=("X",)),
            side(0.6, missedConcepts=("B", "C"), wrongConcepts=("X", "Y"), missedRelationships=("A IS_A B",)),
        )
        assert change.gained == {"missedConcepts": ("A",), "canaries": ("Fake",)}
        assert change.lost == {"missedConcepts": ("C",), "wrongConcepts": ("Y",), "missedRelationships": ("A IS_A B",)}

    def test_unchanged_items_are_neither_gained_nor_lost(self) -> None:
        change = moved(side(0.5, missedConcepts=("A",)), side(0.5, missedConcepts=("A",)))
        assert change.gained == change.lost == {}

    @given(FRACTION, FRACTION)
    @settings(deadline=None)
    def test_swapped_sides_move_the_opposite_way(self, one: float, other: float) -> None:
        opposite = {"improved": "regressed", "regressed": "improved", "unchanged": "unchanged"}
        there, back = moved(side(one), side(other)), moved(side(other), side(one))
        assert back.move == opposite[there.move]
        assert back.delta == -there.delta

    def test_every_move_is_in_the_vocabulary(self) -> None:
        assert set(get_args(CaseMove)) == {
            "improved", "unchanged", "regressed", "broke", "fixed", "new", "removed", "not comparable", "failed",
        }  # fmt: skip


def test_cases_are_ordered_by_importance() -> None:
    changes = [
        CaseChange("small", "regressed", -0.01),
        CaseChange("gone", "removed", 0.0),
        CaseChange("b-large", "improved", 0.3),
        CaseChange("a-large", "regressed", -0.3),
        CaseChange("broken", "broke", -0.2),
        CaseChange("same", "unchanged", 0.0),
        CaseChange("largest", "improved", 0.4),
    ]
    assert [change.case_id for change in by_size(changes)] == [
        "broken", "gone", "largest", "a-large", "b-large", "small", "same",
    ]  # fmt: skip


@every_row(
    ("values", "count"),
    [
        ([], 0),
        ([0.8], 0),
        ([0.8, 0.7], 1),
        ([0.8, 0.7, 0.6], 2),
        ([0.9, 0.8, 0.7, 0.6], 3),
        ([0.5, 0.9, 0.8, 0.7], 2),
        ([0.9, 0.8, 0.7, 0.75], 0),
        ([0.9, 0.8, 0.8, 0.7], 1),
        ([0.8, 0.8, 0.8], 0),
        ([0.9, 0.8, 0.8 - 1e-12], 0),
    ],
)
def test_how_many_of_the_latest_runs_declined(values: list[float], count: int) -> None:
    found = latest_decline(values, 0.01)
    assert found.runs == count
    assert found.fall == pytest.approx(values[-1 - count] - values[-1] if count else 0.0)


@given(st.lists(st.floats(0, 1), max_size=20))
@settings(deadline=None)
def test_a_run_that_is_not_worse_ends_the_series(values: list[float]) -> None:
    assert latest_decline([*values, *values[-1:]], 0.01) == Decline()
    assert 0 <= latest_decline(values, 0.01).runs < max(1, len(values))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
@settings(deadline=None)
def test_another_decline_adds_one(values: list[float]) -> None:
    before, after = latest_decline(values, 0.01), latest_decline([*values, values[-1] - 0.01], 0.01)
    assert after.runs == before.runs + 1
    assert after.fall == pytest.approx(before.fall + 0.01)


class TestLastingDecline:
    NOISY = (0.80, 0.82, 0.79, 0.81, 0.80, 0.83, 0.80, 0.81)

    @pytest.mark.parametrize(
        ("values", "lasting"),
        [
            ([*NOISY, 0.80, 0.79, 0.78], False),  # 3 points in three runs, as the suite wavers
            ([*NOISY, 0.74, 0.64, 0.54], True),
            ([0.80, 0.80, 0.80, 0.80, 0.80, 0.79, 0.78, 0.77], True),  # a suite that never moved
            ([0.90, 0.80, 0.70, 0.60], False),  # four runs show no noise of their own
            ([0.95, 0.90, 0.80, 0.70, 0.60], True),
            ([0.80, 0.80, 0.80, 0.80, 0.797, 0.794, 0.791], False),  # less than a point in all
        ],
    )
    def test_it_is_beyond_what_the_runs_differ(self, values: list[float], lasting: bool) -> None:
        assert latest_decline(values, 0.01).lasting is lasting

    @given(st.lists(st.floats(0.3, 0.7), min_size=5, max_size=20), st.floats(0.001, 0.1))
    @settings(deadline=None)
    def test_four_robust_deviations(self, values: list[float], step: float) -> None:
        declined = [*values, *(values[-1] - step * (place + 1) for place in range(3))]
        found, moves = latest_decline(declined, 0.01), np.diff(declined)
        spread = stats.median_abs_deviation(moves, scale=1 / 1.4826)
        if abs(found.fall - LASTING * spread) > 1e-9 and abs(found.fall - 0.01) > 1e-6:
            assert found.lasting == (found.fall > max(LASTING * spread, 0.01))


class TestFallP:
    @pytest.mark.parametrize("counts", [(5, 5), (3, 8), (2, 2)])
    def test_it_equals_welchs_test(self, counts: tuple[int, int]) -> None:
        rng = np.random.default_rng(4)
        for shift in (0.0, 0.05, 0.1, 0.3):
            before, after = (rng.normal(level, 0.1, n) for level, n in zip((0.8, 0.8 - shift), counts, strict=True))
            theirs = stats.ttest_ind(before, after, equal_var=False, alternative="greater").pvalue
            drop = float(before.mean() - after.mean())
            assert fall_p(drop, before.std(ddof=1), counts[0], after.std(ddof=1), counts[1]) == pytest.approx(theirs)

    def test_a_single_answer_is_assumed_as_noisy_as_the_other_side(self) -> None:
        small, large = (fall_p(drop, 0.0, 1, 0.1, 5) for drop in (0.15, 0.5))
        assert small is not None
        assert large is not None
        assert small > 0.05 > large
        assert fall_p(0.5, 0.1, 5, 0.0, 1) == pytest.approx(large)

    def test_without_repeats_the_noise_is_unknown(self) -> None:
        assert fall_p(0.06, 0.0, 1, 0.0, 1) is None

    def test_identical_answers_have_no_noise(self) -> None:
        assert fall_p(0.06, 0.0, 3, 0.0, 3) == 0.0
        assert fall_p(0.0, 0.0, 3, 0.0, 3) == 1.0
