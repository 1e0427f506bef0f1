"""The files of a commit and of the index.

Contents are as git would check them out: with the same line ends and filters, so that a file of the base and the same
file of the index are equal byte for byte. Not `git archive`, which leaves out what `.gitattributes` marks
`export-ignore`: a gate that cannot see the golden cases would let everything pass.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from row3.errors import EnvironmentFault, UsageError
from row3.vcs.process import GitProcess, refusal

SUBMODULE = "this is a git submodule"
INSTEAD = "Keep these files in the repository itself: its commits hold none of them now"
SHORT = 10
"""Characters of a commit's id in messages."""


class Contents(NamedTuple):
    """The files of a commit or of the index."""

    ids: dict[str, str]
    """Object id by path."""
    differing: dict[str, bytes]
    """Contents by path, as a checkout would write them, of the files that differ from the work tree."""


def index_tree(process: GitProcess) -> str:
    """Return the id of a tree with the files of the index; raises UsageError for an unresolved merge conflict."""
    answer = process.ask("write-tree", expect=None)
    if unmerged := re.match(r"(.*): unmerged \(", answer.err):
        what = "this file has an unresolved merge conflict"
        raise UsageError(what, where=unmerged[1], fix="Resolve it and `git add` it")
    if answer.code:
        raise refusal(answer, process.folder, "write-tree")
    return answer.text


def object_ids(process: GitProcess, ref: str, paths: Sequence[str], place: str = "") -> dict[str, str]:
    """Return the object id of each file under `paths`; raises UsageError for links and submodules, EnvironmentFault."""
    place = place or f"at {ref[:SHORT]}"
    ids = {}
    for entry in process.ask("ls-tree", "-r", "-z", "--full-tree", ref, paths=paths).parts:
        mode, _, oid, name = fields(entry)
        if mode == "120000":
            what = f"this is a symbolic link {place}, which row3 does not follow"
            raise UsageError(what, where=name, fix="Put the file or folder itself there and commit it")
        if mode == "160000":
            raise UsageError(f"{SUBMODULE} {place}", where=name, fix=INSTEAD)
        ids[name] = oid
    return ids


def read_contents(process: GitProcess, tree: Mapping[str, str], paths: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of the files that are not the same in the work tree.

    Raises UsageError for a file name with a line end, EnvironmentFault where git lacks an object or a filter fails.
    """
    here = _unmodified(process, paths)
    ids = {name: oid for name, oid in tree.items() if here.get(name) != oid}
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
        what, fix = "git lacks some of the commit's files", "Run `git fsck`, then `git fetch`"
        raise EnvironmentFault(what, where=str(process.folder), fix=fix)
    return {name: text.partition(b"\n")[2][:-1] for name, text in zip(ids, answers, strict=True)}


def _unmodified(process: GitProcess, paths: Sequence[str]) -> dict[str, str]:
    """Return the object ids of files that are the same on disk, without those that git is told not to look at."""
    listed = process.ask("ls-files", "-s", "-v", "-z", paths=paths).parts
    changed = process.ask("diff-files", "-z", "--name-only", "--ignore-submodules=all", paths=paths).parts
    plain = (fields(entry) for entry in listed if entry.startswith("H 100"))
    ids = {name: oid for _, _, oid, _, name in plain}
    return {name: ids[name] for name in ids.keys() - set(changed)}


def fields(entry: str) -> list[str]:
    """Return the fields of an entry of `ls-tree` or `ls-files`, the file's name last."""
    about, _, name = entry.partition("\t")
    return [*about.split(), name]
