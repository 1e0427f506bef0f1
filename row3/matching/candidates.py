"""Find a case's names that may match a given name although they are not similar (blocking for `compare`).

Comparing every pair would take longer than the rest of scoring. So names are found by the first consonants of their
words, and kept if they share a key, are the same value or may be one person's. A name left out never matches: the
search has to be wider than the rules, which a test checks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import chain

from rapidfuzz import fuzz, process

from row3.matching.lexicon.inflection import plain, token_form
from row3.matching.lexicon.words import OFTEN
from row3.matching.normalise import normalise, normalise_all
from row3.matching.person.given_names import SURNAMES_TOO
from row3.matching.person.persons import TOLD_BY, is_evident
from row3.matching.person.roles import SAID
from row3.matching.person.same_person import may_be_persons
from row3.matching.scorers import DEFAULT, SCORERS
from row3.matching.value.values import has_number, value_of
from row3.matching.variant.acronyms import Acronyms
from row3.matching.variant.additions import ADDED, without_addition
from row3.matching.variant.beginnings import FILLED_FIRST, UNLIKE, beginnings, consonants, last_beginnings
from row3.matching.variant.forms import form_key, form_keys
from row3.matching.variant.marks import parted_company
from row3.matching.variant.readings import readings
from row3.matching.variant.shortened import SHORT_WORDS, written_out
from row3.matching.variant.variants import variant_keys, without_filler
from row3.matching.variant.word_order import LAST_WORDS, negated, with_adjective

LEAST = 0.79
"""Similarity below which two names are never spellings of one, unless they are persons'."""
LIKE = 65
"""Partial ratio below which a text has no spelling of a name: one slip in five letters leaves 68."""
LONGEST_SHORT = 12
"""Characters of a possible acronym, including a plural ending."""
_CALLED = re.compile(" (?:known as|called|named) ")
_OTHERWISE = SHORT_WORDS | LAST_WORDS | ADDED | {"not", "company", "partnership", "haftung"}
"""Words that `_otherwise` rewrites."""
_MORE = _OTHERWISE | UNLIKE
"""Words for which comparing consonants is not enough."""
_SHORTENED = re.compile(r"[^\w\s-]|\d")
"""Characters that `_otherwise` may rewrite."""
_TELLING = TOLD_BY | SAID | SURNAMES_TOO


def _words_of(name: str) -> list[str]:
    """Return the words of a name, normalised and without accents."""
    key = normalise(name)
    return key.split() if key.isascii() else list(map(plain, key.split()))


@lru_cache(maxsize=1024)
def _search_keys(name: str) -> frozenset[str]:
    """Return the keys of a name, with and without its addition."""
    bare = without_addition(name)
    return variant_keys(name).union(form_keys(bare)) if bare else variant_keys(name)


def _otherwise(name: str, spelt: Iterable[str]) -> tuple[str, ...]:
    """Return a name with short forms written out, an adjective for a country or a prefix for `not`; mostly empty."""
    if _OTHERWISE.isdisjoint(spelt) and (name.replace(" ", "").isalpha() or _SHORTENED.search(name) is None):
        return ()
    found = [written_out(name), without_addition(name), parted_company(name)[0]]
    if " of " in name:
        found.append(with_adjective(name.lower()))
    if "not " in name:
        found += negated(name.lower())
    return tuple(other for other in found if other and other != name)


