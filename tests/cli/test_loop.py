"""The loop on the shipped data: promote, compare, promote, edit, blocked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.projects import HOME, Box, add_worse_draft, clean_env, run

DRAFT_LOSES = {
    # Read by hand from the recorded answers: expected concepts that v1.2 found and the draft does not.
    "bank-runs": {"Demand deposit", "Collateral", "Central bank"},
    "distributed-consensus": {"Replica", "Follower", "Crash fault"},
    "participatory-budgeting": {"Municipal staff", "Municipal budget", "Public services"},
}


def test_the_second_version_is_better_and_may_proceed(first: Box) -> None:
    result = first.row3("--compare", "--format", "json", code=0).json
    assert result["verdict"] == "proceed"
    assert not result["blocked"]
    assert result["prompts"] == {"decompose-concepts": "v1.2", "map-ontology": "v1.2"}
    assert result["baseline"]["prompts"] == {"decompose-concepts": "v1.0", "map-ontology": "v1.0"}
    assert result["compared"] == len(result["cases"]) == 15
    assert result["deltas"]["overall"] > 0.2
    assert result["deltas"]["recall"] > 0.2
    assert result["deltas"]["precision"] > -0.01
    assert result["intervals"]["precision"]["high"] >= 0  # no loss is shown


def test_the_worse_draft_is_blocked_and_every_loss_is_named(second: Box) -> None:
    second.git("checkout", "-q", "tidy")
    done = second.row3("--compare", "--format", "json", code=1)
    result = done.json
    assert result["verdict"] == "block"
    assert {reason["subject"] for reason in result["reasons"] if reason["verdict"] == "block"} >= {"recall", "overall"}
    lost = {case["id"]: set(case["lost"].get("missedConcepts", ())) for case in result["cases"]}
    for case_id, concepts in DRAFT_LOSES.items():
        assert lost[case_id] >= concepts
    table = second.row3("--compare", "-v", code=1).out
    for case_id, concepts in DRAFT_LOSES.items():
        shown = " ".join(table[table.index(f"▼ {case_id}") :].split())
        assert all(concept in shown for concept in concepts)


def test_the_shipped_state_is_one_that_may_proceed(tmp_path: Path) -> None:
    box = Box(tmp_path / "clone")
    box.root.mkdir()
    for name in ("golden", "prompts", "recordings", "baselines", "row3.toml", "metrics-history.json", "CHANGELOG.md"):
        source = HOME / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, box.root / name)
    result = box.row3("--compare", "--format", "json", code=0).json
    assert (result["verdict"], result["complete"]) == ("proceed", True)
    assert result["baseline"]["prompts"] == result["prompts"]  # no candidate
    assert result["prompts"] == {"decompose-concepts": "v1.2", "map-ontology": "v1.2"}


def test_two_promotions_leave_two_entries_in_each_record(second: Box) -> None:
    changelog = second.read("CHANGELOG.md")
    assert changelog.index("## v1.2 (") < changelog.index("## v1.0 (")
    assert "| Metric | v1.0 | v1.2 | Delta |" in changelog
    assert [(entry["action"], entry["verdict"]) for entry in second.history()] == [
        ("promotion", "block"),  # a first version, in the fail zone and approved
        ("promotion", "proceed"),
    ]
    assert len(list(second.path("baselines/archive").iterdir())) == 1
    promoted = json.loads(second.read("prompts/promoted.json"))["prompts"]["decompose-concepts"]
    assert promoted["version"] == "v1.2"
    assert list(promoted["locked"]) == ["v1.0"]


def test_in_ci_nothing_tracked_is_written(first: Box) -> None:
    before = first.tree()
    for args, code in ((["--compare"], 0), ([], 0), (["--baseline"], 0), (["--compare", "--against", "HEAD"], 0)):
        first.row3(*args, code=code, CI="true")
    assert first.row3("promote", "decompose-concepts-v1.2", "--prompt", "map-ontology-v1.2", CI="true").code == 2
    add_worse_draft(first)
    first.commit("worse")
    before = first.tree()
    first.row3("--compare", "--approve", "it has to be", code=2, CI="true")
    assert first.tree() == before
    assert first.git("status", "--porcelain").out == ""


def test_a_fresh_clone_of_it_compares_the_same(first: Box, tmp_path: Path) -> None:
    env = clean_env(tmp_path)
    assert run("git", "clone", "-q", str(first.root), str(tmp_path / "clone"), cwd=tmp_path, env=env).code == 0
    one = first.row3("--compare", "--format", "json", CI="1").json
    two = Box(tmp_path / "clone").row3("--compare", "--format", "json", CI="1").json
    assert one["cases"] == two["cases"]
    assert one["metrics"] == two["metrics"]
