"""Keeps keys and account names out of everything that is shown or saved, also where they are encoded."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

LONGEST = 300
"""Characters of a vendor's message that are shown."""

_HIDDEN = "[hidden]"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=*-]{6,}", r"\1 " + _HIDDEN),
        (r"(?i)\b((?:x-)?api[-_ ]key|authorization|token)(\s*[:=]\s*)['\"]?[^\s'\",;}]+['\"]?", r"\1\2" + _HIDDEN),
        # OpenAI, OpenRouter and Anthropic keys (also as their vendor masks them: sk-ab***yz), Google, Groq, HF, xAI
        (r"\b(?:sk|pk|rk|sess)-[A-Za-z0-9_*.•…-]{4,}", _HIDDEN),
        (r"\bAIza[A-Za-z0-9_-]{8,}|\b(?:gsk|hf|xai|AQ)[_.-][A-Za-z0-9_-]{16,}", _HIDDEN),
        (r"\b(?:org|proj|user|acct|wrkspc|ws)[-_](?=[A-Za-z0-9_-]*\d|[A-Za-z0-9]{12})[A-Za-z0-9_-]{4,}", _HIDDEN),
        (r"\b(projects?|organizations?|accounts?)/[\w.@:-]+", r"\1/" + _HIDDEN),
        (r"(?i)\b(project_number|consumer)([:=]\s*)['\"]?[\w:./-]+['\"]?", r"\1\2" + _HIDDEN),
        (r"(?i)\b(organi[sz]ation|project|account|workspace|team)(\s*[:=]?\s*)(['\"`])[^'\"`]+\3", r"\1\2" + _HIDDEN),
        (r"(?i)\b(organi[sz]ation|project|account|workspace|team)(\s+)(?=[\w.-]*[\d_-])[\w.-]{3,}", r"\1\2" + _HIDDEN),
        (r"(?i)\b((?:in|for|of|by) (?:organi[sz]ation|workspace))\s+(?!\[hidden)[\w.-]+", r"\1 " + _HIDDEN),
        (r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", _HIDDEN),
    )
)
_GAPS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """One line of at most 300 characters without keys, tokens, e-mail addresses or account names.

    `secrets` are values that must not be there whatever they look like, such as the key itself, nor in an encoded form.
    """
    # A vendor may send megabytes; the patterns need not see more than can be shown.
    line = text[: LONGEST * 20]
    for form in sorted({form for secret in secrets for form in forms_of(secret)}, key=len, reverse=True):
        line = line.replace(form, _HIDDEN)
    line = _GAPS.sub(" ", line).strip()
    for pattern, put in _RULES:
        line = pattern.sub(put, line)
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def public_model_name(name: str) -> str:
    """A served model's name without the organisation of a fine-tune or the folders of a file.

    `ft:gpt-4o-mini:acme::x1` gives `ft:gpt-4o-mini`, `/models/m/qwen.gguf` gives `qwen.gguf`.
    """
    if name.startswith("ft:"):
        name = ":".join(name.split(":")[:2])
    if name.lower().endswith(".gguf") or name.startswith(("/", "~", "\\")) or re.match(r"[A-Za-z]:\\", name):
        name = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    return name


SHORT = 8
"""Characters of a value; a shorter one, or a form of it, may stand in a text by chance."""
_BREAKS = re.compile(r"\s+|(?:\\[nr])+")
"""Ends of lines, also as a JSON string has them: tools break base64 after 76 characters."""
_PERCENT = re.compile(r"%[0-9A-F]{2}")


@lru_cache(maxsize=64)
def forms_of(secret: str) -> tuple[str, ...]:
    """The secret itself and its encoded forms, the longest first; of a short one nothing but itself."""
    if len(secret) < SHORT:
        return (secret,) if secret else ()
    forms = {secret, *_in_json(secret), *_in_url(secret), *_in_base64(secret)}
    forms |= {form.replace("/", "\\/") for form in forms}  # as PHP and others write JSON
    return tuple(sorted((form for form in forms if len(form) >= SHORT), key=lambda form: (-len(form), form)))


def holds(text: str, secrets: Iterable[str]) -> bool:
    """Whether a text has one of the secrets in any of these forms."""
    whole = _BREAKS.sub("", text)
    return any(form in text or form in whole for secret in secrets for form in forms_of(secret))


def _in_json(secret: str) -> Iterator[str]:
    """Within a JSON string, and within one that stands in another."""
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]


def _in_url(secret: str) -> Iterator[str]:
    value = secret.encode("utf-8", "surrogateescape")
    for form in (quote(value, safe=""), quote(value), quote_plus(value)):
        yield form
        yield _PERCENT.sub(lambda found: found[0].lower(), form)


def _in_base64(secret: str) -> Iterator[str]:
    """Alone, and within something longer such as `user:key`."""
    value = secret.encode("utf-8", "surrogateescape")
    for before in range(3):
        # Bytes before it shift it by a third of a group; the characters that they or those after it touch are left out.
        text = b64encode(b"\0" * before + value).decode()[-(-before * 8 // 6) : (before + len(value)) * 8 // 6]
        yield text
        yield text.replace("+", "-").replace("/", "_")
