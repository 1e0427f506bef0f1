"""Which tokens are English words: what tells a slip of spelling from another word.

The words are those of the package pyspellchecker (MIT): 160,000 forms and names from film subtitles, cleaned of
misspellings, as sorted lines in one compressed file. Nothing of it is loaded before the first question, and then
only that file: 25 ms and 3 MB; a question takes about 3 µs and is asked once per token. The package itself is not
imported. Its version is pinned, since another list may decide another pair.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from functools import lru_cache
from importlib.util import find_spec

from row3.matching.lexicon.inflection import american
from row3.matching.lexicon.lists import listed, lists, words

_LISTS = lists("vocabulary")

PACKAGE, FILE = "spellchecker", "resources/en.json.gz"

COMPOUND_HEADS = listed(_LISTS["compound_heads"])
"""What forms new words with any word: a token that begins so and goes on with a word is one."""

MORE_WORDS = words(_LISTS["more_words"])
"""Words of science that general lists leave out and that have look-alikes."""

TERMS = words(_LISTS["terms"])
"""Terms of the sciences that general word lists leave out, so that a slip in one is seen."""

NAMES = words(_LISTS["names"])
"""Names of places and families that have a look-alike one slip away, and that the word list leaves out.

Kingston is listed and Kinston is not; without it here, the one would be a slip of the other.
"""

BLOCK = 800
"""Bytes that are searched for a word, at least."""
LONGEST = 40
"""Bytes of a line by which a part of the list is found."""

RARE = 50
"""The frequency that the list gives to what it knows and hardly met."""

INFLECTIONS = ("s", "es", "d", "ed", "ing", "ly", "ness")
"""Endings that a listed word may take."""


@lru_cache(maxsize=1)
def _lines() -> bytes:
    """The list as it is packed: `"word": count` a line, in the order of the bytes."""
    spec = find_spec(PACKAGE)
    read = getattr(spec.loader, "get_data", None) if spec is not None else None
    if spec is None or read is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"The package with the English word list is missing: {PACKAGE}.", name=PACKAGE)
    packed: bytes = read(f"{spec.submodule_search_locations[0]}/{FILE}")
    return zlib.decompress(packed, wbits=31)


@lru_cache(maxsize=1)
def _blocks() -> tuple[list[bytes], list[int]]:
    """The list in parts: the first line of each, and where it begins; the last one begins at the end of the list."""
    lines = _lines()
    starts = [lines.find(b"\n") + 1]
    while starts[-1] < len(lines):
        starts.append(lines.find(b"\n", starts[-1] + BLOCK) + 1 or len(lines))
    return [lines[start : start + LONGEST] for start in starts[:-1]], starts


def is_listed(word: str) -> bool:
    """The word stands in the list, in just this form."""
    return _place(word) >= 0


def frequency(word: str) -> int:
    """How often the word stands in the texts from which the list was made; 0 for a word that is not listed."""
    at = _place(word)
    return 0 if at < 0 else int(_lines()[at + len(word.encode()) + 3 : at + len(word.encode()) + 15].split(b",")[0])


def _place(word: str) -> int:
    """Where the line of a word begins; negative for none."""
    line = b'"%b":' % word.encode()
    firsts, starts = _blocks()
    # A few hundred bytes are searched faster than they are halved.
    block = bisect_right(firsts, line)
    return _lines().find(line, starts[max(block - 1, 0)], starts[min(block + 1, len(firsts))])


@lru_cache(maxsize=4096)
def is_word(token: str) -> bool:
    """A token in small letters is an English word or a well-known name: listed, inflected, prefixed, or spelt as such
    a word is in Britain."""
    return is_known(token) or compound_head(token) != "" or ((other := american(token)) != token and is_known(other))


@lru_cache(maxsize=4096)
def is_known(token: str) -> bool:
    """A token is listed, or a listed word with an ending that is put on as English spells it."""
    if token in MORE_WORDS or token in TERMS or token in NAMES or is_listed(token):
        return True
    if token.endswith(INFLECTIONS):
        for ending in INFLECTIONS:
            stem = token.removesuffix(ending)
            if (
                stem != token
                and len(stem) > 4
                and _may_end(stem, ending)
                and (stem in MORE_WORDS or stem in TERMS or is_listed(stem))
            ):
                return True
    return False


def _may_end(stem: str, ending: str) -> bool:
    """English writes the ending so: not `happyness`, `changeing`, `benchs`, nor `occured` beside `occurred`."""
    last = stem[-1]
    if last == "s" or (last == "y" and stem[-2] not in _VOWELS and ending != "ing"):
        return False
    if ending in ("ed", "ing"):
        if last == "e":
            return ending == "ing" and stem.endswith(("ee", "oe", "ye"))
        return last in _VOWELS or not is_listed(stem + last + ending)
    if ending == "d":
        return last == "e"
    if ending == "es":
        return stem.endswith(_SIBILANTS) or last == "o"
    return ending != "s" or not stem.endswith(_SIBILANTS)


_VOWELS = frozenset("aeiou")
_SIBILANTS = ("x", "z", "ch", "sh")


def compound_head(token: str) -> str:
    """The beginning behind which a token goes on with a listed word; "" where it does not."""
    if token.startswith(COMPOUND_HEADS):
        for head in COMPOUND_HEADS:
            if token.startswith(head) and len(token) - len(head) > 4 and is_listed(token[len(head) :]):
                return head
    return ""
