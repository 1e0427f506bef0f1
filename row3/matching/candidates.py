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

from rapidfuzz import process

from row3.matching.lexicon.inflection import token_form, unaccented
from row3.matching.lexicon.words import OFTEN
from row3.matching.normalise import normalise, normalise_all
from row3.matching.person.given_names import SURNAMES_AND_GIVEN
from row3.matching.person.persons import PERSON_WORDS, is_evident
from row3.matching.person.roles import ROLE_WORDS
from row3.matching.person.same_person import may_be_persons
from row3.matching.scorers import DEFAULT, SCORERS
from row3.matching.value.values import has_number, value_of
from row3.matching.variant.abbreviations import SHORT_WORDS, spelt_out
from row3.matching.variant.acronyms import Acronyms
from row3.matching.variant.additions import ADDED, without_addition
from row3.matching.variant.forms import form_key, form_keys
from row3.matching.variant.marks import split_company
from row3.matching.variant.readings import readings
from row3.matching.variant.skeletons import FILLED_FIRST, IRREGULAR, consonants, last_skeletons, skeletons
from row3.matching.variant.variants import variant_keys, without_filler
from row3.matching.variant.word_order import LAST_WORDS, negated, with_adjective

MIN_SIMILARITY = 0.79
"""Similarity below which two names are never spellings of one, unless they are persons'."""
MAX_ACRONYM = 12
"""Characters of a possible acronym, including a plural ending."""
_CALLED = re.compile(" (?:known as|called|named) ")
_REWRITTEN_WORDS = SHORT_WORDS | LAST_WORDS | ADDED | {"not", "company", "partnership", "haftung"}
"""Words that `_rewritten` rewrites."""
_UNRELIABLE_WORDS = _REWRITTEN_WORDS | IRREGULAR
"""Words for which comparing consonants is not enough."""
_SIGNS = re.compile(r"[^\w\s-]|\d")
"""Characters that `_rewritten` may rewrite."""
_PERSON_WORDS = PERSON_WORDS | ROLE_WORDS | SURNAMES_AND_GIVEN


def _words_of(name: str) -> list[str]:
    """Return the words of a name, normalised and without accents."""
    key = normalise(name)
    return key.split() if key.isascii() else list(map(unaccented, key.split()))


@lru_cache(maxsize=1024)
def _search_keys(name: str) -> frozenset[str]:
    """Return the keys of a name, with and without its addition."""
    bare = without_addition(name)
    return variant_keys(name).union(form_keys(bare)) if bare else variant_keys(name)


def _rewritten(name: str, spelt: Iterable[str]) -> tuple[str, ...]:
    """Return a name with short forms written out, an adjective for a country or a prefix for `not`; mostly empty."""
    if _REWRITTEN_WORDS.isdisjoint(spelt) and (name.replace(" ", "").isalpha() or _SIGNS.search(name) is None):
        return ()
    found = [spelt_out(name), without_addition(name), split_company(name)[0]]
    if " of " in name:
        found.append(with_adjective(name.lower()))
    if "not " in name:
        found += negated(name.lower())
    return tuple(other for other in found if other and other != name)


