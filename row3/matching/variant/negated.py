"""Names with `not`, in a word with a prefix: `invoices not paid` and `unpaid invoices`.

The prefix is non-, or the one that an adjective takes (`not eligible`, `ineligible`). Each gives further names, whose
keys are keys of the name (see `variants`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from row3.matching.lexicon.lists import lists, words

_LISTS = lists("english")

_WITH_IN = words(_LISTS["with_in"])
_WITH_IM = words(
    "measurable material mature mobile movable partial patient perfect permeable plausible polite possible "
    "practical precise probable proper pure"
)
_WITH_IR = words("rational regular relevant replaceable responsible retrievable reversible")
_WITH_IL = words("legal legible legitimate liberal literate logical")
_WITH_UN = words(_LISTS["with_un"])
"""What is said with un- and with nothing more than not: veiled and unveiled are more."""
_IN_A_WAY = (
    "statistically|clinically|biologically|chemically|technically|medically|legally|economically|financially|commercially|"
    "politically|socially"
)
"""Adverbs that say in which way and not how far: not fully insured is not fully uninsured."""
_PARTICIPLE = (
    r"(?:\w+(?:ed|wn)|paid|sold|born|seen|held|met|kept|found|given|taken|written|chosen|sent|built|spent|read)"
)
_HEAD = r"(?P<head>\w+(?: (?!(?:if|when|while|but|and|or|though|yet|as)\b)\w+)?)"
_BEHIND = re.compile(
    rf"{_HEAD} (?:(?:that|which|who) (?:is|are|was|were|has been|have been) not "
    rf"(?P<told>(?:(?:{_IN_A_WAY}) )?\w+)|not (?P<done>{_PARTICIPLE}))"
)
_BEFORE = re.compile(rf"not (?P<adverb>{_IN_A_WAY}) (?P<told>\w+)(?P<head>(?: \w+)*)")
_BETWEEN = re.compile(rf"(?P<adverb>{_IN_A_WAY}) not (?P<told>\w+)(?P<head>(?: \w+)*)")


def negated(low: str) -> Iterator[str]:
    """Names in one word less for a name in small letters that has `not`; nothing for others."""
    if (hit := _BEHIND.fullmatch(low)) is not None:
        told = hit["told"] or hit["done"]
        adverb, _, adjective = told.rpartition(" ")
        for one in _opposites(adjective):
            yield " ".join(filter(None, (adverb, one, hit["head"])))
    elif (hit := _BEFORE.fullmatch(low) or _BETWEEN.fullmatch(low)) is not None:
        for one in _opposites(hit["told"]):
            yield f"{hit['adverb']} {one}{hit['head']}"


def _opposites(adjective: str) -> Iterator[str]:
    yield f"non {adjective}"
    yield f"non{adjective}"
    for prefix, takers in (("un", _WITH_UN), ("in", _WITH_IN), ("im", _WITH_IM), ("ir", _WITH_IR), ("il", _WITH_IL)):
        if adjective in takers:
            yield prefix + adjective
