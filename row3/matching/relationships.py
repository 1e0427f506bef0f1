"""Matching extracted relationships to expected ones, by ends that have been resolved to concepts.

The ends resolve through the same aliases and fuzzy rule as concepts. What does not match is
named by the kind of mistake it is: wrong predicate, reversed, one wrong end (STANDARDS, section 6.3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from row3.domain.matches import (
    ExpectedRelationship,
    RelationshipMatch,
    RelationshipState,
    Triple,
)
from row3.matching.normalise import normalise
from row3.matching.predicates import Predicates

Resolve = Callable[[str], tuple[int, bool] | None]
End = Hashable
Key = tuple[str, End, End]


class RelationshipIndex:
    """The expected and forbidden relationships of a case, ready to be looked up."""

    __slots__ = ("_by_key", "_by_pair", "_by_source", "_by_target", "_ends", "_forbidden", "_predicates", "_resolve", "expected")

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
        self._by_key: dict[Key, list[int]] = defaultdict(list)
        self._by_pair: dict[tuple[End, End], int] = {}
        self._by_source: dict[tuple[str, End], int] = {}
        self._by_target: dict[tuple[str, End], int] = {}
        for index, (triple, _) in enumerate(expected):
            key, _ = self._key(triple)
            self._by_key[key].append(index)
            self._by_pair.setdefault((key[1], key[2]), index)
            self._by_source.setdefault((key[0], key[1]), index)
            self._by_target.setdefault((key[0], key[2]), index)
        self._forbidden = {self._key(triple)[0]: triple for triple in forbidden}

    def _end(self, name: str) -> tuple[End, bool]:
        end = self._ends.get(name)
        if end is None:
            hit = self._resolve(name)
            end = self._ends[name] = (normalise(name), False) if hit is None else hit
        return end

    def _key(self, triple: Triple) -> tuple[Key, bool]:
        """The relationship in its canonical direction, and whether an end took the fuzzy rule."""
        source, fuzzy_source = self._end(triple.source)
        target, fuzzy_target = self._end(triple.target)
        name, swapped, symmetric = self._predicates.canonical(triple.predicate)
        if swapped or (symmetric and _order(target) < _order(source)):
            source, target = target, source
        return (name, source, target), fuzzy_source or fuzzy_target

    def match(self, extracted: Sequence[Triple]) -> list[RelationshipMatch]:
        """Match every extracted relationship; one entry each, in order.

        One-to-one and optimal: all relationships with one canonical key are interchangeable, so
        pairing as many as there are on both sides, the better kind of match first, leaves nothing to gain.
        """
        result: list[RelationshipMatch | None] = [None] * len(extracted)
        keyed = [self._key(triple) for triple in extracted]
        candidates: dict[Key, list[int]] = {}
        for item, (key, _) in enumerate(keyed):
            if key in self._by_key:
                candidates.setdefault(key, []).append(item)
            else:
                result[item] = self._mistake(extracted[item], key)
        for key, items in candidates.items():
            self._pair_up(items, list(self._by_key[key]), extracted, keyed, result)
        return [match for match in result if match is not None]

    def _pair_up(
        self,
        items: list[int],
        wanted: list[int],
        extracted: Sequence[Triple],
        keyed: Sequence[tuple[Key, bool]],
        result: list[RelationshipMatch | None],
    ) -> None:
        if len(items) == 1 and len(wanted) == 1:
            pairs = [(items[0], wanted[0])]
        else:
            ranked = sorted(
                ((self._is_inverse(extracted[item], self.expected[index][0]), keyed[item][1], item, index)
                 for item in items for index in wanted)
            )
            free_items, free_wanted, pairs = set(items), set(wanted), []
            for _, _, item, index in ranked:
                if item in free_items and index in free_wanted:
                    free_items.discard(item)
                    free_wanted.discard(index)
                    pairs.append((item, index))
        for item, index in pairs:
            triple = self.expected[index][0]
            inverse = self._is_inverse(extracted[item], triple)
            state: RelationshipState
            if keyed[item][1]:
                state = "inverse-fuzzy" if inverse else "fuzzy"
            else:
                state = "inverse" if inverse else "exact"
            result[item] = RelationshipMatch(extracted[item], state, triple)
        for item in items:
            if result[item] is None:
                result[item] = RelationshipMatch(extracted[item], "duplicate", self.expected[wanted[0]][0])

    def _is_inverse(self, extracted: Triple, expected: Triple) -> bool:
        """One of the two had to be turned round, through its inverse predicate."""
        return self._predicates.canonical(extracted.predicate)[1] != self._predicates.canonical(expected.predicate)[1]

    def _mistake(self, triple: Triple, key: Key) -> RelationshipMatch:
        forbidden = self._forbidden.get(key)
        if forbidden is not None:
            return RelationshipMatch(triple, "forbidden", forbidden)
        name, source, target = key
        state: RelationshipState
        if (name, target, source) in self._by_key:
            state, index = "reversed", self._by_key[name, target, source][0]
        elif (source, target) in self._by_pair:
            state, index = "wrong-predicate", self._by_pair[source, target]
        elif (target, source) in self._by_pair:
            state, index = "wrong-predicate", self._by_pair[target, source]
        elif (name, source) in self._by_source:
            state, index = "wrong-end", self._by_source[name, source]
        elif (name, target) in self._by_target:
            state, index = "wrong-end", self._by_target[name, target]
        else:
            return RelationshipMatch(triple, "unmatched", None)
        return RelationshipMatch(triple, state, self.expected[index][0])

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


def _order(end: End) -> tuple[int, str | int]:
    """Any fixed order will do: resolved ends (numbers) before names."""
    return (0, end) if isinstance(end, int) else (1, str(end))
