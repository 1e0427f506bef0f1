"""Find the base: the commit that `--against` names, or the one where the work left the protected branch."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from row3.domain.code import defines
from row3.domain.files import file_inputs, is_media
from row3.domain.prompts import PromptRef
from row3.domain.runs import suite_of_stem
from row3.errors import EnvironmentFault, Row3Error, UsageError
from row3.project.cases import file_of
from row3.project.files import link_at
from row3.project.git.forks import fork_of_work, inside_of
from row3.project.history import FILE as HISTORY
from row3.project.once import once
from row3.project.places import FILE, PLACES, READ_PATHS
from row3.project.project import Guard, Project
from row3.project.prompts import PROMOTED
from row3.project.system_config import McpConfig
from row3.project.tree import GitTree, WorkTree
from row3.project.trusted_code import scorers_of

if TYPE_CHECKING:
    from row3.project.git.repository import Repository

JUDGED = (FILE, "golden", "baselines", "calibrations", PROMOTED, HISTORY, "prompts", "schemas", "recordings")
"""Files of a project that can move a verdict."""
CRITERIA = (FILE, "golden", "calibrations", "prompts")
"""Files of a project that hold criteria: rules, golden cases and rubrics."""
OUTSIDE_GIT = (None, None)
"""`repository_state` of a project outside git."""


def project_at(
    repository: Repository, root: Path, commit: str | None, *, label: str, behind: int = 0, guard: Guard | None = None
) -> Project:
    """Return the project in `root` as of a commit, or of the index if `commit` is None."""
    ids, differing = repository.contents(commit, root, READ_PATHS)
    inside = inside_of(repository, root)
    tree = GitTree(root, label, ids, differing, lambda path: repository.checked_out(commit, inside + path))
    return Project.load(tree, guard, commit=commit, behind=behind)


def repository_of(project: Project) -> Repository | None:
    """Return the project's git repository; None outside of one. Raises `EnvironmentFault` without git."""
    from row3.project.git.repository import Repository

    return Repository.find(project.root)


def read_again(project: Project) -> Project:
    """Return the project of a commit after files were written: git says anew which ones differ from the work tree."""
    repository = repository_of(project)
    if repository is None:
        return project
    return project_at(
        repository, project.root, project.commit, label=project.label, behind=project.behind, guard=project.guard
    )


@once
def find_base(project: Project, name: str) -> Project:
    """Return the project at a ref, or for `REF...` of the commit where HEAD left REF. Raises `UsageError`."""
    from row3.project.git.refs import fork_of

    repository = repository_of(project)
    if repository is None:
        raise UsageError("not a git repository", where="--against", fix="Leave --against out, or run `git init`")
    if links := list(WorkTree(project.root).links(PLACES)):
        raise link_at(", ".join(links))
    inside = inside_of(repository, project.root)
    repository.refuse_submodules([inside + path for path in READ_PATHS])
    if (left := fork_of(name)) is not None:
        fork = repository.fork_point(left)
        return project_at(repository, project.root, fork, label=name, guard=project.guard)
    sha = repository.resolve(name, "; after a force push, compare with the branch: --against origin/main")
    behind = repository.missing_commits(sha, [inside + path for path in JUDGED])
    return project_at(repository, project.root, sha, label=name, behind=behind, guard=project.guard)


def repository_state(project: Project) -> tuple[str | None, bool | None]:
    """Return the short commit id, and whether the files row3 reads differ from it; `OUTSIDE_GIT` without git."""
    try:
        repository = repository_of(project)
    except EnvironmentFault:
        return OUTSIDE_GIT
    if repository is None:
        return OUTSIDE_GIT
    inside = inside_of(repository, project.root)
    head, dirty = repository.state([inside + name for name in (FILE, "golden", "prompts", "schemas", "recordings")])
    return (head[:12] if head else None), dirty


def work_base(project: Project, edited: Sequence[str] = ()) -> Project | None:
    """Return the commit by which the hook would judge a commit made now; None without a repository or commit.

    Also None if no file of the commit under the paths `edited`, if any are given, has been edited or removed since.
    """
    repository = repository_of(project)
    head = None if repository is None else repository.head()
    if repository is None or head is None:
        return None
    sha, inside = fork_of_work(repository, project.root, head), inside_of(repository, project.root)
    if edited and not repository.differs(sha, [inside + path for path in edited]):
        return None
    return project_at(repository, project.root, sha, label=sha[:10], guard=project.guard)


