"""OpenAI's Responses API, spoken with a chat completion's parameters and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import Reply
from row3.domain.requests import Answer
from row3.providers.faults import Exchange, Fault, read_body, read_count, read_part
from row3.providers.redaction import public_model_name


def responses_body(chat: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of `/responses` that asks what the body of a chat completion asks, and stores nothing."""
    body = {"store": False, **chat}
    messages = body.pop("messages")
    if messages[0]["role"] == "system" and isinstance(messages[0]["content"], str):
        body["instructions"], messages = messages[0]["content"], messages[1:]
    body["input"] = [{**message, "content": _content(message["content"])} for message in messages]
    text: dict[str, Any] = {}
    if (schema := body.pop("response_format", None)) is not None:
        text["format"] = {"type": schema["type"], **schema["json_schema"]}
    if (verbosity := body.pop("verbosity", None)) is not None:
        text["verbosity"] = verbosity
    if text:
        body["text"] = {**body.get("text", {}), **text}
    if (effort := body.pop("reasoning_effort", None)) is not None:
        body["reasoning"] = {**body.get("reasoning", {}), "effort": effort}
    return body


def _content(content: str | list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return a message's content, its parts as `/responses` names them."""
    if isinstance(content, str):
        return content
    parts: list[dict[str, Any]] = []
    for part in content:
        match part["type"]:
            case "text":
                parts.append({"type": "input_text", "text": part["text"]})
            case "image_url":
                parts.append({"type": "input_image", "image_url": part["image_url"]["url"]})
            case _:
                parts.append({"type": "input_file", **part["file"]})
    return parts


class _Part(Reply):
    type: str
    text: str = ""
    refusal: str = ""


class _Item(Reply):
    type: str
    content: list[_Part] | None = None


class _Response(Reply):
    status: str = "unknown"
    model: str = ""
    output: list[_Item]
    usage: dict[str, Any] | None = None
    incomplete_details: dict[str, Any] | None = None


FINISHED = {"completed": "stop", "max_output_tokens": "length"}
"""Finish reasons of chat completions by what a response says."""


def read_response(raw: bytes, exchange: Exchange, latency_s: float) -> Answer | Fault:
    """Return the answer in a response, its text unedited, or a `Fault`."""
    body = read_body(raw, "a response", exchange)
    if isinstance(body, Fault):
        return body
    try:
        said = convert(body, _Response)
    except MisfitsError as error:
        return Fault("retry", f"{exchange.endpoint.host} sent no response: {error.summary()}")
    parts = [part for item in said.output if item.type == "message" for part in item.content or ()]
    text, instead = "".join(part.text for part in parts if part.type == "output_text"), ""
    if not text.strip() and (refusal := "".join(part.refusal for part in parts)):
        text, instead = refusal, "refusal"
    elif not text.strip():
        instead = next((item.type for item in said.output if item.type != "message"), "")
    usage, reason = said.usage or {}, str((said.incomplete_details or {}).get("reason", said.status))
    return Answer(
        text=text,
        finish_reason=FINISHED.get(reason, reason),
        served_model=public_model_name(said.model) if said.model else None,
        prompt_tokens=read_count(usage.get("input_tokens")),
        completion_tokens=read_count(usage.get("output_tokens")),
        latency_s=latency_s,
        instead=instead,
        cached_tokens=read_count(read_part(usage, "input_tokens_details").get("cached_tokens")),
        reasoning_tokens=read_count(read_part(usage, "output_tokens_details").get("reasoning_tokens")),
    )
