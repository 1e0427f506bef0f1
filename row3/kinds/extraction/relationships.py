"""Matching of extracted relationships to expected ones, by ends that are resolved to concepts.

Ends resolve through the same aliases and fuzzy rule as concepts. The state of an unmatched relationship names the
mistake: wrong predicate, reversed, one wrong end (STANDARDS, section 6.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from row3.domain.matches import ExpectedRelationship, RelationshipMatch, RelationshipState, Triple
from row3.domain.predicates import Predicates
from row3.matching.normalise import normalise

Resolve = Callable[[str], tuple[int, bool] | None]
"""Returns the index of the concept that a name stands for, and whether that took the fuzzy rule; None for none."""
Key = tuple[str, int, int]
"""A relationship in its canonical direction: predicate, and the numbers of source and target."""
UNRESOLVED = -1
"""Number of the first end that resolves to no concept; the next ones count down."""
_FUZZY: Mapping[RelationshipState, RelationshipState] = {"exact": "fuzzy", "inverse": "inverse-fuzzy"}


class _Ends(dict[str, int]):
    """Number of each end, by name: the concept's index, or a negative number if the name resolves to none.

    Filled on demand. Numbers hash and compare fast, and their order gives symmetric relationships one direction.
    """

    def __init__(self, resolve: Resolve, known: Mapping[str, int]) -> None:
        super().__init__(known)
        self.resolve = resolve
        self._names: dict[str, int] = {}
        self.fuzzy: set[str] = set()
        """Names that took the fuzzy rule."""

    def __missing__(self, name: str) -> int:
        hit = self.resolve(name)
        if hit is None:
            end = self._names.setdefault(normalise(name), UNRESOLVED - len(self._names))
        else:
            end, fuzzy = hit
            if fuzzy:
                self.fuzzy.add(name)
        self[name] = end
        return end


class RelationshipIndex:
    """The expected and forbidden relationships of a case, indexed for matching."""

    def __init__(
        self,
        expected: Sequence[tuple[Triple, bool]],
        forbidden: Sequence[Triple],
        resolve: Resolve,
        predicates: Predicates,
        known: Mapping[str, int] | None = None,
        *,
        answers: Resolve | None = None,
    ) -> None:
        """Index the relationships; `known` are ends whose number is known, so that `resolve` is not called for them.

        `answers` resolves the ends of extracted relationships; by default, `resolve` does.
        """
        self.expected = expected
        self._predicates = predicates
        self._ends = _Ends(resolve, known or {})
        self._near: _Near | None = None
        self._keys = self._keyed([triple for triple, _ in expected])
        self._by_key: dict[Key, list[int]] = {}
        for index, key in enumerate(self._keys):
            self._by_key.setdefault(key, []).append(index)
        self._forbidden = dict(zip(self._keyed(forbidden), forbidden, strict=True))
        if answers is not None:
            self._ends.resolve = answers

    def _keyed(self, triples: Iterable[Triple]) -> list[Key]:
        """Return each relationship's key."""
        known, end = self._predicates.known, self._ends
        keys: list[Key] = []
        for source, predicate, target in triples:
            name, turned, symmetric = known[predicate]
            one, two = end[source], end[target]
            keys.append((name, two, one) if (two < one if symmetric else turned) else (name, one, two))
        return keys

    def _turned(self, triple: Triple) -> bool:
        """Return whether a relationship's predicate was replaced by its inverse."""
        return self._predicates.known[triple[1]][1]

    def match(self, extracted: Sequence[Triple]) -> tuple[list[RelationshipMatch], list[ExpectedRelationship]]:
        """Return what each extracted relationship and each expected one matched, both in order.

        The matching is one-to-one and optimal: relationships with the same key are interchangeable, so it is enough to
        pair as many as possible of each key, better kinds of match first.
        """
        result: list[Any] = [None] * len(extracted)
        found_by: dict[int, Triple] = {}
        fuzzy, by_key = self._ends.fuzzy, self._by_key
        items_of: dict[Key, list[int]] = {}
        for item, key in enumerate(self._keyed(extracted)):
            if key in by_key:
                items_of.setdefault(key, []).append(item)
            else:
                result[item] = self._mistake(extracted[item], key)
        for key, items in items_of.items():
            wanted = by_key[key]
            single = len(items) == len(wanted) == 1
            pairs = {items[0]: wanted[0]} if single else self._pairs(items, wanted, extracted)
            for item in items:
                index, triple = pairs.get(item, wanted[0]), extracted[item]
                expected = self.expected[index][0]
                state: RelationshipState = "duplicate"
                if item in pairs:
                    found_by[index] = triple
                    same = triple[1] == expected[1] or self._turned(triple) == self._turned(expected)
                    state = "exact" if same else "inverse"
                    if fuzzy and (triple[0] in fuzzy or triple[2] in fuzzy):
                        state = _FUZZY[state]
                result[item] = RelationshipMatch(triple, state, expected)
        found = [
            ExpectedRelationship(triple, required, found_by.get(index))
            for index, (triple, required) in enumerate(self.expected)
        ]
        return result, found

    def _pairs(self, items: list[int], wanted: list[int], extracted: Sequence[Triple]) -> dict[int, int]:
        """Return expected by extracted relationships of one key: plain before inverse, sure before fuzzy, in order."""
        fuzzy = self._ends.fuzzy
        ranked = sorted(
            (
                self._turned(extracted[item]) != self._turned(self.expected[index][0]),
                extracted[item].source in fuzzy or extracted[item].target in fuzzy,
                item,
                index,
            )
            for item in items
            for index in wanted
        )
        pairs: dict[int, int] = {}
        for _, _, item, index in ranked:
            if item not in pairs and index not in pairs.values():
                pairs[item] = index
        return pairs

    def _mistake(self, triple: Triple, key: Key) -> RelationshipMatch:
        forbidden = self._forbidden.get(key)
        if forbidden is not None:
            return RelationshipMatch(triple, "forbidden", forbidden)
        if self._near is None:
            self._near = _Near(self._keys, self._by_key)
        state, index = self._near.mistake(key, symmetric=self._predicates.known[triple.predicate][2])
        return RelationshipMatch(triple, state, None if index is None else self.expected[index][0])


class _Near:
    """Finds the expected relationship nearest to a wrong one."""

    def __init__(self, keys: Sequence[Key], by_key: Mapping[Key, list[int]]) -> None:
        backwards, numbers = keys[::-1], range(len(keys))[::-1]  # so that the first of equal keys wins
        self._by_key = by_key
        self._by_pair, self._by_source, self._by_target = (
            dict(zip(map(itemgetter(*parts), backwards), numbers, strict=True)) for parts in ((1, 2), (0, 1), (0, 2))
        )

    def mistake(self, key: Key, *, symmetric: bool) -> tuple[RelationshipState, int | None]:
        """Return what is wrong, and the index of the relationship that was probably meant; None for none."""
        name, source, target = key
        if indices := self._by_key.get((name, target, source)):
            return "reversed", indices[0]
        for pair in ((source, target), (target, source)):
            if (index := self._by_pair.get(pair)) is not None:
                return "wrong-predicate", index
        tries = [(self._by_source, source), (self._by_target, target)]
        if symmetric:
            tries += [(self._by_source, target), (self._by_target, source)]
        for table, end in tries:
            if (index := table.get((name, end))) is not None:
                return "wrong-end", index
        return "unmatched", None
