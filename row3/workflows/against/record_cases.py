"""The golden case that a record of a baseline was made of: only that one can tell whether its figures are right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from row3.errors import InvalidFile
from row3.store.cases import StoredCase, read_case
from row3.store.project import Project
from row3.store.run_records import CaseRecord
from row3.store.suites import Suite
from row3.store.tree import WorkTree
from row3.workflows.against.at_ref import Base
from row3.workflows.comparing.rescore import StoredCases, made_of

LOOKED_UP = 20
"""Cases of which earlier versions are looked for in git: each takes some calls of it."""


class RecordCases:
    """Finds the cases of records: as they stand here, as the base has them, and as they were before it.

    Of what came before only the base's own history counts: a change that could name any digest would bring figures that
    nobody can check.
    """

    def __init__(self, project: Project, suite: Suite, base: Base | None) -> None:
        self._suite, self._base = suite, base
        self._places = [StoredCases(each, suite) for each in ([project] if base is None else [project, base.project])]
        self._left = LOOKED_UP

    def __call__(self, record: CaseRecord, *, exactly: bool) -> StoredCase | None:
        """The case; None where no version of it is that of the record. Raises `InvalidFile` for a broken one.

        `exactly` takes the very file alone, to the byte: a digest of what is not there yet would stand for that later.
        """
        for stored in self._versions(record.id):
            if record.digest == stored.digest if exactly else made_of(record, stored):
                return stored
        return None

    def _versions(self, case_id: str) -> Iterator[StoredCase]:
        file = f"{self._suite.golden}/{case_id}.gold.json"
        for stored_cases in self._places:
            with suppress(KeyError):
                stored: StoredCase = stored_cases(case_id)
                file = stored.where
                yield stored
        if self._base is not None and self._left:
            self._left -= 1
            yield from self._earlier(self._base, file)

    def _earlier(self, base: Base, file: str) -> Iterator[StoredCase]:
        path, repository = base.ref.inside + file, base.ref.repository
        for commit in repository.commits_of(path, at=base.ref.sha):
            with TemporaryDirectory(prefix="row3-case-") as folder, suppress(InvalidFile):
                if repository.read_tree(commit, [path], Path(folder)):
                    yield read_case(WorkTree(Path(folder) / base.ref.inside), file, self._suite.kind)
