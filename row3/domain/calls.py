"""Calls of a tool, a command or a function, which answer suites without prompts.

A call's arguments in `row3.toml` contain placeholders like `{name}`. `"{query}"` alone becomes the value itself, of any
type; within a longer text it becomes text. `{a.b.0}` looks into a value. `{{` and `}}` are literal braces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from row3.domain.models import Model, Text

_PART = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_-]+)*)\}|[{}]")


class UnknownPlaceholderError(LookupError):
    """A `{name}` without a value, or a single brace; the message says which."""


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """Return the template with all placeholders filled, in tables and lists too. Raises `UnknownPlaceholderError`."""
    if isinstance(template, str):
        return _text(template, values)
    if isinstance(template, Mapping):
        return {key: filled(part, values) for key, part in template.items()}
    if isinstance(template, Sequence):
        return [filled(part, values) for part in template]
    return template


def found_at(value: Any, path: str) -> Any:
    """Return the value at a dotted path (`results.0.id`) of a JSON value. Raises `KeyError`."""
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
            raise UnknownPlaceholderError(f"single `{match[0]}` in `{template}`; write `{match[0] * 2}` for a brace")
        value = _value(match[1], values)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _PART.sub(put, template)


def _value(path: str, values: Mapping[str, Any]) -> Any:
    try:
        return found_at(values, path)
    except KeyError:
        known = ", ".join(f"{{{name}}}" for name in values)
        raise UnknownPlaceholderError(f"`{{{path}}}` has no value; known: {known or 'none'}") from None


SystemType = Literal["mcp", "command", "python"]
CALLED = frozenset(get_args(SystemType))
"""System types, which runs name in place of a model."""

Seconds = Annotated[float, Field(gt=0, le=86_400)]


class Poll(Model):
    """A tool called repeatedly until the job started by the preceding call is done."""

    tool: Text
    until: Annotated[dict[str, Any], Field(min_length=1)]
    """Path into the result = the value, or values, that mean done."""
    arguments: dict[str, Any] = {}
    """May use {result.…}, the result of the preceding call."""
    failed: dict[str, Any] = {}
    """Likewise: the values that mean the job failed."""
    interval_s: Seconds = 1.0
    limit_s: Seconds = 120.0


class Call(Model):
    """One call: a tool and its arguments, with placeholders or filled in."""

    tool: Text
    arguments: dict[str, Any] | None = {}
    """None for all variables of a case."""
    poll: Poll | None = None

    def as_json(self) -> dict[str, Any]:
        """Return everything that can change an answer, so no waiting times."""
        value: dict[str, Any] = {"tool": self.tool, "arguments": self.arguments}
        if (poll := self.poll) is not None:
            given = {"arguments": poll.arguments, "until": poll.until, "failed": poll.failed}
            value["poll"] = {"tool": poll.tool, **given}
        return value


@dataclass(frozen=True, slots=True)
class Stage:
    """The call that replaces a prompt in a suite without prompts."""

    type: SystemType
    version: str
    """Version of the system under test, as its owner numbers it."""
    call: Call
    before: tuple[Call, ...] = ()
    """Calls made before the question of each case."""
    answer: str = ""
    """Dotted path to the answer within the result; empty for the whole result."""
    setup: str = ""
    """Digest of the calls made once per session; empty for none."""

    def as_json(self) -> dict[str, Any]:
        """Return everything that can change an answer; it is recorded and covered by the digest."""
        value: dict[str, Any] = {"type": self.type, "version": self.version, **self.call.as_json()}
        if self.before:
            value["before"] = [call.as_json() for call in self.before]
        return value | {key: given for key, given in (("answer", self.answer), ("setup", self.setup)) if given}


def filled_call(call: Call, values: Mapping[str, Any]) -> Call:
    """Return the call with its arguments filled. Raises `UnknownPlaceholderError`."""
    arguments = dict(values) if call.arguments is None else filled(call.arguments, values)
    return call.replace(arguments=arguments)


def filled_stage(stage: Stage, values: Mapping[str, Any]) -> Stage:
    """Return the stage for one case; `values` are the case's variables. Raises `UnknownPlaceholderError`."""
    before = tuple(filled_call(call, values) for call in stage.before)
    return replace(stage, call=filled_call(stage.call, values), before=before)
