"""An approved promotion is approved for hook and CI too: for what its giver was shown, and no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.projects import CASES, Box, first, flawless, tiny, worse
from tests.suites import SUITES, several

CARRIED = "note: hook and CI accept the approval as well"


def committed(box: Box, code: int | None = 0) -> str:
    box.git("add", "-A")
    return box.git("commit", "-m", "promote", code=code).err


@pytest.fixture
def hooked(work: Box) -> Box:
    """With the hook, on a branch, the first candidate promoted on main before."""
    work.row3("hook", "install", code=0)
    return work


def test_one_approval_is_enough_for_a_worse_version(hooked: Box) -> None:
    worse(hooked)
    assert CARRIED in hooked.row3("promote", "v1.2", "--approve", "agreed", code=0).err
    assert "BLOCK, approved" in committed(hooked)
    assert "BLOCK, approved" in hooked.row3("--compare", "--against", "main", code=0).out


def test_so_is_one_that_was_given_to_the_comparison_before(hooked: Box) -> None:
    worse(hooked)
    hooked.row3("--compare", "--approve", "agreed", code=0)
    assert CARRIED in hooked.row3("promote", "v1.2", code=0).err
    assert "BLOCK, approved" in committed(hooked)


def test_to_go_back_is_to_be_approved_and_once(hooked: Box) -> None:
    refused = hooked.row3("promote", "v1.0", code=1)
    assert "extract falls back from v1.1 to v1.0" in refused.out
    assert "row3 promote extract-v1.0 --approve REASON goes back." in " ".join(refused.out.split())
    done = hooked.row3("promote", "v1.0", "--approve", "v1.1 is slow", "--commit", "--tag", code=0)
    assert CARRIED in done.err
    assert "BLOCK, approved" in hooked.row3("--compare", "--against", "main", code=0).out
    assert hooked.git("status", "--porcelain", "--", ":!metrics-history.json").out == ""


def test_to_go_back_to_a_version_that_is_as_good_is_to_be_approved_too(hooked: Box) -> None:
    hooked.prompt("1.2")
    hooked.record("1.2", {case_id: flawless(case) for case_id, case in CASES.items()})
    hooked.row3("promote", "v1.2", code=0)
    assert "extract falls back from v1.2 to v1.1" in hooked.row3("promote", "v1.1", code=1).out
    hooked.row3("promote", "v1.1", "--approve", "as good, and shorter", code=0)


def test_what_was_not_shown_stays_to_be_approved(hooked: Box) -> None:
    worse(hooked)
    hooked.case("rye", forbiddenConcepts=[])
    done = hooked.row3("promote", "v1.2", "--approve", "agreed", code=0)
    said = " ".join(done.err.split())
    assert "hook and CI will ask for another approval: they see more than this one was given for" in said
    blocked = committed(hooked, code=1)
    assert "rye" in blocked
    assert "approved" not in blocked


def test_nor_is_a_newer_draft_approved_that_is_as_bad(hooked: Box) -> None:
    worse(hooked)
    worse(hooked, "1.3")
    done = hooked.row3("promote", "v1.2", "--approve", "agreed", code=0)
    assert "hook and CI will ask for another approval" in " ".join(done.err.split())
    committed(hooked, code=1)


def test_what_is_changed_afterwards_is_not_approved(hooked: Box) -> None:
    worse(hooked)
    hooked.row3("promote", "v1.2", "--approve", "agreed", code=0)
    hooked.replace("baselines/bread.json", '"baker-1"', '"baker-2"')
    assert "approved" not in committed(hooked, code=1).replace("--approve", "")


def test_of_a_first_promotion_too(box: Box, tmp_path: Path) -> None:
    new = tiny(tmp_path / "new")
    new.init()
    new.row3("hook", "install", code=0)
    worse(new)
    new.row3("promote", "v1.2", code=1)
    new.row3("promote", "v1.2", "--approve", "a beginning", code=0)
    committed(new)


def test_outside_git_nothing_is_said_of_hooks(tmp_path: Path) -> None:
    new = tiny(tmp_path / "new")
    worse(new)
    assert "hook" not in new.row3("promote", "v1.2", "--approve", "a beginning", code=0).err


def test_nobody_is_told_to_promote_what_was_taken_back(hooked: Box) -> None:
    hooked.row3("promote", "v1.0", "--approve", "v1.1 is slow", "--commit", code=0)
    done = hooked.row3("--compare", code=0)
    assert "row3 promote" not in done.out
    hooked.prompt("1.2")
    hooked.record("1.2", {case_id: flawless(case) for case_id, case in CASES.items()})
    assert "Next: row3 promote extract-v1.2" in hooked.row3("--compare", code=0).out


def test_an_approval_of_a_version_that_was_taken_back_opens_no_entry_for_it(hooked: Box) -> None:
    hooked.row3("promote", "v1.0", "--approve", "v1.1 is slow", "--commit", code=0)
    hooked.case("rye", forbiddenConcepts=[])
    hooked.row3("--compare", "--against", "main", "--approve", "no canary", code=0)
    assert "(Unreleased)" not in hooked.read("CHANGELOG.md")


def test_of_two_approvals_the_newer_one_is_carried(hooked: Box) -> None:
    worse(hooked)
    for reason in ("agreed", "agreed", "said better"):
        hooked.row3("--compare", "--approve", reason, code=0)
    assert hooked.read("CHANGELOG.md").count("agreed") == 1
    assert hooked.read("CHANGELOG.md").count("said better") == 1
    assert CARRIED in hooked.row3("promote", "v1.2", code=0).err
    assert "said better" in " ".join(committed(hooked).split())


def test_only_suites_that_ask_the_prompt_are_blocked_when_it_falls_back(tmp_path: Path) -> None:
    box = several(tmp_path / "project")
    box.init()
    for suite in SUITES:
        box.row3("promote", f"find-{suite}-v1.0", "--suite", suite, "--approve", "to begin with", code=0)
    box.row3("promote", "find-good-v1.1", "--suite", "good", code=0)
    box.commit("promoted")
    box.row3("hook", "install", code=0)
    box.git("checkout", "-q", "-b", "back")
    box.row3("promote", "find-good-v1.0", "--suite", "good", "--approve", "go back", code=0)
    box.git("add", "-A")
    said = box.git("commit", "-m", "back", code=0).err
    assert "row3: good against" in said
    assert "row3: worse" not in said
    assert "falls back" in box.row3("--compare", "--suite", "good", "--against", "main", code=0).out
    assert "falls back" not in box.row3("--compare", "--suite", "worse", "--against", "main", code=1).out


def test_an_approval_in_one_suite_is_none_in_another_that_falls_alike(hooked: Box) -> None:
    for case_id in CASES:
        hooked.write(f"golden/rolls/{case_id}.gold.json", hooked.read(f"golden/bread/{case_id}.gold.json"))
    hooked.write("row3.toml", hooked.read("row3.toml") + '[suites.rolls]\npipeline = ["extract"]\n')
    for suite, version, found in (("rolls", "1.1", 4), ("bread", "1.2", 2), ("rolls", "1.2", 2)):
        if not hooked.path(f"prompts/extract-v{version}.md").is_file():
            hooked.prompt(version)
        answers = {case_id: first(flawless(case), found) for case_id, case in CASES.items()}
        lines = [
            {"caseId": case_id, "prompt": f"extract-v{version}", "response": json.dumps(answer)}
            for case_id, answer in answers.items()
        ]
        file = hooked.root.parent / "answers.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        hooked.row3("recordings", "import", str(file), "--suite", suite, code=0)
        if version == "1.1":
            hooked.row3("--baseline", "--suite", "rolls", code=0)
            hooked.commit("rolls")
            hooked.git("branch", "-f", "main", "work")
    done = hooked.row3("promote", "v1.2", "--suite", "bread", "--approve", "for bread alone", code=0)
    assert "hook and CI will ask for another approval" in " ".join(done.err.split())
    told = " ".join(committed(hooked, code=1).split())
    assert "row3: bread against" in told
    assert "BLOCK, approved" in told
    assert told.partition("row3: rolls against")[2].split()[1].startswith("BLOCK,")
    assert told.count("approved by") == 1
