"""Requests to a provider with their parameters, answers, and special model names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from row3.domain.files import FilePart, file_inputs
from row3.errors import InvalidFile

NAMES = "reasoning_effort verbosity top_p stop presence_penalty frequency_penalty service_tier extra_body api"
EXTRA: Final[Mapping[str, str]] = {name: name[0] + name.title().replace("_", "")[1:] for name in NAMES.split()}
"""By the name of OpenAI's API, their key in files."""
Extra = Mapping[str, Any]
"""Those that are set, by the API's names; not to be changed."""


def extra_json(extra: Extra) -> dict[str, Any]:
    """Return them with the keys that files use."""
    return {EXTRA[name]: value for name, value in extra.items()}


def changed_keys(value: Mapping[str, Any], *others: Mapping[str, Any]) -> list[str]:
    """Return the keys of files whose parameter differs from that of any other; one that is not set is None."""
    keys = dict.fromkeys(key for each in (value, *others) for key in each)
    return [key for key in keys if any(each.get(key) != value.get(key) for each in others)]


def extra_from(value: Mapping[str, Any]) -> dict[str, Any]:
    """Read them from a saved run, a manifest or a recording."""
    return {name: value[key] for name, key in EXTRA.items() if key in value}


RECORDED_ONLY = "reference-llm"
"""The model name in recordings made by hand; no provider serves it."""


