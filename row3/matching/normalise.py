"""One spelling for many: the form in which names, quotes and texts are compared.

NFKC, casefold, apostrophes dropped, every other run of punctuation and white space one space.
Signs that make a different name keep their place: `C++` and `C#` are not `C`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

KEPT = frozenset("#%&")
MINUS = "\N{MINUS SIGN}"
APOSTROPHES = "'’‘ʼ`´＇"


class _Lazy(dict[int, "str | int | None"]):
    """The table, filled for the characters that are met: scanning all of Unicode takes 0.2 s."""

    def __missing__(self, code: int) -> str | int | None:
        char = chr(code)
        category = unicodedata.category(char)
        value: str | int | None = code
        if char in APOSTROPHES or category == "Cf":
            value = None
        elif (category[0] == "P" and char not in KEPT) or char == MINUS:
            value = " "
        self[code] = value
        return value


_TRANSLATION = _Lazy()
_DROPPED = bytes(code for code in range(128) if _TRANSLATION[code] is None)
_ASCII = bytes(ord(" ") if code < 128 and _TRANSLATION[code] == " " else code for code in range(256))


def normalise_text(text: str) -> str:
    """Normalise a text of any length; not cached."""
    if text.isascii():
        # The same by bytes, several times as fast, and most texts are ASCII.
        return " ".join(text.lower().encode().translate(_ASCII, _DROPPED).decode().split())
    folded = unicodedata.normalize("NFKC", text.replace("´", "'")).casefold().translate(_TRANSLATION)
    # Once more, since folding and dropping characters can bring a letter and its mark together.
    return " ".join(unicodedata.normalize("NFKC", folded).split())


@lru_cache(maxsize=16384)
def normalise(name: str) -> str:
    """Normalise a name; cached, since a run meets the same names again and again."""
    return normalise_text(name)
