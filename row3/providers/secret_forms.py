"""What a secret looks like once a system has encoded it: as base64, in a URL, in a JSON string."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

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
