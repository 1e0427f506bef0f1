"""Find acronyms that a text introduces: `machine learning (ML)`, `ML (machine learning)`, `machine learning, or ML`.

The algorithm of A. S. Schwartz and M. A. Hearst, "A simple algorithm for identifying abbreviation definitions in
biomedical text", Pacific Symposium on Biocomputing 8, 2003: it finds each letter of the short form in the long one
from right to left, the first one at the start of a word. In addition, words whose initials are all the letters are
preferred: `mixed-member proportional representation (MMP)`. Formulas (`carbon dioxide (CO2)`) do not spell their
letters; any run of words that ends at the parenthesis may be their long form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.variant.forms import form_keys

Acronyms = Mapping[str, tuple[str, ...]]
"""Long forms that the text permits, by key of the short form."""

NO_ACRONYMS: Acronyms = {}

LONGEST = 10
"""Maximum characters of a short form, as in the paper."""
FORMULA_WORDS = 3
"""Maximum words before a formula that may name it."""
REACH = 120
"""Characters before a parenthesis searched for the long form."""
SHORTEST_SKIPPING = 3
"""Minimum letters of a short form that may skip a word: MMP, mixed-member proportional representation."""

_WITHIN = re.compile(r"\(([^()]{2,80})\)")
_OR = re.compile(
    r"\b(?:or|abbreviated(?: as| to)?|known as|(?:(?:here|hereafter|henceforth|also) )?called|so-called)\s+"
    r"([A-Z][\w&/-]{1,9})(?=[\s,.;:)]|$)"
)
_BRACKETS = str.maketrans("[]", "()")
_AROUND = " \"'“”‘’"
_LEAD = re.compile(
    r"(?:short for|hereafter|henceforth|abbreviated(?: as| to)?|(?:(?:also|better|formerly) )?(?:called|known as)|"
    r"also)\s+"
)
"""Text that may precede an acronym or its expansion in a parenthesis: `the EU (short for European Union)`."""
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[();:!?\n]|(?<!\b[A-Z])(?<!\b[A-Z][a-z])\.(?=\s)")
"""Excludes the dots of abbreviations: `General Electric Co. (GE)`, `U.S. Geological Survey (USGS)`."""
_LINE_END = re.compile(r"(?<!\n)[ \t]*\n(?!\n)[ \t]*")
_FORMULA = r"(?!.*[a-z]{3})(?![QHV]\d$)(?=.*[A-Z])(?=.*(?:[a-z][A-Z]|\d|[A-Z][a-z]))[A-Za-z\d+\u2080-\u2089-]{2,10}"
"""A possible formula or code, unlike those in `Ontario (Canada)`, `Google (YouTube)` and `sales (Q4)`."""


@lru_cache(maxsize=256)
def introduced(text: str) -> Acronyms:
    """Return the acronyms that a text introduces, each with all its expansions."""
    found: dict[str, list[str]] = {}
    for before, inside in _candidates(text.translate(_BRACKETS) if "[" in text else text):
        within = _LEAD.sub("", inside)
        short = within.split(",")[0].split(";")[0].strip(_AROUND)
        long = _long_form(short, before)
        if long is None and len(before.split()[-1]) <= LONGEST:
            # The acronym may come first, with its expansion in the parenthesis.
            acronym = before.split()[-1].strip(_AROUND)
            if _long_form(acronym, within) == within.strip():
                short, long = acronym, within
        longs = [long] if long is not None else []
        if long is None and re.fullmatch(_FORMULA, short):
            words = before.split()[-FORMULA_WORDS:]
            longs = [" ".join(words[at:]) for at in range(len(words))]
        for key in form_keys(short) if longs else ():
            found.setdefault(key, []).extend(longs)
    return {short: tuple(dict.fromkeys(longs)) for short, longs in found.items()}


def _candidates(text: str) -> Iterator[tuple[str, str]]:
    """Yield the preceding part of the sentence, and the text, for each parenthesis and each `or` or `called`."""
    hits = [*_WITHIN.finditer(text)] if "(" in text else []
    if any(map(text.__contains__, (" or ", "\nor ", "called ", "known as", "abbreviated"))):
        hits += _OR.finditer(text)
    for hit in hits:
        before, within = (
            _LINE_END.sub(" ", part) for part in (text[max(0, hit.start() - REACH) : hit.start()], hit[1])
        )
        before = _SENTENCE_END.split(before.strip())[-1].strip()
        if hit[0][0] != "(":
            before = re.sub(r",?(?: the| an?)?$", "", before)
        if before and within.strip():
            yield before, within.strip()


def is_short_form(text: str) -> bool:
    """Return whether a text of 2 to 10 characters and at most two words has a capital, and starts alphanumerically."""
    return (
        2 <= len(text) <= LONGEST
        and len(text.split()) <= 2
        and text[0].isalnum()
        and any(char.isalpha() for char in text)
        and text != text.lower()
    )


def _long_form(short: str, before: str) -> str | None:
    """Return the end of `before` that the short form abbreviates; None if its letters are not in it."""
    if not is_short_form(short):
        return None
    plural = re.fullmatch(r"[A-Z]{2,}s", short)
    letters = [char.lower() for char in (short[:-1] if plural else short) if char.isalnum()]
    before = " ".join(before.split()[-min(len(letters) + 5, len(letters) * 2) :])
    at = _initials(letters, before)
    if at is None:
        at = _letters(letters, before)
    if at is None:
        return None
    long = before[at:].strip(_AROUND)
    return long if len(long) > len(short) and not set(long.split()) & {short} else None


def _initials(letters: list[str], before: str) -> int | None:
    """Return the offset of words with these initials, skipping one word at most; None if there are none."""
    skipped, number = 0, len(letters) - 1
    found = list(_WORD.finditer(before))
    for at in range(len(found) - 1, -1, -1):
        word = found[at]
        light = word[0].lower() in FUNCTION_WORDS
        # The O of OPEC is from Organization, not from the `of` after it.
        meant = not (light and number == 0 and at and found[at - 1][0][0].lower() == letters[0])
        if word[0][0].lower() == letters[number] and meant:
            if number == 0:
                return word.start()
            number -= 1
        elif not light:
            skipped += 1
            if skipped > 1 or len(letters) < SHORTEST_SKIPPING:
                return None
    return None


def _letters(letters: list[str], before: str) -> int | None:
    """Return the offset of the word from which these letters occur in order, as late as possible; None if nowhere."""
    at = len(before)
    for number in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and not (
            before[at].lower() == letters[number] and (number > 0 or at == 0 or not before[at - 1].isalnum())
        ):
            at -= 1
        if at < 0:
            return None
    return at
