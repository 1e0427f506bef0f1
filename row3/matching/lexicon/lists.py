"""Read the word lists in `data/`: text files with named sections that state their sources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pkgutil import get_data


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def listed(text: str) -> tuple[str, ...]:
    """Return the words of a text in order."""
    return tuple(text.split())


def pairs(text: str) -> dict[str, str]:
    """Return `"geese goose mice mouse"` as a mapping."""
    found = text.split()
    return dict(zip(found[::2], found[1::2], strict=True))


@lru_cache(maxsize=16)
def lists(name: str) -> Mapping[str, str]:
    """Return the sections of `data/<name>.txt` by name, each as one line without its comments (`#`)."""
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