class Candidates:
    """A search index of the names of one case."""

    def __init__(self, names: Sequence[str], keys: Sequence[str], told: frozenset[int], acronyms: Acronyms) -> None:
        """Index names as written and normalised, with the positions of declared persons and the case's acronyms."""
        self._acronyms = acronyms
        self._count = len(names)
        self._names = list(names)
        """The names, then their expansions."""
        self._whose = list(range(len(names)))
        """Position of the original name, for each of `_names`."""
        self.other_readings: set[int] = set()
        """Positions of names that an acronym expands."""
        if acronyms or any("(" in name for name in names):
            self._add_readings(keys)
        self._words = list(map(_words_of, self._names))
        every = set(chain.from_iterable(self._words))
        raw = "".join(names)
        if not raw.replace(" ", "").isalpha() or not _OTHERWISE.isdisjoint(every):
            self._add_otherwise()
        self._lasts = last_beginnings(self._words)
        if "," in raw or ")" in raw:
            for place, name in enumerate(self._names):
                if _is_listed(name):
                    self._lasts[place] = ""
        self._needed: dict[int, Sequence[Collection[str]]] = {}
        """By place, the first consonants of the words that each way of writing the name needs."""
        self._people = told
        """Positions of names that are declared or evident persons."""
        if (
            not _TELLING.isdisjoint(every)
            or "." in raw
            or "," in raw
            or (not raw.islower() and any(name[:2].isupper() for name in names))
        ):
            self._people = told.union([position for position, name in enumerate(names) if is_evident(name)])

    def of(
        self, name: str, known_as: Sequence[str], similar: Collection[int], *, numbered: bool, day_first: bool | None
    ) -> set[int]:
        """Return the positions of names that may match a name or one of its expansions (`known_as`).

        Names in `similar` are skipped, since they are compared anyway. `numbered`: the name contains a number.
        """
        spelt = _words_of(name)
        found = self._by_words(name, spelt, similar, numbered=numbered)
        for reading in (*known_as, *_without_filler(name), *_otherwise(name, spelt)):
            found |= self._by_words(reading, _words_of(reading), similar, numbered=numbered)
        if numbered and (value := value_of(name, day_first=day_first)) is not None:
            for place in self._counted:
                if place < self._count and value_of(self._names[place], day_first=day_first) == value:
                    found.add(place)
        return found

    @cached_property
    def _counted(self) -> list[int]:
        """Places of names with a number or a word such as `twice`."""
        return [
            place
            for place, name in enumerate(self._names)
            if has_number(name) or not OFTEN.keys().isdisjoint(self._words[place])
        ]

    def readings(self, name: str) -> list[str]:
        """Return the expansions of a name by the case's acronyms or its own parenthesis."""
        return readings(name, self._acronyms) if self._acronyms or "(" in name else []

    def _add_readings(self, keys: Sequence[str]) -> None:
        shorts = self._acronyms.keys()
        for position, key in enumerate(keys):
            name = self._names[position]
            if (
                "(" in name
                or not shorts.isdisjoint(map(form_key, key.split()))
                or (len(name) <= LONGEST_SHORT and not shorts.isdisjoint(form_keys(name)))
            ):
                found = readings(name, self._acronyms)
                self._names += found
                self._whose += [position] * len(found)
                if found:
                    self.other_readings.add(position)

    def _add_otherwise(self) -> None:
        """Add the rewritten forms of the names and their expansions."""
        named = enumerate(zip(self._names, self._words, strict=True))
        more = [(text, place) for place, (name, spelt) in named for text in _otherwise(name, spelt)]
        self._names += [text for text, _ in more]
        self._words += [_words_of(text) for text, _ in more]
        self._whose += [self._whose[place] for _, place in more]

    def _by_words(self, name: str, spelt: list[str], similar: Collection[int], *, numbered: bool) -> set[int]:
        """Return the positions of names that share words and a key with a name, or may be the same person."""
        letters = _letters(spelt)
        if "- " in name:  # hypo- and hyperthyroidism
            near: Collection[int] = range(len(self._names))
        else:
            near = [place for place, last in enumerate(self._lasts) if last in letters and self._within(place, letters)]
            begins = [] if _is_listed(name) else beginnings(spelt)
            if near and begins:
                near = [place for place in near if self._has_all(place, begins)]
            if numbered or not OFTEN.keys().isdisjoint(spelt):
                near = {*near, *(place for place in self._counted if not begins or self._shares(place, letters))}
        found = {
            self._whose[place]
            for place in near
            if place not in similar
            and (
                not set(form_keys(name)).isdisjoint(form_keys(self._names[place]))
                or not _search_keys(name).isdisjoint(_search_keys(self._names[place]))
                # East Asian names, surname first or last.
                or sorted(spelt) == sorted(self._words[place])
            )
        }
        evident = is_evident(name)
        if self._people or evident:
            may = {self._whose[place] for place in self._sharing(spelt)}
            found |= may if evident else self._people & may
        return found

    def _sharing(self, spelt: Sequence[str]) -> Collection[int]:
        """Return the places of names that may contain one of these words, in any form."""
        begins = beginnings(spelt)
        if not begins:  # N.A.T.O.
            return range(len(self._names))
        return [
            place
            for place, last in enumerate(self._lasts)
            if not last or any(map(_letters(self._words[place]).__contains__, begins))
        ]

    def _has_all(self, place: int, begins: Iterable[str]) -> bool:
        """Return whether a name may have words with all these first consonants."""
        return _is_listed(self._names[place]) or all(map(_letters(self._words[place]).__contains__, begins))

    def _shares(self, place: int, letters: str) -> bool:
        """Return whether a distinctive word of a name, if it has any, may be among these letters."""
        begins = beginnings(self._words[place])
        return not begins or any(map(letters.__contains__, begins))

    def _within(self, place: int, letters: str) -> bool:
        """Return whether all words of a name, except optional ones, may be among these letters."""
        needed = self._needed.get(place)
        if needed is None:
            name = self._names[place]
            ways = () if _is_listed(name) else (self._words[place], *map(_words_of, _without_filler(name)))
            needed = self._needed[place] = list(map(beginnings, ways)) or [()]
        return any(all(map(letters.__contains__, begins)) for begins in needed)


