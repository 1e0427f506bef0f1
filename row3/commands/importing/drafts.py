"""Cases and prompts read from other files, before they are written to a project."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from row3.domain.prompts import Prompt, PromptRef, Version
from row3.errors import InvalidFile
from row3.project.prompts import versions
from row3.project.tree import Tree
from row3.running.rendering.templates import render, used_names

LONGEST_NAME = 50
"""Length limit, in characters, of a name made from a text."""
PROMPT = """---
name: {name}
version: "1.0"
description: {description}
output: {output}
{more}---
{body}
"""
RUBRIC = """{{% block system %}}
You grade an answer strictly. A doubt lowers the grade.
{{% endblock %}}

{{% block user %}}
Input
{{% for name, given in input.items() %}}{{{{ name }}}}: {{{{ given }}}}
{{% endfor %}}
Answer
{{{{ answer }}}}

{task}
{text}

Give a score from 0 (not at all) to 100 (fully), and say in `issues` and `strengths` why.
Answer with JSON only, no other text:
{{"score": 0, "issues": ["..."], "strengths": ["..."]}}
{{% endblock %}}"""


class NotImported(NamedTuple):
    """A part of a file without a counterpart in row3."""

    case: str
    """Case id; empty if it belongs to no case."""
    type: str
    """Its name in the file: an assertion type or a key."""
    value: Any
    why: str


class UnmappedError(Exception):
    """row3 has no counterpart; the message says why."""


@dataclass(slots=True)
class Draft:
    """A golden case that has no file yet."""

    where: str
    """File and line or field, for messages."""
    value: dict[str, Any]
    """The case's own keys; with an `id` only if the source has one."""
    name: str = ""
    """Text to make the id from."""
    not_imported: list[tuple[str, Any, str]] = field(default_factory=list)
    """Type, value and reason of each part that was not imported."""


@dataclass(slots=True)
class Drafts:
    """Everything read from a file."""

    cases: list[Draft] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    """Names of the prompts, in the order of the file."""
    not_imported: list[NotImported] = field(default_factory=list)
    """Parts outside the cases that were not imported."""


class PromptFiles:
    """Prompts and rubrics that an import writes; existing ones are not overwritten."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._taken = versions(tree)
        self.new: dict[str, bytes] = {}

    def add(self, name: str, body: str, parameters: Mapping[str, Any] = {}, *, output: str, description: str) -> str:
        """Add a prompt, unless it exists; return its name, with a number if another prompt has the name."""
        for number in itertools.count(1):
            numbered = name if number == 1 else f"{name}-{number}"
            path = f"prompts/{numbered}-v1.0.md"
            quoted = json.dumps(description, ensure_ascii=False)
            more = "".join(f"{key}: {json.dumps(value)}\n" for key, value in parameters.items())
            content = PROMPT.format(name=numbered, description=quoted, output=output, more=more, body=body).encode()
            if numbered not in self._taken:
                existing = self.new.setdefault(path, content)
            else:
                existing = self._tree.read(path) if self._tree.exists(path) else b""
            if existing == content:
                return numbered
        raise AssertionError

    def add_rubric(self, text: str, task: str, variables: Mapping[str, Any]) -> str:
        """Add a rubric that grades by a text, which may use the case's `variables`; return its name.

        Raises `UnmappedError`.
        """
        if used := _used(text, variables):
            given = ", ".join(f"{name} = input.{name}" for name in sorted(used))
            text = f"{{% with {given} %}}{text}{{% endwith %}}"
        name = f"rubric-{slug(without_tags(text)) or 'text'}"
        description = "A rubric, imported from promptfoo."
        return self.add(name, RUBRIC.format(task=task, text=text), output="grade", description=description)


def template(text: str) -> Prompt:
    """Return a text as the only block of a prompt, to compile and render it like one."""
    body = f"{{% block user %}}{text}{{% endblock %}}"
    return Prompt(PromptRef("import", Version(1, 0)), "", "answer", {}, body, "", "", "")


def filled(value: Any, variables: Mapping[str, Any]) -> Any:
    """Return a value with its `{{ variables }}` filled in. Raises `UnmappedError` for a variable without a value."""
    if isinstance(value, dict):
        return {key: filled(part, variables) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(part, variables) for part in value]
    if not isinstance(value, str) or not ("{{" in value or "{%" in value):
        return value
    alone = re.fullmatch(r"\s*\{\{\s*(\w+)\s*\}\}\s*", value)
    if alone is not None and alone[1] in variables:
        return variables[alone[1]]
    _used(value, variables)
    try:
        return render(template(value), variables)[-1].text
    except InvalidFile as error:
        raise UnmappedError(error.what) from None


def _used(text: str, variables: Mapping[str, Any]) -> set[str]:
    try:
        used = used_names(template(text))
    except InvalidFile as error:
        raise UnmappedError(error.what) from None
    if missing := sorted(used - variables.keys()):
        raise UnmappedError(f"`{missing[0]}` has no value in this case")
    return used


def without_tags(text: str) -> str:
    """Return a template's text without its Jinja tags."""
    return re.sub(r"{[{%].*?[%}]}", " ", text)


def slug(text: str) -> str:
    """Return a text as a name of lower-case letters, digits and hyphens; empty if it has no letter or digit."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME + 1].rpartition("-")[0] or name[:LONGEST_NAME]
