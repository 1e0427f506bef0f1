"""Judging by the files of a git ref, so that a change cannot loosen its own gate."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from row3.domain.tiers import TIERS, Tier, file_stem, suite_of_stem
from row3.domain.verdicts import Reason, Verdict
from row3.errors import InvalidFile, UsageError
from row3.store.cases import CaseFiles, StoredCase, case_files, demands, gone_demands, read_case
from row3.store.config import FILE, read_config
from row3.store.history import FILE as HISTORY
from row3.store.project import READ_PATHS, Project
from row3.store.prompts import PROMOTED
from row3.store.suites import Suite, make_suite
from row3.store.tree import Tree, WorkTree, same_file
from row3.workflows.against.default_suite import brought_default, default_reasons
from row3.workflows.against.gone_prompts import gone_prompt_reasons
from row3.workflows.against.laid_beside import lay_beside
from row3.workflows.against.locks_at_ref import lock_reasons
from row3.workflows.against.rules_at_ref import live_reasons, rules_reasons

if TYPE_CHECKING:
    from row3.vcs.repository import Repository

READ = (FILE, "golden", "baselines", PROMOTED, HISTORY)
"""What a comparison against a git ref takes from that ref."""
JUDGED = (*READ, "prompts", "recordings")
"""What of a commit can move a verdict."""
NAMED = 5
"""Files that a reason names before it only counts."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A commit of a repository, and where in it the project lies."""

    repository: Repository
    sha: str
    label: str
    """What messages call it."""
    inside: str
    """The project's folder in the repository, empty or ending in a slash."""
    behind: int = 0
    """Commits of it that change what row3 reads, and that HEAD lacks."""


@dataclass(slots=True)
class Judging:
    """What judges: the project's own files, or those of a git ref."""

    project: Project
    suite: Suite
    files: CaseFiles
    label: str = ""
    """What messages call the ref; empty where the project judges itself."""
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    hint: str = ""
    """What would spare those who come after the change; empty for nothing."""
    added: tuple[str, ...] = ()
    """Cases that only the change has."""
    new_baseline: bool = False
    """The change brings a baseline of its own, which has to follow from its recordings."""
    edited: tuple[str, ...] = ()
    """Cases that the change edits, as it has them."""
    not_as_here: frozenset[str] = frozenset()
    """Ids of the base's cases that the change edits or takes away."""
    asked_no_more: frozenset[str] = frozenset()
    """Of these, those whose input it edits or takes away."""
    for_all: bool = False
    """A reason concerns more than this suite and is told here alone, so no informational gate lets it pass."""
    brought: str | None = None
    """The default suite of the change, where only who approves of it holds it to anything."""


def inside_of(repository: Repository, root: Path) -> str:
    """The project's folder in the repository, empty or ending in a slash."""
    prefix = repository.relative(root)
    return "" if prefix in ("", ".") else f"{prefix}/"


def find_ref(project: Project, name: str) -> Ref:
    """The commit that `--against` names: `REF`, or with `REF...` the one where HEAD left it.

    Raises `UsageError`, also where the change keeps files in a submodule.
    """
    from row3.vcs.refs import fork_of
    from row3.vcs.repository import Repository

    repository = Repository.find(project.root)
    if repository is None:
        raise UsageError("this is no git repository", where="--against", fix="Leave --against out, or run `git init`")
    inside = inside_of(repository, project.root)
    repository.refuse_submodules([inside + path for path in READ_PATHS])
    if (left := fork_of(name)) is not None:
        return Ref(repository, repository.fork_point(left), name, inside)
    sha = repository.resolve(name)
    return Ref(repository, sha, name, inside, repository.lacking(sha, [inside + path for path in JUDGED]))


