"""Values in messages, for people: as a file spells them, and never as Python does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def spoken(value: Any) -> str:
    """A setting in a sentence: `none`, `true`, `0.5`, `a, b`, `key value, key value`."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {spoken(item)}" for key, item in value.items())
    return ", ".join(map(spoken, value)) if isinstance(value, list | tuple) else str(value)


def marked(value: Any) -> str:
    """A value that is quoted: what stands in a file as JSON, a text as it is; `none` where there is none."""
    if value is None:
        return "none"
    return f"`{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)}`"
