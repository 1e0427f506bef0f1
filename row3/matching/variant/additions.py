"""Remove additions that only specify a name: `Boston, Massachusetts`, `Rust (language)`, `python-dateutil library`,
`Arsenal FC`, `Brown v. Board of Education (1954)`.

Only one of two names may have an addition; two names with additions have to be equal.
"""

from __future__ import annotations

import re
from functools import lru_cache

from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.vocabulary import is_word
from row3.matching.lexicon.words import STATES
from row3.matching.normalise import normalise
from row3.matching.person.roles import is_noun
from row3.matching.variant.variants import variant_keys, without_gloss
from row3.matching.variant.word_order import COUNTRIES

OFTEN = words(lists("places")["often"])
"""Words of names that several well-known places share, so that the region matters."""
_STATES = frozenset(map(normalise, (*STATES.values(), *lists("places")["provinces"].split("|"))))
_WITH_REGION = re.compile(r"(?P<head>[^,()]{2,}?)(?:, (?P<tail>[^()]+)| \((?P<within>[^()]+)\))")
_CLUB = re.compile(r"(?P<name>[A-Z].*?),? (?:F\.?C\.?|A\.?F\.?C\.?|C\.?F\.?|S\.?C\.?|(?:Football|Soccer|Sports) Club)")
_CASE_OR_LAW = re.compile(
    r"(?P<name>.* vs?\.? .*?)(?:, \d+ [A-Z].*)?(?: \((?:1[5-9]|20)\d\d\))?|"
    r"(?P<law>.* (?:Act|Law|Directive|Code))(?: of|,)? \d{4}"
)
_KIND_BEHIND = re.compile(
    r"(?P<name>.+?) (?:[Ii]ndex|library|package|framework|module|gene|protein|programming language|database|tool)"
)
_NAMED_KIND = re.compile(r"\((?:\w+ )*(?:language|software|company|film|movie|band|album|song|novel|game)\)$")
_COMMON_KIND = re.compile(r"\((?:\w+ )*(?:element|metal|mineral|gas|drug|enzyme|animal|plant|bird|fish)\)$")
"""A kind whose names are written small."""
_CITY = re.compile(
    r"(?:[Tt]he )?(?:[Cc]ity|[Tt]own|[Bb]orough|[Vv]illage|[Mm]unicipality|[Pp]rovince) of (?P<name>[A-Z].*)"
)

ADDED = words(lists("english")["additions"])
"""Words, one of which is in every name that has an addition but no symbols."""


@lru_cache(maxsize=1024)
def without_addition(name: str) -> str:
    """Return a name without its region, kind or other addition; "" if it has none."""
    if (hit := _CASE_OR_LAW.fullmatch(name)) is not None:
        return str(hit["name"] or hit["law"]) if name[-1:] == ")" or name[-1:].isdigit() else ""
    if "," in name or name[-1:] == ")":
        return _without_region(name) or without_gloss(name)
    if (hit := _CLUB.fullmatch(name)) is not None:
        return str(hit["name"])
    if (hit := _CITY.fullmatch(name)) is not None:
        return "" if is_noun(hit["name"].lower()) else str(hit["name"])  # the City of God
    hit = _KIND_BEHIND.fullmatch(name)
    return str(hit["name"]) if hit is not None and _is_code(hit["name"]) else ""


def _is_code(name: str) -> bool:
    """Return whether a name is unmistakable without its kind: TP53, python-dateutil, but not insulin."""
    return any(map(str.isdigit, name)) or not all(map(is_word, normalise(name).split()))


def _without_region(name: str) -> str:
    """Return a place without its states or countries; "" for a list of countries (`Kenya, Uganda`)."""
    hit = _WITH_REGION.fullmatch(name)
    if hit is None or not hit["head"][0].isupper() or _is_country(head := hit["head"]):
        return ""
    *regions, last = (hit["tail"] or hit["within"]).split(", ")
    if any(map(_is_country, regions)) or not (_is_state(last) or _is_country(last)):
        return ""
    states = [normalise(STATES.get(each, each)) for each in (*regions, last) if _is_state(each)]
    if _is_state(head) and states and normalise(head) not in states:
        return ""  # Wyoming, Michigan, USA is a town
    return "" if normalise(head) == normalise([*regions, last][0]) else str(head)


def _is_state(name: str) -> bool:
    return name in STATES or normalise(name) in _STATES


def _is_country(name: str) -> bool:
    return normalise(name).removeprefix("the ") in COUNTRIES


def same_but_for_addition(one: str, other: str, text: str) -> bool:
    """Return whether two names differ only in an addition that one of them has.

    For a common place name the text has to introduce it with its region: `in Birmingham, Alabama. … in Birmingham`,
    but not `from Cambridge to Cambridge, Massachusetts`.
    """
    for name, bare in ((one, other), (other, one)):
        left = without_addition(name)
        if left and not variant_keys(left).isdisjoint(variant_keys(bare)):
            if left[0].isupper() and bare.islower() and _NAMED_KIND.search(name):
                continue  # Rust (programming language), rust
            if bare[:1].isupper() and _COMMON_KIND.search(name):
                continue  # Mercury (element), Mercury
            often = OFTEN.issuperset(normalise(left).split())
            return not often or text.startswith(name, text.find(left))
    return False
