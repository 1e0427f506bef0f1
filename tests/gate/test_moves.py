"""What the gate says of every aggregate, under either policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from row3.domain.metrics import Metric
from row3.domain.verdicts import MetricChange, Verdict
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import ALPHA, GatePolicy

PROCEED, INVESTIGATE, BLOCK = Verdict
OVERALL = Metric("overall", "Overall")
RECALL = Metric("recall", "Recall")
RATE = Metric("rate", "Bad rate", higher_is_better=False)
BESIDE = Metric("beside", "Beside", companion=True)
METRICS = (RECALL, OVERALL, RATE, BESIDE)
GATED = ("recall", "overall", "rate")
WAVE = (0.02, -0.02, 0.01, -0.01)
"""Differences that add up to nothing."""

Side = Mapping[str, Sequence[float]]


def policy(rule: Literal["fixed", "paired"] = "paired", **settings: Any) -> GatePolicy:
    return GatePolicy(policy=rule, **{"metrics": GATED} | settings)


def compared(
    before: Side, after: Side, rules: GatePolicy, *, sources: Sequence[str] | None = None, repeats: int = 1
) -> dict[str, MetricChange]:
    """What is said of each metric; one value a case."""
    pairs = Pairs()
    for place in range(len(next(iter(before.values())))):
        pairs.add(
            {key: values[place] for key, values in before.items()},
            {key: values[place] for key, values in after.items()},
            source=sources[place] if sources else None,
            repeats=(repeats, repeats),
        )
    changes = compare_metrics(*pairs.means(), METRICS, rules, pairs)
    return {change.key: change for change in changes}


def moved(
    by: float, cases: int = 100, level: float = 0.8, key: str = "overall", **settings: Any
) -> MetricChange:  # fmt: skip
    """A metric that moved by so much, and a little otherwise in each case."""
    sources, repeats = settings.pop("sources", None), settings.pop("repeats", 1)
    before = [level] * cases
    after = [level + by + WAVE[place % 4] for place in range(cases)]
    return compared({key: before}, {key: after}, policy(**settings), sources=sources, repeats=repeats)[key]


class TestTheFixedRule:
    @pytest.mark.parametrize(
        ("by", "verdict"), [(0.1, PROCEED), (-0.005, PROCEED), (-0.03, INVESTIGATE), (-0.06, BLOCK)]
    )
    def test_judges_the_means(self, by: float, verdict: Verdict) -> None:
        assert moved(by, rule="fixed").verdict is verdict

    def test_says_when_chance_could_have_done_it(self) -> None:
        before = [0.8] * 15
        change = compared({"overall": before}, {"overall": [0.0, *before[1:]]}, policy("fixed"))["overall"]
        assert change.verdict is BLOCK
        assert change.why == (
            "Overall is worse by 5.3 points (more than 5); it may be noise (95%: −16.8 to +6.1 points)"
        )

    def test_two_cases_are_within_what_is_possible(self) -> None:
        change = compared({"overall": [0.9, 0.5]}, {"overall": [0.1, 0.5]}, policy("fixed"))["overall"]
        assert change.why.endswith("(95%: −100.0 to +100.0 points)")
        assert change.interval is not None
        assert change.interval.low < -1.0

    def test_and_not_when_it_could_not(self) -> None:
        assert moved(-0.06, rule="fixed").why == "Overall is worse by 6.0 points (more than 5)"
        assert moved(-0.02, rule="fixed").why == "Overall is worse by 2.0 points (at least 1)"

    def test_nor_where_every_case_moved_alike(self) -> None:
        change = compared({"overall": [0.8] * 5}, {"overall": [0.7] * 5}, policy("fixed"))["overall"]
        assert change.why == "Overall is worse by 10.0 points (more than 5)"

    def test_nor_where_one_case_has_no_interval(self) -> None:
        change = compared({"overall": [0.8]}, {"overall": [0.7]}, policy("fixed"))["overall"]
        assert (change.interval, change.why) == (None, "Overall is worse by 10.0 points (more than 5)")

    def test_nothing_is_said_of_what_is_well(self) -> None:
        assert moved(0.0, rule="fixed").why == moved(0.3, rule="fixed").why == ""

    def test_a_metric_with_a_limit_of_its_own(self) -> None:
        change = moved(-0.04, rule="fixed", limits={"overall": 3.0})
        assert (change.verdict, change.limit) == (BLOCK, 3.0)
        assert change.why == "Overall is worse by 4.0 points (more than 3)"
        assert moved(-0.06, rule="fixed", limits={"overall": 8.0}).verdict is INVESTIGATE

    def test_a_rate_that_rises(self) -> None:
        change = moved(0.06, level=0.1, key="rate", rule="fixed")
        assert (change.verdict, change.why) == (BLOCK, "Bad rate is worse by 6.0 points (more than 5)")


class TestPaired:
    def test_blocks_what_is_shown_to_be_beyond_the_limit(self) -> None:
        change = moved(-0.06)
        assert change.verdict is BLOCK
        said = "Overall is worse by 6.0 points, and by more than 5 beyond noise (95%: −6.3 to −5.7"
        assert change.why.startswith(said)
        assert "; p = " in change.why

    def test_passes_what_is_shown_to_be_within_it(self) -> None:
        assert moved(0.0).verdict is moved(0.1).verdict is PROCEED
        assert moved(0.0).why == ""

    def test_a_loss_within_the_limit_is_to_be_investigated_where_it_is_one(self) -> None:
        change = moved(-0.03, cases=200)
        assert change.verdict is INVESTIGATE
        assert change.why == "Overall is worse by 3.0 points (at least 1) (95%: −3.2 to −2.8 points)"
        assert moved(-0.005).verdict is PROCEED

    @pytest.mark.parametrize(("setting", "verdict"), [("investigate", INVESTIGATE), ("block", BLOCK)])
    def test_what_is_neither_is_inconclusive(self, setting: str, verdict: Verdict) -> None:
        change = moved(-0.05, inconclusive=setting)
        assert change.verdict is verdict
        assert change.why == (
            "Overall is inconclusive: a loss of more than 5 points is neither shown nor ruled out "
            "(95%: −5.3 to −4.7 points)"
        )

    def test_few_cases_that_all_lose_the_same_show_less_than_their_interval_seems_to(self) -> None:
        change = compared({"overall": [0.8] * 2}, {"overall": [0.6] * 2}, policy())["overall"]
        assert change.verdict is INVESTIGATE
        assert change.why == (
            "Overall is inconclusive: a loss of more than 5 points is neither shown nor ruled out "
            "(all of 2 independent cases moved alike, as chance does up to one time in 4^2)"
        )
        assert compared({"overall": [0.8] * 9}, {"overall": [0.6] * 9}, policy())["overall"].verdict is BLOCK

    def test_one_case_shows_nothing(self) -> None:
        change = compared({"overall": [0.8]}, {"overall": [0.2]}, policy(inconclusive="block"))["overall"]
        assert change.verdict is BLOCK
        assert change.why.endswith("neither shown nor ruled out; fewer than two independent cases give no interval")

    @pytest.mark.parametrize("cases", [1, 2, 15])
    def test_where_nothing_moved_there_is_nothing_to_be_unclear_about(self, cases: int) -> None:
        """A replay of the same recordings, whatever the setting."""
        values = {"overall": [0.8] * cases, "recall": [0.5] * cases}
        changes = compared(values, values, policy(inconclusive="block"))
        assert {change.verdict for change in changes.values()} == {PROCEED}

    @given(
        st.lists(st.tuples(st.floats(0, 1), st.floats(-0.2, 0.2)), min_size=2, max_size=20),
        st.sampled_from(["investigate", "block"]),
    )
    @settings(deadline=None, max_examples=60)
    def test_the_interval_decides(self, cases: list[tuple[float, float]], setting: str) -> None:
        before = [round(value, 3) for value, _ in cases]
        after = [round(min(1.0, max(0.0, value + by)), 3) for value, by in cases]
        change = compared({"overall": before}, {"overall": after}, policy(inconclusive=setting))["overall"]
        interval = change.interval
        assert interval is not None
        if interval.degenerate or min(abs(interval.high + 0.05), abs(interval.low + 0.05)) < 1e-9:
            return
        unclear = "is inconclusive" in change.why
        assert ("beyond noise" in change.why) == (interval.high < -0.05)
        assert unclear or interval.low > -0.05 or change.verdict is BLOCK
        assert change.verdict is not BLOCK or interval.high < -0.05 or (unclear and setting == "block")

    def test_the_p_value_is_scipys(self) -> None:
        before, after = [0.8, 0.7, 0.9, 0.8, 0.6, 0.7], [0.5, 0.5, 0.7, 0.6, 0.4, 0.6]
        change = compared({"overall": before}, {"overall": after}, policy())["overall"]
        raised = [value + 0.05 for value in after]
        p = float(stats.ttest_rel(raised, before, alternative="less").pvalue)
        assert p < ALPHA
        assert change.verdict is BLOCK
        assert change.why.endswith(f"; p = {p:.2g}")


class TestRareLosses:
    """However quiet: so few answers cannot have met one that is unusable one time in fifteen."""

    def test_few_answers_do_not_pass(self) -> None:
        change = moved(0.0, cases=16)
        assert change.interval is not None
        assert change.interval.low > -0.05
        assert change.verdict is INVESTIGATE
        assert change.why == (
            "Overall is inconclusive: no loss of more than 5 points is seen (95%: −0.9 to +0.9 points), but 16 "
            "answers do not rule out one that is rare and large (one in 16 that fails is enough); 47 or more can"
        )
        assert moved(0.0, cases=16, inconclusive="block").verdict is BLOCK

    def test_more_cases_or_more_answers_do(self) -> None:
        assert moved(0.0, cases=64).verdict is PROCEED
        assert moved(0.0, cases=16, repeats=5).verdict is PROCEED

    def test_a_small_improvement_that_few_cases_show_does_not_outweigh_them(self) -> None:
        assert "(one in 11 that fails is enough); 19 or more can" in moved(0.02, cases=16).why

    def test_a_large_one_does(self) -> None:
        """To lose five points all the same, one answer in seven has to fail."""
        assert moved(0.08, cases=16).verdict is PROCEED

    def test_enough_answers_of_which_one_failed(self) -> None:
        before = [0.8] * 64
        change = compared({"overall": before}, {"overall": [0.0, *before[1:]]}, policy())["overall"]
        assert change.interval is not None
        assert change.interval.low > -0.05
        assert change.why.endswith("but 64 answers do not rule out one that is rare and large; more can")

    def test_a_limit_of_nothing_leaves_the_room_that_was_gained(self) -> None:
        before, after = [0.8] * 16, [0.8 + 0.001 * (place + 1) for place in range(16)]
        change = compared({"overall": before}, {"overall": after}, policy(limits={"overall": 0.0}))["overall"]
        assert change.why.endswith("and large (one in 95 that fails is enough); 153 or more can")

    def test_only_the_primary_metric_has_to_be_shown(self) -> None:
        assert moved(0.0, cases=16, key="recall").verdict is PROCEED

    def test_a_block_needs_no_more_than_the_interval(self) -> None:
        assert moved(-0.1, cases=16).verdict is BLOCK


class TestGuardRails:
    def test_a_loss_that_is_shown_blocks(self) -> None:
        assert moved(-0.06, key="recall").verdict is BLOCK

    def test_one_that_is_seen_and_not_shown_is_to_be_investigated(self) -> None:
        before, after = [0.8] * 15, [0.0, 0.6] + [0.8] * 13
        change = compared({"recall": before}, {"recall": after}, policy(inconclusive="block"))["recall"]
        assert change.verdict is INVESTIGATE
        assert change.why == (
            "Recall is worse by 6.7 points (more than 5), which may be noise (95%: −18.3 to +4.9 points)"
        )

    def test_one_that_may_be_nothing_proceeds(self) -> None:
        before, after = [0.8] * 15, [0.3] + [0.8] * 14
        assert compared({"recall": before}, {"recall": after}, policy())["recall"].verdict is PROCEED

    def test_they_share_an_error_rate_and_the_primary_has_its_own(self) -> None:
        before = [0.8] * 15
        after = [0.8 - by for by in (0.0, 0.0, 0.0, 0.0, 0.05, 0.1, 0.1, 0.1, 0.1, 0.15, 0.15, 0.15, 0.15, 0.2, 0.2)]
        alone = compared({"recall": before}, {"recall": after}, policy())
        p = float(stats.ttest_rel([value + 0.05 for value in after], before, alternative="less").pvalue)
        assert ALPHA / 3 < p < ALPHA
        assert alone["recall"].verdict is BLOCK
        others = {"rate": [0.0] * 15, "beside": before}
        rules = policy(metrics=("recall", "overall", "rate", "beside"))
        old, new = {"recall": before, "overall": before}, {"recall": after, "overall": after}
        both = compared(old | others, new | others, rules)
        assert both["overall"].verdict is BLOCK
        assert both["recall"].verdict is INVESTIGATE
        assert "which may be noise" in both["recall"].why

    def test_a_metric_that_is_not_gated_is_judged_by_the_fixed_rule_and_never_blocks(self) -> None:
        change = moved(-0.5, key="beside")
        assert (change.verdict, change.why) == (INVESTIGATE, "Beside is worse by 50.0 points (more than 5)")
        assert moved(-0.04, key="beside").verdict is PROCEED


class TestLowerIsBetter:
    def test_a_rise_beyond_the_limit_blocks(self) -> None:
        change = moved(0.08, level=0.1, key="rate")
        assert (change.verdict, change.worse_by) == (BLOCK, pytest.approx(8.0))
        assert change.interval is not None
        assert change.interval.low > 0.05  # of after - before, as it stands

    def test_a_fall_is_no_loss(self) -> None:
        assert moved(-0.08, level=0.1, key="rate").verdict is PROCEED

    def test_as_the_primary_metric(self) -> None:
        pairs = Pairs()
        for place in range(100):
            pairs.add({"rate": 0.1}, {"rate": 0.1 + WAVE[place % 4]})
        (change,) = compare_metrics(*pairs.means(), (RATE,), policy(), pairs, primary="rate")
        assert change.verdict is PROCEED
        few = Pairs()
        for place in range(16):
            few.add({"rate": 0.1}, {"rate": 0.1 + WAVE[place % 4]})
        (change,) = compare_metrics(*few.means(), (RATE,), policy(), few, primary="rate")
        assert change.why.endswith("and large (one in 18 that fails is enough); 53 or more can")


class TestRelative:
    def test_the_limit_is_a_share_of_the_baseline(self) -> None:
        # 5 % of 0.4 are 2 points.
        change = moved(-0.0252, level=0.4, unit="relative")
        assert (change.verdict, change.worse_by) == (BLOCK, pytest.approx(6.3))
        assert change.why.startswith("Overall is worse by 6.3 % of the baseline, and by more than 5 beyond noise")
        assert moved(-0.005, level=0.4, unit="relative").verdict is INVESTIGATE  # 1.25 %, shown to be a loss
        assert moved(0.0, level=0.4, cases=200, unit="relative").verdict is PROCEED

    def test_the_noise_of_the_baseline_is_in_the_answer(self) -> None:
        """Every case fell by exactly 5.4 % of what it had, so the relative loss is known and the points are not."""
        before = [0.2 + 0.01 * place for place in range(60)]
        after = [0.946 * value for value in before]
        relative = compared({"overall": before}, {"overall": after}, policy(unit="relative"))["overall"]
        assert relative.verdict is BLOCK
        alike = [value - 0.054 * sum(before) / 60 for value in before]
        points = compared({"overall": before}, {"overall": alike}, policy(unit="relative"))["overall"]
        assert points.worse_by == pytest.approx(relative.worse_by)
        assert points.interval is not None
        assert points.interval.degenerate
        # What is known is a loss in points; 5 % of a baseline that scatters so is not known well enough.
        below = [late - 0.95 * early for early, late in zip(before, alike, strict=True)]
        assert float(stats.ttest_1samp(below, 0.0, alternative="less").pvalue) > ALPHA
        assert "is inconclusive" in points.why
        assert points.verdict is INVESTIGATE
        many = compared({"overall": before * 2}, {"overall": alike * 2}, policy(unit="relative"))["overall"]
        assert float(stats.ttest_1samp(below * 2, 0.0, alternative="less").pvalue) < ALPHA
        assert many.verdict is BLOCK

    def test_a_rate(self) -> None:
        assert moved(0.03, level=0.4, key="rate", unit="relative").verdict is BLOCK  # 7.5 % of it
        assert moved(-0.03, level=0.4, key="rate", unit="relative").verdict is PROCEED

    def test_a_baseline_of_zero_is_compared_in_points(self) -> None:
        before = [0.0] * 40
        few, many = [0.01 * (place % 2) for place in range(40)], [0.1 + 0.01 * (place % 2) for place in range(40)]
        for unit in ("relative", "points"):
            assert compared({"rate": before}, {"rate": few}, policy(unit=unit))["rate"].verdict is PROCEED
            assert compared({"rate": before}, {"rate": many}, policy(unit=unit))["rate"].verdict is BLOCK


class TestUnits:
    def test_cases_of_one_source_are_one_unit(self) -> None:
        by = (-0.02, -0.12, -0.11, -0.1, -0.03)
        before = [0.8] * 30
        after = [0.8 + by[place // 6] for place in range(30)]
        sources = [f"source {place // 6}" for place in range(30)]
        apart = compared({"overall": before}, {"overall": after}, policy())["overall"]
        together = compared({"overall": before}, {"overall": after}, policy(), sources=sources)["overall"]
        assert apart.verdict is BLOCK
        assert together.interval is not None
        assert together.interval.units == 5
        assert "is inconclusive" in together.why

    def test_counts_stand_beside_the_metrics(self) -> None:
        pairs = Pairs()
        for place in range(3):
            pairs.add({"overall": 0.8}, {"overall": 0.8 + WAVE[place]})
        pairs.add({"overall": 0.8, "recall": 0.5}, {"overall": 0.8, "recall": 0.5})
        changes = compare_metrics(*pairs.means(), METRICS, policy(), pairs)
        assert [(change.key, change.cases, change.interval is None) for change in changes] == [
            ("recall", 1, True),
            ("overall", 4, False),
        ]


def test_what_the_output_needs_is_there() -> None:
    """The fields of `intervals` and `deltas` in the JSON."""
    change = moved(-0.02, cases=16, level=0.8)
    interval = change.interval
    assert interval is not None
    assert change.delta == pytest.approx(interval.estimate) == pytest.approx(-0.02)
    assert (change.baseline, change.current) == (pytest.approx(0.8), pytest.approx(0.78))
    assert (interval.level, interval.df, interval.units, change.cases) == (0.95, 15.0, 16, 16)
    assert interval.low < interval.estimate < interval.high
    assert 0 < interval.p_value < 0.05
    assert interval.standard_error > 0
    assert (change.limit, change.worse_by) == (5.0, pytest.approx(2.0))
