"""Classifies failed attempts: give up, retry (after how long), or stop the run. Handles 429."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Literal

from row3.domain.endpoints import Endpoint
from row3.domain.requests import is_filtered
from row3.domain.secrets import Guard
from row3.providers.redaction import redact

FIRST_DELAY_S = 1.0
LONGEST_BACKOFF_S = 30.0
LONGEST_RETRY_AFTER_S = 120.0
"""If a server asks for a longer wait, the request fails."""
LONGEST_TOTAL_S = 300.0
"""Seconds that one request may wait, over all attempts."""

# Codes, not messages: Gemini says "exceeded your current quota" even for a limit per minute.
_NO_MONEY = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
)
# Anthropic and Gemini report these with status 400.
_NO_CREDIT = re.compile(r"(?i)credit balance is too low|insufficient (?:credits?|balance|quota)")
_BAD_KEY = re.compile(r"(?i)api[_ ]key (?:is )?(?:not valid|invalid|expired)|api_key_invalid|api key expired")

SPELLED = {
    "reasoning.effort": "reasoning_effort",
    "text.verbosity": "verbosity",
    "text.format": "response_format",
    "json_schema": "response_format",
}
"""Parameters by what messages call them, if that is another name."""
NEEDED = frozenset({"model", "messages", "input", "instructions", "text"})
"""Fields that are never left out; `text` has only parameters of their own name."""

_UNSUPPORTED = re.compile(
    r"(?i)(?:not|n't|never)\s+(?:be\s+)?(?:currently\s+)?(?:support|permit|allow|accept|recogni|available|valid|use)"
    r"|unsupported|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs?|fields?)|no such|cannot find field"
    r"|invalid (?:parameter|argument|field)|deprecated|\buse\b.{1,60}\binstead"
    r"|\bonly (?:(?:the )?default|be set|[\d.]+ is)"
)
_CHOICE = re.compile(r"(?i)(?:supported|allowed|valid) values are:?[^.]*,|input should be .+ or ")
"""Names several values that it accepts: the endpoint refuses the value, not the parameter."""
_FILTER = re.compile(
    r"(?i)content[ _-]?(?:filter|management policy|policy[ _]violation|exists risk)|responsibleaipolicyviolation"
    r"|data_?inspection_?failed|violat\w+ (?:our )?usage (?:policy|guidelines)|considered high risk"
)
"""Messages of content filters: Azure, LiteLLM, DeepSeek, Alibaba, OpenAI, xAI, Moonshot. Codes: `is_filtered`."""
_SCHEMA = re.compile(
    r"(?i)response[_ ]?format|json[_ ]?schema|structured[_ ]outputs?|response[_ ]?schema|guided|grammar"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed attempt. `message` is redacted and has no full stop."""

    kind: Literal["give_up", "retry", "stop", "filtered"]
    message: str
    fix: str = ""
    delay_s: float | None = None
    """Seconds to wait, if the server named any."""
    refused: tuple[str, ...] = ()
    """Body fields that the endpoint may reject, the likeliest first."""
    limited: bool = False
    """Whether the status was 429."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Context of a response body."""

    endpoint: Endpoint
    headers: Mapping[str, str]
    """Case-insensitive."""
    guard: Guard
    """Hides secrets in messages."""
    sent: Collection[str] = ()
    """Fields of the request's body."""


@dataclass(frozen=True, slots=True)
class VendorError:
    """The `error` object of a response, in any vendor's form."""

    message: str = ""
    code: str = ""
    kind: str = ""
    param: str = ""
    delay_s: float | None = None
    filtered: bool = False


def read_error(body: object) -> VendorError:
    """Read `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`, `{"detail": …}`, or a list of these."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return VendorError()
    inner: Any = body.get("error", body)
    if not isinstance(inner, dict):
        return VendorError(_text(inner))
    details, more = inner.get("details"), inner.get("innererror") or inner.get("metadata")  # Azure, OpenRouter
    code, kind = _text(inner.get("code")), _text(inner.get("type") or inner.get("status"))
    inside: dict[str, Any] = more if isinstance(more, dict) else {}
    filtered = any(map(is_filtered, (code, kind, _text(inside.get("code")))))
    return VendorError(
        _text(inner.get("message") or inner.get("detail")),
        code,
        kind,
        _text(inner.get("param")),
        _google_delay(details if isinstance(details, list) else []),
        filtered or not inside.keys().isdisjoint(("content_filter_result", "flagged_input", "reasons")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, default=str)


def _google_delay(details: list[Any]) -> float | None:
    """Return the seconds in `{"@type": "…RetryInfo", "retryDelay": "28s"}`, which Google sends as Retry-After."""
    given = [str(detail.get("retryDelay")) for detail in details if isinstance(detail, dict)]
    return next((float(text[:-1]) for text in given if re.fullmatch(r"\d{1,6}(?:\.\d{1,9})?s", text)), None)


def _looks_like_html(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def read_body(raw: bytes, expected: str, exchange: Exchange) -> dict[str, Any] | Fault:
    """Return the JSON object of a 200 response; a `Fault` for anything else and for an error object in it."""
    text = raw.decode("utf-8", "replace")
    try:
        body = json.loads(raw)
        what = "JSON that is not an object"
    except (ValueError, RecursionError):
        body = None
        html = "a web page (HTML)" if _looks_like_html(text) else "something that is not JSON"
        what = html if text.strip() else "an empty body"
    if not isinstance(body, dict):
        fix = "check the base_url (most end in /v1)"
        return Fault("retry", f"{exchange.endpoint.host} sent {what} instead of {expected}", fix)
    return hidden_error(body["error"], text, exchange) if body.get("error") else body


def read_part(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object inside a provider's; empty if it is missing or no object."""
    part = body.get(name)
    return part if isinstance(part, dict) else {}


