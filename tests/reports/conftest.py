"""Runs and comparisons as small as they can be."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from row3.domain.judgements import CaseChange, Code, Interval, Judgement, MetricChange, Reason, Verdict
from row3.domain.prompts import Lineup
from row3.domain.runs import Approval
from row3.domain.scores import CaseScore, Metric, Threshold, Usage, zones_of
from row3.gate.policy import GatePolicy
from row3.gate.results import Comparison, Run
from row3.gate.suites import JudgedSuite
from row3.kinds.base import Group, Rules
from row3.kinds.extraction.score import KIND as EXTRACTION

RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.60, 0.70, 0.85))
RATE = Metric("hallucinationRate", "Hallucination rate", False, Threshold(0.05, 0.02, 0.0))
OVERALL = Metric("overall", "Overall", threshold=Threshold(0.65, 0.75, 0.85))
EXTRA = Metric("duplicateRate", "Duplicate rate", False, companion=True)
METRICS = (RECALL, RATE, OVERALL, EXTRA)
THRESHOLDS = {metric.key: metric.threshold for metric in METRICS if metric.threshold}


@dataclass
class Kind:
    metrics: Sequence[Metric] = METRICS
    primary: str = "overall"
    groups: Sequence[Group] = EXTRACTION.groups

    @property
    def primary_metric(self) -> Metric:
        return next(metric for metric in self.metrics if metric.key == self.primary)


GATED = GatePolicy(metrics=("recall", "hallucinationRate", "overall"))


def Suite(name: str = "decomposition", **rest: Any) -> JudgedSuite:
    """A suite of the small kind."""
    given = {"kind": Kind(), "rules": Rules(thresholds=dict(THRESHOLDS)), "policy": GATED, "golden": f"golden/{name}"}
    return JudgedSuite(name=name, **given | rest)


@dataclass
class Header:
    metrics: Mapping[str, float]
    denominators: Mapping[str, int]
    run_id: str = "20260129T101500Z-aaaaaa"
    at: str = "2026-01-29T10:15:00Z"
    action: str = "compare"
    mode: str = "replay"
    prompts: Mapping[str, str] = field(default_factory=lambda: {"decompose-concepts": "v1.1", "map-ontology": "v1.0"})
    model: str = "reference-llm"
    repeats: int = 1
    prompt_digests: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    commit: str | None = "0a1b2c3"
    pooled: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    omitted: Sequence[str] | None = None
    shard: None = None


ANN = Approval("known gap", "Ann", "2026-01-29T11:00:00Z")


PASSED = Judgement(Verdict.PROCEED, (), complete=True, signature="0123456789abcdef")


SOME = Interval(-0.02, -0.071, 0.031, 0.90, 0.0442, 0.02, 1.0, 2)


class Make:
    """Builders; every keyword replaces a field."""

    Header = Header

    @staticmethod
    def run(cases: Mapping[str, Mapping[str, float]], **rest: Any) -> Run:
        """A run of cases that were all scored."""
        means, counts = {}, {}
        for metric in METRICS:
            values = [each[metric.key] for each in cases.values() if metric.key in each]
            if values:
                means[metric.key], counts[metric.key] = sum(values) / len(values), len(values)
        lines = [
            json.dumps({"id": name, "status": "scored", "metrics": dict(metrics)}).encode()
            for name, metrics in cases.items()
        ]
        run = Run(
            header=Header(means, counts),
            suite=Suite(),
            lineup=Lineup((), {"decompose-concepts": "v1.0", "map-ontology": "v1.0"}),
            zones=zones_of(means, METRICS, THRESHOLDS),
            usage=Usage(),
            records=lines,
            details=[],
            rows=[CaseScore(name, "scored", metrics) for name, metrics in cases.items()],
        )
        return replace(run, **rest)

    @staticmethod
    def judged(comparison: Comparison, *reasons: Reason, approved: bool = False, complete: bool = True) -> Comparison:
        """The comparison with these reasons, which make its verdict."""
        verdict = max((reason.verdict for reason in reasons), default=Verdict.PROCEED)
        approval = ANN if approved else None
        return replace(comparison, judgement=Judgement(verdict, reasons, complete, "0123456789abcdef", approval))

    @staticmethod
    def comparison(run: Run, changes: Sequence[CaseChange], **rest: Any) -> Comparison:
        """A comparison in which every aggregate moved by -0.02."""
        before = {key: value + 0.02 for key, value in run.header.metrics.items()}
        baseline = replace(run.header, metrics=before, prompts=dict(run.lineup.promoted), run_id="base")
        moved = [
            MetricChange(key, value, value - 0.02, -0.02, 2.0, Verdict.PROCEED, run.cases, SOME, SOME)
            for key, value in before.items()
        ]
        moves = Counter(change.move for change in changes)
        return replace(Comparison(run, baseline, moved, changes, moves, PASSED, run.cases), **rest)


@pytest.fixture
def make() -> type[Make]:
    """Builders of runs and comparisons."""
    return Make


@pytest.fixture
def run() -> Run:
    """Two cases: one good, one in the fail zone."""
    return Make.run(
        {
            "bank-runs": {"recall": 0.9, "hallucinationRate": 0.0, "overall": 0.8, "duplicateRate": 0.0},
            "ozone": {"recall": 0.5, "hallucinationRate": 0.1, "overall": 0.6, "duplicateRate": 0.05},
        }
    )


@pytest.fixture
def comparison(run: Run) -> Comparison:
    """One case fell, one rose; blocked."""
    changes = [
        CaseChange(
            "ozone",
            "regressed",
            -0.1,
            gained={"wrongConcepts": ("Gas",)},
            lost={
                "missedConcepts": ("Halons", "ozone layer"),
                "missedRelationships": ("Halons IS_A Gas",),
                "canaries": ("Kyoto Protocol",),
            },
        ),
        CaseChange("bank-runs", "improved", 0.05, gained={"missedConcepts": ("banks",)}),
    ]
    diff = "--- a\n+++ b\n@@ -1 +1 @@\n-List them.\n+List all of them."
    made = Make.comparison(run, changes, prompt_diffs={"decompose-concepts": diff})
    return Make.judged(
        made,
        Reason(Code.WORSE, Verdict.BLOCK, "recall", {"before": 0.76, "after": 0.70}),
        Reason(Code.CASE_BROKE, Verdict.INVESTIGATE, "ozone"),
    )
