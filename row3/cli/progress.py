"""Progress of a live run, on a terminal only."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from row3.workflows.execute import Observer
    from row3.workflows.results import CaseResult, Spent

INTERVAL_S = 0.1


def make_observer(*, quiet: bool) -> Observer | None:
    """A progress line where stderr is a terminal and nobody asked for quiet; else None."""
    if quiet or not sys.stderr.isatty():
        return None
    return ProgressLine()


class ProgressLine:
    """One line that is rewritten: done, failed, tokens, cost, time left."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._shown = 0.0
        self._done = self._failed = self._tokens = 0
        self._total: int | None = None
        self._usd: float | None = 0.0

    def began(self, cases: int | None) -> None:
        """How many cases there are; None where that is not known before they are read."""
        self._total = cases

    def answered(self, spent: Spent, usd: float | None) -> None:
        """An answer came; `usd` is None where its price is unknown."""
        self._usd = None if usd is None or self._usd is None else self._usd + usd
        self._tokens += (spent.prompt_tokens or 0) + (spent.completion_tokens or 0)
        self._show()

    def finished(self, result: CaseResult) -> None:
        """A case is done."""
        self._done += 1
        self._failed += result.status == "failed"
        self._show(force=True)
        if self._total is not None and self._done >= self._total:
            self.clear()

    def clear(self) -> None:
        """Remove the line, so that the result begins on a fresh one."""
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()

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
            elapsed_s=now - self._began,
        )
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()
