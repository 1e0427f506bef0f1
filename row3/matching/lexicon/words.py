"""Words that English writes by no rule: irregular plurals, stems spelt two ways, numerals, function words.

Our own compilation. Everything here maps one form of a word to another of the same word; what makes two words
two stands in `opposites`.
"""

from __future__ import annotations

from row3.matching.lexicon.lists import listed, lists, pairs, words

_LISTS = lists("english")


PLURALS = pairs(_LISTS["plurals"])
"""Plural to singular, where no rule of `inflection.singular` gives it."""

PLURALS |= {f"{noun}s": noun for noun in words(_LISTS["plurals_in_ics"])}
"""Plurals in -ics, where most words in -ics are none: physics, politics, statistics."""

INVARIANT = words(_LISTS["invariant"])
"""Singular words that end in -s."""

SPELLINGS = pairs(_LISTS["spellings"])
"""A spelling, or a common short form, to the one that keys use."""

SPELLINGS |= {
    f"{british}{ending}": f"{american}{ending}"
    for british, american in pairs(_LISTS["verb_stems"]).items()
    for ending in ("ed", "ing", "er")
}
"""More of them: verbs whose last consonant is doubled or whose stem is spelt in two ways."""

TRANSLITERATIONS = pairs(_LISTS["transliterations"])
"""A name or word of another script in one of its spellings, to the one that keys use."""

MISSPELT = pairs(lists("misspellings")["misspelt"])
"""Misspellings that everybody knows: spellings and no slips, since some have two slips or are short words."""

SPELLINGS |= TRANSLITERATIONS | MISSPELT

NUMERALS = pairs(_LISTS["numerals"])

TENS = {word: NUMERALS[word][0] for word in listed("twenty thirty forty fifty sixty seventy eighty ninety")}
"""The first digit of what `twenty` begins: twenty-first."""


_TENS_IN_ROMAN = ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc")
_ONES_IN_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN = {_TENS_IN_ROMAN[n // 10] + _ONES_IN_ROMAN[n % 10]: str(n) for n in range(2, 100) if n not in (5, 10)}
ROMAN = {roman: number for roman, number in _ROMAN.items() if int(number) < 50 or len(roman) > 3}
"""Roman numerals that are read as numbers after any word; from fifty on the short ones may be names: Li, Liv."""

ROMAN_LETTERS = {"i": "1", "v": "5", "x": "10"}
"""Numerals of one letter: read so only after a word of `COUNTED`."""

TANTUM = words(
    "glasses spectacles customs goods arms damages futures morals manners odds commons blues humanities premises "
    "headquarters remains proceeds means economics"
)
"""Plurals that mean another thing than their singular where they stand alone."""

ACCENTED = words("lamé résumé résumés rosé rosés pâté pâtés pâte exposé exposés maté")
"""Words that are others without their accent."""

GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        listed(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau "
            "upsilon phi chi psi omega"
        ),
        strict=True,
    )
)
