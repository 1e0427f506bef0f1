"""Acronyms that a text introduces: `machine learning (ML)`, `ML (machine learning)`, `machine learning, or ML`.

The algorithm of A. S. Schwartz and M. A. Hearst, "A simple algorithm for identifying abbreviation definitions in
biomedical text", Pacific Symposium on Biocomputing 8, 2003: from right to left every letter of the short form is
found in the long one, the first at the beginning of a word. Formulas (`carbon dioxide (CO2)`) hide their letters;
there the words before the parenthesis are candidates, and only a name that is exactly one of them is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from row3.matching.forms import form_keys
from row3.matching.normalise import normalise

Acronyms = Mapping[str, tuple[str, ...]]
"""By the key of a short form, the long forms that the text allows for it."""

LONGEST = 10
"""Characters of a short form, as in the paper."""

FORMULA_WORDS = 3
"""Words before a formula that may name it."""

REACH = 120
"""Characters before a parenthesis in which its long form is looked for."""

_WITHIN = r"\(([^()]{2,80})\)"
_OR = r",?\s+(?:or|abbreviated(?: as| to)?|known as)\s+([A-Z][\w&/-]{1,9})(?=[\s,.;:)]|$)"
_FORMULA = r"(?=.*[A-Z])(?=.*(?:[a-z][A-Z]|\d|[A-Z][a-z]))[A-Za-z\d+₀-₉-]{2,10}"


@lru_cache(maxsize=256)
def introduced(text: str) -> Acronyms:
    """The acronyms that a text introduces. One that it introduces with two expansions has both."""
    found: dict[str, list[str]] = {}
    # A line end within a sentence is a space.
    for before, within in _candidates(re.sub(r"(?<!\n)[ \t]*\n(?!\n)[ \t]*", " ", text)):
        short = within.split(",")[0].split(";")[0].strip()
        long = _long_form(short, before)
        if long is None and len(before.split()[-1]) <= LONGEST:
            # The other way round: the acronym stands before, its expansion in the parenthesis.
            acronym = before.split()[-1].strip("\"'“”‘’")
            if _long_form(acronym, within) == within.strip():
                short, long = acronym, within
        if long is not None:
            _add(found, short, long)
        elif re.fullmatch(_FORMULA, short):
            words = before.split()[-FORMULA_WORDS:]
            for at in range(len(words)):
                _add(found, short, " ".join(words[at:]))
    return {short: tuple(dict.fromkeys(longs)) for short, longs in found.items()}


def _candidates(text: str) -> Iterator[tuple[str, str]]:
    """What stands in parentheses or after `or`, each with the part of its sentence before it."""
    for pattern in (_WITHIN, _OR):
        for hit in re.finditer(pattern, text):
            before = re.split(r"[().;:!?\n]", text[max(0, hit.start() - REACH) : hit.start()])[-1].strip()
            if before and hit[1].strip():
                yield before, hit[1].strip()


def _add(found: dict[str, list[str]], short: str, long: str) -> None:
    for key in form_keys(short):
        found.setdefault(key, []).append(long)


def _is_short_form(text: str) -> bool:
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
    if not _is_short_form(short):
        return None
    plural = re.fullmatch(r"[A-Z]{2,}s", short)
    letters = [char.lower() for char in (short[:-1] if plural else short) if char.isalnum()]
    words = before.split()
    before = " ".join(words[-min(len(letters) + 5, len(letters) * 2) :])
    at = len(before)
    for number in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and not (
            before[at].lower() == letters[number] and (number > 0 or at == 0 or not before[at - 1].isalnum())
        ):
            at -= 1
        if at < 0:
            return None
    long = before[at:].strip(" \"'“”‘’")
    return long if len(long) > len(short) and not set(long.split()) & {short} else None


def same_by_acronym(one: str, other: str, acronyms: Acronyms) -> bool:
    """One name is the other with acronyms written out that the text introduces, as a whole or word by word.

    An acronym that stands beside its expansion in a name itself needs no text: `machine learning (ML)`.
    """
    return not _expanded(one, acronyms).isdisjoint(_expanded(other, acronyms))


def _expanded(name: str, acronyms: Acronyms) -> set[str]:
    """The keys of a name as it stands and with its acronyms written out."""
    keys = set(form_keys(name))
    hit = re.fullmatch(r"(.{2,}?)\s*\(([^()]{2,80})\)", name.strip())
    if hit is not None:
        own = introduced(name)
        for part, whole in ((hit[2], hit[1]), (hit[1], hit[2])):
            longs = {key for short in form_keys(part) for long in own.get(short, ()) for key in form_keys(long)}
            if longs.intersection(form_keys(whole)):
                keys.update(form_keys(part), form_keys(whole))
    if not acronyms:
        return keys
    for key in tuple(keys):
        for long in acronyms.get(key, ()):
            keys.update(form_keys(long))
    words = name.split()
    if 1 < len(words) <= 8:
        for at, word in enumerate(words):
            for key in form_keys(normalise(word)):
                for long in acronyms.get(key, ()):
                    keys.update(form_keys(" ".join((*words[:at], long, *words[at + 1 :]))))
    return keys
