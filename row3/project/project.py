"""A project: its folder, the paths of its files, and the corpus that a system is given before its questions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

from row3.domain.code import Code
from row3.domain.manifests import Tier, file_stem
from row3.errors import InvalidFile, UsageError
from row3.project.cases import GOLDEN, golden_files
from row3.project.config import FILE, Config, read_config
from row3.project.documents import read_json
from row3.project.files import decode, refuse_conflicts
from row3.project.tree import Tree, WorkTree, read_text

LOCAL = ".row3"
CHANGELOG = "CHANGELOG.md"
CORPORA = ("golden", "corpus")
"""Folders that corpus files may come from; the hook watches and copies them."""
READ_PATHS = (FILE, *CORPORA, "prompts", "recordings", "baselines", "calibrations", "lessons", "metrics-history.json")
"""Everything a comparison reads, and the hook watches."""
WRITTEN = (*READ_PATHS, CHANGELOG, "charts", "schemas", ".gitattributes", ".gitignore", "search.py")
"""Files, and folders of files, that a transaction may write: `row3 init` adds the last three."""
PLACES = (*READ_PATHS, CHANGELOG, "charts", "schemas", LOCAL)
"""Everything that row3 reads or writes in a project, where no symbolic link is allowed."""


@dataclass(frozen=True, slots=True)
class Project:
    """A row3 project: its folder and its configuration."""

    root: Path
    config: Config
    tree: Tree
    """Source of its files; they are written only below `root`."""
    guard: Guard | None = None
    """Check before code that a suite's settings or cases name may run; None allows all."""

    def at(self, path: str) -> Path:
        """Return a file's path on disk. Raises `InvalidFile` if it or a folder above it is a symbolic link."""
        return WorkTree(self.root).at(path)

    def check_code(self, suite: str, code: Iterable[Code]) -> None:
        """Raise `UsageError` for code of a suite that may not run, because the base of the change lacks it."""
        if self.guard is not None:
            self.guard(self, suite, code)

    def golden(self, suite: str) -> str:
        """Return the path of a suite's golden cases."""
        return golden_of(self.config, suite)

    def baseline(self, suite: str, tier: Tier = "replay") -> str:
        """Return the path of the current baseline of a suite's tier."""
        return f"baselines/{file_stem(suite, tier)}.json"

    @property
    def local(self) -> Path:
        """Folder of run logs, outbox and monitor: for people, never committed, never trusted."""
        return self.root / LOCAL

    @property
    def default_suite(self) -> str | None:
        """The suite of a command without `--suite`; None if there are several and no default."""
        names = self.suite_names()
        return self.config.suite or (names[0] if len(names) == 1 else None)

    def suite_names(self) -> list[str]:
        """Return all suites: the folders of golden cases and the suites of `row3.toml`.

        Omits folders that a suite names for its cases or documents, and folders that only contain such a folder.
        """
        found = set(self.tree.folders(GOLDEN))
        folders = (each for settings in self.config.suites.values() for each in (settings.golden, settings.documents))
        named = [folder for folder in folders if folder]
        around = {name.split("/")[0] for name in named if "/" in name}
        taken = {*named, *(name for name in around if not golden_files(self.tree, f"{GOLDEN}/{name}"))}
        return sorted((found - taken) | set(self.config.suites))


Guard = Callable[[Project, str, Iterable[Code]], None]
"""Raises `UsageError` for code of a suite that may not run."""


def golden_of(config: Config, suite: str) -> str:
    """Return the path of a suite's golden cases."""
    settings = config.suites.get(suite)
    return f"{GOLDEN}/{suite if settings is None or settings.golden is None else settings.golden}"


def find_root(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, with `row3.toml` or `golden/`. Raises `InvalidFile`."""
    start = start.resolve()
    if not start.is_dir():
        raise UsageError("the folder does not exist", where=str(start), fix="Correct the path after -C")
    for folder in (start, *start.parents):
        if _is_root(folder):
            return folder
    what = "not a row3 project: neither row3.toml nor golden/ here or above"
    raise InvalidFile(what, where=str(start), fix="Run `row3 init`, or name the project with -C")


def _is_root(folder: Path) -> bool:
    return (folder / FILE).is_file() or (folder / GOLDEN).is_dir()


def own_file(path: Path) -> Path:
    """Return the file to write for a path from a user. Raises `InvalidFile` for a symbolic link in a project."""
    absolute = Path(os.path.normpath(path.absolute()))
    for root in filter(_is_root, absolute.parents):
        WorkTree(root).at(absolute.relative_to(root).as_posix())
    return path.resolve() if path.is_symlink() else path


def open_project(start: Path) -> Project:
    """Return the project that contains a folder. Raises `InvalidFile`."""
    tree = WorkTree(find_root(start))
    return Project(tree.root, read_config(tree), tree)


def read_changelog(project: Project) -> str:
    """Return `CHANGELOG.md` with its line ends and byte-order mark; empty if there is none. Raises `InvalidFile`."""
    if not project.tree.exists(CHANGELOG):
        return ""
    raw = project.tree.read(CHANGELOG)
    refuse_conflicts(decode(raw, where=CHANGELOG), where=CHANGELOG)
    return raw.decode("utf-8")


def read_corpus(tree: Tree, patterns: Iterable[str], *, where: str) -> list[tuple[str, dict[str, Any]]]:
    """Return path and values of the files that match the patterns, sorted by path. Raises `InvalidFile`.

    The values are the keys of a JSON file or the `text` of another, and `file`, the name up to its first dot.
    """
    names = sorted({path for pattern in patterns for path in _paths(tree, pattern, where=where)})
    corpus = ((path, _values(tree, path)) for path in names)
    return [(path, values) for path, values in corpus if values.get("draft") is not True]  # golden cases may be drafts


def _paths(tree: Tree, pattern: str, *, where: str) -> list[str]:
    parts = PurePosixPath(pattern).parts
    if len(parts) < 2 or parts[0] not in CORPORA or ".." in parts:
        what = f"`{pattern}` is not under {' or '.join(f'{each}/' for each in CORPORA)}"
        raise InvalidFile(what, where=where, fix="Write it like corpus/*.txt")
    if any("**" in part and part != "**" for part in parts):
        raise InvalidFile(f"in `{pattern}`, `**` is not a whole folder name", where=where, fix="Correct it")
    paths = [path for path in tree.files(parts[0], deep=True) if _matches(path.split("/"), parts)]
    if not paths:
        raise InvalidFile(f"no file matches `{pattern}`", where=where, fix="Correct the pattern")
    return paths


def _matches(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Return whether a path matches a pattern, part by part; `**` matches any number of folders."""
    if not (names and parts):
        return not (names or parts)
    if parts[0] == "**" and _matches(names, parts[1:]):
        return True
    return fnmatchcase(names[0], parts[0]) and _matches(names[1:], parts if parts[0] == "**" else parts[1:])


def _values(tree: Tree, path: str) -> dict[str, Any]:
    values: dict[str, Any] = {"file": path.rpartition("/")[2].partition(".")[0]}
    if not path.endswith(".json"):
        return values | {"text": read_text(tree, path)}
    value = read_json(tree, path)
    if not isinstance(value, dict):
        fix = "Correct it, or the pattern of `for_each`"
        raise InvalidFile("the file is not a JSON object", where=tree.place(path), fix=fix)
    return values | value
