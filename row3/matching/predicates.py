"""Which predicates are symmetric and which are each other's inverse (EXPERIMENTS, "Relationship Matching")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    """One spelling: `Is a`, `is-a` and `IS_A` are `is_a`."""
    return "_".join(predicate.replace("-", " ").replace("_", " ").casefold().split())


class Predicates:
    """The predicates of a suite: what is symmetric, what is whose inverse."""

    __slots__ = ("known",)

    def __init__(self, inverses: Mapping[str, str] = INVERSES, symmetric: Iterable[str] = SYMMETRIC) -> None:
        # An inverse is rewritten to its partner with the ends swapped; the partner stays as it is.
        turned: dict[str, str] = {}
        for left, right in ((fold_predicate(a), fold_predicate(b)) for a, b in inverses.items()):
            if left not in turned:  # a pair that is listed both ways is one pair
                turned[right] = left
        self.known = _Canonical(turned, frozenset(map(fold_predicate, symmetric)))
        """By predicate, as it is written, what `canonical` says of it."""

    def canonical(self, predicate: str) -> tuple[str, bool, bool]:
        """The predicate that stands for it, whether the ends swap, and whether it is symmetric."""
        return self.known[predicate]


class _Canonical(dict[str, tuple[str, bool, bool]]):
    """Filled for the predicates that are met; forgets them where a model invents thousands."""

    __slots__ = ("_symmetric", "_turned")
    MOST = 4096

    def __init__(self, turned: Mapping[str, str], symmetric: frozenset[str]) -> None:
        super().__init__()
        self._turned, self._symmetric = turned, symmetric

    def __missing__(self, predicate: str) -> tuple[str, bool, bool]:
        if len(self) >= self.MOST:
            self.clear()
        folded = fold_predicate(predicate)
        name = self._turned.get(folded, folded)
        found = self[predicate] = (name, folded in self._turned, name in self._symmetric)
        return found
