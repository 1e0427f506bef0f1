"""What git tells a pre-push hook on its standard input."""

from __future__ import annotations

from dataclasses import dataclass

from row3.errors import UsageError


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
