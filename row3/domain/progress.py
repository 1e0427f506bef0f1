"""What a live run reports while it asks: answers with what they used, and finished cases."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from row3.domain.requests import JUDGE


class Cost(Protocol):
    """US dollars of an answer, by model, tokens and who answers; None if its price or a count is unknown."""

    def __call__(
        self,
        model: str,
        prompt_tokens: int | None,
        completion_tokens: int | None,
        by: str = "",
        cached_tokens: int = 0,
        /,
    ) -> float | None: ...


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
        known = self.prompt_tokens is not None and self.completion_tokens is not None
        return (self.prompt_tokens or 0) + (self.completion_tokens or 0) if known else None


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
