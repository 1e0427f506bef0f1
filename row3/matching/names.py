"""Matching extracted names to expected ones: exact, alias, then fuzzy; one-to-one and optimal.

Exact and alias matches are settled by look-up. Only what they leave open is compared fuzzily, and only
that part of the assignment is solved again which an open item can reach (see `_settle`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler, Levenshtein

from row3.matching.assignment import assign
from row3.matching.normalise import normalise

Scorer = Callable[..., float]

SCORERS: Mapping[str, tuple[Any, float]] = {
    "levenshtein": (Levenshtein.normalized_similarity, 1.0),
    "jaro-winkler": (JaroWinkler.normalized_similarity, 1.0),
    "ratio": (fuzz.ratio, 100.0),
    "token-sort": (fuzz.token_sort_ratio, 100.0),
    "token-set": (fuzz.token_set_ratio, 100.0),
}
"""Scorer by name, and the value it gives to equal texts. All are of rapidfuzz."""

SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class NameRule:
    """How names are compared in a suite."""

    scorer: str = "levenshtein"
    threshold: float = 0.85
    """Similarity in (0, 1] from which two normalised names may be one."""


class Named(NamedTuple):
    """An expected name with the other forms a reader would accept."""

    label: str
    aliases: Sequence[str]


class NameMatch(NamedTuple):
    """What an extracted name turned out to be."""

    state: Literal["exact", "alias", "fuzzy", "duplicate", "canary", "unmatched"]
    index: int
    """Of the expected name (of the nearest one where unmatched, of the canary for a canary); -1 for none."""
    score: float


class NameIndex:
    """The expected names and canaries of a case, ready to be looked up many times."""

    __slots__ = ("_canaries", "_canary_keys", "_choices", "_exact", "_full", "_scorer", "_slots", "_threshold")

    def __init__(self, expected: Sequence[Named], canaries: Sequence[str], rule: NameRule) -> None:
        self._scorer, self._full = SCORERS[rule.scorer]
        self._threshold = rule.threshold
        self._exact: dict[str, tuple[int, bool]] = {}
        self._choices: list[str] = []
        self._slots: list[int] = []
        # Labels first: a label is nobody's alias.
        for index, named in enumerate(expected):
            self._add(normalise(named.label), index, is_label=True)
        for index, named in enumerate(expected):
            for alias in named.aliases:
                self._add(normalise(alias), index, is_label=False)
        self._canary_keys = [normalise(canary) for canary in canaries]
        self._canaries = {key: i for i, key in reversed(list(enumerate(self._canary_keys))) if key}

    def _add(self, key: str, index: int, *, is_label: bool) -> None:
        if key:
            self._exact.setdefault(key, (index, is_label))
            self._choices.append(key)
            self._slots.append(index)

    def exact(self, key: str) -> tuple[int, bool] | None:
        """Expected index of a normalised name, and whether it is the label itself."""
        return self._exact.get(key)

    def similar(self, key: str) -> dict[int, float]:
        """Expected indices whose best form is at least as similar as the threshold."""
        edges: dict[int, float] = {}
        if not key:
            return edges
        full = self._full
        for _, score, position in process.extract(
            key, self._choices, scorer=self._scorer, processor=None, limit=None,
            score_cutoff=(self._threshold - SLACK) * full,
        ):
            index = self._slots[position]
            edges[index] = max(edges.get(index, 0.0), score / full)
        return edges

    def nearest(self, key: str) -> tuple[int, float]:
        """The most similar expected name, however far: index and similarity; (-1, 0) for none."""
        if not key or not self._choices:
            return -1, 0.0
        hit = process.extractOne(key, self._choices, scorer=self._scorer, processor=None)
        if hit is None:
            return -1, 0.0
        return self._slots[hit[2]], hit[1] / self._full

    def canary(self, key: str) -> tuple[int, float]:
        """The canary a name is, at the threshold or above; (-1, 0) for none."""
        if not key or not self._canary_keys:
            return -1, 0.0
        index = self._canaries.get(key)
        if index is not None:
            return index, 1.0
        hit = process.extractOne(
            key, self._canary_keys, scorer=self._scorer, processor=None,
            score_cutoff=(self._threshold - SLACK) * self._full,
        )
        return (hit[2], hit[1] / self._full) if hit is not None else (-1, 0.0)

    def resolve(self, name: str) -> tuple[int, bool] | None:
        """The expected index a single name stands for, and whether it took the fuzzy rule.

        For relationship ends: each end is resolved by itself, so two ends may be one concept.
        A name that is a canary at least a little more than an expected concept resolves to nothing.
        """
        key = normalise(name)
        exact = self._exact.get(key)
        if exact is not None:
            return exact[0], False
        index, score = self.nearest(key)
        if index < 0 or score < self._threshold - SLACK or self.canary(key)[1] > score + SLACK:
            return None
        return index, True


def match_names(extracted: Sequence[str], index: NameIndex) -> list[NameMatch]:
    """Match every extracted name; one entry each, in order.

    One-to-one and optimal: no assignment with more matches exists, nor one with as many matches and
    a higher total similarity (exact and alias count as 1). A name that is more similar to a canary than to
    every expected name is a canary and takes part in no match.
    """
    keys = [normalise(name) for name in extracted]
    taken: dict[int, int] = {}  # expected index -> extracted index
    result: list[NameMatch | None] = [None] * len(keys)
    open_items: list[int] = []
    for item, key in enumerate(keys):
        hit = index.exact(key)
        if hit is None or hit[0] in taken:
            open_items.append(item)
        else:
            taken[hit[0]] = item
            result[item] = NameMatch("exact" if hit[1] else "alias", hit[0], 1.0)
    if open_items:
        _settle(keys, open_items, taken, result, index)
    return [match for match in result if match is not None]


def _settle(
    keys: list[str], open_items: list[int], taken: dict[int, int], result: list[NameMatch | None], index: NameIndex
) -> None:
    """Decide the items that look-up left open, moving settled ones where that gains a match.

    Settled pairs have similarity 1, so only an alternating path that starts at an open item can
    improve the assignment (Berge 1957). The part of the graph that such paths reach is solved anew, the rest stands.
    """
    edges: dict[int, dict[int, float]] = {}
    for item in open_items:
        near, score = index.nearest(keys[item])
        canary, canary_score = index.canary(keys[item])
        if canary >= 0 and canary_score > score + SLACK:
            result[item] = NameMatch("canary", canary, canary_score)
            continue
        similar = index.similar(keys[item]) if near >= 0 else {}
        if similar:
            edges[item] = similar
        else:
            result[item] = NameMatch("unmatched", near, score)
    frontier = list(edges)
    while frontier:
        reached = {expected for item in frontier for expected in edges[item]}
        frontier = [
            taken[expected] for expected in sorted(reached) if expected in taken and taken[expected] not in edges
        ]
        for item in frontier:
            edges[item] = index.similar(keys[item])
    chosen = assign(edges)
    for item in edges:
        if item in chosen:
            result[item] = _named(keys[item], chosen[item], edges[item][chosen[item]], index)
        else:
            best = max(edges[item].items(), key=lambda pair: (pair[1], -pair[0]))
            result[item] = NameMatch("duplicate", best[0], best[1])


def _named(key: str, expected: int, score: float, index: NameIndex) -> NameMatch:
    hit = index.exact(key)
    if hit is not None and hit[0] == expected:
        return NameMatch("exact" if hit[1] else "alias", expected, 1.0)
    return NameMatch("fuzzy", expected, score)
