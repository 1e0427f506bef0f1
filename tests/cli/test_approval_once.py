"""An approval is for one change: what the base has of it already lets nothing pass that is done once more."""

from __future__ import annotations

import shutil

import pytest

from tests.judging import BASELINE, GOOD, said
from tests.projects import SUITE, Box, worse

CANARY = f"golden/{SUITE}/rye.gold.json"
HISTORY = "metrics-history.json"
PROMOTED = ("prompts/promoted.json", "baselines", "charts")


def merged(box: Box, message: str) -> None:
    box.commit(message)
    box.git("branch", "-f", "main", "HEAD")


def without_canary(box: Box) -> None:
    box.case("rye", forbiddenConcepts=[])


def approve(box: Box, *options: str) -> None:
    box.row3("--compare", *options, "--approve", "wrong canary", code=0)


def merge_draft(box: Box) -> None:
    """A worse draft, approved, on main."""
    worse(box)
    approve(box)
    merged(box, "a draft")


def merge_mended(box: Box) -> None:
    """The same, and then a better one."""
    merge_draft(box)
    box.prompt("1.3")
    box.record("1.3", GOOD)
    merged(box, "mended")


@pytest.fixture
def again(work: Box) -> Box:
    """A canary was removed, signed, came back on main, and is gone once more."""
    without_canary(work)
    approve(work, "--against", "main")
    assert "BLOCK, approved" in said(work, 0)
    merged(work, "signed")
    work.git("checkout", "HEAD~1", "--", "golden")
    merged(work, "it was right")
    without_canary(work)
    return work


def test_what_was_approved_once_is_not_when_it_is_done_again(again: Box) -> None:
    told = said(again, 1)
    assert "BLOCK Overall" in told
    assert "stood in the history of main before this change, and was for an earlier one" in told
    again.row3("hook", "install", code=0)
    again.git("add", "-A")
    again.git("commit", "-m", "again", code=1)


def test_the_same_reason_is_another_approval_of_another_change(again: Box) -> None:
    approve(again, "--against", "main")
    assert "BLOCK, approved" in said(again, 0)


def test_one_of_the_same_second_is_another_one_too(again: Box) -> None:
    """Approvals are timed to the second, and a script signs twice in one."""
    approve(again, "--against", "main")
    signed = [entry["approval"] for entry in again.history() if entry.get("approval")]
    first, last = signed[0]["at"], signed[-1]["at"]
    again.write(HISTORY, again.read(HISTORY).replace(last, first))
    assert len({entry["approval"]["at"] for entry in again.history() if entry.get("approval")}) == 1
    assert "BLOCK, approved" in said(again, 0)


def test_a_revert_brings_no_approval_back(work: Box) -> None:
    without_canary(work)
    approve(work, "--against", "main")
    merged(work, "signed")
    work.git("revert", "--no-edit", "HEAD")
    work.git("branch", "-f", "main", "HEAD")
    work.git("revert", "--no-commit", "HEAD")
    assert "wrong canary" in work.read(HISTORY)
    said(work, 1)


def test_a_worse_prompt_that_was_taken_back_is_approved_anew(work: Box) -> None:
    """A comparison that only meets the old approval notes it again, which makes it no new one."""
    worse(work)
    approve(work, "--against", "main")
    merged(work, "a draft")
    work.git("rm", "-rq", "prompts/extract-v1.2.md", f"recordings/{SUITE}/extract-v1.2.jsonl")
    work.row3("--compare", code=0)
    merged(work, "taken back")
    work.git("checkout", "HEAD~1", "--", "prompts", "recordings")
    noted = len(work.history())
    work.row3("--compare", code=0)
    assert len(work.history()) == noted + 1
    assert work.history()[-1]["approval"]["reason"] == "wrong canary"
    said(work, 1)


def test_an_approved_draft_stops_nobody_who_leaves_it_alone(work: Box) -> None:
    worse(work)
    approve(work, "--against", "main")
    merged(work, "a draft")
    work.write("row3.toml", work.read("row3.toml") + "# more of it\n")
    assert "BLOCK, approved" in said(work, 0)


def test_an_approved_draft_is_promoted_by_the_next_change(work: Box) -> None:
    merge_draft(work)
    work.row3("promote", "v1.2", code=0)
    assert "BLOCK, approved" in said(work, 0)


def test_an_approval_holds_for_all_of_its_branch(work: Box) -> None:
    work.git("remote", "add", "origin", str(work.root))
    work.git("fetch", "-q", "origin", "main")
    work.row3("hook", "install", code=0)
    worse(work)
    approve(work)
    for name in ("one.txt", "row3.toml"):
        work.write(name, (work.read(name) if work.path(name).exists() else "") + "# more\n")
        work.git("add", "-A")
        work.git("commit", "-q", "-m", name, code=0)
        assert "BLOCK, approved" in said(work, 0)


