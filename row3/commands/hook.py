"""`row3 hook run`: judge a commit, merge or push by recorded answers, read from git into memory."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from row3.domain.code import IMPORTABLE
from row3.domain.files import is_media
from row3.domain.typed_options import is_set
from row3.errors import Row3Error, UsageError
from row3.project.git.forks import fork_of_work, inside_of, protected_branch
from row3.project.places import PLACES, READ_PATHS
from row3.project.root import find_root, refuse_tracked

if TYPE_CHECKING:
    from row3.gate.results import SuiteResult
    from row3.project.git.refs import Push
    from row3.project.git.repository import Repository

HookName = Literal["pre-commit", "pre-merge-commit", "pre-push"]


@dataclass(slots=True)
class HookVerdict:
    """The result of a git hook."""

    name: str
    base: str | None = None
    results: list[SuiteResult] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    """Suites that the change does not affect; they were not run."""
    merging: bool = False
    """The hook stops a merge, which the user can abort."""
    not_added: tuple[str, ...] = ()
    """Files row3 reads whose work-tree version differs from the judged one; filled only if the hook stops something."""
    directory: str = ""
    """Value for `-C` where git was called; empty if row3 finds the project itself."""
    folder: str = ""
    """The project's folder relative to that place, empty or ending in a slash."""

    @property
    def exit_code(self) -> int:
        """2 if a suite is unusable, 1 if the gate blocks, 3 if a case has no recorded answer, else 0."""
        if not self.results:
            return 0
        from row3.gate.results import worst_code

        return worst_code(result.exit_code for result in self.results)


def run_hook(start: Path, name: HookName, stdin: str = "") -> HookVerdict:
    """Judge a commit, merge or push for one hook; `stdin` is what git passes to `pre-push`."""
    from row3.project.git.repository import Repository

    repository, start = Repository.find(start), start.resolve()
    if repository is None:
        raise UsageError("not a git repository", where=str(start), fix="Run `git init`, then `row3 hook install`")
    verdict = HookVerdict(name)
    verdict.directory, verdict.folder = _called_from(repository, start)
    if name == "pre-push":
        from row3.project.git.refs import parse_pushes

        for push in parse_pushes(stdin):
            if push.local_sha is not None:
                base = _push_base(repository, start, push)
                _judge(repository, start, verdict, commit=push.local_sha, base=base)
        return verdict
    head = repository.head()
    base = None if head is None else fork_of_work(repository, start, head)
    _judge(repository, start, verdict, commit=None, base=base)
    verdict.merging = bool(verdict.exit_code) and (name == "pre-merge-commit" or bool(repository.merging()))
    if verdict.exit_code:
        inside = inside_of(repository, start)
        verdict.not_added = tuple(repository.unstaged([inside + path for path in READ_PATHS]))
    return verdict


def _push_base(repository: Repository, start: Path, push: Push) -> str | None:
    """Return the commit that judges a push: where it left what the remote has; None if unknown."""
    local, protected = push.local_sha or "", protected_branch(repository, start)
    if push.remote_sha is not None:
        try:
            remote = repository.resolve(push.remote_sha)
            base = repository.merge_base(local, remote) or remote
        except UsageError:
            pass  # the remote's commit was never fetched: use the last one that was
        else:
            # A forced push to the protected branch may undo a promotion, so all it drops is judged.
            onto = push.remote_ref.removeprefix("refs/heads/")
            forced = base != remote and protected is not None and onto == protected.removeprefix("origin/")
            return remote if forced else base
    for name in () if protected is None else (f"refs/remotes/{protected}", f"refs/remotes/origin/{protected}"):
        try:
            published = repository.resolve(name)  # never the local branch, which may be what is pushed
        except UsageError:
            continue
        return repository.merge_base(local, published) or published
    return None


def _judge(repository: Repository, root: Path, verdict: HookVerdict, *, commit: str | None, base: str | None) -> None:
    """Judge the index or a commit for the suites that the change affects, or for all without a base."""
    inside = inside_of(repository, root)
    repository.object_ids(commit, [inside + path for path in PLACES])  # refuses symbolic links
    refuse_tracked(root)
    changed: list[str] = []
    if base is not None:
        edited = [path.removeprefix(inside) for path in repository.changed([inside], base=base, tree=commit)]
        # Of Python files and pictures only those that checks or cases name: an application changes others all the time.
        others = [path for path in edited if path.endswith(IMPORTABLE) or is_media(path)]
        changed = [path for path in edited if path.split("/")[0] in READ_PATHS or path in others]
        if not changed:
            return
    from row3.commands.all_suites import judge_suites  # most commits need none of these
    from row3.commands.code_guard import VARIABLE, Guard
    from row3.project.base import affected, project_at
    from row3.project.project import pick_suite
    from row3.running.run_options import RunOptions
    from row3.running.session import CommandOptions, Session

    verdict.base = base
    head = project_at(repository, root, commit, label="")
    judge = None if base is None else project_at(repository, root, base, label=base[:10])
    if judge is not None and not is_set(os.environ, VARIABLE):
        guard = Guard(judge)
        head, judge = replace(head, guard=guard), replace(judge, guard=guard)
    names = [name for name in head.suite_names() if head.has_cases(name)]
    affects = set(names) if judge is None else affected(head, judge, changed)
    verdict.untouched += [name for name in names if name not in affects]

    def session(name: str) -> Session:
        return Session(
            head, pick_suite(head, name, "replay"), RunOptions(mode="replay"), CommandOptions(may_write=False)
        )

    verdict.results += judge_suites(session, head, [name for name in names if name in affects], judge)


def _called_from(repository: Repository, project: Path) -> tuple[str, str]:
    """Return the project's folder relative to where git was called: for `row3 -C`, empty if not needed, and for git."""
    prefix = os.environ.get("GIT_PREFIX")
    here = Path.cwd() if prefix is None else repository.root / prefix
    path = os.path.relpath(project, here.resolve())
    try:
        found = find_root(here) == project
    except Row3Error:
        found = False
    return "" if found else path, "" if path == "." else f"{path}/"
