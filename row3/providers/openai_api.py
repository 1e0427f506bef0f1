"""Chat completions and embeddings of OpenAI-compatible services."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import struct
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from row3.domain.endpoints import Endpoint
from row3.domain.files import PDF
from row3.domain.requests import Answer, Message, NoAnswer, Request
from row3.domain.words import count
from row3.providers.faults import Exchange, Fault, hidden_error, read_body, read_count, read_part
from row3.providers.openai_client import OpenAIClient, Read
from row3.providers.redaction import public_model_name
from row3.providers.strict_schema import is_strict

TEXTS, THOUGHTS = ("text", "output_text"), ("thinking", "reasoning")
"""Types of a message's parts: the answer, and Mistral's and others' reasoning."""
INSTEAD = ("tool_calls", "function_call", "reasoning_content", "reasoning")
"""Fields that a message may have in the place of an answer; of DeepSeek, vLLM, OpenRouter."""
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
CHARACTERS_A_TOKEN = 4
"""Estimate, until the endpoint reports its count."""


class Wire(NamedTuple):
    """A request as it is sent."""

    path: str
    """Of the endpoint."""
    read: Read[Answer]
    fields: dict[str, Any]
    """Those of a chat completion."""
    body: dict[str, Any]
    """The same in the form that the endpoint takes."""


class OpenAIChat(OpenAIClient):
    """A provider at an OpenAI-compatible endpoint."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        extra_fields: Callable[[Request], dict[str, object]] | None = None,
        refused: dict[tuple[str, str], frozenset[str]] | None = None,
        **client: Any,
    ) -> None:
        """Send nothing yet; a server that needs the fields of `extra_fields` must accept all others too."""
        super().__init__(endpoint, **client)
        self._extra_fields = extra_fields
        self.refused = {} if refused is None else refused
        """By address and model, the fields no longer sent because the endpoint rejected them: `response_format` …"""
        self._longest = 0
        """Tokens of the longest answer so far."""

    @property
    def name(self) -> str:
        """The preset's name."""
        return self.endpoint.preset

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; see `Provider.ask` for failures, `OpenAIClient.send` for retries."""
        wire = self.wire(request)

        def body() -> dict[str, Any]:
            nonlocal wire
            wire = self.wire(request)
            return wire.body

        guess = sum(map(len, request.texts)) / CHARACTERS_A_TOKEN + self._longest
        answer = await self.send(
            wire.path, body, wire.read, lambda fields: self.refuse(request, wire, fields), tokens=guess
        )
        if isinstance(answer, Answer) and answer.prompt_tokens is not None:
            written = answer.completion_tokens or 0
            self._longest = max(self._longest, written)
            self.pace.tokens.take(answer.prompt_tokens + written - guess)
        return self.noted(request, wire, answer)

    def refused_for(self, request: Request) -> frozenset[str]:
        """Return the fields that the endpoint has rejected for a request's model."""
        return self.refused.get((self.endpoint.base_url, request.model), frozenset())

    def wire(self, request: Request, refused: Collection[str] | None = None) -> Wire:
        """Return a request as it is sent without `refused` fields; by default those that the endpoint has rejected."""
        sent = chat_body(request, self.endpoint, self.refused_for(request) if refused is None else refused)
        if self._extra_fields is not None:
            sent |= self._extra_fields(request)
        if request.extra.get("api") == "responses":
            from row3.providers.responses_api import read_response, responses_body

            return Wire("/responses", read_response, sent, responses_body(sent))
        return Wire("/chat/completions", read_reply, sent, dict(sent))

    def refuse(self, request: Request, wire: Wire, fields: Sequence[str]) -> bool:
        """Leave out the likeliest of the fields that the endpoint may reject; return whether one was sent."""
        left_out = [field for field in fields if field in wire.fields and self._extra_fields is None][:1]
        self.refused[self.endpoint.base_url, request.model] = self.refused_for(request).union(left_out)
        return bool(left_out)

    def noted(self, request: Request, wire: Wire, answer: Answer | NoAnswer) -> Answer | NoAnswer:
        """Return an answer with the parameters that were not sent; a filtered request has an empty one."""
        if isinstance(answer, NoAnswer):
            return Answer("", "content_filter") if answer.filtered else answer
        if not (self.endpoint.omits or self.refused_for(request)):
            return answer
        omitted = chat_body(request, replace(self.endpoint, omits=frozenset())).keys() - wire.fields.keys()
        limited = wire.fields.keys() & set(LIMITS)
        return answer._replace(omitted=tuple(sorted(omitted.difference(LIMITS if limited else ()))))


