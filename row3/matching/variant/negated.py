"""Names with `not`, in a word with a prefix: `invoices not paid` and `unpaid invoices`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from row3.matching.lexicon.lists import lists, pairs

_TAKES = pairs(lists("english")["negatives"])
"""The prefix that an adjective takes, where it says no more than `not`: veiled and unveiled are more."""
_IN_A_WAY = "statistically|clinically|biologically|chemically|technically|medically|legally|economically|socially"
"""Adverbs that say in which way and not how far: not fully insured is not fully uninsured."""
_BEHIND = re.compile(
    r"(?P<head>\w+(?: (?!(?:if|when|while|but|and|or|though|yet|as)\b)\w+)?) "
    r"(?P<relative>(?:that|which|who) (?:is|are|was|were|has been|have been) )?"
    rf"not (?P<adverb>(?:{_IN_A_WAY}) )?(?P<told>\w+)"
)
_BEFORE = re.compile(rf"(?:not (?P<adverb>{_IN_A_WAY})|(?P<adverb2>{_IN_A_WAY}) not) (?P<told>\w+)(?P<head>(?: \w+)*)")


def negated(low: str) -> Iterator[str]:
    """Names in one word less for a name in small letters that has `not`; nothing for others."""
    hit = _BEFORE.fullmatch(low)
    if hit is not None:
        adverb, head = f"{hit['adverb'] or hit['adverb2']} ", hit["head"]
    elif (hit := _BEHIND.fullmatch(low)) is not None and (hit["relative"] or hit["told"] in _TAKES):
        adverb, head = hit["adverb"] or "", f" {hit['head']}"
    else:
        return
    for prefix in ("non ", "non", _TAKES.get(hit["told"], "")):
        if prefix:
            yield f"{adverb}{prefix}{hit['told']}{head}"
