"""Whether the documents and entities that cases name are there: those of other suites of the project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property

from row3.errors import Row3Error
from row3.kinds.base import Finding, Reference
from row3.matching.normalise import normalise
from row3.store.cases import golden_files, read_case
from row3.store.project import Project
from row3.store.suites import make_suite
from row3.workflows.linting.lint_findings import near_miss

Key = tuple[str, str]


class Corpus:
    """What the cases of a project declare, gathered when first asked for.

    A project whose documents lie elsewhere declares none: nothing is missed there.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    @cached_property
    def _names(self) -> dict[Key, str]:
        """By normalised name, the name as it is written."""
        found: dict[Key, str] = {}
        for name in self._project.suite_names():
            with suppress(Row3Error):  # a suite or case that cannot be read is a finding of its own
                suite = make_suite(self._project.config, name)
                for path in golden_files(self._project.tree, self._project.golden(name)):
                    with suppress(Row3Error):
                        case = read_case(self._project.tree, path, suite.kind).case
                        found.update((_key(one), one.name) for one in suite.kind.declares(case))
        return found

    def missing(self, named: Iterable[Reference]) -> Iterator[Finding]:
        """A finding for each document and entity that no case declares."""
        for one in named:
            if _key(one) in self._names:
                continue
            known = sorted({name for (what, _), name in self._names.items() if what == one.what})
            if known:
                message = f"{one.what} `{one.name}` is in no golden case of the project{near_miss(one.name, known)}"
                yield Finding("error", f"unknown-{one.what}", message, one.path)


def _key(one: Reference) -> Key:
    """Ids are compared to the letter."""
    return one.what, one.name if one.what == "document" else normalise(one.name)
