"""What makes the page safe: what is shown of text from outside, and what the page may do at all."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

from markupsafe import Markup

HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Controls, marks that turn or hide text, halves of surrogate pairs. Joiners stay: scripts need them."""


def seen(text: str) -> str:
    """The text with everything in it that cannot be seen named: `⟨U+202E⟩`. Escaping is the template's."""
    return HIDDEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text.replace("\r\n", "\n"))


def finalize(value: Any) -> Any:
    """What the template writes of a value: text is made visible, and markup of the page itself is left alone."""
    if value is None:
        return ""
    return seen(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def policy(script: str, style: str) -> str:
    """The page's Content-Security-Policy: its own script and style by their digests, and nothing from anywhere.

    An injected script has no such digest and an event handler none at all; `trusted-types 'none'` also refuses
    markup and `javascript:` addresses that a script would make of text.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_digest(script)}",
            f"style-src {_digest(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
