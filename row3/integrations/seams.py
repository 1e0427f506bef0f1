"""The seam to other tools: a `Sink` takes finished runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Protocol

from pydantic import Field

from row3.domain.models import CamelModel
from row3.domain.runs import RunHeader

SCHEMA_VERSION = 1
"""Of the JSON form of a finished run."""


class FinishedRequest(CamelModel, extra="ignore"):
    """A request of a case and its answer; without a recording only `digest` is known."""

    digest: str
    prompt: str = ""
    """Reference such as `decompose-concepts-v1.1`; for a judge, its rubric's."""
    by_judge: bool = False
    repeat: int = 0
    model: str = ""
    served_model: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    finish_reason: str = ""
    """Empty if no answer was found."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None
    cost_usd: float | None = None
    """None if tokens or price are unknown."""
    answered_at: str = ""
    """UTC, ISO 8601, to the second."""
    system: str = ""
    """The system message; like `user` and `answer`, empty unless the run was read with its content."""
    user: str = ""
    answer: str = ""


class FinishedCase(CamelModel, extra="ignore"):
    """A case of a run and its scores."""

    id: str
    digest: str
    """Digest of the golden case."""
    status: str
    """`scored`, `bad_answer` or `failed`."""
    metrics: Mapping[str, float]
    """Fractions in [0, 1]; empty for a failed case."""
    zones: Mapping[str, str] = {}
    """Name of the zone, by metric."""
    problem: str = ""
    """Why there is no answer. With content, also why an answer was unusable, which may quote it."""
    requests: Annotated[tuple[FinishedRequest, ...], Field(strict=False)] = ()
    """By stage, then by repeat; judges' requests come last."""


class FinishedRun(CamelModel, extra="ignore"):
    """A run in the form that sinks take."""

    schema_version: int = SCHEMA_VERSION
    header: RunHeader
    provider: str = ""
    """Preset of the endpoint or type of the system, from today's row3.toml."""
    cases: Annotated[tuple[FinishedCase, ...], Field(strict=False)]
    """In the order of the run."""
    context: Mapping[str, Any] = {}
    """JSON data for one sink: an experiment's name and items."""

    @property
    def id(self) -> str:
        """The run's id, from which sinks derive all others, with the case's id."""
        return self.header.run_id


class Sink(Protocol):
    """A service that finished runs are sent to."""

    @property
    def name(self) -> str:
        """Name for `--to` and for the outbox's folder."""

    def write(self, run: FinishedRun) -> None:
        """Send a whole run; sending it again changes nothing, because ids derive from run and case.

        Raises `Undelivered` if any part did not arrive.
        """
