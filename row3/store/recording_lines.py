"""One recording as one line of JSON.

A line begins with its digest, so that an index over many megabytes is made without parsing them.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any

from row3.domain.requests import Answer, Request, digest_text
from row3.errors import InvalidFile
from row3.store.documents import check_schema_version, dump_line, parse_line, quick_json
from row3.store.files import CONFLICT

SCHEMA_VERSION = 1
MOST = sys.float_info.max
"""Of tokens and seconds: a price times more is no number any more."""
TRUSTED = re.compile(rb'\{"digest": "[0-9a-f]{64}", "schemaVersion": 1, "caseId": "')
"""How row3 begins a line; one that a hand wrote is read more closely."""
HEAD = re.compile(rb'\{"digest": "([0-9a-f]{64})", "schemaVersion": 1, "caseId": "[^"\\]*(?:\\.[^"\\]*)*"')


@dataclass(frozen=True, slots=True)
class Recording:
    """One line of a recordings file."""

    digest: str
    case_id: str
    prompt: str
    repeat: int
    request: dict[str, Any]
    answer: Answer
    recorded_at: str
    answer_digest: str


def to_line(request: Request, answer: Answer, *, recorded_at: str) -> str:
    """A recording as its line. Nothing of the connection is in it: no key, no header, no account."""
    fields = request.fields()
    return dump_line(
        {
            "digest": request.digest,
            "schemaVersion": SCHEMA_VERSION,
            "caseId": request.case_id,
            "prompt": fields.pop("prompt"),
            "repeat": fields.pop("repeat"),
            "request": fields,
            "response": {
                "text": answer.text,
                "finishReason": answer.finish_reason,
                "servedModel": answer.served_model,
                "promptTokens": answer.prompt_tokens,
                "completionTokens": answer.completion_tokens,
                "latencyS": None if answer.latency_s is None else round(answer.latency_s, 3),
            },
            "answerDigest": digest_text(answer.text),
            "recordedAt": recorded_at,
        }
    )


def from_line(line: str | bytes, *, where: str) -> Recording:
    """A recording from its line; raises `InvalidFile`."""
    raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    try:
        value = quick_json(raw)
    except ValueError:
        value = parse_line(decoded(raw, where), where=where)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    try:
        response = value["response"]
        if not isinstance(response["text"], str) or not isinstance(value["digest"], str):
            raise TypeError
        return Recording(
            digest=value["digest"],
            case_id=str(value["caseId"]),
            prompt=str(value["prompt"]),
            repeat=int(value["repeat"]),
            request=dict(value["request"]),
            answer=Answer(
                text=response["text"],
                finish_reason=_text(response.get("finishReason")) or "stop",
                served_model=_text(response.get("servedModel")),
                prompt_tokens=_number(response.get("promptTokens"), int),
                completion_tokens=_number(response.get("completionTokens"), int),
                latency_s=_number(response.get("latencyS"), int, float),
                replayed=True,
            ),
            recorded_at=str(value.get("recordedAt", "")),
            answer_digest=str(value.get("answerDigest", "")),
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        what = f"field {error} is missing" if isinstance(error, KeyError) else "a field has the wrong type"
        raise InvalidFile(f"not a recording: {what}", where=where, fix="Restore the file from git") from None


def other_field(recording: Recording, wanted: Request) -> tuple[str, Any, Any] | None:
    """The first field that a digest is made of and in which a line says it is of another request than its digest.

    With the value there and in the request of that digest. Digests of prompt and input are none of these fields:
    another text, or another input, may be rendered to the same request.
    """
    there = {**recording.request, "repeat": recording.repeat}
    sent = {
        "model": wanted.model,
        "temperature": wanted.temperature,
        "seed": wanted.seed,
        "maxTokens": wanted.max_tokens,
        "repeat": wanted.repeat,
        "schemaDigest": wanted.schema_digest,
    }
    for key, value in sent.items():
        if key in there and there[key] != value:
            return key, there[key], value
    return None


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError


def _number(value: Any, *types: type) -> Any:
    """The value, None or a number of these types that sums can be made of; no truth value, which is a number too."""
    if value is None or (type(value) in types and abs(value) <= MOST):
        return value
    raise TypeError


def decoded(raw: bytes, where: str) -> str:
    """The text of a line; raises `InvalidFile` where it is not UTF-8 or marks a merge conflict."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidFile("the line is not UTF-8", where=where, fix="Restore the file from git") from None
    if CONFLICT.match(text) is not None:
        raise InvalidFile(
            "the file has merge-conflict markers", where=where, fix="Keep the lines of both sides, without the markers"
        )
    return text
