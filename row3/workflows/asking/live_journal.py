"""What a live run knows before it asks, and where it keeps each answer the moment it arrives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from row3.domain.requests import Answer, Request
from row3.store import journal
from row3.store.locks import writing
from row3.store.project import Project
from row3.store.recording_index import RecordingIndex
from row3.store.recordings import merge, open_index
from row3.workflows.pipeline.run_header import new_run_id, now, run_id_at
from row3.workflows.recorded.others_answers import ask_for_own

LASTS_H = 24
"""Hours after which answers that an interrupted run left say nothing of now."""


@dataclass(slots=True)
class Kept:
    """The answers of one side of a run: those that an interrupted run left, and those that come now."""

    project: Project
    suite: str
    left: list[Path]
    own: journal.Journal
    index: RecordingIndex
    replaced: RecordingIndex | None = None
    """The suite's recordings, where those of what is asked are replaced."""

    @classmethod
    def open(
        cls,
        project: Project,
        suite: str,
        kind: str,
        *,
        recordings: bool = False,
        replaces: bool = False,
        lasts_h: float | None = None,
    ) -> Kept:
        """Begin a journal; answers of another kind are nobody's business here.

        Args:
            kind: tells apart what will be recorded, what will not, and the two sides of a comparison.
            recordings: the suite's recordings answer too.
            replaces: what comes now takes the place of the suite's recordings.
            lasts_h: hours after which what an interrupted run left is of no use and is removed.
        """
        left = journal.abandoned(project.local, suite, kind)
        if lasts_h is not None:
            oldest = run_id_at(datetime.now(UTC) - timedelta(hours=lasts_h))
            stale = [path for path in left if path.stem.rpartition("--")[2] < oldest]
            journal.discard(stale)
            left = [path for path in left if path not in stale]
        index = open_index(project.tree if recordings else None, suite, left)
        replaced = open_index(project.tree, suite) if replaces else None
        return cls(project, suite, left, journal.Journal(project.local, suite, kind, new_run_id()), index, replaced)

    @property
    def waiting(self) -> int:
        """How many answers an interrupted run left."""
        return sum(1 for digest in self.index.digests() if self.index.place(digest).startswith("journal "))

    def known(self, request: Request) -> Answer | None:
        """The answer, where there is one already.

        Raises `UsageError` where there is none and the new one would replace another prompt version's.
        """
        answer = self.index.answer(request)
        if answer is None and self.replaced is not None:
            ask_for_own(self.project, self.replaced, request)
        return answer

    def keep(self, request: Request, answer: Answer) -> None:
        """Write an answer to disk."""
        self.own.keep(request, answer, recorded_at=now())

    def record(self, say: Callable[[str], None]) -> None:
        """Move what the journals hold into the suite's recordings."""
        lines = [line for path in (*self.left, self.own.path) for line in journal.lines_of(path)]
        if lines:
            with writing(self.project.local, say=say):
                merge(self.project.root, self.suite, lines)

    def close(self) -> None:
        """Close the journal. Those of an unfinished run stay: the same command goes on from them."""
        self.own.close()

    def discard(self) -> None:
        """Remove the journals: the run is complete."""
        journal.discard([*self.left, self.own.path])
