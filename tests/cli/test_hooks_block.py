"""The hooks in real repositories: no way into main for a prompt that does worse."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.projects import Box, clean_env, run


def take_draft(box: Box) -> None:
    """The worse draft, staged in one go."""
    box.git("checkout", "-q", "tidy", "--", ".")


def blocked(text: str) -> bool:
    return "BLOCK" in text and "row3 stops this" in text


def test_a_commit_is_blocked_in_one_screen(second: Box) -> None:
    take_draft(second)
    done = second.git("commit", "-m", "tidier", code=1)
    assert blocked(done.err)
    assert len(done.err.splitlines()) <= 24
    assert "Bit-flip error" in done.err
    assert "--approve" in done.err
    assert second.git("status", "--porcelain").out.count("\n") == 3


def test_a_commit_of_something_else_is_not_judged(second: Box) -> None:
    second.write("notes.txt", "x")
    take_draft(second)
    second.git("reset", "-q")
    second.git("add", "notes.txt")  # the draft lies in the work tree, and is not staged
    assert "row3" not in second.git("commit", "-m", "notes").err


def test_a_true_merge_is_blocked(second: Box) -> None:
    head = second.git("rev-parse", "main").out
    done = second.git("merge", "--no-ff", "tidy", code=None)
    assert done.code != 0
    assert blocked(done.err)
    assert second.git("rev-parse", "main").out == head
    concluded = second.git("commit", "--no-edit", code=1)
    assert blocked(concluded.err)


@pytest.mark.parametrize("how", ["--squash", "--no-commit"])
def test_the_commit_after_a_squash_or_an_open_merge_is_blocked(second: Box, how: str) -> None:
    second.git("merge", how, *([] if how == "--squash" else ["--no-ff"]), "tidy", code=0)
    assert blocked(second.git("commit", "-m", "squashed", code=1).err)


def test_a_fast_forward_passes_and_its_push_is_blocked(second: Box, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    run("git", "clone", "-q", "--bare", str(second.root), str(remote), cwd=tmp_path, env=clean_env(tmp_path))
    second.git("remote", "add", "origin", str(remote))
    second.git("fetch", "-q", "origin")
    second.git("merge", "--ff-only", "tidy")
    done = second.git("push", "origin", "main", code=1)
    assert blocked(done.err)
    second.git("reset", "-q", "--hard", "origin/main")
    second.write("notes.txt", "x")
    second.commit("notes")
    second.git("push", "-q", "origin", "main")


def test_a_push_of_the_branch_itself_is_blocked(second: Box, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    run("git", "init", "-q", "--bare", str(remote), cwd=tmp_path, env=clean_env(tmp_path))
    second.git("push", "-q", "--no-verify", str(remote), "main")
    assert blocked(second.git("push", str(remote), "tidy", code=1).err)


def test_a_linked_worktree_is_guarded_too(second: Box, tmp_path: Path) -> None:
    second.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked tree"))
    linked = Box(tmp_path / "linked tree")
    take_draft(linked)
    assert blocked(linked.git("commit", "-m", "tidier", code=1).err)


def test_a_path_with_spaces_and_a_project_below_the_top(second: Box, tmp_path: Path) -> None:
    top = Box(tmp_path / "my repo")
    inner = second.copy(top.root / "eval 'suite' ü")
    shutil.rmtree(inner.root / ".git")
    top.init()
    inner.row3("hook", "install", code=0)
    second.git("checkout", "-q", "tidy")
    for name, content in second.tree().items():
        inner.write(name, content)
    top.git("add", "-A")
    assert blocked(top.git("commit", "-m", "tidier", code=1).err)
    top.git("reset", "-q")
    top.write("notes.txt", "x")
    top.git("add", "notes.txt")
    top.git("commit", "-q", "-m", "notes")


def test_an_approval_lets_it_through_and_stays_in_the_history(second: Box) -> None:
    take_draft(second)
    second.git("commit", "-m", "tidier", code=1)
    second.row3("--compare", "--approve", "shorter answers, agreed with the team", code=0)
    entry = second.history()[-1]
    assert entry["verdict"] == "block"
    assert entry["approval"]["reason"] == "shorter answers, agreed with the team"
    assert entry["approval"]["by"] == "Zoë Tester <zoe@example.org>"
    assert blocked(second.git("commit", "-m", "tidier", code=1).err), "the approval is not staged yet"
    second.git("add", "metrics-history.json")
    assert "approved by Zoë Tester" in second.git("commit", "-m", "tidier").err


def test_an_approval_holds_for_nothing_that_is_edited_afterwards(second: Box) -> None:
    take_draft(second)
    second.row3("--compare", "--approve", "agreed", code=0)
    name = "recordings/decomposition/decompose-concepts-v1.2.jsonl"
    lines = second.read(name).splitlines(keepends=True)
    second.write(name, "".join(line.replace('\\"label\\": \\"Bank', '\\"label\\": \\"Bonk') for line in lines))
    second.git("add", "-A")
    assert second.git("commit", "-m", "tidier", code=None).code != 0


def test_uninstalled_hooks_are_gone(second: Box) -> None:
    second.row3("hook", "uninstall", code=0)
    take_draft(second)
    second.git("commit", "-q", "-m", "tidier")
    assert not (second.root / ".git/hooks/pre-commit").exists()


def test_a_missing_recording_stops_the_commit_and_says_how_to_go_on(second: Box) -> None:
    second.row3("new-version", "decompose-concepts", code=0)
    second.git("add", "-A")
    second.git("commit", "-q", "-m", "a mere copy asks the same, so nothing is missing")
    second.replace("prompts/decompose-concepts-v1.2.md", "List the concepts", "Name the concepts")
    second.git("add", "-A")
    done = second.git("commit", "-m", "next", code=None)
    assert done.code != 0
    assert "INCOMPLETE" in done.err
    assert "--mode auto" in done.err


class TestPushes:
    """What is pushed is judged by what the remote is known to have, never by the branch that is pushed."""

    @pytest.fixture
    def remote(self, second: Box, tmp_path: Path) -> Path:
        """`origin`, which has main as it was; here main holds the worse draft."""
        remote = tmp_path / "remote.git"
        run("git", "clone", "-q", "--bare", str(second.root), str(remote), cwd=tmp_path, env=clean_env(tmp_path))
        second.git("remote", "add", "origin", str(remote))
        second.git("fetch", "-q", "origin")
        second.git("merge", "-q", "--ff-only", "tidy")
        return remote

    def test_over_commits_that_were_never_fetched(self, second: Box, remote: Path, tmp_path: Path) -> None:
        other = Box(tmp_path / "other")
        run("git", "clone", "-q", "-b", "main", str(remote), str(other.root), cwd=tmp_path, env=clean_env(tmp_path))
        other.git("config", "user.name", "other")
        other.git("config", "user.email", "other@example.org")
        other.write("notes.txt", "x")
        other.git("add", "--all")
        other.git("commit", "-q", "-m", "notes")
        other.git("push", "-q", "origin", "main")
        assert blocked(second.git("push", "--force", "origin", "main", code=1).err)

    @pytest.mark.parametrize("target", ["HEAD:refs/heads/other", "HEAD:refs/tags/some"])
    def test_to_a_ref_that_is_new(self, second: Box, remote: Path, target: str) -> None:
        assert remote.is_dir()
        assert blocked(second.git("push", "origin", target, code=1).err)

    def test_to_a_remote_of_which_nothing_is_known(self, second: Box, remote: Path, tmp_path: Path) -> None:
        assert remote.is_dir()
        second.git("remote", "remove", "origin")
        empty = tmp_path / "empty.git"
        run("git", "init", "-q", "--bare", str(empty), cwd=tmp_path, env=clean_env(tmp_path))
        assert blocked(second.git("push", str(empty), "main", code=1).err)

    def test_what_is_no_regression_passes(self, second: Box, remote: Path) -> None:
        assert remote.is_dir()
        second.git("reset", "-q", "--hard", "origin/main")
        second.write("notes.txt", "x")
        second.commit("notes")
        second.git("push", "-q", "origin", "HEAD:refs/heads/other")


def test_a_prompt_that_is_a_link_is_refused_in_the_index_and_in_a_commit(second: Box, tmp_path: Path) -> None:
    take_draft(second)
    name = next(path.name for path in second.path("prompts").glob("*-v1.2.md"))
    second.path("drafts").mkdir()
    second.path(f"prompts/{name}").rename(second.path(f"drafts/{name}"))
    second.path(f"prompts/{name}").symlink_to(f"../drafts/{name}")
    second.git("add", "-A")
    done = second.git("commit", "-m", "linked", code=1)
    assert f"prompts/{name}: this is a symbolic link in the index" in done.err
    assert "Put the file itself there" in done.err
    assert second.row3("hook", "run", "pre-commit").code == 2
    base, linked = second.git("rev-parse", "HEAD").out.strip(), second.commit("linked")
    done = second.row3("hook", "run", "pre-push", stdin=f"refs/heads/main {linked} refs/heads/main {base}\n", code=2)
    assert f"prompts/{name}: this is a symbolic link at {linked[:10]}" in done.err


def test_a_case_that_is_a_link_at_the_base_is_refused(second: Box) -> None:
    case = next(iter(second.path("golden/decomposition").glob("*.gold.json")))
    case.rename(second.path(case.name))
    case.symlink_to(f"../../{case.name}")
    linked = second.commit("linked")
    done = second.row3("--compare", "--against", linked, code=2)
    assert f"golden/decomposition/{case.name}: this is a symbolic link at {linked[:10]}" in done.err


def test_a_link_outside_of_what_row3_reads_is_of_no_interest(second: Box) -> None:
    second.path("latest").symlink_to("prompts")
    second.write("prompts/notes.txt", "x")
    second.git("add", "-A")
    second.git("commit", "-q", "-m", "a link")


def test_taking_everything_out_of_the_index_is_blocked(second: Box) -> None:
    second.git("rm", "-rq", "--cached", "golden", "prompts", "recordings", "baselines", "row3.toml")
    second.git("rm", "-rq", "--cached", "--ignore-unmatch", "metrics-history.json", "schemas", "CHANGELOG.md")
    done = second.git("commit", "-m", "gone", code=1)
    assert "row3 stops this" in done.err
    assert "decomposition" in done.err
