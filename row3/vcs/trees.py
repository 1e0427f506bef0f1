"""What a commit, the index and the work tree hold.

Contents are as git would check them out: with the same line ends and filters, so that a file of the base and the same
file of the index are equal byte for byte. Not `git archive`, which leaves out what `.gitattributes` marks
`export-ignore`: a gate that cannot see the golden cases would let everything pass.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from row3.errors import EnvironmentFault, UsageError
from row3.vcs.process import GitProcess

# The name of the empty file, in both object formats; `git add -N` puts it into the index as a promise.
_EMPTY_BLOBS = (
    b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)

SUBMODULE = "this is a git submodule"
INSTEAD = "Keep these files in the repository itself: its commits hold none of them now"
OID = b"# branch.oid "
SHORT = 10
"""Characters of a commit's id in messages."""


def pathspecs(paths: Sequence[str]) -> list[str]:
    """Root-relative paths as git arguments: no wildcard, from the root, whatever the current folder."""
    return [f":(top,literal){path.rstrip('/')}" if path not in ("", ".") else ":(top)" for path in paths]


def tree_entries(process: GitProcess, ref: str, paths: Sequence[str]) -> list[bytes]:
    """The files of a commit under `paths`, as `update-index` takes them.

    Raises EnvironmentFault where git does not know the ref, UsageError for a symlink or a submodule.
    """
    answer = process.ask("ls-tree", "-r", "-z", "--full-tree", ref, "--", *pathspecs(paths))
    return _files_only(answer.out, f"at {ref[:SHORT]}")


def index_entries(process: GitProcess, paths: Sequence[str]) -> list[bytes]:
    """The files of the index under `paths`, as `update-index` takes them.

    Raises UsageError where the index holds an unresolved merge conflict, a symlink or a submodule.
    """
    specs = pathspecs(paths)
    entries = _files_only(process.ask("ls-files", "-s", "-z", "--", *specs).out, "in the index")
    for entry in entries:
        meta, _, name = entry.partition(b"\t")
        if meta[-1:] != b"0":
            raise UsageError(
                "this file has an unresolved merge conflict",
                where=os.fsdecode(name),
                fix="Resolve it and `git add` it",
            )
    if any(entry.split(b" ", 2)[1] in _EMPTY_BLOBS for entry in entries):
        promised = process.ask("diff-files", "-z", "--name-only", "--diff-filter=A", "--", *specs).out.split(b"\0")
        entries = [entry for entry in entries if entry.partition(b"\t")[2] not in promised]
    return entries


class Contents(NamedTuple):
    """The files of a commit or of the index."""

    ids: dict[str, str]
    """Object id by path."""
    differing: dict[str, bytes]
    """Contents by path, as a checkout would write them, of the files that differ from the work tree."""


def contents_of(process: GitProcess, entries: Sequence[bytes], paths: Sequence[str]) -> Contents:
    """Return the files of these entries; those that are the same in the work tree are not read.

    Raises UsageError for a file name with a line end, EnvironmentFault where git lacks an object or a filter fails.
    """
    ids = {_name(entry): _object_id(entry) for entry in entries}
    here = unmodified(process, paths)
    differing = [name for name, oid in ids.items() if here.get(name) != oid]
    return Contents(ids, _read_blobs(process, {name: ids[name] for name in differing}))


def unmodified(process: GitProcess, paths: Sequence[str]) -> dict[str, str]:
    """Return the object ids of the files under `paths` whose contents on disk are those of the index.

    Files that git was told not to look at (assume-unchanged, sparse checkout) may be anything, so they are left out.
    """
    specs = ["--", *pathspecs(paths)]
    listed = process.ask("ls-files", "-s", "-v", "-z", *specs).out.split(b"\0")
    changed = set(process.ask("diff-files", "-z", "--name-only", "--ignore-submodules=all", *specs).out.split(b"\0"))
    plain = (entry[2:] for entry in listed if entry.startswith(b"H 100"))
    return {_name(entry): _object_id(entry) for entry in plain if entry.partition(b"\t")[2] not in changed}


def _read_blobs(process: GitProcess, ids: Mapping[str, str]) -> dict[str, bytes]:
    if not ids:
        return {}
    if odd := next((name for name in ids if "\n" in name), ""):
        raise UsageError("the file's name has a line end", where=repr(odd), fix="Rename the file")
    # git tells the size before it applies the filters of .gitattributes, so the answers are told apart by a mark.
    mark = os.urandom(16).hex()
    asked = "".join(f"{oid} {name}\n" for name, oid in ids.items())
    answer = process.ask("cat-file", "--filters", f"--batch={mark} %(objectname)", stdin=os.fsencode(asked))
    answers = answer.out.split(f"{mark} ".encode())[1:]
    if len(answers) != len(ids):
        raise EnvironmentFault(
            "git lacks some of the commit's files", where=str(process.folder), fix="Run `git fsck`, then `git fetch`"
        )
    return {name: text.partition(b"\n")[2][:-1] for name, text in zip(ids, answers, strict=True)}


def _object_id(entry: bytes) -> str:
    """Return the object id of an entry of `ls-tree` (mode, type, id) or `ls-files` (mode, id, stage)."""
    return next(part for part in entry.partition(b"\t")[0].split() if len(part) >= 40).decode()


def submodules(process: GitProcess, paths: Sequence[str]) -> list[str]:
    """The submodules of the index at or under `paths`."""
    entries = process.ask("ls-files", "-s", "-z", "--", *pathspecs(paths)).out.split(b"\0")
    return [_name(entry) for entry in entries if entry.startswith(b"160000 ")]


def _files_only(listing: bytes, place: str) -> list[bytes]:
    """All entries, each of them a file.

    Raises UsageError for a symlink (120000): it could point anywhere, so it is not followed; and for a submodule
    (160000), of which a commit holds no file. Without them something else would be judged than what the work tree runs.
    """
    entries = [entry for entry in listing.split(b"\0") if entry]
    for entry in entries:
        if entry.startswith(b"120000 "):
            raise UsageError(
                f"this is a symbolic link {place}, which is not followed outside of the work tree",
                where=_name(entry),
                fix="Put the file itself there and commit it",
            )
        if entry.startswith(b"160000 "):
            raise UsageError(f"{SUBMODULE} {place}", where=_name(entry), fix=INSTEAD)
    return [entry for entry in entries if entry.startswith(b"100")]


def _name(entry: bytes) -> str:
    return os.fsdecode(entry.partition(b"\t")[2])


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
    answer = process.ask(*how, "--untracked-files=normal", "--", *pathspecs(paths))
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
    listing = process.ask(*status, "--", *pathspecs(paths)).out
    return [os.fsdecode(entry[3:]) for entry in listing.split(b"\0") if entry]
