"""Prompts of texts, names and simple loops, filled in without running a template.

Most prompts are no more than that, and Jinja2 takes ten times as long for them: a context, a sandboxed look at every
attribute, a deadline. Jinja2's own parser says what a body is made of. Whatever is not plain, in the body or in the
values, is left to Jinja2 (`templates`), which alone writes messages; so the two never differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import nodes

MOST_PIECES = 20_000
"""Pieces that are put together here; for more of them there is a deadline, which Jinja2 is run under."""
SPECIAL = frozenset({"self", "super", "loop", "caller", "varargs", "kwargs"})
"""Names that mean something in a template, whatever the variables are."""


@dataclass(frozen=True, slots=True)
class _Name:
    """A variable that is a text."""

    name: str


@dataclass(frozen=True, slots=True)
class _Loop:
    """A list of mappings, each written as texts and some of its values."""

    over: str
    keys: tuple[str, ...]
    first: tuple[str, ...]
    """The texts before the values of the first item."""
    later: tuple[str, ...]
    """Before those of a later one: with the end of the item before it."""
    end: str
    """The text after the last value of an item."""


_MAPPINGS = {dict}
_TEXTS = {str}
"""No types derived from them: what these do is Jinja2's to say."""

Block = tuple["str | _Name | _Loop", ...]
Blocks = Mapping[str, Block]


def plain_blocks(tree: nodes.Template) -> Blocks | None:
    """The blocks of a parsed body; None where one of them is not plain."""
    blocks: dict[str, Block] = {}
    for block in tree.find_all(nodes.Block):
        parts = [_part(node) for node in _flat(block.body)]
        if block.scoped or block.required or None in parts:
            return None
        blocks[block.name] = tuple(part for part in parts if part is not None)
    return blocks


def _flat(body: list[nodes.Node]) -> list[nodes.Node]:
    """The nodes with those that are written in the place of each `Output`."""
    return [inner for node in body for inner in (node.nodes if isinstance(node, nodes.Output) else [node])]


def _part(node: nodes.Node) -> str | _Name | _Loop | None:
    if isinstance(node, nodes.TemplateData):
        return node.data
    if isinstance(node, nodes.Name) and node.name not in SPECIAL:
        return _Name(node.name)
    return _loop(node) if isinstance(node, nodes.For) else None


def _loop(node: nodes.For) -> _Loop | None:
    if node.recursive or node.test is not None or node.else_:
        return None
    if not isinstance(node.iter, nodes.Name) or not isinstance(node.target, nodes.Name):
        return None
    if {node.iter.name, node.target.name} & SPECIAL:
        return None
    keys: list[str] = []
    texts = [""]
    for inner in _flat(node.body):
        if isinstance(inner, nodes.TemplateData):
            texts[-1] += inner.data
        elif (
            isinstance(inner, nodes.Getattr)
            and isinstance(inner.node, nodes.Name)
            and inner.node.name == node.target.name
            and not hasattr(dict, inner.attr)  # a method, which goes before a key
        ):
            keys.append(inner.attr)
            texts.append("")
        else:
            return None
    *before, end = texts
    later = (end + before[0], *before[1:]) if before else ()
    return _Loop(node.iter.name, tuple(keys), tuple(before), later, end)


def filled(block: Block, variables: Mapping[str, Any], *, most: int) -> str | None:
    """A block's text, stripped; None where it is for Jinja2: for another type of value, or one that is not there.

    Args:
        most: characters; None is returned for more.
    """
    written: list[str] = []
    for part in block:
        if type(part) is str:
            written.append(part)
        elif type(part) is _Name:
            value = variables.get(part.name)
            if type(value) is not str:
                return None
            written.append(value)
        elif type(part) is _Loop and not _written(part, variables.get(part.over), written):
            return None
    if len(written) > MOST_PIECES or sum(map(len, written)) > most:
        return None
    return "".join(written).strip()


def _written(loop: _Loop, items: Any, written: list[str]) -> bool:
    """Whether the loop could be written out."""
    keys = loop.keys
    if type(items) is not list or len(items) * (2 * len(keys) + 1) > MOST_PIECES - len(written):
        return False
    if not _MAPPINGS.issuperset(map(type, items)):
        return False
    try:
        values = [item[key] for item in items for key in keys]
    except KeyError:
        return False
    if not _TEXTS.issuperset(map(type, values)):
        return False
    if not keys:
        written += [loop.end] * len(items)
    elif items:
        pieces = [""] * (2 * len(values))
        pieces[::2] = loop.first + loop.later * (len(items) - 1)
        pieces[1::2] = values
        written += pieces
        written.append(loop.end)
    return True
