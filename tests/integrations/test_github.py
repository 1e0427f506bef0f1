"""Where a comment goes, and how it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.errors import Undelivered, UsageError
from row3.integrations.github import PullRequestComments, comment_target, marker_of
from tests.github_api import BOT, FakeGitHub
from tests.rows import every_row

ENV = {"GITHUB_REPOSITORY": "o/n", "GITHUB_REF": "refs/pull/12/merge", "GITHUB_TOKEN": "t"}


def test_the_jobs_environment_is_enough() -> None:
    assert comment_target(ENV, repository=None, number=None) == PullRequestComments(
        "https://api.github.com", "o/n", 12, "t"
    )


def test_options_override_the_environment() -> None:
    place = comment_target(ENV | {"GITHUB_API_URL": "https://git.example/api/v3"}, repository="a/b.c", number=3)
    assert place == PullRequestComments("https://git.example/api/v3", "a/b.c", 3, "t")


@every_row("event", ['{"pull_request": {"number": 4}}', '{"pull_request": {}}', "[]", "no JSON", "{}"])
def test_the_event_comes_first_and_may_be_malformed(tmp_path: Path, event: str) -> None:
    file = tmp_path / "event.json"
    file.write_text(event)
    place = comment_target(ENV | {"GITHUB_EVENT_PATH": str(file)}, repository=None, number=None)
    assert isinstance(place, PullRequestComments)
    assert place.number == (4 if "4" in event else 12)
    assert json.dumps(place.token) == '"t"'


@every_row("ref", ["refs/heads/main", "refs/pull/x/merge", "refs/tags/1", ""])
def test_a_push_has_no_comment_target(ref: str) -> None:
    assert comment_target(ENV | {"GITHUB_REF": ref}, repository=None, number=None) == (
        "not a pull request: pass --pr, or run in a pull-request job"
    )


@every_row("api", ["http://api.github.com", "ftp://x", "file:///etc/passwd", "javascript:1"])
def test_the_token_is_sent_over_https_only(api: str) -> None:
    with pytest.raises(UsageError, match="only be sent over https"):
        comment_target(ENV | {"GITHUB_API_URL": api}, repository=None, number=None)


@every_row("name", ["o", "o/n/x", "../n", "o/..", "o n/x", "https://github.com/o/n", "-o/n"])
def test_an_invalid_repository_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="owner/name"):
        comment_target(ENV, repository=name, number=1)


@every_row("key", ["", "a b", "-->", "a\n", "<", "x" * 65])
def test_a_marker_cannot_close_its_html_comment(key: str) -> None:
    with pytest.raises(UsageError, match="letters, digits"):
        marker_of(key)
    assert marker_of("team-a.live_1") == "<!-- row3 comment team-a.live_1 -->"


MARKER = "<!-- row3 comment row3 -->"


@pytest.fixture
def github() -> FakeGitHub:
    with FakeGitHub() as fake:
        yield fake


def comments(github: FakeGitHub, **rest: object) -> PullRequestComments:
    values = {"api": github.url, "repository": "o/n", "number": 7, "token": "t0k3n"}
    return PullRequestComments(**values | rest)  # type: ignore[arg-type]


def test_a_comment_is_created_found_and_updated(github: FakeGitHub) -> None:
    there = comments(github)
    assert there.find(MARKER, BOT) is None
    made = there.create(f"{MARKER}\nfirst")
    assert there.find(MARKER, BOT) == made
    there.update(made, f"{MARKER}\nsecond")
    assert [each["body"] for each in github.comments] == [f"{MARKER}\nsecond"]
    assert {call.token for call in github.calls} == {"Bearer t0k3n"}


def test_it_is_found_among_hundreds_of_comments(github: FakeGitHub) -> None:
    for number in range(250):
        github.add("ann", f"remark {number}")
    made = github.add(BOT, f"{MARKER}\nours")
    found = comments(github).find(MARKER, BOT)
    assert found is not None
    assert found.id == made
    assert [call.path.partition("&")[2] for call in github.calls] == ["page=1", "page=2", "page=3"]


def test_another_authors_marker_is_ignored(github: FakeGitHub) -> None:
    github.add("mallory", f"{MARKER}\nread this")
    github.add(BOT, f"quoting {MARKER}")
    github.add(BOT, "<!-- row3 comment other -->\nanother one")
    assert comments(github).find(MARKER, BOT) is None


@pytest.mark.parametrize(
    ("status", "words"), [(401, "GITHUB_TOKEN"), (403, "pull-requests: write"), (404, "Correct repository")]
)
def test_a_refusal_names_the_fix_and_is_not_retried(github: FakeGitHub, status: int, words: str) -> None:
    github.fail(status, times=9)
    with pytest.raises(Undelivered) as refused:
        comments(github).find(MARKER, BOT)
    assert refused.value.status == status
    assert words in str(refused.value)
    assert "t0k3n" not in str(refused.value)
    assert len(github.calls) == 1


def test_a_lasting_failure_is_reported(github: FakeGitHub) -> None:
    github.fail(502, times=9)
    with pytest.raises(Undelivered, match="answered 502"):
        comments(github).find(MARKER, BOT)


def test_the_token_is_not_sent_to_other_hosts(github: FakeGitHub) -> None:
    with FakeGitHub() as other:
        github.redirect(f"{other.url}/repos/o/n/issues/7/comments")
        with pytest.raises(Undelivered):
            comments(github).find(MARKER, BOT)
        assert other.calls == []


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'[{"id": "x"}]', b"[1]", b"\xff"])
def test_an_answer_not_from_github_is_reported(github: FakeGitHub, body: bytes) -> None:
    github.answer(body)
    with pytest.raises(Undelivered, match="not from GitHub"):
        comments(github).find(MARKER, BOT)


def test_an_unreachable_server_is_reported() -> None:
    with FakeGitHub() as gone:
        url = gone.url
    there = PullRequestComments(url, "o/n", 7, "t")
    with pytest.raises(Undelivered, match="no answer") as refused:
        there.find(MARKER, BOT)
    assert refused.value.status == 0
