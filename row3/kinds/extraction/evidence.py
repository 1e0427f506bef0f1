"""Whether a quote mentions its concept, by one of its names or by words that the matcher takes for one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import words
from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.normalise import normalise, normalise_all
from row3.matching.text.quotes import SourceText
from row3.matching.variant.acronyms import Acronyms

MOST_WORDS = 200
"""Number of a quote's words that the matcher compares; the others are only searched for the names themselves."""
PREFIX = 4
"""Number of letters at the start of a word that a misspelling of it keeps."""
_LIGHT = FUNCTION_WORDS | words("a an in on for to by at with from is are was were be that which")
_UNIT = re.compile(r"(?<=\d)(?=[^\w\s]*[^\W\d])")
"""The place between number and unit: 5kg, 20°C."""
_SIGN = re.compile(r"(?<!\S)[±~≈<>≤≥=+]+(?=\d)")
_text = lru_cache(256)(SourceText)
_EDGES = " .,;:!?()[]\"'“”‘’«»"


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
    padded = f" {normalise(quote)} "
    for name in names:
        if (key := normalise(name)) and f" {key} " in padded:
            return True
    said = _text(quote)
    if any(map(said.mentions, names)):
        return True
    forms = _forms(names, acronyms())
    if any(map(said.mentions, forms[len(names) :])):
        return True
    return any(_mentions_variant(name, quote, known, other) for name in dict.fromkeys(forms))


def prefixes(quote: str) -> Iterable[str]:
    """Return the prefixes of a quote's words: `mentions` finds only names that share one with it."""
    return _words_of(quote)[1]


def name_prefixes(names: Sequence[str], acronyms: Acronyms) -> frozenset[str]:
    """Return the prefixes of the words of names and of their readings by a text's acronyms."""
    return frozenset().union(*(_prefixes(normalise(form)) for form in _forms(names, acronyms)))


def _forms(names: Sequence[str], acronyms: Acronyms) -> list[str]:
    """Return the names, and their readings by the acronyms of a text."""
    from row3.matching.variant.readings import readings

    return [*names, *(reading for name in names for reading in readings(name, acronyms))]


@lru_cache(256)  # `row3 lint` looks for several names of a case in a sentence
def _words_of(quote: str) -> tuple[list[str], Mapping[str, list[int]]]:
    """Return the words of a quote that the matcher compares, and their places by prefix."""
    plain = _SIGN.sub("", quote)
    spelt, keys = plain.split()[:MOST_WORDS], normalise(plain).split()
    if len(keys) != len(spelt) or not all(word.strip(_EDGES).isalnum() for word in spelt):
        keys = [*normalise_all(spelt)]
    places: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        for prefix in _prefixes(key):
            places.setdefault(prefix, []).append(at)
    return spelt, places


@lru_cache(4096)
def _prefixes(key: str) -> frozenset[str]:
    spelt = (key,) if key.isalpha() else _UNIT.sub(" ", key).split()
    return frozenset(token_form(word)[:PREFIX] for word in spelt if word not in FUNCTION_WORDS)


def _mentions_variant(name: str, quote: str, known: SourceText, other: Callable[[str], object] | None) -> bool:
    """Return whether the matcher takes a run of words, which begins or ends with a word of the name, for the name."""
    spelt, places = _words_of(quote)
    own, most = normalise(name).split(), len(name.split()) + 2
    runs: dict[str, None] = {}
    for at in sorted({at for prefix in _prefixes(normalise(name)) for at in places.get(prefix, ())}):
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
