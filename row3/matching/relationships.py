"""Matching extracted relationships to expected ones, by ends that have been resolved to concepts.

The ends resolve through the same aliases and fuzzy rule as concepts. What does not match is
named by the kind of mistake it is: wrong predicate, reversed, one wrong end (STANDARDS, section 6.3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from row3.domain.matches import (
    ExpectedRelationship,
    RelationshipMatch,
    RelationshipState,
    Triple,
)
from row3.matching.normalise import normalise
from row3.matching.predicates import Predicates

Resolve = Callable[[str], tuple[int, bool] | None]
End = int | str
"""A concept's index, or the normalised name where it resolves to none."""
Key = tuple[str, End, End]


class Keyed(NamedTuple):
    """A relationship in its canonical direction."""

    key: Key
    fuzzy: bool
    """An end took the fuzzy rule."""
    swapped: bool
    """It was turned round, through its inverse predicate."""


class RelationshipIndex:
    """The expected and forbidden relationships of a case, ready to be looked up."""

    __slots__ = ("_by_key", "_ends", "_expected_keys", "_forbidden", "_near", "_predicates", "_resolve", "expected")

    def __init__(
        self,
        expected: Sequence[tuple[Triple, bool]],
        forbidden: Sequence[Triple],
        resolve: Resolve,
        predicates: Predicates,
    ) -> None:
        self.expected = expected
        self._predicates = predicates
        self._resolve = resolve
        self._ends: dict[str, tuple[End, bool]] = {}
        self._near: _Near | None = None
        self._expected_keys = self._keyed([triple for triple, _ in expected])
        self._by_key: dict[Key, list[int]] = {}
        for index, keyed in enumerate(self._expected_keys):
            self._by_key.setdefault(keyed.key, []).append(index)
        self._forbidden = {keyed.key: triple for keyed, triple in zip(self._keyed(forbidden), forbidden, strict=True)}

    def _end(self, name: str) -> tuple[End, bool]:
        hit = self._resolve(name)
        end: tuple[End, bool] = (normalise(name), False) if hit is None else hit
        self._ends[name] = end
        return end

    def _keyed(self, triples: Sequence[Triple]) -> list[Keyed]:
        """Each relationship in its canonical direction. The inner loop of matching, so look-ups come first."""
        ends, canonical = self._ends, self._predicates.canonical
        result = []
        for source_name, predicate, target_name in triples:
            source, fuzzy_source = ends.get(source_name) or self._end(source_name)
            target, fuzzy_target = ends.get(target_name) or self._end(target_name)
            name, swapped, symmetric = canonical(predicate)
            if swapped or (symmetric and _order(target) < _order(source)):
                source, target = target, source
            result.append(Keyed((name, source, target), fuzzy_source or fuzzy_target, swapped))
        return result

    def match(self, extracted: Sequence[Triple]) -> list[RelationshipMatch]:
        """Match every extracted relationship; one entry each, in order.

        One-to-one and optimal: all relationships with one canonical key are interchangeable, so
        pairing as many as there are on both sides, the better kind of match first, leaves nothing to gain.
        """
        result: list[RelationshipMatch | None] = [None] * len(extracted)
        all_keyed = self._keyed(extracted)
        candidates: dict[Key, list[int]] = {}
        for item, keyed in enumerate(all_keyed):
            if keyed.key in self._by_key:
                candidates.setdefault(keyed.key, []).append(item)
            else:
                result[item] = self._mistake(extracted[item], keyed.key)
        for key, items in candidates.items():
            wanted = self._by_key[key]
            for item, index in self._pairs(items, wanted, all_keyed):
                state = _state(all_keyed[item], self._expected_keys[index])
                result[item] = RelationshipMatch(extracted[item], state, self.expected[index][0])
            for item in items:
                if result[item] is None:
                    result[item] = RelationshipMatch(extracted[item], "duplicate", self.expected[wanted[0]][0])
        return [match for match in result if match is not None]

    def _pairs(self, items: list[int], wanted: list[int], all_keyed: list[Keyed]) -> list[tuple[int, int]]:
        """Extracted with expected of one key: plain before inverse, sure before fuzzy, then in order."""
        if len(items) == 1 and len(wanted) == 1:
            return [(items[0], wanted[0])]
        ranked = sorted(
            (all_keyed[item].swapped != self._expected_keys[index].swapped, all_keyed[item].fuzzy, item, index)
            for item in items
            for index in wanted
        )
        free_items, free_wanted, pairs = set(items), set(wanted), []
        for _, _, item, index in ranked:
            if item in free_items and index in free_wanted:
                free_items.discard(item)
                free_wanted.discard(index)
                pairs.append((item, index))
        return pairs

    def _mistake(self, triple: Triple, key: Key) -> RelationshipMatch:
        forbidden = self._forbidden.get(key)
        if forbidden is not None:
            return RelationshipMatch(triple, "forbidden", forbidden)
        if self._near is None:
            self._near = _Near(self._expected_keys)
        state, index = self._near.mistake(key, symmetric=self._predicates.canonical(triple.predicate)[2])
        return RelationshipMatch(triple, state, None if index is None else self.expected[index][0])

    def found(self, matches: Sequence[RelationshipMatch]) -> list[ExpectedRelationship]:
        """What found each expected relationship, in the case's order."""
        found_by: dict[Triple, list[Triple]] = defaultdict(list)
        for match in matches:
            if match.state in ("exact", "inverse", "fuzzy", "inverse-fuzzy") and match.expected is not None:
                found_by[match.expected].append(match.triple)
        result = []
        for triple, required in self.expected:
            by = found_by.get(triple)
            result.append(ExpectedRelationship(triple, required, by.pop(0) if by else None))
        return result


class _Near:
    """Finds the expected relationship that a wrong one comes nearest to."""

    __slots__ = ("_by_key", "_by_pair", "_by_source", "_by_target")

    def __init__(self, expected: Sequence[Keyed]) -> None:
        self._by_key: dict[Key, int] = {}
        self._by_pair: dict[tuple[End, End], int] = {}
        self._by_source: dict[tuple[str, End], int] = {}
        self._by_target: dict[tuple[str, End], int] = {}
        for index, ((name, source, target), _, _) in enumerate(expected):
            self._by_key.setdefault((name, source, target), index)
            self._by_pair.setdefault((source, target), index)
            self._by_source.setdefault((name, source), index)
            self._by_target.setdefault((name, target), index)

    def mistake(self, key: Key, *, symmetric: bool) -> tuple[RelationshipState, int | None]:
        """What is wrong with it, and the index of the expected one it should have been."""
        name, source, target = key
        tries: tuple[tuple[RelationshipState, int | None], ...] = (
            ("reversed", self._by_key.get((name, target, source))),
            ("wrong-predicate", self._by_pair.get((source, target))),
            ("wrong-predicate", self._by_pair.get((target, source))),
            ("wrong-end", self._by_source.get((name, source))),
            ("wrong-end", self._by_target.get((name, target))),
            ("wrong-end", self._by_source.get((name, target)) if symmetric else None),
            ("wrong-end", self._by_target.get((name, source)) if symmetric else None),
        )
        return next((found for found in tries if found[1] is not None), ("unmatched", None))


def _state(extracted: Keyed, expected: Keyed) -> RelationshipState:
    inverse = extracted.swapped != expected.swapped
    if extracted.fuzzy:
        return "inverse-fuzzy" if inverse else "fuzzy"
    return "inverse" if inverse else "exact"


def _order(end: End) -> tuple[int, str | int]:
    """Any fixed order will do: resolved ends (numbers) before names."""
    return (0, end) if isinstance(end, int) else (1, str(end))
