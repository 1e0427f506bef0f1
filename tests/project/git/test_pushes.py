"""What git tells a pre-push hook."""

from __future__ import annotations

import pytest

from row3.errors import UsageError
from row3.project.git.refs import Push, parse_pushes
from tests.rows import every_row

A, B, ZERO = "a" * 40, "b" * 40, "0" * 40


def test_update_creation_deletion() -> None:
    text = (
        f"refs/heads/x {A} refs/heads/main {B}\n"
        f"refs/heads/x {A} refs/heads/new {ZERO}\n"
        f"(delete) {ZERO} refs/heads/old {B}\n"
    )
    update, creation, deletion = parse_pushes(text)
    assert update == Push(A, "refs/heads/main", B)
    assert creation == Push(A, "refs/heads/new", None)
    assert deletion == Push(None, "refs/heads/old", B)


def test_odd_names() -> None:
    (push,) = parse_pushes(f"main@{{1 day ago}} {A} refs/tags/v1\x85 {B}\r\n")
    assert push.remote_ref == "refs/tags/v1\x85"


def test_sha256() -> None:
    (push,) = parse_pushes(f"refs/heads/x {'c' * 64} refs/heads/x {'0' * 64}\n")
    assert (push.local_sha, push.remote_sha) == ("c" * 64, None)


@every_row("text", ["", "\n", "  \n"])
def test_nothing_to_push(text: str) -> None:
    assert parse_pushes(text) == ()


@every_row("line", ["x", f"a {A} b", f"a {A[1:]} b {B}", f"a {A} b {'g' * 40}"])
def test_what_git_would_not_write(line: str) -> None:
    with pytest.raises(UsageError, match="pre-push input, line 2"):
        parse_pushes(f"\n{line}\n")
