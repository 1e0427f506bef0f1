"""Names with and without what tells them apart: `Boston, Massachusetts` and `Boston`, `Rust (language)` and `Rust`."""

from __future__ import annotations

import re
from functools import lru_cache

from row3.matching.lexicon.lists import listed, lists, words
from row3.matching.lexicon.phrases import STATES
from row3.matching.normalise import normalise
from row3.matching.variant.nations import COUNTRIES
from row3.matching.variant.variants import variant_keys, without_gloss

_LISTS = lists("places")

MORE_COUNTRIES = listed(
    "costa-rica czech-republic new-zealand saudi-arabia south-africa south-korea sri-lanka united-kingdom "
    "united-states united-arab-emirates northern-ireland russian-federation"
)
"""Those of more than one, with hyphens for spaces."""

OFTEN = words(_LISTS["often"])
"""Words in names that several well-known places have: without its region such a place is another one, or may be."""

_WITH_REGION = re.compile(r"(?P<head>[^,()]{2,}?)(?:, (?P<tail>[^()]+)| \((?P<within>[^()]+)\))")
_STATES = frozenset(normalise(name) for name in STATES.values())


@lru_cache(maxsize=1024)
def without_region(name: str) -> str:
    """The place without the state or country behind it; "" for any other name."""
    hit = _WITH_REGION.fullmatch(name)
    if hit is None or not hit["head"][0].isupper():
        return ""
    region = (hit["tail"] or hit["within"]).rpartition(", ")[2]
    key = normalise(region).removeprefix("the ")
    if region not in STATES and not (key in _STATES or key in COUNTRIES or key.replace(" ", "-") in MORE_COUNTRIES):
        return ""
    return "" if normalise(hit["head"]) == key else str(hit["head"])


def without_addition(name: str) -> str:
    """The name without its region, or without what says what it is: `Rust (programming language)`; "" for any other."""
    return (without_region(name) or without_gloss(name)) if name[-1:] == ")" or "," in name else ""


def same_but_for_addition(one: str, other: str, text: str) -> bool:
    """One of two names tells the state or country, or what it is; the other does not.

    A place of which there are many is that of its region only where the text introduces it so:
    `in Birmingham, Alabama. … in Birmingham`, but not `from Cambridge to Cambridge, Massachusetts`.
    """
    for name, bare in ((one, other), (other, one)):
        left = without_addition(name)
        if left and not variant_keys(left).isdisjoint(variant_keys(bare)):
            often = not OFTEN.isdisjoint(normalise(left).split())
            return not often or text.startswith(name, text.find(left))
    return False