class Base:
    """The files of a ref, laid out in a folder: for one suite, or for all of them in turn."""

    def __init__(self, ref: Ref, folder: Path, changed: Collection[str] = ()) -> None:
        root = folder / ref.inside
        self.ref = ref
        self.project = Project(root, read_config(WorkTree(root)))
        self._changed = frozenset(changed)
        self._cases: dict[str, dict[str, str]] = {}

    def cases(self, suite: str) -> dict[str, str]:
        """A suite's golden cases by file name, as the ref has them, without those that are laid beside them later.

        Raises `InvalidFile` where the ref has none.
        """
        folder = self.project.golden(suite)
        if folder not in self._cases:
            self._cases[folder] = _by_name(self.project.tree, folder)
        return self._cases[folder]

    def differs(self, file: str) -> bool:
        """A file of the recordings, by its path in the project, is not as it was there."""
        return self.ref.inside + file in self._changed

    def suites(self, tier: Tier) -> list[str]:
        """The suites that have a baseline of this tier there."""
        stems = [path.stem for path in sorted((self.project.root / "baselines").glob("*.json"))]
        return [suite_of_stem(stem) for stem in stems if stem == file_stem(suite_of_stem(stem), tier)]

    def has_judged(self, default: str | None) -> bool:
        """Whether a run there without `--suite` could be judged at all: its default suite has a baseline.

        Where none is named, it is the project's only suite, if there is one.
        """
        return default is None or any(default in self.suites(tier) for tier in TIERS)


@contextmanager
def laid_out(ref: Ref | None, changed: Sequence[str] | None = None) -> Iterator[Base | None]:
    """The files of a ref in a temporary folder; None without one. Raises `InvalidFile` for its row3.toml.

    Of the recordings only those that differ are laid out: files of `changed`, or of the work tree where that is None.
    """
    if ref is None:
        yield None
        return
    recordings = f"{ref.inside}recordings/"
    if changed is None:
        changed = ref.repository.differing([recordings], base=ref.sha)
    with TemporaryDirectory(prefix="row3-against-") as name:
        paths = [*(ref.inside + path for path in READ), *(path for path in changed if path.startswith(recordings))]
        ref.repository.read_tree(ref.sha, paths, Path(name))
        yield Base(ref, Path(name), changed)


def judging_by(project: Project, suite: Suite, base: Base | None) -> Judging:
    """What judges a suite. Raises `InvalidFile` where the base does not have the suite."""
    if base is None:
        return Judging(project, suite, CaseFiles(project.tree, case_files(project.tree, suite.golden)))
    return _at(base, project, suite)


