"""Words that exclude one another: north and south, supply and demand, planting and clearing.

An embedding brings such words together, since they are said in the same sentences. Our own compilation.
"""

from __future__ import annotations

from functools import lru_cache

from row3.matching.lexicon.inflection import plain, token_form
from row3.matching.lexicon.lists import lists


@lru_cache(maxsize=1)
def _groups() -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(lists("contrasts")["contrasts"].split("/")):
        for word in group.split():
            found.setdefault(token_form(word), set()).add(number)
    return found


def exclusive(one: str, other: str) -> bool:
    """Two differing words of small letters of which one excludes the other; in whatever number and spelling."""
    groups = _groups()
    none: set[int] = set()
    return not groups.get(token_form(plain(one)), none).isdisjoint(groups.get(token_form(plain(other)), none))