def chat_body(request: Request, endpoint: Endpoint, refused: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON body of `/chat/completions`, without fields that the endpoint ignores or has `refused`.

    Parameters are included only if the request sets them.
    """
    refused = endpoint.omits.union(refused)
    messages = [{"role": message.role, "content": _content_of(message)} for message in request.messages]
    body: dict[str, Any] = {"model": request.model, "messages": messages}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.seed is not None:
        body["seed"] = request.seed
    if request.max_tokens is not None:
        chat = request.extra.get("api") != "responses"
        either = (endpoint.limit_field, *LIMITS[:2]) if chat else LIMITS[2:]
        limit_field = next((name for name in either if name not in refused), None)
        if limit_field is not None:
            body[limit_field] = request.max_tokens
    if request.schema:
        name = re.sub(r"[^A-Za-z0-9_-]", "_", request.schema_name)[:64] or "answer"
        schema = {"name": name, "schema": dict(request.schema), "strict": is_strict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    body |= {name: value for name, value in request.extra.items() if name not in ("api", "extra_body")}
    body |= request.extra.get("extra_body", {})
    return {name: value for name, value in body.items() if name not in refused}


def _content_of(message: Message) -> str | list[dict[str, Any]]:
    """Return a message's text, or text and files as parts."""
    if not message.files:
        return message.text
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        elif part.media_type == PDF:  # its real name could move the answer, and is not in the digest
            content.append({"type": "file", "file": {"filename": "document.pdf", "file_data": part.url}})
        else:
            content.append({"type": "image_url", "image_url": {"url": part.url}})
    return content


def read_reply(raw: bytes, exchange: Exchange, latency_s: float) -> Answer | Fault:
    """Return the answer in a chat completion, its text unedited, or a `Fault`."""
    body = read_body(raw, "a chat completion", exchange)
    if isinstance(body, Fault):
        return body
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return Fault("retry", f"{exchange.endpoint.host} sent no choices")
    if isinstance(choice.get("error"), dict):
        return hidden_error(choice["error"], json.dumps(choice), exchange)
    message = choice.get("message")
    if not isinstance(message, dict):
        return Fault("retry", f"{exchange.endpoint.host} sent no message")
    text, instead = _content(message)
    counts = read_part(body, "usage")
    model = body.get("model")
    return Answer(
        text=text,
        finish_reason=_finish_reason(choice),
        served_model=public_model_name(model) if isinstance(model, str) and model else None,
        prompt_tokens=read_count(counts.get("prompt_tokens")),
        completion_tokens=read_count(counts.get("completion_tokens")),
        latency_s=latency_s,
        instead=instead,
        cached_tokens=read_count(read_part(counts, "prompt_tokens_details").get("cached_tokens")),
        reasoning_tokens=read_count(read_part(counts, "completion_tokens_details").get("reasoning_tokens")),
    )


def _content(message: dict[str, Any]) -> tuple[str, str]:
    """Return the text, and the field that is there instead of one; a refusal is a text too."""
    content = message.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if part.get("type", "text") in TEXTS]
    text = content if isinstance(content, str) else "".join(each for each in texts if isinstance(each, str))
    if text.strip():
        return text, ""
    for each in (message, *parts):
        if isinstance(refusal := each.get("refusal"), str) and refusal:
            return refusal, "refusal"
    if any(part.get("type") in THOUGHTS for part in parts):
        return text, "reasoning_content"
    return text, next((name for name in INSTEAD if message.get(name)), "")


def _finish_reason(choice: dict[str, Any]) -> str:
    reason = choice.get("finish_reason")
    if not isinstance(reason, str) or not reason:
        return "unknown"
    return "length" if reason.lower() in ("length", "max_tokens", "max_output_tokens") else reason


BATCH_SIZE = 32
"""Texts per request. OpenAI takes 2,048; the lowest known limit of a server is 32."""


class OpenAIEmbedder(OpenAIClient):
    """An embedder at an OpenAI-compatible endpoint."""

    def __init__(self, endpoint: Endpoint, model: str, **client: Any) -> None:
        """Send nothing yet; `client` are further arguments of `OpenAIClient`."""
        super().__init__(endpoint, **client)
        self._model = model

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """Return one vector per text; fails and retries like `Provider.ask`."""
        found: list[Sequence[float]] = []
        for start in range(0, len(texts), BATCH_SIZE):
            part = list(texts[start : start + BATCH_SIZE])
            body = {"model": self._model, "input": part, "encoding_format": "float"}
            guess = sum(map(len, part)) / CHARACTERS_A_TOKEN
            read = partial(read_vectors, len(part))
            vectors = await self.send("/embeddings", partial(dict, body), read, tokens=guess)
            if isinstance(vectors, NoAnswer):
                return vectors
            found += vectors
        return found


def read_vectors(expected: int, raw: bytes, exchange: Exchange, latency_s: float) -> list[Sequence[float]] | Fault:
    """Return the vectors of a response in the order of the texts, or a `Fault`."""
    host = exchange.endpoint.host
    body = read_body(raw, "embeddings", exchange)
    if isinstance(body, Fault):
        return body
    rows = body.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return Fault("give_up", f"{host} sent no embeddings", "check that the base_url serves embeddings")
    by_index = {row.get("index", at): _vector(row.get("embedding")) for at, row in enumerate(rows)}
    vectors = [by_index.get(at) for at in range(expected)]
    if len(rows) != expected or len(by_index) != expected:
        return Fault("give_up", f"{host} sent {count(len(rows), 'embedding')} for {count(expected, 'text')}")
    good = [vector for vector in vectors if vector is not None]
    if len(good) != expected or len({len(vector) for vector in good}) != 1:
        return Fault("give_up", f"{host} sent an embedding that is not a list of numbers")
    return good


def _vector(value: object) -> Sequence[float] | None:
    """Return a vector's numbers, decoding base64, which some servers send unasked; None if invalid."""
    if isinstance(value, str):
        try:
            raw = base64.b64decode(value, validate=True)
            value = list(struct.unpack(f"<{len(raw) // 4}f", raw))
        except (binascii.Error, ValueError, struct.error):
            return None
    if not isinstance(value, list) or not value:
        return None
    numbers = [float(one) for one in value if isinstance(one, int | float) and not isinstance(one, bool)]
    return numbers if len(numbers) == len(value) and all(map(math.isfinite, numbers)) and any(numbers) else None
