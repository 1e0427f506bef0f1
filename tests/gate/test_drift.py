"""Whether the provider moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.scores import Metric
from row3.gate.drift import Drift, drift_of, other_moves, sample_of, sample_size
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.reports.sentences import drift_move_text
from tests.rows import every_row

OVERALL, RECALL = Metric("overall", "Overall", weight=1.0), Metric("recall", "Concept recall")
RATE = Metric("hallucinationRate", "Hallucination rate", higher_is_better=False)
POLICY = GatePolicy(metrics=("overall", "recall"))


def drifted(*moves: float, recall: float = 0.0, same: int = 0, policy: GatePolicy = POLICY) -> Drift:
    """Two cases at 80 % for each move; what fewer than six cases show is never more than noise."""
    pairs = Pairs()
    for move in moves * 2:
        pairs.add({"overall": 0.8, "recall": 0.9}, {"overall": 0.8 + move, "recall": 0.9 + recall})
    return drift_of(pairs, (RECALL, RATE, OVERALL), policy, "overall", same=same)


class TestSample:
    @every_row(("cases", "asked"), [(1, 1), (3, 3), (10, 10), (11, 10), (15, 10), (24, 12), (40, 20), (5000, 20)])
    def test_all_up_to_ten_then_half_of_them(self, cases: int, asked: int) -> None:
        assert sample_size(cases) == asked

    @given(st.lists(st.text(min_size=1), unique=True, max_size=30), st.integers(0, 40), st.integers())
    def test_it_is_a_part_in_the_same_order_and_the_same_for_a_seed(
        self, ids: list[str], wanted: int, seed: int
    ) -> None:
        sample = sample_of(ids, wanted, seed)
        assert len(sample) == min(wanted, len(ids))
        assert sample == [each for each in ids if each in set(sample)]
        assert sample == sample_of(iter(ids), wanted, seed)

    def test_a_case_more_changes_little(self) -> None:
        ids = [f"case-{i}" for i in range(40)]
        before, after = set(sample_of(ids, 20, 3)), set(sample_of([*ids, "new"], 20, 3))
        assert len(before & after) >= 19
        assert set(sample_of(ids, 20, 4)) != before


class TestAbout:
    """Of kinds without a composite, such as retrieval, the primary metric alone does not show all."""

    METRICS = (Metric("ndcg", "NDCG"), Metric("mrr", "MRR"), Metric("map", "MAP", companion=True))

    def drift(self, mrr: float, ndcg: float, metrics: tuple[Metric, ...] = METRICS) -> Drift:
        pairs = Pairs()
        for noise in (0.0, 0.01, -0.01, 0.0) * 2:
            now = {"mrr": 0.9 + mrr + noise, "ndcg": 0.9 + ndcg + noise, "map": 0.1}
            pairs.add({"mrr": 0.9, "ndcg": 0.9, "map": 0.9}, now)
        return drift_of(pairs, metrics, POLICY, "mrr", same=0)

    def test_another_headline_metric_that_moved_is_told_of(self) -> None:
        drift = self.drift(0.0, -0.4)
        assert (drift.about.key, drift.state) == ("ndcg", "moved")
        assert drift_move_text(drift).startswith("−40.0 points")

    def test_the_primary_is_told_of_where_it_moved_or_no_other_did(self) -> None:
        assert (self.drift(-0.3, -0.4).about.key, self.drift(-0.3, -0.4).state) == ("mrr", "moved")
        assert (self.drift(0.0, 0.0).about.key, self.drift(0.0, 0.0).state) == ("mrr", "steady")

    def test_a_composite_stands_for_the_others(self) -> None:
        metrics = (Metric("ndcg", "NDCG", weight=1.0), Metric("mrr", "MRR"), Metric("map", "MAP", companion=True))
        assert (self.drift(0.0, -0.4, metrics).about.key, self.drift(0.0, -0.4, metrics).state) == ("mrr", "steady")


class TestState:
    def test_a_fall_beyond_noise_has_moved(self) -> None:
        drift = drifted(-0.05, -0.07, -0.06, -0.06)
        assert drift.state == "moved"
        assert drift_move_text(drift) == "−6.0 points (95%: −6.6…−5.4)"

    def test_so_has_a_rise(self) -> None:
        assert drifted(0.05, 0.07, 0.06, 0.06).state == "moved"

    def test_less_than_the_gate_looks_into_has_not(self) -> None:
        drift = drifted(-0.005, -0.005, -0.006, -0.005)
        assert drift.state == "steady"
        assert drifted(-0.005, -0.005, -0.006, -0.005, policy=GatePolicy(investigate=0.2)).state == "moved"

    def test_steady_is_shown_and_not_only_not_seen(self) -> None:
        assert drifted(0.01, -0.01, 0.02, -0.02, 0.0).state == "steady"
        wide = drifted(0.3, -0.3, 0.2)
        assert wide.state == "open"
        assert drift_move_text(wide).startswith("+6.7 points (95%: −")

    def test_one_case_is_open(self) -> None:
        assert drifted(-0.5, -0.4).state == "open"
        assert drifted().state == "open"
        assert drift_move_text(drifted()) == "unknown"

    def test_no_spread_at_all(self) -> None:
        assert drifted(0.0, 0.0).state == "steady"
        assert drifted(-0.06, -0.06, -0.06).state == "moved"

    def test_relative_limits(self) -> None:
        # 0.8 to 0.79 is 1.25 % of the baseline.
        relative = GatePolicy(unit="relative", investigate=2.0)
        assert drifted(-0.01, -0.01, -0.0101, policy=relative).state == "steady"

    def test_other_metrics_that_moved(self) -> None:
        drift = drifted(0.0, 0.0, 0.0, recall=-0.2)
        assert drift.state == "steady"
        assert other_moves(drift) == {"recall": pytest.approx(-0.2)}
