"""Symmetric and inverse predicates (EXPERIMENTS, "Relationship Matching")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import lru_cache

ROW3_PREDICATES = ("IS_A", "CAUSES", "PRECEDES", "REQUIRES", "RELATES_TO")

INVERSES: Mapping[str, str] = {
    "parent_of": "child_of",
    "employs": "employed_by",
    "contains": "contained_in",
    "owns": "owned_by",
    "manages": "managed_by",
    "created": "created_by",
    "supervises": "supervised_by",
    "leads": "led_by",
    "member_of": "has_member",
    "located_in": "contains_location",
    "lived_in": "was_residence_of",
    "born_in": "birthplace_of",
    "died_in": "deathplace_of",
    "originated_from": "origin_of",
}

SYMMETRIC: tuple[str, ...] = (
    "relates_to",
    "married_to",
    "sibling_of",
    "related_to",
    "colleague_of",
    "friend_of",
    "neighbor_of",
    "connected_to",
    "associated_with",
    "partnered_with",
)


@lru_cache(maxsize=1024)
def fold_predicate(predicate: str) -> str:
    """Return a predicate in one spelling: `is_a` for `Is a`, `is-a` and `IS_A`."""
    return "_".join(predicate.replace("-", " ").replace("_", " ").casefold().split())


class Predicates:
    """A suite's symmetric and inverse predicates."""

    __slots__ = ("known",)

    def __init__(
        self, inverses: Iterable[tuple[str, str]] = tuple(INVERSES.items()), symmetric: Iterable[str] = SYMMETRIC
    ) -> None:
        pairs = [(fold_predicate(left), fold_predicate(right)) for left, right in inverses]
        self.known = _Canonical(*_families(pairs, set(map(fold_predicate, symmetric))))
        """Results of `canonical` by predicate as written."""

    def canonical(self, predicate: str) -> tuple[str, bool, bool]:
        """Return the canonical predicate, whether the ends swap, and whether it is symmetric."""
        return self.known[predicate]


class _Canonical(dict[str, tuple[str, bool, bool]]):
    """A cache filled on demand, and cleared if a model invents thousands of predicates."""

    __slots__ = ("_families", "_symmetric")
    MOST = 4096

    def __init__(self, families: Mapping[str, tuple[str, bool]], symmetric: Set[str]) -> None:
        super().__init__()
        self._families, self._symmetric = families, symmetric

    def __missing__(self, predicate: str) -> tuple[str, bool, bool]:
        if len(self) >= self.MOST:
            self.clear()
        folded = fold_predicate(predicate)
        name, turned = self._families.get(folded, (folded, False))
        found = self[predicate] = (name, turned, name in self._symmetric)
        return found


def _families(
    pairs: Iterable[tuple[str, str]], symmetric: Set[str]
) -> tuple[dict[str, tuple[str, bool]], frozenset[str]]:
    """Return each predicate's canonical one and whether that is its inverse, and the symmetric canonical ones.

    The inverse of an inverse is the predicate itself, so two inverses of one predicate are the same. The inverse of a
    symmetric predicate is symmetric, and so is a predicate that is its own inverse, directly or through others.
    """
    families: dict[str, tuple[str, bool]] = {}
    both_ways: set[str] = set()
    for left, right in pairs:
        (one, turned), (other, turned2) = families.setdefault(left, (left, False)), families.get(right, (right, False))
        if one == other:
            if turned == turned2:
                both_ways.add(one)
            continue
        for member, (root, way) in [*families.items(), (right, (other, turned2))]:
            if root == other:
                families[member] = (one, way ^ turned ^ turned2 ^ True)
    both_ways = {families.get(name, (name, False))[0] for name in (*both_ways, *symmetric)}
    return families, frozenset(both_ways)
