"""Progress of a live run, on a terminal only."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import Task

    from row3.workflows.asking.answering import Observer
    from row3.workflows.pipeline.results import CaseResult, Spent

INTERVAL_S = 0.1
TICK_S = 1.0
"""How often the line is rewritten where nothing happens, so that a slow model does not look like a dead program."""


def make_observer(*, quiet: bool) -> Observer | None:
    """A progress line where stderr is a terminal that can rewrite a line and nobody asked for quiet; else None."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    return ProgressLine()


class ProgressLine:
    """One line that is rewritten: done, failed, tokens, cost, time left.

    All of it happens in the event loop of the run, as callbacks and as one task. A thread of its own would need locks,
    and Ctrl-C inside of one leaves it broken.
    """

    def __init__(self) -> None:
        self._began = self._last_answer = self._last_case = time.monotonic()
        self._shown = 0.0
        self._done = self._failed = self._tokens = 0
        self._total: int | None = None
        self._usd: float | None = 0.0
        self._ticking: Task[None] | None = None

    def began(self, cases: int | None) -> None:
        """How many cases there are; None where that is not known before they are read. Called in the event loop."""
        import asyncio

        self._total = cases
        self._began = self._last_answer = self._last_case = time.monotonic()
        self._show(force=True)
        self._ticking = asyncio.create_task(self._tick())  # ends with its loop

    def answered(self, spent: Spent, usd: float | None) -> None:
        """An answer came; `usd` is None where its price is unknown. One that was recorded took nothing now."""
        if spent.replayed:
            return
        self._last_answer = time.monotonic()
        self._usd = None if usd is None or self._usd is None else self._usd + usd
        self._tokens += (spent.prompt_tokens or 0) + (spent.completion_tokens or 0)
        self._show()

    def finished(self, result: CaseResult) -> None:
        """A case is done; the first that has no answer is told at once, since the others may go the same way."""
        self._done += 1
        self._last_answer = self._last_case = time.monotonic()
        if result.status == "failed":
            self._failed += 1
            if self._failed == 1:
                self._tell(f"{result.case_id}: {result.problem}")
        self._show(force=True)

    def ended(self) -> None:
        """Remove the line, so that whatever comes next begins on a fresh one. Called when the loop is over."""
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()

    async def _tick(self) -> None:
        import asyncio

        while True:
            await asyncio.sleep(TICK_S)
            self._show(force=True)

    def _tell(self, text: str) -> None:
        from row3.cli.output import note

        sys.stderr.write("\r\x1b[2K")
        note(text)

    def _show(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if not force and now - self._shown < INTERVAL_S:
            return
        self._shown = now
        from row3.reports.numbers import progress_text

        text = progress_text(
            done=self._done,
            total=self._total,
            failed=self._failed,
            tokens=self._tokens,
            usd=self._usd,
            elapsed_s=self._last_case - self._began,
            since_s=now - self._last_case,
            silent_s=now - self._last_answer,
        )
        self._write(text)

    def _write(self, text: str) -> None:
        from row3.reports.style import shorten

        room = shutil.get_terminal_size((80, 24)).columns - 1  # a line that wraps cannot be rewritten
        sys.stderr.write(f"\r\x1b[2K{shorten(text, room)}")
        sys.stderr.flush()
