"""Chat completions over HTTP, as OpenAI and everyone after it serves them: the request, and what its answer holds."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from row3.domain.counts import marked
from row3.domain.requests import Answer, NoAnswer, Request
from row3.providers.base import Endpoint
from row3.providers.faults import Exchange, Fault, looks_like_html, status_fault
from row3.providers.redaction import public_model_name, redact
from row3.providers.wire import Wire

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAIChat:
    """A provider at an OpenAI-compatible endpoint; `more` is handed to its `Wire`, for tests."""

    def __init__(self, endpoint: Endpoint, *, environ: Mapping[str, str], **more: Any) -> None:
        self._endpoint = endpoint
        self._wire = Wire(endpoint, environ=environ, **more)
        self._refused: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The preset's name."""
        return self._endpoint.preset

    @property
    def refused(self) -> frozenset[str]:
        """Fields that the endpoint has refused and that are no longer sent, such as `response_format`."""
        return self._refused

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; see `Provider.ask` for what is raised and what is returned, `Wire.send` for retries."""
        body: dict[str, Any] = {}

        def call(client: AsyncOpenAI) -> Awaitable[Any]:
            nonlocal body
            body = chat_body(request, self._endpoint, self._refused)
            return client.chat.completions.with_raw_response.create(**body)

        def refuse(fields: frozenset[str]) -> bool:
            sent = fields & body.keys()
            self._refused |= sent
            return bool(sent)

        return await self._wire.send(call, read_reply, refuse)

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()


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


_ADDRESS_FIX = "check the base_url (most end in /v1)"


def read_reply(raw: bytes, exchange: Exchange, latency_s: float) -> Answer | Fault:
    """The answer in a chat completion, its text unedited; a `Fault` where there is none.

    `latency_s` in seconds is put into the answer.
    """
    host = exchange.host
    if not raw.strip():
        return Fault("give_up", f"{host} answered with an empty body", _ADDRESS_FIX)
    text = raw.decode("utf-8", "replace")
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        what = "a web page (HTML)" if looks_like_html(text) else "something that is not JSON"
        return Fault("give_up", f"{host} answered with {what} in place of a chat completion", _ADDRESS_FIX)
    if not isinstance(body, dict):
        return Fault("give_up", f"{host} answered with JSON that is no chat completion", _ADDRESS_FIX)
    if body.get("error"):
        return _hidden_error(body["error"], text, exchange)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return Fault("give_up", f"{host} answered without any choices", _ADDRESS_FIX)
    if isinstance(choice.get("error"), dict):
        return _hidden_error(choice["error"], json.dumps(choice), exchange)
    message = choice.get("message")
    found = _content(message if isinstance(message, dict) else {}, _finish(choice), exchange)
    if isinstance(found, Fault):
        return found
    usage = body.get("usage")
    counts: dict[str, Any] = usage if isinstance(usage, dict) else {}
    model = body.get("model")
    return Answer(
        text=found,
        finish_reason=_finish(choice),
        served_model=public_model_name(model) if isinstance(model, str) and model else None,
        prompt_tokens=_count(counts.get("prompt_tokens")),
        completion_tokens=_count(counts.get("completion_tokens")),
        latency_s=latency_s,
    )


def _hidden_error(error: object, text: str, exchange: Exchange) -> Fault:
    """OpenRouter answers 200 once a model has begun, whatever happens then, with the status in the body."""
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    fault = status_fault(status, text, exchange)
    return fault if status == code else replace(fault, message=fault.message.replace("answered 500", "answered 200", 1))


def _content(message: dict[str, Any], finish_reason: str, exchange: Exchange) -> str | Fault:
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if isinstance(content, str) and (content or not message.get("refusal")):
        return content
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return Fault("give_up", f"the model refused: {redact(refusal, exchange.secrets).rstrip('.')}")
    if finish_reason == "length":
        # All tokens went into reasoning: an answer, cut off before its first character.
        return ""
    if finish_reason == "content_filter":
        return Fault("give_up", f"the content filter of {exchange.host} stopped the answer")
    reason = marked(redact(finish_reason) or None)
    return Fault("give_up", f"{exchange.host} answered without any content (finish reason {reason})")


def _finish(choice: dict[str, Any]) -> str:
    reason = choice.get("finish_reason")
    if not isinstance(reason, str) or not reason:
        return "unknown"
    return "length" if reason.lower() in ("length", "max_tokens", "max_output_tokens") else reason


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
