"""Countries and their adjectives: `government of the Netherlands` and `Dutch government`.

Only before what a country has as such; `the cheese of Switzerland` need not be Swiss cheese.
"""

from __future__ import annotations

import re

from row3.matching.lexicon.lists import lists, pairs, words

_LISTS = lists("places")

COUNTRIES = words(_LISTS["countries"])
"""Names of countries of one word, in their normal form."""
_ADJECTIVES = {
    country.replace("-", " "): adjective.replace("-", " ") for country, adjective in pairs(_LISTS["adjectives"]).items()
}
COUNTRY_WORDS = frozenset(country.rpartition(" ")[2] for country in _ADJECTIVES)
"""The last word of each."""
_HAS = _LISTS["has"]
_OF_A_COUNTRY = re.compile(
    rf"(?:the )?(?P<what>(?:{_HAS})(?: (?:of|for) (?:the )?[a-z]+(?: and [a-z]+)?)?) of (?:the )?"
    rf"(?P<country>{'|'.join(_ADJECTIVES)})"
)


_OFFICIAL = re.compile(r"(?:the )?(?P<form>(?:[a-z]+ )?(?:republic|kingdom|sultanate|commonwealth)) of .*")


def two_states(one: str, other: str) -> bool:
    """Two official names of other forms: the Kingdom of Spain and the Republic of Spain."""
    first, second = _OFFICIAL.fullmatch(one.lower()), _OFFICIAL.fullmatch(other.lower())
    return first is not None and second is not None and first["form"] != second["form"]


def of_a_nation(low: str) -> str:
    """`economy of germany` -> `german economy`; "" for any other name in small letters."""
    hit = _OF_A_COUNTRY.fullmatch(low) if low.rpartition(" ")[2] in COUNTRY_WORDS else None
    return "" if hit is None else f"{_ADJECTIVES[hit['country']]} {hit['what']}"
