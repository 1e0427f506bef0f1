"""Comments over HTTP, against a server on loopback that plays GitHub's API, faults and all."""

from __future__ import annotations

import pytest

from row3.vcs.github_comments import PullRequestComments, Refused
from tests.github_api import BOT, FakeGitHub

MARKER = "<!-- row3 comment row3 -->"


@pytest.fixture
def github() -> FakeGitHub:
    with FakeGitHub() as fake:
        yield fake


def comments(github: FakeGitHub, **rest: object) -> PullRequestComments:
    values = {"api": github.url, "repository": "o/n", "number": 7, "token": "t0k3n", "wait": github.waited.append}
    return PullRequestComments(**values | rest)  # type: ignore[arg-type]


def test_a_comment_is_made_found_and_changed(github: FakeGitHub) -> None:
    there = comments(github)
    assert there.find(MARKER, BOT) is None
    made = there.create(f"{MARKER}\nfirst")
    assert there.find(MARKER, BOT) == made
    there.update(made, f"{MARKER}\nsecond")
    assert [each["body"] for each in github.comments] == [f"{MARKER}\nsecond"]
    assert {call.token for call in github.calls} == {"Bearer t0k3n"}


def test_it_is_found_among_hundreds(github: FakeGitHub) -> None:
    for number in range(250):
        github.add("ann", f"remark {number}")
    made = github.add(BOT, f"{MARKER}\nours")
    found = comments(github).find(MARKER, BOT)
    assert found is not None
    assert found.id == made
    assert [call.path.partition("&")[2] for call in github.calls] == ["page=1", "page=2", "page=3"]


def test_the_marker_of_somebody_else_is_not_ours(github: FakeGitHub) -> None:
    github.add("mallory", f"{MARKER}\nread this")
    github.add(BOT, f"quoting {MARKER}")
    github.add(BOT, "<!-- row3 comment other -->\nanother one")
    assert comments(github).find(MARKER, BOT) is None


@pytest.mark.parametrize(
    ("status", "words"), [(401, "GITHUB_TOKEN"), (403, "pull-requests: write"), (404, "Correct repository")]
)
def test_a_refusal_says_what_to_do_and_is_not_asked_twice(github: FakeGitHub, status: int, words: str) -> None:
    github.fail(status, times=9)
    with pytest.raises(Refused) as refused:
        comments(github).find(MARKER, BOT)
    assert refused.value.status == status
    assert words in str(refused.value)
    assert "t0k3n" not in str(refused.value)
    assert (len(github.calls), github.waited) == (1, [])


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_a_fault_that_passes_is_waited_for(github: FakeGitHub, status: int) -> None:
    github.add(BOT, MARKER)
    github.fail(status, times=2)
    assert comments(github).find(MARKER, BOT) is not None
    assert github.waited == [1.0, 2.0]


def test_a_fault_that_does_not_pass_is_told(github: FakeGitHub) -> None:
    github.fail(502, times=9)
    with pytest.raises(Refused, match="GitHub refused"):
        comments(github).find(MARKER, BOT)
    assert len(github.calls) == 3


def test_a_new_comment_is_asked_for_once(github: FakeGitHub) -> None:
    github.fail(502, times=9)
    with pytest.raises(Refused):
        comments(github).create("text")
    assert len(github.calls) == 1


def test_the_token_goes_to_no_other_host(github: FakeGitHub) -> None:
    with FakeGitHub() as other:
        github.redirect(f"{other.url}/repos/o/n/issues/7/comments")
        with pytest.raises(Refused):
            comments(github).find(MARKER, BOT)
        assert other.calls == []


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'[{"id": "x"}]', b"[1]", b"\xff"])
def test_an_answer_that_is_none_of_githubs_is_told(github: FakeGitHub, body: bytes) -> None:
    github.answer(body)
    with pytest.raises(Refused, match="not that of GitHub"):
        comments(github).find(MARKER, BOT)


def test_no_server_is_told() -> None:
    with FakeGitHub() as gone:
        url = gone.url
    there = PullRequestComments(url, "o/n", 7, "t", wait=lambda _: None)
    with pytest.raises(Refused, match="no answer") as refused:
        there.find(MARKER, BOT)
    assert refused.value.status == 0
