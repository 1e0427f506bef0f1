"""Estimates of a run's requests and cost, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from row3.domain.requests import Request

EXPOSED = "plain http lets anyone on the network read prompts, answers and the key on their way to"


@dataclass(frozen=True, slots=True)
class Planned:
    """One request of a run."""

    case_id: str
    prompt: str
    repeat: int
    model: str
    recorded: bool
    """Whether a recording answers it, so that nothing is sent."""
    exact: bool
    """Whether the text is rendered exactly or is itself an estimate."""
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    """None if the model has no price: unknown, not zero."""
    request: Request | None = None
    """The request as it would be sent; None if not known yet, or if a recording answers it."""


@dataclass(slots=True)
class Estimate:
    """All requests of a live run, with their totals."""

    suite: str
    mode: str
    prompts: Mapping[str, str]
    requests: list[Planned] = field(default_factory=list)
    exposed: list[str] = field(default_factory=list)
    """Plain http addresses of other machines."""
    missing: str = ""
    """Setting that is missing before anything can be sent; empty if none is known to be."""
    again: int = 0
    """Number of requests of the baseline's prompts, which a live comparison asks again."""
    rounds: int = 1

    @property
    def to_send(self) -> list[Planned]:
        """Requests without a recording."""
        return [request for request in self.requests if not request.recorded]

    @property
    def example(self) -> Request | None:
        """The first request to send that is known in full."""
        return next((each.request for each in self.requests if each.request is not None), None)

    @property
    def recorded(self) -> int:
        """Number of requests with a recording."""
        return sum(request.recorded for request in self.requests)

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the requests to send."""
        return sum(request.prompt_tokens for request in self.to_send)

    @property
    def completion_tokens(self) -> int:
        """Tokens of the expected answers."""
        return sum(request.completion_tokens for request in self.to_send)

    @property
    def cost_usd(self) -> float | None:
        """US dollars; None if a request's model has no price, 0 if there is nothing to send."""
        return None if self.unpriced else sum(request.cost_usd or 0.0 for request in self.to_send)

    @property
    def unpriced(self) -> list[str]:
        """Models without a price among the requests to send."""
        return sorted({request.model for request in self.to_send if request.cost_usd is None})
