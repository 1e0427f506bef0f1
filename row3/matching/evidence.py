"""Whether a quote mentions its concept: by a name of it, or by what the matcher takes for one."""

from __future__ import annotations

from collections.abc import Sequence

from row3.matching.compare import compare
from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.phrases import FUNCTION_WORDS
from row3.matching.normalise import normalise
from row3.matching.text.quotes import SourceText
from row3.matching.variant.acronyms import Acronyms
from row3.matching.variant.readings import readings

LONGEST = 200
"""Words of a quote that are compared; in what follows only the names themselves are looked for."""
SLIP = 4
"""Letters with which a word and a slip of it begin."""
_EDGES = " .,;:!?()[]\"'“”‘’«»"


def mentions(quote: str, names: Sequence[str], known: SourceText, acronyms: Acronyms) -> bool:
    """One of the names occurs in the quote, or a run of its words that the matcher takes for one.

    `known` is the source text and `acronyms` those that it introduces.
    """
    said = SourceText(quote)
    if any(map(said.mentions, names)):
        return True
    every = dict.fromkeys((*names, *(reading for name in names for reading in readings(name, acronyms))))
    if any(map(said.mentions, every)):
        return True
    spelt = quote.split()[:LONGEST]
    forms = [_begins(normalise(word)) for word in spelt]
    return any(_said_otherwise(name, spelt, forms, known) for name in every)


def _begins(words: str) -> set[str]:
    return {token_form(word)[:SLIP] for word in words.split() if word not in FUNCTION_WORDS}


def _said_otherwise(name: str, spelt: Sequence[str], forms: Sequence[set[str]], known: SourceText) -> bool:
    """A run of words that begins or ends with a word of the name is the name."""
    wanted, most = _begins(normalise(name)), len(name.split()) + 2
    for at, begins in enumerate(forms):
        if wanted.isdisjoint(begins):
            continue
        for size in range(1, most + 1):
            for run in (spelt[at : at + size], spelt[max(0, at - size + 1) : at + 1]):
                if compare(" ".join(run).strip(_EDGES), name, known=known).same:
                    return True
    return False