def among(runs: Sequence[str], name: str) -> list[str]:
    """Return the runs of a text's words worth comparing with a name.

    They have similar spelling, the same words, a number or a person's name; or the name has a rule beyond words.
    """
    keys, words, key = normalise_all(runs), _words_of(name), normalise(name)
    said = list(map(_words_of, runs))
    if not _MORE.isdisjoint(chain(words, *said)) or _is_listed(name) or _without_filler(name):
        return list(runs)
    numbered, named = has_number(name), not name.islower()
    hits = process.extract(key, keys, scorer=SCORERS[DEFAULT][0], processor=None, limit=None, score_cutoff=LEAST)
    like, begins, own = {place for _, _, place in hits}, beginnings(words), consonants("".join(words))
    return [
        run
        for place, (run, spelt) in enumerate(zip(runs, said, strict=True))
        if (
            # If the run has an extra word, the run without that word is compared instead.
            (place in like and (len(spelt) <= len(words) or all(map(own.__contains__, beginnings(spelt)))))
            or all(map(consonants("".join(spelt)).__contains__, begins))
            or _SHORTENED.search(run) is not None
            or (numbered and has_number(run))
            or (named and may_be_persons(run, name))
        )
    ]


def may_say(text: str, name: str) -> bool:
    """Return whether a text may mention a name: a quick test before comparing runs of its words."""
    words, said = _words_of(name), _words_of(text)
    begins, letters = beginnings(words), _letters(said)
    return (
        fuzz.partial_ratio(normalise(name), normalise(text)) >= LIKE
        or all(map(letters.__contains__, begins))
        or (not name.islower() and any(map(letters.__contains__, begins)))
        or not _OTHERWISE.isdisjoint(said + words)
        or has_number(name)
        or _is_listed(name)
        or bool(_without_filler(name))
    )


def _is_listed(name: str) -> bool:
    """Return whether a name has parts, some of which may be omitted."""
    return "," in name or name[-1:] == ")" or "- " in name


def _letters(spelt: Sequence[str]) -> str:
    """Return the consonants of words, and of their normal forms if those differ."""
    told = spelt if UNLIKE.isdisjoint(spelt) else [*spelt, *map(token_form, spelt)]
    return consonants("".join(told))


def _without_filler(name: str) -> tuple[str, ...]:
    """Return a name without its leading filler, if it has one."""
    first = normalise(name).partition(" ")[0]
    if first in FILLED_FIRST or (name[:1].islower() and not name.islower()) or _CALLED.search(name):
        rest = without_filler(name)
        return (rest,) if rest else ()
    return ()
