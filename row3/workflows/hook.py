"""What the git hooks do: judge what is being committed, merged or pushed, offline and in strict replay.

The index (or the pushed commit) is laid out in a temporary folder and compared there with baseline, golden cases and
thresholds of the commit where the work left the protected branch, so that a change cannot loosen its own gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from row3.errors import UsageError
from row3.reports.suites.suites_model import SuiteResult, worst_code
from row3.store.config import FILE, read_config
from row3.store.project import READ_PATHS, Project
from row3.store.suites import pick_suite
from row3.store.tree import WorkTree
from row3.workflows.against.affected import affected
from row3.workflows.against.approved_beside import approved_beside
from row3.workflows.against.at_ref import Base, Ref, inside_of, laid_out
from row3.workflows.against.called_from import called_from
from row3.workflows.against.default_suite import has_cases
from row3.workflows.against.gone_suites import gone_suites
from row3.workflows.against.recordings_beside import recorded_beside
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.session import Session
from row3.workflows.suites.judge_suites import judge_suites

if TYPE_CHECKING:
    from row3.vcs.pushes import Push
    from row3.vcs.repository import Repository

HookName = Literal["pre-commit", "pre-merge-commit", "pre-push"]


@dataclass(slots=True)
class HookVerdict:
    """What a hook found."""

    name: str
    changed: tuple[str, ...] = ()
    """Files row3 reads that differ from the base; none means there was nothing to judge."""
    base: str | None = None
    results: list[SuiteResult] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    """Suites that nothing of the change concerns: they were not run."""
    merging: bool = False
    """What is stopped is a merge, which can be taken back."""
    not_added: set[str] = field(default_factory=set)
    """Suites of which the work tree has the recordings that what is judged lacks."""
    approved_beside: set[str] = field(default_factory=set)
    """Blocked suites whose approval is in the work tree, and not among what is judged."""
    directory: str = ""
    """The project as row3 has to be given it where git was called; empty where it finds it by itself."""
    folder: str = ""
    """The project's folder from there, empty or ending in a slash."""

    @property
    def exit_code(self) -> int:
        """2 where a suite cannot be used, 1 where the gate blocks, 3 where a case has no recorded answer, else 0."""
        return worst_code(result.exit_code for result in self.results)


def run_hook(start: Path, name: HookName, stdin: str = "") -> HookVerdict:
    """Judge for one hook; `stdin` is what git hands to `pre-push`.

    Raises `InvalidFile`, `UsageError`, `EnvironmentFault`.
    """
    from row3.vcs.repository import Repository

    repository = Repository.find(start)
    if repository is None:
        raise UsageError("this is no git repository", where=str(start), fix="Run `git init`, then `row3 hook install`")
    inside = inside_of(repository, start.resolve())
    verdict = HookVerdict(name)
    verdict.directory, verdict.folder = called_from(repository, start)
    if name == "pre-push":
        from row3.vcs.pushes import parse_pushes

        for push in parse_pushes(stdin):
            if push.local_sha is not None:
                base = _push_base(repository, start, push)
                _judge(repository, verdict, inside, tree=push.local_sha, base=base)
        return verdict
    head = repository.head()
    _judge(repository, verdict, inside, tree=None, base=None if head is None else work_base(repository, start, head))
    verdict.merging = bool(verdict.exit_code) and (name == "pre-merge-commit" or bool(repository.merging()))
    return verdict


def work_base(repository: Repository, start: Path, head: str) -> str:
    """What a commit on this head is judged against: where the work left the protected branch.

    Of a merge that is where the last of its lines did.
    What a merge brings from the protected branch was judged there.
    """
    base = _fork(repository, start, head)
    for other in repository.merging():
        theirs = _fork(repository, start, other)
        if repository.merge_base(base, theirs) == base:
            base = theirs
    return base


