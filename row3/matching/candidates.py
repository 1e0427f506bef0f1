"""Which of a case's names may be one with a given name, though they are not similar: what `compare` is asked about.

Asking it about every pair would take longer than everything else that is done with a case. So names are found by how
their words begin, and only those are left whose keys meet, that are the same value, or that may be one person's. What
is left out is never matched: the search has to be wider than the rules, and a test holds it to them.
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
"""Similarity below which no two names are spellings of one, unless they are persons'."""
LIKE = 65
"""Partial ratio below which no run of a text's words is spelt like a name: a slip in five letters leaves 68."""
LONGEST_SHORT = 12
"""Characters of a name that may be an acronym, with room for a plural."""
_CALLED = re.compile(" (?:known as|called|named) ")
_OTHERWISE = SHORT_WORDS | LAST_WORDS | ADDED | {"not", "company", "partnership", "haftung"}
"""Words with which a name is written in other words too (`_otherwise`)."""
_MORE = _OTHERWISE | UNLIKE
"""Words with which consonants alone do not tell whether a name may be another."""
_SHORTENED = re.compile(r"[^\w\s-]|\d")
"""Signs with which it is."""
_TELLING = TOLD_BY | SAID | SURNAMES_TOO


def _words_of(name: str) -> list[str]:
    """The words of a name, normalised, without accents."""
    key = normalise(name)
    return key.split() if key.isascii() else list(map(plain, key.split()))


@lru_cache(maxsize=1024)
def _search_keys(name: str) -> frozenset[str]:
    """The keys of a name, and of what it is without its region."""
    bare = without_addition(name)
    return variant_keys(name).union(form_keys(bare)) if bare else variant_keys(name)


def _otherwise(name: str, spelt: Iterable[str]) -> tuple[str, ...]:
    """A name with its short forms written out, an adjective for a country, a prefix for `not`; empty for most."""
    if _OTHERWISE.isdisjoint(spelt) and (name.replace(" ", "").isalpha() or _SHORTENED.search(name) is None):
        return ()
    found = [written_out(name), without_addition(name), parted_company(name)[0]]
    if " of " in name:
        found.append(with_adjective(name.lower()))
    if "not " in name:
        found += negated(name.lower())
    return tuple(other for other in found if other and other != name)


class Candidates:
    """The names of a case, ready to be searched."""

    def __init__(self, names: Sequence[str], keys: Sequence[str], told: frozenset[int], acronyms: Acronyms) -> None:
        """Names as they were written and normalised, the positions of those told to be persons', and acronyms."""
        self._acronyms = acronyms
        self._count = len(names)
        self._names = list(names)
        """The names, then their readings."""
        self._whose = list(range(len(names)))
        """Position of the name that each is, or is a reading of."""
        self.other_readings: set[int] = set()
        """Positions of the names that have readings: which stand for something else by an acronym."""
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
        """How the words begin without which a name is not written, in one way or another; by its place."""
        self._people = told
        """Positions of names that are told to be persons', or can be nothing else."""
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
        """Positions of the names that may be one with a name, or with what else it is `known_as`.

        Without the names that are asked about anyway since they are `similar`. `numbered` says that the name has a
        number.
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
        """Places of the names with a number, or a word such as `twice`."""
        return [
            place
            for place, name in enumerate(self._names)
            if has_number(name) or not OFTEN.keys().isdisjoint(self._words[place])
        ]

    def readings(self, name: str) -> list[str]:
        """What else a name stands for by the acronyms of the case, or by what it has in parentheses."""
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
        """Add what else the names and their readings are written as."""
        named = enumerate(zip(self._names, self._words, strict=True))
        more = [(text, place) for place, (name, spelt) in named for text in _otherwise(name, spelt)]
        self._names += [text for text, _ in more]
        self._words += [_words_of(text) for text, _ in more]
        self._whose += [self._whose[place] for _, place in more]

    def _by_words(self, name: str, spelt: list[str], similar: Collection[int], *, numbered: bool) -> set[int]:
        """Positions of names that are made of a name's words and meet one of its keys, or may be one person's."""
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
                # Names of East Asia, with the surname first or last.
                or sorted(spelt) == sorted(self._words[place])
            )
        }
        evident = is_evident(name)
        if self._people or evident:
            may = {self._whose[place] for place in self._sharing(spelt)}
            found |= may if evident else self._people & may
        return found

    def _sharing(self, spelt: Sequence[str]) -> Collection[int]:
        """Places of the names that may have one of these words, in any of its forms."""
        begins = beginnings(spelt)
        if not begins:  # N.A.T.O.
            return range(len(self._names))
        return [
            place
            for place, last in enumerate(self._lasts)
            if not last or any(map(_letters(self._words[place]).__contains__, begins))
        ]

    def _has_all(self, place: int, begins: Iterable[str]) -> bool:
        """A name may have all words that begin so."""
        return _is_listed(self._names[place]) or all(map(_letters(self._words[place]).__contains__, begins))

    def _shares(self, place: int, letters: str) -> bool:
        """A word of a name, if any tells something of it, may be among the letters of another."""
        begins = beginnings(self._words[place])
        return not begins or any(map(letters.__contains__, begins))

    def _within(self, place: int, letters: str) -> bool:
        """All words of a name, or all but those that add nothing, may be among the letters of another."""
        needed = self._needed.get(place)
        if needed is None:
            name = self._names[place]
            ways = () if _is_listed(name) else (self._words[place], *map(_words_of, _without_filler(name)))
            needed = self._needed[place] = list(map(beginnings, ways)) or [()]
        return any(all(map(letters.__contains__, begins)) for begins in needed)


def among(runs: Sequence[str], name: str) -> list[str]:
    """The runs of a text's words that may be a name: a look that spares comparing the others.

    They are spelt like it, made of its words, a value like it or a person's, or in the name more than words may count.
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
            # With a word more than the name the run without that word is the one to compare.
            (place in like and (len(spelt) <= len(words) or all(map(own.__contains__, beginnings(spelt)))))
            or all(map(consonants("".join(spelt)).__contains__, begins))
            or _SHORTENED.search(run) is not None
            or (numbered and has_number(run))
            or (named and may_be_persons(run, name))
        )
    ]


def may_say(text: str, name: str) -> bool:
    """A look that spares looking at runs of a text's words: one of them may be a name."""
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
    """A name says more than one thing: it may be written without some of its words."""
    return "," in name or name[-1:] == ")" or "- " in name


def _letters(spelt: Sequence[str]) -> str:
    """The consonants of words, and of their forms where these have others."""
    told = spelt if UNLIKE.isdisjoint(spelt) else [*spelt, *map(token_form, spelt)]
    return consonants("".join(told))


def _without_filler(name: str) -> tuple[str, ...]:
    """What is left of a name that begins with words which add nothing, as hardly any does."""
    first = normalise(name).partition(" ")[0]
    if first in FILLED_FIRST or (name[:1].islower() and not name.islower()) or _CALLED.search(name):
        rest = without_filler(name)
        return (rest,) if rest else ()
    return ()
