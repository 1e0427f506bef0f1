"""Finds the repository of a folder, answers questions about its history, and commits."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from row3.errors import EnvironmentFault, UsageError
from row3.project.git import refs, trees
from row3.project.git.process import EXPORTED, GitProcess, Output, git_error

REPOSITORY_INFO = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--is-shallow-repository")

_HEX = frozenset("0123456789abcdef")
_OID = "# branch.oid "


class Repository:
    """One work tree of a git repository. Paths are relative to its root, with forward slashes."""

    def __init__(self, root: Path, git_dir: Path, common_dir: Path, shallow: bool, process: GitProcess) -> None:
        self.root, self.git_dir, self.common_dir, self.is_shallow = root, git_dir, common_dir, shallow
        self._git = process

    @classmethod
    def find(cls, path: Path) -> Repository | None:
        """Return the repository around `path` or its nearest existing parent; None outside of one.

        Variables exported to a hook count only if no repository is found without them, as a hook may look at another
        one. Raises EnvironmentFault without git or a work tree.
        """
        folder = path.absolute()
        while not folder.is_dir():
            folder = folder.parent
        if "\n" in str(folder):
            raise EnvironmentFault("the folder's name has a line end", where=repr(str(folder)), fix="Rename it")
        output = GitProcess(folder).ask("rev-parse", *REPOSITORY_INFO)
        if output.code and (named := os.environ.get("GIT_DIR")):
            tree = os.environ.get("GIT_WORK_TREE", "")
            own = {"GIT_DIR": str(Path(named).absolute()), "GIT_WORK_TREE": str(Path(tree).absolute())}
            output = GitProcess(folder, own).ask("rev-parse", *REPOSITORY_INFO)
        if output.code:
            if "not a git repository (or any" in output.err:
                return None
            if "must be run in a work tree" in output.err:
                what = "this is a bare repository or a .git folder, without a work tree"
                raise EnvironmentFault(what, where=str(folder), fix="Use a clone or `git worktree add`")
            raise git_error(output, folder, "rev-parse")
        top, git_dir, common, shallow = output.text.split("\n")
        root, place, common_dir = Path(top), Path(git_dir), Path(os.path.normpath(folder / common))
        if not folder.resolve().is_relative_to(root.resolve()):
            return None
        # GitPython hands on the whole environment, so what was exported is replaced by what git has found and trusts.
        found = {"GIT_DIR": git_dir, "GIT_WORK_TREE": top, "GIT_COMMON_DIR": str(common_dir)}
        own = found if os.environ.keys() & set(EXPORTED) else {}
        if _is_foreign_index(place):
            own = own | {"GIT_INDEX_FILE": str(place / "index")}
        return cls(root, place, common_dir, shallow == "true", GitProcess(root, own))

    def relative(self, path: Path) -> str:
        """Return `path` relative to the root, `.` for the root; raises UsageError for a path outside."""
        for candidate, root in ((path.absolute(), self.root), (path.resolve(), self.root.resolve())):
            if candidate.is_relative_to(root) and ".." not in candidate.parts:
                return candidate.relative_to(root).as_posix()
        raise UsageError(f"this is outside the git repository {self.root}", where=str(path))

    def git_path(self, name: str) -> Path:
        """Return where git keeps `name` for this work tree; `hooks` follows core.hooksPath and linked worktrees."""
        return self.root / self._git.ask("rev-parse", "--git-path", name, check=True).text

    def head(self) -> str | None:
        """Return the checked-out commit; None before the first one."""
        return self._commit("HEAD") or None

    def merging(self) -> list[str]:
        """Return the commits being merged into HEAD; until `pre-merge-commit`, only the environment names them."""
        prefix, head = "GITHEAD_", self.git_path("MERGE_HEAD")
        named = [name.removeprefix(prefix) for name in os.environ if name.startswith(prefix)]
        if head.is_file():
            named += head.read_text(encoding="ascii", errors="replace").split()
        return [name for name in dict.fromkeys(named) if name and set(name) <= _HEX and self.knows(name)]

    def state(self, paths: Sequence[str]) -> tuple[str | None, bool]:
        """Return `head`, and whether anything under `paths` differs from it, untracked files included."""
        how = ("--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=normal")
        entries = self._status(*how, paths=paths)
        head = next((entry.removeprefix(_OID) for entry in entries if entry.startswith(_OID)), "(initial)")
        return None if head == "(initial)" else head, any(not entry.startswith("# ") for entry in entries)

    def _status(self, *how: str, paths: Sequence[str]) -> list[str]:
        how = (*how, "-z", "--no-renames", "--ignore-submodules=all")
        return self._git.ask("status", *how, paths=paths, check=True).parts

    def user(self) -> str:
        """Return `Name <mail>` from git's configuration, else the name of the OS user.

        Uses the committer: during `git commit --author` and rebases, the author is somebody else.
        """
        output = self._git.run("var", "GIT_COMMITTER_IDENT", check=False)
        return os_user() if output.code else re.sub(r" \d+ [+-]\d{4}$", "", output.text)

    def resolve(self, ref: str, otherwise: str = "") -> str:
        """Return the commit that `ref` names; raises UsageError that says how to fetch it, or what `otherwise`."""
        if found := self._commit(ref):
            return found
        if self.is_shallow:
            raise UsageError(f"this shallow clone does not have {ref}", fix=refs.DEEPEN)
        fix = f"Correct the name, or run `git fetch origin {ref}` if the remote has it{otherwise}"
        raise UsageError(f"git knows no commit named {ref}", fix=fix)

    def knows(self, ref: str) -> bool:
        """Return whether `ref` names a local commit. Raises UsageError for an invalid name."""
        return bool(self._commit(ref))

    def _commit(self, ref: str) -> str:
        output = self._git.ask("rev-parse", "--verify", "-q", f"{refs.valid_ref(ref)}^{{commit}}")
        return "" if output.code else output.text

    def merge_base(self, a: str, b: str) -> str | None:
        """Return the best common ancestor, or None; raises UsageError for an unknown ref or in a shallow clone."""
        output = self._git.ask("merge-base", refs.valid_ref(a), refs.valid_ref(b))
        if output.code == 0:
            return output.text.partition("\n")[0]
        if output.code != 1:
            self._fail(output, "merge-base", a, b)
        if self.is_shallow:
            raise UsageError(f"the common ancestor of {a} and {b} is not in this shallow clone", fix=refs.DEEPEN)
        return None

    def fork_point(self, ref: str) -> str:
        """Return the commit where HEAD branched off `ref`; raises UsageError without one and as `merge_base`."""
        found = self.merge_base(ref, "HEAD")
        if found is None:
            what = f"{ref} and HEAD have no common ancestor"
            raise UsageError(what, where="--against", fix=f"Name the base commit itself: --against {ref}")
        return found

    def missing_commits(self, ref: str, paths: Sequence[str]) -> int:
        """Return how many commits of `ref` that change `paths` are neither in HEAD nor being merged.

        Cherry-picked and rebased commits count as present. 0 if a shallow clone cannot tell.
        """
        count = ("rev-list", "--count", "--right-only", "--cherry-pick", f"HEAD...{refs.valid_ref(ref)}")
        output = self._git.run(*count, paths=paths, check=False)
        if output.code or output.text == "0":
            return 0
        if self.is_shallow and self._git.run("merge-base", ref, "HEAD", check=False).code:
            return 0
        merging = [f"^{commit}" for commit in self.merging()]
        return int(self._git.run(*count, *merging, paths=paths).text if merging else output.text)

    def protected_branch(self, configured: str | None) -> str | None:
        """Return the configured ref, or the first of origin/HEAD's target, origin/main, origin/master, main, master.

        Raises UsageError if the configured ref is missing, since any other would be the wrong base.
        """
        candidates: tuple[str, ...] = ()
        if configured:
            name = refs.valid_ref(configured)
            candidates = (name, *(f"refs/{kind}/{name}" for kind in ("heads", "remotes", "remotes/origin", "tags")))
        fields = "--format=%(refname)%00%(refname:short)%00%(symref:short)"
        listing = self._git.ask("for-each-ref", fields, *candidates, refs.REMOTE_HEAD, *refs.USUAL, check=True).text
        # Keyed by full name, because a pattern also matches refs below it (`main/x` for `main`).
        found: dict[str, str] = {}
        for line in filter(None, listing.split("\n")):
            full, short, target = line.split("\0")
            found[full] = target or short
        missing = bool(candidates) and not any(full in found for full in candidates)
        if missing and self.head():
            fix = f"Run `git fetch origin {configured}`, or correct the name in the configuration"
            what = f"the configured branch {configured} exists neither here nor at origin"
            raise UsageError(what, fix=refs.DEEPEN if self.is_shallow else fix)
        return next((found[full] for full in (*candidates, refs.REMOTE_HEAD, *refs.USUAL) if full in found), None)

    def file(self, commit: str, path: str) -> bytes | None:
        """Return a file of a commit as it is stored, before filters; None if the commit lacks it."""
        output = self._git.ask("cat-file", "blob", f"{refs.valid_ref(commit)}:{path}")
        return None if output.code else output.out

    def checked_out(self, commit: str | None, path: str) -> bytes | None:
        """Return a file of a commit (None for the index) as git would check it out; None without it."""
        ref = "" if commit is None else refs.valid_ref(commit)
        output = self._git.run("cat-file", "--filters", f"{ref}:{path}", check=False)
        return None if output.code else output.out

    def differs(self, commit: str, paths: Sequence[str]) -> bool:
        """Return whether a file of a commit under `paths` is edited or gone in the work tree."""
        how = ("--quiet", "--no-ext-diff", "--ignore-submodules=all")
        return bool(self._git.ask("diff", *how, refs.valid_ref(commit), paths=paths).code)

    def contents(self, commit: str | None, folder: Path, paths: Sequence[str]) -> trees.Contents:
        """Return the files of a commit (None for the index); raises UsageError for links, submodules and conflicts."""
        inside = self.relative(folder)
        prefix = "" if inside == "." else f"{inside}/"
        within = [prefix + path for path in paths]
        ids = self.object_ids(commit, within)
        differing = trees.read_contents(self._git, ids, within)
        start = len(prefix)
        return trees.Contents(
            {name[start:]: oid for name, oid in ids.items()}, {name[start:]: raw for name, raw in differing.items()}
        )

    def object_ids(self, commit: str | None, paths: Sequence[str]) -> dict[str, str]:
        """Return the id of each file under `paths` in a commit (None for the index); raises as `contents`."""
        if commit is None:
            return trees.object_ids(self._git, trees.index_tree(self._git), paths, "in the index")
        try:
            return trees.object_ids(self._git, refs.valid_ref(commit), paths)
        except EnvironmentFault:
            self.resolve(commit)
            raise

    def refuse_submodules(self, paths: Sequence[str]) -> None:
        """Raise UsageError for a submodule at or under `paths`, since its files are in no commit of this repository."""
        for entry in self._git.run("ls-files", "-s", "-z", paths=paths).parts:
            if entry.startswith("160000 "):
                raise UsageError(trees.SUBMODULE, where=trees.fields(entry)[-1], fix=trees.INSTEAD)

    def changed(self, paths: Sequence[str], *, base: str, tree: str | None) -> list[str]:
        """Return the files that differ between `base` and a commit (None for the index). Raises UsageError."""
        if not paths:
            return []
        # A new submodule is a change, even if the change's .gitmodules says to ignore it.
        how = ("-z", "--name-only", "--no-renames", "--ignore-submodules=none")
        if tree is None:
            command = ("diff-index", "--cached", "--ita-invisible-in-index", *how, refs.valid_ref(base))
        else:
            command = ("diff-tree", "-r", *how, refs.valid_ref(base), refs.valid_ref(tree))
        output = self._git.run(*command, paths=paths, check=False)
        if output.code:
            self._fail(output, command[0], base, *((tree,) if tree else ()))
        return output.parts

    def edited(self, commit: str, folder: Path) -> list[str]:
        """Return the tracked files that differ between work tree and commit, relative to `folder`.

        A path outside `folder` starts with `../`; that of a folder ends with a slash.
        """
        inside = self.relative(folder)
        how = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=none")
        names = self._git.run("diff", *how, refs.valid_ref(commit)).parts
        found = [posixpath.relpath(name, inside) for name in names]
        return [f"{name}/" if (folder / name).is_dir() else name for name in found]

    def unstaged(self, paths: Sequence[str]) -> list[str]:
        """Return the files under `paths` with unstaged changes, untracked ones included."""
        return sorted(set(self._git.run("ls-files", "-z", "-m", "-o", "--exclude-standard", paths=paths).parts))

    def commit(self, paths: Sequence[str], message: str) -> str | None:
        """Commit only the changes under `paths`, with hooks; None without changes. Raises EnvironmentFault."""
        changes = self._status("--porcelain=v1", "--untracked-files=all", paths=paths) if paths else []
        if not changes:
            return None
        files = [entry[3:] for entry in changes]
        self._git.run("add", "-A", paths=files)
        # The user's hooks run in the user's locale, not in the one for parsing git's messages.
        locale = {name: os.environ.get(name, "") for name in ("LC_ALL", "LANGUAGE")} | {"GIT_OPTIONAL_LOCKS": "1"}
        text = message.encode("utf-8", "replace")
        self._git.run("commit", "-q", "-F", "-", "--only", paths=files, stdin=text, environment=locale)
        return self.head()

    def _fail(self, output: Output, command: str, *names: str) -> NoReturn:
        """Raise UsageError for the first unknown ref, else git's own message."""
        for name in names:
            self.resolve(name)
        raise git_error(output, self.root, command)


def _is_foreign_index(git_dir: Path) -> bool:
    """Return whether GIT_INDEX_FILE belongs to another repository."""
    exported = Path(os.environ.get("GIT_INDEX_FILE", ""))
    home = exported.parent
    return exported.is_absolute() and home.resolve() != git_dir.resolve() and (home / "HEAD").exists()


def os_user() -> str:
    """Return the name of the OS user."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container whose user id has no name
        return "unknown"
