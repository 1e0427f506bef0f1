"""`X of Y` where Y has an adjective: `carcinoma of the pancreas` and `pancreatic carcinoma`, `government of France` and
`French government`.

Of a country only before what it has as such; `the cheese of Switzerland` need not be Swiss cheese.
"""

from __future__ import annotations

import re

from row3.matching.lexicon.lists import lists, pairs, words

_LISTS = lists("places")


def _spaced(table: dict[str, str]) -> dict[str, str]:
    return {noun.replace("-", " "): adjective.replace("-", " ") for noun, adjective in table.items()}


COUNTRIES = words(_LISTS["countries"]) | frozenset(_spaced(dict.fromkeys(_LISTS["more_countries"].split(), "")))
"""Names of countries in their normal form."""
_OF_COUNTRIES = _spaced(pairs(_LISTS["adjectives"]))
_OF_ORGANS = pairs(lists("english")["organs"])
LAST_WORDS = frozenset(noun.rpartition(" ")[2] for noun in (*_OF_COUNTRIES, *_OF_ORGANS))
"""The last word of each noun that has an adjective here."""
_OF_A_COUNTRY = re.compile(
    rf"(?:the )?(?P<what>(?:{_LISTS['has']})(?: (?:of|for) (?:the )?[a-z]+(?: and [a-z]+)?)?) of (?:the )?"
    rf"(?P<noun>{'|'.join(_OF_COUNTRIES)})"
)
_OF_AN_ORGAN = re.compile(rf"(?:the )?(?P<what>[a-z]+(?: [a-z]+)?) of (?:the )?(?P<noun>{'|'.join(_OF_ORGANS)})")


def with_adjective(low: str) -> str:
    """`cancer of the kidney` -> `renal cancer`; "" for any other name in small letters."""
    if low.rpartition(" ")[2] not in LAST_WORDS:
        return ""
    hit = _OF_A_COUNTRY.fullmatch(low) or _OF_AN_ORGAN.fullmatch(low)
    return "" if hit is None else f"{(_OF_COUNTRIES | _OF_ORGANS)[hit['noun']]} {hit['what']}"