def read_count(value: object) -> int | None:
    """Return a number of tokens; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def hidden_error(error: object, text: str, exchange: Exchange) -> Fault:
    """Classify an error object in a 200 response, as OpenRouter sends when a model fails halfway."""
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    fault = status_fault(status, text, exchange)
    return fault if status == code else replace(fault, message=fault.message.replace("answered 500", "answered 200", 1))


def status_fault(status: int, text: str, exchange: Exchange) -> Fault:
    """Classify a response with an error status and body `text`."""
    endpoint = exchange.endpoint
    try:
        error = read_error(json.loads(text))
    except (ValueError, RecursionError):
        error = VendorError(message="a web page (HTML)" if _looks_like_html(text) else text)
    detail = redact(error.message, exchange.guard)
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else "non-standard status"
    message = f"{exchange.endpoint.host} answered {status} ({phrase})" + (f": {detail.rstrip('.')}" if detail else "")

    if status == 402 or {error.code, error.kind} & _NO_MONEY or (status < 500 and _NO_CREDIT.search(error.message)):
        return Fault("stop", message, "add credit at the provider, or use --mode replay")
    if status == 401 or (status == 400 and _BAD_KEY.search(error.message + error.code + error.kind)):
        return Fault("stop", message, _key_fix(endpoint))
    refused = refused_fields(error, exchange.sent) if status in (400, 422) else ()
    said = f"{error.code} {error.kind} {error.message}" if status in (400, 403, 422, 451) else ""
    if (error.filtered or _FILTER.search(said)) and not refused:
        return Fault("filtered", message)
    if status == 403:
        return Fault("stop", message, f"{_key_fix(endpoint)}, and whether it may use this model")
    if status in (408, 409, 429) or status >= 500:
        delay = retry_after_s(exchange.headers)
        return Fault("retry", message, delay_s=error.delay_s if delay is None else delay, limited=status == 429)
    return Fault("give_up", message, _fix_for(status, error, exchange.sent), refused=refused)


def _key_fix(endpoint: Endpoint) -> str:
    return f"check the key in {endpoint.key_variable}" if endpoint.key_variable else "this server needs a key"


def _fix_for(status: int, error: VendorError, sent: Collection[str]) -> str:
    if status == 404:
        other = ', or leave out `api = "responses"`' if "input" in sent and "store" in sent else ""
        return f"check the model's name and the base_url (most end in /v1){other}"
    if status == 413 or "context" in error.message.lower() or error.code == "context_length_exceeded":
        return "the prompt is too long for this model"
    return ""


def refused_fields(error: VendorError, sent: Collection[str]) -> tuple[str, ...]:
    """Return the optional fields among the `sent` that a 400 or 422 names as unsupported, the likeliest first.

    A complaint about a value (`max_tokens is too large`) does not count: dropping the field changes the request.
    """
    optional = re.compile("|".join(rf"\b{re.escape(each)}\b" for each in (*SPELLED, *sent) if each not in NEEDED))
    texts = (error.param, error.message)
    in_param, in_message = ([SPELLED.get(one, one) for one in optional.findall(text)] for text in texts)
    unsupported = error.code.startswith("unsupported_") or _UNSUPPORTED.search(error.message)
    named = [*in_param, *in_message] if unsupported and not _CHOICE.search(error.message) else []
    if _SCHEMA.search(error.message) or error.param.startswith(("response_format", "text.format")):
        named.insert(len(in_param) if named else 0, "response_format")
    return tuple(dict.fromkeys(named))


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in `retry-after-ms` or `Retry-After`, None without them; `headers` are case-insensitive.

    Dates are ignored, since clocks differ.
    """
    for name, per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / per_second
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None


def backoff_s(tries: int, chance: float) -> float:
    """Return the seconds to wait after `tries` failures (1, 2, …): doubles from one second, at most 30.

    `chance` in [0, 1) varies half of it, to spread requests that failed together.
    """
    whole = min(LONGEST_BACKOFF_S, FIRST_DELAY_S * 2.0 ** min(tries - 1, 10))
    return whole * (0.5 + 0.5 * chance)
