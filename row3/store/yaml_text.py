"""YAML as values: strict about repeated keys, with the line of every fault."""

from __future__ import annotations

from functools import cache
from typing import Any

from row3.errors import InvalidFile


def parse_yaml(text: str, *, where: str, what: str = "the file", above: int = 0) -> Any:
    """Return the value of a YAML text; raises `InvalidFile`, also for a key that stands twice.

    Args:
        what: what messages call the text.
        above: lines of the file above the text.
    """
    import yaml

    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        problem, line = _fault(error, text)
        raise InvalidFile(f"{what} is not YAML: {problem}", where=f"{where}:{line + above}", fix="Correct it") from None


@cache
def _loader() -> Any:
    """YAML takes the last of two equal keys; with this that is an error. Keys that `<<` merges in are weaker."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def mapping(loader: Any, node: Any) -> dict[Any, Any]:
        own = [pair for pair in node.value if pair[0].tag != "tag:yaml.org,2002:merge"]
        keys = [loader.construct_object(key, deep=True) for key, _ in own]
        for key in keys:
            if keys.count(key) > 1:
                again = [other for (other, _), same in zip(own, keys, strict=True) if same == key][1]
                raise yaml.constructor.ConstructorError(None, None, f"key `{key}` stands twice", again.start_mark)
        loader.flatten_mapping(node)
        return {
            _key(loader.construct_object(key, deep=True)): loader.construct_object(value, deep=True)
            for key, value in node.value
        }

    loader: Any = type("NoDuplicates", (base,), {})
    loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return loader


def _key(value: Any) -> str:
    """Return a key as JSON has it: a number or a date as a text. Raises `TypeError` for a list or a mapping."""
    hash(value)
    return str(value)


def _fault(error: Exception, text: str) -> tuple[str, int]:
    """Return what is wrong, and the line it is wrong in; the parser may have noticed lines later."""
    position = getattr(error, "position", None)
    if isinstance(position, int):  # a character that YAML does not take
        return "a control character", text.count("\n", 0, position) + 1
    mark = getattr(error, "problem_mark", None)
    began = getattr(error, "context_mark", None)
    if began is not None and str(getattr(error, "context", "")).startswith(("while scanning", "while parsing a flow")):
        mark = began  # a quote or bracket that never closes, a key without its colon
    return getattr(error, "problem", None) or str(error), 1 if mark is None else mark.line + 1
