"""Countries and their adjectives: `government of the Netherlands` and `Dutch government`.

Only before what a country has as such; `the cheese of Switzerland` need not be Swiss cheese.
"""

from __future__ import annotations

import re

from row3.matching.words.lexicon import pairs, words

COUNTRIES = words(
    "albania argentina armenia australia austria azerbaijan bahrain bangladesh barbados belarus belgium benin bhutan "
    "bolivia botswana brazil bulgaria burundi cambodia cameroon canada chile china colombia croatia cuba cyprus "
    "denmark djibouti dominica ecuador egypt england eritrea estonia ethiopia fiji finland france gabon gambia "
    "germany ghana greece guinea guyana haiti honduras hungary iceland india indonesia iran iraq ireland israel italy "
    "jamaica japan jordan kazakhstan kenya kiribati kosovo kuwait kyrgyzstan laos latvia lebanon lesotho liberia "
    "libya liechtenstein lithuania luxembourg madagascar malawi malaysia maldives mali malta mauritania mauritius "
    "mexico moldova monaco mongolia montenegro morocco mozambique myanmar namibia nauru nepal netherlands nicaragua "
    "niger nigeria norway oman pakistan palau panama paraguay peru philippines poland portugal qatar romania russia "
    "rwanda samoa scotland senegal serbia seychelles singapore slovakia slovenia somalia spain sudan suriname sweden "
    "switzerland syria taiwan tajikistan tanzania thailand togo tonga tunisia turkey turkmenistan uganda uk ukraine "
    "uruguay usa uzbekistan vanuatu venezuela vietnam wales yemen zambia zimbabwe"
)
"""Names of countries of one word, in their normal form."""
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
