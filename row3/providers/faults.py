"""What a failed try means: give this request up, try again (when?), or stop the run. 429 is handled here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Literal

from row3.domain.secrets import Guard
from row3.providers.base import Endpoint
from row3.providers.redaction import redact

FIRST_DELAY_S = 1.0
LONGEST_BACKOFF_S = 30.0
LONGEST_ASKED_S = 120.0
"""A server that asks for more seconds than this is given up on: the user can come back, the run cannot wait."""
LONGEST_TOTAL_S = 300.0
"""Seconds that one request may spend waiting, all its tries together."""

# Not by message: Gemini says "exceeded your current quota" of a limit per minute, which passes.
_NO_MONEY = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
)
# Anthropic and Gemini answer 400 to these.
_NO_CREDIT = re.compile(r"(?i)credit balance is too low|insufficient (?:credits?|balance|quota)")
_BAD_KEY = re.compile(r"(?i)api[_ ]key (?:is )?(?:not valid|invalid|expired)|api_key_invalid|api key expired")


OPTIONAL = ("response_format", "seed", "max_tokens", "max_completion_tokens")
"""Fields that a request is sent again without where the endpoint refuses them."""

_NOT_TAKEN = re.compile(
    r"(?i)(?:not|n't|never)\s+(?:be\s+)?(?:currently\s+)?(?:support|permit|allow|accept|recogni|available|valid|use)"
    r"|unsupported|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs?|fields?)|no such|cannot find field"
    r"|invalid (?:parameter|argument|field)|deprecated|instead"
)
_SCHEMA = re.compile(
    r"(?i)response[_ ]?format|json[_ ]?schema|structured[_ ]outputs?|response[_ ]?schema|guided|grammar"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One failed try. `message` is redacted and has no full stop."""

    kind: Literal["give_up", "retry", "stop"]
    message: str
    fix: str = ""
    delay_s: float | None = None
    """Seconds that the server asks to wait."""
    refused: frozenset[str] = frozenset()
    """Fields of the body that the endpoint does not take."""
    limited: bool = False
    """It was one request too many: 429."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What surrounds the body of an answer, needed to say what the answer means."""

    endpoint: Endpoint
    headers: Mapping[str, str]
    """Must find names whatever their case."""
    guard: Guard
    """Hides what no message may hold."""


@dataclass(frozen=True, slots=True)
class VendorError:
    """The `error` object of an answer, whichever vendor wrote it."""

    message: str = ""
    code: str = ""
    kind: str = ""
    param: str = ""
    delay_s: float | None = None
    moderated: bool = False


