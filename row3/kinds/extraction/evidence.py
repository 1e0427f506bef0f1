"""Whether a quote is evidence: a passage that mentions its concept, or words that the matcher takes for its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import words
from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.normalise import normalise, normalise_text
from row3.matching.text.places import sentences
from row3.matching.text.quotes import SourceText
from row3.matching.variant.acronyms import Acronyms

MOST_WORDS = 200
"""Number of a quote's words that the matcher compares; the others are only searched for the names themselves."""
PREFIX = 4
"""Number of letters at the start of a word that a misspelling of it keeps."""
MOST_SENTENCES = 3
"""Number of sentences up to which a quote points at a passage."""
_LIGHT = FUNCTION_WORDS | words("a an in on for to by at with from is are was were be that which")
_UNIT = re.compile(r"(?<=\d)(?=[^\W\d])")
"""The place between number and unit: 5kg."""
_AFTER_NAME = frozenset(" .,;:!?")
_EDGES = " .,;:!?()[]\"'“”‘’«»"


def is_passage(quote: str, text: str) -> bool:
    """Return whether a quote of the text points at a passage: few sentences of it, and not all of several."""
    # A long text is not normalised for each short quote of it.
    whole = 2 * len(quote) > len(text) and normalise_text(quote) == normalise_text(text)
    return len(sentences(text if whole else quote)) <= (1 if whole else MOST_SENTENCES)


def mentions(
    quote: str,
    names: Sequence[str],
    known: SourceText,
    acronyms: Callable[[], Acronyms],
    other: Callable[[str], object] | None = None,
) -> bool:
    """Return whether one of the names occurs in the quote, or a run of words that the matcher takes for one.

    `known` is the source text; `acronyms` gives those it introduces, and is called only if no name occurs. A run of
    words for which `other` finds something is not one of the names.
    """
    low = f" {quote} ".lower()
    for name in names:
        key = name.lower()
        at = low.find(key)
        if at > 0 and low[at - 1] == " " and low[at + len(key) : at + len(key) + 1] in _AFTER_NAME and normalise(name):
            return True
    said = SourceText(quote)
    if any(map(said.mentions, names)):
        return True
    from row3.matching.variant.readings import readings

    introduced = acronyms()
    every = dict.fromkeys((*names, *(reading for name in names for reading in readings(name, introduced))))
    if any(map(said.mentions, every)):
        return True
    from row3.matching.candidates import may_mention

    left = [name for name in every if may_mention(quote, name)]
    if not left:
        return False
    spelt = quote.split()[:MOST_WORDS]
    prefixes = [_prefixes(normalise(word).split()) for word in spelt]
    return any(_mentions_variant(name, spelt, prefixes, known, other) for name in left)


def _prefixes(spelt: Iterable[str]) -> set[str]:
    tokens = _UNIT.sub(" ", " ".join(spelt)).split()
    return {token_form(word)[:PREFIX] for word in tokens if word not in FUNCTION_WORDS}


def _mentions_variant(
    name: str,
    spelt: Sequence[str],
    prefixes: Sequence[set[str]],
    known: SourceText,
    other: Callable[[str], object] | None,
) -> bool:
    """Return whether the matcher takes a run of words, which begins or ends with a word of the name, for the name."""
    own = normalise(name).split()
    wanted, most = _prefixes(own), len(name.split()) + 2
    runs: dict[str, None] = {}
    for at, begins in enumerate(prefixes):
        if wanted.isdisjoint(begins):
            continue
        for size in range(1, most + 1):
            for run in (spelt[at : at + size], spelt[max(0, at - size + 1) : at + 1]):
                # A light word at either end adds nothing to a run.
                if all(word in own or word not in _LIGHT for word in map(normalise, (run[0], run[-1]))):
                    runs[" ".join(run).strip(_EDGES)] = None
    if not runs:
        return False
    from row3.matching.candidates import likely_runs  # few quotes need them
    from row3.matching.compare import compare

    left = [run for run in likely_runs(list(runs), name) if other is None or other(run) is None]
    return any(compare(run, name, text=known).same for run in left)
