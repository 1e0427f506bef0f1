"""With `--row3`: folders of golden cases become tests, one a case, and one for the verdict on each suite."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from row3.errors import InvalidFile, Row3Error
from row3.pytest_plugin.evaluating import Evaluations, Key
from row3.pytest_plugin.items import CaseItem, GateItem
from row3.store.cases import ENDING, read_case
from row3.store.project import Project, Suite, find_root, make_suite, open_project
from row3.workflows.judge_suite import Flags

SHARED = "row3_shared"
"""Key under which worker processes are told their common folder."""
GATE = "gate"


class Collecting:
    """The plugin that `--row3` adds."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        option = config.option
        flags = Flags(option.row3_against, option.row3_mode, option.row3_model, tuple(option.row3_prompt))
        given = getattr(config, "workerinput", {}).get(SHARED)
        self.evaluations = Evaluations(flags, None if given is None else Path(given))
        self._own: Path | None = None
        self._projects: dict[Path, tuple[Project, list[Suite]]] = {}
        config.args[:] = [self._as_path(arg) for arg in config.args]

    # --- collecting

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """A folder of golden cases."""
        try:
            found = self.suites_in(path)
        except Row3Error as error:
            raise pytest.Collector.CollectError(str(error)) from None
        if found is None:
            return None
        folder = GoldenFolder.from_parent(parent, path=path)
        folder.fill(self, *found)
        return folder

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """A baseline that is named on the command line: the gate of its suite."""
        if file_path.suffix != ".json" or not parent.session.isinitpath(file_path):
            return None
        try:
            root = find_root(file_path.parent)
            project = open_project(root)
        except Row3Error:
            return None
        for name in project.suite_names():
            if project.baseline(name) == file_path:
                gate: GateFile = GateFile.from_parent(parent, path=file_path)
                gate.fill(self, project, name)
                return gate
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """A gate that was collected twice, with its cases and by its baseline, is run once."""
        seen: set[str] = set()
        kept = []
        for item in items:
            if isinstance(item, GateItem):
                if item.nodeid in seen:
                    continue
                seen.add(item.nodeid)
            kept.append(item)
        items[:] = kept

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """What is left after `-k`, `-m` and the like is all that is run; a gate needs all cases of its suite."""
        cases: defaultdict[Key, set[str]] = defaultdict(set)
        gates: set[Key] = set()
        for item in session.items:
            if isinstance(item, GateItem):
                gates.add(item.key)
            elif isinstance(item, CaseItem):
                cases[item.key].add(item.case_id)
        self.evaluations.wanted = {
            key: None if key in gates else frozenset(cases[key]) for key in (*cases.keys(), *gates)
        }

    def suites_in(self, path: Path) -> tuple[Project, list[Suite]] | None:
        """The project of a folder and the suites whose golden cases are in it; None of any other folder.

        Raises `Row3Error` for settings that cannot be used.
        """
        try:
            root = find_root(path)
        except InvalidFile:
            return None
        if root not in self._projects:
            project = open_project(root)
            suites = [make_suite(project.config, name) for name in project.suite_names()]
            self._projects[root] = project, suites
        project, suites = self._projects[root]
        there = [suite for suite in suites if project.golden(suite.name) == path]
        return (project, there) if there else None

    def _as_path(self, arg: str) -> str:
        """`golden/core::rye`, as pytest prints it, as the file that it stands for; any other argument as it is."""
        place, colons, name = arg.partition("::")
        folder = (self.config.invocation_params.dir / place).resolve()
        if not colons or not folder.is_dir():
            return arg
        try:
            found = self.suites_in(folder)
        except Row3Error as error:
            raise pytest.UsageError(str(error)) from None
        if found is None:
            return arg
        project, suites = found
        name = name.partition("[")[0]
        if name == GATE:
            baseline = project.baseline(suites[0].name)
            return str(baseline if baseline.is_file() else folder)
        for file in sorted(folder.glob(f"*{ENDING}")):
            try:
                if read_case(file, suites[0].kind).id == name:
                    return str(file)
            except InvalidFile:
                continue
        raise pytest.UsageError(f"{arg}: there is no golden case `{name}` in {place}")

    # --- one run for all processes

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker process (pytest-xdist) the folder that it shares with the others."""
        if self._own is None:
            self._own = Path(tempfile.mkdtemp(prefix="row3-pytest-"))
        node.workerinput[SHARED] = str(self._own)

    def pytest_unconfigure(self) -> None:
        """The folder goes with the session."""
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)


class GoldenFolder(pytest.Directory):
    """A folder of golden cases; what else is in it is collected as in any other folder."""

    plugin: Collecting
    project: Project
    suites: list[Suite]

    def fill(self, plugin: Collecting, project: Project, suites: list[Suite]) -> None:
        """Say whose cases these are."""
        self.plugin, self.project, self.suites = plugin, project, suites

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """A test for each case and, after them, one for each gate."""
        yield from self._others()
        several = len(self.suites) > 1
        for suite in self.suites:
            for file in sorted(self.path.glob(f"*{ENDING}")):
                if file.name.startswith("."):
                    continue
                stored = read_case(file, suite.kind)
                name = f"{stored.id}[{suite.name}]" if several else stored.id
                item: CaseItem = CaseItem.from_parent(self, name=name, path=file)
                item.fill(self.plugin.evaluations, (self.project.root, suite.name), stored.id)
                item.extra_keyword_matches.update((suite.name, *keywords_of(stored.case)))
                yield item
        for suite in self.suites:
            name = f"{GATE}[{suite.name}]" if several else GATE
            gate: GateItem = GateItem.from_parent(self, name=name)
            gate.fill(self.plugin.evaluations, (self.project.root, suite.name))
            gate.extra_keyword_matches.add(suite.name)
            yield gate

    def _others(self) -> Iterator[pytest.Collector]:
        hooks, session = self.ihook, self.session
        for path in sorted(self.path.iterdir()):
            if path.name.endswith(ENDING) or (
                not session.isinitpath(path, with_parents=True)
                and (hooks.pytest_ignore_collect(collection_path=path, config=self.config))
            ):
                continue
            if path.is_dir():
                found = hooks.pytest_collect_directory(path=path, parent=self)
                yield from () if found is None else (found,)
            elif path.is_file():
                yield from hooks.pytest_collect_file(file_path=path, parent=self)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A golden case that cannot be read, in one message."""
        if isinstance(excinfo.value, Row3Error):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class GateFile(pytest.File):
    """The baseline of a suite, named on the command line: its gate alone."""

    plugin: Collecting
    project: Project
    suite: str

    def fill(self, plugin: Collecting, project: Project, suite: str) -> None:
        """Say whose baseline it is."""
        self.plugin, self.project, self.suite = plugin, project, suite

    def collect(self) -> Iterator[pytest.Item]:
        """The gate, under the name that it has among its cases."""
        folder = self.project.golden(self.suite)
        sharing = sum(self.project.golden(name) == folder for name in self.project.suite_names())
        name = f"{GATE}[{self.suite}]" if sharing > 1 else GATE
        place = os.path.relpath(folder, self.config.rootpath).replace(os.sep, "/")
        gate: GateItem = GateItem.from_parent(self, name=name, nodeid=f"{place}::{name}")
        gate.fill(self.plugin.evaluations, (self.project.root, self.suite))
        yield gate


def keywords_of(case: Any) -> Iterator[str]:
    """What `-k` finds a case by beside its id."""
    domain = getattr(case, "domain", None)
    if isinstance(domain, str) and domain:
        yield domain
    if getattr(case, "critical", False):
        yield "critical"
