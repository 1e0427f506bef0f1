"""Parameters of a model's requests, by the names of OpenAI's API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue
from pydantic.alias_generators import to_camel

from row3.domain.models import Model, Text, Worded

RESERVED = ("model", "messages", "input", "instructions", "stream", "n")
"""Fields of a request that row3 sets itself, or that would change how the reply is read."""


def _no_reserved(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if found := [key for key in RESERVED if key in body]:
        raise ValueError(f"must not set `{found[0]}`, which row3 decides")
    return body


Level = Annotated[str, Worded(r"[a-z0-9][a-z0-9_-]{0,31}", "one lower-case word, such as `low`")]
"""Not a fixed list: services and new models add levels of their own."""
Temperature = Annotated[float, Field(ge=0, le=2)]
Penalty = Annotated[float, Field(ge=-2, le=2)]


class ModelParameters(Model):
    """What a prompt's front matter and `[provider]` may set; None is not sent."""

    temperature: Temperature | None = None
    seed: int | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    reasoning_effort: Level | None = None
    """How much a reasoning model thinks: `none`, `minimal`, `low`, `medium`, `high` …; models differ."""
    verbosity: Level | None = None
    """Length of the answer: `low`, `medium`, `high`."""
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    stop: Text | Annotated[list[Text], Field(min_length=1)] | None = None
    """Texts at which the answer ends."""
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None
    service_tier: Level | None = None
    """Such as `flex` or `priority`."""
    extra_body: Annotated[dict[str, JsonValue], AfterValidator(_no_reserved)] | None = None
    """Further fields of the request's body, sent as they are."""
    api: Literal["chat", "responses"] | None = None
    """Default: chat."""


BASIC = ("temperature", "seed", "max_tokens")
"""Always part of a request's digest; None if not set."""
EXTRA = tuple(name for name in ModelParameters.model_fields if name not in BASIC)
"""Part of a request's digest only if set."""
Extra = Mapping[str, Any]
"""The set parameters of `EXTRA`, by name; not to be changed."""


def extra_json(extra: Extra) -> dict[str, Any]:
    """Return them with the keys that files use."""
    return {to_camel(name): value for name, value in extra.items()}


def extra_from(value: Mapping[str, Any]) -> dict[str, Any]:
    """Read them from a saved run, a manifest or a recording."""
    return {name: value[key] for name in EXTRA if (key := to_camel(name)) in value}
