"""Irregular English words: plurals, spelling variants, numerals, function words. Our own compilation."""

from __future__ import annotations

from row3.matching.lexicon.lists import listed, lists, pairs, words

_LISTS = lists("english")


PLURALS = pairs(_LISTS["plurals"])
"""Irregular plural to singular, beyond the rules of `inflection.singular`."""

PLURALS |= {f"{noun}s": noun for noun in words(_LISTS["plurals_in_ics"])}
"""Plurals in -ics; most words in -ics are singular: physics, politics, statistics."""

INVARIANT = words(_LISTS["invariant"])
"""Singular words that end in -s."""

SPELLINGS = pairs(_LISTS["spellings"])
"""Spelling or common abbreviation to the spelling used in keys."""

SPELLINGS |= {
    f"{british}{ending}": f"{american}{ending}"
    for british, american in pairs(_LISTS["verb_stems"]).items()
    for ending in ("ed", "ing", "er")
}
"""Verbs with a doubled consonant or two spellings of the stem."""

TRANSLITERATIONS = pairs(_LISTS["transliterations"])
"""Transliteration of a name or word to the one used in keys."""

MISSPELT = pairs(lists("misspellings")["misspelt"])
"""Common misspellings that the rules for slips miss: short words, or two slips."""

SPELLINGS |= TRANSLITERATIONS | MISSPELT

NUMERALS = pairs(_LISTS["numerals"])

TENS = {word: NUMERALS[word][0] for word in listed("twenty thirty forty fifty sixty seventy eighty ninety")}
"""First digit of compound numerals, by their first word: twenty-first."""


_TENS_IN_ROMAN = ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc")
_ONES_IN_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN = {_TENS_IN_ROMAN[n // 10] + _ONES_IN_ROMAN[n % 10]: str(n) for n in range(2, 100) if n not in (5, 10)}
ROMAN = {roman: number for roman, number in _ROMAN.items() if int(number) < 50 or len(roman) > 3}
"""Roman numerals read as numbers after any word; short ones from fifty on may be names: Li, Liv."""

ROMAN_LETTERS = {"i": "1", "v": "5", "x": "10"}
"""Single-letter numerals, read as numbers only after a word of `COUNTED`."""

TANTUM = words(
    "glasses spectacles customs goods arms damages futures morals manners odds commons blues humanities premises "
    "headquarters remains proceeds means economics"
)
"""Plurals that, as a whole name, mean something else than their singular."""

ACCENTED = words("lamé résumé résumés rosé rosés pâté pâtés pâte exposé exposés maté")
"""Words that mean something else without their accent."""

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
"""Words before which a leading `a` is a letter and not an article."""

MEASURED = words(_LISTS["measured"])
"""Units that form a measure with a number: a 5-year plan."""

BEFORE_NUMBERS = pairs(_LISTS["before_numbers"])
"""Abbreviations expanded before a number."""

LETTERED = words("rev fig vol sec")
"""Abbreviations also expanded before a single letter that ends the name: Rev. C."""

BEFORE_NAMES = pairs("st saint mt mount ft fort sta santa sr senior jr junior asst assistant")
"""Abbreviations at the start of a place name or position."""

SAINTLY = words("mount fort lake port cape")
"""Words after which `St` means Saint: Mount St Helens."""

PHRASES = pairs(_LISTS["phrases"])
"""Phrases with two spellings, hyphens standing for spaces."""

SPLIT = {first: frozenset(rest) for first, *rest in map(str.split, _LISTS["split"].split("/"))}
"""By prefix, the words whose meaning depends on the space: re-creation, recreation; no body, nobody."""

OTHER_WITH_OF = frozenset(phrase.replace("-", " ") for phrase in _LISTS["other_with_of"].split())
"""Names with `of` that cannot be inverted: the cost of capital is not a capital cost."""

TWO_UNIVERSITIES = words("washington miami york pennsylvania indiana columbia british columbia")
"""Names X for which the University of X and X University differ."""

COLOURS = "|".join(_LISTS["colours"].split())
"""Colours that the word colour may precede: the colour red."""

OFTEN = {"once": 1, "twice": 2, "thrice": 3}
"""Adverbs of frequency with their numbers."""

MONTHS = "|".join(_LISTS["months"].split())
GAMES = "|".join(_LISTS["games"].split())
"""Games whose name needs no `game of`, unlike a game of chance."""
RIVERS = "|".join(_LISTS["rivers"].split())
"""Rivers whose names mean nothing else."""

STATES = {short: name.replace("-", " ") for short, name in pairs(_LISTS["states"]).items()}
"""US states by postal code and by traditional abbreviation."""

COUNTED = words(_LISTS["counted"])

VARIED = words(_LISTS["varied"])
"""Words, one of which is in every name without symbols that has `variants`."""

COMPANY_ENDS = words(_LISTS["company_ends"])
"""Last words of company names."""
