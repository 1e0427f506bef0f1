"""Compare a name with the names of one case.

Imported when a case has its first name that equals no label or alias; many runs have none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from rapidfuzz import process

from row3.matching.candidates import Candidates
from row3.matching.compare import SCORES, compare
from row3.matching.normalise import normalise
from row3.matching.scorers import CUTOFF_SLACK, EXACT, SCORERS, SLACK, Named, NameRule, min_similarity
from row3.matching.text.quotes import SourceText
from row3.matching.value.dates import writes_day_first
from row3.matching.value.values import has_number, value_of
from row3.matching.variant.acronyms import LONGEST, NO_ACRONYMS, Acronyms, introduced
from row3.matching.variant.forms import form_keys
from row3.matching.variant.readings import split_parenthesis

LONGEST_NAME = 300
"""Characters of a name beyond which only its spelling is compared."""
MOST_COMPARED = 100
"""Names that a name is compared with, the most similar first. A flood of names that are all alike would take hours."""

_DATED = re.compile(r"\d[-/.]\d{1,2}[-/.]\d{4}")
"""A date in digits, day or month first."""

_SEPARATORS = re.compile(r"\s*[,;/]\s*(?:or\s+)?|\s+or\s+|^(?:or|also|also called|also known as|aka|a\.k\.a\.)\s+")
"""Separators of the names in a parenthesis: `Plurality voting (also first past the post, FPTP)`."""


class Near(NamedTuple):
    """The matching or nearest name."""

    position: int
    """Position of the expected name or the canary; -1 for none."""
    score: float
    how: str
    """The rule that matched; "exact" or "alias" for equal names, "" for no match."""
    why_not: str
    """Why similar names do not match, else ""."""


NOTHING = Near(-1, 0.0, "", "")


class Matches(NamedTuple):
    """All matches of one name."""

    edges: Mapping[int, float]
    """Score of the best matching form, by expected index."""
    hows: Mapping[int, str]
    """Rule that matched, by expected index."""
    canary: Near
    """The nearest matching canary."""
    vetoed: Near
    """The most similar expected name that reaches the threshold without matching."""


NO_MATCHES = Matches({}, {}, NOTHING, NOTHING)


class Matcher:
    """Compares names with the expected names and canaries of one case."""

    def __init__(self, expected: Sequence[Named], canaries: Sequence[str], rule: NameRule, text: SourceText) -> None:
        self._expected, self._rule, self._text = expected, rule, text
        # Labels take precedence over aliases; canaries come last. Names of punctuation only are dropped.
        labels = [(index, one.label) for index, one in enumerate(expected) if normalise(one.label)]
        aliases = [(index, alias) for index, one in enumerate(expected) for alias in one.aliases if normalise(alias)]
        self._labels = len(labels)
        self._owners = [index for index, _ in (*labels, *aliases)]
        names = [*(name for _, name in (*labels, *aliases)), *canaries]
        self._keys, self._names = list(map(normalise, names)), [" ".join(name.split()) for name in names]

    @cached_property
    def acronyms(self) -> Acronyms:
        """Acronyms that the text, the case's aliases or the names themselves introduce."""
        texts = [self._text.text, *(name for name in self._names if "(" in name)]
        for label, aliases in [(one.label, one.aliases) for one in self._expected]:
            for short in aliases:
                if len(short) <= LONGEST and not short.islower():
                    texts += [f"{long} ({short})" for long in (label, *aliases) if " " in long]
        merged: dict[str, tuple[str, ...]] = {}
        for text in texts:
            for short, longs in introduced(text).items():
                merged[short] = tuple(dict.fromkeys((*merged.get(short, ()), *longs)))
        return merged

    @cached_property
    def _candidates(self) -> Candidates:
        persons = [place for place, index in enumerate(self._owners) if self._expected[index].person]
        return Candidates(self._names, self._keys, frozenset(persons), self.acronyms)

    def _day_first(self, name: str) -> bool | None:
        """Return the source's date order if the name or the case has a date in digits."""
        return self._writes_day_first if self._dated or _DATED.search(name) else None

    @cached_property
    def _dated(self) -> bool:
        return _DATED.search("\n".join(self._names)) is not None

    @cached_property
    def _writes_day_first(self) -> bool | None:
        return writes_day_first(self._text.text)

    def matches(self, name: str) -> Matches:
        """Return the expected names and the nearest canary that a name matches."""
        name = " ".join(name.split())
        rule, key = self._rule, normalise(name)
        if not key:
            return NO_MATCHES
        scorer, full = SCORERS[rule.scorer]
        cutoff = (min_similarity(key, key, rule) - CUTOFF_SLACK) * full
        hits = process.extract(key, self._keys, scorer=scorer, processor=None, limit=MOST_COMPARED, score_cutoff=cutoff)
        if not hits and rule.plain:
            return NO_MATCHES
        similar = {
            position: raw / full
            for other, raw, position in hits
            if raw / full >= min_similarity(key, other, rule) - SLACK
        }
        edges: dict[int, float] = {}
        hows: dict[int, str] = {}
        canary = vetoed = NOTHING
        readings: Sequence[str] = ()
        more: set[int] = set()
        numbered = has_number(name)
        day_first = self._day_first(name) if numbered else None
        by_rules = rule.scorer != EXACT and not rule.plain
        if by_rules and len(name) <= LONGEST_NAME and len(similar) < MOST_COMPARED:
            readings = self._candidates.readings(name)
            more = self._candidates.of(name, readings, similar, numbered=numbered, day_first=day_first)
        owners, count = self._owners, len(self._owners)
        for position in islice(chain(similar, sorted(more.difference(similar))), MOST_COMPARED):
            person = self._expected[owners[position]].person if position < count else None
            expands = by_rules and (readings or position in self._candidates.expanded)
            acronyms = self.acronyms if expands else NO_ACRONYMS
            same, how, score, why_not = compare(
                name,
                self._names[position],
                self._rule,
                acronyms=acronyms,
                text=self._text,
                person=person,
                day_first=day_first,
            )
            equal = key == self._keys[position]
            if position >= count:
                if same and score > canary.score:
                    canary = Near(position - count, score, "" if equal else how, "")
                continue
            index = owners[position]
            if same and score > edges.get(index, 0.0):
                edges[index] = score
                hows[index] = how if not equal else "exact" if position < self._labels else "alias"
            elif not same and vetoed.position < 0 and position in similar:
                vetoed = Near(index, similar[position], "", why_not)
        for index in self._listing_forms(name) if by_rules and "(" in name else ():
            if index not in edges:
                edges[index], hows[index] = SCORES["variant"], "variant"
        return Matches(edges, hows, canary, vetoed)

    def likeness(self, one: str, other: str, index: int) -> float:
        """Return the score by which two names, both of which may be one expected name, match each other; else 0."""
        found = compare(
            one,
            other,
            self._rule,
            acronyms=self.acronyms,
            text=self._text,
            person=self._expected[index].person,
            day_first=self._day_first(f"{one} {other}"),
        )
        return found.score if found.same else 0.0

    def _listing_forms(self, name: str) -> set[int]:
        """Return the expected names of which a name lists several forms, as in `label (alias, alias)`."""
        parts = split_parenthesis(name)
        if parts is None:
            return set()
        forms = [parts[0], *(part for part in _SEPARATORS.split(parts[1]) if part)]
        return set.intersection(*({i for key in form_keys(form) for i in self._forms.get(key, ())} for form in forms))

    @cached_property
    def _forms(self) -> dict[str, set[int]]:
        """Expected indices by the keys of their labels and aliases."""
        found: dict[str, set[int]] = {}
        for place, index in enumerate(self._owners):
            for key in form_keys(self._names[place]):
                found.setdefault(key, set()).add(index)
        return found

    def nearest(self, name: str) -> Near:
        """Return the most similar expected name, at any distance."""
        key = normalise(name)
        if not key or not self._owners:
            return NOTHING
        scorer, full = SCORERS[self._rule.scorer]
        _, raw, position = process.extractOne(key, self._keys[: len(self._owners)], scorer=scorer, processor=None)
        values = (name, self._names[position]) if has_number(name) else ()
        two = bool(values) and None not in [value_of(each) for each in values]
        return Near(self._owners[position], raw / full, "", "different values" if two else "")
