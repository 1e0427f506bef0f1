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
NUMBER_WORDS = words(_LISTS["number_words"])

_TENS_IN_ROMAN = ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc")
_ONES_IN_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN = {_TENS_IN_ROMAN[n // 10] + _ONES_IN_ROMAN[n % 10]: str(n) for n in range(2, 100) if n not in (5, 10)}
ROMAN = {roman: number for roman, number in _ROMAN.items() if int(number) < 50 or len(roman) > 3}
"""Roman numerals read as numbers after any word; short ones from fifty on may be names: Li, Liv."""

ROMAN_LETTERS = {"i": "1", "v": "5", "x": "10"}
"""Single-letter numerals, read as numbers only after a word of `COUNTED`."""

ACCENTED = words("lamé résumé résumés rosé rosés pâté pâtés pâte exposé exposés maté")
"""Words that mean something else without their accent."""

GREEK = dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", listed(_LISTS["greek_letters"]), strict=True))

COMPANY_KINDS = words(_LISTS["company_kinds"])
"""Words that form a kind of company with "company", not a name."""

FUNCTION_WORDS = words("of the and de la le du del und")
"""Words that add no meaning to a name."""

BEFORE_NUMBERS = pairs(_LISTS["before_numbers"])
"""Abbreviations expanded before a number."""

BEFORE_NAMES = pairs("st saint mt mount ft fort sta santa sr senior jr junior asst assistant")
"""Abbreviations at the start of a place name or position."""

PHRASES = pairs(_LISTS["phrases"])
"""Phrases with two spellings, hyphens standing for spaces."""

OTHER_WITH_OF = frozenset(phrase.replace("-", " ") for phrase in _LISTS["other_with_of"].split())
"""Names with `of` that cannot be inverted: the cost of capital is not a capital cost."""

TWO_UNIVERSITIES = words("washington miami york pennsylvania indiana columbia british columbia")
"""Names X for which the University of X and X University differ."""

OFTEN = {"once": 1, "twice": 2, "thrice": 3}
"""Adverbs of frequency with their numbers."""

UNIONS = {"US": "United States", "UK": "United Kingdom", "UN": "United Nations", "EU": "European Union"}
UNIONS |= {"USA": "United States", "UAE": "United Arab Emirates"}
"""Acronyms that are unambiguous within a name."""
STATES = {short: name.replace("-", " ") for short, name in pairs(_LISTS["states"]).items()}
"""US states by postal code and by traditional abbreviation."""

COUNTED = words(_LISTS["counted"])

VARIED = words(_LISTS["varied"])
"""Words, one of which is in every name without symbols that has `variants`."""

COMPANY_ENDS = words(_LISTS["company_ends"])
"""Last words of company names."""