def _push_base(repository: Repository, start: Path, push: Push) -> str | None:
    """What a push is judged against: what the remote has, where that is known here.

    None where nothing of it is: the commit is then judged as a whole, by its own baseline.
    """
    local, protected = push.local_sha or "", _protected(repository, start)
    if push.remote_sha is not None:
        try:
            remote = repository.resolve(push.remote_sha)
            base = repository.merge_base(local, remote) or remote
        except UsageError:
            pass  # the remote has commits that were never fetched; what was fetched last is the best that is known
        else:
            # Of the protected branch a forced push may take back what was promoted there: that too is judged.
            onto = push.remote_ref.removeprefix("refs/heads/")
            forced = base != remote and protected is not None and onto == protected.removeprefix("origin/")
            return remote if forced else base
    for name in () if protected is None else (f"refs/remotes/{protected}", f"refs/remotes/origin/{protected}"):
        try:
            # Never the branch as it is here: that may be the very thing that is pushed.
            published = repository.resolve(name)
        except UsageError:
            continue
        return repository.merge_base(local, published) or published
    return None


def _fork(repository: Repository, start: Path, commit: str) -> str:
    """Where the commit's line of work left the protected branch; the commit itself on that branch."""
    protected = _protected(repository, start)
    if protected is None:
        return commit
    base = repository.merge_base(commit, protected)
    if base is None:  # a line of its own is judged by what it would join
        return repository.resolve(protected)
    # A clone knows the branch twice, as the remote had it and as it is here; the later of the two is where work left.
    _, slash, local = protected.partition("/")
    if slash:
        try:
            nearer = repository.merge_base(commit, repository.resolve(local))
        except UsageError:
            return base
        if nearer is not None and repository.merge_base(base, nearer) == base:
            return nearer
    return base


def _protected(repository: Repository, start: Path) -> str | None:
    """The ref of the protected branch, as far as there is one."""
    usual = repository.protected_branch(None)
    configured = _configured(repository, start, usual)
    return repository.protected_branch(configured) if configured else usual


def _configured(repository: Repository, start: Path, usual: str | None) -> str | None:
    """The protected branch that row3.toml names, read where the work would go: a change cannot choose its judge."""
    if usual is None:
        return read_config(WorkTree(start)).protected_branch
    with TemporaryDirectory(prefix="row3-config-") as name:
        inside = inside_of(repository, start.resolve())
        repository.read_tree(usual, [f"{inside}{FILE}"], Path(name))
        return read_config(WorkTree(Path(name) / inside)).protected_branch


def _judge(repository: Repository, verdict: HookVerdict, inside: str, *, tree: str | None, base: str | None) -> None:
    paths = [inside + path for path in READ_PATHS]
    changed: list[str] = []
    if base is not None:
        changed = repository.changed(paths, base=base, tree=tree)
        if not changed:
            return
        verdict.changed = tuple(dict.fromkeys((*verdict.changed, *changed)))
    verdict.base = base
    with TemporaryDirectory(prefix="row3-hook-") as name:
        folder = Path(name).resolve()
        count = repository.read_tree(tree, paths, folder) if tree else repository.read_index(paths, folder)
        if count or base is not None:  # a change that leaves nothing has taken away what the base had
            (folder / inside).mkdir(parents=True, exist_ok=True)
            ref = None if base is None else Ref(repository, base, base[:10], inside)
            with laid_out(ref, changed) as at_base:
                found = _judge_folder(
                    verdict, folder / inside, at_base, [path.removeprefix(inside) for path in changed]
                )
                verdict.approved_beside |= approved_beside(found, repository.root / inside, at_base)
            verdict.not_added |= recorded_beside(folder / inside, found, repository.root / inside)


def _judge_folder(verdict: HookVerdict, root: Path, base: Base | None, changed: Sequence[str]) -> Sequence[SuiteResult]:
    """Judge the suites of a tree that was laid out, as far as the change concerns them; all where there is no base."""
    project = Project(root, read_config(WorkTree(root)))

    def session(name: str) -> Session:
        return Session(project, pick_suite(project, name, "replay"), RunOptions(mode="replay"), may_write=False)

    there = [name for name in project.suite_names() if has_cases(project, name)]
    concerned = set(there) if base is None else affected(project, changed, base.project.root)
    verdict.untouched += [name for name in there if name not in concerned]
    judged = judge_suites(session, [name for name in there if name in concerned], base, change=True)
    found = [*judged, *gone_suites(project, base)]
    verdict.results += found
    return found
