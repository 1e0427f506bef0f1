"""Parameters of a model's requests, by the names of OpenAI's API, as prompts and `row3.toml` set them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue

from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import Model, Text, Worded
from row3.domain.requests import canonical
from row3.domain.secrets import holds_key
from row3.domain.words import did_you_mean
from row3.errors import UsageError

RESERVED = ("model", "messages", "input", "instructions", "stream", "n")
"""Fields of a request that row3 sets itself, or that would change how the reply is read."""


def _no_reserved(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if found := [key for key in RESERVED if key in body]:
        raise ValueError(f"must not set `{found[0]}`, which row3 decides")
    if holds_key(canonical(body)):  # it would be recorded; the value is not quoted
        raise ValueError('holds a key: send it as a header, `[provider.headers] NAME = { env = "VARIABLE" }`')
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


SHORT = {"effort": "reasoning_effort"}
"""Names for the command line."""


def parameters_typed(settings: Iterable[str], *, where: str, mark: str = "=") -> dict[str, Any]:
    """Return parameters typed as `NAME=VALUE`, the value as JSON or a bare text. Raises `UsageError`."""
    found: dict[str, Any] = {}
    for setting in settings:
        name, _, text = setting.partition(mark)
        name = SHORT.get(name, name)
        value = _value(text)
        if name in ModelParameters.model_fields and value in (None, ""):
            raise UsageError(f"`{setting}` has no value", where=where, fix=f"Write `{name}{mark}VALUE`")
        if name not in ModelParameters.model_fields:
            hint = did_you_mean(name, ModelParameters.model_fields, f"Known: {', '.join(ModelParameters.model_fields)}")
            fix = f"Write one such as `reasoning_effort{mark}low`. {hint}"
            raise UsageError(f"`{setting}` sets no parameter", where=where, fix=fix)
        try:
            found[name] = getattr(convert({name: value}, ModelParameters), name)
        except MisfitsError as error:
            raise UsageError(error.summary(), where=where, fix=f"Correct `{setting}`") from None
    return found


def as_typed(name: str, value: Any) -> str:
    """Return a setting as `parameters_typed` reads it."""
    return f"{name}={value if isinstance(value, str) and _value(value) == value else canonical(value)}"


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
