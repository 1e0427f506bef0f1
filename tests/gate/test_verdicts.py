"""Every rule of the gate alone, and together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from row3.domain.changes import MetricChange
from row3.domain.metrics import Metric, Threshold, Zone
from row3.domain.verdicts import Verdict
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.verdicts import Evidence, judge
from row3.kinds.extraction import METRICS
from row3.reports.move_text import move_text

PROCEED, INVESTIGATE, BLOCK = Verdict
HEADLINE = ("recall", "precision", "f1", "relationshipAccuracy", "provenanceCoverage", "hallucinationRate", "overall")
POLICY = GatePolicy(metrics=HEADLINE)
GOOD = {
    "recall": 0.9,
    "precision": 0.9,
    "f1": 0.9,
    "relationshipAccuracy": 0.8,
    "provenanceCoverage": 1.0,
    "hallucinationRate": 0.0,
    "overall": 0.77,
    "duplicateRate": 0.0,
    "forbiddenRelationshipRate": 0.0,
}


def evidence(**fields: Any) -> Evidence:
    base: dict[str, Any] = {
        "metrics": METRICS,
        "changes": [],
        "values": GOOD,
        "zones": {},
        "policy": POLICY,
        "cases": 15,
    }
    return Evidence(**base | fields)


def moved(baseline: dict[str, float], current: dict[str, float], policy: GatePolicy = POLICY) -> Evidence:
    before, after = GOOD | baseline, GOOD | current
    changes = compare_metrics(before, after, METRICS, policy, Pairs())
    sentences = {c.key: move_text(c, m, policy) for c in changes for m in METRICS if m.key == c.key}
    return evidence(changes=changes, values=after, policy=policy, sentences=sentences)


def texts(given: Evidence) -> list[str]:
    return [reason.text for reason in judge(given)[1]]


def test_nothing_to_object_to() -> None:
    assert judge(evidence()) == (PROCEED, ())
    assert judge(moved({}, {})) == (PROCEED, ())


def test_an_improvement_proceeds_without_a_reason() -> None:
    assert judge(moved({"recall": 0.5, "overall": 0.4, "duplicateRate": 0.9}, {})) == (PROCEED, ())


class TestBlocks:
    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            (
                {"zones": {"recall": Zone.FAIL}, "values": GOOD | {"recall": 0.55}},
                ["Concept recall", "55.0%", "fail zone"],
            ),
            (
                {"zones": {"hallucinationRate": Zone.FAIL}, "values": GOOD | {"hallucinationRate": 0.06}},
                ["Hallucination rate", "6.0%"],
            ),
            ({"failed": ["case-a"]}, ["incomplete", "case-a"]),
            ({"removed": ["case-a", "case-b"]}, ["removed", "case-a, case-b"]),
            ({"weakened": {"case-a": ["concept overfitting"]}}, ["case-a", "demands less", "concept overfitting"]),
            ({"loosened": ["threshold of recall lowered from 60 % to 50 %"]}, ["threshold of recall lowered"]),
            ({"broke": ["case-a"], "critical": {"case-a": "broke"}}, ["critical", "case-a"]),
            ({"cases": 0}, ["no case"]),
        ],
    )
    def test_each_alone(self, fields: dict[str, Any], words: list[str]) -> None:
        verdict, reasons = judge(evidence(**fields))
        assert verdict is BLOCK
        assert reasons[0].verdict is BLOCK
        assert all(word in reasons[0].text for word in words), reasons[0].text

    @pytest.mark.parametrize("key", [key for key in HEADLINE if key != "hallucinationRate"])
    def test_any_headline_metric_worse_by_more_than_five(self, key: str) -> None:
        verdict, reasons = judge(moved({}, {key: GOOD[key] - 0.051}))
        assert verdict is BLOCK
        assert [(reason.metric, reason.verdict) for reason in reasons] == [(key, BLOCK)]
        assert "5.1 points (more than 5)" in reasons[0].text

    def test_more_hallucination(self) -> None:
        verdict, reasons = judge(moved({}, {"hallucinationRate": 0.06}))
        assert verdict is BLOCK
        assert [(reason.metric, reason.verdict) for reason in reasons] == [
            ("hallucinationRate", BLOCK),
            ("hallucinationRate", INVESTIGATE),
        ]

    def test_a_metric_that_is_no_longer_measured(self) -> None:
        change = MetricChange("recall", 0.9, None, None, None, BLOCK, 15, code="no_longer_measured")
        assert judge(evidence(changes=[change]))[0] is BLOCK

    def test_a_metric_that_is_measured_for_the_first_time_does_not(self) -> None:
        change = MetricChange("recall", None, 0.9, None, None, PROCEED, 15)
        assert judge(evidence(changes=[change])) == (PROCEED, ())

    def test_relative_moves_say_so(self) -> None:
        relative = GatePolicy(unit="relative", metrics=HEADLINE)
        (text,) = texts(moved({"overall": 0.50}, {"overall": 0.46}, relative))
        assert "8.0 % of the baseline" in text

    def test_the_names_of_many_are_cut_short(self) -> None:
        (text,) = texts(evidence(failed=[f"case-{i}" for i in range(10)]))
        assert text.endswith("case-0, case-1, case-2 and 7 more")


class TestInvestigates:
    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"values": GOOD | {"hallucinationRate": 0.01}}, ["canaries", "1.0%"]),
            ({"values": GOOD | {"forbiddenRelationshipRate": 0.5}}, ["forbidden relationships", "50.0%"]),
            ({"declines": 3}, ["3 consecutive declining runs"]),
            ({"declines": 7}, ["7 consecutive declining runs"]),
            ({"broke": ["case-a"]}, ["case-a broke"]),
            ({"changed": ["case-a"]}, ["expectations changed", "case-a"]),
            ({"incomparable": ["case-a"]}, ["not comparable", "case-a"]),
            ({"partial": True}, ["part"]),
        ],
    )
    def test_each_alone(self, fields: dict[str, Any], words: list[str]) -> None:
        verdict, reasons = judge(evidence(**fields))
        assert verdict is INVESTIGATE
        assert len(reasons) == 1
        assert all(word in reasons[0].text for word in words), reasons[0].text

    @pytest.mark.parametrize("drop", [0.01, 0.03, 0.05])
    def test_worse_by_one_to_five(self, drop: float) -> None:
        verdict, reasons = judge(moved({}, {"recall": 0.9 - drop}))
        assert verdict is INVESTIGATE
        assert [reason.metric for reason in reasons] == ["recall"]

    def test_a_companion_at_the_most(self) -> None:
        verdict, reasons = judge(moved({}, {"duplicateRate": 0.6}))
        assert (verdict, [reason.metric for reason in reasons]) == (INVESTIGATE, ["duplicateRate"])

    def test_a_metric_in_its_fail_zone_that_the_policy_leaves_out_does_not_block(self) -> None:
        own = GatePolicy(metrics=("overall",))
        assert judge(evidence(zones={"recall": Zone.FAIL}, policy=own))[0] < BLOCK


class TestProceeds:
    @pytest.mark.parametrize(
        "fields",
        [
            {"declines": 2},
            {"zones": {"recall": Zone.MARGINAL, "overall": Zone.PASS}},
            {"values": GOOD | {"hallucinationRate": 1e-12}},
            {"values": {}},
            {"critical": {}},
        ],
    )
    def test_what_is_no_reason(self, fields: dict[str, Any]) -> None:
        assert judge(evidence(**fields)) == (PROCEED, ())

    def test_worse_by_less_than_one_point(self) -> None:
        assert judge(moved({}, {"recall": 0.891}))[0] is PROCEED


def test_the_worst_reason_decides_and_stands_first_and_none_is_lost() -> None:
    verdict, reasons = judge(
        evidence(
            values=GOOD | {"hallucinationRate": 0.04, "recall": 0.5},
            zones={"recall": Zone.FAIL},
            declines=3,
            removed=["case-a"],
            broke=["case-b", "case-c"],
            critical={"case-c": "broke"},
        )
    )
    assert verdict is BLOCK
    assert [reason.verdict for reason in reasons] == [BLOCK] * 3 + [INVESTIGATE] * 3
    assert {reason.case_id for reason in reasons if reason.case_id} == {"case-b", "case-c"}


def test_the_number_of_declines_that_is_announced_is_a_setting() -> None:
    assert judge(evidence(declines=2, policy=GatePolicy(metrics=HEADLINE, declines=2)))[0] is INVESTIGATE


def test_a_metric_that_does_not_block_is_warned_of_in_its_fail_zone() -> None:
    warns = Metric("ndcg", "NDCG@10", threshold=Threshold(0.7, 0.85, 0.95), blocking=False)
    given: dict[str, Any] = {"metrics": [warns], "values": {"ndcg": 0.5}, "zones": {"ndcg": Zone.FAIL}}
    verdict, reasons = judge(evidence(**given))
    assert verdict == INVESTIGATE
    assert [reason.text for reason in reasons] == ["NDCG@10 50.0% is in its fail zone, which does not block"]
    assert judge(evidence(**given | {"zones": {"ndcg": Zone.MARGINAL}}))[0] == PROCEED
    asked = replace(POLICY, metrics=("ndcg",))  # the suite's gate says that it shall block
    verdict, reasons = judge(evidence(**given | {"policy": asked}))
    assert (verdict, len(reasons)) == (BLOCK, 1)
