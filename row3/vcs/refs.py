"""Names of commits: which are safe to hand to git, which one work forks from, which a push changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from row3.errors import UsageError
from row3.vcs.process import GitProcess

DEEPEN = "Run `git fetch --unshallow` (in GitHub Actions: `fetch-depth: 0` for actions/checkout)"

_DIGEST = re.compile(r"[0-9a-f]{7,64}")
_REMOTE_HEAD = "refs/remotes/origin/HEAD"
_USUAL = ("refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")


def checked(ref: str) -> str:
    """`ref`, which git will not take for an option.

    Raises UsageError for what cannot be a name.
    """
    if not ref or ref.startswith("-") or any(ord(letter) < 32 for letter in ref):
        raise UsageError(f"`{ref}` is not a name that git knows", fix="Give a branch, a tag or a commit")
    return ref


def is_digest(ref: str) -> bool:
    """Whether this is a commit's digest, short or whole, and not a name."""
    return _DIGEST.fullmatch(ref) is not None


def fork_of(name: str) -> str | None:
    """`REF` of `REF...` and `REF...HEAD`, which name the commit where HEAD left REF; None for the name of a commit.

    Raises UsageError for two dots, and for three with another commit on their right, or none on their left.
    """
    if ".." not in name or "^{/" in name or name.startswith(":/"):  # a search in messages, which may have dots
        return None
    left, dots, right = name.partition("..." if "..." in name else "..")
    known = left or right or "REF"
    if dots == "...":
        if left and right in ("", "HEAD", "@"):
            return left
        raise UsageError(
            f"`{name}` does not say where HEAD left a branch",
            where="--against",
            fix=f"Write --against {known}... with nothing behind the dots",
        )
    raise UsageError(
        f"`{name}` has two dots, and what judges is one commit",
        where="--against",
        fix=f"Write --against {known} for that commit, or --against {known}... for where HEAD left it",
    )


def protected_branch(process: GitProcess, configured: str | None, shallow: bool) -> str | None:
    """The first that exists of: the configured ref, origin/HEAD's target, origin/main, origin/master, main, master.

    Raises UsageError where a configured one is missing although there are commits: to fall back on another branch
    in silence would be to judge against the wrong baseline.
    """
    wanted: tuple[str, ...] = ()
    if configured:
        name = checked(configured)
        wanted = (name, *(f"refs/{kind}/{name}" for kind in ("heads", "remotes", "remotes/origin", "tags")))
    fields = "--format=%(refname)%00%(refname:short)%00%(symref:short)"
    listing = process.ask("for-each-ref", fields, *wanted, _REMOTE_HEAD, *_USUAL).text
    # A pattern also finds what lies below it (`main/x` for `main`), hence the full names; the short ones are
    # those that git finds unambiguous.
    found: dict[str, str] = {}
    for line in filter(None, listing.split("\n")):
        full, short, target = line.split("\0")
        found[full] = target or short
    for full in wanted:
        if full in found:
            return found[full]
    if wanted and process.ask("rev-parse", "--verify", "-q", "HEAD^{commit}", expect=(0, 1)).out:
        raise UsageError(
            f"the configured branch {configured} is neither a branch here nor one of origin",
            fix=DEEPEN if shallow else f"Run `git fetch origin {configured}`, or correct the name in the configuration",
        )
    return next((found[full] for full in (_REMOTE_HEAD, *_USUAL) if full in found), None)


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
    """The lines `<local ref> <local sha> <remote ref> <remote sha>`; none where everything is up to date.

    Raises UsageError for a line that git would not write.
    """
    # Not splitlines(): a ref name may hold what Unicode counts as a line end.
    return tuple(_push(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _push(number: int, line: str) -> Push:
    # From the right: the local side is whatever was typed, `main@{1 day ago}` included.
    fields = line.rstrip("\r").rsplit(" ", 3)
    if len(fields) != 4 or not (_is_sha(fields[1]) and _is_sha(fields[3])):
        raise UsageError(
            "this is not `<local ref> <local sha> <remote ref> <remote sha>`",
            where=f"pre-push input, line {number}",
            fix="Let git call the pre-push hook, by `git push`",
        )
    local_ref, local_sha, remote_ref, remote_sha = fields
    return Push(local_ref, _present(local_sha), remote_ref, _present(remote_sha))


def _is_sha(text: str) -> bool:
    return len(text) in (40, 64) and set(text) <= set("0123456789abcdef")


def _present(sha: str) -> str | None:
    return sha if sha.strip("0") else None
