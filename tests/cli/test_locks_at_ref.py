"""A promoted prompt that no suite asks any more: its locks are still somebody's business."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from row3.domain.requests import digest_text
from tests.projects import CASES, PROMPT, Box, first, flawless
from tests.suites import with_baselines

LOCKS = "prompts/promoted.json"
NOBODY = "nobody judges find-worse v1.1, which this change promotes: no suite with a baseline at main asks it"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """`find-worse` v1.0 is promoted; v1.1 is worse and only waits, a copy of v1.0 has another name; with the hooks."""
    box = with_baselines(tmp_path_factory.mktemp("locks") / "project")
    box.path("prompts/find-worse-v1.1.md").rename(box.root.parent / "worse.md")
    lock(box, "find-worse", "1.0")
    box.write("prompts/finder-v1.0.md", PROMPT.format(name="finder", version="1.0"))
    box.write("row3.toml", 'suite = "worse"\n' + box.read("row3.toml"))
    box.commit("promoted")
    box.row3("hook", "install", code=0)
    return box


@pytest.fixture
def box(whole: Box, tmp_path: Path) -> Box:
    own = whole.copy(tmp_path / "project")
    shutil.copy(whole.root.parent / "worse.md", own.path("prompts/find-worse-v1.1.md"))
    own.git("checkout", "-q", "-b", "work")
    return own


def lock(box: Box, name: str, version: str) -> None:
    """Make a version the current one by hand, with the earlier one kept among the locked."""
    text = box.read(LOCKS) if box.path(LOCKS).is_file() else '{"schemaVersion": 1, "prompts": {}}'
    value = json.loads(text)
    before = value["prompts"].get(name)
    locked = {} if before is None else before.get("locked", {}) | {before["version"]: before["digest"]}
    digest = digest_text(box.read(f"prompts/{name}-v{version}.md"))
    value["prompts"][name] = {"version": f"v{version}", "digest": digest, "date": "2026-01-01", "locked": locked}
    box.write(LOCKS, json.dumps(value, indent=1) + "\n")


def ask_another(box: Box) -> None:
    box.replace("row3.toml", '["find-worse"]', '["finder"]')


def record_finder(box: Box) -> None:
    """The answers of v1.0, as those of its copy."""
    file = box.root.parent / "answers.jsonl"
    lines = [
        {"caseId": id_, "prompt": "finder-v1.0", "response": json.dumps(first(flawless(case), 4))}
        for id_, case in CASES.items()
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    text = box.read("row3.toml")
    ask_another(box)
    box.row3("recordings", "import", str(file), "--suite", "worse", code=0)
    box.write("row3.toml", text)


def decoy(box: Box) -> None:
    """A suite of this change alone, which asks the prompt and which nothing can judge."""
    box.write("row3.toml", box.read("row3.toml") + '\n[suites.decoy]\npipeline = ["find-worse"]\n')
    box.write("golden/decoy/rye.gold.json", box.read("golden/worse/rye.gold.json"))


def said(box: Box, *more: str) -> str:
    return " ".join(box.row3("--compare", "--against", "main", *more, CI="true").out.split())


def stopped(box: Box) -> str:
    box.git("add", "-A")
    return " ".join(box.git("commit", "-m", "unseen", code=1).err.split())


@pytest.mark.parametrize("with_decoy", [False, True], ids=["asked-by-none", "asked-by-a-new-suite"])
def test_a_promotion_that_no_suite_judges_any_more_blocks(box: Box, with_decoy: bool) -> None:
    record_finder(box)
    ask_another(box)
    if with_decoy:
        decoy(box)
    assert "BLOCK" not in said(box), "to ask another prompt is judged by its answers"
    lock(box, "find-worse", "1.1")
    assert NOBODY in said(box)
    assert NOBODY in said(box, "--all")
    assert "nobody judges find-worse v1.1" in stopped(box)


def test_a_suite_that_names_no_prompts_asks_those_of_its_kind_alone(box: Box) -> None:
    record_finder(box)
    ask_another(box)
    box.write("row3.toml", box.read("row3.toml").replace('[suites.good]\npipeline = ["find-good"]\n', ""))
    box.write("golden/good/row3-kind.txt", "")
    lock(box, "find-worse", "1.1")
    assert NOBODY not in said(box, "--all"), "a suite of its kind asks it"
    box.write("row3.toml", box.read("row3.toml") + '\n[suites.good]\nkind = "events"\n')
    box.git("add", "-A")
    box.git("commit", "-q", "--no-verify", "-m", "another kind")
    assert NOBODY in said(box, "--all")


def test_nor_in_a_second_change(box: Box) -> None:
    record_finder(box)
    ask_another(box)
    box.git("add", "-A")
    box.git("commit", "-q", "-m", "another prompt")
    box.git("branch", "-f", "main", "work")
    lock(box, "find-worse", "1.1")
    assert NOBODY in said(box)
    assert "nobody judges find-worse v1.1" in stopped(box)


def test_a_suite_that_blocks_tells_it_where_the_default_one_only_informs(box: Box) -> None:
    record_finder(box)
    ask_another(box)
    box.write("row3.toml", box.read("row3.toml") + "\n[suites.worse.gate]\ninformational = true\n")
    box.git("add", "-A")
    box.git("commit", "-q", "--no-verify", "-m", "being built")
    box.git("branch", "-f", "main", "work")
    lock(box, "find-worse", "1.1")
    told = box.row3("--compare", "--all", "--against", "main", CI="true", code=1).out
    assert NOBODY in " ".join(told.split())
    assert "nobody judges find-worse v1.1" in stopped(box)


def test_an_altered_lock_and_a_fall_back_are_told_whatever_a_new_suite_asks(box: Box) -> None:
    record_finder(box)
    ask_another(box)
    decoy(box)
    box.write("prompts/find-worse-v1.0.md", box.read("prompts/find-worse-v1.1.md").replace('"1.1"', '"1.0"') + "\n")
    lock(box, "find-worse", "1.0")
    assert "the lock of find-worse v1.0 is not as at main" in said(box)
    box.git("checkout", "-q", "main", "--", "prompts")
    box.write("prompts/find-worse-v0.9.md", PROMPT.format(name="find-worse", version="0.9"))
    lock(box, "find-worse", "0.9")
    assert "find-worse falls back from v1.0 to v0.9" in said(box)
    assert "find-worse falls back from v1.0 to v0.9" in stopped(box)


@pytest.mark.parametrize("default", ["worse", "good"])
def test_a_signed_removal_signs_for_no_promotion(box: Box, default: str) -> None:
    """The suites that are left tell it, also where it is the default one that is gone."""
    box.replace("row3.toml", 'suite = "worse"', f'suite = "{default}"')
    box.git("add", "-A")
    box.git("commit", "-q", "--no-verify", "-m", "the default")
    box.git("branch", "-f", "main", "work")
    for folder in ("golden", "recordings"):
        shutil.rmtree(box.path(f"{folder}/worse"))
    box.path("baselines/worse.json").unlink()
    box.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
    lock(box, "find-worse", "1.1")
    assert NOBODY in said(box, "--all")
    assert "nobody judges find-worse v1.1" in stopped(box)


def test_a_new_prompt_of_a_new_suite_is_nobodys_business(box: Box) -> None:
    box.path("prompts/find-worse-v1.1.md").unlink()
    decoy(box)
    box.replace("row3.toml", '[suites.decoy]\npipeline = ["find-worse"]', '[suites.decoy]\npipeline = ["finder"]')
    lock(box, "finder", "1.0")
    assert "nobody judges" not in said(box, "--all")
