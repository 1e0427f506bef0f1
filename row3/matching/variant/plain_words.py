"""Names of which nothing counts but their words: most names, and those that are compared fast."""

from __future__ import annotations

import re
from functools import lru_cache

from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.phrases import COMPANY_ENDS, VARIED
from row3.matching.normalise import normalise
from row3.matching.person.persons import BESIDE, TOLD_BY, may_name_a_person
from row3.matching.value.values import NUMBER_WORDS
from row3.matching.variant.forms import TELLING
from row3.matching.variant.shortened import SHORT_WORDS

_LISTS = lists("english")

PlainWords = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a name as they are spelt, and each in its form."""

_MORE = TELLING | VARIED | COMPANY_ENDS | TOLD_BY | BESIDE | NUMBER_WORDS | SHORT_WORDS
"""Words by which a rule other than form and spelling begins."""
KINDS = words(_LISTS["kinds"])
"""Words that, before a name, may say what it names: planet Mars."""
_CAPITALS = re.compile(r"[A-Z](?:[A-Z]|s\b)")


@lru_cache(maxsize=1024)
def plain_words(name: str) -> PlainWords | None:
    """The words of a plain name; None for a name in which more may count.

    Of plain names no rule holds but form and spelling: they have no sign but spaces, no capitals but the usual ones,
    no number, and none of the words by which the other rules begin.
    """
    if not (name.isascii() and name.replace(" ", "").isalpha()) or (not name.islower() and _CAPITALS.search(name)):
        return None
    spelt = tuple(normalise(name).split())
    if (
        not _MORE.isdisjoint(spelt)
        or (not name.islower() and may_name_a_person(spelt))
        or (len(spelt) > 1 and spelt[0] in KINDS)
    ):
        return None
    formed = tuple([token_form(word) for word in spelt])
    return (spelt, formed) if "".join(formed).isalpha() and _MORE.isdisjoint(formed) else None
