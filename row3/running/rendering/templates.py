"""Render prompts: Jinja2, sandboxed, strict about undefined names, limited in time, memory and size.

A prompt may come from a pull request, so it is treated as hostile. Most only name variables, loop over lists and use a
few filters; those render in this process. All others render in a separate process with limits (`render_process`).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any

from jinja2 import Environment, TemplateError, TemplateSyntaxError, nodes
from jinja2.meta import TrackingCodeGenerator

from row3.domain.prompts import Prompt
from row3.errors import InvalidFile
from row3.running.rendering.render_process import attempt_apart
from row3.running.rendering.sandbox import LESSONS, Fault, attempt, environment

PLAIN = (
    nodes.Template, nodes.Block, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr,
    nodes.If, nodes.CondExpr, nodes.Not, nodes.And, nodes.Or, nodes.Compare, nodes.Operand, nodes.Keyword,
)  # fmt: skip
"""Nodes that are always harmless."""
FILTERS = frozenset((
    "capitalize", "count", "d", "default", "first", "join", "last", "length", "lower", "title", "tojson", "trim",
    "upper",
))  # fmt: skip
Loops = tuple[frozenset[str], ...]
"""Names bound by the loops around a node, innermost last."""
LONGEST = 20
"""Largest argument of a filter: characters of a text, or a number."""


def is_harmless(node: nodes.Node, functions: Set[str], loops: Loops = ()) -> bool:
    """Return whether the variables' size limits rendering; `functions` may be called with literals."""
    inside = loops
    match node:
        case nodes.For():
            # An inner loop may only go through a part of the outer loop's item, or the time would multiply.
            root = _root(node.iter)
            if node.recursive or root is None or (loops and root not in loops[-1]):
                return False
            targets = (node.target, *node.target.find_all(nodes.Name))
            names = frozenset(each.name for each in targets if isinstance(each, nodes.Name))
            harmless, inside = True, (*loops, names)
        case nodes.Filter():
            arguments = [*node.args, *(each.value for each in node.kwargs)]
            plain = node.name in FILTERS and not isinstance(node.node, nodes.Filter)
            harmless = plain and all(map(_is_small, arguments)) and _is_part(node.node, loops)
        case nodes.Compare():
            sides = [node.expr, *(each.expr for each in node.ops)]
            harmless = all(_is_part(each, loops) for each in sides)
        case nodes.Call():
            arguments = [*node.args, *(each.value for each in node.kwargs)]
            known = isinstance(node.node, nodes.Name) and node.node.name in functions
            return known and all(isinstance(each, nodes.Const) for each in arguments)
        case nodes.Test():
            harmless = not node.args
        case nodes.Getitem():
            harmless = isinstance(node.arg, nodes.Const)
        case nodes.Tuple():
            return node.ctx == "store"
        case _:
            harmless = isinstance(node, PLAIN)
    return harmless and all(is_harmless(child, functions, inside) for child in node.iter_child_nodes())


def _is_part(node: nodes.Node | None, loops: Loops) -> bool:
    """Return whether a filter or comparison may read this; in a loop, only part of the innermost item."""
    if isinstance(node, nodes.Filter):
        return _is_part(node.node, loops)
    return not loops or isinstance(node, nodes.Const) or _root(node) in {*loops[-1], "loop"}


def _root(node: nodes.Node | None) -> str | None:
    """Return the first name of an expression such as `case.items[0]`; None for other expressions."""
    while isinstance(node, nodes.Getattr | nodes.Getitem):
        node = node.node
    return node.name if isinstance(node, nodes.Name) else None


def _is_small(argument: nodes.Node) -> bool:
    if not isinstance(argument, nodes.Const):
        return False
    value = argument.value
    return len(value) <= LONGEST if isinstance(value, str) else value is None or abs(value) <= LONGEST


BLOCKS = ("system", "user")


class _Names(TrackingCodeGenerator):
    """Does what `find_undeclared_variables` does, without folding constants, which would run the template."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.optimizer = None


@lru_cache(maxsize=64)
def _parsed(body: str, path: str) -> nodes.Template:
    """Return the template's syntax tree, without running any of it. Raises `InvalidFile`."""
    try:
        tree = environment().parse(body)
    except TemplateSyntaxError as error:
        what = f"the template has an error in line {error.lineno} of its body: {error.message}"
        raise InvalidFile(what, where=path, fix="Correct it") from None
    except (TemplateError, RecursionError, ValueError) as error:
        raise InvalidFile(f"the template cannot be read: {error}", where=path, fix="Correct it") from None
    if tree.find(nodes.EvalContextModifier) is not None:  # would run while parsing
        raise InvalidFile("the template uses `autoescape`, which is not allowed", where=path, fix="Remove it")
    blocks = {block.name for block in tree.find_all(nodes.Block)}
    unknown = blocks - set(BLOCKS)
    if "user" not in blocks or unknown:
        what = f"unknown block `{sorted(unknown)[0]}`" if unknown else "the body has no block `user`"
        fix = "Write `{% block system %}…{% endblock %}` and `{% block user %}…{% endblock %}`"
        raise InvalidFile(what, where=path, fix=fix)
    return tree


def unsent_lines(prompt: Prompt) -> list[int]:
    """Return the lines of the prompt's file with text outside the blocks, which is never sent. Raises as `render`."""
    above = prompt.text.count("\n", 0, max(prompt.text.rfind(prompt.body), 0))
    found = []
    for node in _parsed(prompt.body, prompt.path).body:
        for part in node.nodes if isinstance(node, nodes.Output) else ():
            text = part.data if isinstance(part, nodes.TemplateData) else "x"
            if text.strip():
                found.append(above + part.lineno + text[: len(text) - len(text.lstrip())].count("\n"))
    return found


def used_names(prompt: Prompt) -> set[str]:
    """Return the names of a prompt's variables. Raises as `render`."""
    known = environment().globals.keys() | (set() if prompt.lessons is None else {LESSONS})
    names = _Names(environment())
    try:
        names.visit(_parsed(prompt.body, prompt.path))
        return names.undeclared_identifiers - known
    except TemplateError as error:
        raise InvalidFile(f"the template cannot be read: {error}", where=prompt.path, fix="Correct it") from None


def render(prompt: Prompt, variables: Mapping[str, Any]) -> tuple[str, str]:
    """Return a prompt's rendered system and user part.

    Raises `InvalidFile` for a template that has an error, uses an undefined name or internals, prints something other
    than data, or exceeds the limits of time, memory or size.
    """
    given = (prompt.body, dict(variables), prompt.lessons)
    here = _renders_here(prompt.body, prompt.path, taught=prompt.lessons is not None)
    found = attempt(*given) if here else attempt_apart(*given)
    if isinstance(found, Fault):
        raise InvalidFile(f"the template {found.what}", where=prompt.path, fix=found.fix)
    return found


@lru_cache(maxsize=64)
def _renders_here(body: str, path: str, *, taught: bool) -> bool:
    return is_harmless(_parsed(body, path), {LESSONS} if taught else set())
