"""The hooks in real repositories: no way into main for a prompt that does worse."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
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
    assert "Bacteria" in done.err
    assert "--approve" in done.err
    assert second.git("status", "--porcelain").out.count("\n") == 3


def test_the_hooks_start_an_interpreter(second: Box) -> None:
    assert f"python={sys.executable}\n" in second.read(".git/hooks/pre-commit")
    take_draft(second)
    second.write("json.py", "raise SystemExit('not the module that was meant')\n")
    assert blocked(second.git("commit", "-m", "tidier", code=1).err)


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


def test_a_case_that_is_a_link_at_the_base_is_refused(second: Box) -> None:
    case = next(iter(second.path("golden/decomposition").glob("*.gold.json")))
    case.rename(second.path(case.name))
    case.symlink_to(f"../../{case.name}")
    linked = second.commit("linked")
    case.unlink()
    second.path(case.name).rename(case)
    done = second.row3("--compare", "--against", linked, code=2)
    assert f"golden/decomposition/{case.name}: this is a symbolic link at {linked[:10]}" in done.err


def test_taking_everything_out_of_the_index_is_blocked(second: Box) -> None:
    second.git("rm", "-rq", "--cached", "golden", "prompts", "recordings", "baselines", "row3.toml")
    second.git("rm", "-rq", "--cached", "--ignore-unmatch", "metrics-history.json", "schemas", "CHANGELOG.md")
    done = second.git("commit", "-m", "gone", code=1)
    assert "row3 stops this" in done.err
    assert "decomposition" in done.err


def commands(said: str) -> list[str]:
    """The commands that a hook advises."""
    rest = said[said.index("row3 stops this") :]
    found = re.findall(r"^ +(?:[A-Z][^:]*: +)?((?:row3|git) .*)$", rest, re.MULTILINE)
    return [line.replace("REASON", "agreed").replace(" CASE", " bank-runs") for line in found]


@pytest.mark.parametrize("where", [".", "docs", "my evals 'ü'", "my evals 'ü'/prompts"])
def test_what_is_advised_works_where_git_was_called(second: Box, tmp_path: Path, where: str) -> None:
    top = Box(tmp_path / "my repo")
    inner = second.copy(top.root / "my evals 'ü'")
    shutil.rmtree(inner.root / ".git")
    top.init()
    top.path("docs").mkdir()
    inner.row3("hook", "install", code=0)
    second.git("checkout", "-q", "tidy")
    for name, content in second.tree().items():
        inner.write(name, content)
    top.git("add", "-A")
    here = Box(top.root / where)
    done = here.git("commit", "-m", "tidier", code=1)
    advice = commands(done.err)
    assert [line.split()[0] for line in advice] == ["row3", "row3", "row3", "git"]
    assert (" -C " in advice[0]) == (where in (".", "docs"))
    for line, code in zip(advice, (1, 0, 0, 0), strict=True):
        run_ = here.row3 if line.startswith("row3") else here.git
        run_(*shlex.split(line)[1:], code=code)
    here.git("commit", "-q", "-m", "tidier")


def test_at_the_top_the_commands_are_plain(second: Box) -> None:
    take_draft(second)
    advice = commands(second.git("commit", "-m", "tidier", code=1).err)
    assert advice[-1] == "git add metrics-history.json CHANGELOG.md"
    assert advice[0].startswith("row3 --compare ")


def test_recordings_that_were_not_added_are_what_is_missing(second: Box) -> None:
    take_draft(second)
    second.git("reset", "-q", "--", "recordings")
    done = second.git("commit", "-m", "tidier", code=1)
    assert "Not added to the change: recordings/decomposition/decompose-concepts-v1.3.jsonl" in " ".join(
        done.err.split()
    )
    second.git("add", "recordings")
    assert blocked(second.git("commit", "-m", "tidier", code=1).err)
    second.git("commit", "-q", "--no-verify", "-m", "the prompt alone", "--", "prompts")
    base = second.git("rev-parse", "HEAD~1").out.strip()
    pushed = f"refs/heads/main {second.git('rev-parse', 'HEAD').out.strip()} refs/heads/main {base}\n"
    done = second.row3("hook", "run", "pre-push", stdin=pushed, code=3)
    assert commands(done.err)[-1].endswith("git add recordings && git commit")


def test_an_approval_that_was_not_added_is_what_is_missing(second: Box) -> None:
    take_draft(second)
    advice = commands(second.git("commit", "-m", "tidier", code=1).err)
    second.row3(*shlex.split(advice[2])[1:], code=0)
    done = second.git("commit", "-m", "tidier", code=1)
    assert "Not added to the change: " in done.err
    second.git(*shlex.split(commands(done.err)[-1])[1:])
    second.git("commit", "-q", "-m", "tidier")


def test_recordings_that_lack_an_answer_are_to_be_made(second: Box) -> None:
    take_draft(second)
    second.git("reset", "-q", "--", "recordings")
    name = "recordings/decomposition/decompose-concepts-v1.3.jsonl"
    second.write(name, "".join(second.read(name).splitlines(keepends=True)[1:]))
    assert "--mode auto" in second.git("commit", "-m", "tidier", code=1).err


def test_the_commit_that_concludes_a_merge_says_how_to_take_it_back(second: Box) -> None:
    for branch, text in (("main", "here"), ("tidy", "there")):
        second.git("checkout", "-q", branch)
        second.write("notes.txt", text)
        second.commit(text)
    second.git("checkout", "-q", "main")
    before = second.tree()
    second.git("merge", "tidy", code=1)
    second.write("notes.txt", "both")
    second.git("add", "notes.txt")
    done = second.git("commit", "--no-edit", code=1)
    assert blocked(done.err)
    advice = commands(done.err)
    second.row3(*shlex.split(advice[0])[1:], code=1)  # noted in the history
    assert advice[-1] == "git checkout metrics-history.json; git merge --abort"
    for line in advice[-1].split("; "):
        second.git(*line.split()[1:])
    assert second.tree() == before


def test_a_merge_without_its_recordings_says_how_to_take_it_back(second: Box) -> None:
    second.git("checkout", "-q", "tidy")
    second.git("rm", "-q", "recordings/decomposition/decompose-concepts-v1.3.jsonl")
    second.commit("without its answers")
    second.git("checkout", "-q", "main")
    done = second.git("merge", "--no-ff", "tidy", code=None)
    assert "INCOMPLETE" in done.err
    assert commands(done.err)[-1].endswith("git merge --abort")


class TestSubmodules:
    """What is in a submodule is in no commit of the repository: neither hook nor CI could judge it."""

    @pytest.fixture
    def taken(self, second: Box, tmp_path: Path) -> Box:
        """The golden cases in a submodule, staged."""
        cases = Box(tmp_path / "cases")
        shutil.copytree(second.path("golden/decomposition"), cases.root)
        cases.init()
        second.git("rm", "-rq", "golden/decomposition")
        second.git(
            "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(cases.root), "golden/decomposition"
        )
        assert list(second.path("golden/decomposition").glob("*.json"))
        return second

    def test_are_refused_by_name_before_they_are_merged(self, taken: Box) -> None:
        said = "golden/decomposition: this is a git submodule"
        for done in (
            taken.git("commit", "-m", "shared", code=1),
            taken.row3("--compare", "--all", "--against", "main", CI="true", code=2),
            taken.row3("--compare", "--against", "main", CI="true", code=2),
        ):
            assert said in done.err
            assert "Keep these files in the repository itself" in " ".join(done.err.split())
        base, linked = taken.git("rev-parse", "HEAD").out.strip(), taken.commit("shared")
        pushed = f"refs/heads/main {linked} refs/heads/main {base}\n"
        assert said in taken.row3("hook", "run", "pre-push", stdin=pushed, code=2).err
        assert said in taken.row3("--compare", "--against", linked, code=2).err

    def test_that_come_alone_are_refused(self, taken: Box) -> None:
        """A new suite's cases, with a word to git that it need not look."""
        taken.git("mv", "golden/decomposition", "golden/another")
        taken.git("checkout", "-q", "HEAD", "--", "golden/decomposition")
        taken.git("config", "-f", ".gitmodules", "submodule.golden/decomposition.ignore", "all")
        taken.git("add", ".gitmodules")
        assert taken.git("diff", "--cached", "--name-only", "--diff-filter=MD").out == ""
        assert "golden/another: this is a git submodule" in taken.git("commit", "-m", "another", code=1).err

    def test_elsewhere_are_of_no_interest(self, taken: Box) -> None:
        taken.git("mv", "golden/decomposition", "shared")
        taken.git("checkout", "-q", "HEAD", "--", "golden")
        taken.git("commit", "-q", "-m", "beside")
        taken.row3("--compare", "--all", "--against", "HEAD~1", code=0)
