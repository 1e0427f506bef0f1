"""The requests and cost of a run, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from row3.domain.requests import Request

EXPOSED = "prompts, answers and the key can be read on their way, as plain http goes to another machine:"


@dataclass(frozen=True, slots=True)
class Planned:
    """One request of the run."""

    case_id: str
    prompt: str
    repeat: int
    model: str
    recorded: bool
    """A recording answers it, so nothing is sent."""
    exact: bool
    """Rendered exactly; if not, the text itself is an estimate."""
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    """None if the model has no price: unknown, not zero."""
    request: Request | None = None
    """As it would be sent; None if not known yet, or answered by a recording."""


@dataclass(slots=True)
class Estimate:
    """All requests of a live run, with their sums."""

    suite: str
    mode: str
    prompts: Mapping[str, str]
    requests: list[Planned] = field(default_factory=list)
    exposed: list[str] = field(default_factory=list)
    """Addresses of plain http to other machines."""
    missing: str = ""
    """What has to be set before anything can be sent; empty if unknown."""
    again: int = 0
    """Requests of the baseline's prompts, which a live comparison asks again."""
    rounds: int = 1
    """Most rounds of an adaptive comparison."""

    @property
    def to_send(self) -> list[Planned]:
        """Requests that no recording answers."""
        return [request for request in self.requests if not request.recorded]

    @property
    def example(self) -> Request | None:
        """The first request that would be sent and is known in full."""
        return next((each.request for each in self.requests if each.request is not None), None)

    @property
    def recorded(self) -> int:
        """Requests that a recording answers."""
        return sum(request.recorded for request in self.requests)

    @property
    def prompt_tokens(self) -> int:
        """Of the requests that would be sent."""
        return sum(request.prompt_tokens for request in self.to_send)

    @property
    def completion_tokens(self) -> int:
        """Of the answers to the requests that would be sent."""
        return sum(request.completion_tokens for request in self.to_send)

    @property
    def cost_usd(self) -> float | None:
        """US dollars; None where a request's model has no price, 0 where nothing would be sent."""
        costs = [request.cost_usd for request in self.to_send]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    @property
    def unpriced(self) -> list[str]:
        """Models without a price, of the requests that would be sent."""
        return sorted({request.model for request in self.to_send if request.cost_usd is None})
