"""Prompts that never show what a case is about: every case is asked the same, and every answer is paid for.

The commonest cause is `{name}` where Jinja2 wants `{{ name }}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from row3.domain.prompts import Prompt
from row3.errors import InvalidFile
from row3.kinds.answers import Parsed
from row3.kinds.base import Kind, Rules
from row3.workflows.pipeline.templates import used_names


class UnusedInput(NamedTuple):
    """What a prompt does not show."""

    level: Literal["error", "warning"]
    """An error where nothing of the case is shown."""
    message: str
    line: int = 1
    """Of the prompt's file."""


def unused_inputs(
    kind: Kind, rules: Rules, prompts: Sequence[Prompt], given: Collection[str]
) -> Iterator[tuple[Prompt, UnusedInput]]:
    """Yield the prompts of a pipeline that leave unused what a case has (`given`) or earlier prompts hand on."""
    names = list(given)
    for prompt in prompts:
        if prompt.stage is None and (unused := unused_input(prompt, names)) is not None:
            yield prompt, unused
        names += handed_on(kind, rules, prompt.output)


def unused_input(prompt: Prompt, given: Collection[str]) -> UnusedInput | None:
    """Return what the prompt does not show of its inputs; None where it is well, or is no valid template."""
    try:
        used = used_names(prompt)
    except InvalidFile:  # whoever renders it is told
        return None
    braces = [each for each in _in_single_braces(prompt, given) if each[0] not in used]
    if not used:
        cure = _cure(braces[0][0]) if braces else f"It can use {', '.join(f'`{{{{ {name} }}}}`' for name in given)}"
        line = braces[0][1] if braces else 1
        return UnusedInput("error", f"asks the same of every case: nothing in it comes from the case. {cure}", line)
    for name, line in braces:
        return UnusedInput("warning", f"does not show `{name}`. {_cure(name)}", line)
    return None


def _cure(name: str) -> str:
    return f"`{{{name}}}` is sent as it stands: write `{{{{ {name} }}}}`"


def _in_single_braces(prompt: Prompt, given: Collection[str]) -> list[tuple[str, int]]:
    """The names that stand so in the prompt's text, as in an f-string, each with its line in the file."""
    above = prompt.text.count("\n", 0, max(prompt.text.rfind(prompt.body), 0)) + 1
    names = "|".join(map(re.escape, given))
    found = re.finditer(rf"(?<!\{{)\{{ *({names}) *\}}(?!\}})", prompt.body) if names else ()
    return [(match[1], above + prompt.body.count("\n", 0, match.start())) for match in found]


def handed_on(kind: Kind, rules: Rules, output: str) -> Mapping[str, Any]:
    """Return what a prompt with this output hands on to later ones, made up: one item in every list."""
    answer = kind.parse(output, json.dumps(_example(kind.schema(output, rules))))
    return kind.context(output, answer.value) if isinstance(answer, Parsed) else {}


def _example(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {key: _example(part) for key, part in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [_example(schema.get("items", {}))]
    return {"number": 1, "integer": 1, "boolean": True}.get(str(schema.get("type")), "example")
