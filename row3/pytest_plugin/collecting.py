"""Collection with `--row3`: a test per golden case, and one for each suite's verdict."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from row3.errors import InvalidFile, Row3Error
from row3.project.cases import StoredCase
from row3.project.project import Project, open_project
from row3.project.root import find_root
from row3.project.suites import Suite
from row3.pytest_plugin.items import CaseItem, Evaluations, GateItem, Key
from row3.pytest_plugin.suite_results import Flags

SHARED, CHOSEN = "row3_shared", "row3_chosen"
"""Keys of `workerinput`: the shared folder, and the tests named on the command line."""
GATE = "gate"


@dataclass(frozen=True)
class Golden:
    """The golden cases of a suite; the folder may have subfolders and be shared with other suites."""

    project: Project
    suite: Suite
    folder: Path
    files: Mapping[Path, Sequence[Path]]
    """Files by folder, in row3's order."""
    shared: bool
    """Whether suites share the folder, so that test names need the suite's name."""

    @property
    def key(self) -> Key:
        """Project folder and suite name."""
        return self.project.root, self.suite.name

    def read(self, file: Path) -> StoredCase:
        """Read the golden case in a file; raises `InvalidFile`."""
        return self.project.cases.case(file.relative_to(self.project.root).as_posix(), self.suite.kind)

    def test_name(self, name: str) -> str:
        """Return the name of a test in this suite."""
        return f"{name}[{self.suite.name}]" if self.shared else name


def golden_folders(project: Project) -> dict[Path, list[Golden]]:
    """Return the suites with golden cases, by folder."""
    names = project.suite_names()
    roots = [project.root / project.golden(name) for name in names]
    found: defaultdict[Path, list[Golden]] = defaultdict(list)
    for name, root in zip(names, roots, strict=True):
        files = _files(project, name)
        golden = Golden(project, project.settings(name, "replay"), root, files, roots.count(root) > 1)
        for folder in {root, *files} if files else ():
            found[folder].append(golden)
    return found


def _files(project: Project, name: str) -> dict[Path, list[Path]]:
    found: defaultdict[Path, list[Path]] = defaultdict(list)
    with contextlib.suppress(InvalidFile):  # a suite without cases has no tests
        for file in project.cases.scored(project.golden(name)):
            path = project.root / file
            if not project.cases.entry(file).draft:
                found[path.parent].append(path)
    return found


class CollectPlugin:
    """Collects golden cases and gates."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        option = config.option
        flags = Flags(option.row3_against, option.row3_mode, option.row3_model, tuple(option.row3_prompt))
        given: dict[str, Any] = getattr(config, "workerinput", {})
        self.evaluations = Evaluations(flags, Path(given[SHARED]) if SHARED in given else None)
        self._own: Path | None = None
        self._folders: dict[Path, dict[Path, list[Golden]]] = {}
        """Golden folders by project folder."""
        self._chosen: dict[str, list[str]] = given.get(CHOSEN, {})
        """Tests named on the command line, by folder."""
        config.args[:] = [self._as_folder(arg) for arg in config.args]

    def folders_around(self, path: Path) -> dict[Path, list[Golden]]:
        """Return the golden folders of the project around a folder, none without a project. Raises `Row3Error`."""
        try:
            root = find_root(path)
        except InvalidFile:
            return {}
        if root not in self._folders:
            self._folders[root] = golden_folders(open_project(root))
        return self._folders[root]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Return a collector for a folder of golden cases."""
        try:
            folders = self.folders_around(path)
        except Row3Error as error:
            raise pytest.Collector.CollectError(str(error)) from None
        if path not in folders:
            return None
        folder: GoldenFolder = GoldenFolder.from_parent(parent, path=path)
        folder.evaluations, folder.suites = self.evaluations, folders[path]
        return folder

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep only the tests named on the command line, by name or file, each once."""
        given = [(self.config.invocation_params.dir / arg).resolve() for arg in self.config.args]
        files = {path for path in given if path.is_file()}
        named = [(folder, name) for folder, names in self._chosen.items() for name in names]
        places = {item: (str(item.parent.path) if item.parent else "", item.name) for item in items}
        if missing := [place for place in named if place not in places.values()]:
            folder, name = missing[0]
            raise pytest.UsageError(f"there is no golden case `{name}` in {folder}")
        items[:] = [
            item
            for item, place in places.items()
            if place in named or place[0] not in self._chosen or item.path in files
        ]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Run the cases left after `-k`, `-m` and so on; a gate needs all cases of its suite."""
        wanted: dict[Key, frozenset[str] | None] = {}
        for item in session.items:
            if isinstance(item, CaseItem) and (others := wanted.setdefault(item.key, frozenset())) is not None:
                wanted[item.key] = others | {item.case_id}
            elif isinstance(item, GateItem):
                wanted[item.key] = None
        self.evaluations.wanted = wanted

    def _as_folder(self, arg: str) -> str:
        """Return the folder of `golden/core::rye` and remember the name; any other argument is returned unchanged.

        pytest prints such names but does not accept them for folders.
        """
        place, _, name = arg.partition("::")
        folder = (self.config.invocation_params.dir / place).resolve()
        if not name or not folder.is_dir():
            return arg
        try:
            folders = self.folders_around(folder)
        except Row3Error as error:
            raise pytest.UsageError(str(error)) from None
        if folder not in folders:
            return arg
        self._chosen.setdefault(str(folder), []).append(name)
        return str(folder)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Pass the shared folder to a worker process (pytest-xdist)."""
        if self._own is None:
            self._own = Path(tempfile.mkdtemp(prefix="row3-pytest-"))
        node.workerinput |= {SHARED: str(self._own), CHOSEN: self._chosen}

    def pytest_unconfigure(self) -> None:
        """Remove the shared folder."""
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)


class GoldenFolder(pytest.Directory):
    """A folder of golden cases; other files are collected as usual."""

    evaluations: Evaluations
    suites: list[Golden]

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Yield a test per case, then one per gate."""
        assert isinstance(self.parent, pytest.Collector)
        yield from pytest.Dir.from_parent(self.parent, path=self.path).collect()
        for golden in self.suites:
            for file in golden.files.get(self.path, ()):
                stored = golden.read(file)
                item: CaseItem = CaseItem.from_parent(self, name=golden.test_name(stored.id), path=file)
                item.fill(self.evaluations, golden.key, (golden.suite.name, *keywords_of(stored.case)))
                item.case_id = stored.id
                yield item
        for golden in self.suites:
            if golden.folder == self.path:
                gate: GateItem = GateItem.from_parent(self, name=golden.test_name(GATE))
                gate.fill(self.evaluations, golden.key, (golden.suite.name,))
                yield gate

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return one message for an unreadable golden case."""
        if isinstance(excinfo.value, Row3Error):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


def keywords_of(case: Any) -> Iterator[str]:
    """Yield a case's keywords for `-k`, except its id."""
    domain = getattr(case, "domain", None)
    if isinstance(domain, str) and domain:
        yield domain
    yield from getattr(case, "tags", ())
    if getattr(case, "critical", False):
        yield "critical"
