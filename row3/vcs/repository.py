"""Which repository a folder belongs to, the questions row3 asks about its history, and its few writes."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from pathlib import Path

from row3.errors import EnvironmentFault, UsageError
from row3.vcs import refs, trees
from row3.vcs.process import Answer, GitProcess, refusal

EXPORTED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX")
"""Variables by which git tells a hook where its repository is."""
PLACES = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--is-shallow-repository")

_HEX = frozenset("0123456789abcdef")
_OID = "# branch.oid "


class Repository:
    """One work tree of a git repository. Paths are relative to its root, with forward slashes."""

    def __init__(self, root: Path, git_dir: Path, common_dir: Path, shallow: bool, process: GitProcess) -> None:
        self.root, self.git_dir, self.common_dir, self.is_shallow = root, git_dir, common_dir, shallow
        self._git = process

    @classmethod
    def find(cls, path: Path) -> Repository | None:
        """Return the repository that `path` (or its nearest existing parent) lies in, None where there is none.

        What git exported to a hook counts only where the folder lies in no repository by itself: a hook may look at
        another one. Raises EnvironmentFault without git or a work tree.
        """
        folder = path.absolute()
        while not folder.is_dir():
            folder = folder.parent
        if "\n" in str(folder):
            raise EnvironmentFault(
                "git tells paths by lines, and this one has two", where=repr(str(folder)), fix="Rename it"
            )
        own: dict[str, str] = {}
        answer = GitProcess(folder, without=EXPORTED).ask("rev-parse", *PLACES, expect=None)
        if answer.code and (named := os.environ.get("GIT_DIR")):
            tree = os.environ.get("GIT_WORK_TREE", "")
            own = {"GIT_DIR": str(Path(named).absolute()), "GIT_WORK_TREE": str(Path(tree).absolute())}
            answer = GitProcess(folder, own, EXPORTED).ask("rev-parse", *PLACES, expect=None)
        if answer.code:
            if "not a git repository (or any" in answer.err:
                return None
            if "must be run in a work tree" in answer.err:
                what = "this is a bare repository or the inside of a .git folder, there are no files to work on"
                raise EnvironmentFault(what, where=str(folder), fix="Use a clone or `git worktree add`")
            raise refusal(answer, folder, "rev-parse")
        top, git_dir, common, shallow = answer.text.split("\n")
        root, place = Path(top), Path(git_dir)
        if not folder.resolve().is_relative_to(root.resolve()):
            return None
        if _is_foreign_index(place):
            own["GIT_INDEX_FILE"] = str(place / "index")
        process = GitProcess(root, own, EXPORTED)
        return cls(root, place, Path(os.path.normpath(folder / common)), shallow == "true", process)

    def relative(self, path: Path) -> str:
        """Return `path` as this repository names it, `.` for its root; raises UsageError for a path outside of it."""
        for candidate, root in ((path.absolute(), self.root), (path.resolve(), self.root.resolve())):
            if candidate.is_relative_to(root) and ".." not in candidate.parts:
                return candidate.relative_to(root).as_posix()
        raise UsageError(f"this is outside the git repository {self.root}", where=str(path))

    def git_path(self, name: str) -> Path:
        """Return where git keeps `name` for this work tree; `hooks` follows core.hooksPath and linked worktrees."""
        return self.root / self._git.ask("rev-parse", "--git-path", name).text

    def head(self) -> str | None:
        """Return the commit that is checked out, None before the first one."""
        return self._commit("HEAD") or None

    def merging(self) -> list[str]:
        """Return the commits being merged into HEAD; before `pre-merge-commit` only the environment names them."""
        prefix, head = "GITHEAD_", self.git_path("MERGE_HEAD")
        named = [name.removeprefix(prefix) for name in os.environ if name.startswith(prefix)]
        if head.is_file():
            named += head.read_text(encoding="ascii", errors="replace").split()
        return [name for name in dict.fromkeys(named) if name and set(name) <= _HEX and self.knows(name)]

    def state(self, paths: Sequence[str]) -> tuple[str | None, bool]:
        """Return `head`, and whether anything under `paths` differs from it; untracked files count."""
        how = ("--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=normal")
        entries = self._status(*how, paths=paths)
        head = next((entry.removeprefix(_OID) for entry in entries if entry.startswith(_OID)), "(initial)")
        return None if head == "(initial)" else head, any(not entry.startswith("# ") for entry in entries)

    def _status(self, *how: str, paths: Sequence[str]) -> list[str]:
        return self._git.ask("status", *how, "-z", "--no-renames", "--ignore-submodules=all", paths=paths).parts

    def user(self) -> str:
        """`Name <mail>` of whoever works here, from git's configuration; else the name of the OS user.

        The committer: during `git commit --author` and rebases git exports somebody else as the author.
        """
        answer = self._git.ask("var", "GIT_COMMITTER_IDENT", expect=None)
        if answer.code == 0:
            return re.sub(r" \d+ [+-]\d{4}$", "", answer.text)
        return os_user()

    def resolve(self, ref: str) -> str:
        """Return the commit that `ref` names; raises UsageError that says how to fetch an unknown one."""
        if found := self._commit(ref):
            return found
        if self.is_shallow:
            what = f"git does not know {ref} in this shallow clone, which has no full history"
            raise UsageError(what, fix=refs.DEEPEN)
        raise UsageError(
            f"git knows no commit named {ref}",
            fix=f"`git fetch origin {ref}` brings one that the remote still has; after a force push it is gone, so "
            "compare with the branch: --against origin/main",
        )

    def knows(self, ref: str) -> bool:
        """Return whether `ref` names a commit that is here. Raises UsageError for what cannot be a name."""
        return bool(self._commit(ref))

    def _commit(self, ref: str) -> str:
        answer = self._git.ask("rev-parse", "--verify", "-q", f"{refs.checked(ref)}^{{commit}}", expect=None)
        return "" if answer.code else answer.text

    def merge_base(self, a: str, b: str) -> str | None:
        """Return the best common ancestor, or None; raises UsageError for an unknown ref and in a shallow clone."""
        answer = self._git.ask("merge-base", refs.checked(a), refs.checked(b), expect=None)
        if answer.code == 0:
            return answer.text.partition("\n")[0]
        if answer.code != 1:
            self._explain(answer, "merge-base", a, b)
        if self.is_shallow:
            raise UsageError(f"the common ancestor of {a} and {b} is not in this shallow clone", fix=refs.DEEPEN)
        return None

    def fork_point(self, ref: str) -> str:
        """Return the commit where HEAD left `ref`; raises UsageError as `merge_base`, and where there is none."""
        found = self.merge_base(ref, "HEAD")
        if found is None:
            what = f"{ref} and HEAD have no common ancestor, so HEAD never left it"
            raise UsageError(what, where="--against", fix=f"Name the commit that judges, such as --against {ref}")
        return found

    def lacking(self, ref: str, paths: Sequence[str]) -> int:
        """How many commits of `ref` that change something under `paths` are neither in HEAD nor being merged into it.

        One that was picked or rebased counts as being there. 0 where a shallow clone cannot tell.
        """
        count = ("rev-list", "--count", "--right-only", "--cherry-pick", f"HEAD...{refs.checked(ref)}")
        answer = self._git.ask(*count, paths=paths, expect=None)
        if answer.code or answer.text == "0":
            return 0
        if self.is_shallow and self._git.ask("merge-base", ref, "HEAD", expect=None).code:
            return 0
        merging = [f"^{commit}" for commit in self.merging()]
        return int(self._git.ask(*count, *merging, paths=paths).text if merging else answer.text)

    def protected_branch(self, configured: str | None) -> str | None:
        """Return the first that exists: the configured ref, origin/HEAD's target, origin/main or master, main, master.
        Raises UsageError where a configured one is missing, since another one would be the wrong baseline.
        """
        wanted: tuple[str, ...] = ()
        if configured:
            name = refs.checked(configured)
            wanted = (name, *(f"refs/{kind}/{name}" for kind in ("heads", "remotes", "remotes/origin", "tags")))
        fields = "--format=%(refname)%00%(refname:short)%00%(symref:short)"
        listing = self._git.ask("for-each-ref", fields, *wanted, refs.REMOTE_HEAD, *refs.USUAL).text
        # A pattern also finds what lies below it (`main/x` for `main`), hence the full names; the short ones are
        # those that git finds unambiguous.
        found: dict[str, str] = {}
        for line in filter(None, listing.split("\n")):
            full, short, target = line.split("\0")
            found[full] = target or short
        missing = bool(wanted) and not any(full in found for full in wanted)
        if missing and self._git.ask("rev-parse", "--verify", "-q", "HEAD^{commit}", expect=(0, 1)).out:
            fix = f"Run `git fetch origin {configured}`, or correct the name in the configuration"
            what = f"the configured branch {configured} is neither a branch here nor one of origin"
            raise UsageError(what, fix=refs.DEEPEN if self.is_shallow else fix)
        return next((found[full] for full in (*wanted, refs.REMOTE_HEAD, *refs.USUAL) if full in found), None)

    def contents(self, commit: str | None, folder: Path, paths: Sequence[str]) -> trees.Contents:
        """Return the files of a commit (None: the index); raises UsageError for links, submodules and conflicts."""
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
        """Return the id of each file under `paths` of a commit (None: the index); raises as `contents`."""
        if commit is None:
            return trees.object_ids(self._git, trees.index_tree(self._git), paths, "in the index")
        try:
            return trees.object_ids(self._git, refs.checked(commit), paths)
        except EnvironmentFault:
            self.resolve(commit)
            raise

    def refuse_submodules(self, paths: Sequence[str]) -> None:
        """Raise UsageError for a submodule at or under `paths`: the work tree may have files there, no commit has."""
        for entry in self._git.ask("ls-files", "-s", "-z", paths=paths).parts:
            if entry.startswith("160000 "):
                raise UsageError(trees.SUBMODULE, where=trees.fields(entry)[-1], fix=trees.INSTEAD)

    def changed(self, paths: Sequence[str], *, base: str, tree: str | None) -> list[str]:
        """Return the files that differ between `base` and a commit (None: the index). Raises UsageError."""
        if not paths:
            return []
        # A submodule that comes is a change too, whatever the change's own .gitmodules says of it.
        how = ("-z", "--name-only", "--no-renames", "--ignore-submodules=none")
        if tree is None:
            command = ("diff-index", "--cached", "--ita-invisible-in-index", *how, refs.checked(base))
        else:
            command = ("diff-tree", "-r", *how, refs.checked(base), refs.checked(tree))
        answer = self._git.ask(*command, paths=paths, expect=None)
        if answer.code:
            self._explain(answer, command[0], base, *((tree,) if tree else ()))
        return answer.parts

    def edited(self, commit: str, folder: Path) -> list[str]:
        """Return the tracked files that the work tree has otherwise than a commit, as seen from a folder.

        One outside of it begins with `../`, and a folder ends with a slash.
        """
        inside = self.relative(folder)
        how = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=none")
        names = self._git.ask("diff", *how, refs.checked(commit)).parts
        found = [posixpath.relpath(name, inside) for name in names]
        return [f"{name}/" if (folder / name).is_dir() else name for name in found]

    def unstaged(self, paths: Sequence[str]) -> list[str]:
        """Return the files under `paths` that the work tree has otherwise than the index, untracked ones included."""
        return sorted(set(self._git.ask("ls-files", "-z", "-m", "-o", "--exclude-standard", paths=paths).parts))

    def commit(self, paths: Sequence[str], message: str) -> str | None:
        """Commit what has changed under `paths` alone, with hooks; None where nothing has. Raises EnvironmentFault."""
        changes = self._status("--porcelain=v1", "--untracked-files=all", paths=paths) if paths else []
        if not changes:
            return None
        files = [entry[3:] for entry in changes]
        self._git.ask("add", "-A", paths=files)
        # The user's own hooks should meet the user's locale, not the one in which git's words are read.
        locale = {name: os.environ.get(name, "") for name in ("LC_ALL", "LANGUAGE")} | {"GIT_OPTIONAL_LOCKS": "1"}
        text = message.encode("utf-8", "replace")
        self._git.ask("commit", "-q", "-F", "-", "--only", paths=files, stdin=text, environment=locale)
        return self.head()

    def _explain(self, answer: Answer, command: str, *names: str) -> None:
        """Raise the better error: the first ref that is unknown, else git's own words."""
        for name in names:
            self.resolve(name)
        raise refusal(answer, self.root, command)


def _is_foreign_index(git_dir: Path) -> bool:
    """Return whether the exported index lies in the git folder of another repository."""
    exported = Path(os.environ.get("GIT_INDEX_FILE", ""))
    home = exported.parent
    return exported.is_absolute() and home.resolve() != git_dir.resolve() and (home / "HEAD").exists()


def os_user() -> str:
    """Return the name of whoever runs this, outside of git."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container whose user id has no name
        return "unknown"
