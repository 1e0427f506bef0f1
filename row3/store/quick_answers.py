"""Answers out of recordings by the thousand: lines in row3's own layout, read into typed fields at once.

A line that is laid out in another way, has a wrong type or holds an answer that was edited is left to
`recording_lines`, which alone writes messages. This module is imported only where there are many recordings.
"""

from __future__ import annotations

import hashlib

from msgspec import Struct
from msgspec.json import Decoder

from row3.domain.requests import Answer
from row3.store.recording_lines import MOST, SCHEMA_VERSION, TRUSTED


class _Request(Struct, forbid_unknown_fields=True, gc=False, rename="camel"):
    model: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    schema_digest: str | None = None
    input_digest: str | None = None
    prompt_digest: str | None = None


class _Response(Struct, forbid_unknown_fields=True, gc=False, rename="camel"):
    text: str
    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: int | float | None = None  # 1 is not made 1.0


class _Line(Struct, forbid_unknown_fields=True, gc=False, rename="camel"):
    digest: str
    schema_version: int
    case_id: str
    prompt: str
    repeat: int
    request: _Request
    response: _Response
    answer_digest: str = ""
    recorded_at: str = ""


_DECODER = Decoder(_Line)


def quick_answer(raw: bytes) -> Answer | None:
    """The answer of a line; None for a line that `from_line` has to look at, and for an answer that was edited."""
    if TRUSTED.match(raw) is None:
        return None
    try:
        line = _DECODER.decode(raw)
        said = line.response
        if line.schema_version != SCHEMA_VERSION or max(_numbers(said)) > MOST:
            return None
        edited = line.answer_digest and line.answer_digest != hashlib.sha256(said.text.encode()).hexdigest()
    except ValueError:
        return None
    return None if edited else _answer(line.response)


def _numbers(said: _Response) -> tuple[float, ...]:
    return abs(said.prompt_tokens or 0), abs(said.completion_tokens or 0), abs(said.latency_s or 0)


def _answer(said: _Response) -> Answer:
    return Answer(
        said.text,
        said.finish_reason or "stop",
        said.served_model,
        said.prompt_tokens,
        said.completion_tokens,
        said.latency_s,
        replayed=True,
    )
