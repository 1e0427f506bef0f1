"""The progress line of a live run."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from dataclasses import dataclass

from row3.cli.output import note
from row3.domain.numbers import count, money, seconds
from row3.domain.printable import shorten
from row3.domain.scores import Observer, Spent

INTERVAL_S = 0.1
SILENCE_S = 5.0
"""Seconds without an answer after which the progress line says so."""
TICK_S = 1.0
"""How often the line is rewritten while nothing happens, so that a slow model does not look like a crash."""
CLEAR = "\r\x1b[2K"


@dataclass(slots=True)
class Progress:
    """Progress of a run; times are seconds of one clock."""

    began: float
    last_case: float
    last_answer: float
    total: int | None = None
    """Number of cases; None if not counted yet."""
    done: int = 0
    failed: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    """None if a price is unknown, which the finished run reports."""

    def text(self, now: float) -> str:
        """Return cases, failures, tokens and cost so far, and the time left, or the time since the last answer."""
        parts = [count(self.done, "case") if self.total is None else f"{self.done:,} of {count(self.total, 'case')}"]
        parts += [f"{self.failed:,} failed"] if self.failed else []
        parts += [f"{self.tokens:,} tokens"] if self.tokens else []
        parts += [money(self.usd)] if self.usd else []
        silent = now - self.last_answer
        if silent >= SILENCE_S:
            parts.append(f"waiting for an answer, {whole_seconds(silent)}")
        elif self.total is not None and 1 < self.done < self.total:
            left = (self.last_case - self.began) / self.done * (self.total - self.done) - (now - self.last_case)
            parts += [f"about {whole_seconds(max(left, 1.0))} left"] if left > 0 else []
        return " · ".join(parts)


def whole_seconds(value: float) -> str:
    """Return a duration in whole seconds: `8 s`, `2 min 05 s`."""
    whole = round(value)
    return f"{whole} s" if whole < 60 else seconds(whole)


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
