"""What git is to hold of a promotion: its files in one commit, and a tag on that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from row3.domain.prompts import PromptRef
from row3.domain.tiers import file_stem
from row3.errors import EnvironmentFault, UsageError
from row3.gate.results import JudgedSuite, PromotionResult
from row3.store.history import FILE as HISTORY
from row3.store.project import CHANGELOG, Project
from row3.store.prompts import PROMOTED, read_promoted
from row3.store.suites import Suite
from row3.store.tree import GitTree, Tree
from row3.workflows.history.trend import chart_name
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.session import Session
from row3.workflows.snapshots import inside_of

if TYPE_CHECKING:
    from row3.vcs.repository import Repository

BOTH_SIDES = (CHANGELOG, "baselines", "charts", PROMOTED)
"""What two promotions both write; all of it a promotion makes anew."""
SHORT = 10
"""Characters of a commit's id in messages."""
NO_GIT = "no git repository: nothing was committed or tagged"


class AlreadyDone(Exception):  # noqa: N818 - nothing went wrong
    """The version had been promoted before; `files` are those that opening the project finished."""

    def __init__(self, name: str, files: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        self.name, self.files = name, files
        self.did: list[str] = []
        """What of commit and tag was made now."""
        self.had: list[str] = []
        """What of them was there."""
        self.left = ""
        """What is still to be done, and by whom: nobody has asked for it, or row3 does not do it."""

    def told(self) -> str:
        """What was done, what was there and what is left, in a line; the files below it."""
        steps = ["the interrupted promotion was finished"] if self.files else []
        steps += [*self.did, *([self.left] if self.left else [])]
        if not steps:
            steps = [f"{' and '.join(self.had)}; nothing is left to do" if self.had else "nothing is left to do"]
        elif self.files and not self.did:
            steps = [*steps[:1], "Commit these files together"]
        listed = "".join(f"\n  {file}" for file in self.files)
        return f"{self.name} is promoted: {'. '.join(steps)}.{listed}"


def check_committer(project: Project) -> None:
    """Raise `EnvironmentFault` where git could not commit for want of a name and a mail address."""
    from row3.vcs.repository import Repository

    repository = Repository.find(project.root)
    if repository is not None:
        repository.check_identity()


def commit_and_tag(project: Project, result: PromotionResult, *, make_commit: bool, make_tag: bool) -> None:
    """Commit what a promotion wrote, with the prompts and recordings that it rests on; tag that commit."""
    from row3.vcs.repository import Repository

    repository = Repository.find(project.root)
    if repository is None:
        result.notes.append(NO_GIT)
        return
    name = f"{result.ref.name} {result.ref.version}"
    if make_commit:
        ran = [str(prompt.ref) for prompt in result.run.lineup.prompts]
        paths = _inside(
            repository, project, [*result.files, *_sources(project, result.run.suite, result.promoted, ran)]
        )
        try:
            result.commit = repository.commit(paths, f"Promote {name}\n\n{result.verdict.word}: see {CHANGELOG}")
        except EnvironmentFault as refused:
            again = f"row3 promote {result.ref}{result.run.suite.flag} --commit{' --tag' if make_tag else ''}"
            fix = f"The promotion of {name} is written, and no commit has it yet: mend that, and `{again}` commits it"
            raise EnvironmentFault(refused.what, where=refused.where, fix=fix) from None
    if make_tag:
        result.tag = str(result.ref)
        repository.tag(result.tag, f"Promote {name}")


def finish(session: Session, ref: PromptRef, *, make_commit: bool, make_tag: bool) -> AlreadyDone:
    """What is still to be done for a version that is promoted: commit its files, tag that commit.

    A promotion may have been cut off before either, or have been asked for neither.

    Raises `UsageError` where nothing was asked for and nothing is left, or where the tag names something else.
    """
    from row3.vcs.repository import Repository

    project, name = session.project, f"{ref.name} {ref.version}"
    repository = Repository.find(project.root)
    done = AlreadyDone(name, session.recovered if PROMOTED in session.recovered else ())
    if repository is not None and (lost := _lost_locks(repository, project)):
        raise UsageError(f"{name} is promoted here, and {lost[0]}", where="VERSION", fix=lost[1])
    there = None if repository is None else _promoting_commit(repository, project, ref)
    if repository is None or not (make_commit or there is None):
        if not done.files:
            see = f"See `row3 history{session.suite.flag}`"
            raise UsageError(f"{name} is promoted already", where="VERSION", fix=see)
        return done
    if not make_commit:
        done.left = f"no commit has it yet; `row3 promote {ref}{session.suite.flag} --commit` makes one"
        return done
    if not session.may_write:
        fix = "Promote on a developer's machine and commit it"
        raise UsageError("a promotion writes tracked files", where="CI", fix=fix)
    # `git commit -a` by hand takes the lock and leaves out the prompt, which git does not know yet.
    if there is None or repository.is_dirty(_inside(repository, project, [f"prompts/{ref}.md"])):
        paths = _inside(repository, project, _written(project, session.suite))
        repository.check_identity()
        made = repository.commit(paths, f"Promote {name}\n\nSee {CHANGELOG}")
        done.did += [] if made is None else [f"committed as {made[:10]}"]
        there = made or there
    else:
        done.had.append(f"committed as {there[:10]}")
    if make_tag and there is not None:
        tag = f"refs/tags/{ref}"
        if repository.knows(tag) and _has(repository, project, tag, ref):
            at = repository.resolve(tag)
            if repository.contains(at):
                done.had.append(f"tagged {ref}")
            else:
                done.left = _astray(str(ref), at, name, there)
        else:
            repository.tag(str(ref), f"Promote {name}", at=there)
            done.did.append(f"tagged {ref}")
    return done


def _astray(tag: str, at: str, name: str, there: str) -> str:
    """A tag is where a rebase or a squash left it: row3 moves none, since others may have it."""
    move = f'git tag -f -a -m "Promote {name}" {tag} {there[:SHORT]}'
    where = f"the tag {tag} is on {at[:SHORT]}, which is not in the history of HEAD"
    return f"{where}; `{move}` moves it, and `git push -f origin {tag}` where it was pushed"


def _lost_locks(repository: Repository, project: Project) -> tuple[str, str] | None:
    """A version that HEAD or a commit being merged has promoted, and the work tree does not know; and what to do.

    A merge that was resolved by one side's lock file: the versions of the other one could be edited in place.
    """
    held = _versions(project.tree)
    for commit in ("HEAD", *repository.merging()) if repository.head() else ():
        tree = _tree_of(repository, project, commit, BOTH_SIDES)
        if lost := sorted(_versions(tree) - held):
            there = [path for path in BOTH_SIDES if tree.exists(path)]
            label = commit if commit == "HEAD" else commit[:SHORT]
            what = f"{PROMOTED} lacks {', '.join(lost)}, which {label} has promoted"
            return what, f"`git checkout {label} -- {' '.join(there)}`, then promote once more"
    return None


def _tree_of(repository: Repository, project: Project, commit: str, paths: Sequence[str]) -> Tree:
    return GitTree(project.root, commit, *repository.contents(commit, project.root, paths))


def _versions(tree: Tree) -> set[str]:
    """All versions that are or were promoted."""
    table = read_promoted(tree)
    return {f"{name} {version}" for name, entry in table.items() for version in (entry.version, *entry.locked)}


def _promoting_commit(repository: Repository, project: Project, ref: PromptRef) -> str | None:
    """The commit since which a version is the current one; None where it is in none yet."""
    found = None
    for commit in repository.commits_of(*_inside(repository, project, [PROMOTED])):
        if not _has(repository, project, commit, ref):
            break
        found = commit
    return found


def _has(repository: Repository, project: Project, commit: str, ref: PromptRef) -> bool:
    """Whether a commit has this version as the current one."""
    entry = read_promoted(_tree_of(repository, project, commit, [PROMOTED])).get(ref.name)
    return entry is not None and entry.version == str(ref.version)


def _written(project: Project, suite: Suite) -> list[str]:
    """All that the last promotion of a suite can have written, and what it rests on."""
    run_id = re.compile(rf"{re.escape(suite.name)}-\d{{8}}T")
    archive = sorted(path.name for path in (project.root / "baselines/archive").glob("*.json"))
    table = read_promoted(project.tree)
    prompts = [prompt.ref for prompt in line_up(project, suite, role="promoted").prompts]
    ran = [str(ref) for ref in prompts]
    promoted = [str(ref) for ref in prompts if ref.name in table]
    return [
        PROMOTED,
        f"baselines/{file_stem(suite.name, suite.tier)}.json",
        *(f"baselines/archive/{name}" for name in archive if run_id.match(name)),
        CHANGELOG,
        HISTORY,
        *(f"{chart_name(suite)}.{form}" for form in ("svg", "png")),
        *_sources(project, suite, promoted, ran),
    ]


def _sources(project: Project, suite: JudgedSuite, promoted: Iterable[str], ran: Iterable[str]) -> list[str]:
    """The promoted prompts, and the files with the answers of those that ran."""
    recorded = [f"recordings/{suite.name}/{ref}.jsonl" for ref in ran]
    prompts = [f"prompts/{ref}.md" for ref in promoted]
    return [*prompts, *(file for file in recorded if (project.root / file).is_file())]


def _inside(repository: Repository, project: Project, files: Iterable[str]) -> list[str]:
    """Files of the project as the repository names them."""
    prefix = inside_of(repository, project.root)
    return [prefix + file for file in files]
