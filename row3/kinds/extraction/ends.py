"""What the ends of relationships stand for: expected concepts, as those of the answer were matched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from row3.matching.names import Named, NameIndex, NameMatch, NameRule, two_values
from row3.matching.normalise import normalise
from row3.matching.text.quotes import SourceText

Resolve = Callable[[str], tuple[int, bool] | None]
"""The expected index of a name, and whether it took more than look-up; None for none."""

FOREIGN = 1_000_000
"""Indices from here on stand for relationship ends that are no expected concept."""


def end_resolver(index: NameIndex, ends: Iterable[str], rule: NameRule, text: SourceText | None = None) -> Resolve:
    """Resolves relationship ends: to an expected concept, else by the same rules to an end that is none.

    `ends` are those of the expected and forbidden relationships. Lint wants them to be expected concepts; a
    forbidden relationship may all the same point to a made-up one, and a spelling of it must not slip through.
    """
    known = index.spelt()
    foreign = [name for name in dict.fromkeys(ends) if name not in known and index.resolve(name) is None]
    if not foreign:
        return index.resolve
    others = NameIndex([Named(name, ()) for name in foreign], (), rule, text)

    def resolve(name: str) -> tuple[int, bool] | None:
        hit = index.resolve(name)
        if hit is None and (other := others.resolve(name)) is not None:
            return FOREIGN + other[0], other[1]
        return hit

    return resolve


def by_matches(
    resolve: Resolve, labels: Sequence[str], matches: Sequence[NameMatch], text: SourceText | None = None
) -> Resolve:
    """Resolves an end of the answer that is one of its concepts to what this one was matched with.

    A name by itself may be two expected ones (`J. Smith`); which of them is settled by the assignment of all. What is
    equal to a name of the golden case is that, whatever it was matched with. An end that only normalising makes equal
    to a concept is that one only where no other concept is written so, and where the two are no two values (-5, 5).
    """
    settled: dict[str, int] = {}
    for label, match in zip(labels, matches, strict=True):
        if match.state in ("fuzzy", "semantic"):
            settled.setdefault(label, match.position)
    if not settled:
        return resolve

    @cache
    def by_key() -> dict[str, str | None]:
        """The concept of each key; None where several are written so."""
        found: dict[str, str | None] = {}
        for label in dict.fromkeys(labels):
            key = normalise(label)
            found[key] = None if key in found else label
        return found

    def resolved(name: str) -> tuple[int, bool] | None:
        hit = resolve(name)
        if hit is not None and (hit[0] >= FOREIGN or not hit[1]):
            return hit
        label = name if name in settled else by_key().get(normalise(name))
        if label is None or label not in settled or (label != name and two_values(name, label, text)):
            return hit
        return settled[label], True

    return resolved
