"""Prompts that never show what a case is about: every case is asked the same, and every answer is paid for.

Whether a text depends on the case is seen by rendering it for cases that are not the same, so that blocks, conditions
and filters count for what they do. The commonest cause is `{name}` where Jinja2 wants `{{ name }}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Literal, NamedTuple

from row3.domain.prompts import Prompt
from row3.errors import InvalidFile
from row3.kinds.answers import Parsed
from row3.kinds.base import Kind, Rules
from row3.workflows.pipeline.templates import render

HandedOn = tuple[Mapping[str, Any], Mapping[str, Any]]
"""What a prompt hands on to later ones, made up in two ways."""
WORDS = ("example", "instance")
"""In what is made up."""


class UnusedInput(NamedTuple):
    """What a prompt does not show."""

    level: Literal["error", "warning"]
    """An error where nothing of the case is shown."""
    message: str
    line: int = 1
    """Of the prompt's file."""


def unused_inputs(
    kind: Kind, rules: Rules, prompts: Sequence[Prompt], inputs: Callable[[], Iterable[Mapping[str, Any]]]
) -> Iterator[tuple[Prompt, UnusedInput]]:
    """Prompts that run one after the other, those with something wrong; a system's call is no prompt.

    `inputs` are what the cases give to the first of them, read no further than it takes.
    """
    handed: list[HandedOn] = []
    for prompt in prompts:
        if prompt.stage is None and (unused := unused_input(prompt, reduce(with_handed, handed, inputs()))) is not None:
            yield prompt, unused
        handed.append(hand_on(kind, rules, prompt.output))


def unused_input(prompt: Prompt, inputs: Iterable[Mapping[str, Any]]) -> UnusedInput | None:
    """What the prompt does not show of its inputs; None where it is well or cannot be rendered."""
    rest = iter(inputs)
    first = next(rest, None)
    if first is None:
        return None
    braces = _in_single_braces(prompt, first)
    try:
        if _asks_all_the_same(prompt, first, rest):
            cure = _cure(braces[0][0]) if braces else f"It can use {', '.join(f'`{{{{ {name} }}}}`' for name in first)}"
            line = braces[0][1] if braces else 1
            return UnusedInput("error", f"asks the same of every case: nothing in it comes from the case. {cure}", line)
        for name, line in braces:
            if _same(prompt, first, {**first, name: _another(first[name])}):
                return UnusedInput("warning", f"does not show `{name}`. {_cure(name)}", line)
    except InvalidFile:  # of the template, which whoever renders it is told
        pass
    return None


def _cure(name: str) -> str:
    return f"`{{{name}}}` is sent as it stands: write `{{{{ {name} }}}}`"


def _asks_all_the_same(prompt: Prompt, first: Mapping[str, Any], rest: Iterable[Mapping[str, Any]]) -> bool:
    alone = True
    for given in rest:
        if given != first:
            alone = False
            if not _same(prompt, first, given):
                return False
    return not alone or _same(prompt, first, {name: _another(value) for name, value in first.items()})


def _same(prompt: Prompt, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return render(prompt, one) == render(prompt, other)


def _another(value: Any) -> Any:
    """Another value of the same form, at both of its ends."""
    if isinstance(value, str):
        return f"{WORDS[0]} {value} {WORDS[1]}"
    if isinstance(value, dict):
        return {key: _another(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_another(each) for each in value]
    return value + 1 if isinstance(value, int | float) else value


def _in_single_braces(prompt: Prompt, given: Mapping[str, Any]) -> list[tuple[str, int]]:
    """The variables that stand so in the prompt's text, as in an f-string, each with its line in the file."""
    above = prompt.text.count("\n", 0, max(prompt.text.rfind(prompt.body), 0)) + 1
    names = "|".join(map(re.escape, given))
    found = re.finditer(rf"(?<!\{{)\{{ *({names}) *\}}(?!\}})", prompt.body) if names else ()
    return [(match[1], above + prompt.body.count("\n", 0, match.start())) for match in found]


def with_handed(inputs: Iterable[Mapping[str, Any]], handed: HandedOn) -> Iterator[dict[str, Any]]:
    """The inputs with what is handed on, of one making and of the other in turn."""
    return ({**given, **handed[place % 2]} for place, given in enumerate(inputs))


def hand_on(kind: Kind, rules: Rules, output: str) -> HandedOn:
    """What a prompt with this output hands on: one made-up item in every list."""
    schema = kind.schema(output, rules)
    answers = (kind.parse(output, json.dumps(_example(schema, word))) for word in WORDS)
    one, other = (kind.context(output, answer.value) if isinstance(answer, Parsed) else {} for answer in answers)
    return one, other


def _example(schema: Mapping[str, Any], word: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {key: _example(part, word) for key, part in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [_example(schema.get("items", {}), word)]
    return {"number": 1, "integer": 1, "boolean": True}.get(str(schema.get("type")), word)
