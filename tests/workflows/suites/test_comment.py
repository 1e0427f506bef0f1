"""Where a comment goes, by what GitHub tells its jobs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.errors import UsageError
from row3.workflows.suites.comment import Place, marker_of, place_of

ENV = {"GITHUB_REPOSITORY": "o/n", "GITHUB_REF": "refs/pull/12/merge", "GITHUB_TOKEN": "t"}


def test_the_job_says_it_all() -> None:
    assert place_of(ENV, repository=None, number=None) == Place("https://api.github.com", "o/n", 12, "t")


def test_options_are_stronger() -> None:
    place = place_of(ENV | {"GITHUB_API_URL": "https://git.example/api/v3"}, repository="a/b.c", number=3)
    assert place == Place("https://git.example/api/v3", "a/b.c", 3, "t")


@pytest.mark.parametrize("event", ['{"pull_request": {"number": 4}}', '{"pull_request": {}}', "[]", "no JSON", "{}"])
def test_the_event_is_asked_first_and_may_be_anything(tmp_path: Path, event: str) -> None:
    file = tmp_path / "event.json"
    file.write_text(event)
    place = place_of(ENV | {"GITHUB_EVENT_PATH": str(file)}, repository=None, number=None)
    assert isinstance(place, Place)
    assert place.number == (4 if "4" in event else 12)
    assert json.dumps(place.token) == '"t"'


@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/pull/x/merge", "refs/tags/1", ""])
def test_a_push_has_nowhere_to_write(ref: str) -> None:
    assert place_of(ENV | {"GITHUB_REF": ref}, repository=None, number=None) == (
        "this is no pull request (--pr, or the event of a job)"
    )


@pytest.mark.parametrize("api", ["http://api.github.com", "ftp://x", "file:///etc/passwd", "javascript:1"])
def test_the_token_is_sent_over_https_only(api: str) -> None:
    with pytest.raises(UsageError, match="over https only"):
        place_of(ENV | {"GITHUB_API_URL": api}, repository=None, number=None)


@pytest.mark.parametrize("name", ["o", "o/n/x", "../n", "o/..", "o n/x", "https://github.com/o/n", "-o/n"])
def test_a_repository_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="owner/name"):
        place_of(ENV, repository=name, number=1)


@pytest.mark.parametrize("key", ["", "a b", "-->", "a\n", "<", "x" * 65])
def test_a_marker_cannot_end_its_comment(key: str) -> None:
    with pytest.raises(UsageError, match="letters, digits"):
        marker_of(key)
    assert marker_of("team-a.live_1") == "<!-- row3 comment team-a.live_1 -->"
