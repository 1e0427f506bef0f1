"""The progress line of a live run."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time

from row3.cli.output import note
from row3.domain.progress import Observer, Spent
from row3.reports.numbers import Progress
from row3.reports.style import shorten

INTERVAL_S = 0.1
TICK_S = 1.0
"""How often the line is rewritten while nothing happens, so that a slow model does not look like a crash."""
CLEAR = "\r\x1b[2K"


class ProgressLine(Observer):
    """A progress line that is rewritten in place: done, failed, tokens, cost, time left.

    Runs in the event loop, because Ctrl-C in a thread could leave a lock held.
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
        """Start the line in the event loop; `cases` is None if their number is not yet known."""
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

    def finished(self, case_id: str, status: str, problem: str) -> None:
        """Count a case; report the first failure at once, as others may fail the same way."""
        so_far = self._progress
        so_far.done += 1
        so_far.last_answer = so_far.last_case = time.monotonic()
        if status == "failed":
            so_far.failed += 1
            if so_far.failed == 1:
                sys.stderr.write(CLEAR)
                note(f"{case_id}: {problem}")
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
