"""Find prompts that never show the case: every case gets the same request, and every answer costs money.

The usual cause is `{name}` where Jinja2 needs `{{ name }}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from posixpath import normpath
from typing import Any, Literal, NamedTuple

from row3.domain.files import is_media, objects_in
from row3.domain.prompts import Prompt
from row3.domain.requests import Messages
from row3.errors import InvalidFile
from row3.kinds.answers import Parsed
from row3.kinds.base import Kind, Rules
from row3.kinds.outputs import Found
from row3.running.rendering.templates import used_names


class UnusedInput(NamedTuple):
    """A finding: input that a prompt does not show."""

    level: Literal["error", "warning"]
    """`error` if the prompt shows nothing of the case."""
    message: str
    line: int = 1
    """Line of the prompt's file."""


def unused_inputs(
    kind: Kind, rules: Rules, prompts: Sequence[Prompt], given: Collection[str]
) -> Iterator[tuple[Prompt, UnusedInput]]:
    """Yield the prompts of a pipeline that ignore the case's variables (`given`) or earlier prompts' output."""
    names = list(given)
    for prompt in prompts:
        if prompt.stage is None and (unused := unused_input(prompt, names)) is not None:
            yield prompt, unused
        names += example_context(kind, rules, prompt.output)


def unused_input(prompt: Prompt, given: Collection[str]) -> UnusedInput | None:
    """Return which input a prompt does not show; None if it shows enough, or is not a valid template."""
    try:
        used = used_names(prompt)
    except InvalidFile:  # reported by rendering
        return None
    braces = [each for each in _in_single_braces(prompt, given) if each[0] not in used]
    if not used:
        fix = _fix(braces[0][0]) if braces else f"It can use {', '.join(f'`{{{{ {name} }}}}`' for name in given)}"
        line = braces[0][1] if braces else 1
        return UnusedInput("error", f"sends the same request for every case: it uses nothing of the case. {fix}", line)
    for name, line in braces:
        return UnusedInput("warning", f"does not show `{name}`. {_fix(name)}", line)
    return None


def unsent_file(messages: Messages, variables: Mapping[str, Any]) -> str:
    """Return the first picture or PDF of which messages have the name instead of the file; empty if there is none."""
    sent = {part.path for message in messages for part in message.files}
    paths = (str(each["file"]) for each in objects_in(variables) if "file" in each)
    unsent = (path for path in paths if is_media(path) and normpath(path) not in sent)
    text = "\n".join(message.text for message in messages)
    return next((path for path in unsent if path in text or json.dumps(path)[1:-1] in text), "")


def _fix(name: str) -> str:
    return f"`{{{name}}}` is sent literally: write `{{{{ {name} }}}}`"


def _in_single_braces(prompt: Prompt, given: Collection[str]) -> list[tuple[str, int]]:
    """Return the names in single braces, as in an f-string, each with its line in the file."""
    above = prompt.text.count("\n", 0, max(prompt.text.rfind(prompt.body), 0)) + 1
    names = "|".join(map(re.escape, given))
    found = re.finditer(rf"(?<!\{{)\{{ *({names}) *\}}(?!\}})", prompt.body) if names else ()
    return [(match[1], above + prompt.body.count("\n", 0, match.start())) for match in found]


def example_context(kind: Kind, rules: Rules, output: str) -> Mapping[str, Any]:
    """Return made-up variables that a prompt with this output passes to later ones: one item in every list."""
    if kind.outputs[output] is Found:
        return Found(value=_AnyShape()).context(output)
    answer = kind.outputs[output].read(json.dumps(_example(kind.schema(output, rules))))
    return answer.value.context(output) if isinstance(answer, Parsed) else {}


class _AnyShape(dict[str, Any]):
    """A value of which nobody knows the shape: each part of it is itself, and a loop over it ends at once."""

    def __missing__(self, key: object) -> _AnyShape:
        return self


def _example(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {key: _example(part) for key, part in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [_example(schema.get("items", {}))]
    return {"number": 1, "integer": 1, "boolean": True}.get(str(schema.get("type")), "example")
