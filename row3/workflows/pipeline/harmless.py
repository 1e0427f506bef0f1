"""Which templates can be rendered right here: those whose work and output grow no faster than what they are given.

They name variables, loop over lists, choose, and use filters of a short list. Everything else (arithmetic, `set`,
macros, calls, chains of filters) may be well meant and is rendered in a process with limits.
"""

from __future__ import annotations

from collections.abc import Set

from jinja2 import nodes

PLAIN = (
    nodes.Template, nodes.Block, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr,
    nodes.If, nodes.CondExpr, nodes.Not, nodes.And, nodes.Or, nodes.Compare, nodes.Operand, nodes.Keyword,
)  # fmt: skip
FILTERS = frozenset(
    {
        "capitalize",
        "count",
        "d",
        "default",
        "first",
        "join",
        "last",
        "length",
        "lower",
        "title",
        "tojson",
        "trim",
        "upper",
    }
)
Loops = tuple[frozenset[str], ...]
"""Names that the loops around a node give, the innermost last."""
LONGEST = 20
"""Characters of a text, or size of a number, that is given to a filter."""


def is_harmless(template: nodes.Template, functions: Set[str]) -> bool:
    """Return whether rendering is bounded by the size of the variables. `functions` may be called by literals."""
    return _all_harmless([template], (), functions)


def _all_harmless(found: list[nodes.Node], loops: Loops, functions: Set[str]) -> bool:
    return all(_harmless(node, loops, functions) for node in found)


def _harmless(node: nodes.Node, loops: Loops, functions: Set[str]) -> bool:
    children = list(node.iter_child_nodes())
    match node:
        case nodes.For():
            # A loop right in a loop goes through a part of what that goes through, or time would multiply.
            root = _root(node.iter)
            if node.recursive or root is None or (loops and root not in loops[-1]):
                return False
            names = frozenset(each.name for each in node.target.find_all(nodes.Name)) | _names(node.target)
            return _all_harmless(children, (*loops, names), functions)
        case nodes.Filter():
            arguments = [*node.args, *(each.value for each in node.kwargs)]
            plain = node.name in FILTERS and not isinstance(node.node, nodes.Filter)
            small = all(map(_is_small, arguments)) and _is_part(node.node, loops)
            return plain and small and _all_harmless(children, loops, functions)
        case nodes.Compare():
            sides = [node.expr, *(each.expr for each in node.ops)]
            return all(_is_part(each, loops) for each in sides) and _all_harmless(children, loops, functions)
        case nodes.Call():
            arguments = [*node.args, *(each.value for each in node.kwargs)]
            known = isinstance(node.node, nodes.Name) and node.node.name in functions
            return known and all(isinstance(each, nodes.Const) for each in arguments)
        case nodes.Test():
            return not node.args and _all_harmless(children, loops, functions)
        case nodes.Getitem():
            return isinstance(node.arg, nodes.Const) and _all_harmless(children, loops, functions)
        case nodes.Tuple():
            return node.ctx == "store"
    return isinstance(node, PLAIN) and _all_harmless(children, loops, functions)


def _is_part(node: nodes.Node | None, loops: Loops) -> bool:
    """Return whether what a filter or a comparison reads in a loop is a part of what the innermost one goes through."""
    if isinstance(node, nodes.Filter):
        return _is_part(node.node, loops)
    return not loops or isinstance(node, nodes.Const) or _root(node) in {*loops[-1], "loop"}


def _root(node: nodes.Node | None) -> str | None:
    """Return the name that an expression such as `case.items[0]` begins with; None for any other expression."""
    while isinstance(node, nodes.Getattr | nodes.Getitem):
        node = node.node
    return node.name if isinstance(node, nodes.Name) else None


def _names(target: nodes.Node) -> frozenset[str]:
    return frozenset({target.name} if isinstance(target, nodes.Name) else ())


def _is_small(argument: nodes.Node) -> bool:
    if not isinstance(argument, nodes.Const):
        return False
    value = argument.value
    return len(value) <= LONGEST if isinstance(value, str) else value is None or abs(value) <= LONGEST
