"""The questions row3 asks about a project's history, and its few writes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from row3.errors import EnvironmentFault, UsageError
from row3.vcs import refs, trees
from row3.vcs.discovery import Place, discover
from row3.vcs.process import Answer, refusal

_HEX = frozenset("0123456789abcdef")


class Repository:
    """One work tree of a git repository. Paths are relative to its root, with forward slashes."""

    def __init__(self, place: Place) -> None:
        self.root = place.root
        self.git_dir = place.git_dir
        self.common_dir = place.common_dir
        self.is_shallow = place.shallow
        self._git = place.process

    @classmethod
    def find(cls, path: Path) -> Repository | None:
        """The repository that `path` lies in, None where there is none.

        Raises EnvironmentFault where git is missing, refuses the repository, or there is no work tree.
        """
        place = discover(path)
        return cls(place) if place else None

    def relative(self, path: Path) -> str:
        """`path` as this repository names it, `.` for its root.

        Raises UsageError for a path outside the repository.
        """
        for candidate, root in ((path.absolute(), self.root), (path.resolve(), self.root.resolve())):
            if candidate.is_relative_to(root) and ".." not in candidate.parts:
                return candidate.relative_to(root).as_posix()
        raise UsageError(f"this is outside the git repository {self.root}", where=str(path))

    def git_path(self, name: str) -> Path:
        """Where git keeps `name` for this work tree; `hooks` follows core.hooksPath and linked worktrees."""
        return self.root / os.fsdecode(self._git.ask("rev-parse", "--git-path", name).out).rstrip("\n")

    def head(self) -> str | None:
        """The commit that is checked out, None before the first one."""
        return self._git.ask("rev-parse", "--verify", "-q", "HEAD^{commit}", expect=(0, 1)).text or None

    def merging(self) -> list[str]:
        """The commits that are being merged into the one that is checked out; none outside of a merge.

        Before it runs `pre-merge-commit`, git names them in the environment only.
        """
        prefix, head = "GITHEAD_", self.git_path("MERGE_HEAD")
        named = [name.removeprefix(prefix) for name in os.environ if name.startswith(prefix)]
        if head.is_file():
            named += head.read_text(encoding="ascii", errors="replace").split()
        return [name for name in dict.fromkeys(named) if name and set(name) <= _HEX and self.knows(name)]

    def is_dirty(self, paths: Sequence[str]) -> bool:
        """Whether anything under `paths` differs from HEAD, in the index or on disk, untracked files included."""
        return bool(trees.pending(self._git, paths, "normal"))

    def state(self, paths: Sequence[str]) -> tuple[str | None, bool]:
        """`head` and `is_dirty` in one answer: each process of git takes as long as reading a hundred files."""
        return trees.state(self._git, paths)

    def user(self) -> str:
        """`Name <mail>` of whoever works here, from git's configuration; else the name of the OS user.

        The committer: during `git commit --author` and rebases git exports somebody else as the author.
        """
        answer = self._git.ask("var", "GIT_COMMITTER_IDENT", expect=None)
        if answer.code == 0:
            return re.sub(r" \d+ [+-]\d{4}$", "", answer.text)
        import getpass

        try:
            return getpass.getuser()
        except (KeyError, OSError):  # a container whose user id has no name
            return "unknown"

    def check_identity(self) -> None:
        """Raise EnvironmentFault where git does not know who would make a commit here."""
        for name in ("GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT"):
            if self._git.ask("var", name, expect=None).code:
                fix = 'Run `git config user.name "YOUR NAME"` and `git config user.email YOU@EXAMPLE.ORG`'
                raise EnvironmentFault("git does not know who makes the commit", where=str(self.root), fix=fix)

    def resolve(self, ref: str) -> str:
        """The commit that `ref` names.

        Raises UsageError for an unknown ref, and tells how to fetch it where the clone is shallow.
        """
        answer = self._git.ask("rev-parse", "--verify", "-q", f"{refs.checked(ref)}^{{commit}}", expect=None)
        if answer.code == 0:
            return answer.text
        if self.is_shallow:
            raise UsageError(
                f"git does not know {ref} in this shallow clone, which has no full history", fix=refs.DEEPEN
            )
        if refs.is_digest(ref):
            raise UsageError(
                f"git knows no commit named {ref}; it was never fetched, or a force push put another in its place",
                fix=f"Run `git fetch origin {ref}`, or name the branch that the change goes to, such as origin/main",
            )
        raise UsageError(
            f"git knows no commit named {ref}",
            fix="`git branch --all` and `git tag` list the names; `git fetch` brings those of the remote",
        )

    def knows(self, ref: str) -> bool:
        """Whether `ref` names a commit that is here. Raises UsageError for what cannot be a name."""
        return self._git.ask("rev-parse", "--verify", "-q", f"{refs.checked(ref)}^{{commit}}", expect=None).code == 0

    def merge_base(self, a: str, b: str) -> str | None:
        """The best common ancestor of two commits, None where their histories never met.

        Raises UsageError for an unknown ref, and where only a full clone could tell.
        """
        answer = self._git.ask("merge-base", refs.checked(a), refs.checked(b), expect=None)
        if answer.code == 0:
            return answer.text.partition("\n")[0]
        if answer.code != 1:
            self._explain(answer, "merge-base", a, b)
        if self.is_shallow:
            raise UsageError(f"the common ancestor of {a} and {b} is not in this shallow clone", fix=refs.DEEPEN)
        return None

    def fork_point(self, ref: str) -> str:
        """The commit where HEAD left `ref`. Raises UsageError as `merge_base`, and where their histories never met."""
        found = self.merge_base(ref, "HEAD")
        if found is None:
            raise UsageError(
                f"{ref} and HEAD have no common ancestor, so HEAD never left it",
                where="--against",
                fix=f"Name a commit that is to judge, such as --against {ref}",
            )
        return found

    def lacking(self, ref: str, paths: Sequence[str]) -> int:
        """How many commits of `ref` that change something under `paths` are neither in HEAD nor being merged into it.

        One that was picked or rebased counts as being there. 0 where a shallow clone cannot tell.
        """
        sides, specs = f"HEAD...{refs.checked(ref)}", ["--", *trees.pathspecs(paths)]
        count = ("rev-list", "--count", "--right-only", "--cherry-pick", sides)
        answer = self._git.ask(*count, *specs, expect=None)
        if answer.code or answer.text == "0" or (self.is_shallow and not self._met(ref)):
            return 0
        merging = [f"^{commit}" for commit in self.merging()]
        return int(self._git.ask(*count, *merging, *specs).text if merging else answer.text)

    def contains(self, commit: str) -> bool:
        """Whether HEAD's history has a commit; where a shallow clone cannot tell, it is taken to be there."""
        return self.is_shallow or not self._git.ask("merge-base", "--is-ancestor", commit, "HEAD", expect=(0, 1)).code

    def _met(self, ref: str) -> bool:
        return not self._git.ask("merge-base", refs.checked(ref), "HEAD", expect=None).code

    def protected_branch(self, configured: str | None) -> str | None:
        """The ref that work forks from: the configured one, else what origin/HEAD points to, else origin/main,
        origin/master, main, master; None where there is none of them.

        Raises UsageError where a branch is configured, the repository has commits, and it is none of its refs.
        """
        return refs.protected_branch(self._git, configured, self.is_shallow)

    def contents(self, commit: str | None, folder: Path, paths: Sequence[str]) -> trees.Contents:
        """Return the files that a commit, or the index where it is None, has under `paths` of a folder.

        Raises UsageError for an unknown commit, a symlink, a submodule or an unresolved conflict.
        """
        inside = self.relative(folder)
        prefix = "" if inside == "." else f"{inside}/"
        within = [prefix + path for path in paths]
        if commit is None:
            entries = trees.index_entries(self._git, within)
        else:
            try:
                entries = trees.tree_entries(self._git, refs.checked(commit), within)
            except EnvironmentFault:
                self.resolve(commit)
                raise
        ids, differing = trees.contents_of(self._git, entries, within)
        return trees.Contents(
            {name.removeprefix(prefix): oid for name, oid in ids.items()},
            {name.removeprefix(prefix): raw for name, raw in differing.items()},
        )

    def has(self, commit: str, file: str) -> bool:
        """Whether a commit has a file of that path."""
        return bool(trees.tree_entries(self._git, commit, [file]))

    def submodules(self, paths: Sequence[str]) -> list[str]:
        """The submodules at or under `paths`, as the index has them."""
        return trees.submodules(self._git, paths)

    def refuse_submodules(self, paths: Sequence[str]) -> None:
        """Raise UsageError for a submodule at or under `paths`: the work tree may have files there, no commit has."""
        for name in self.submodules(paths):
            raise UsageError(trees.SUBMODULE, where=name, fix=trees.INSTEAD)

    def changed(self, paths: Sequence[str], *, base: str, tree: str | None) -> list[str]:
        """The files under `paths` that differ between `base` and a commit, or the index where `tree` is None.

        Raises UsageError for an unknown ref.
        """
        if not paths:
            return []
        specs = ("--", *trees.pathspecs(paths))
        # A submodule that comes is a change too, whatever the change's own .gitmodules says of it.
        how = ("-z", "--name-only", "--no-renames", "--ignore-submodules=none")
        if tree is None:
            command = ("diff-index", "--cached", "--ita-invisible-in-index", *how, refs.checked(base), *specs)
        else:
            command = ("diff-tree", "-r", *how, refs.checked(base), refs.checked(tree), *specs)
        answer = self._git.ask(*command, expect=None)
        if answer.code:
            self._explain(answer, command[0], base, *((tree,) if tree else ()))
        return [os.fsdecode(name) for name in answer.out.split(b"\0") if name]

    def unstaged(self, paths: Sequence[str]) -> list[str]:
        """The files under `paths` that the work tree has otherwise than the index, untracked ones included."""
        specs = ["--", *trees.pathspecs(paths)]
        answer = self._git.ask("ls-files", "-z", "--modified", "--others", "--exclude-standard", *specs)
        return sorted({os.fsdecode(name) for name in answer.out.split(b"\0") if name})

    def commit(self, paths: Sequence[str], message: str) -> str | None:
        """Commit what has changed under `paths` and nothing else; the new commit, None where nothing has.

        What else is staged stays staged. Hooks run. Raises EnvironmentFault where git or a hook refuses.
        """
        files = trees.pending(self._git, paths, "all")
        if not files:
            return None
        specs = trees.pathspecs(files)
        self._git.ask("add", "-A", "--", *specs)
        # The user's own hooks should meet the user's locale, not the one in which git's words are read.
        locale = {name: os.environ.get(name, "") for name in ("LC_ALL", "LANGUAGE")} | {"GIT_OPTIONAL_LOCKS": "1"}
        self._git.ask("commit", "-q", "-F", "-", "--only", "--", *specs, stdin=_utf8(message), environment=locale)
        return self.head()

    def commits_of(self, path: str, *, at: str | None = None) -> Iterator[str]:
        """The commits before `at` (HEAD), it included, that changed a file, the newest first.

        None before the first commit. Raises EnvironmentFault for an unknown ref.
        """
        at = self.head() if at is None else refs.checked(at)
        if at is not None:
            yield from self._git.ask("log", "--format=%H", at, "--", *trees.pathspecs([path])).text.split()

    def tag(self, name: str, message: str, *, at: str = "HEAD") -> None:
        """Put an annotated tag on a commit.

        Raises UsageError where the tag exists or the name cannot be one, EnvironmentFault where git refuses.
        """
        answer = self._git.ask(
            *("tag", "-a", "--cleanup=whitespace", "-F", "-", refs.checked(name), refs.checked(at)),
            stdin=_utf8(message),
            expect=None,
        )
        if "already exists" in answer.err:
            raise UsageError(f"the tag {name} exists already", fix=f"Choose another name, or `git tag -d {name}` first")
        if "not a valid tag name" in answer.err:
            raise UsageError(f"{name} is no name for a tag")
        if answer.code:
            raise refusal(answer, self.root, "tag")

    def _explain(self, answer: Answer, command: str, *names: str) -> None:
        """Raise the better error: the first ref that is unknown, else git's own words."""
        for name in names:
            self.resolve(name)
        raise refusal(answer, self.root, command)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
