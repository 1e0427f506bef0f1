"""Commit names: validation, `REF...`, and the refs of a push."""

from __future__ import annotations

import re
from typing import NamedTuple

from row3.errors import UsageError

DEEPEN = "Run `git fetch --unshallow` (in GitHub Actions: `fetch-depth: 0` for actions/checkout)"

# Matched from the right, because the local side is what the user typed, such as `main@{1 day ago}`.
_PUSH = re.compile(r".* ([0-9a-f]{40}|[0-9a-f]{64}) ([^ ]*) ([0-9a-f]{40}|[0-9a-f]{64})\r?", re.DOTALL)
REMOTE_HEAD = "refs/remotes/origin/HEAD"
USUAL = ("refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")


def valid_ref(ref: str) -> str:
    """Return `ref`; raises UsageError if it is no name or git would take it for an option."""
    if not ref or ref.startswith("-") or any(ord(letter) < 32 for letter in ref):
        raise UsageError(f"`{ref}` is not a name that git knows", fix="Give a branch, a tag or a commit")
    return ref


def fork_of(name: str) -> str | None:
    """Return `REF` of `REF...` or `REF...HEAD`, the commit where HEAD branched off REF; None for other names."""
    left, _, right = name.partition("...")
    return left if name != left and right in ("", "HEAD", "@") else None


class Push(NamedTuple):
    """A ref that a push changes on the remote."""

    local_sha: str | None
    """None if the push deletes the remote ref."""
    remote_ref: str
    remote_sha: str | None
    """None if the remote ref is new."""


def parse_pushes(text: str) -> tuple[Push, ...]:
    """Parse the input of a pre-push hook; raises UsageError for a line that git would not write."""
    pushes = []
    # Not splitlines(): a ref name may contain Unicode line ends.
    for number, line in enumerate(text.split("\n"), 1):
        found = _PUSH.fullmatch(line)
        if found is not None:
            local_sha, remote_sha = (sha if sha.strip("0") else None for sha in (found[1], found[3]))
            pushes.append(Push(local_sha, found[2], remote_sha))
        elif line.strip():
            what = "not `<local ref> <local sha> <remote ref> <remote sha>`"
            fix = "Let git call the pre-push hook, by `git push`"
            raise UsageError(what, where=f"pre-push input, line {number}", fix=fix)
    return tuple(pushes)