def test_one_on_main_holds_until_it_is_pushed(work: Box) -> None:
    remote = work.root.parent / "remote.git"
    work.git("init", "-q", "--bare", str(remote))
    work.git("remote", "add", "origin", str(remote))
    work.git("checkout", "-q", "main")
    work.git("push", "-q", "origin", "main")
    work.row3("hook", "install", code=0)
    without_canary(work)
    approve(work, "--against", "HEAD")
    work.git("add", "-A")
    work.git("commit", "-q", "-m", "signed", code=0)
    work.write("prompts/notes.txt", "more\n")
    work.git("add", "-A")
    work.git("commit", "-q", "-m", "more", code=0)
    work.git("push", "-q", "origin", "main", code=0)


@pytest.fixture
def taken_back(work: Box) -> Box:
    """A worse version was promoted, signed, and taken back on main; history and changelog still tell of it."""
    worse(work)
    work.row3("promote", "v1.2", "--approve", "wrong canary", code=0)
    assert "BLOCK, approved" in said(work, 0)
    merged(work, "promoted")
    back(work)
    return work


def back(box: Box) -> None:
    box.git("checkout", "HEAD~1", "--", *PROMOTED)
    merged(box, "taken back")


def test_what_was_promoted_and_taken_back_is_signed_anew(taken_back: Box) -> None:
    done = taken_back.row3("promote", "v1.2", code=1)
    assert "was for an earlier change: wrong canary. --approve REASON signs this one" in " ".join(done.err.split())
    taken_back.row3("promote", "v1.2", "--approve", "wrong canary", code=0)
    assert "BLOCK, approved" in said(taken_back, 0)


def test_so_it_is_where_the_draft_alone_was_signed_and_git_took_the_promotion_back(work: Box) -> None:
    merge_draft(work)
    work.row3("promote", "v1.2", code=0)
    merged(work, "promoted")
    work.git("revert", "--no-edit", "HEAD")
    work.git("branch", "-f", "main", "HEAD")
    work.row3("promote", "v1.2", code=1)
    work.row3("promote", "v1.2", "--approve", "after all", code=0)
    assert "BLOCK, approved" in said(work, 0)


def test_two_promotions_of_one_draft_do_not_stand_in_for_each_other(work: Box) -> None:
    """Both were made while the draft was merged and no more; the second one comes after the first was taken back."""
    merge_draft(work)
    work.row3("promote", "v1.2", code=0)
    work.git("checkout", "-q", "-b", "other")
    work.commit("promoted beside")
    work.git("checkout", "-q", "-b", "again", "main")
    work.row3("promote", "v1.2", code=0)
    merged(work, "promoted")
    back(work)
    lines = work.read(HISTORY).splitlines()
    beside = work.git("show", f"other:{HISTORY}").out.splitlines()
    work.git("checkout", "other", "--", *PROMOTED)
    work.write(HISTORY, "\n".join([*lines[:-1], *(line for line in beside if line not in lines), "]\n"]))
    assert "was for an earlier one" in said(work, 1)


def test_a_draft_that_was_taken_back_is_not_promoted_by_what_was_said_of_it(work: Box) -> None:
    merge_draft(work)
    work.git("rm", "-rq", "prompts/extract-v1.2.md", f"recordings/{SUITE}/extract-v1.2.jsonl")
    merged(work, "taken back")
    work.git("checkout", "HEAD~1", "--", "prompts", "recordings")
    work.row3("promote", "v1.2", code=1)


def test_nor_is_one_that_another_draft_took_the_place_of(work: Box) -> None:
    merge_mended(work)
    work.row3("promote", "v1.2", code=1)


def test_outside_git_the_history_tells_that_it_was_promoted(work: Box) -> None:
    shutil.rmtree(work.path(".git"))
    before = work.tree()
    worse(work)
    approve(work)
    work.row3("promote", "v1.2", code=0)
    for name in ("prompts/promoted.json", BASELINE):
        work.write(name, before[name])
    work.row3("promote", "v1.2", code=1)


def test_a_bad_draft_that_was_mended_is_signed_again_where_the_mended_one_goes(work: Box) -> None:
    merge_mended(work)
    work.git("rm", "-q", "prompts/extract-v1.3.md")
    told = said(work, 1)
    assert "stood in the history of main before this change, and was for an earlier one" in told
    approve(work, "--against", "main")
    assert "BLOCK, approved" in said(work, 0)


def test_to_take_a_promotion_back_proposes_it_to_nobody(work: Box) -> None:
    work.prompt("1.2")
    work.record("1.2", GOOD)
    merged(work, "a draft")
    work.row3("promote", "v1.2", code=0)
    merged(work, "promoted")
    work.git("revert", "--no-edit", "HEAD")
    done = work.row3("--compare", "--against", "main", "--approve", "it is slow in production", code=0)
    assert "row3 promote" not in done.out
    assert "Next: commit metrics-history.json and CHANGELOG.md too" in " ".join(done.out.split())
    assert "v1.2 (Unreleased)" not in work.read("CHANGELOG.md").partition("it is slow in production")[0]
