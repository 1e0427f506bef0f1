"""One recording as one line of JSON.

A line begins with its digest, so that an index over many megabytes is made without parsing them.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.json import Decoder

from row3.domain.requests import Answer, Request, digest_text
from row3.domain.structs import MisfitsError, convert
from row3.errors import InvalidFile
from row3.store.documents import check_schema_version, dump_line, parse_json
from row3.store.files import CONFLICT

SCHEMA_VERSION = 1
HEAD = re.compile(rb'\{"digest": "([0-9a-f]{64})", "schemaVersion": 1, "caseId": "[^"\\]*(?:\\.[^"\\]*)*"')
"""How row3 begins a line; one that a hand wrote is read as a whole."""
Count = Annotated[int, Meta(ge=0, le=2**53)]


class Response(Struct, frozen=True, rename="camel", gc=False):
    """What a line keeps of an answer."""

    text: str
    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    latency_s: Annotated[float, Meta(ge=0)] | None = None


class Recording(Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """One line of a recordings file."""

    digest: str
    schema_version: int = 1
    case_id: str
    prompt: str
    repeat: int
    request: dict[str, Any]
    response: Response
    answer_digest: str = ""
    recorded_at: str = ""

    @property
    def answer(self) -> Answer:
        """Return the answer, to be replayed."""
        r = self.response
        tokens = r.prompt_tokens, r.completion_tokens
        return Answer(r.text, r.finish_reason or "stop", r.served_model, *tokens, r.latency_s, replayed=True)


_DECODER = Decoder(Recording)


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
    """Return a recording from its line; raises `InvalidFile`."""
    raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    try:
        recording = _DECODER.decode(raw)
        if recording.schema_version == SCHEMA_VERSION:
            return recording
    except ValueError:
        pass
    # Half a surrogate pair, which a model can write, or a fault: this way reads the one and names the other.
    value = parse_json(decoded(raw, where), where=where, surrogates=True)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    try:
        return convert(value, Recording)
    except MisfitsError as error:
        what = f"not a recording: {error.told()}"
        raise InvalidFile(what, where=where, fix="Restore the file from git") from None


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
