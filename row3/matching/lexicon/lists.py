"""Word lists, kept as text files beside this module: each with its source, parted into named sections."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pkgutil import get_data


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def listed(text: str) -> tuple[str, ...]:
    """The words of a text in order."""
    return tuple(text.split())


def pairs(text: str) -> dict[str, str]:
    """`"geese goose mice mouse"` as a mapping."""
    found = text.split()
    return dict(zip(found[::2], found[1::2], strict=True))


@lru_cache(maxsize=16)
def lists(name: str) -> Mapping[str, str]:
    """The sections of `data/<name>.txt` by their names, each as one line. A line that begins with # is a comment."""
    packed = get_data(__package__, f"data/{name}.txt")
    assert packed is not None
    found: dict[str, list[str]] = {}
    section: list[str] = []
    for line in packed.decode().splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            section.append(line)
    return {key: " ".join(lines).strip() for key, lines in found.items()}
