"""Names with `not`, in a word with a prefix: `invoices not paid` and `unpaid invoices`.

The prefix is non-, or the one that an adjective takes (`not eligible`, `ineligible`). Each gives further names, whose
keys are keys of the name (see `variants`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from row3.matching.words.lexicon import words

_WITH_IN = words(
    "accessible accurate active adequate admissible appropriate applicable audible capable coherent compatible "
    "competent complete comprehensible consistent conclusive correct curable definite dependent direct distinct "
    "effective efficient elastic eligible equitable essential exact expensive experienced explicable finite flexible "
    "formal frequent hospitable organic reversible secure sensitive significant sincere soluble sufficient "
    "tangible tolerant valid variable visible voluntary vulnerable"
)
_WITH_IM = words(
    "measurable material mature mobile movable partial patient perfect permeable plausible polite possible "
    "practical precise probable proper pure"
)
_WITH_IR = words("rational regular relevant replaceable responsible retrievable reversible")
_WITH_IL = words("legal legible legitimate liberal literate logical")
_WITH_UN = words(
    "able accompanied adjusted affected aided altered answered authorised authorized available aware certain "
    "certified changed clear comfortable confirmed conscious controlled corrected defined disclosed documented edited "
    "educated employed equal examined expected explained fair familiar finished fit funded happy harmed healthy "
    "identified important infected insured intended interesting known labeled labelled licensed likely listed marked "
    "married matched measured mentioned named necessary notified numbered occupied official opened ordered paid "
    "painted paved planned pleasant popular predictable prepared processed profitable protected published ready "
    "recorded refined registered regulated related reliable reported represented resolved restricted reviewed ripe "
    "safe satisfactory scheduled secured signed skilled sold solved specified spoiled stable structured successful "
    "suitable supervised supported sure taxed tested touched trained treated true used usual vaccinated verified "
    "wanted weighted willing written"
)
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
