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

A_NAMES = words(
    "level priori posteriori star search side minor major train team cappella horizon weighting frame share list "
    "roll road test algorithm"
)
"""After these, or before a single letter, a leading `a` is a letter and not the article."""

COUNTRIES_IN_SHORT = {
    short: long.replace("-", " ")
    for short, long in pairs("usa united-states uk united-kingdom uae united-arab-emirates").items()
}
COUNTRIES_IN_SHORT |= {" ".join(short): long for short, long in COUNTRIES_IN_SHORT.items()}
"""Countries whose initials are their name, dots or none, where they are the whole name; `US` may be a word."""

MEASURED = words(
    "year month week day hour minute second mile km kilometre kilometer metre meter point step page percent"
)
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

SPLIT: dict[str, frozenset[str]] = {
    "re": words(_LISTS["split"]),
    "un": frozenset(("ionized", "ionised")),
    "multi": frozenset(("ply",)),
    "co": frozenset(("op",)),
    "no": frozenset(("body",)),
    "pre": frozenset(("position",)),
    "any": words("body one"),
    "every": words("body one day"),
    "some": words("body one time times"),
    "all": words("ready together"),
    "may": frozenset(("be",)),
}
"""A prefix, and words that are another word behind it than apart: re-creation, recreation; no body, nobody."""

STOREYS = words("single double multi multiple first second third fourth fifth top upper two three four five six ten")
"""Behind these a story is a floor of a house: a second-story window."""

OTHER_WITH_OF = frozenset(
    phrase.replace("-", " ")
    for phrase in words(
        "cost-of-capital balance-of-payments terms-of-trade power-of-attorney bill-of-rights act-of-war man-of-war "
        "school-of-thought house-of-cards state-of-nature cost-of-goods"
    )
)
"""Names with `of` that turned round are something else: the cost of capital is no capital cost."""

TWO_UNIVERSITIES = words("washington miami york pennsylvania indiana columbia british columbia")
"""Where the University of X and X University are two."""

COLOURS = (
    "red|blue|green|yellow|orange|purple|pink|brown|black|white|gr[ae]y|violet|magenta|cyan|turquoise|beige|indigo|"
    "maroon|crimson|scarlet|lilac|mauve|ochre|vermilion|ultramarine|teal"
)
"""Behind the word colour these say it all: the colour red."""

OFTEN = {"once": 1, "twice": 2, "thrice": 3}
"""Words for how often."""

MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|Ramadan|Muharram|Shawwal|Shaban|Rajab|Tishrei|Nisan|"
    "Adar|Elul|Sivan|Tevet"
)
GAMES = (
    "chess|checkers|draughts|backgammon|bridge|poker|go|golf|tennis|cricket|baseball|basketball|football|soccer|rugby|"
    "hockey|volleyball|badminton|squash|darts|billiards|snooker"
)
"""Games that are so called alone as well; a game of chance is no chance."""
RIVERS = (
    "Thames|Severn|Trent|Mersey|Clyde|Tweed|Rhine|Danube|Elbe|Oder|Vistula|Seine|Loire|Rhone|Tiber|Ebro|Tagus|Volga|"
    "Dnieper|Nile|Ganges|Indus|Yangtze|Mekong|Euphrates|Tigris|Orinoco|Zambezi"
)
"""Rivers of whose names nothing else is known as well."""

STATES = {short: name.replace("-", " ") for short, name in pairs(_LISTS["states"]).items()}
"""States of the USA by their two letters, and as they are shortened in print."""

COUNTED = words(
    "war type phase class part volume chapter war stage grade level book act tier category title article section "
    "appendix figure table schedule group complex photosystem polymerase collagen topoisomerase"
)

VARIED = words(_LISTS["varied"])
"""Words one of which is in every name that is written in another way (`variants`) and has no sign."""

COMPANY_ENDS = words(
    "ag sa a nv v bv b s ab asa oy oyj spa srl l kg kga kgaa k kk plc c llc llp p pty pte sdn bhd gmbh co corp ltd inc "
    "company corporation limited incorporated aktiengesellschaft"
)
"""Last words of companies' names."""
