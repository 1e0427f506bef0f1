"""Finding and hiding secret values in texts, plain or encoded.

The search uses a text's *plain form*: escapes (`\\u0041`, `\\x41`, `%41`) are decoded, and invisible characters are
removed: spaces, line ends, backslashes and zero-width characters. A secret is searched for as it is, in base64 (at any
offset, in both alphabets) and in hexadecimal.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

SHORTEST = 8
"""Shortest secret, in characters; a shorter value may occur in a text by chance."""
HIDDEN = "(key hidden by row3)"
"""Replacement for a secret."""
MOST_EDITED = 1_000_000
"""Longest text, in characters, from which secrets are cut out; a longer one is hidden as a whole."""

KEY = re.compile(
    r"\b(?:(?:sk|pk|rk|sess)-[A-Za-z0-9_*.•…-]{4,}|AIza[A-Za-z0-9_-]{8,}|AKIA[A-Z0-9]{12,}|eyJ[A-Za-z0-9_-]{12,}"
    r"|(?:gsk|hf|xai|AQ|[spr]k|gh[a-z]|github_pat|glpat|xox[a-z])[_.-][A-Za-z0-9_-]{16,})"
)
"""Keys of OpenAI and others (also masked: sk-ab***yz), Google, AWS; Groq, HF, xAI, Stripe, GitHub, …; web tokens."""

_TOKEN = re.compile(r"\\+u([0-9a-fA-F]{4})|\\+x([0-9a-fA-F]{2})|%(?:25)*([0-7][0-9a-fA-F])|(\\+[nrt]?)|(.)", re.DOTALL)
"""One character of a text, escaped or not; the fourth group is invisible, the fifth a literal character."""
_CODE = re.compile(_TOKEN.pattern.partition("|(\\\\")[0])
_UNSEEN = re.compile(
    r"[\s\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f"
    r"\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def holds_key(text: str) -> bool:
    """Return whether a text contains what looks like a whole key, not one that is masked."""
    return any(len(found[0]) >= 2 * SHORTEST for found in KEY.finditer(text))


class Guard:
    """Finds and hides secrets; without secrets it does nothing, at no cost."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """Take values by variable name; values of less than 8 characters are ignored."""
        given = {name: value for name, value in secrets.items() if len(value) >= SHORTEST}
        self._values = sorted({*given.values()}, key=len, reverse=True)
        self._forms = [(name, value, tuple(_forms(value))) for name, value in given.items()]

    def __bool__(self) -> bool:
        return bool(self._forms)

    def found(self, text: str) -> str:
        """Return the name of a secret that the text contains; empty for none."""
        if not self._forms:
            return ""
        plain = _plain(text)
        return next((name for name, value, forms in self._forms if value in text or any(f in plain for f in forms)), "")

    def clean(self, text: str) -> str:
        """Return the text with `HIDDEN` in place of every secret."""
        if not self.found(text):
            return text
        if len(text) > MOST_EDITED:
            return HIDDEN
        hidden = text
        for value in self._values:
            hidden = hidden.replace(value, HIDDEN)
        hidden = self._without_forms(hidden)
        return HIDDEN if self.found(hidden) else hidden

    def clean_value(self, value: Any) -> Any:
        """Return a JSON value with all its texts cleaned; the value itself if there are no secrets."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, Mapping):
            return {self.clean_value(key): self.clean_value(part) for key, part in value.items()}
        return [self.clean_value(part) for part in value] if isinstance(value, list | tuple) else value

    def _without_forms(self, text: str) -> str:
        tokens = [(match, shown) for match in _TOKEN.finditer(text) if (shown := _shown(match))]
        forms = sorted((form for _, _, each in self._forms for form in each), key=len, reverse=True)
        parts, end = [], 0
        for held in re.finditer("|".join(map(re.escape, forms)), "".join(shown for _, shown in tokens)):
            parts += [text[end : tokens[held.start()][0].start()], HIDDEN]
            end = tokens[held.end() - 1][0].end()
        return "".join([*parts, text[end:]])


NO_SECRETS = Guard({})


def _plain(text: str) -> str:
    """Return the plain form of a text, mostly by methods of `str`: about 50 microseconds per page."""
    if "\\u" in text or "\\x" in text or "%" in text:
        text = _CODE.sub(_decoded, text)
    if "\\" in text:
        text = text.replace("\\n", "").replace("\\r", "").replace("\\t", "").replace("\\", "")
    text = "".join(text.split())
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)


def _decoded(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    return chr(int(code, 16)) if code else ""


def _shown(match: re.Match[str]) -> str:
    """Return a token's character in the plain form; empty if it is invisible."""
    return _UNSEEN.sub("", match[5] or _decoded(match))


def _forms(secret: str) -> Iterator[str]:
    """Yield the forms that a secret may take in a plain form."""
    value = secret.encode("utf-8", "surrogateescape")
    in_url = "".join(each if each.isascii() else quote(each, errors="surrogateescape") for each in secret)
    spelled = (_plain(each) for each in (secret, in_url, re.sub("%..", lambda code: code[0].lower(), in_url)))
    found = dict.fromkeys((*spelled, value.hex(), value.hex().upper()))
    for before in range(3):
        # Preceding bytes shift the encoding within a group; characters that share bits with neighbours are left out.
        text = b64encode(b"\0" * before + value).decode()[-(-before * 8 // 6) : (before + len(value)) * 8 // 6]
        found |= dict.fromkeys((text, text.replace("+", "-").replace("/", "_")))
    yield from (form for form in found if len(form) >= SHORTEST)