def _at(base: Base, own: Project, here: Suite) -> Judging:
    name, label, there = here.name, base.ref.label, base.project
    if not there.tree.exists(there.golden(name)):
        raise InvalidFile(
            f"the suite does not exist at {label}", where=f"{here.golden}/", fix="Compare without --against"
        )
    # How the answers come about is the change's business; what they are held to is the ref's.
    suite = replace(
        make_suite(there.config, name, here.tier),
        pipeline=here.pipeline,
        provider=here.provider,
        system=here.system,
        flag=here.flag,
        given=here.given,
    )
    old = base.cases(name)

    def was(file: str) -> StoredCase:
        return read_case(there.tree, old[file], suite.kind)

    def now(file: str) -> StoredCase:
        return read_case(own.tree, new[file], suite.kind)

    new = _by_name(own.tree, own.golden(name))
    if gone_ids := {was(file).id: file for file in old if file not in new}:  # a renamed file: its id tells
        ids = {file: now(file).id for file in new if file not in old}
        new = {gone_ids.get(ids[file], file) if file in ids else file: path for file, path in new.items()}
    both = {*old} & {*new}
    edits = {file for file in both if there.tree.read(old[file]) != own.tree.read(new[file])}
    others = sorted(file for file in edits if was(file).id != now(file).id)
    gone = sorted({*old} - {*new})
    changed = sorted(edits - {*others})
    added = sorted(set(new) - set(old))
    reasons = []
    if gone:
        what = f"golden cases removed since {label}: {listed(gone)}"
        reasons.append(Reason(Verdict.BLOCK, what, cause="cases"))
    if others:
        what = f"golden cases with another id than at {label}, where the baseline knows them by it: {listed(others)}"
        reasons.append(Reason(Verdict.BLOCK, what, cause="cases"))
    if changed:
        what = f"golden cases changed since {label}, judged as they were there: {listed(changed)}"
        reasons.append(Reason(Verdict.INVESTIGATE, what, cause="cases"))
    weakened = [file for file in changed if _weakened(was(file).case, now(file).case, suite)]
    if weakened:
        what = f"golden cases that demand less than at {label}: {listed(weakened)}"
        reasons.append(Reason(Verdict.BLOCK, what, cause="cases"))
    rules = rules_reasons(here, suite, label)
    reasons += [*rules, *live_reasons(there, own, name, label)]
    reasons += lock_reasons(base, own, name)
    reasons += gone_prompt_reasons(base, own, name)
    reasons += (default := default_reasons(base, own, name))
    lay_beside(there, there.golden(name), old, own, {file: new[file] for file in added})
    baseline = own.baseline(name)
    before, after = there.tree.exists(baseline), own.tree.exists(baseline)
    if before and not after:
        what = f"the baseline was removed since {label}: nothing would judge what comes after this change"
        reasons.append(Reason(Verdict.BLOCK, what, cause="baseline"))
    moved = after and not same_file(there.tree, own.tree, baseline)
    notes = [f"golden cases new since {label}: {listed(added)}"] if added else []
    notes += [f"the baseline is another one than at {label}"] if moved else []
    otherwise = [file for file in changed if _asks_otherwise(was(file).case, now(file).case, suite)]
    less = gone or others or weakened or any(reason.verdict is Verdict.BLOCK for reason in rules)
    return Judging(
        there,
        suite,
        CaseFiles(there.tree, case_files(there.tree, there.golden(name))),
        label,
        reasons=tuple(reasons),
        notes=tuple(notes),
        hint=_keep_up(here.flags("row3 --baseline")) if (less or otherwise) and after and not moved else "",
        added=tuple(new[file] for file in added),
        new_baseline=moved,
        edited=tuple(new[file] for file in (*changed, *others)),
        not_as_here=frozenset(was(file).id for file in (*gone, *others, *changed)),
        asked_no_more=frozenset(was(file).id for file in (*gone, *others, *otherwise)),
        for_all=bool(default),
        brought=brought_default(base, own) if default else None,
    )


def unjudged_reasons(left_out: Sequence[str], label: str) -> list[Reason]:
    """The ground against a change of whose old cases nobody can tell whether it made them worse."""
    if not left_out:
        return []
    texts, have = ("texts", "have") if len(left_out) > 1 else ("text", "has")
    names = listed(list(left_out))
    what = f"the {texts} that {names} had at {label} {have} no recorded answer, so the change is judged without "
    return [Reason(Verdict.BLOCK, what + ("them" if len(left_out) > 1 else "it"), cause="unjudged")]


def _keep_up(flag: str) -> str:
    return (
        "the baseline still has what this change gives up or asks otherwise: `row3 --baseline"
        f"{flag}` in the same change keeps later comparisons whole; an approval is given after it"
    )


def _by_name(tree: Tree, folder: str) -> dict[str, str]:
    return {path.removeprefix(f"{folder}/"): path for path in case_files(tree, folder)}


def _weakened(old: Any, new: Any, suite: Suite) -> bool:
    """The case no longer demands something that it did, or demands another thing in its place."""
    kind = suite.kind
    return gone_demands(demands(kind, old), kind, new) > 0 or kind.swaps_a_name(old, new)


def _asks_otherwise(old: Any, new: Any, suite: Suite) -> bool:
    """What the case gives to the prompts is another."""
    return bool(suite.kind.variables(old) != suite.kind.variables(new))


def listed(names: list[str]) -> str:
    """The first few of some names, and how many more there are."""
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"
