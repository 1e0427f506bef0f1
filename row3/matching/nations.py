"""Countries and their adjectives: `government of the Netherlands` and `Dutch government`.

Only before what a country has as such; `the cheese of Switzerland` need not be Swiss cheese.
"""

from __future__ import annotations

import re

from row3.matching.lexicon import pairs

_ADJECTIVES = {
    country.replace("-", " "): adjective.replace("-", " ")
    for country, adjective in pairs(
        "argentina argentine australia australian austria austrian bangladesh bangladeshi belgium belgian bolivia "
        "bolivian brazil brazilian bulgaria bulgarian canada canadian chile chilean china chinese colombia colombian "
        "croatia croatian cuba cuban denmark danish ecuador ecuadorian egypt egyptian england english estonia estonian "
        "ethiopia ethiopian finland finnish france french germany german ghana ghanaian greece greek hungary hungarian "
        "iceland icelandic india indian indonesia indonesian iran iranian iraq iraqi ireland irish israel israeli "
        "italy italian japan japanese kenya kenyan latvia latvian lithuania lithuanian malaysia malaysian mexico "
        "mexican morocco moroccan nepal nepalese netherlands dutch nigeria nigerian norway norwegian pakistan "
        "pakistani peru peruvian philippines philippine poland polish portugal portuguese romania romanian russia "
        "russian scotland scottish senegal senegalese serbia serbian slovakia slovak slovenia slovenian south-africa "
        "south-african south-korea south-korean spain spanish sweden swedish switzerland swiss thailand thai tunisia "
        "tunisian turkey turkish ukraine ukrainian venezuela venezuelan vietnam vietnamese wales welsh"
    ).items()
}
COUNTRY_WORDS = frozenset(country.rpartition(" ")[2] for country in _ADJECTIVES)
"""The last word of each."""
_HAS = (
    "government|economy|parliament|constitution|president|presidency|king|queen|monarchy|prime minister|army|navy|"
    "air force|armed forces|central bank|national bank|supreme court|constitutional court|senate|congress|cabinet|"
    "chancellor|ministry|minister|department|federal council|federal government|embassy|population|coast|coastline|"
    "capital|currency|territory|border|exports?|imports?|gdp|tax system|health system|legal system|labou?r market|"
    "civil service|electorate|delegation"
)
_OF_A_COUNTRY = re.compile(
    rf"(?:the )?(?P<what>(?:[a-z]+ )?(?:{_HAS})(?: (?:of|for) (?:the )?[a-z]+(?: and [a-z]+)?)?) (?:of|in) (?:the )?"
    rf"(?P<country>{'|'.join(_ADJECTIVES)})"
)


def of_a_nation(low: str) -> str:
    """`economy of germany` -> `german economy`; "" for any other name in small letters."""
    hit = _OF_A_COUNTRY.fullmatch(low)
    return "" if hit is None else f"{_ADJECTIVES[hit['country']]} {hit['what']}"