class Candidates:
    """A search index of the names of one case."""

    def __init__(self, names: Sequence[str], keys: Sequence[str], persons: frozenset[int], acronyms: Acronyms) -> None:
        """Index names as written and normalised, with the positions of declared persons and the case's acronyms."""
        self._acronyms = acronyms
        self._count = len(names)
        self._names = list(names)
        """The names, then their expansions."""
        self._owners = list(range(len(names)))
        """Position of the original name, for each of `_names`."""
        self.expanded: set[int] = set()
        """Positions of names that an acronym expands."""
        if acronyms or any("(" in name for name in names):
            self._add_expansions(keys)
        self._words = list(map(_words_of, self._names))
        every = set(chain.from_iterable(self._words))
        raw = "".join(names)
        if not raw.replace(" ", "").isalpha() or not _REWRITTEN_WORDS.isdisjoint(every):
            self._add_rewritten()
        self._last_skeletons = last_skeletons(self._words)
        if "," in raw or ")" in raw:
            lasts = zip(self._names, self._last_skeletons, strict=True)
            self._last_skeletons = ["" if _has_parts(name) else last for name, last in lasts]
        self._needed: dict[int, Sequence[Collection[str]]] = {}
        """By place, the first consonants of the words that each way of writing the name needs."""
        self._persons = persons
        """Positions of names that are declared or evident persons."""
        initials = not raw.islower() and any(name[:2].isupper() for name in names)
        if initials or "." in raw or "," in raw or not _PERSON_WORDS.isdisjoint(every):
            self._persons = persons.union([position for position, name in enumerate(names) if is_evident(name)])

    def of(
        self, name: str, expansions: Sequence[str], similar: Collection[int], *, numbered: bool, day_first: bool | None
    ) -> set[int]:
        """Return the positions of names that may match a name or one of its `expansions`.

        Names in `similar` are skipped, since they are compared anyway. `numbered`: the name contains a number.
        """
        spelt = _words_of(name)
        found = self._by_words(name, spelt, similar, numbered=numbered)
        for reading in (*expansions, *_without_filler(name), *_rewritten(name, spelt)):
            found |= self._by_words(reading, _words_of(reading), similar, numbered=numbered)
        if numbered and (value := value_of(name, day_first=day_first)) is not None:
            for place in self._numbered:
                if place < self._count and value_of(self._names[place], day_first=day_first) == value:
                    found.add(place)
        return found

    @cached_property
    def _numbered(self) -> list[int]:
        """Places of names with a number or a word such as `twice`."""
        return [
            place
            for place, name in enumerate(self._names)
            if has_number(name) or not OFTEN.keys().isdisjoint(self._words[place])
        ]

    def readings(self, name: str) -> list[str]:
        """Return the expansions of a name by the case's acronyms or its own parenthesis."""
        return readings(name, self._acronyms) if self._acronyms or "(" in name else []

    def _add_expansions(self, keys: Sequence[str]) -> None:
        shorts = self._acronyms.keys()
        for position, key in enumerate(keys):
            name = self._names[position]
            if (
                "(" in name
                or not shorts.isdisjoint(map(form_key, key.split()))
                or (len(name) <= MAX_ACRONYM and not shorts.isdisjoint(form_keys(name)))
            ):
                found = readings(name, self._acronyms)
                self._names += found
                self._owners += [position] * len(found)
                if found:
                    self.expanded.add(position)

    def _add_rewritten(self) -> None:
        """Add the rewritten forms of the names and their expansions."""
        named = enumerate(zip(self._names, self._words, strict=True))
        more = [(text, place) for place, (name, spelt) in named for text in _rewritten(name, spelt)]
        self._names += [text for text, _ in more]
        self._words += [_words_of(text) for text, _ in more]
        self._owners += [self._owners[place] for _, place in more]

    def _by_words(self, name: str, spelt: list[str], similar: Collection[int], *, numbered: bool) -> set[int]:
        """Return the positions of names that share words and a key with a name, or may be the same person."""
        letters = _consonants_of(spelt)
        if "- " in name:  # hypo- and hyperthyroidism
            near: Collection[int] = range(len(self._names))
        else:
            near = [
                place
                for place, last in enumerate(self._last_skeletons)
                if last in letters and self._owners[place] not in similar and self._may_lie_in(place, letters)
            ]
            numbered = numbered or not OFTEN.keys().isdisjoint(spelt)
            begins = skeletons(spelt) if (near or numbered) and not _has_parts(name) else []
            if near and begins:
                near = [place for place in near if self._has_all(place, begins)]
            if numbered:
                counted = [(place, skeletons(self._words[place])) for place in self._numbered]
                near = {
                    *near,
                    *(at for at, own in counted if not begins or not own or any(map(letters.__contains__, own))),
                }
        found = set()
        if near := [place for place in near if self._owners[place] not in similar]:
            forms, keys = set(form_keys(name)), _search_keys(name)
            found = {
                self._owners[place]
                for place in near
                if not forms.isdisjoint(form_keys(self._names[place]))
                or not keys.isdisjoint(_search_keys(self._names[place]))
                # East Asian names, surname first or last.
                or sorted(spelt) == sorted(self._words[place])
            }
        evident = is_evident(name)
        if self._persons or evident:
            may = {self._owners[place] for place in self._sharing(spelt)}
            found |= may if evident else self._persons & may
        return found

    def _sharing(self, spelt: Sequence[str]) -> Collection[int]:
        """Return the places of names that may contain one of these words, in any form."""
        begins = skeletons(spelt)
        if not begins:  # N.A.T.O.
            return range(len(self._names))
        return [
            place
            for place, last in enumerate(self._last_skeletons)
            if not last or any(map(_consonants_of(self._words[place]).__contains__, begins))
        ]

    def _has_all(self, place: int, begins: Iterable[str]) -> bool:
        """Return whether a name may have words with all these first consonants."""
        return _has_parts(self._names[place]) or all(map(_consonants_of(self._words[place]).__contains__, begins))

    def _may_lie_in(self, place: int, letters: str) -> bool:
        """Return whether all words of a name, except optional ones, may be among these letters."""
        needed = self._needed.get(place)
        if needed is None:
            name = self._names[place]
            ways = () if _has_parts(name) else (self._words[place], *map(_words_of, _without_filler(name)))
            needed = self._needed[place] = list(map(skeletons, ways)) or [()]
        return any(all(map(letters.__contains__, begins)) for begins in needed)


