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
from row3.store.cases import PATTERN
from row3.store.config import FILE, read_config
from row3.store.project import READ_PATHS, Project, pick_suite
from row3.workflows.at_ref import Ref, inside_of
from row3.workflows.compare import Comparison
from row3.workflows.gating import compare
from row3.workflows.run_suite import RunOptions
from row3.workflows.session import Session

if TYPE_CHECKING:
    from row3.vcs.repository import Repository

HookName = Literal["pre-commit", "pre-merge-commit", "pre-push"]


@dataclass(slots=True)
class HookVerdict:
    """What a hook found."""

    name: str
    changed: tuple[str, ...] = ()
    """Files row3 reads that differ from the base; none means there was nothing to judge."""
    base: str | None = None
    comparisons: list[Comparison] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    """Suites that have a baseline at the base and no golden case any more."""

    @property
    def exit_code(self) -> int:
        """1 where the gate blocks, 3 where a case has no recorded answer, else 0."""
        if any(not comparison.run.complete for comparison in self.comparisons):
            return 3
        return 1 if self.gone or any(comparison.blocked for comparison in self.comparisons) else 0


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
    if name == "pre-push":
        from row3.vcs.pushes import parse_pushes

        for push in parse_pushes(stdin):
            if push.local_sha is not None:
                base = _push_base(repository, start, push.local_sha, push.remote_sha)
                _judge(repository, verdict, inside, tree=push.local_sha, base=base)
        return verdict
    head = repository.head()
    _judge(repository, verdict, inside, tree=None, base=None if head is None else _fork(repository, start, head))
    return verdict


def _push_base(repository: Repository, start: Path, local: str, remote: str | None) -> str | None:
    """What a push is judged against: what the remote has, where that is known here.

    None where nothing of it is: the commit is then judged as a whole, by its own baseline.
    """
    if remote is not None:
        try:
            return repository.merge_base(local, repository.resolve(remote)) or remote
        except UsageError:
            pass  # the remote has commits that were never fetched; what was fetched last is the best that is known
    protected = repository.protected_branch(_configured(repository, start))
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
    protected = repository.protected_branch(_configured(repository, start))
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


def _configured(repository: Repository, start: Path) -> str | None:
    """The protected branch that row3.toml names, read where the work would go: a change cannot choose its judge."""
    usual = repository.protected_branch(None)
    if usual is None:
        return read_config(start).protected_branch
    with TemporaryDirectory(prefix="row3-config-") as name:
        inside = inside_of(repository, start.resolve())
        repository.read_tree(usual, [f"{inside}{FILE}"], Path(name))
        return read_config(Path(name) / inside).protected_branch


def _judge(repository: Repository, verdict: HookVerdict, inside: str, *, tree: str | None, base: str | None) -> None:
    paths = [inside + path for path in READ_PATHS]
    if base is not None:
        changed = repository.changed(paths, base=base, tree=tree)
        if not changed:
            return
        verdict.changed = tuple(dict.fromkeys((*verdict.changed, *changed)))
    verdict.base = base
    with TemporaryDirectory(prefix="row3-hook-") as name:
        folder = Path(name).resolve()
        count = repository.read_tree(tree, paths, folder) if tree else repository.read_index(paths, folder)
        if count:
            ref = None if base is None else Ref(repository, base, base[:10], inside)
            _judge_folder(verdict, folder / inside, ref)


def _judge_folder(verdict: HookVerdict, root: Path, ref: Ref | None) -> None:
    """Judge every suite of a tree that was laid out."""
    project = Project(root, read_config(root))
    at_base = _baselines_at(ref)
    there = [name for name in project.suite_names() if any(project.golden(name).glob(PATTERN))]
    verdict.gone += [name for name in at_base if name not in there]
    for name in there:
        session = Session(project, pick_suite(project, name, "replay"), RunOptions(mode="replay"), may_write=False)
        if name in at_base:
            verdict.comparisons.append(compare(session, ref=ref))
        elif project.baseline(name).is_file():
            verdict.notes.append(f"suite {name}: the baseline is new in this change, and judges it")
            verdict.comparisons.append(compare(session))
        else:
            verdict.notes.append(
                f"suite {name}: no baseline yet, so nothing was compared (`row3 --baseline` makes one)"
            )


def _baselines_at(ref: Ref | None) -> Sequence[str]:
    if ref is None:
        return ()
    with TemporaryDirectory(prefix="row3-base-") as name:
        folder = Path(name)
        ref.repository.read_tree(ref.sha, [f"{ref.inside}baselines"], folder)
        return [path.stem for path in (folder / ref.inside / "baselines").glob("*.json")]
