"""The drops a suite detects: against scipy, by hand, and by comparisons with the promised drop."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from row3.domain.judgements import Verdict
from row3.domain.scores import Metric
from row3.gate.moves import compare_metrics
from row3.gate.pairs import DifferenceVariance, Pairs
from row3.gate.policy import GatePolicy, PolicyName
from row3.gate.power import (
    POWER,
    UNEVEN,
    Finding,
    Needed,
    cases_needed,
    detectable_metrics,
    detection_factor,
    repeats_needed,
    sensitivity,
    smallest_drop,
)
from tests.rows import every_row

SPLIT = DifferenceVariance(0.0025, 14.0, 15, 3.0, case_variance=0.001, repeat_variance=0.00225, repeat_df=60.0)
UNSPLIT = DifferenceVariance(0.0025, 14.0, 15, 1.0)
FIXED = Finding(0.05)
PAIRED = Finding(0.05, 0.025, 0.05)
OVERALL, RECALL, BESIDE = Metric("overall", "Overall"), Metric("recall", "Recall"), Metric("beside", "Beside")
METRICS = (OVERALL, RECALL)
RATE = Metric("rate", "Rate", higher_is_better=False)


@every_row(
    ("policy", "units", "found"),
    [
        ("evidence", 5, {"recall"}),  # 1 / 2^5 is below 5%
        ("evidence", 4, set()),
        ("fixed", 4, set()),  # the mean alone decides, whatever the cases share
        ("paired", 6, {"overall", "recall"}),
    ],
)
def test_a_test_needs_enough_independent_units(policy: PolicyName, units: int, found: set[str]) -> None:
    for cases in (units, 30):
        pairs = Pairs()
        for place in range(cases):
            pairs.add({"overall": 0.8, "recall": 0.9}, {"overall": 0.8, "recall": 0.9}, source=f"{place % units}")
        given = GatePolicy(policy=policy, metrics=("overall", "recall"))
        assert detectable_metrics(pairs, METRICS, given, primary="overall") == found


def known(drop: float | None) -> float:
    assert drop is not None
    return drop


class TestFactor:
    @every_row("cases", [5, 10, 15, 30, 50, 200])
    @every_row("alpha", [0.05, 0.025, 0.01])
    def test_the_power_is_reached_on_average(self, cases: int, alpha: float) -> None:
        rng = np.random.default_rng(cases)
        rounds, df = 40_000, cases - 1
        promised, observed = (np.sqrt(rng.chisquare(df, rounds) / df) for _ in range(2))
        moved = detection_factor(df, df, alpha) * promised + rng.normal(size=rounds)
        found = float(np.mean(moved > stats.t.ppf(1 - alpha, df) * observed))
        assert found == pytest.approx(POWER, abs=0.015)

    @every_row("cases", [5, 15, 200])
    def test_the_power_is_reached_if_the_mean_alone_decides(self, cases: int) -> None:
        rng = np.random.default_rng(cases)
        promised = np.sqrt(rng.chisquare(cases - 1, 40_000) / (cases - 1))
        found = np.mean(detection_factor(cases - 1, cases - 1, None) * promised + rng.normal(size=40_000) > 0.0)
        assert float(found) == pytest.approx(POWER, abs=0.015)

    def test_many_cases_give_the_textbook_value(self) -> None:
        textbook = float(stats.norm.ppf(0.975) + stats.norm.ppf(0.8))
        assert detection_factor(1e9, 1e9, 0.025) == pytest.approx(textbook, abs=1e-3)

    def test_figures(self) -> None:
        assert [round(detection_factor(n - 1, n - 1, 0.025), 1) for n in (5, 15, 200)] == [4.7, 3.2, 2.8]
        assert detection_factor(1.0, 1.0, 0.025) == math.inf or detection_factor(1.0, 1.0, 0.025) > 15


def compared(rng: np.random.Generator, cases: int, drop: float, share: float, policy: GatePolicy) -> dict[str, Verdict]:
    """Return two runs of the same cases; the drop is spread over them as unevenly as assumed."""
    pairs = pairs_of(rng, cases, drop, share)
    return {change.key: change.verdict for change in compare_metrics(*pairs.means(), METRICS, policy, pairs)}


def pairs_of(rng: np.random.Generator, cases: int, drop: float, share: float) -> Pairs:
    pairs = Pairs()
    falls = rng.gamma(1 / UNEVEN**2, drop * UNEVEN**2, cases) if drop else np.zeros(cases)
    for fall, noise in zip(falls, rng.normal(0, 0.08, (cases, 2)), strict=True):
        before = 0.8
        pairs.add(
            {"overall": before, "recall": before}, {"overall": before, "recall": before - share * fall + noise[0]}
        )
    return pairs


@every_row("policy", ["fixed", "evidence", "paired"])
@every_row("cases", [15, 50])
def test_the_policy_detects_drops_as_often_as_promised(policy: PolicyName, cases: int) -> None:
    """One comparison predicts the power, another has the drop."""
    rng, rounds, found, tried = np.random.default_rng(8), 400, 0, 0
    rules = GatePolicy(policy=policy, metrics=("recall", "overall"))
    for _ in range(rounds):
        seen = sensitivity(pairs_of(rng, cases, 0.0, 1.0), RECALL, rules)
        assert seen is not None
        if seen.smallest_drop is None:
            continue
        tried += 1
        found += compared(rng, cases, seen.smallest_drop, 1.0, rules)["recall"] is Verdict.BLOCK
    assert tried == rounds
    assert found / rounds > POWER - 3 * math.sqrt(0.16 / rounds)


class TestFinding:
    def test_fixed_needs_a_mean_beyond_the_limit(self) -> None:
        rules = GatePolicy(policy="fixed", metrics=("overall",), limits={"overall": 3.0})
        assert Finding.of(rules, OVERALL, primary="overall", baseline=0.8) == Finding(0.03)

    def test_evidence_needs_other_drops_to_exceed_noise(self) -> None:
        rules = GatePolicy(metrics=("overall", "recall", "f1"))
        assert Finding.of(rules, OVERALL, primary="overall", baseline=0.8) == Finding(0.05)
        assert Finding.of(rules, RECALL, primary="overall", baseline=0.8) == Finding(0.05, 0.025)
        assert Finding.of(rules, BESIDE, primary="overall", baseline=0.8) == Finding(0.05)

    def test_paired_needs_an_interval_beyond_the_limit(self) -> None:
        rules = GatePolicy(policy="paired", unit="relative", metrics=("overall", "recall", "f1"))
        assert Finding.of(rules, OVERALL, primary="overall", baseline=0.5) == Finding(0.025, 0.025, 0.025)
        assert Finding.of(rules, RECALL, primary="overall", baseline=0.5) == Finding(0.025, 0.0125, 0.025)
        assert Finding.of(rules, RECALL, primary="overall", baseline=0.0).limit == 0.05
        assert Finding.of(rules, RATE, primary="overall", baseline=0.5).limit == 0.05


class TestSmallestDrop:
    def test_by_hand(self) -> None:
        drop = known(smallest_drop(UNSPLIT, PAIRED))
        spread = math.sqrt((0.0025 + (UNEVEN * drop) ** 2) / 15)
        assert drop == pytest.approx(0.05 + detection_factor(14, 14, 0.025) * spread)
        assert drop > known(smallest_drop(UNSPLIT, FIXED)) > 0.05

    def test_evidence_needs_both_conditions(self) -> None:
        noisy = DifferenceVariance(0.25, 14.0, 100, 1.0)
        both = known(smallest_drop(noisy, Finding(0.05, 0.01)))
        assert both >= known(smallest_drop(noisy, Finding(0.05)))
        assert both == pytest.approx(known(smallest_drop(noisy, Finding(0.0, 0.01))))

    def test_pass_or_fail_needs_enough_flips_for_a_test_to_reject(self) -> None:
        flips = DifferenceVariance(0.01, 199.0, 200, 1.0, step=1.0)
        assert known(smallest_drop(flips, Finding(0.0, 0.025, 0.0))) == pytest.approx(6 / 200)
        assert known(smallest_drop(flips, Finding(0.0, 0.01, 0.0))) == pytest.approx(7 / 200)

    def test_too_few_units_for_a_test_to_reject(self) -> None:
        five = DifferenceVariance(0.0001, 4.0, 5, 1.0)
        assert smallest_drop(five, PAIRED) is None
        assert smallest_drop(five, Finding(0.05)) is not None
        sources = DifferenceVariance(0.0001, 4.0, 50, 1.0)
        assert smallest_drop(sources, PAIRED) is None

    def test_no_spread_and_unknown_repeats_are_unknown(self) -> None:
        assert smallest_drop(DifferenceVariance(0.0, 14.0, 15, 1.0), FIXED) is None
        assert smallest_drop(UNSPLIT, FIXED, repeats=3) is None
        assert smallest_drop(SPLIT, FIXED, repeats=5) is not None

    @every_row("finding", [FIXED, PAIRED, Finding(0.05, 0.01)])
    def test_more_cases_or_repeats_detect_smaller_drops(self, finding: Finding) -> None:
        by_cases = [known(smallest_drop(SPLIT, finding, cases=n)) for n in (15, 30, 50, 100, 200)]
        by_repeats = [known(smallest_drop(SPLIT, finding, repeats=k)) for k in (1, 3)]
        for drops in (by_cases, by_repeats):
            assert drops == sorted(drops, reverse=True)


class TestNeeded:
    @every_row("drop", [0.06, 0.1, 0.2])
    @every_row(
        ("needed", "size"),
        [
            (cases_needed, lambda number: smallest_drop(SPLIT, PAIRED, cases=number)),
            (repeats_needed, lambda number: smallest_drop(SPLIT, PAIRED, repeats=number)),
        ],
    )
    def test_the_fewest(self, drop: float, needed: Callable[..., Needed], size: Callable[[int], float | None]) -> None:
        found = needed(SPLIT, PAIRED, drop)
        if found.count is None:
            assert found.why == "never"
            return
        assert known(size(found.count)) <= drop
        before = size(found.count - 1) if found.count > 2 else None
        assert before is None or before > drop

    def test_a_drop_at_the_limit_is_never_sure_to_be_detected(self) -> None:
        assert cases_needed(SPLIT, FIXED, 0.05) == repeats_needed(SPLIT, PAIRED, 0.05) == Needed(None, "never")

    def test_unknown(self) -> None:
        assert cases_needed(DifferenceVariance(0.0, 14.0, 15, 1.0), FIXED, 0.1) == Needed(None, "unknown")
        assert repeats_needed(UNSPLIT, FIXED, 0.1) == Needed(None, "unknown")


def moved(*differences: float, repeats: int = 1, spread: float = 0.0) -> Pairs:
    pairs = Pairs()
    for place, difference in enumerate(differences):
        before = {"overall": 0.7 + 0.01 * place}
        spreads = {"overall": spread} if spread else {}
        after = {"overall": before["overall"] + difference}
        pairs.add(before, after, repeats=(repeats, repeats), spreads=(spreads, spreads))
    return pairs


class TestPlan:
    WAVERING = tuple(0.05 * math.sin(7 * place) for place in range(15))

    def test_twice_the_limit_is_the_default_wanted_drop(self) -> None:
        pairs = moved(*self.WAVERING, repeats=2, spread=0.02)
        plan = sensitivity(pairs, OVERALL, GatePolicy(metrics=("overall",)))
        assert plan is not None
        assert (plan.wanted, plan.finding.limit, plan.blocks) == (0.1, 0.05, True)
        asked = sensitivity(pairs, OVERALL, GatePolicy(limits={"overall": 3.0}), detect=0.08)
        assert asked is not None
        assert (asked.wanted, asked.finding.limit, asked.blocks) == (0.08, 0.03, False)

    def test_without_spread_it_is_unknown(self) -> None:
        still = sensitivity(moved(*[0.0] * 15), OVERALL, GatePolicy())
        assert still is not None
        assert (still.smallest_drop, still.needs_cases) == (None, Needed(None, "unknown"))

    def test_fewer_than_two_cases_have_no_sensitivity(self) -> None:
        assert sensitivity(moved(0.1), OVERALL, GatePolicy()) is None
        assert sensitivity(moved(0.1, 0.2), RECALL, GatePolicy()) is None
