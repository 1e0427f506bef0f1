"""Which suites a change of files concerns: only these have to be judged again."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path, PurePosixPath

from row3.domain.tiers import suite_of_stem
from row3.errors import Row3Error
from row3.store.config import read_config
from row3.store.history import FILE as HISTORY
from row3.store.history import HistoryEntry, read_history
from row3.store.project import Project
from row3.store.prompts import PROMOTED, read_promoted
from row3.store.suites import make_suite
from row3.store.system_config import McpConfig
from row3.store.tree import WorkTree
from row3.workflows.against.default_suite import has_cases


def affected(project: Project, changed: Iterable[str], base: Path | None) -> set[str]:
    """Names of the suites that a change concerns.

    Args:
        project: with the change in it.
        changed: files relative to the project, with forward slashes.
        base: folder with the history as it was before; None where there is none.

    What no rule places concerns every suite: to judge one too many only takes time.
    """
    names, found = set(project.suite_names()), set[str]()
    for path in changed:
        parts = Path(path).parts
        if path == HISTORY:
            found |= _by_history(project.root, base, names)
        elif parts[0] == "golden":
            found |= {name for name in names if path.startswith(f"{project.golden(name)}/")}
            found |= {name for name in names if _remembers(project, name, Path(path))}
        elif parts[0] == "recordings" and len(parts) > 2:
            found |= {name for name in names if path.startswith(f"{project.recordings(name)}/")}
        elif parts[0] == "baselines" and len(parts) == 2:
            found.add(suite_of_stem(Path(path).stem))
        elif parts[:2] == ("baselines", "archive"):
            continue
        elif path == PROMOTED:
            found |= _by_locks(project, base, names)
        elif parts[0] == "prompts" and path.endswith(".md"):
            prompt = Path(path).stem.rpartition("-v")[0]
            asking = {name for name in names if _asks(project, name, prompt)}
            # Of one that was promoted somebody has to tell that it is gone.
            found |= asking or (names if _promoted(project, prompt) else set())
        else:  # row3.toml, and whatever is not known
            return names
    return found & names


def asked_by(project: Project, prompt: str) -> set[str]:
    """The suites that ask a prompt; of one that none does all suites, so that somebody looks at it.

    A suite whose pipeline is not configured may ask any.
    """
    names = set(project.suite_names())
    return {name for name in names if _asks(project, name, prompt)} or names


def _asks(project: Project, suite: str, prompt: str) -> bool:
    try:
        settings = make_suite(project.config, suite)
    except Row3Error:  # told when the suite is judged
        return True
    return settings.system is None and (not settings.pipeline or prompt in settings.pipeline)


def _by_locks(project: Project, base: Path | None, names: set[str]) -> set[str]:
    """The suites that ask a prompt whose promotion is another, or did; all where the base can judge none of them."""
    if base is None:
        return names
    try:
        old, new = read_promoted(WorkTree(base)), read_promoted(project.tree)
        before = Project(base, read_config(WorkTree(base)))
    except Row3Error:
        return names
    judged = {name for name in names if before.tree.exists(before.baseline(name)) and has_cases(project, name)}
    found = set[str]()
    for prompt in (name for name in {**old, **new} if old.get(name) != new.get(name)):
        asking = asked_by(project, prompt) | asked_by(before, prompt)
        found |= asking if asking & judged or prompt not in old else names
    return found


def _promoted(project: Project, prompt: str) -> bool:
    try:
        return prompt in read_promoted(project.tree)
    except Row3Error:  # told when a suite is judged
        return True


def _remembers(project: Project, suite: str, path: Path) -> bool:
    """The suite's system is given files of that folder at the start: another text there is another question."""
    try:
        system = make_suite(project.config, suite).system
    except Row3Error:  # told when the suite is judged
        return True
    patterns = [text for call in system.setup for text in call.patterns()] if isinstance(system, McpConfig) else []
    return any(path.is_relative_to(_fixed(pattern)) for pattern in patterns)


def _fixed(pattern: str) -> PurePosixPath:
    """The folder of a pattern, up to the first part that may be several."""
    parts = PurePosixPath(pattern).parts[:-1]
    return PurePosixPath(*takewhile(lambda part: not set(part) & set("*?["), parts))


def _by_history(root: Path, base: Path | None, names: set[str]) -> set[str]:
    """The suites of the entries that came or went: an approval, or runs that decline."""
    if base is None:
        return names
    try:
        old, new = read_history(WorkTree(base)), read_history(WorkTree(root))
    except Row3Error:
        return names
    before, after = ({_key(entry): entry.suite for entry in entries} for entries in (old, new))
    return {(before | after)[key] for key in before.keys() ^ after.keys()}


def _key(entry: HistoryEntry) -> str:
    return entry.model_dump_json()
