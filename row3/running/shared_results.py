"""Results that workers write to a shared path, and that the command reads back from there (`--results`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from row3.domain.scores import CaseScore
from row3.errors import EnvironmentFault
from row3.project.documents import validate
from row3.project.parquet import ROWS, records_as_parquet
from row3.project.saved_runs import RESTORE, CaseRecord
from row3.project.shared_folder import CASES, DETAILS, SharedFolder
from row3.running.processes import Executor

PARTS_A_WORKER = 4
"""Parts for each worker of a small run, so that none waits long for the last one."""


@dataclass(slots=True)
class SharedLines:
    """Lines that workers write, counted as their scores arrive, and read whenever they are needed."""

    read: Callable[[], Iterator[bytes]]
    counted: bool = True
    count: int = 0

    def add(self, line: bytes | None) -> None:
        """Count a line, which its worker has written."""
        self.count += self.counted

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[bytes]:
        seen = 0
        for line in self.read():
            yield line
            seen += 1
        if seen != self.count:
            what = f"{self.count:,} cases were written, and {seen:,} are left"
            raise EnvironmentFault(what, where="--results", fix="Run again, and leave the folder alone until it ends")


@dataclass(frozen=True, slots=True)
class SharedResults:
    """Where a run's workers write the results of their cases; it goes to them by value."""

    folder: SharedFolder
    run_id: str
    metrics: tuple[str, ...]
    """Names of all metrics."""
    explained: bool
    """Whether the cases have details."""

    def part_size(self, executor: Executor | None, cases: int) -> int:
        """Return the cases of a part: the rows of a row group, as small files are slow to read, or a worker's share."""
        if executor is None:
            return ROWS
        return max(executor.chunk, min(ROWS, -(-cases // (PARTS_A_WORKER * executor.workers))))

    def write(self, start: int, scores: Sequence[CaseScore]) -> list[CaseScore]:
        """Write the lines and details of a part, and return its scores without them. Raises as `SharedFolder.write`.

        A part that is done again replaces its files.
        """
        if scores:
            records = records_as_parquet((each.line for each in scores), self.metrics, self.run_id)
            self.folder.write(CASES.format(start), records)
        if scores and self.explained:
            self.folder.write(DETAILS.format(start), (b"%b\n" % (each.detail or b"") for each in scores))
        return [each._replace(line=b"", detail=None) for each in scores]

    def lines(self) -> tuple[SharedLines, SharedLines]:
        """Return the records and the details of the run, empty until its scores are added."""

        def records() -> Iterator[bytes]:
            found = self.folder.records()
            return (validate(CaseRecord, each, where=self.folder.url, fix=RESTORE).line() for each in found)

        return SharedLines(records), SharedLines(self.folder.details, counted=self.explained)

    def found(self, cases: int) -> dict[str, Any]:
        """Return what the header of a run of so many cases says of its results.

        Raises `EnvironmentFault` if this process does not see them all.
        """
        here = self.folder.count_cases()
        if here != cases:
            what = f"the workers wrote the results of {cases:,} cases, but here are those of {here:,}"
            fix = "Choose a path that every worker and this command share; memory:// needs --jobs 1"
            raise EnvironmentFault(what, where=self.folder.url, fix=fix)
        return {"cases_file": self.folder.url, "case_count": cases}
