"""Rendering a prompt: Jinja2, sandboxed, strict about undefined names, bounded in time, memory and size.

A prompt is text from a pull request, so it is treated as hostile. Most only name variables, loop over lists and use a
few filters: those are read and rendered here. Any other is compiled and rendered by a process of its own, which has
limits and is ended when its time is up (`render_process`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Environment, TemplateError, TemplateSyntaxError, nodes
from jinja2.meta import TrackingCodeGenerator

from row3.domain.prompts import Prompt
from row3.errors import InvalidFile
from row3.workflows.pipeline.harmless import is_harmless
from row3.workflows.pipeline.render_process import attempt_apart
from row3.workflows.pipeline.sandbox import LESSONS, Fault, attempt, environment

BLOCKS = ("system", "user")


class _Names(TrackingCodeGenerator):
    """What `find_undeclared_variables` does, without working out constants, which is running the template."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.optimizer = None


@lru_cache(maxsize=64)
def _parsed(body: str, path: str) -> nodes.Template:
    """Return the template's syntax; nothing of it has run. Raises `InvalidFile`."""
    try:
        tree = environment().parse(body)
    except TemplateSyntaxError as error:
        what = f"the template is wrong in line {error.lineno} of its body: {error.message}"
        raise InvalidFile(what, where=path, fix="Correct it") from None
    except (TemplateError, RecursionError, ValueError) as error:
        raise InvalidFile(f"the template cannot be read: {error}", where=path, fix="Correct it") from None
    if tree.find(nodes.EvalContextModifier) is not None:  # its value is worked out while the template is read
        raise InvalidFile("the template uses `autoescape`, which a prompt has no use for", where=path, fix="Remove it")
    blocks = {block.name for block in tree.find_all(nodes.Block)}
    unknown = blocks - set(BLOCKS)
    if "user" not in blocks or unknown:
        what = f"unknown block `{sorted(unknown)[0]}`" if unknown else "the body has no block `user`"
        fix = "Write `{% block system %}…{% endblock %}` and `{% block user %}…{% endblock %}`"
        raise InvalidFile(what, where=path, fix=fix)
    return tree


def unsent_lines(prompt: Prompt) -> list[int]:
    """Lines of the prompt's file with text outside the blocks, which is never sent. Raises as `render`."""
    above = prompt.text.count("\n", 0, max(prompt.text.rfind(prompt.body), 0))
    found = []
    for node in _parsed(prompt.body, prompt.path).body:
        for part in node.nodes if isinstance(node, nodes.Output) else ():
            text = part.data if isinstance(part, nodes.TemplateData) else "x"
            if text.strip():
                found.append(above + part.lineno + text[: len(text) - len(text.lstrip())].count("\n"))
    return found


def used_names(prompt: Prompt) -> set[str]:
    """Return the names of the variables that a prompt uses. Raises as `render`."""
    known = environment().globals.keys() | (set() if prompt.lessons is None else {LESSONS})
    names = _Names(environment())
    try:
        names.visit(_parsed(prompt.body, prompt.path))
        return names.undeclared_identifiers - known
    except TemplateError as error:
        raise InvalidFile(f"the template cannot be read: {error}", where=prompt.path, fix="Correct it") from None


def render(prompt: Prompt, variables: Mapping[str, Any]) -> tuple[str, str]:
    """System and user part of a prompt. Raises `InvalidFile` for a template that is wrong, uses an undefined name,
    reaches for internals, prints what is no data, or needs more time, memory or characters than a prompt may.
    """
    given = (prompt.body, dict(variables), prompt.lessons)
    here = _harmless(prompt.body, prompt.path, taught=prompt.lessons is not None)
    found = attempt(*given) if here else attempt_apart(*given)
    if isinstance(found, Fault):
        raise InvalidFile(f"the template {found.what}", where=prompt.path, fix=found.fix)
    return found


@lru_cache(maxsize=64)
def _harmless(body: str, path: str, *, taught: bool) -> bool:
    return is_harmless(_parsed(body, path), {LESSONS} if taught else set())
