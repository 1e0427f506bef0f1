"""The two seams: a `Sink` takes finished runs, a `Source` yields what others recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from row3.domain.runs import RunHeader

SCHEMA_VERSION = 1
"""Of a finished run as JSON."""
Item_co = TypeVar("Item_co", covariant=True)


class FinishedRequest(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One request of a case and its answer; only `digest` is known where no recording holds the answer."""

    digest: str
    prompt: str = ""
    """Reference of the prompt, `decompose-concepts-v1.1`; a judge's is that of its rubric."""
    by_judge: bool = False
    repeat: int = 0
    model: str = ""
    served_model: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    finish_reason: str = ""
    """Empty: there is no answer at hand."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None
    cost_usd: float | None = None
    """None where tokens or price are unknown."""
    answered_at: str = ""
    """UTC, ISO 8601, to the second."""
    system: str = ""
    """What was sent; like `user` and `answer` empty unless the run was read with its content."""
    user: str = ""
    answer: str = ""


class FinishedCase(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One case of a run, scored."""

    id: str
    digest: str
    """Of the golden case's file."""
    status: str
    """`scored`, `bad_answer` or `failed`."""
    metrics: Mapping[str, float]
    """Fractions in [0, 1]; empty for a failed case."""
    zones: Mapping[str, str] = {}
    """Word of the zone by metric."""
    problem: str = ""
    """Why there is no answer; with content, also why it could not be used, for which it may be quoted."""
    requests: tuple[FinishedRequest, ...] = ()
    """Stage by stage, repeat by repeat, then those of judges."""


class FinishedRun(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A run as a sink takes it."""

    schema_version: int = SCHEMA_VERSION
    header: RunHeader
    provider: str = ""
    """Preset of the endpoint or type of the system, as row3.toml has it now."""
    cases: tuple[FinishedCase, ...]
    """In the order of the run."""
    context: Mapping[str, Any] = {}
    """What one sink needs beside it, as JSON: an experiment's name and its items."""

    @property
    def id(self) -> str:
        """The run's id; with a case's id it makes every id that a sink gives."""
        return self.header.run_id


class Sink(Protocol):
    """Somewhere to send finished runs."""

    @property
    def name(self) -> str:
        """As `--to` and the outbox's folder spell it."""

    def write(self, run: FinishedRun) -> None:
        """Send a run as a whole; a second time changes nothing, as ids derive from run and case.

        Raises `Undelivered` where not all of it arrived.
        """


class Source(Protocol[Item_co]):
    """Somewhere to read from."""

    def read(self) -> Iterator[Item_co]:
        """Yield what is there. Raises `Row3Error` where it cannot be read."""
