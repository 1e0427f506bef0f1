"""One spelling for many: the form in which names, quotes and texts are compared.

NFKC, casefold, apostrophes dropped, every other run of punctuation and white space one space.
Signs that make a different name keep their place: `C++` and `C#` are not `C`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

KEPT = frozenset("#%&")
SEPARATOR = " \x00 "
"""Left alone by normalising, the spaces on its sides too."""
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
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_DROPPED = bytes(code for code in range(128) if _TRANSLATION[code] is None)
_ASCII = bytes(
    ord(" ") if code < 128 and (_TRANSLATION[code] == " " or chr(code).isspace()) else code for code in range(256)
)


def normalise_text(text: str) -> str:
    """Normalise a text of any length; not cached."""
    key = spaced(text)
    if "  " in key or key[:1] == " " or key[-1:] == " ":
        return " ".join(key.split())
    return key


def spaced(text: str) -> str:
    """A text normalised but for this: a run of punctuation and white space is as many spaces."""
    if text.isascii():
        # The same by bytes, several times as fast, and most texts are ASCII.
        return text.lower().encode().translate(_ASCII, _DROPPED).decode()
    folded = unicodedata.normalize("NFKC", text.replace("´", "'")).casefold()
    folded = folded.encode("utf-8", "surrogatepass").translate(_ASCII, _DROPPED).decode("utf-8", "surrogatepass")
    for char in set(_FOREIGN.findall(folded)):
        if (by := _TRANSLATION[ord(char)]) != ord(char):
            folded = folded.replace(char, by if isinstance(by, str) else "")
    # Once more, since folding and dropping characters can bring a letter and its mark together.
    return " ".join(unicodedata.normalize("NFKC", folded).split())


class _Normalised(dict[str, str]):
    """Names that were normalised, since a run meets the same ones again and again; bounded."""

    __slots__ = ()
    MOST = 4096
    """As many as stay in the processor's cache; a case of a few hundred names needs no more."""

    def __missing__(self, name: str) -> str:
        if len(self) >= self.MOST:
            self.clear()
        key = self[name] = normalise_text(name)
        return key


_KNOWN = _Normalised()

normalise: Callable[[str], str] = _KNOWN.__getitem__
"""Normalise a name; cached. The look-up itself, since a call of a function around it would take longer than it."""


def normalise_all(names: Sequence[str]) -> list[str]:
    """Normalise many names at once: a fifth of the time of one by one. `normalise` has them ready from then on."""
    joined = SEPARATOR.join(plain := [name for name in names if name.isascii()])
    keys = normalise_text(joined).split(SEPARATOR)
    # Else there is none, one holds the separator's sign, or one has nothing but punctuation.
    if joined.count(SEPARATOR[1]) == len(plain) - 1 == len(keys) - 1:
        if len(_KNOWN) + len(names) > _Normalised.MOST:
            _KNOWN.clear()
        _KNOWN.update(zip(plain, keys, strict=True))
    return list(map(normalise, names))


def with_single_spaces(names: Sequence[str]) -> list[str]:
    """Names as they are written, but for white space: none around them, and one space between words."""
    joined = "|".join(names)
    if joined.isprintable() and not (joined[:1] == " " or joined[-1:] == " " or any(map(joined.__contains__, _UNEVEN))):
        return list(names)  # as most are, and seen at once
    return [" ".join(name.split()) for name in names]


_UNEVEN = ("  ", "| ", " |")
