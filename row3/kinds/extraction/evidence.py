"""Whether a quote mentions its concept: by a name of it, or by what the matcher takes for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import words
from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.normalise import normalise
from row3.matching.text.quotes import SourceText
from row3.matching.variant.acronyms import Acronyms

LONGEST = 200
"""Words of a quote that are compared; in what follows only the names themselves are looked for."""
SLIP = 4
"""Letters with which a word and a slip of it begin."""
_LIGHT = FUNCTION_WORDS | words("a an in on for to by at with from is are was were be that which")
_BEHIND = frozenset(" .,;:!?")
_EDGES = " .,;:!?()[]\"'“”‘’«»"


def mentions(
    quote: str,
    names: Sequence[str],
    known: SourceText,
    acronyms: Callable[[], Acronyms],
    other: Callable[[str], object] | None = None,
) -> bool:
    """One of the names occurs in the quote, or a run of its words that the matcher takes for one.

    `known` is the source text and `acronyms` those that it introduces, asked for where no name occurs. Of what `other`
    finds, matching has decided that it is none of the names.
    """
    low = f" {quote} ".lower()
    for name in names:
        key = name.lower()
        at = low.find(key)
        if at > 0 and low[at - 1] == " " and low[at + len(key) : at + len(key) + 1] in _BEHIND and normalise(name):
            return True
    said = SourceText(quote)
    if any(map(said.mentions, names)):
        return True
    from row3.matching.variant.readings import readings

    told = acronyms()
    every = dict.fromkeys((*names, *(reading for name in names for reading in readings(name, told))))
    if any(map(said.mentions, every)):
        return True
    from row3.matching.candidates import may_say

    left = [name for name in every if may_say(quote, name)]
    if not left:
        return False
    spelt = quote.split()[:LONGEST]
    forms = [_begins(normalise(word).split()) for word in spelt]
    return any(_said_otherwise(name, spelt, forms, known, other) for name in left)


def _begins(spelt: Iterable[str]) -> set[str]:
    return {token_form(word)[:SLIP] for word in spelt if word not in FUNCTION_WORDS}


def _said_otherwise(
    name: str, spelt: Sequence[str], forms: Sequence[set[str]], known: SourceText, other: Callable[[str], object] | None
) -> bool:
    """A run of words that begins or ends with a word of the name is the name."""
    own = normalise(name).split()
    wanted, most = _begins(own), len(name.split()) + 2
    runs: dict[str, None] = {}
    for at, begins in enumerate(forms):
        if wanted.isdisjoint(begins):
            continue
        for size in range(1, most + 1):
            for run in (spelt[at : at + size], spelt[max(0, at - size + 1) : at + 1]):
                # With a light word at its end it is no more of a name than without.
                if all(word in own or word not in _LIGHT for word in map(normalise, (run[0], run[-1]))):
                    runs[" ".join(run).strip(_EDGES)] = None
    if not runs:
        return False
    from row3.matching.candidates import among  # few quotes say it otherwise
    from row3.matching.compare import compare

    left = [run for run in among(list(runs), name) if other is None or other(run) is None]
    return any(compare(run, name, known=known).same for run in left)
