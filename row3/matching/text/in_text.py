"""Names that are one elsewhere, and two where their text uses both: Turkey and a turkey, a dark room and a darkroom."""

from __future__ import annotations

import re

from row3.matching.lexicon.inflection import plain
from row3.matching.lexicon.lists import lists, words
from row3.matching.variant.marks import apart

_LISTS = lists("english")
A_NAME_AND_A_NOUN = "a proper name and a common noun"
WITH_CAPITAL = words(_LISTS["with_capital"])
"""Words that are other words with a capital: Apple and an apple."""
ALWAYS_A_NAME = words("turkey china polish apple amazon oracle")
"""Those of which a capital tells where it begins a sentence too, and without a text: Apple, apples."""
FIRST_OF_TWO = words(_LISTS["first_of_two"])
"""Words that make another thing of the next one where no space parts them: a green house, a greenhouse."""
_ARTICLE = re.compile(r"^(?:[Tt]he|[Aa]n?) ")
_INSIDE = r"(?<=[a-z,;] )"
"""Before a word that does not begin a sentence."""


def two_by_text(one: str, other: str, text: str) -> bool:
    """Two names that part in a capital, an accent or a space alone, which makes other words, and the text has both."""
    one, other = _ARTICLE.sub("", one), _ARTICLE.sub("", other)
    low, low2 = one.casefold(), other.casefold()
    if low2 in (low, f"{low}s") or f"{low2}s" == low:
        said, named = (one, other) if one.islower() else (other, one)
        word = named.lower()
        if word not in WITH_CAPITAL or named != word.capitalize() or said not in (word, f"{word}s"):
            return False
        if word in ALWAYS_A_NAME and said != word:
            return True
        before = "" if word in ALWAYS_A_NAME else _INSIDE
        return _has(text, said) and re.search(rf"{before}\b{named}\b", text) is not None
    if plain(low) == plain(low2):
        return _has(text, one) and _has(text, other)
    parted, joined = (low, low2) if " " in low else (low2, low)
    first, _, rest = parted.partition(" ")
    return (
        first in FIRST_OF_TWO
        and first + rest == joined
        and all(_has(text.casefold(), form) for form in (parted, joined))
    )


def _has(text: str, name: str) -> bool:
    """The text has the name, letter by letter, or its plural."""
    return re.search(rf"\b{re.escape(name)}s?\b", text) is not None


def told_apart(one: str, other: str, text: str) -> str:
    """Why two names are two that normalising makes equal, by their marks or by the text; "" where they are one."""
    one, other = " ".join(one.split()), " ".join(other.split())
    return apart(one, other) or (A_NAME_AND_A_NOUN if text and two_by_text(one, other, text) else "")
