"""English vocabulary, to distinguish misspellings from other words.

The word list of the package pyspellchecker (MIT): 160,000 forms and names from film subtitles, cleaned of
misspellings, in one compressed, sorted file. The first look-up loads that file (25 ms, 3 MB) without importing the
package; a look-up takes about 3 µs and is cached. The version is pinned, since a new list may change decisions.
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
"""Prefixes that form a word with any word."""

TERMS = words(_LISTS["terms"])
"""Scientific terms that general lists omit, so that misspellings and look-alikes of them are found."""

NAMES = words(_LISTS["names"])
"""Place and family names that the word list omits, one edit from a name it has: Kinston, Kingston."""

BLOCK = 800
"""Minimum bytes of a block, which is searched linearly."""
LONGEST = 40
"""Bytes of a block's first line that are kept for bisection."""

ORDINARY = 1_000
"""Frequency above which a word is a word rather than a name: mercy, bakery; but not Tiffany, Einstein."""
RARE = 50
"""Frequency of the list's rarest words."""

INFLECTIONS = ("s", "es", "d", "ed", "ing", "ly", "ness")
"""Inflectional endings."""


@lru_cache(maxsize=1)
def _lines() -> bytes:
    """Return the unpacked list: one `"word": count` a line, sorted by bytes."""
    spec = find_spec(PACKAGE)
    read = getattr(spec.loader, "get_data", None) if spec is not None else None
    if spec is None or read is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"The package with the English word list is missing: {PACKAGE}.", name=PACKAGE)
    packed: bytes = read(f"{spec.submodule_search_locations[0]}/{FILE}")
    return zlib.decompress(packed, wbits=31)


@lru_cache(maxsize=1)
def _blocks() -> tuple[list[bytes], list[int]]:
    """Return the first line of each block of the list, and the blocks' offsets, ending with the list's length."""
    lines = _lines()
    starts = [lines.find(b"\n") + 1]
    while starts[-1] < len(lines):
        starts.append(lines.find(b"\n", starts[-1] + BLOCK) + 1 or len(lines))
    return [lines[start : start + LONGEST] for start in starts[:-1]], starts


def is_listed(word: str) -> bool:
    """Return whether the list has this exact word."""
    return _place(word) >= 0


def frequency(word: str) -> int:
    """Return how often the word occurs in the list's source texts; 0 if it is not listed."""
    at = _place(word)
    return 0 if at < 0 else int(_lines()[at + len(word.encode()) + 3 : at + len(word.encode()) + 15].split(b",")[0])


def _place(word: str) -> int:
    """Return the offset of a word's line; -1 for none."""
    line = b'"%b":' % word.encode()
    firsts, starts = _blocks()
    # A linear search of a few hundred bytes is faster than further bisection.
    block = bisect_right(firsts, line)
    return _lines().find(line, starts[max(block - 1, 0)], starts[min(block + 1, len(firsts))])


@lru_cache(maxsize=4096)
def is_word(token: str) -> bool:
    """Return whether a lower-case token is an English word or a well-known name, in British or American spelling."""
    return is_known(token) or compound_head(token) != "" or ((other := american(token)) != token and is_known(other))


@lru_cache(maxsize=4096)
def is_known(token: str) -> bool:
    """Return whether a token is a listed word, or one with a correctly spelt ending."""
    if token in TERMS or token in NAMES or is_listed(token):
        return True
    stems = [(token.removesuffix(ending), ending) for ending in INFLECTIONS if token.endswith(ending)]
    return any(
        len(stem) > 4 and _may_end(stem, ending) and (stem in TERMS or is_listed(stem)) for stem, ending in stems
    )


def _may_end(stem: str, ending: str) -> bool:
    """Return whether English spelling permits the ending: not `happyness`, `changeing`, `benchs`, `occured`."""
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
    """Return the prefix of a token that is a prefix and a listed word, else ""."""
    if not token.startswith(COMPOUND_HEADS):
        return ""
    heads = [head for head in COMPOUND_HEADS if token.startswith(head) and len(token) - len(head) > 4]
    return next((head for head in heads if is_listed(token[len(head) :])), "")
