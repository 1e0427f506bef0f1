"""Arguments of a tool call as `row3.toml` writes them, with `{name}` where a value belongs.

`"{query}"` alone gives the value itself, whatever its type; inside a longer text it gives the value as text.
`{a.b.0}` looks into a value. `{{` and `}}` are the braces themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_PART = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_-]+)*)\}|[{}]")


class UnknownPlaceholderError(LookupError):
    """A `{name}` has no value, or a brace stands alone; `str` of it says which."""


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with every placeholder in its place; tables and lists are filled part by part.

    Raises `UnknownPlaceholderError`.
    """
    if isinstance(template, str):
        return _text(template, values)
    if isinstance(template, Mapping):
        return {key: filled(part, values) for key, part in template.items()}
    if isinstance(template, Sequence):
        return [filled(part, values) for part in template]
    return template


def names_in(template: Any) -> Iterator[str]:
    """The first part of every placeholder in a template: `result` of `{result.id}`."""
    if isinstance(template, str):
        yield from (match[1].partition(".")[0] for match in _PART.finditer(template) if match[1])
    elif isinstance(template, Mapping):
        for part in template.values():
            yield from names_in(part)
    elif isinstance(template, Sequence):
        for part in template:
            yield from names_in(part)


def found_at(value: Any, path: str) -> Any:
    """What stands at a dotted path (`results.0.id`) of a JSON value; raises `KeyError` where nothing does."""
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise KeyError(path)
    return value


def _text(template: str, values: Mapping[str, Any]) -> Any:
    whole = _PART.fullmatch(template)
    if whole is not None and whole[1]:
        return _value(whole[1], values)

    def put(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if not match[1]:
            raise UnknownPlaceholderError(f"a lone `{match[0]}` in `{template}`; write `{match[0] * 2}` for the brace")
        value = _value(match[1], values)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _PART.sub(put, template)


def _value(path: str, values: Mapping[str, Any]) -> Any:
    try:
        return found_at(values, path)
    except KeyError:
        known = ", ".join(f"{{{name}}}" for name in values)
        raise UnknownPlaceholderError(f"`{{{path}}}` is not there; known are {known or 'none'}") from None
