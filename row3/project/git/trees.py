"""The files of a commit or the index.

Contents are as git would check them out, line ends and filters included, so that equal files compare equal. Not read
by `git archive`, which omits files marked `export-ignore`: that could hide golden cases from the gate.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from row3.errors import EnvironmentFault, UsageError
from row3.project.git.process import GitProcess, git_error

SUBMODULE = "this is a git submodule"
INSTEAD = "Keep these files in the repository itself; its commits do not contain them now"
SHORT = 10
"""Characters of a commit id in messages."""


class Contents(NamedTuple):
    """The files of a commit or the index."""

    ids: dict[str, str]
    """Object id by path."""
    differing: dict[str, bytes]
    """Checked-out contents by path, for files that differ from the work tree."""


def index_tree(process: GitProcess) -> str:
    """Write the index as a tree and return its id; raises UsageError for an unresolved merge conflict."""
    output = process.run("write-tree", check=False)
    if unmerged := re.match(r"(.*): unmerged \(", output.err):
        what = "this file has an unresolved merge conflict"
        raise UsageError(what, where=unmerged[1], fix="Resolve it and `git add` it")
    if output.code:
        raise git_error(output, process.folder, "write-tree")
    return output.text


def object_ids(process: GitProcess, ref: str, paths: Sequence[str], place: str = "") -> dict[str, str]:
    """Return the object id of each file under `paths`; raises UsageError for links and submodules, EnvironmentFault."""
    place = place or f"at {ref[:SHORT]}"
    ids = {}
    for entry in process.run("ls-tree", "-r", "-z", "--full-tree", ref, paths=paths).parts:
        mode, _, oid, name = fields(entry)
        if mode == "120000":
            what = f"this is a symbolic link {place}, which row3 does not follow"
            raise UsageError(what, where=name, fix="Put the file or folder itself there and commit it")
        if mode == "160000":
            raise UsageError(f"{SUBMODULE} {place}", where=name, fix=INSTEAD)
        ids[name] = oid
    return ids


def read_contents(process: GitProcess, tree: Mapping[str, str], paths: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of the files that differ from the work tree.

    Raises UsageError for a file name with a line end, EnvironmentFault if git lacks an object or a filter fails.
    """
    here = _unmodified(process, paths)
    ids = {name: oid for name, oid in tree.items() if here.get(name) != oid}
    if not ids:
        return {}
    if odd := next((name for name in ids if "\n" in name), ""):
        raise UsageError("the file's name has a line end", where=repr(odd), fix="Rename the file")
    # git reports sizes before filtering, so a random mark separates the files.
    mark = os.urandom(16).hex()
    asked = "".join(f"{oid} {name}\n" for name, oid in ids.items())
    output = process.run("cat-file", "--filters", f"--batch={mark} %(objectname)", stdin=os.fsencode(asked))
    contents = output.out.split(f"{mark} ".encode())[1:]
    if len(contents) != len(ids):
        what, fix = "git lacks some of the commit's files", "Run `git fsck`, then `git fetch`"
        raise EnvironmentFault(what, where=str(process.folder), fix=fix)
    return {name: text.partition(b"\n")[2][:-1] for name, text in zip(ids, contents, strict=True)}


def _unmodified(process: GitProcess, paths: Sequence[str]) -> dict[str, str]:
    """Return the object ids of unmodified files, except those marked skip-worktree or assume-unchanged."""
    listed = process.run("ls-files", "-s", "-v", "-z", paths=paths).parts
    changed = process.run("diff-files", "-z", "--name-only", "--ignore-submodules=all", paths=paths).parts
    plain = (fields(entry) for entry in listed if entry.startswith("H 100"))
    ids = {name: oid for _, _, oid, _, name in plain}
    return {name: ids[name] for name in ids.keys() - set(changed)}


def fields(entry: str) -> list[str]:
    """Split an entry of `ls-tree` or `ls-files` into fields, the file's name last."""
    about, _, name = entry.partition("\t")
    return [*about.split(), name]
