"""Names of a golden case that another took the place of, though demands tell names only by how they normalise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from row3.matching.compare import compare
from row3.matching.texts.quotes import SourceText

Named = tuple[str, str]
"""A demand by normalised names, and one of its names as it is written."""


def swapped(before: Iterable[Named], after: Iterable[Named], text: str) -> bool:
    """Whether a name of the earlier case is no more in a demand that still stands: `-5 °C` there, and `5 °C` now.

    Matching decides whether two names are one, as the text tells too. A demand that does not stand any more is gone,
    which is seen without its names.
    """
    held: defaultdict[str, list[str]] = defaultdict(list)
    for demand, name in after:
        held[demand].append(name)
    source = SourceText(text)
    return any(
        demand in held
        and name not in held[demand]
        and not any(compare(name, one, known=source).same for one in held[demand])
        for demand, name in before
    )
