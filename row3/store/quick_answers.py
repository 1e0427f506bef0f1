"""Answers out of recordings by the thousand: lines in row3's own layout, read into typed fields at once.

A line that is laid out in another way, has a wrong type, a key twice or not all keys, says that it is of another
request, or holds an answer that was edited is left to `recording_lines`, which alone writes messages. This module is
imported only where there are many recordings.
"""

from __future__ import annotations

import hashlib

from msgspec import Struct
from msgspec.json import Decoder, encode

from row3.domain.requests import Answer, Request
from row3.store.recording_lines import MOST, SCHEMA_VERSION, TRUSTED


class _Request(Struct, forbid_unknown_fields=True, gc=False, rename="camel"):
    model: str
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    schema_digest: str
    input_digest: str
    prompt_digest: str


class _Response(Struct, forbid_unknown_fields=True, gc=False, rename="camel"):
    text: str
    finish_reason: str
    served_model: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_s: int | float | None  # 1 is not made 1.0


class _Line(Struct, forbid_unknown_fields=True, gc=False, rename="camel"):
    digest: str
    schema_version: int
    case_id: str
    prompt: str
    repeat: int
    request: _Request
    response: _Response
    answer_digest: str
    recorded_at: str


_DECODER = Decoder(_Line)
_KEYS = sum(len(each.__struct_fields__) for each in (_Line, _Request, _Response))
_TEXTS = 10
"""Values in quotes that every line has, beside the answer's text."""
_TEXT = b', "response": {"text": '


def quick_answer(raw: bytes, wanted: Request | None = None) -> Answer | None:
    """The answer of a line; None for a line that `from_line` has to look at, and for an answer that was edited.

    Args:
        wanted: the request that it is to answer; a line that says it is of another one has to be looked at.
    """
    if TRUSTED.match(raw) is None:
        return None
    try:
        line = _DECODER.decode(raw)
        said = line.response
        if line.schema_version != SCHEMA_VERSION or max(_numbers(said)) > MOST or not _each_key_once(raw, line):
            return None
        if wanted is not None and not _is_of(line, wanted):
            return None
        edited = line.answer_digest and line.answer_digest != hashlib.sha256(said.text.encode()).hexdigest()
    except ValueError:
        return None
    return None if edited else _answer(line.response)


def _each_key_once(raw: bytes, line: _Line) -> bool:
    """No key stands twice: the line has the answer's text, and beside it no more quotes than it takes.

    All keys are there, so that one more is two quotes too many. An answer is full of quotes: it is looked at as a
    whole, and where it was escaped in another way this cannot be told and the answer is no.
    """
    text = encode(line.response.text)
    start = raw.find(_TEXT) + len(_TEXT)
    if not raw.startswith(text, start):
        return False
    quotes = raw.count(b'"', 0, start) + raw.count(b'"', start + len(text))
    return quotes == 2 * (_KEYS + _TEXTS + (line.response.served_model is not None))


def _is_of(line: _Line, wanted: Request) -> bool:
    asked = line.request
    return (
        line.case_id == wanted.case_id
        and asked.prompt_digest == wanted.prompt_digest
        and asked.model == wanted.model
        and asked.temperature == wanted.temperature
        and asked.seed == wanted.seed
        and asked.max_tokens == wanted.max_tokens
        and asked.schema_digest == wanted.schema_digest
        and line.repeat == wanted.repeat
    )


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
