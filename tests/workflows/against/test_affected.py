"""Which suites a change of files concerns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.store.project import open_project
from row3.workflows.against.affected import affected, asked_by
from tests.projects import CASES, flawless
from tests.suites import SUITES, Box, record, several, with_baselines


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Four suites with prompts of their own."""
    return several(tmp_path_factory.mktemp("affected") / "project")


@pytest.mark.parametrize(
    ("changed", "concerned"),
    [
        (["golden/good/rye.gold.json"], {"good"}),
        (["recordings/worse/find-worse-v1.1.jsonl", "golden/good/quarantine.json"], {"good", "worse"}),
        (["prompts/find-good-v1.1.md"], {"good"}),
        (["prompts/another-v1.0.md"], set()),
        (["baselines/good.json"], {"good"}),
        (["baselines/good.live.json"], {"good"}),
        (["baselines/archive/good-20260101T000000Z.json"], set()),
        (["prompts/promoted.json"], set(SUITES)),
        (["row3.toml"], set(SUITES)),
        (["golden/gone/rye.gold.json"], set()),
        ([], set()),
    ],
)
def test_a_change_concerns_the_suites_whose_files_it_touches(box: Box, changed: list[str], concerned: set[str]) -> None:
    assert affected(open_project(box.root), changed, None) == concerned


REMEMBERS = """
[suites.recall]
kind = "retrieval"

[suites.recall.provider]
type = "mcp"
version = "1.0"
command = "no-such-program"
tool = "recall"
arguments = { query = "{query}" }

[[suites.recall.provider.setup]]
tool = "remember"
for_each = ["golden/good/deep/r*.gold.json", "golden/worse/*"]
arguments = { text = "{sourceText}" }
"""


@pytest.mark.parametrize(
    ("changed", "concerned"),
    [
        ("golden/good/deep/rye.gold.json", {"good", "recall"}),
        ("golden/worse/rye.gold.json", {"worse", "recall"}),
        ("golden/good/rye.gold.json", {"good"}),
        ("golden/recall/q1.gold.json", {"recall"}),
    ],
)
def test_a_suite_whose_system_remembers_cases_of_another_is_concerned_by_them(
    box: Box, tmp_path: Path, changed: str, concerned: set[str]
) -> None:
    own = box.copy(tmp_path / "project")
    own.write("row3.toml", own.read("row3.toml") + REMEMBERS)
    assert affected(open_project(own.root), [changed], None) == concerned


def test_a_suite_that_runs_every_prompt_is_concerned_by_each(box: Box, tmp_path: Path) -> None:
    own = box.copy(tmp_path / "project")
    own.replace("row3.toml", 'pipeline = ["find-good"]', "")
    assert affected(open_project(own.root), ["prompts/find-worse-v1.1.md"], None) == {"good", "worse"}


def test_the_history_concerns_the_suites_of_the_entries_that_came_or_went(tmp_path: Path) -> None:
    box = with_baselines(tmp_path / "project")
    before = box.copy(tmp_path / "before")
    record(box, "good", "1.1", {case_id: flawless(case) for case_id, case in CASES.items()})
    box.row3("--compare", "--suite", "good", code=0)
    changed = ["metrics-history.json"]
    assert affected(open_project(box.root), changed, before.root) == {"good"}
    assert affected(open_project(before.root), changed, box.root) == {"good"}
    assert affected(open_project(box.root), changed, None) == set(SUITES)
    box.write("metrics-history.json", "[")
    assert affected(open_project(box.root), changed, before.root) == set(SUITES)


def test_the_hook_runs_what_is_concerned_and_says_what_is_not(tmp_path: Path) -> None:
    box = with_baselines(tmp_path / "project")
    assert box.row3("hook", "run", "pre-commit", code=0).err == ""
    box.path("golden/good/rye.gold.json").unlink()
    box.git("add", "-A")
    done = box.row3("hook", "run", "pre-commit", code=1)
    assert "row3: good against" in done.err
    assert "not concerned: broken, incomplete, worse" in done.err
    box.write("golden/broken/rye.gold.json", "{")
    box.git("add", "-A")
    done = box.row3("hook", "run", "pre-commit", code=2)
    said = " ".join(done.err.split())
    assert "row3: good against" in said
    assert "row3: suite broken: golden/broken/rye.gold.json:1:2: not JSON" in said
    assert "row3 stops this commit." in said


def test_the_first_commit_judges_by_its_own_baselines_and_needs_none(tmp_path: Path) -> None:
    box = several(tmp_path / "project")
    box.git("init", "-q", "-b", "main")
    box.git("config", "user.name", "Zoë Tester")
    box.git("config", "user.email", "zoe@example.org")
    box.path("prompts/find-good-v1.1.md").unlink()
    box.row3("--baseline", "--suite", "good", code=0)
    box.git("add", "-A")
    done = box.row3("hook", "run", "pre-commit", code=0)
    assert "row3: suites broken, incomplete, worse: no baseline yet, so nothing was" in done.err
    assert "row3: suite good: the baseline is new in this change, and judges it" in done.err
    assert "row3: good: PROCEED" in done.err


def test_a_promotion_concerns_the_suites_that_ask_the_prompt(box: Box, tmp_path: Path) -> None:
    own, base = box.copy(tmp_path / "project"), tmp_path / "base"
    lock = {"version": "v1.0", "digest": "sha256:" + "0" * 64, "date": "2026-01-29"}
    for root, prompts in ((base, {"find-good": lock}), (own.root, {"find-good": {**lock, "version": "v1.1"}})):
        (root / "prompts").mkdir(parents=True, exist_ok=True)
        (root / "prompts/promoted.json").write_text(json.dumps({"schemaVersion": 1, "prompts": prompts}))
    project = open_project(own.root)
    assert affected(project, ["prompts/promoted.json"], base) == set(SUITES), "the base can judge none that asks it"
    (base / "baselines").mkdir()
    (base / "baselines/good.json").touch()
    assert affected(project, ["prompts/promoted.json"], base) == {"good"}
    (base / "baselines/worse.json").touch()
    own.replace("row3.toml", '["find-good"]', '["find-other"]')
    own.replace("row3.toml", '["find-worse"]', '["find-good"]')
    (base / "row3.toml").write_text(box.read("row3.toml"))
    moved = open_project(own.root)
    assert affected(moved, ["prompts/promoted.json"], base) == {"good", "worse"}, "those that ask it, and that did"
    assert asked_by(project, "find-worse") == {"worse"}
    assert asked_by(project, "asked-by-none") == set(SUITES)


def test_a_system_asks_no_prompt(box: Box, tmp_path: Path) -> None:
    own = box.copy(tmp_path / "project")
    own.write("row3.toml", own.read("row3.toml") + REMEMBERS)
    assert "recall" not in affected(open_project(own.root), ["prompts/find-good-v1.1.md"], None)
