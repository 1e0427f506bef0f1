"""The YAML ahead of a prompt.

Nearly all of them are a few lines of `key: value`, which are read here: the YAML package takes 10 ms to import.
Whatever YAML could read otherwise than these lines look is left to it, as is every complaint.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

LINE = re.compile(r"([a-z_]+): +(\S.*)")
WORDS = re.compile(r"[A-Za-z][^:#\s]*(?: [^:#\s]+)*", re.ASCII)
"""A text without quotes. It could go on in the next line only if that were indented."""
QUOTED = re.compile(r'"([^"\\]*)"')
WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
FRACTION = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}")
MEANT_OTHERWISE = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""What YAML takes for truth values and for nothing, in small letters."""


class NotYamlError(ValueError):
    """What is wrong, and in which line of the file."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.what, self.line = what, line


def parse_front_matter(front: str) -> Any:
    """Its value. Raises `NotYamlError`, also for a key that stands twice."""
    plain = _plain(front)
    return _by_yaml(front) if plain is None else plain


def _plain(front: str) -> dict[str, Any] | None:
    """The value of lines that can only mean one thing; None where YAML has to be asked."""
    if not all(line.isprintable() for line in front.split("\n")):
        return None
    found: dict[str, Any] = {}
    for line in front.split("\n"):
        text = line.rstrip(" ")
        if not text:
            continue
        hit = LINE.fullmatch(text)
        if hit is None or hit[1] in found or hit[1] in MEANT_OTHERWISE:
            return None
        if quoted := QUOTED.fullmatch(hit[2]):
            found[hit[1]] = quoted[1]
        elif WORDS.fullmatch(hit[2]) and hit[2].lower() not in MEANT_OTHERWISE:
            found[hit[1]] = hit[2]
        elif WHOLE.fullmatch(hit[2]):
            found[hit[1]] = int(hit[2])
        elif FRACTION.fullmatch(hit[2]):
            found[hit[1]] = float(hit[2])
        else:
            return None
    return found or None


def _by_yaml(front: str) -> Any:
    import yaml

    try:
        return yaml.load(front, Loader=_loader())  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        raise NotYamlError(*_fault(error, front)) from None


@cache
def _loader() -> Any:
    """YAML takes the last of two equal keys; with this that is an error."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def mapping(loader: Any, node: Any) -> dict[Any, Any]:
        keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                again = [other for (other, _), same in zip(node.value, keys, strict=True) if same == key][1]
                raise yaml.constructor.ConstructorError(None, None, f"key `{key}` stands twice", again.start_mark)
        return dict(zip(keys, (loader.construct_object(value, deep=True) for _, value in node.value), strict=True))

    loader: Any = type("NoDuplicates", (base,), {})
    loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return loader


def _fault(error: Exception, front: str) -> tuple[str, int]:
    """What is wrong, and the line of the file that it is wrong in; the parser may have noticed lines later."""
    position = getattr(error, "position", None)
    if isinstance(position, int):  # a character that YAML does not take
        return "a control character", front.count("\n", 0, position) + 2
    mark = getattr(error, "problem_mark", None)
    began = getattr(error, "context_mark", None)
    if began is not None and str(getattr(error, "context", "")).startswith(("while scanning", "while parsing a flow")):
        mark = began  # a quote or bracket that never closes, a key without its colon
    return getattr(error, "problem", None) or str(error), 2 if mark is None else mark.line + 2
