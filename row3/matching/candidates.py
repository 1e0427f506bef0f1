"""Which of a case's names may be one with a given name, though they are not similar: what `compare` is asked about.

Asking it about every pair would take longer than everything else that is done with a case. So names are found by how
their words begin, and only those are left whose keys meet, that are the same value, or that may be one person's. What
is left out is never matched: the search has to be wider than the rules, and a test holds it to them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from functools import lru_cache

from row3.matching.lexicon.inflection import plain, token_form
from row3.matching.normalise import normalise
from row3.matching.person.persons import TOLD_BY, is_evident
from row3.matching.person.roles import SAID
from row3.matching.value.values import value_of
from row3.matching.variant.acronyms import Acronyms, as_term
from row3.matching.variant.additions import without_addition
from row3.matching.variant.beginnings import (
    ARTICLES,
    FILLED_FIRST,
    LIGHT,
    SKIPPED,
    UNLIKE,
    WRITTEN_OTHERWISE,
    beginning,
    last_beginning,
)
from row3.matching.variant.forms import form_key, form_keys
from row3.matching.variant.nations import COUNTRY_WORDS, of_a_nation
from row3.matching.variant.negated import negated
from row3.matching.variant.plain_words import plain_words
from row3.matching.variant.readings import readings
from row3.matching.variant.shortened import SHORT_WORDS, written_out
from row3.matching.variant.variants import ECHOES, variant_keys, without_echo, without_filler

LONGEST_SHORT = 12
"""Characters of a name that may be an acronym, with room for a plural."""
_CALLED = re.compile(" (?:known as|called|named) ")
_OTHERWISE = SHORT_WORDS | COUNTRY_WORDS | ECHOES | {"not"}
"""Words that a name without a sign needs to be written in other words too (`_otherwise`)."""
_FILLING = FILLED_FIRST | {"known"}
"""Words without which a name of small letters has nothing to leave out (`_without_filler`)."""
_ODD = UNLIKE | TOLD_BY | SAID | _OTHERWISE | _FILLING
_SIGN = re.compile(r"[^a-z \n]")
_SHORT_FIRST = re.compile(r"\n (?:the )?\w{1,2} ")  # e mail
_TWO_CAPITALS = re.compile(r"\n *[A-Z]{2}")


@lru_cache(maxsize=4096)
def _words(name: str) -> tuple[str, ...]:
    """The words of a name in any order, without accents."""
    return tuple(sorted(map(plain, normalise(name).split())))


def _search_keys(name: str) -> frozenset[str]:
    """The keys of a name, and of what it is without its region."""
    bare = without_addition(name)
    return variant_keys(name).union(form_keys(bare)) if bare else variant_keys(name)


def _otherwise(name: str) -> tuple[str, ...]:
    """A name with its short forms written out, an adjective for a country, a prefix for `not`; empty for most."""
    found = [written_out(name), without_echo(name), without_addition(name)]
    if " of " in name:
        found.append(of_a_nation(name.lower()))
    if "not " in name:
        found += negated(name.lower())
    return tuple(filter(None, found))


class Candidates:
    """The names of a case, ready to be searched."""

    __slots__ = (
        "_acronyms",
        "_count",
        "_lasts",
        "_may_be_filled",
        "_names",
        "_odd",
        "_people",
        "_text",
        "_whose",
        "other_readings",
    )

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
        raw = "\n".join(names)
        if acronyms or "(" in raw:
            keys = [*keys, *self._add_readings(keys)]
        self._text = "\n " + "\n ".join(keys)
        """All of them, normalised; a word begins after a space, a name after a line end."""
        spelt = self._text.split()
        telling = _ODD.intersection(spelt)
        letters = "".join(spelt)
        signs = not (letters.isascii() and letters.isalpha())
        if signs or not _OTHERWISE.isdisjoint(telling) or any(map(raw.__contains__, "./'’")):
            more = self._add_otherwise()
            self._text, keys = "\n ".join((self._text, *more)), [*keys, *more]
        self._may_be_filled = len(keys) > len(names) or not (raw.islower() and _FILLING.isdisjoint(telling))
        """A name may begin with words that add nothing."""
        self._odd = self._find_odd(telling, signs=signs)
        """Places of names that are not found by how their words begin."""
        self._lasts = [last_beginning(key.rpartition(" ")[2]) for key in keys]
        """How the last word of each begins; "" where it may be left out."""
        if "," in raw or ")" in raw:
            for place, name in enumerate(self._names):
                if "," in name or name[-1:] == ")":
                    self._lasts[place] = ""
        self._people = told
        """Positions of names that are told to be persons', or can be nothing else."""
        if (
            not TOLD_BY.isdisjoint(telling) or not SAID.isdisjoint(telling)
            or "." in raw or "," in raw or not raw.isascii()
            or _TWO_CAPITALS.search("\n" + raw)
        ):  # fmt: skip
            self._people = told.union([position for position, name in enumerate(names) if is_evident(name)])

    def of(
        self, name: str, known_as: Sequence[str], similar: Collection[int], *, numbered: bool, day_first: bool | None
    ) -> set[int]:
        """Positions of the names that may be one with a name, or with what else it is `known_as`.

        Without the names that are asked about anyway since they are `similar`. `numbered` says that the name has a
        number.
        """
        found = self._by_words(name, similar)
        more = _otherwise(name) if plain_words(name) is None else ()
        for reading in (*known_as, *self._without_filler(name), *more):
            found |= self._by_words(reading, similar)
        if numbered and (value := value_of(name, day_first=day_first)) is not None:
            for place in self._odd:
                if place < self._count and value_of(self._names[place], day_first=day_first) == value:
                    found.add(place)
        return found

    def _without_filler(self, name: str) -> tuple[str, ...]:
        """What is left of a name that begins with words which add nothing, as hardly any does."""
        first = normalise(name).partition(" ")[0]
        if first in FILLED_FIRST or (name[:1].islower() and not name.islower()) or _CALLED.search(name):
            rest = without_filler(name)
            return (rest,) if rest else ()
        return ()

    def readings(self, name: str) -> list[str]:
        """What else a name stands for by the acronyms of the case, or by what it has in parentheses."""
        return readings(name, self._acronyms) if self._acronyms or "(" in name else []

    def _add_readings(self, keys: Sequence[str]) -> list[str]:
        """Add the readings of all names; returns them normalised."""
        shorts, added = self._acronyms.keys(), []
        for position, key in enumerate(keys):
            name = self._names[position]
            if (
                "(" in name
                or as_term(name) in shorts
                or not shorts.isdisjoint(map(form_key, key.split()))
                or (len(name) <= LONGEST_SHORT and not shorts.isdisjoint(form_keys(name)))
            ):
                for reading in readings(name, self._acronyms):
                    self._names.append(reading)
                    self._whose.append(position)
                    self.other_readings.add(position)
                    added.append(normalise(reading))
        return added

    def _add_otherwise(self) -> list[str]:
        """Add the names that are written in other words too; returns these normalised."""
        more = [(text, place) for place, name in enumerate(self._names[: self._count]) for text in _otherwise(name)]
        self._names += [text for text, _ in more]
        self._whose += [place for _, place in more]
        return [normalise(text) for text, _ in more]

    def _find_odd(self, telling: Set[str], *, signs: bool) -> set[int]:
        """Names with a sign, a number, a word that begins otherwise than its form, or one that may be two."""
        text = self._text
        patterns = (_SIGN, _SHORT_FIRST) if signs else (_SHORT_FIRST,)
        starts = [hit.start() for pattern in patterns for hit in pattern.finditer(text)]
        for word in telling & UNLIKE if telling else ():
            starts += [hit.start() for hit in re.finditer(rf" {re.escape(word)}\b", text)]
        return {text.count("\n", 0, start + 1) - 1 for start in starts}

    def _by_words(self, name: str, similar: Collection[int]) -> set[int]:
        """Positions of names that share words with a name and meet one of its keys, or may be one person's."""
        key, names = normalise(name), self._names
        spelt = key.split()
        run = f"{''.join(spelt)} {''.join(map(token_form, spelt))}"
        near = {
            place
            for place, last in enumerate(self._lasts)
            if last in run and place not in similar and self._within(place, run)
        }
        everywhere: Collection[int] = self._odd
        if (
            not name.isascii()  # accents
            or "- " in name  # hypo- and hyperthyroidism
            or (len(key) < 3 * len(spelt) and max(map(len, spelt)) < 3)  # N.A.T.O.
            or (spelt[0] in LIGHT and spelt[0] not in ARTICLES)  # by-product
            or not WRITTEN_OTHERWISE.isdisjoint(spelt)  # Mao Tse-tung, the Ft. Worth
        ):
            everywhere = range(len(names))
        if everywhere:
            near = near.union(everywhere).difference(similar)
        found: set[int] = set()
        if near:
            keys = _search_keys(name)
            for place in near:
                if not keys.isdisjoint(_search_keys(names[place])) or (
                    # Names of East Asia, with the surname first or last.
                    sorted(normalise(names[place]).split()) == sorted(spelt)
                    if name.isascii() and names[place].isascii()
                    else _words(names[place]) == _words(name)
                ):
                    found.add(self._whose[place])
        evident = plain_words(name) is None and is_evident(name)
        if self._people or evident:
            may = {self._whose[place] for place in (*self._sharing(spelt), *everywhere)}
            found |= may if evident else self._people & may
        return found

    def _sharing(self, spelt: Sequence[str]) -> set[int]:
        """Positions of names of which a word begins as one of these does."""
        text, found = self._text, set()
        for word in [word for word in spelt if word not in LIGHT] or spelt:
            if not (begins := beginning(word)):  # a mark without its letter
                continue
            wanted = " " + begins
            at = text.find(wanted)
            while at >= 0:
                found.add(text.count("\n", 0, at) - 1)
                at = text.find(wanted, text.find("\n", at) % len(text))
        return found

    def _within(self, place: int, run: str) -> bool:
        """What every word of a name begins with is in a run of letters: the name is made of the same words."""
        name = self._names[place]
        for word in normalise(name).split():
            if word not in SKIPPED and beginning(word, 5) not in run:
                break
        else:
            return True
        if "," in name or name[-1:] == ")":
            return True
        filled = self._without_filler(name) if self._may_be_filled else ()
        rest = [word for left in filled for word in normalise(left).split()]
        return bool(rest) and all(beginning(word, 5) in run for word in rest)
