"""A promotion that was cut off before its commit or tag, or asked for neither, is finished by running it again."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal

import pytest

from tests.projects import CASES, Box, flawless, wait_until

FINISH = ("promote", "v1.1", "--commit", "--tag")


def held(box: Box, name: str = "HEAD") -> set[str]:
    return set(box.git("diff-tree", "-r", "--no-commit-id", "--name-only", name).out.splitlines())


def finished(box: Box, before: set[str]) -> str:
    """Run it again; what it says. Commit and tag are there then, and hold all that the promotion wrote."""
    out = box.row3(*FINISH, code=0).out
    head = box.git("rev-parse", "HEAD").out.strip()
    assert box.git("rev-parse", "extract-v1.1^{commit}").out.strip() == head
    assert box.git("cat-file", "-t", "extract-v1.1").out == "tag\n"
    assert held(box) >= before
    assert box.git("show", "-s", "--format=%s").out == "Promote extract v1.1\n"
    return out


@pytest.fixture
def pending(box: Box) -> Box:
    box.row3("promote", "v1.1", code=0)
    return box


def waiting(box: Box) -> set[str]:
    lines = box.git("status", "--porcelain", "--untracked-files=all").out.splitlines()
    return {line[3:] for line in lines}


def test_what_was_promoted_without_a_commit_gets_it_and_the_tag(pending: Box) -> None:
    before = waiting(pending)
    pending.write("mine.txt", "by hand")
    out = finished(pending, before)
    assert out.startswith("extract v1.1 is promoted: committed as ") and ". tagged extract-v1.1." in out
    assert waiting(pending) == {"mine.txt"}
    head = pending.git("rev-parse", "HEAD").out
    again = pending.row3(*FINISH, code=0).out
    assert f"committed as {head[:10]} and tagged extract-v1.1; nothing is left to do." in again
    assert pending.git("rev-parse", "HEAD").out == head


def test_nothing_is_written_where_git_does_not_know_who_commits(box: Box) -> None:
    for change in (("--unset", "user.name"), ("--unset", "user.email"), ("user.useConfigOnly", "true")):
        box.git("config", *change)
    before, state = box.tree(), box.git("status", "--porcelain").out
    done = box.row3(*FINISH, code=2)
    assert len(done.errors) == 1
    assert "git does not know who makes the commit. Run `git config user.name" in done.errors[0]
    assert box.tree() == before
    assert box.git("status", "--porcelain").out == state
    box.row3("promote", "v1.1", "--dry-run", "--commit", code=0)
    box.row3("promote", "v1.1", code=0)
    before, state = box.tree(), box.git("status", "--porcelain").out
    assert "git does not know who makes the commit" in box.row3(*FINISH, code=2).err
    assert (box.tree(), box.git("status", "--porcelain").out) == (before, state)


def test_a_commit_that_a_hook_refuses_is_made_by_the_same_command(box: Box) -> None:
    hook = box.write(".git/hooks/pre-commit", "#!/bin/sh\necho the linter says no >&2\nexit 1\n")
    hook.chmod(0o755)
    done = box.row3(*FINISH, code=2)
    told = " ".join(done.errors[0].split())
    assert "the linter says no. The promotion of extract v1.1 is written, and no commit has it yet" in told
    assert "`row3 promote extract-v1.1 --commit --tag` commits it." in told
    hook.unlink()
    finished(box, waiting(box))


def test_a_kill_in_the_middle_of_the_commit(box: Box) -> None:
    hook = box.write(".git/hooks/pre-commit", "#!/bin/sh\ntouch .git/began\nsleep 60\n")
    hook.chmod(0o755)
    process = box.start(*FINISH)
    wait_until(box.path(".git/began").exists)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    hook.unlink()
    with contextlib.suppress(FileNotFoundError):
        box.path(".git/index.lock").unlink()  # git's own, which it tells its user to remove
    before = waiting(box)
    assert "prompts/promoted.json" in before
    finished(box, before)
    assert waiting(box) == set()


def test_the_tag_goes_to_the_commit_of_the_promotion(pending: Box) -> None:
    sha = pending.commit("by hand")
    pending.write("mine.txt", "later")
    pending.commit("later")
    out = pending.row3(*FINISH, code=0).out
    assert pending.git("rev-parse", "extract-v1.1^{commit}").out.strip() == sha
    assert out == "extract v1.1 is promoted: tagged extract-v1.1.\n"


def test_what_a_commit_by_hand_left_out_is_committed(box: Box) -> None:
    box.git("rm", "-q", "--cached", "prompts/extract-v1.1.md")
    box.git("commit", "-q", "-m", "not known yet")
    box.row3("promote", "v1.1", code=0)
    box.git("commit", "-q", "-a", "-m", "by hand")
    before = waiting(box)
    assert "prompts/extract-v1.1.md" in before
    finished(box, before)
    assert waiting(box) == set()


def test_a_tag_that_names_something_else_is_no_tag_of_it(pending: Box) -> None:
    pending.git("tag", "extract-v1.1")
    done = pending.row3(*FINISH, code=2)
    assert "tag 'extract-v1.1' already exists" in done.errors[0]


def test_neither_ci_nor_a_dry_run_commits(pending: Box) -> None:
    head = pending.git("rev-parse", "HEAD").out
    assert "writes tracked files" in pending.row3(*FINISH, code=2, CI="1").errors[0]
    pending.row3(*FINISH, "--dry-run", code=0)
    assert pending.git("rev-parse", "HEAD").out == head


def test_another_suite_of_the_folder_keeps_what_waits(pending: Box) -> None:
    pending.write("baselines/archive/bread-2-20260101T000000Z-abcdef.json", "{}")
    pending.row3(*FINISH, code=0)
    assert waiting(pending) == {"baselines/archive/bread-2-20260101T000000Z-abcdef.json"}


def test_a_tag_that_a_rebase_left_behind_is_told_and_never_moved(box: Box) -> None:
    box.git("checkout", "-q", "-b", "work")
    box.row3(*FINISH, code=0)
    tagged = box.git("rev-parse", "extract-v1.1^{commit}").out.strip()
    box.git("checkout", "-q", "main")
    box.write("page.md", "A page.\n")
    box.commit("page")
    box.git("checkout", "-q", "work")
    box.git("rebase", "-q", "main")
    head = box.git("rev-parse", "HEAD").out.strip()
    out = box.row3(*FINISH, code=0).out
    assert f"the tag extract-v1.1 is on {tagged[:10]}, which is not in the history of HEAD" in out
    assert "nothing is left" not in out
    assert box.git("rev-parse", "extract-v1.1^{commit}").out.strip() == tagged
    move = out.partition("; `")[2].partition("`")[0]
    assert box.git(*shlex.split(move)[1:]).code == 0
    assert box.git("rev-parse", "extract-v1.1^{commit}").out.strip() == head
    again = box.row3(*FINISH, code=0).out
    assert f"committed as {head[:10]} and tagged extract-v1.1; nothing is left to do." in again


@pytest.fixture
def merging(box: Box) -> Box:
    """In the middle of a merge: v1.1 was promoted on main, v1.2 here, and the conflict was resolved as ours."""
    box.prompt("1.2")
    box.record("1.2", {case_id: flawless(case) for case_id, case in CASES.items()})
    box.write(".gitattributes", "metrics-history.json merge=union\n")  # as `row3 init` writes it
    box.commit("v1.2 drafted")
    box.git("checkout", "-q", "-b", "work")
    box.row3("promote", "v1.2", "--commit", code=0)
    box.git("checkout", "-q", "main")
    box.row3("promote", "v1.1", "--commit", code=0)
    box.git("checkout", "-q", "work")
    box.git("merge", "main", code=1)
    box.git("checkout", "--ours", "--", "CHANGELOG.md", "baselines", "charts", "prompts")
    box.git("add", "-A")
    return box


@pytest.mark.parametrize("options", [(), ("--commit",)])
def test_a_merge_that_lost_a_lock_is_told_with_the_way_out(merging: Box, options: tuple[str, ...]) -> None:
    done = merging.row3("promote", "v1.2", *options, code=2)
    other = merging.git("rev-parse", "main").out[:10]
    assert len(done.errors) == 1
    assert f"prompts/promoted.json lacks extract v1.1, which {other} has promoted" in done.err
    command = done.err.partition("`")[2].partition("`")[0]
    assert command == f"git checkout {other} -- CHANGELOG.md baselines charts prompts/promoted.json"
    merging.git(*shlex.split(command)[1:])
    merging.row3("promote", "v1.2", code=0)
    merging.commit("merged")
    assert "lacks" not in merging.row3("--compare", "--against", "main", code=0).out
    text = merging.read("CHANGELOG.md")
    assert text.index("## v1.2") < text.index("## v1.1") < text.index("## v1.0")
    assert "already" in merging.row3("promote", "v1.2", code=2).err


def test_a_rebase_that_lost_a_lock_is_told_with_the_way_out(merging: Box) -> None:
    merging.git("merge", "--abort")
    merging.git("rebase", "main", code=1)
    merging.git("checkout", "--theirs", "--", "CHANGELOG.md", "baselines", "charts", "prompts")
    merging.git("add", "-A")
    done = merging.row3("promote", "v1.2", code=2)
    command = done.err.partition("`")[2].partition("`")[0]
    assert command == "git checkout HEAD -- CHANGELOG.md baselines charts prompts/promoted.json"
    merging.git(*shlex.split(command)[1:])
    merging.row3("promote", "v1.2", code=0)


MIXED = """# Changelog

## v1.1 (Unreleased)

Prompt: extract
Prompt: summarise

### Changes
- both
"""


def test_an_entry_of_two_prompts_is_not_promoted_into(box: Box) -> None:
    box.write("CHANGELOG.md", MIXED)
    before = box.tree()
    for options in ((), ("--dry-run",)):
        done = box.row3("promote", "v1.1", *options, code=2)
        assert len(done.errors) == 1
        assert "CHANGELOG.md:6: the entry `v1.1 (Unreleased)` has two `Prompt:` lines (extract, summarise)" in done.err
    assert box.tree() == before
    assert "CHANGELOG.md:6" in box.row3("lint").out
    box.replace("CHANGELOG.md", "Prompt: summarise", "### Changes\n- own\n\n## v1.1 (Unreleased)\n\nPrompt: summarise")
    box.row3("promote", "v1.1", code=0)
    text = box.read("CHANGELOG.md")
    assert text.index("Prompt: summarise") < text.index("- both") < text.index("Prompt: extract") < text.index("- own")


def test_an_entry_of_other_prompts_is_in_no_promotions_way(box: Box) -> None:
    box.write("CHANGELOG.md", MIXED.replace("Prompt: extract", "Prompt: other"))
    box.row3("promote", "v1.1", code=0)
