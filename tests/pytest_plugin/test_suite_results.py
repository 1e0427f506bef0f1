"""Cases and gate of a suite, judged and passed to another process."""

from __future__ import annotations

from pathlib import Path

import pytest

from row3.pytest_plugin.suite_results import Flags, judge_suite, judged_from_json
from tests.projects import Box, tiny, worse


@pytest.fixture(scope="module")
def worsened(tmp_path_factory: pytest.TempPathFactory) -> Box:
    box = tiny(tmp_path_factory.mktemp("judge") / "project")
    box.init()
    box.row3("promote", "v1.0", code=0)
    worse(box)
    box.commit("worse")
    return box


def test_it_survives_a_round_trip_through_json(worsened: Box) -> None:
    judged = judge_suite(worsened.root, "bread", Flags())
    assert judged_from_json(judged.as_json()) == judged
    assert {case.outcome for case in judged.cases.values()} == {"failed"}
    assert judged.gate is not None
    assert (judged.gate.outcome, judged.gate.shown) == ("failed", "✗ block")


def test_part_of_a_suite_has_no_gate(worsened: Box) -> None:
    judged = judge_suite(worsened.root, "bread", Flags(), frozenset({"rye"}))
    assert (list(judged.cases), judged.gate) == (["rye"], None)


def test_a_version_of_another_pipeline_is_ignored(worsened: Box) -> None:
    worsened.write("row3.toml", worsened.read("row3.toml") + '[suites.bread]\npipeline = ["extract"]\n')
    judged = judge_suite(worsened.root, "bread", Flags(prompts=("extract-v1.1", "judge-v2.0")))
    assert {case.outcome for case in judged.cases.values()} == {"passed"}
    worsened.git("checkout", "-q", "row3.toml")


@pytest.mark.parametrize("flags", [Flags(against="nowhere"), Flags(prompts=("extract-v9.9",))])
def test_an_unusable_suite_is_reported_not_raised(worsened: Box, flags: Flags) -> None:
    judged = judge_suite(worsened.root, "bread", flags)
    assert judged.error
    assert not judged.cases
    assert judged_from_json(judged.as_json()) == judged


def test_a_missing_project_is_reported(tmp_path: Path) -> None:
    assert "not a row3 project" in " ".join(judge_suite(tmp_path, "bread", Flags()).error.split())
