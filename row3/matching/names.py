"""Matching extracted names to expected ones: exact, alias, then by the rules of `compare`; one-to-one and optimal.

Exact and alias matches are settled by look-up. Only what they leave open is compared, and only that part of the
assignment is solved again which an open item can reach (see `_settle`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from rapidfuzz import process

from row3.matching.assignment import assign
from row3.matching.normalise import normalise
from row3.matching.scorers import CUTOFF_SLACK, SCORERS, SLACK
from row3.matching.text.quotes import SourceText, told_apart

if TYPE_CHECKING:
    from row3.matching.judge import Close, Judge

EQUAL = ("exact", "alias")


@dataclass(frozen=True, slots=True)
class NameRule:
    """How names are compared in a suite."""

    scorer: str = "levenshtein"
    threshold: float = 0.85
    """Similarity in (0, 1] from which two normalised names may be two spellings of one."""


class Named(Struct, frozen=True, gc=False):
    """An expected name with the other forms a reader would accept."""

    label: str
    aliases: Sequence[str]
    person: bool | None = None
    """Told to be a person, however it looks, or to be none; None where nothing tells."""


class NameMatch(Struct, frozen=True, gc=False):
    """What an extracted name turned out to be."""

    state: Literal["exact", "alias", "fuzzy", "semantic", "duplicate", "canary", "unmatched"]
    position: int
    """Of the expected name (of the nearest one where unmatched, of the canary for a canary); -1 for none."""
    score: float
    how: str = ""
    """The rule of `compare` by which it is that name, where the two are not equal."""
    why_not: str = ""
    """Why it is not the nearest name, where the two are similar."""


class NameIndex:
    """The expected names and canaries of a case, ready to be looked up many times."""

    __slots__ = ("_canaries", "_close", "_exact", "_expected", "_judge", "_rule", "_text")

    def __init__(
        self, expected: Sequence[Named], canaries: Sequence[str], rule: NameRule, text: SourceText | None = None
    ) -> None:
        """`text` is the case's source: it introduces acronyms, shows how words are spelt and dates are written."""
        self._expected, self._canaries, self._rule, self._text = expected, canaries, rule, text
        # Labels first: a label is nobody's alias.
        self._exact: dict[str, tuple[int, bool, str]] = {}
        for index, named in enumerate(expected):
            self._exact.setdefault(normalise(named.label), (index, True, named.label))
        for index, named in enumerate(expected):
            for alias in named.aliases:
                self._exact.setdefault(normalise(alias), (index, False, alias))
        self._exact.pop("", None)  # a name of punctuation alone is no form to be found by
        self._judge: Judge | None = None
        self._close: dict[str, Close] = {}

    def exact(self, name: str) -> tuple[int, bool] | None:
        """Index of the expected name that a name equals, and whether it is the label itself.

        Two values that differ in what normalising drops (-5 and 5) are not equal.
        """
        hit = self._exact.get(normalise(name))
        if hit is None or (name != hit[2] and two_values(name, hit[2], self._text)):
            return None
        return hit[0], hit[1]

    def spelt(self) -> dict[str, int]:
        """Expected index by label or alias, just as they are written: what `resolve` says of these."""
        return {name: index for index, _, name in self._exact.values()}

    @property
    def judge(self) -> Judge:
        """Compares names that are not equal."""
        if self._judge is None:
            from row3.matching.judge import Judge

            rule = self._rule
            text = self._text or SourceText("")
            self._judge = Judge(self._expected, self._canaries, rule.scorer, rule.threshold, text)
        return self._judge

    def close(self, name: str) -> Close:
        """All expected names and the nearest canary that a name is one with."""
        found = self._close.get(name)  # relationship ends ask again for what the concepts asked
        if found is None:
            found = self._close[name] = self.judge.close(name)
        return found

    def resolve(self, name: str) -> tuple[int, bool] | None:
        """The expected index a single name stands for, and whether it took more than equality.

        For relationship ends: each end is resolved by itself, so two ends may be one concept.
        A name that is a canary at least a little more than an expected concept resolves to nothing.
        """
        exact = self.exact(name)
        if exact is not None:
            return exact[0], False
        close = self.close(name)
        if not close.edges:
            return None
        index, score = max(close.edges.items(), key=_better)
        return None if close.canary.score > score + SLACK else (index, close.hows[index] not in EQUAL)


