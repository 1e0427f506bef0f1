"""Words that stand around or between the words of a name: articles, short forms, companies' suffixes, states.

Our own compilation, in small letters as `normalise` gives them.
"""

from __future__ import annotations

from row3.matching.lexicon.lists import lists, pairs, words

_LISTS = lists("english")

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
