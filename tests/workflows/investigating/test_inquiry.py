"""Which metrics of a case fell against the baseline beyond the limit, from the files of a project."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.metrics import Metric
from row3.gate.policy import GatePolicy
from row3.workflows.investigating.inquiry import fall_of
from tests.projects import CASES, Box, first, flawless, tiny

RECALL = Metric("recall", "Recall")
RATE = Metric("rate", "Rate", higher_is_better=False)
POLICY = GatePolicy(metrics=("recall",), limits={"rate": 3.0})
fractions = st.floats(0, 1)


@pytest.fixture
def fallen(tmp_path: Path) -> Box:
    """The baseline finds all of a case, v1.2 three of four concepts: above the target of 70 %, and 25 points lower."""
    box = tiny(tmp_path / "bakery")
    box.row3("--baseline", code=0)  # nothing is promoted: the highest version, which finds everything
    box.prompt("1.2")
    box.record("1.2", {case_id: first(flawless(case), 3) for case_id, case in CASES.items()})
    return box


def test_a_block_without_a_metric_under_its_target_names_what_fell(fallen: Box) -> None:
    assert "Concept recall is worse by 25.0 points" in fallen.row3("--compare", code=1).out
    out = fallen.row3("investigate", "yeast", code=0).out
    failing = next(line for line in out.splitlines() if line.startswith("**Failing Metric(s)**"))
    assert "Concept recall (fell 25.0 points)" in failing
    fell = next(line for line in out.splitlines() if line.startswith("- Worse than the baseline"))
    assert fell.startswith("- Worse than the baseline by more than the limit of 5 points: Concept recall")
    assert "within the limit of the baseline again, that is Concept recall at least 95.0%" in out
    assert "Concept recall reaches its target" not in out
    value = fallen.row3("investigate", "yeast", "--format", "json", code=0).json
    assert (value["failing"], value["fell"][0]["metric"], value["fell"][0]["limit"]) == ([], "recall", 5.0)


def test_the_limits_are_those_of_the_command_and_the_suite(fallen: Box) -> None:
    out = fallen.row3("investigate", "yeast", "--fail", "recall:30,f1:30", code=0).out
    assert "Concept recall (" not in out
    fallen.write("row3.toml", fallen.read("row3.toml") + '\n[suites.bread.gate]\nunit = "relative"\nblock = 10\n')
    out = fallen.row3("investigate", "yeast", code=0).out
    assert "the limit of 10% of the baseline: Concept recall (by 25.0% of it)" in out


def test_a_case_edited_since_the_baseline_is_noted(fallen: Box) -> None:
    (note,) = fallen.row3("investigate", "yeast", "--format", "json", code=0).json["notes"]
    assert note.startswith("Baseline: 20")
    fallen.case("yeast", created="2026-01-02")
    (edited,) = fallen.row3("investigate", "yeast", "--format", "json", code=0).json["notes"]
    assert edited == note.removesuffix(".") + "; the golden case has changed since."


def test_where_nothing_fell_there_is_nothing_to_change(fallen: Box) -> None:
    out = fallen.row3("investigate", "yeast", "--prompt", "extract-v1.1", code=0).out
    well = "every metric reaches its target, and none is worse than the baseline by more than its limit"
    assert f"**Failing Metric(s)**: none: {well}" in out
    assert f"1. Nothing has to be changed: {well}." in out
    assert "2. " not in out[out.index("### Verification Plan") :]


def test_a_fall_within_the_limit_and_one_without_a_second_side_are_none() -> None:
    assert fall_of(RECALL, 0.9, 0.85, POLICY) is None
    assert fall_of(RECALL, None, 0.1, POLICY) is None
    assert fall_of(RECALL, 0.9, None, POLICY) is None


def test_a_rate_falls_upwards_by_a_limit_of_its_own() -> None:
    fall = fall_of(RATE, 0.0, 0.04, POLICY)
    assert fall is not None
    assert (round(fall.worse, 9), fall.limit, fall.least, fall.blocks) == (4.0, 3.0, 0.03, False)


@given(fractions, fractions, st.sampled_from([RECALL, RATE]), st.sampled_from(["points", "relative"]))
def test_the_least_is_within_the_limit_and_what_fell_is_beyond_it(
    before: float, now: float, metric: Metric, unit: str
) -> None:
    policy = GatePolicy(unit=unit)
    fall = fall_of(metric, before, now, policy)
    if fall is None:
        return
    assert fall.worse > fall.limit
    assert (now < fall.least) == metric.higher_is_better
    assert fall_of(metric, before, fall.least, policy) is None
