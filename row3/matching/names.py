"""Match extracted names to expected ones, one-to-one and optimally: exact, alias, then the rules of `compare`.

Exact and alias matches take a look-up. Only the remaining names are compared and assigned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rapidfuzz import process

from row3.matching.assignment import assign_groups, group_items, nearest_column
from row3.matching.normalise import normalise
from row3.matching.scorers import SCORERS, SLACK, Named, NameRule
from row3.matching.text.quotes import NO_TEXT, SourceText, normalised_difference

if TYPE_CHECKING:
    from row3.matching.matcher import Matcher, Matches

EQUAL = ("exact", "alias")
_DIGIT = re.compile(r"\d")


class NameMatch(NamedTuple):
    """The result for one extracted name."""

    state: Literal["exact", "alias", "fuzzy", "semantic", "duplicate", "canary", "unmatched"]
    position: int
    """Position of the expected name, of the nearest one if unmatched, or of the canary; -1 for none."""
    score: float
    how: str = ""
    """The rule of `compare` that matched; "" for equal names."""
    why_not: str = ""
    """Why it does not match the nearest name, if the two are similar."""


class NameIndex:
    """The expected names and canaries of one case, indexed for look-up."""

    def __init__(
        self, expected: Sequence[Named], canaries: Sequence[str], rule: NameRule, text: SourceText | None = None
    ) -> None:
        """`text` is the case's source: it introduces acronyms and shows its spelling and date order."""
        self._expected, self._canaries, self._rule, self._text = expected, canaries, rule, text
        # Labels first: they take precedence over aliases.
        self._exact: dict[str, tuple[int, bool, str]] = {}
        for index, named in enumerate(expected):
            self._exact.setdefault(normalise(named.label), (index, True, named.label))
        for index, named in enumerate(expected):
            for alias in named.aliases:
                self._exact.setdefault(normalise(alias), (index, False, alias))
        self._exact.pop("", None)  # from names of punctuation only
        self._matches: dict[str, Matches] = {}

    def exact(self, name: str) -> tuple[int, bool] | None:
        """Return the index of the expected name that a name equals, and whether it equals the label.

        Values that normalisation makes equal (-5 and 5) do not count as equal.
        """
        hit = self._exact.get(normalise(name))
        if hit is None or (name != hit[2] and self.different_values(name, hit[2])):
            return None
        return hit[0], hit[1]

    def different_values(self, one: str, other: str) -> bool:
        """Return whether two names are different values or codes although they normalise alike; not by plain rules."""
        if self._rule.plain:
            return False
        if normalised_difference(one, other, self._text.text if self._text is not None else ""):
            return True
        if _DIGIT.search(one) is None:
            return False
        from row3.matching.value.values import value_of

        first, second = value_of(one), value_of(other)
        return first is not None and second is not None and first != second

    def by_spelling(self) -> dict[str, int]:
        """Return the expected index by label and alias, as written: what `resolve` returns for them."""
        return {name: index for index, _, name in self._exact.values()}

    @cached_property
    def matcher(self) -> Matcher:
        """The comparer for names that are not equal, created on first use."""
        from row3.matching.matcher import Matcher

        return Matcher(self._expected, self._canaries, self._rule, self._text or NO_TEXT)

    def matches(self, name: str) -> Matches:
        """Return the expected names and the nearest canary that a name matches."""
        found = self._matches.get(name)  # relationship ends repeat the names of concepts
        if found is None:
            found = self._matches[name] = self.matcher.matches(name)
        return found

    def resolve(self, name: str) -> tuple[int, bool] | None:
        """Return the expected index for a single name, and whether it needed more than equality.

        For relationship ends, which are resolved independently: two ends may be the same concept.
        A name that is closer to a canary than to any expected concept resolves to None.
        """
        exact = self.exact(name)
        if exact is not None:
            return exact[0], False
        matches = self.matches(name)
        if not matches.edges:
            return None
        index, score = max(matches.edges.items(), key=_by_score)
        return None if matches.canary.score > score + SLACK else (index, matches.hows[index] not in EQUAL)


def nearest(key: str, choices: Sequence[str], rule: NameRule) -> tuple[int, float]:
    """Return position and similarity of the choice most similar to a normalised name; (-1, 0) for none."""
    scorer, full = SCORERS[rule.scorer]
    hit = process.extractOne(key, choices, scorer=scorer, processor=None) if key and choices else None
    return (-1, 0.0) if hit is None or not hit[1] else (hit[2], hit[1] / full)


def is_near(key: str, choices: Sequence[str], rule: NameRule) -> bool:
    """Return whether a normalised name may be confused with one of the choices, which does not make them match."""
    return nearest(key, choices, rule)[1] >= rule.threshold - SLACK


def match_names(extracted: Sequence[str], index: NameIndex) -> list[NameMatch]:
    """Return one match per extracted name, in order.

    One-to-one and optimal: no assignment has more matches, or as many with a higher total score (1 for equal names,
    else that of `compare`), if a name that equals an expected one stands for that one only and names that are one name
    (see `group_items`) match at most once. A name that is closer to a canary than to any expected name is a canary and
    matches nothing.
    """
    taken: set[int] = set()
    result: dict[int, NameMatch] = {}
    found: dict[int, Matches] = {}
    for item, name in enumerate(extracted):
        hit = index.exact(name)
        if hit is not None:
            state: Any = "duplicate" if hit[0] in taken else "exact" if hit[1] else "alias"
            taken.add(hit[0])
            result[item] = NameMatch(state, hit[0], 1.0)
            continue
        matches = index.matches(name)
        if matches.canary.position >= 0 and matches.canary.score > max(matches.edges.values(), default=0.0) + SLACK:
            result[item] = NameMatch("canary", *matches.canary)
        elif matches.edges:
            found[item] = matches
        else:
            near = matches.vetoed if matches.vetoed.position >= 0 else index.matcher.nearest(name)
            result[item] = NameMatch("unmatched", *near)
    edges = {item: matches.edges for item, matches in found.items()}
    groups = group_items(edges, extracted, index.matcher.likeness) if edges else {}
    # A name nearest to what another name equals is one more name for that, and so is what is one name with it.
    settled = {groups[item] for item, scores in edges.items() if nearest_column(scores) in taken}
    free = {
        item: {at: score for at, score in scores.items() if at not in taken and groups[item] not in settled}
        for item, scores in edges.items()
    }
    chosen = assign_groups(free, groups)
    for item, (scores, hows, _, _) in found.items():
        position = chosen[item] if item in chosen else max(scores.items(), key=_by_score)[0]
        how = "" if hows[position] in EQUAL else hows[position]
        result[item] = NameMatch("fuzzy" if item in chosen else "duplicate", position, scores[position], how)
    return [result[item] for item in range(len(extracted))]


def _by_score(pair: tuple[int, float]) -> tuple[float, int]:
    """Sort key for edges: the higher score, then the lower index."""
    return pair[1], -pair[0]
