"""What a live run reports while it asks: answers with what they used, and finished cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from row3.domain.requests import JUDGE

Cost = Callable[[str, int | None, int | None, str, int], float | None]
"""US dollars by model, tokens of prompt and completion, `by` and cached tokens; None if a price or count is unknown."""


class Spent(NamedTuple):
    """Tokens, time and source of one answer."""

    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_s: float | None
    replayed: bool
    truncated: bool
    by: str = ""
    """`by` of its request."""
    cached_tokens: int | None = None
    """Included in the prompt's."""
    reasoning_tokens: int | None = None
    """Included in the completion's."""

    @property
    def judge(self) -> bool:
        """Whether this is a judge's grade, which is counted apart."""
        return self.by == JUDGE

    def usd(self, cost: Cost) -> float | None:
        """Return its price in US dollars; None if tokens or price are unknown."""
        return cost(self.model, self.prompt_tokens, self.completion_tokens, self.by, self.cached_tokens or 0)

    @property
    def tokens(self) -> int | None:
        """Tokens of prompt and completion together; None if either is unknown."""
        sent, said = self.prompt_tokens, self.completion_tokens
        return None if sent is None or said is None else sent + said


class Observer:
    """Follows a live run in its event loop; this one shows nothing. See `row3.cli.progress`."""

    def began(self, cases: int | None) -> None:
        """The run begins; `cases` is None if their number is unknown."""

    def answered(self, spent: Spent, usd: float | None) -> None:
        """An answer arrived; `usd` is None if its price is unknown."""

    def finished(self, case_id: str, status: str, problem: str) -> None:
        """A case has its score; `problem` says why it failed."""

    def ended(self) -> None:
        """The run is over, however it ended; called after the event loop."""