def read_error(body: object) -> VendorError:
    """Read `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`, `{"detail": …}` or a list of one of them."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return VendorError()
    inner: Any = body.get("error", body)
    if not isinstance(inner, dict):
        return VendorError(_text(inner))
    metadata, details = inner.get("metadata"), inner.get("details")
    return VendorError(
        _text(inner.get("message") or inner.get("detail")),
        _text(inner.get("code")),
        _text(inner.get("type") or inner.get("status")),
        _text(inner.get("param")),
        _google_delay(details if isinstance(details, list) else []),
        isinstance(metadata, dict) and ("flagged_input" in metadata or "reasons" in metadata),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, default=str)


def _google_delay(details: list[Any]) -> float | None:
    """Google sends no Retry-After but `{"@type": "…RetryInfo", "retryDelay": "28s"}`."""
    given = [str(detail.get("retryDelay")) for detail in details if isinstance(detail, dict)]
    return next((float(text[:-1]) for text in given if re.fullmatch(r"\d{1,6}(?:\.\d{1,9})?s", text)), None)


def _looks_like_html(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def read_body(raw: bytes, wanted: str, exchange: Exchange) -> dict[str, Any] | Fault:
    """Return the JSON object of an answer 200; a `Fault` for anything else than is wanted, and for an error in it."""
    text = raw.decode("utf-8", "replace")
    try:
        body = json.loads(raw)
        what = "JSON that is no object"
    except (ValueError, RecursionError):
        body = None
        html = "a web page (HTML)" if _looks_like_html(text) else "something that is not JSON"
        what = html if text.strip() else "an empty body"
    if not isinstance(body, dict):
        fix = "check the base_url (most end in /v1)"
        return Fault("retry", f"{exchange.endpoint.host} answered with {what} in place of {wanted}", fix)
    return hidden_error(body["error"], text, exchange) if body.get("error") else body


def hidden_error(error: object, text: str, exchange: Exchange) -> Fault:
    """Return what an error in an answer 200 means: OpenRouter answers 200 once a model has begun, whatever happens."""
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    fault = status_fault(status, text, exchange)
    return fault if status == code else replace(fault, message=fault.message.replace("answered 500", "answered 200", 1))


def status_fault(status: int, text: str, exchange: Exchange) -> Fault:
    """What an answer with an error status and the body `text` means."""
    endpoint = exchange.endpoint
    try:
        error = read_error(json.loads(text))
    except (ValueError, RecursionError):
        error = VendorError(message="a web page (HTML)" if _looks_like_html(text) else text)
    said = redact(error.message, exchange.guard)
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else "no standard status"
    message = f"{exchange.endpoint.host} answered {status} ({phrase})" + (f": {said.rstrip('.')}" if said else "")

    if status == 402 or {error.code, error.kind} & _NO_MONEY or (status < 500 and _NO_CREDIT.search(error.message)):
        return Fault("stop", message, "add credit at the provider, or use --mode replay")
    if status == 401 or (status == 400 and _BAD_KEY.search(error.message + error.code + error.kind)):
        return Fault("stop", message, _key_fix(endpoint))
    if status == 403 and not error.moderated:
        return Fault("stop", message, f"{_key_fix(endpoint)} and that it may use this model")
    if status in (408, 409, 429) or status >= 500:
        delay = asked_delay(exchange.headers)
        return Fault("retry", message, delay_s=error.delay_s if delay is None else delay, limited=status == 429)
    refused = refused_fields(error.message, error.param) if status in (400, 422) else frozenset()
    return Fault("give_up", message, _fix_for(status, error), refused=refused)


def _key_fix(endpoint: Endpoint) -> str:
    return f"check the key in {endpoint.key_variable}" if endpoint.key_variable else "this server wants a key"


def _fix_for(status: int, error: VendorError) -> str:
    if status == 404:
        return "check the model's name and the base_url (most end in /v1)"
    if status == 413 or "context" in error.message.lower() or error.code == "context_length_exceeded":
        return "the prompt is too long for this model"
    if "temperature" in (error.param, *error.message.split("'")[1:2]):
        return "this model takes no such temperature; leave it out of the prompt's front matter and row3.toml"
    return ""


def refused_fields(message: str, param: str) -> frozenset[str]:
    """The optional fields that an error 400 or 422 says the endpoint does not take.

    A complaint about a field's value (`max_tokens is too large`) is none: to drop the field would ask
    another question.
    """
    found = set()
    if _SCHEMA.search(message) or param.startswith("response_format"):
        found.add("response_format")
    if _NOT_TAKEN.search(message):
        if param in OPTIONAL:
            # "max_tokens is not supported, use max_completion_tokens instead" names both and refuses one.
            found.add(param)
        elif re.search(r"\bseed\b", message):
            found.add("seed")
        limit = None if param in OPTIONAL else re.search(r"\bmax_(?:completion_)?tokens\b", message)
        if limit:
            found.add(limit[0])
    return frozenset(found)


def asked_delay(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that `retry-after-ms` or `Retry-After` ask for; None where they name none.

    `headers` must find names whatever their case. A date asks for nothing: clocks differ.
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
    """Seconds to wait after so many failed tries (1, 2, …): doubling from one second, half of it by chance.

    `chance` in [0, 1) spreads requests that failed at the same moment; the result never exceeds 30 s.
    """
    whole = min(LONGEST_BACKOFF_S, FIRST_DELAY_S * 2.0 ** min(tries - 1, 10))
    return whole * (0.5 + 0.5 * chance)