_DIGIT = re.compile(r"\d")


def two_values(one: str, other: str, text: SourceText | None) -> bool:
    """The names are two values or two codes, though they are equal once normalised."""
    if told_apart(one, other, text.text if text is not None else ""):
        return True
    if _DIGIT.search(one) is None:
        return False
    from row3.matching.value.values import value_of

    first, second = value_of(one), value_of(other)
    return first is not None and second is not None and first != second


def nearest(key: str, choices: Sequence[str], rule: NameRule) -> tuple[int, float]:
    """Position and similarity of the choice most similar to a normalised name, however far; (-1, 0) for none."""
    scorer, full = SCORERS[rule.scorer]
    hit = process.extractOne(key, choices, scorer=scorer, processor=None) if key and choices else None
    return (-1, 0.0) if hit is None or not hit[1] else (hit[2], hit[1] / full)


def closest(key: str, choices: Sequence[str], rule: NameRule) -> str | None:
    """The choice most similar to a normalised name, at the threshold or above; None for none.

    Similarity alone: where two names may be taken for one by somebody, not where they are one.
    """
    scorer, full = SCORERS[rule.scorer]
    hit = process.extractOne(
        key, choices, scorer=scorer, processor=None, score_cutoff=(rule.threshold - CUTOFF_SLACK) * full
    )
    return None if hit is None or hit[1] / full < rule.threshold - SLACK else str(hit[0])


def match_names(extracted: Sequence[str], index: NameIndex) -> list[NameMatch]:
    """Match every extracted name; one entry each, in order.

    One-to-one and optimal: no assignment with more matches exists, nor one with as many matches and a higher total
    worth (equal names count as 1, others as `compare` says). A name that is a canary more than it is any expected
    name is a canary and takes part in no match.
    """
    taken: dict[int, int] = {}  # expected index -> extracted index
    result: list[NameMatch | None] = [None] * len(extracted)
    open_items: list[int] = []
    for item, name in enumerate(extracted):
        hit = index.exact(name)
        if hit is None or hit[0] in taken:
            open_items.append(item)
        else:
            taken[hit[0]] = item
            result[item] = NameMatch("exact" if hit[1] else "alias", hit[0], 1.0)
    if open_items:
        _settle(extracted, open_items, taken, result, index)
    return [match for match in result if match is not None]


def _settle(
    names: Sequence[str], open_items: list[int], taken: dict[int, int], result: list[NameMatch | None], index: NameIndex
) -> None:
    """Decide the items that look-up left open, moving settled ones where that gains a match.

    Settled pairs are worth 1, the most, so only an alternating path that starts at an open item can improve the
    assignment (Berge 1957). The part of the graph that such paths reach is solved anew, the rest stands.
    """
    found: dict[int, Close] = {}
    for item in open_items:
        close = index.close(names[item])
        if close.canary.position >= 0 and close.canary.score > max(close.edges.values(), default=0.0) + SLACK:
            result[item] = NameMatch("canary", *close.canary)
        elif close.edges:
            found[item] = close
        else:
            near = close.vetoed if close.vetoed.position >= 0 else index.judge.nearest(names[item])
            result[item] = NameMatch("unmatched", *near)
    frontier = list(found)
    while frontier:
        reached = {expected for item in frontier for expected in found[item].edges}
        frontier = [taken[one] for one in sorted(reached) if one in taken and taken[one] not in found]
        for item in frontier:
            found[item] = index.close(names[item])
    chosen = assign({item: close.edges for item, close in found.items()})
    for item, close in found.items():
        position = chosen.get(item, -1)
        again = position < 0
        if again:
            position = max(close.edges.items(), key=_better)[0]
        how = close.hows[position]
        equal = how in EQUAL
        state: Any = "duplicate" if again else how if equal else "fuzzy"
        result[item] = NameMatch(state, position, close.edges[position], "" if equal else how)


def _better(pair: tuple[int, float]) -> tuple[float, int]:
    """The one that is worth more, of equals the earlier."""
    return pair[1], -pair[0]
