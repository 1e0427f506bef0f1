"""Progress of a live run, on a terminal only."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time

from row3.cli.output import note
from row3.reports.numbers import Progress
from row3.reports.style import shorten
from row3.workflows.pipeline.results import CaseResult, Observer, Spent

INTERVAL_S = 0.1
TICK_S = 1.0
"""How often the line is rewritten while nothing happens, so that a slow model does not look like a dead program."""
CLEAR = "\r\x1b[2K"


class ProgressLine(Observer):
    """One line that is rewritten: done, failed, tokens, cost, time left.

    It works in the event loop of the run: Ctrl-C inside a lock of a thread would leave the lock broken.
    """

    def __init__(self) -> None:
        self._progress = self._start(None)
        self._shown = 0.0
        self._ticking: asyncio.Task[None] | None = None

    @staticmethod
    def _start(cases: int | None) -> Progress:
        now = time.monotonic()
        return Progress(now, now, now, cases)

    def began(self, cases: int | None) -> None:
        """Start the line in the event loop; `cases` is None if they are not counted yet."""
        self._progress = self._start(cases)
        self._show(force=True)
        self._ticking = asyncio.create_task(self._tick())  # ends with its loop

    def answered(self, spent: Spent, usd: float | None) -> None:
        """Count an answer unless it was recorded; `usd` is None if its price is unknown."""
        if spent.replayed:
            return
        so_far = self._progress
        so_far.last_answer = time.monotonic()
        so_far.usd = None if usd is None or so_far.usd is None else so_far.usd + usd
        so_far.tokens += (spent.prompt_tokens or 0) + (spent.completion_tokens or 0)
        self._show()

    def finished(self, result: CaseResult) -> None:
        """Count a case; report the first failure at once, as the others may fail in the same way."""
        so_far = self._progress
        so_far.done += 1
        so_far.last_answer = so_far.last_case = time.monotonic()
        if result.status == "failed":
            so_far.failed += 1
            if so_far.failed == 1:
                sys.stderr.write(CLEAR)
                note(f"{result.case_id}: {result.problem}")
        self._show(force=True)

    def ended(self) -> None:
        """Remove the line, after the loop has ended."""
        sys.stderr.write(CLEAR)
        sys.stderr.flush()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._show(force=True)

    def _show(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if not force and now - self._shown < INTERVAL_S:
            return
        self._shown = now
        room = shutil.get_terminal_size((80, 24)).columns - 1  # a line that wraps cannot be rewritten
        sys.stderr.write(f"{CLEAR}{shorten(self._progress.text(now), room)}")
        sys.stderr.flush()