def digest_text(text: str | bytes) -> str:
    """Return the SHA-256, hexadecimal, of a text in UTF-8 (or of bytes)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text).hexdigest()


def canonical(value: Any) -> str:
    """Return a value as JSON with sorted keys, without spaces or unnecessary escapes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest_json(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON."""
    return digest_text(canonical(value))


def digest_listed(before: Sequence[Any], values: Iterable[Any], after: Sequence[Any]) -> str:
    """Return the `digest_json` of `[*before, [*values], *after]`; the values may be more than fit in memory."""
    digest = hashlib.sha256(canonical([*before, []]).encode("utf-8", "surrogatepass")[:-2])
    for number, each in enumerate(values):
        digest.update(("," * (number > 0) + canonical(each)).encode("utf-8", "surrogatepass"))
    digest.update(("]" + ",".join(["", *map(canonical, after)]) + "]").encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def input_digest(variables: Mapping[str, Any]) -> str:
    """Return the digest of a case's variables, and of the bytes of the files that they name."""
    digests = []
    for each in file_inputs(variables):
        with suppress(InvalidFile):  # told where a prompt shows the file
            digests.append(each.part().digest)
    return digest_json([variables, digests] if digests else variables)


Role = Literal["system", "user", "assistant"]
ROLES: tuple[Role, ...] = ("system", "user", "assistant")


class Message(NamedTuple):
    """One message of a request."""

    role: Role
    text: str
    files: tuple[FilePart, ...] = ()
    """In the order of their places in the text."""

    @property
    def parts(self) -> list[str | FilePart]:
        """The text and the files, in order; blank text between files is left out."""
        parts: list[str | FilePart] = []
        start = 0
        for file in self.files:
            parts += [self.text[start : file.at].strip(), file]
            start = file.at
        return [part for part in (*parts, self.text[start:].strip()) if part] if self.files else [self.text]

    @property
    def shown(self) -> str:
        """The message for people: its text, with the name of each file in its place."""
        return "\n".join(part if isinstance(part, str) else f"[{part.path}]" for part in self.parts)

    def as_json(self) -> dict[str, Any]:
        """Return role, text and, if there are any, the files without their bytes."""
        files = {"files": [file.as_json() for file in self.files]} if self.files else {}
        return {"role": self.role, "text": self.text, **files}


Messages = tuple[Message, ...]


def messages_of(system: str, user: str) -> Messages:
    """Return the messages of a prompt with one system part, which may be empty, and one user part."""
    asked = Message("user", user)
    return (Message("system", system), asked) if system else (asked,)


def order_fault(roles: Iterable[str]) -> str:
    """Return why no model takes messages of these roles, after "it has …"; empty if models take them."""
    others = [role for role in roles if role != "system"]
    if others[:1] == ["assistant"]:
        return "an assistant message first"
    return "" if "user" in others else "no user message with a text"


JUDGE = "judge"
"""`Request.by` for a judge's request."""


class Request(NamedTuple):
    """Everything that a provider receives, and where the request comes from.

    Requests with the same `digest` are the same question: a recording of one answers the other. A replay makes tens of
    thousands, and a named tuple takes a quarter of the time of a frozen dataclass.
    """

    case_id: str
    prompt: str
    """Reference of the prompt, `decompose-concepts-v1.1`."""
    repeat: int
    """0 for the first time; a repeat is a question of its own."""
    model: str
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    messages: Messages
    schema_name: str
    schema: Mapping[str, Any]
    schema_digest: str
    prompt_digest: str
    variables: Mapping[str, Any]
    """Template variables: the case's input and the earlier stages' output."""
    digest: str
    """Result of `digest_of`."""
    by: str = ""
    """Who answers: `judge`, an arm's name, or empty for the suite's provider."""
    extra: Extra = {}
    """Further parameters that are set."""

    @property
    def texts(self) -> list[str]:
        """The texts of the messages."""
        return [message.text for message in self.messages]

    @property
    def files(self) -> list[FilePart]:
        """The files in the messages."""
        return [file for message in self.messages for file in message.files]

    @property
    def input_digest(self) -> str:
        """Digest of the variables; computed on demand, for a new or missing recording."""
        return input_digest(self.variables)

    def fields(self) -> dict[str, Any]:
        """Return the fields stored in a recording, in the order in which differences are reported."""
        return {
            "model": self.model,
            "temperature": self.temperature,
            "seed": self.seed,
            "maxTokens": self.max_tokens,
            **extra_json(self.extra),
            "repeat": self.repeat,
            "schemaDigest": self.schema_digest,
            **({"files": [file.as_json() for file in files]} if (files := self.files) else {}),
            "inputDigest": self.input_digest,
            "promptDigest": self.prompt_digest,
            "prompt": self.prompt,
        }


def digest_head(
    *,
    model: str,
    temperature: float | None,
    seed: int | None,
    max_tokens: int | None,
    schema_digest: str,
    repeat: int,
    extra: Mapping[str, Any] = {},
) -> bytes:
    """Return the bytes that `digest_of` hashes before the texts; the same for all cases of a prompt."""
    sent = [model, temperature, seed, max_tokens, schema_digest, repeat]
    return json.dumps([*sent, extra] if extra else sent, sort_keys=True).encode()


def digest_of(head: bytes, messages: Messages) -> str:
    """Return the key of a recording: a digest of everything that can move the answer, with each text's length.

    Messages other than one of the system and one of the user, in this order, are hashed with their roles, and files by
    the digest of their bytes.
    """
    first = messages[0] if len(messages) > 1 else Message("system", "")
    last = messages[-1]
    if len(messages) > 2 or (first.role, last.role) != ("system", "user") or first.files or last.files:
        each = [[role, text, *([file.at, file.digest] for file in files)] for role, text, files in messages]
        return digest_text(head + canonical(each).encode("utf-8", "surrogatepass"))
    one, other = (each.text.encode("utf-8", "surrogatepass") for each in (first, last))
    return hashlib.sha256(b"%b%d:%b%d:%b" % (head, len(one), one, len(other), other)).hexdigest()


FILTERED = frozenset(each.replace("_", "") for each in (
    "content_filter", "content_filtered", "content_policy_violation", "cyber_policy",  # OpenAI
    "responsible_ai_policy_violation", "guardrail_intervened",  # Azure, Bedrock
    "safety", "recitation", "blocklist", "prohibited_content", "spii", "model_armor",  # Gemini
    "data_inspection_failed", "sensitive", "1301", "new_sensitive", "error_toxic",  # Alibaba, Zhipu, MiniMax, Cohere
))  # fmt: skip
"""Finish reasons and error codes of content filters, without `_`."""
SHOWN_REFUSAL = 120
"""Maximum characters of a refusal in a message."""
BAD_ANSWERS = ("refused", "filtered", "empty")
"""First words of the reasons for bad answers that are named; the others are unreadable."""


class Answer(NamedTuple):
    """A provider's answer, unedited except for hidden keys."""

    text: str
    finish_reason: str = "stop"
    """`length` marks an answer cut off by the token limit."""
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None
    replayed: bool = False
    instead: str = ""
    """Field of the reply's message that is there instead of an answer: `refusal`, `tool_calls`, `reasoning_content`."""
    omitted: tuple[str, ...] = ()
    """Parameters of the request that were not sent, because the endpoint refuses them."""
    cached_tokens: int | None = None
    """How many of the prompt's tokens the provider read from its cache."""
    reasoning_tokens: int | None = None
    """How many of the completion's tokens are reasoning."""

    @property
    def fault(self) -> str:
        """Why this is a bad answer whatever its kind, begun with `refused`, `filtered` or `empty`; else empty."""
        if "refusal" in (self.instead, self.finish_reason.lower().partition(":")[0]):
            return f"refused: {' '.join(self.text.split())[:SHOWN_REFUSAL] or 'the model gives no reason'}"
        if is_filtered(self.finish_reason):
            return "filtered: stopped by the content filter"
        if self.text.strip():
            return ""
        return f"empty: the reply has {f'only `{self.instead}`' if self.instead else 'no text'}"

    @property
    def said(self) -> str:
        """Content for comparisons of answers: the text, with a mark if it was filtered or refused."""
        mark = {"filtered": "content_filter", "refused": "refusal"}.get(self.fault.partition(":")[0])
        return self.text if mark is None else f"{mark}\n{self.text}"


def is_filtered(code: str) -> bool:
    """Return whether a finish reason or error code says that a content filter stopped the answer."""
    return code.lower().partition(":")[0].replace("_", "").replace("-", "") in FILTERED


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A missing answer: the case has failed, and the run is incomplete."""

    error: str
    fix: str = ""
    filtered: bool = False
    """Whether a content filter refused the request."""

    def __str__(self) -> str:
        return f"{self.error}. {self.fix}" if self.fix else self.error


LOCAL_CHAT_MODEL = "gemma3-270m"
WEAK = "(local, weak)"
"""Mark of local models in output for people."""
_LOCAL_NAMES = ("", "local", "default", "gemma3")


def is_local(name: str) -> bool:
    """Return whether the local provider accepts a model's name: `Gemma-3-270M`, `local` or an empty one."""
    asked = name.lower().removesuffix(WEAK).strip().replace("gemma-3", "gemma3")
    return asked in _LOCAL_NAMES or asked.startswith("gemma3-")


def labelled(model: str) -> str:
    """Return one or more comma-separated model names for people, with `WEAK` after local ones."""
    return ", ".join(f"{name} {WEAK}" if name and is_local(name) else name for name in model.split(", "))


MOST_REPEATS = 100
"""Maximum number of repeats of a case."""
MOST_CONFIRMING = 20
"""Most further answers, a case and side, that confirm a block."""