def affected(head: Project, base: Project, changed: Iterable[str]) -> set[str]:
    """Return the suites that a change of these files (project-relative) affects; all of them if in doubt."""
    names, found = set(head.suite_names()), set[str]()
    for path in changed:
        parts = path.split("/")
        if parts[0] == "golden":
            found |= {name for name in names if path.startswith(f"{head.golden(name)}/") or _reads(head, name, path)}
        elif parts[0] == "recordings" and len(parts) > 2:
            found |= names & {parts[1]}
        elif parts[0] == "baselines":
            found |= names & {suite_of_stem(parts[1].removesuffix(".json"))} if len(parts) == 2 else set()
        elif parts[0] == "calibrations":
            found |= names & {parts[-1].partition(".")[0]}
        elif parts[0] == "prompts" and path.endswith(".md"):
            found |= asked_by(head, parts[-1].removesuffix(".md").rpartition("-v")[0]) or names
        elif parts[0] == "schemas":
            found |= {
                name
                for prompt in {*_answering_by(head, path), *_answering_by(base, path)}
                for name in asked_by(head, prompt)
            }
        elif path == PROMOTED:
            locks, earlier = head.locks, base.locks
            moved = {ref.rpartition("-v")[0] for ref in locks.keys() ^ earlier.keys()} or None
            found |= {name for prompt in moved or ("",) for name in asked_by(head, prompt) or names}
        elif path == HISTORY:
            found |= names & _of_other_entries(head, base)
        elif parts[0] in READ_PATHS:  # row3.toml and unknown files
            return names
        elif is_media(path):
            found |= {name for name in names if any(_names(project, name, path) for project in (head, base))}
        else:
            found |= {name for name in names if any(defines(code.value, path) for code in scorers_of(head, name))}
    return found & names


def asked_by(project: Project, prompt: str) -> set[str]:
    """Return the suites that may ask a prompt.

    A suite without a configured pipeline may ask any prompt; a judge may ask any that is in no pipeline.
    """
    return {name for name in project.suite_names() if _asks(project, name, prompt)}


def _answering_by(project: Project, schema: str) -> set[str]:
    """Return the prompts of which a version names a schema's file, or cannot be read."""
    found = set()
    for ref in (PromptRef(name, version) for name, versions in project.versions.items() for version in versions):
        try:
            own = project.prompt(ref).schema
        except Row3Error:
            found.add(ref.name)
        else:
            found |= {ref.name} if own is not None and own.path == schema else set()
    return found


def _asks(project: Project, suite: str, prompt: str) -> bool:
    pipelines = {name: each.pipeline for name, each in project.config.suites.items()}
    elsewhere = any(prompt in pipeline for pipeline in pipelines.values())
    if elsewhere and pipelines.get(suite) and prompt not in pipelines[suite]:
        return False  # without its kind, whose modules take long to import
    try:
        settings = project.settings(suite, "replay")
    except Row3Error:  # reported when the suite is judged
        return True
    if settings.kind.judgeable.rubrics and not elsewhere:
        return True
    return settings.system is None and (not settings.pipeline or prompt in settings.pipeline)


def _reads(project: Project, suite: str, path: str) -> bool:
    """Return whether the suite's systems receive the file, its documents include it, or it has its entities."""
    try:
        settings = project.settings(suite, "replay")
    except Row3Error:
        return True
    systems = [each.system for each in (settings, *(settings.arms or {}).values())]
    calls = [call for each in systems if isinstance(each, McpConfig) for call in each.setup]
    patterns = [text for call in calls for text in call.patterns()]
    own = project.config.suites.get(suite)
    patterns += [f"golden/{own.documents}/*"] if own is not None and own.documents is not None else []
    if settings.kind.by_entities and any(path == file_of(each) for each, _ in project.declaring):
        return True
    return any(path.startswith(pattern.partition("*")[0].rpartition("/")[0] + "/") for pattern in patterns)


def _names(project: Project, suite: str, path: str) -> bool:
    """Return whether the input of one of the suite's cases names a file."""
    try:
        kind = project.settings(suite, "replay").kind
        cases = project.cases.at(project.cases.paths(project.golden(suite)), kind)
        return any(
            posixpath.normpath(each["file"]) == path for one in cases for each in file_inputs(one.case.variables())
        )
    except Row3Error:  # reported when the suite is judged
        return True


def _of_other_entries(head: Project, base: Project) -> set[str]:
    """Return the suites of added or removed history entries, which may be approvals or declining runs."""
    before: Mapping[str, str] = {entry.run_id: entry.suite for entry in base.history}
    after: Mapping[str, str] = {entry.run_id: entry.suite for entry in head.history}
    return {(before.get(run_id) or after.get(run_id) or "") for run_id in before.keys() ^ after.keys()}
