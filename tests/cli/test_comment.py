"""`row3 comment` and the forms for hosts of repositories, as processes in real repositories."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.github_api import BOT, FakeGitHub
from tests.projects import Box, Done, worse

MARKER = "<!-- row3 comment row3 -->\n"


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with FakeGitHub() as fake:
        yield fake


def job(box: Box, github: FakeGitHub, *args: str, code: int = 0, **env: str) -> Done:
    """Run `row3 comment` as a job of GitHub Actions does."""
    event = box.root.parent / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    told = {
        "CI": "true",
        "GITHUB_API_URL": github.url,
        "GITHUB_REPOSITORY": "o/n",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_STEP_SUMMARY": str(box.root.parent / "summary.md"),
        "GITHUB_TOKEN": "t0k3n",
    }
    return box.row3("comment", *args, code=code, **told | env)


def summary(box: Box) -> str:
    file = box.root.parent / "summary.md"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def test_one_comment_is_kept_up_to_date(box: Box, github: FakeGitHub) -> None:
    assert "note: comment created on #7 https://github.example/" in job(box, github).err
    assert "comment unchanged on #7" in job(box, github).err
    worse(box)
    assert "comment updated on #7" in job(box, github).err
    (comment,) = github.comments
    assert comment["body"].startswith(f"{MARKER}### ✗ BLOCK · row3 · bread\n")
    assert summary(box) == ""


def test_it_writes_no_tracked_file(box: Box, github: FakeGitHub) -> None:
    worse(box)
    before = box.tree()
    job(box, github)
    job(box, github, "--dry-run", CI="")
    assert box.tree() == before


def test_a_comment_that_was_deleted_meanwhile_is_made_anew(box: Box, github: FakeGitHub) -> None:
    github.add(BOT, f"{MARKER}old")
    github.fail(404, times=1, method="PATCH")
    assert "comment created" in job(box, github).err
    assert len(github.comments) == 2


@pytest.mark.parametrize("status", [403, 404])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_fork_finds_the_comment_in_the_summary(box: Box, github: FakeGitHub, method: str, status: int) -> None:
    github.fail(status, times=1, method=method)
    done = job(box, github)
    assert "note: no comment written: " in done.err
    assert "Its text is in the job's summary" in done.err
    assert "t0k3n" not in done.err
    assert summary(box).startswith("### ✓ PROCEED · row3 · bread\n")
    assert github.comments == []


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ("GITHUB_TOKEN", "no token: set GITHUB_TOKEN"),
        ("GITHUB_EVENT_PATH", "not a pull request"),
        ("GITHUB_REPOSITORY", "no repository: pass --repo"),
    ],
)
def test_what_is_missing_is_told(box: Box, github: FakeGitHub, gone: str, words: str) -> None:
    assert words in job(box, github, **{gone: ""}).err
    assert "PROCEED" in summary(box)
    assert github.calls == []


def test_the_number_may_be_that_of_the_ref(box: Box, github: FakeGitHub) -> None:
    job(box, github, GITHUB_EVENT_PATH="", GITHUB_REF="refs/pull/7/merge")
    assert len(github.comments) == 1


def test_the_base_judges_where_it_is_named(box: Box, github: FakeGitHub) -> None:
    box.case("rye", forbiddenConcepts=[])
    box.commit("a weaker case")
    job(box, github, "--against", "HEAD~1")
    assert "### ✗ BLOCK · row3 · bread" in github.comments[0]["body"]
    assert "2 demands of golden cases were removed: rye (canary" in github.comments[0]["body"]


def test_a_suite_that_cannot_be_judged_does_not_hide_the_others(box: Box, github: FakeGitHub) -> None:
    box.write("golden/rolls/one.gold.json", box.read("golden/bread/rye.gold.json"))
    job(box, github)
    body = github.comments[0]["body"]
    assert "### ? NOT JUDGED · row3 · 2 suites" in body
    assert "| **bread** | Overall | 85.0% |" in body
    assert "there is no baseline to compare with" in body


def test_a_commit_that_is_not_there_takes_the_place_of_what_was_said(box: Box, github: FakeGitHub) -> None:
    job(box, github)
    job(box, github, "--against", "deadbeef")
    body = github.comments[0]["body"]
    assert "### ? NOT JUDGED · row3 · bread" in body
    assert "deadbeef" in body


def test_the_run_is_linked(box: Box, github: FakeGitHub) -> None:
    job(box, github, GITHUB_SERVER_URL="https://github.example", GITHUB_RUN_ID="99")
    assert "<https://github.example/o/n/actions/runs/99>" in github.comments[0]["body"]


def test_what_cannot_be_is_refused(box: Box, github: FakeGitHub) -> None:
    for args, env, words in (
        (("--marker", "a -->"), {}, "--marker a -->"),
        (("--repo", "../x"), {}, "owner/name"),
        (("--format", "json"), {}, "'json' is not 'markdown'"),
        ((), {"GITHUB_API_URL": "http://evil.example"}, "only be sent over https"),
    ):
        done = job(box, github, *args, code=2, **env)
        assert words in done.errors[0]
        assert done.out == ""
    assert github.calls == []


def test_a_project_without_a_suite_is_told(box: Box, github: FakeGitHub) -> None:
    for file in box.path("golden/bread").iterdir():
        file.unlink()
    box.path("golden/bread").rmdir()
    assert "the project has no suite" in job(box, github, code=2).errors[0]


def test_dry_run_prints_it(box: Box, github: FakeGitHub) -> None:
    done = job(box, github, "--dry-run")
    assert done.out == box.row3("report", "--format", "comment", code=0).out
    assert github.calls == []


def test_codequality_names_files_from_the_root_of_the_repository(box: Box, tmp_path: Path) -> None:
    worse(box)
    outer = Box(tmp_path / "outer")
    outer.root.mkdir()
    inner = box.copy(outer.root / "eval")
    for name in (".git", ".row3"):
        (inner.root / name).rename(tmp_path / f"gone{name}")
    outer.init()
    done = inner.row3("--compare", "--format", "codequality", code=1)
    found = {each["location"]["path"] for each in done.json}
    assert {"eval/prompts/extract-v1.2.md", "eval/golden/bread/rye.gold.json"} <= found
    inner.write("golden/bread/rye.gold.json", "{")
    lint = inner.row3("lint", "--format", "codequality", code=2).json
    (broken,) = [each for each in lint if each["location"]["path"].endswith("/rye.gold.json")]
    assert broken["location"] == {"path": "eval/golden/bread/rye.gold.json", "lines": {"begin": 1}}
    assert broken["severity"] == "critical"


def test_codequality_lint_works_with_settings_that_do_not(box: Box) -> None:
    box.write("row3.toml", "modus = 1\n")
    (entry,) = [
        each
        for each in box.row3("lint", "--format", "codequality", code=2).json
        if each["location"]["path"] == "row3.toml"
    ]
    assert "modus" in entry["description"]


def test_all_suites_in_the_forms_for_hosts(box: Box) -> None:
    worse(box)
    box.write("golden/rolls/one.gold.json", "{")
    comment = box.row3("report", "--all", "--format", "comment", code=2).out
    assert comment.startswith("### ? NOT JUDGED · row3 · 2 suites\n")
    assert "| **bread** | Overall | 72.5% |" in comment
    found = box.row3("--compare", "--all", "--format", "codequality", code=2).json
    assert {"row3/gate/block", "row3/gate/not-judged"} <= {each["check_name"] for each in found}
