"""Words that English writes by no rule: irregular plurals, stems spelt two ways, numerals, function words.

Our own compilation. Everything here maps one form of a word to another of the same word; what makes two words
two stands in `contradictions`.
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


COMPANY = words("inc incorporated corp ltd llc plc gmbh llp aktiengesellschaft")
"""Suffixes that only companies have; a key leaves them out."""

COMPANY_KINDS = words(_LISTS["company_kinds"])
"""Before "company" these name a kind of company, not one of them."""

FUNCTION_WORDS = words("of the and de la le du del und")
"""Words that carry no sense of their own when two names are laid side by side."""

A_NAMES = words(_LISTS["a_names"])
"""After these, or before a single letter, a leading `a` is a letter and not the article."""

MEASURED = words(_LISTS["measured"])
"""Behind a number these make a measure of it: a 5-year plan."""

BEFORE_NUMBERS = pairs(_LISTS["before_numbers"])
"""Short forms of words that stand before a number, where a digit follows."""

LETTERED = words("rev fig vol sec")
"""Those that may stand before a letter too, where that is all of the name: Rev. C."""

BEFORE_NAMES = pairs("st saint mt mount ft fort sta santa sr senior jr junior asst assistant")
"""Short forms that begin a name of a place or a position."""

SAINTLY = words("mount fort lake port cape")
"""Before these `St` is a saint: Mount St Helens."""

PHRASES = pairs(_LISTS["phrases"])
"""Runs of words that are written in two ways, with hyphens for spaces."""

SPLIT = {first: frozenset(rest) for first, *rest in map(str.split, _LISTS["split"].split("/"))}
"""A prefix, and words that are another word behind it than apart: re-creation, recreation; no body, nobody."""

OTHER_WITH_OF = frozenset(phrase.replace("-", " ") for phrase in _LISTS["other_with_of"].split())
"""Names with `of` that turned round are something else: the cost of capital is no capital cost."""

TWO_UNIVERSITIES = words("washington miami york pennsylvania indiana columbia british columbia")
"""Where the University of X and X University are two."""

COLOURS = "|".join(_LISTS["colours"].split())
"""Behind the word colour these say it all: the colour red."""

OFTEN = {"once": 1, "twice": 2, "thrice": 3}
"""Words for how often."""

MONTHS = "|".join(_LISTS["months"].split())
GAMES = "|".join(_LISTS["games"].split())
"""Games that are so called alone as well; a game of chance is no chance."""
RIVERS = "|".join(_LISTS["rivers"].split())
"""Rivers of whose names nothing else is known as well."""

STATES = {short: name.replace("-", " ") for short, name in pairs(_LISTS["states"]).items()}
"""States of the USA by their two letters, and as they are shortened in print."""

COUNTED = words(_LISTS["counted"])

VARIED = words(_LISTS["varied"])
"""Words one of which is in every name that is written in another way (`variants`) and has no sign."""

COMPANY_ENDS = words(_LISTS["company_ends"])
"""Last words of companies' names."""
