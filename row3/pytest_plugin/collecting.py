"""With `--row3`: folders of golden cases become tests, one a case, and one for the verdict on each suite."""

from __future__ import annotations

import contextlib
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
from row3.pytest_plugin.layout import Golden, Layout, layout_around
from row3.workflows.suites.judge_suite import Flags

SHARED = "row3_shared"
"""Key under which worker processes are told their common folder."""
GATE = "gate"


class Collecting:
    """The plugin that `--row3` adds."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        option = config.option
        flags = Flags(option.row3_against, option.row3_mode, option.row3_model, tuple(option.row3_prompt), "--row3-")
        given = getattr(config, "workerinput", {}).get(SHARED)
        self.evaluations = Evaluations(flags, None if given is None else Path(given))
        self._own: Path | None = None
        self._layouts: dict[Path, Layout] = {}
        config.args[:] = [self._as_path(arg) for arg in config.args]

    # --- collecting

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """A folder of golden cases."""
        try:
            found = self.layout(path)
        except Row3Error as error:
            raise pytest.Collector.CollectError(str(error)) from None
        if found is None or path not in found.folders:
            return None
        folder = GoldenFolder.from_parent(parent, path=path)
        folder.fill(self, found)
        return folder

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """A baseline that is named on the command line: the gate of its suite."""
        if file_path.suffix != ".json" or not parent.session.isinitpath(file_path):
            return None
        try:
            found = self.layout(file_path.parent)
        except Row3Error:
            return None
        for golden in () if found is None else found.suites:
            if golden.baseline == file_path:
                gate: GateFile = GateFile.from_parent(parent, path=file_path)
                gate.fill(self, golden)
                return gate
        return None

    def layout(self, path: Path) -> Layout | None:
        """Where the project around a folder has its golden cases; None outside of one. Raises `Row3Error`."""
        return layout_around(path, self._layouts)

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

    def _as_path(self, arg: str) -> str:
        """`golden/core::rye`, as pytest prints it, as the file that it stands for; any other argument as it is."""
        place, colons, name = arg.partition("::")
        folder = (self.config.invocation_params.dir / place).resolve()
        if not colons or not folder.is_dir():
            return arg
        try:
            found = self.layout(folder)
        except Row3Error as error:
            raise pytest.UsageError(str(error)) from None
        if found is None or folder not in found.folders:
            return arg
        case_id, _, suite = name.removesuffix("]").partition("[")
        for golden in found.folders[folder]:
            if suite and golden.name != suite:
                continue
            if case_id == GATE:
                return str(golden.baseline if golden.baseline.is_file() else folder)
            for file in golden.files_in(folder):
                with contextlib.suppress(InvalidFile):
                    if golden.read(file).id == case_id:
                        return str(file)
        raise pytest.UsageError(f"{arg}: there is no golden case `{case_id}` in {place}")

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
    layout: Layout

    def fill(self, plugin: Collecting, layout: Layout) -> None:
        """Say whose cases these are."""
        self.plugin, self.layout = plugin, layout

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """A test for each case and, after them, one for each gate."""
        yield from self._others()
        here = self.layout.folders[self.path]
        for golden in here:
            for file in golden.files_in(self.path):
                stored = golden.read(file)
                item: CaseItem = CaseItem.from_parent(self, name=golden.called(stored.id), path=file)
                item.fill(self.plugin.evaluations, golden.key, stored.id)
                item.extra_keyword_matches.update((golden.name, *keywords_of(stored.case)))
                yield item
        for golden in here:
            if golden.folder == self.path:
                gate: GateItem = GateItem.from_parent(self, name=golden.called(GATE))
                gate.fill(self.plugin.evaluations, golden.key)
                gate.extra_keyword_matches.add(golden.name)
                yield gate

    def _others(self) -> Iterator[pytest.Collector]:
        hooks, session = self.ihook, self.session
        cases = {file for golden in self.layout.folders[self.path] for file in golden.files_in(self.path)}
        for path in sorted(self.path.iterdir()):
            if path in cases or (
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
    golden: Golden

    def fill(self, plugin: Collecting, golden: Golden) -> None:
        """Say whose baseline it is."""
        self.plugin, self.golden = plugin, golden

    def collect(self) -> Iterator[pytest.Item]:
        """The gate, under the name that it has among its cases."""
        name = self.golden.called(GATE)
        place = os.path.relpath(self.golden.folder, self.config.rootpath).replace(os.sep, "/")
        gate: GateItem = GateItem.from_parent(self, name=name, nodeid=f"{place}::{name}")
        gate.fill(self.plugin.evaluations, self.golden.key)
        yield gate


def keywords_of(case: Any) -> Iterator[str]:
    """What `-k` finds a case by beside its id."""
    domain = getattr(case, "domain", None)
    if isinstance(domain, str) and domain:
        yield domain
    if getattr(case, "critical", False):
        yield "critical"
