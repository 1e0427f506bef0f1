"""Git hooks: judge a commit, merge or push by recordings, in memory."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from row3.domain.given import is_set
from row3.errors import Row3Error, UsageError
from row3.gate.outcomes import HookVerdict
from row3.store.project import PLACES, READ_PATHS, find_root
from row3.store.suites import pick_suite
from row3.workflows.guard import VARIABLE, Guard
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.session import Session
from row3.workflows.snapshots import affected, fork_of_work, inside_of, protected_branch, snapshot_of
from row3.workflows.suites.all_suites import judge_suites

if TYPE_CHECKING:
    from row3.vcs.refs import Push
    from row3.vcs.repository import Repository

HookName = Literal["pre-commit", "pre-merge-commit", "pre-push"]


def run_hook(start: Path, name: HookName, stdin: str = "") -> HookVerdict:
    """Judge for one hook; `stdin` is what git hands to `pre-push`."""
    from row3.vcs.repository import Repository

    repository, start = Repository.find(start), start.resolve()
    if repository is None:
        raise UsageError("not a git repository", where=str(start), fix="Run `git init`, then `row3 hook install`")
    verdict = HookVerdict(name)
    verdict.directory, verdict.folder = _called_from(repository, start)
    if name == "pre-push":
        from row3.vcs.refs import parse_pushes

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
    """Return the base of a push: the remote's commit; None if it is unknown here."""
    local, protected = push.local_sha or "", protected_branch(repository, start)
    if push.remote_sha is not None:
        try:
            remote = repository.resolve(push.remote_sha)
            base = repository.merge_base(local, remote) or remote
        except UsageError:
            pass  # the remote has commits that were never fetched; what was fetched last is the best that is known
        else:
            # On the protected branch a forced push may undo a promotion: that is judged too.
            onto = push.remote_ref.removeprefix("refs/heads/")
            forced = base != remote and protected is not None and onto == protected.removeprefix("origin/")
            return remote if forced else base
    for name in () if protected is None else (f"refs/remotes/{protected}", f"refs/remotes/origin/{protected}"):
        try:
            # Never the local branch: it may be what is pushed.
            published = repository.resolve(name)
        except UsageError:
            continue
        return repository.merge_base(local, published) or published
    return None


def _judge(repository: Repository, root: Path, verdict: HookVerdict, *, commit: str | None, base: str | None) -> None:
    """Judge the index or a commit for the suites that the change affects; every suite without a base."""
    inside = inside_of(repository, root)
    repository.object_ids(commit, [inside + path for path in PLACES])  # no link is let in
    changed: list[str] = []
    if base is not None:
        changed = repository.changed([inside + path for path in READ_PATHS], base=base, tree=commit)
        if not changed:
            return
        verdict.changed = tuple(dict.fromkeys((*verdict.changed, *changed)))
    verdict.base = base
    head = snapshot_of(repository, root, commit, label="")
    there = None if base is None else snapshot_of(repository, root, base, label=base[:10])
    if there is not None and not is_set(os.environ, VARIABLE):
        guard = Guard(there)
        for each in (head, there):
            each.project = replace(each.project, guard=guard)
    project = head.project
    names = [name for name in project.suite_names() if head.has_cases(name)]
    concerned = set(names)
    if there is not None:
        concerned = affected(head, there, [path.removeprefix(inside) for path in changed])
    verdict.untouched += [name for name in names if name not in concerned]

    def session(name: str) -> Session:
        return Session(project, pick_suite(project, name, "replay"), RunOptions(mode="replay"), may_write=False)

    verdict.results += judge_suites(session, project, [name for name in names if name in concerned], there)


def _called_from(repository: Repository, project: Path) -> tuple[str, str]:
    """The project's folder as `row3 -C` needs it where git was called, empty if it does not; and as git needs it."""
    prefix = os.environ.get("GIT_PREFIX")
    here = Path.cwd() if prefix is None else repository.root / prefix
    path = os.path.relpath(project, here.resolve())
    try:
        found = find_root(here) == project
    except Row3Error:
        found = False
    return "" if found else path, "" if path == "." else f"{path}/"
