"""What of the work tree and the index is not as the commit that is checked out has it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from row3.vcs import trees
from row3.vcs.process import GitProcess

OID = b"# branch.oid "


def state(process: GitProcess, paths: Sequence[str]) -> tuple[str | None, bool]:
    """The commit that is checked out, None before the first one, and whether anything under `paths` differs from it."""
    how = (
        "status",
        "--porcelain=v2",
        "--branch",
        "--no-ahead-behind",
        "-z",
        "--no-renames",
        "--ignore-submodules=all",
    )
    answer = process.ask(*how, "--untracked-files=normal", "--", *trees.pathspecs(paths))
    told = [entry for entry in answer.out.split(b"\0") if entry]
    head = next((entry.removeprefix(OID).decode() for entry in told if entry.startswith(OID)), "(initial)")
    return None if head == "(initial)" else head, any(not entry.startswith(b"# ") for entry in told)


def pending(process: GitProcess, paths: Sequence[str], untracked: str) -> list[str]:
    """The files under `paths` that differ; `untracked` says which of those that git does not know are told."""
    if not paths:
        return []
    status = (
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--ignore-submodules=all",
        f"--untracked-files={untracked}",
    )
    listing = process.ask(*status, "--", *trees.pathspecs(paths)).out
    return [os.fsdecode(entry[3:]) for entry in listing.split(b"\0") if entry]
