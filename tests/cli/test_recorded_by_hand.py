"""Projects whose baseline was recorded by hand, under a model that no provider serves: asked live with another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from row3.domain.requests import RECORDED_ONLY
from tests.bakery import bakery, found, record
from tests.live_models import Provider, concepts
from tests.projects import Box
from tests.support_desk import CHECKS, GOOD, JUDGE, Desk, desk_box, graded

JUDGED = {case_id: [*each, {"judge": "helpfulness"}] for case_id, each in CHECKS.items()}


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider(lambda asked: concepts(asked, 3 if asked.version == "1.1" else 4))
    yield made
    made.stop()


@pytest.fixture
def box(tmp_path: Path, provider: Provider) -> Box:
    """Ten cases; v1.0 is promoted on hand-made answers, v1.1 is a candidate without any."""
    box = bakery(tmp_path / "project", cases=10)
    box.path("prompts/extract-v1.1.md").rename(box.root / "waits.md")
    box.replace("row3.toml", "baker-1", RECORDED_ONLY)
    record(box, "1.0", found(4, cases=10))
    box.row3("--baseline", code=0)
    (box.root / "waits.md").rename(box.path("prompts/extract-v1.1.md"))
    box.write("row3.toml", f'{box.read("row3.toml")}preset = "vllm"\nbase_url = "{provider.url}"\ncost = "free"\n')
    return box


def test_the_baselines_prompts_are_asked_with_the_runs_model(box: Box, provider: Provider) -> None:
    flags = ("--compare", "--mode", "live", "--model", "baker-2", "--max-cost", "1", "--format", "json")
    done = box.row3(*flags, code=1)  # v1.1 finds three of four concepts of each case
    assert provider.versions() == {"1.0": 10, "1.1": 10}
    assert "asking its prompts with `baker-2` too" in " ".join(done.err.split())
    assert done.json["usage"]["costUsd"] == 0.0  # by its settings, and it is asked whatever the budget
    assert "drift" not in done.json


def test_without_a_model_it_says_what_it_needs(box: Box, provider: Provider) -> None:
    done = box.row3("--compare", "--mode", "live", code=2)
    assert f"no provider serves `{RECORDED_ONLY}`" in done.errors[0]
    assert "--model" in done.errors[0]
    assert provider.asked == []


def test_no_drift_is_looked_for(box: Box, provider: Provider) -> None:
    done = box.row3("drift", code=2)
    assert f"no provider serves `{RECORDED_ONLY}`" in " ".join(done.err.split())
    done = box.row3("drift", "--all", code=0)
    assert "skipped bread" in done.err
    assert provider.asked == []


class TestJudge:
    @pytest.fixture
    def desk(self) -> Iterator[Desk]:
        desk = Desk({"1.0": GOOD}, lambda _: graded(90))
        yield desk
        desk.stop()

    def test_one_that_is_named_stays(self, tmp_path: Path, desk: Desk) -> None:
        box = desk_box(tmp_path / "project", desk, checks=JUDGED, rubrics=("helpfulness",))
        box.replace("row3.toml", "desk-1", RECORDED_ONLY)
        box.row3("--mode", "live", "--model", "desk-2", code=0)
        assert {body["model"] for body in desk.answered} == {"desk-2"}
        assert {body["model"] for body in desk.judged} == {JUDGE}

    def test_one_that_is_recorded_by_hand_cannot_be_asked(self, tmp_path: Path, desk: Desk) -> None:
        box = desk_box(tmp_path / "project", desk, rubrics=("helpfulness",))
        box.replace("row3.toml", f'model = "{JUDGE}"', f'model = "{RECORDED_ONLY}"')
        done = box.row3("--mode", "live", "--model", "desk-2", code=2)
        assert "row3.toml field judge.model" in done.errors[0]
        assert desk.answered == []

    def test_without_a_name_it_has_the_runs_model(self, tmp_path: Path, desk: Desk) -> None:
        box = desk_box(tmp_path / "project", desk, checks=JUDGED, rubrics=("helpfulness",))
        box.replace("row3.toml", f'[judge]\nmodel = "{JUDGE}"\n', "")
        box.replace("row3.toml", "desk-1", RECORDED_ONLY)
        box.row3("--mode", "live", "--model", "judge-too", code=0)  # which the desk takes for a judge whatever is asked
        rubric = ["harshly" in str(body["messages"]) for body in desk.judged]
        assert sorted(rubric) == [False, False, True, True]
        assert {body["model"] for body in desk.judged} == {"judge-too"}
