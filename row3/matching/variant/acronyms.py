"""Acronyms that a text introduces: `machine learning (ML)`, `ML (machine learning)`, `machine learning, or ML`.

The algorithm of A. S. Schwartz and M. A. Hearst, "A simple algorithm for identifying abbreviation definitions in
biomedical text", Pacific Symposium on Biocomputing 8, 2003: from right to left every letter of the short form is
found in the long one, the first at the beginning of a word. Where all of them begin words, these words are the long
form: `mixed-member proportional representation (MMP)`, of which the algorithm takes less. Formulas (`carbon dioxide
(CO2)`) hide their letters; there the words before the parenthesis are candidates, and only a name that is exactly one
of them is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.variant.forms import form_keys

Acronyms = Mapping[str, tuple[str, ...]]
"""By the key of a short form, the long forms that the text allows for it."""

NO_ACRONYMS: Acronyms = {}

LONGEST = 10
"""Characters of a short form, as in the paper."""
FORMULA_WORDS = 3
"""Words before a formula that may name it."""
REACH = 120
"""Characters before a parenthesis in which its long form is looked for."""
SHORTEST_SKIPPING = 3
"""Letters of a short form that may leave out a word: MMP, mixed-member proportional representation."""

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
"""What may stand before an acronym or its expansion in a parenthesis: `the EU (short for European Union)`."""
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[();:!?\n]|(?<!\b[A-Z])(?<!\b[A-Z][a-z])\.(?=\s)")
"""No full stop after an abbreviation: `General Electric Co. (GE)`, `U.S. Geological Survey (USGS)`."""
_LINE_END = re.compile(r"(?<!\n)[ \t]*\n(?!\n)[ \t]*")
_FORMULA = r"(?!.*[a-z]{3})(?![QHV]\d$)(?=.*[A-Z])(?=.*(?:[a-z][A-Z]|\d|[A-Z][a-z]))[A-Za-z\d+\u2080-\u2089-]{2,10}"
"""What may be a formula or a code; `Ontario (Canada)`, `Google (YouTube)` and `sales (Q4)` have none."""


@lru_cache(maxsize=256)
def introduced(text: str) -> Acronyms:
    """The acronyms that a text introduces. One that it introduces with two expansions has both."""
    found: dict[str, list[str]] = {}
    for before, inside in _candidates(text.translate(_BRACKETS) if "[" in text else text):
        within = _LEAD.sub("", inside)
        short = within.split(",")[0].split(";")[0].strip(_AROUND)
        long = _long_form(short, before)
        if long is None and len(before.split()[-1]) <= LONGEST:
            # The other way round: the acronym stands before, its expansion in the parenthesis.
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
    """What stands in parentheses or after `or`, each with what may be its long form before it in its sentence."""
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
    """At most two words of 2 to 10 characters, with a letter, beginning with a letter or digit, and a capital in it."""
    return (
        2 <= len(text) <= LONGEST
        and len(text.split()) <= 2
        and text[0].isalnum()
        and any(char.isalpha() for char in text)
        and text != text.lower()
    )


def _long_form(short: str, before: str) -> str | None:
    """The end of `before` that the short form stands for; None where its letters are not there."""
    if not is_short_form(short):
        return None
    plural = re.fullmatch(r"[A-Z]{2,}s", short)
    letters = [char.lower() for char in (short[:-1] if plural else short) if char.isalnum()]
    words = before.split()
    before = " ".join(words[-min(len(letters) + 5, len(letters) * 2) :])
    at = _initials(letters, before)
    if at is None:
        at = _letters(letters, before)
    if at is None:
        return None
    long = before[at:].strip(_AROUND)
    return long if len(long) > len(short) and not set(long.split()) & {short} else None


def _initials(letters: list[str], before: str) -> int | None:
    """Where words begin whose first letters these are, one word at most left out; None for nowhere."""
    skipped, number = 0, len(letters) - 1
    found = list(_WORD.finditer(before))
    for at in range(len(found) - 1, -1, -1):
        word = found[at]
        light = word[0].lower() in FUNCTION_WORDS
        # The O of OPEC is that of Organization, not of the `of` behind it.
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
    """Where a word begins from which on these letters are found, each the last one that can be; None for nowhere."""
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
