"""How a suite is answered that has no prompts: by calls of a tool, a command or a function."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from row3.domain.placeholders import filled

SystemType = Literal["mcp", "command", "python"]


@dataclass(frozen=True, slots=True)
class Poll:
    """Asking a tool again and again until what an earlier call began is done."""

    tool: str
    arguments: Mapping[str, Any]
    """May use `{result.…}`: what the call before it said."""
    until: Mapping[str, Any]
    """Dotted path into what the tool says → the value, or list of values, that means done."""
    failed: Mapping[str, Any] = field(default_factory=dict)
    """Likewise: the values that mean it never will be."""
    interval_s: float = 1.0
    limit_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Call:
    """One call: a tool and what it is given, with placeholders, or with values in their place."""

    tool: str
    arguments: Mapping[str, Any] | None
    """None for everything that a case shows."""
    poll: Poll | None = None

    def as_json(self) -> dict[str, Any]:
        """What of it can move an answer: how long is waited between two looks cannot."""
        value: dict[str, Any] = {
            "tool": self.tool,
            "arguments": None if self.arguments is None else dict(self.arguments),
        }
        if self.poll is not None:
            value["poll"] = {
                "tool": self.poll.tool,
                "arguments": dict(self.poll.arguments),
                "until": dict(self.poll.until),
                "failed": dict(self.poll.failed),
            }
        return value


@dataclass(frozen=True, slots=True)
class Stage:
    """What takes the place of a prompt in such a suite: the question as a call."""

    type: SystemType
    version: str
    """Of the system under test, as its user counts it."""
    call: Call
    before: tuple[Call, ...] = ()
    """Calls made for each case ahead of the question."""
    answer: str = ""
    """Dotted path to the part of the result that is the answer; empty for all of it."""
    setup: str = ""
    """Digest of the calls that are made once a session; empty where there are none."""

    def as_json(self) -> dict[str, Any]:
        """All that can move an answer: what is kept of a request, and what its digest covers."""
        value: dict[str, Any] = {"type": self.type, "version": self.version, **self.call.as_json()}
        if self.before:
            value["before"] = [call.as_json() for call in self.before]
        if self.answer:
            value["answer"] = self.answer
        if self.setup:
            value["setup"] = self.setup
        return value


def filled_call(call: Call, values: Mapping[str, Any]) -> Call:
    """The call with values in the place of its placeholders; its poll waits for what the call says.

    Raises `UnknownPlaceholderError`.
    """
    arguments = dict(values) if call.arguments is None else filled(call.arguments, values)
    return replace(call, arguments=arguments)


def filled_stage(stage: Stage, values: Mapping[str, Any]) -> Stage:
    """The question of one case; `values` are what the case shows. Raises `UnknownPlaceholderError`."""
    before = tuple(filled_call(call, values) for call in stage.before)
    return replace(stage, call=filled_call(stage.call, values), before=before)


def canonical(value: Any) -> str:
    """A value's canonical JSON: sorted keys, no spaces, no escapes but the needed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
