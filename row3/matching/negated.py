"""Names with `not`, in a word with a prefix: `invoices not paid` and `unpaid invoices`.

The prefix is un- or non-, of adjectives that take another one that (`not eligible`, `ineligible`). Each gives further
names, whose keys are keys of the name (see `variants`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from row3.matching.lexicon import words

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
_OTHER_WITH_UN = words("canny done earthed easy nerved wound loosened settling nerving")
"""With the prefix these say more than that it is not so: uneasy, unearthed."""
_PARTICIPLE = (
    r"(?:\w+(?:ed|wn)|paid|sold|born|seen|held|met|kept|found|given|taken|written|chosen|sent|built|spent|read)"
)
_BEHIND = re.compile(
    rf"(?P<head>\w+(?: \w+)?) (?:(?:that|which|who) (?:is|are|was|were|has been|have been) not "
    rf"(?P<told>(?:\w+ly )?\w+)|not (?P<done>{_PARTICIPLE}))"
)
_BEFORE = re.compile(r"not (?P<adverb>\w+ly) (?P<told>\w+)(?P<head>(?: \w+)*)")

_BETWEEN = re.compile(r"(?P<adverb>\w+ly) not (?P<told>\w+)(?P<head>(?: \w+)*)")


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
    if adjective not in _OTHER_WITH_UN:
        yield f"un{adjective}"
    for prefix, takers in (("in", _WITH_IN), ("im", _WITH_IM), ("ir", _WITH_IR), ("il", _WITH_IL)):
        if adjective in takers:
            yield prefix + adjective
