"""The two sides of `row3 diff`: what a name means, read or replayed. Nothing of the project is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from row3.domain.prompts import PromptRef, parse_version
from row3.errors import InvalidFile, UsageError
from row3.store import prompts as prompt_store
from row3.store.cases import content_digest, sources_of
from row3.store.project import Project
from row3.store.run_records import RunHeader
from row3.store.saved_runs import SavedRun, read_log
from row3.store.suites import Suite, pick_suite
from row3.store.tree import Tree
from row3.workflows.diffing.side_names import Names, Reading, What

if TYPE_CHECKING:
    from row3.workflows.comparing.rescore import StoredCases
    from row3.workflows.pipeline.run_suite import RunOptions


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    name: str
    """As the user named it."""
    where: str
    """The file it was read from, or what was replayed."""
    kind: What
    run: SavedRun
    project: Project
    """The golden cases and prompts beside it: those of the work tree, or of a git ref as long as it is laid out."""
    texts: Mapping[str, str]
    """By prompt name, as far as the text that was run is to be had."""
    replayed: bool = False
    missing: tuple[str, ...] = ()
    """Of a replay: the cases that have no recorded answer."""
    problem: str = ""
    """Why the first of them has none."""
    commit: str | None = None
    """Of a git ref."""

    @cached_property
    def sources(self) -> dict[str, str]:
        """By case id, what its text was taken from."""
        return sources_of(self.project.tree, self.project.golden(self.run.header.suite))

    def content(self, case_id: str) -> str:
        """Digest of all in a case that can move its score; empty where it is not known. Raises `InvalidFile`."""
        record = self.run.record(case_id)
        if record is None or record.content or not self.replayed:
            return "" if record is None else record.content
        return content_digest(self._cases(case_id).case)

    @cached_property
    def _cases(self) -> StoredCases:
        from row3.workflows.comparing.rescore import StoredCases

        return StoredCases(self.project, pick_suite(self.project, self.run.header.suite))


@contextmanager
def open_sides(
    project: Project,
    suite: Suite,
    names: tuple[str, str],
    options: Callable[[], RunOptions],
    named: tuple[str, ...] = (),
) -> Iterator[tuple[Side, Side]]:
    """Both sides; the files of git refs are laid out in temporary folders meanwhile.

    Args:
        names: as `row3 diff` takes them, see `side_names`.
        options: makes those of what is replayed; two saved runs need neither them nor what replays.
        named: prompt references that take their prompt's place in what is replayed.
    Raises `UsageError` for a name that means nothing or several things, `InvalidFile` for a broken file.
    """
    known = Names(project, suite)
    readings = known.read(*names)

    def side(name: str, reading: Reading) -> Side:
        if reading.file is not None:
            return _saved(project, suite, name, reading)
        from row3.workflows.diffing.side_replays import Replays

        return Replays(project, suite, options(), named, known.repository, stack).side(name, reading)

    with ExitStack() as stack:
        left, right = (side(name, reading) for name, reading in zip(names, readings, strict=True))
        yield left, right


def _saved(project: Project, suite: Suite, name: str, reading: Reading) -> Side:
    path, root = reading.file, project.root
    assert path is not None
    where = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    run = read_log(path, where=where) if reading.run is None else reading.run
    header = run.header
    if (header.suite, header.kind) != (suite.name, suite.kind.name):
        raise UsageError(
            f"`{name}` is a run of suite `{header.suite}` ({header.kind})",
            where=where,
            fix=f"Compare runs of one suite; this one is `{suite.name}` ({suite.kind.name}), --suite names another",
        )
    return Side(name, where, reading.kind, run, project, _texts(project.tree, header))


def _texts(tree: Tree, header: RunHeader) -> dict[str, str]:
    """The texts of a saved run's prompts, where they are still there as they were run."""
    found = {name: _text(tree, header, name, version) for name, version in header.prompts.items()}
    return {name: text for name, text in found.items() if text is not None}


def _text(tree: Tree, header: RunHeader, name: str, version: str) -> str | None:
    number = parse_version(version)
    if number is None:
        return None
    try:
        prompt = prompt_store.read_prompt(tree, PromptRef(name, number))
    except InvalidFile:
        return None
    return prompt.text if prompt.digest == header.prompt_digests.get(name) else None
