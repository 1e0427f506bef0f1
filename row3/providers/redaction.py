"""Hides anything that looks like a key or account in messages; `row3.domain.secrets` hides known keys."""

from __future__ import annotations

import re

from row3.domain.secrets import KEY, NO_SECRETS, Guard

LONGEST = 300
"""Most characters shown of a vendor's message."""

_HIDDEN = "[hidden]"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=*-]{6,}", r"\1 " + _HIDDEN),
        (r"(?i)\b((?:x-)?api[-_ ]key|authorization|token)(\s*[:=]\s*)['\"]?[^\s'\",;}]+['\"]?", r"\1\2" + _HIDDEN),
        (KEY.pattern, _HIDDEN),
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


def redact(text: str, guard: Guard = NO_SECRETS) -> str:
    """Return one line of at most 300 characters without keys, tokens, e-mail addresses or account names.

    `guard` hides known secrets first, before the text is cut.
    """
    # A vendor may send megabytes; most of them are never shown.
    line = _GAPS.sub(" ", guard.clean(text)[: LONGEST * 20]).strip()
    for pattern, put in _RULES:
        line = pattern.sub(put, line)
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def public_model_name(name: str) -> str:
    """Return a served model's name without a fine-tune's organisation or a file's folders.

    `ft:gpt-4o-mini:acme::x1` gives `ft:gpt-4o-mini`, `/models/m/qwen.gguf` gives `qwen.gguf`.
    """
    if name.startswith("ft:"):
        name = ":".join(name.split(":")[:2])
    if name.lower().endswith(".gguf") or name.startswith(("/", "~", "\\")) or re.match(r"[A-Za-z]:\\", name):
        name = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    return name
