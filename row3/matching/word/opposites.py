"""Beginnings and endings of words that make another word, often the opposite: the reasons shown for two names."""

from __future__ import annotations

from functools import lru_cache

from row3.matching.lexicon.lists import lists, words

_LISTS = lists("english")

PREFIXES = words(_LISTS["prefixes"])
"""What can stand before a stem; "" as well. Two words that part only in these are two."""

OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _LISTS["opposites"].split())
"""Pairs of prefixes, one of which may be nothing, that turn a word into its opposite."""

NEGATIONS = words("not no non without never neither nor un anti")
"""Words that make a name the opposite of the rest of it."""


def parted(one: str, other: str) -> tuple[str, str, str]:
    """What two words have before their common end, and that end."""
    size = 0
    while size < min(len(one), len(other)) and one[-1 - size] == other[-1 - size]:
        size += 1
    return one[: len(one) - size], other[: len(other) - size], one[len(one) - size :]


@lru_cache(maxsize=4096)
def opposite(one: str, other: str) -> str:
    """Why two words part by their prefixes: "opposites" or "two prefixes"; "" where they do not."""
    head, head2, stem = parted(one, other)
    # A common letter may belong to both prefixes: hyper- and hypo-, inter- and intra- end before it.
    for _ in range(4):
        if len(stem) > 2 and (head in PREFIXES or not head) and (head2 in PREFIXES or not head2) and head != head2:
            return "opposites" if frozenset((head, head2)) in OPPOSITES else "two prefixes"
        if not stem:
            break
        head, head2, stem = head + stem[0], head2 + stem[0], stem[1:]
    return ""
