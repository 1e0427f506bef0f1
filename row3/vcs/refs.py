"""Names of commits: which are safe to hand to git, which one work forks from, which a push changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from row3.errors import UsageError

DEEPEN = "Run `git fetch --unshallow` (in GitHub Actions: `fetch-depth: 0` for actions/checkout)"

# From the right: the local side is whatever was typed, `main@{1 day ago}` included.
_PUSH = re.compile(r"(.*) ([0-9a-f]{40}|[0-9a-f]{64}) ([^ ]*) ([0-9a-f]{40}|[0-9a-f]{64})\r?", re.DOTALL)
REMOTE_HEAD = "refs/remotes/origin/HEAD"
USUAL = ("refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")


def checked(ref: str) -> str:
    """Return `ref`, which git will not take for an option; raises UsageError for what cannot be a name."""
    if not ref or ref.startswith("-") or any(ord(letter) < 32 for letter in ref):
        raise UsageError(f"`{ref}` is not a name that git knows", fix="Give a branch, a tag or a commit")
    return ref


def fork_of(name: str) -> str | None:
    """Return `REF` of `REF...` and `REF...HEAD`, which name the commit where HEAD left REF; None for other names."""
    left, _, right = name.partition("...")
    return left if name != left and right in ("", "HEAD", "@") else None


@dataclass(frozen=True, slots=True)
class Push:
    """One ref that is about to be changed on the remote side."""

    local_ref: str
    local_sha: str | None
    """None: the remote ref is deleted, nothing is sent."""
    remote_ref: str
    remote_sha: str | None
    """None: the remote ref is new."""


def parse_pushes(text: str) -> tuple[Push, ...]:
    """Return what the lines that git hands to pre-push say; raises UsageError for a line that git would not write."""
    pushes = []
    # Not splitlines(): a ref name may hold what Unicode counts as a line end.
    for number, line in enumerate(text.split("\n"), 1):
        found = _PUSH.fullmatch(line)
        if found is not None:
            local_sha, remote_sha = (sha if sha.strip("0") else None for sha in (found[2], found[4]))
            pushes.append(Push(found[1], local_sha, found[3], remote_sha))
        elif line.strip():
            what = "this is not `<local ref> <local sha> <remote ref> <remote sha>`"
            fix = "Let git call the pre-push hook, by `git push`"
            raise UsageError(what, where=f"pre-push input, line {number}", fix=fix)
    return tuple(pushes)
