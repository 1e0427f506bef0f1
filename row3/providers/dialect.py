"""The body of a chat request, and which of its fields an endpoint turns out not to take."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from row3.domain.requests import Request
from row3.providers.base import Endpoint

OPTIONAL = ("response_format", "seed", "max_tokens", "max_completion_tokens")
"""Fields that a request is sent again without where the endpoint refuses them."""

_NOT_TAKEN = re.compile(
    r"(?i)(?:not|n't|never)\s+(?:be\s+)?(?:currently\s+)?(?:support|permit|allow|accept|recogni|available|valid|use)"
    r"|unsupported|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs?|fields?)|no such|cannot find field"
    r"|invalid (?:parameter|argument|field)|deprecated|instead"
)
_SCHEMA = re.compile(
    r"(?i)response[_ ]?format|json[_ ]?schema|structured[_ ]outputs?|response[_ ]?schema|guided|grammar"
)


def chat_body(request: Request, endpoint: Endpoint, refused: Collection[str] = ()) -> dict[str, Any]:
    """The JSON body of `/chat/completions`, without the fields the endpoint is known to refuse.

    Temperature, seed and the token limit are there only where the request has them.
    """
    messages = [{"role": "user", "content": request.user}]
    if request.system:
        messages.insert(0, {"role": "system", "content": request.system})
    body: dict[str, Any] = {"model": request.model, "messages": messages}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.seed is not None and endpoint.seed and "seed" not in refused:
        body["seed"] = request.seed
    if request.max_tokens is not None:
        either = (endpoint.limit_field, "max_tokens", "max_completion_tokens")
        limit_field = next((name for name in either if name not in refused), None)
        if limit_field is not None:
            body[limit_field] = request.max_tokens
    if request.schema and endpoint.json_schema and "response_format" not in refused:
        body["response_format"] = response_format(request)
    return body


def response_format(request: Request) -> dict[str, Any]:
    """The wish for an answer by the request's schema."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", request.schema_name)[:64] or "answer"
    return {"type": "json_schema", "json_schema": {"name": name, "schema": dict(request.schema), "strict": True}}


def refused_fields(message: str, param: str) -> frozenset[str]:
    """The optional fields that an error 400 or 422 says the endpoint does not take.

    A complaint about a field's value (`max_tokens is too large`) is none: to drop the field would ask
    another question.
    """
    found = set()
    if _SCHEMA.search(message) or param.startswith("response_format"):
        found.add("response_format")
    if _NOT_TAKEN.search(message):
        if param in OPTIONAL:
            # "max_tokens is not supported, use max_completion_tokens instead" names both and refuses one.
            found.add(param)
        elif re.search(r"\bseed\b", message):
            found.add("seed")
        limit = None if param in OPTIONAL else re.search(r"\bmax_(?:completion_)?tokens\b", message)
        if limit:
            found.add(limit[0])
    return frozenset(found)
