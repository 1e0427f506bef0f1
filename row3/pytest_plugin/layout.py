"""Where a project has its golden cases: which folder holds which cases of which suites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from row3.errors import InvalidFile
from row3.pytest_plugin.evaluating import Key
from row3.store.cases import StoredCase, case_files, read_case
from row3.store.project import Project, find_root, open_project
from row3.store.suites import Suite, make_suite


@dataclass(frozen=True)
class Golden:
    """The golden cases of one suite; their folder may have folders in it, and may be another suite's too."""

    project: Project
    suite: Suite
    folder: Path
    files: Mapping[Path, tuple[Path, ...]]
    """Of each folder, in the order of row3."""
    shared: bool
    """Another suite has the same folder, so names of tests need the suite's."""

    @property
    def name(self) -> str:
        """The suite's."""
        return self.suite.name

    @property
    def key(self) -> Key:
        """By which its run is known."""
        return self.project.root, self.suite.name

    @property
    def baseline(self) -> Path:
        """Its baseline, there or not."""
        return self.project.root / self.project.baseline(self.suite.name)

    def read(self, file: Path) -> StoredCase:
        """Return the golden case of a file; raises `InvalidFile`."""
        return read_case(self.project.tree, file.relative_to(self.project.root).as_posix(), self.suite.kind)

    def files_in(self, folder: Path) -> tuple[Path, ...]:
        """Its cases in one folder."""
        return self.files.get(folder, ())

    def called(self, name: str) -> str:
        """The name of a test of this suite."""
        return f"{name}[{self.name}]" if self.shared else name


@dataclass(frozen=True)
class Layout:
    """All suites of a project, and by folder those that have cases in it."""

    suites: tuple[Golden, ...]
    folders: Mapping[Path, tuple[Golden, ...]]


def layout_around(path: Path, known: dict[Path, Layout]) -> Layout | None:
    """The layout of the project around a folder; None outside of one. Raises `InvalidFile` for its settings.

    Args:
        known: layouts that were read before, by the project's folder; takes in this one.
    """
    try:
        root = find_root(path)
    except InvalidFile:
        return None
    if root not in known:
        known[root] = _read(open_project(root))
    return known[root]


def _read(project: Project) -> Layout:
    names = project.suite_names()
    roots = [project.root / project.golden(name) for name in names]
    suites = [
        Golden(project, make_suite(project.config, name), folder, _files(project, name), roots.count(folder) > 1)
        for name, folder in zip(names, roots, strict=True)
    ]
    folders: defaultdict[Path, list[Golden]] = defaultdict(list)
    for golden in suites:
        for folder in {golden.folder, *golden.files} if golden.files else ():
            folders[folder].append(golden)
    return Layout(tuple(suites), {folder: tuple(found) for folder, found in folders.items()})


def _files(project: Project, name: str) -> dict[Path, tuple[Path, ...]]:
    found: defaultdict[Path, list[Path]] = defaultdict(list)
    try:
        for file in case_files(project.tree, project.golden(name)):
            path = project.root / file
            found[path.parent].append(path)
    except InvalidFile:  # a suite without cases has no tests
        return {}
    return {parent: tuple(files) for parent, files in found.items()}
