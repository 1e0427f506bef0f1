"""A request to a provider and its answer; which models have special names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

RECORDED_ONLY = "reference-llm"
"""The model of recordings that were made by hand, one that no provider serves."""


def digest_text(text: str | bytes) -> str:
    """SHA-256, hexadecimal, of a text in UTF-8 (or of bytes)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text).hexdigest()


def canonical(value: Any) -> str:
    """Return a value as JSON with sorted keys, without spaces and without escapes that are not needed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest_json(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON."""
    return digest_text(canonical(value))


JUDGE = "judge"
"""Who answers a judge's request."""


class Request(NamedTuple):
    """All that a provider is told, and who asks.

    Two requests with the same `digest` are the same question: a recording of one answers the other. Tens of thousands
    are made for a replay: a named tuple takes a quarter of the time of a frozen dataclass.
    """

    case_id: str
    prompt: str
    """Reference of the prompt, `decompose-concepts-v1.1`."""
    repeat: int
    """0 for the first asking; a repeat is a question of its own."""
    model: str
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    system: str
    user: str
    schema_name: str
    schema: Mapping[str, Any]
    """JSON schema of the wished answer."""
    schema_digest: str
    prompt_digest: str
    variables: Mapping[str, Any]
    """What the template was given: the case's input and the earlier stages' output."""
    digest: str
    """Made by `digest_of`."""
    by: str = ""
    """Who is asked: `judge`, an arm's name, or nothing for the suite's provider."""

    @property
    def input_digest(self) -> str:
        """Digest of the variables; computed when asked for, which is when a recording is made or missed."""
        return digest_json(self.variables)

    def fields(self) -> dict[str, Any]:
        """What a recording keeps of the request, in the order in which a difference is reported."""
        return {
            "model": self.model,
            "temperature": self.temperature,
            "seed": self.seed,
            "maxTokens": self.max_tokens,
            "repeat": self.repeat,
            "schemaDigest": self.schema_digest,
            "inputDigest": self.input_digest,
            "promptDigest": self.prompt_digest,
            "prompt": self.prompt,
        }


def digest_head(
    *, model: str, temperature: float | None, seed: int | None, max_tokens: int | None, schema_digest: str, repeat: int
) -> bytes:
    """Return what `digest_of` hashes before the texts; the same for all cases of a prompt."""
    return json.dumps([model, temperature, seed, max_tokens, schema_digest, repeat]).encode()


def digest_of(head: bytes, system: str, user: str) -> str:
    """Return the digest that finds a recording: all that can move the answer, each text after its length."""
    one, other = system.encode("utf-8", "surrogatepass"), user.encode("utf-8", "surrogatepass")
    return hashlib.sha256(b"%b%d:%b%d:%b" % (head, len(one), one, len(other), other)).hexdigest()


FILTERED = frozenset(
    {"content_filter", "content_filtered", "safety", "recitation", "blocklist", "prohibited_content", "spii"}
)
"""Finish reasons of an answer that a content filter stopped: OpenAI's, and what Gemini and Bedrock hand through."""


class Answer(NamedTuple):
    """What a provider said, unedited but for keys, which are hidden."""

    text: str
    finish_reason: str = "stop"
    """`length` marks an answer cut off by the token limit."""
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None
    replayed: bool = False

    @property
    def filtered(self) -> bool:
        """Whether a content filter stopped the answer, which is a bad one whatever there is of it."""
        return self.finish_reason != "stop" and self.finish_reason.lower().partition(":")[0] in FILTERED

    @property
    def said(self) -> str:
        """What answers are compared by: the text, and that it was filtered."""
        return f"content_filter\n{self.text}" if self.filtered else self.text


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The provider gave none: the case has failed, and the run is incomplete."""

    error: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.error}. {self.fix}" if self.fix else self.error


LOCAL_CHAT_MODEL = "gemma3-270m"
WEAK = "(local, weak)"
"""Shown wherever such a model is named to people."""
_MEANT = ("", "local", "default", "gemma3")


def is_local(name: str) -> bool:
    """Return whether the local provider takes a model's name for its own: `Gemma-3-270M`, `local` or nothing."""
    asked = name.lower().removesuffix(WEAK).strip().replace("gemma-3", "gemma3")
    return asked in _MEANT or asked.startswith("gemma3-")


def labelled(model: str) -> str:
    """Return the name of a model, or of those of several stages, as people see it where the local provider answers."""
    names = model.split(", ")
    return ", ".join(f"{name} {WEAK}" if name and is_local(name) else name for name in names)


MOST_REPEATS = 100
"""How often a case may be asked."""
