"""Render prompts: Jinja2, sandboxed, strict about undefined names, limited in time, memory and size.

A prompt may come from a pull request, so it is treated as hostile. Most only name variables, loop over lists and use a
few filters; those render in this process, as starting another takes half as long as a replay. All others render in a
separate process with limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from jinja2 import Environment, TemplateError, TemplateSyntaxError, nodes
from jinja2.meta import TrackingCodeGenerator

from row3.domain.files import file_inputs
from row3.domain.prompts import Prompt
from row3.domain.requests import Message, Messages
from row3.errors import InvalidFile
from row3.running.rendering.sandbox import BLOCKS, LESSONS, Fault, MessageTag, attempt, attempt_isolated, environment

PLAIN = (
    nodes.Template, nodes.Block, nodes.Output, nodes.TemplateData, nodes.Const, nodes.Getattr, nodes.Getitem, nodes.If,
    nodes.Test, nodes.Not, nodes.And, nodes.Or, nodes.Compare, nodes.Operand,
)  # fmt: skip
FILTERS = frozenset({"default", "join", "length", "lower", "tojson", "trim", "upper"})
LONGEST = 20
"""Most characters of a literal: it may stand in a loop, or between what a filter joins."""


def is_plain(node: nodes.Node, item: str = "") -> bool:
    """Return whether the size of the variables limits rendering.

    In a loop only its `item` may be read, or the time would multiply.
    """
    match node:
        case nodes.For(target=nodes.Name(name=name), iter=nodes.Name() | nodes.Getattr() | nodes.Getitem() as items):
            inside = node.iter_child_nodes(exclude=("target", "iter"))
            return not node.recursive and is_plain(items, item) and all(is_plain(each, name) for each in inside)
        case nodes.CallBlock(call=nodes.Call(node=nodes.ExtensionAttribute(), args=[role])):
            return all(is_plain(each, item) for each in (role, *node.body))
        case nodes.Name():
            return item in {"", node.name} or node.name == "loop"
        case nodes.Const(value=str(text)):
            return len(text) <= LONGEST
        case nodes.Filter(args=[] | [nodes.Const(value=str())], kwargs=[]):
            plain = node.name in FILTERS and not isinstance(node.node, nodes.Filter)
        case _:
            plain = isinstance(node, PLAIN)
    return plain and all(is_plain(child, item) for child in node.iter_child_nodes())


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
    if _has_messages(tree):
        if blocks:
            what = "the template has both messages and blocks"
            raise InvalidFile(what, where=path, fix="Make each block a message, or each message a block")
    elif "user" not in blocks or unknown:
        what = f"unknown block `{sorted(unknown)[0]}`" if unknown else "the body has no block `user`"
        fix = "Write `{% block system %}…{% endblock %}` and `{% block user %}…{% endblock %}`"
        raise InvalidFile(what, where=path, fix=fix)
    return tree


def body_of(messages: Sequence[tuple[str, str]]) -> str:
    """Return a template that writes messages of these roles and texts: as blocks, if a prompt has a block of each."""
    tag, end = 'message "{}"', "endmessage"
    if [role for role, _ in messages] in (["user"], [*BLOCKS]):
        tag, end = "block {}", "endblock"
    return "\n\n".join(f"{{% {tag.format(role)} %}}\n{text}\n{{% {end} %}}" for role, text in messages)


def _has_messages(tree: nodes.Template) -> bool:
    return any(each.identifier == MessageTag.identifier for each in tree.find_all(nodes.ExtensionAttribute))


def unsent_lines(prompt: Prompt) -> list[int]:
    """Return the lines of the prompt's file with text that is never sent, as it is outside. Raises as `render`."""
    above = prompt.text.count("\n", 0, max(prompt.text.rfind(prompt.body), 0))
    tree = _parsed(prompt.body, prompt.path)
    calls = (nodes.Call,) if _has_messages(tree) else ()  # a macro may write messages
    found = []
    for part in _outside(tree):
        text = part.data if isinstance(part, nodes.TemplateData) else "" if isinstance(part, calls) else "x"
        if text.strip():
            found.append(above + part.lineno + text[: len(text) - len(text.lstrip())].count("\n"))
    return found


def _outside(node: nodes.Node) -> Iterator[nodes.Expr]:
    """Yield what a template prints outside its blocks and messages."""
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.Output):
            yield from child.nodes
        elif isinstance(child, nodes.If | nodes.For | nodes.With):
            yield from _outside(child)


def used_names(prompt: Prompt) -> set[str]:
    """Return the names of a prompt's variables. Raises as `render`."""
    known = environment().globals.keys() | (set() if prompt.lessons is None else {LESSONS})
    names = _Names(environment())
    try:
        names.visit(_parsed(prompt.body, prompt.path))
        return names.undeclared_identifiers - known
    except TemplateError as error:
        raise InvalidFile(
            f"the template cannot be read: {error.message}", where=prompt.path, fix="Correct it"
        ) from None


def render(prompt: Prompt, variables: Mapping[str, Any]) -> Messages:
    """Return a prompt's rendered messages.

    Raises `InvalidFile` for a template that has an error, uses an undefined name or internals, prints something other
    than data, or exceeds the limits of time, memory or size.
    """
    given = (prompt.body, dict(variables), prompt.lessons)
    found = attempt(*given) if _renders_here(prompt.body, prompt.path) else attempt_isolated(*given)
    if isinstance(found, Fault):
        raise InvalidFile(f"the template {found.what}", where=prompt.path, fix=found.fix)
    if not [each for each in found if each.files]:  # a list takes half the time of a generator
        return tuple([Message(role, text) for role, text, _ in found])
    known = {each.place: each for each in file_inputs(variables)}
    return tuple(
        Message(role, text, tuple(known[place].part(at) for place, at in files if place in known))
        for role, text, files in found
    )


@lru_cache(maxsize=64)
def _renders_here(body: str, path: str) -> bool:
    return is_plain(_parsed(body, path))