def likely_runs(runs: Sequence[str], name: str) -> list[str]:
    """Return the runs of a text's words worth comparing with a name.

    They have similar spelling, the same words, a number or a person's name; or the name has a rule beyond words.
    """
    keys, words, key = [*normalise_all(runs)], _words_of(name), normalise(name)
    run_words = list(map(_words_of, runs))
    if not _UNRELIABLE_WORDS.isdisjoint(chain(words, *run_words)) or _has_parts(name) or _without_filler(name):
        return list(runs)
    numbered, named = has_number(name), not name.islower()
    hits = process.extract(
        key, keys, scorer=SCORERS[DEFAULT][0], processor=None, limit=None, score_cutoff=MIN_SIMILARITY
    )
    like, begins, own = {place for _, _, place in hits}, skeletons(words), consonants("".join(words))
    return [
        run
        for place, (run, spelt) in enumerate(zip(runs, run_words, strict=True))
        if (
            # If the run has an extra word, the run without that word is compared instead.
            (place in like and (len(spelt) <= len(words) or all(map(own.__contains__, skeletons(spelt)))))
            or all(map(consonants("".join(spelt)).__contains__, begins))
            or _SIGNS.search(run) is not None
            or (numbered and has_number(run))
            or (named and may_be_persons(run, name))
        )
    ]


def _has_parts(name: str) -> bool:
    """Return whether a name has parts, some of which may be omitted."""
    return "," in name or name[-1:] == ")" or "- " in name


def _consonants_of(spelt: Sequence[str]) -> str:
    """Return the consonants of words, and of their normal forms if those differ."""
    persons = spelt if IRREGULAR.isdisjoint(spelt) else [*spelt, *map(token_form, spelt)]
    return consonants("".join(persons))


def _without_filler(name: str) -> tuple[str, ...]:
    """Return a name without its leading filler, if it has one."""
    first = normalise(name).partition(" ")[0]
    if first in FILLED_FIRST or (name[:1].islower() and not name.islower()) or _CALLED.search(name):
        rest = without_filler(name)
        return (rest,) if rest else ()
    return ()
