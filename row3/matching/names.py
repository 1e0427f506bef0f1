"""Matching extracted names to expected ones: exact, alias, then fuzzy; one-to-one and optimal.

Exact and alias matches are settled by look-up. Only what they leave open is compared fuzzily, and only
that part of the assignment is solved again which an open item can reach (see `_settle`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
CUTOFF_SLACK = 1e-6
"""rapidfuzz compares a cut-off at single precision: at 0.85 it drops 17/20. So ask for a little less, then compare."""


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
    position: int
    """Of the expected name (of the nearest one where unmatched, of the canary for a canary); -1 for none."""
    score: float


class Close(NamedTuple):
    """The names that a name may be a spelling of."""

    edges: Mapping[int, float]
    """Similarity by expected index, of its best form."""
    canary: int
    """Index of the nearest canary; -1 for none."""
    canary_score: float


class NameIndex:
    """The expected names and canaries of a case, ready to be looked up many times."""

    __slots__ = ("_choices", "_close", "_exact", "_full", "_scorer", "_slots", "_threshold")

    def __init__(self, expected: Sequence[Named], canaries: Sequence[str], rule: NameRule) -> None:
        self._scorer, self._full = SCORERS[rule.scorer]
        self._threshold = rule.threshold
        # Labels first: a label is nobody's alias. Choices are all forms in that order, then the canaries.
        forms = [normalise(named[0]) for named in expected]
        self._slots = list(range(len(expected)))
        """Whose form it is, by position."""
        for index, named in enumerate(expected):
            for alias in named[1]:
                forms.append(normalise(alias))
                self._slots.append(index)
        self._exact: dict[str, tuple[int, bool]] = {}
        for position, key in enumerate(forms):
            if key not in self._exact:
                self._exact[key] = (self._slots[position], position < len(expected))
        if "" in self._exact:  # a name of punctuation alone is no form to be found by
            del self._exact[""]
            kept = [position for position, key in enumerate(forms) if key]
            forms = [forms[position] for position in kept]
            self._slots = [self._slots[position] for position in kept]
        self._choices = forms + [normalise(canary) for canary in canaries]
        self._close: dict[str, Close] = {}

    def exact(self, key: str) -> tuple[int, bool] | None:
        """Expected index of a normalised name, and whether it is the label itself."""
        return self._exact.get(key)

    def close(self, key: str) -> Close:
        """What is at least as similar to a normalised name as the threshold."""
        known = self._close.get(key)  # relationship ends ask again for what the concepts asked
        if known is not None:
            return known
        edges: dict[int, float] = {}
        canary, canary_score = -1, 0.0
        full, count = self._full, len(self._slots)
        hits = process.extract(
            key,
            self._choices,
            scorer=self._scorer,
            processor=None,
            limit=None,
            score_cutoff=(self._threshold - CUTOFF_SLACK) * full,
        )
        for _, raw, position in hits if key else ():
            score = raw / full
            if score < self._threshold - SLACK:
                continue
            if position < count:
                index = self._slots[position]
                edges[index] = max(edges.get(index, 0.0), score)
            elif score > canary_score:
                canary, canary_score = position - count, score
        found = self._close[key] = Close(edges, canary, canary_score)
        return found

    def nearest(self, key: str) -> tuple[int, float]:
        """The most similar expected name, however far: index and similarity; (-1, 0) for none."""
        if not key or not self._slots:
            return -1, 0.0
        hit = process.extractOne(key, self._choices[: len(self._slots)], scorer=self._scorer, processor=None)
        return self._slots[hit[2]], hit[1] / self._full

    def resolve(self, name: str) -> tuple[int, bool] | None:
        """The expected index a single name stands for, and whether it took the fuzzy rule.

        For relationship ends: each end is resolved by itself, so two ends may be one concept.
        A name that is a canary at least a little more than an expected concept resolves to nothing.
        """
        key = normalise(name)
        exact = self._exact.get(key)
        if exact is not None:
            return exact[0], False
        close = self.close(key)
        if not close.edges:
            return None
        index, score = max(close.edges.items(), key=_better)
        return None if close.canary_score > score + SLACK else (index, True)


FOREIGN = 1_000_000
"""Indices from here on stand for relationship ends that are no expected concept."""


def end_resolver(index: NameIndex, ends: Iterable[str], rule: NameRule) -> Callable[[str], tuple[int, bool] | None]:
    """Resolves relationship ends: to an expected concept, else by the same rule to an end that is none.

    `ends` are those of the expected and forbidden relationships. Lint wants them to be expected concepts; a
    forbidden relationship may all the same point to a made-up one, and a spelling of it must not slip through.
    """
    foreign = [
        name for name in dict.fromkeys(ends) if index.exact(normalise(name)) is None and index.resolve(name) is None
    ]
    if not foreign:
        return index.resolve
    others = NameIndex([Named(name, ()) for name in foreign], (), rule)

    def resolve(name: str) -> tuple[int, bool] | None:
        hit = index.resolve(name)
        if hit is None and (other := others.resolve(name)) is not None:
            return FOREIGN + other[0], other[1]
        return hit

    return resolve


def nearest(key: str, choices: Sequence[str], rule: NameRule) -> tuple[int, float]:
    """Position and similarity of the choice most similar to a normalised name, however far; (-1, 0) for none."""
    scorer, full = SCORERS[rule.scorer]
    hit = process.extractOne(key, choices, scorer=scorer, processor=None) if key and choices else None
    return (-1, 0.0) if hit is None or not hit[1] else (hit[2], hit[1] / full)


def closest(key: str, choices: Sequence[str], rule: NameRule) -> str | None:
    """The choice most similar to a normalised name, at the threshold or above; None for none."""
    scorer, full = SCORERS[rule.scorer]
    hit = process.extractOne(
        key, choices, scorer=scorer, processor=None, score_cutoff=(rule.threshold - CUTOFF_SLACK) * full
    )
    return None if hit is None or hit[1] / full < rule.threshold - SLACK else str(hit[0])


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
    edges: dict[int, Mapping[int, float]] = {}
    for item in open_items:
        close = index.close(keys[item])
        if close.canary >= 0 and close.canary_score > max(close.edges.values(), default=0.0) + SLACK:
            result[item] = NameMatch("canary", close.canary, close.canary_score)
        elif close.edges:
            edges[item] = close.edges
        else:
            result[item] = NameMatch("unmatched", *index.nearest(keys[item]))
    frontier = list(edges)
    while frontier:
        reached = {expected for item in frontier for expected in edges[item]}
        frontier = [
            taken[expected] for expected in sorted(reached) if expected in taken and taken[expected] not in edges
        ]
        for item in frontier:
            edges[item] = index.close(keys[item]).edges
    chosen = assign(edges)
    for item, similar in edges.items():
        if item in chosen:
            result[item] = _named(keys[item], chosen[item], similar[chosen[item]], index)
        else:
            result[item] = NameMatch("duplicate", *max(similar.items(), key=_better))


def _better(pair: tuple[int, float]) -> tuple[float, int]:
    """The more similar, of equals the earlier."""
    return pair[1], -pair[0]


def _named(key: str, expected: int, score: float, index: NameIndex) -> NameMatch:
    hit = index.exact(key)
    if hit is not None and hit[0] == expected:
        return NameMatch("exact" if hit[1] else "alias", expected, 1.0)
    if score >= 1.0 - SLACK:  # a form that two expected names share
        return NameMatch("alias", expected, 1.0)
    return NameMatch("fuzzy", expected, score)
