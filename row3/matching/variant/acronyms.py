"""Acronyms that a text introduces: `machine learning (ML)`, `ML (machine learning)`, `machine learning, or ML`.

The algorithm of A. S. Schwartz and M. A. Hearst, "A simple algorithm for identifying abbreviation definitions in
biomedical text", Pacific Symposium on Biocomputing 8, 2003: from right to left every letter of the short form is
found in the long one, the first at the beginning of a word. Where all of them begin words, these words are the long
form: `mixed-member proportional representation (MMP)`, of which the algorithm takes less. Formulas (`carbon dioxide
(CO2)`) hide their letters; there the words before the parenthesis are candidates, and only a name that is exactly one
of them is taken. A term that a contract defines (`Calder Shipping plc (the "Company")`) is the whole name before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from string import ascii_lowercase

from row3.matching.lexicon.phrases import FUNCTION_WORDS
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

MOST_WRITTEN_OUT = 100
"""Acronyms of one text that are looked for among the initials of its words; a text of a few pages has a dozen."""

SHORTEST_SKIPPING = 3
"""Letters of a short form that may leave out a word: MMP, mixed-member proportional representation."""

_WITHIN = re.compile(r"\(([^()]{2,80})\)")
_OR = tuple(
    (needed, re.compile(words + r"\s+([A-Z][\w&/-]{1,9})(?=[\s,.;:)]|$)"))
    for needed, words in (
        ((" or ", "\nor ", " or\n"), "or"),
        (("abbreviated",), r"abbreviated(?: as| to)?"),
        (("known as",), "known as"),
        (("so-called",), "so-called"),
        (("called ",), "(?:here|hereafter|henceforth|also) called"),
    )
)
"""Each with texts without one of which it is not found, which is seen at once."""
_APPOSED = re.compile(
    r"\b([A-Z]{2,9}), (?P<told>(?:short|an acronym|an abbreviation) for |which stands for |i\.e\. )?"
    r"(?:or )?(?:the |an? )?([A-Za-z][^,.;:()\n]{4,80})(?=[,.;])"
)
"""`UNHCR, the United Nations High Commissioner for Refugees,`; taken where every letter begins a word."""
_BRACKETS = str.maketrans("[]", "()")
_AROUND = " \"'“”‘’"
_LEAD = re.compile(
    r"(?:short for|hereafter|henceforth|abbreviated(?: as| to)?|(?:(?:also|better|formerly) )?(?:called|known as)|"
    r"also)\s+"
)
"""What may stand before an acronym or its expansion in a parenthesis: `the EU (short for European Union)`."""
_DEFINED = re.compile(
    r"(?:(?:hereinafter|hereafter|henceforth|(?P<several>together|collectively|jointly)),? )?"
    r"(?:(?:referred to|known) as )?"
    r"(?:[Tt]he )?[\"“„‘'](?:[Tt]he )?(?P<short>[A-Z][\w&-]+(?: [A-Z][\w&-]+){0,2}),?[\"”“’']"
)
"""A term that a contract defines behind a name: `Calder Shipping plc (the "Company")`."""
_CAPITALISED = re.compile(
    r"(?P<long>[A-Z][\w&.'’-]*(?:,? (?:(?:of|the|and|for|&|de|van|von) )*(?:[A-Z][\w&.'’-]*|plc|mbH))+)$"
)
"""The name that ends a text."""
_PLACED = re.compile(
    r"\b(?:registered|incorporated|based|situated|located|established|organi[sz]ed|resident|domiciled|formed|house|flat|land|"
    r"building|premises|property|office|branch) (?:in|at|under)(?: the laws of)?(?: the)? ?$"
)
"""Behind these a name says where, and another one is meant: a company registered in New Zealand (the "Supplier")."""
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[();:!?\n]|(?<!\b[A-Z])(?<!\b[A-Z][a-z])\.(?=\s)")
"""No full stop after an abbreviation: `General Electric Co. (GE)`, `U.S. Geological Survey (USGS)`."""
_SHORT = re.compile(r"\b[A-Z][A-Za-z]{1,6}[A-Z]\b")
"""What may be an acronym without being told: three letters and more, the first and the last of them capitals."""
_SMALL = ascii_lowercase.encode()
_TWO_CAPITALS = re.compile(rb"[A-Z]{2}")
_LINE_END = re.compile(r"(?<!\n)[ \t]*\n(?!\n)[ \t]*")
_FORMULA = r"(?!.*[a-z]{3})(?![QHV]\d$)(?=.*[A-Z])(?=.*(?:[a-z][A-Z]|\d|[A-Z][a-z]))[A-Za-z\d+\u2080-\u2089-]{2,10}"
"""What may be a formula or a code; `Ontario (Canada)`, `Google (YouTube)` and `sales (Q4)` have none."""


@lru_cache(maxsize=256)
def introduced(text: str) -> Acronyms:
    """The acronyms that a text introduces. One that it introduces with two expansions has both."""
    found: dict[str, list[str]] = {}
    if "[" in text:
        text = text.translate(_BRACKETS)
    capitals = text.encode("utf-8", "replace").translate(None, _SMALL)  # a look that spares the search in most texts
    shorts = set(_SHORT.findall(text)) if _TWO_CAPITALS.search(capitals) else set[str]()
    for before, inside in _candidates(text, apposed=bool(shorts)):
        if (defined := _DEFINED.fullmatch(inside)) is not None and (whole := _CAPITALISED.search(before)) is not None:
            placed = _PLACED.search(before[: whole.start()])
            for name in () if placed or defined["several"] else _whole_names(whole["long"]):
                _define(found, defined["short"], name)
            continue
        within = _LEAD.sub("", inside)
        short = within.split(",")[0].split(";")[0].strip(_AROUND)
        long = _long_form(short, before)
        if long is None and len(before.split()[-1]) <= LONGEST:
            # The other way round: the acronym stands before, its expansion in the parenthesis.
            acronym = before.split()[-1].strip(_AROUND)
            if _long_form(acronym, within) == within.strip():
                short, long = acronym, within
        if long is not None:
            _add(found, short, long)
        elif re.fullmatch(_FORMULA, short):
            words = before.split()[-FORMULA_WORDS:]
            for at in range(len(words)):
                _add(found, short, " ".join(words[at:]))
    for short, long in _written_out(text, shorts):
        if not any(key in found for key in form_keys(short)):
            _add(found, short, long)
    return {short: tuple(dict.fromkeys(longs)) for short, longs in found.items()}


def _whole_names(run: str) -> Iterator[str]:
    """What capitalised words name: all of them, or what stands behind `and` or the word that begins a sentence."""
    yield run
    first, _, rest = run.partition(" ")
    if first in _BEGINNINGS and " " in rest:
        yield rest
    last = run.rpartition(" and ")[2]
    if last != run and " " in last:  # of England and Wales the last is no name of its own
        yield last


_BEGINNINGS = ("Between", "By", "With", "From", "And", "For", "To", "While", "When", "In", "At", "If", "Whereas")


def _written_out(text: str, shorts: Collection[str]) -> list[tuple[str, str]]:
    """Acronyms of a text, each with words of it whose initials it is: `signed a memorandum … Under the MoU`.

    Three letters and more, with or without the initials of function words.
    """
    if not shorts:
        return []
    spelt = _WORD.findall(text)
    content = [word for word in spelt if word.lower() not in FUNCTION_WORDS]
    found = []
    for some in (spelt, content):
        initials = "".join([word[0].lower() for word in some])
        for short in sorted(shorts)[:MOST_WRITTEN_OUT]:
            at = initials.find(short.lower())
            while at >= 0:
                window = some[at : at + len(short)]
                if not any(map(str.isupper, window)):
                    found.append((short, " ".join(window)))
                at = initials.find(short.lower(), at + 1)
    return found


def _candidates(text: str, *, apposed: bool) -> Iterator[tuple[str, str]]:
    """What stands in parentheses, after `or` or, `apposed`, before a comma, each with what may be its long form."""
    if "(" in text:
        for hit in _WITHIN.finditer(text):
            yield from _beside(text, hit)
    for hit in _APPOSED.finditer(text) if apposed else ():
        short, long = hit[1], hit[3]
        if _initials([char.lower() for char in short], long) == 0 or (hit["told"] and _long_form(short, long) == long):
            yield long, short
    for needed, pattern in _OR:
        if any(map(text.__contains__, needed)):
            for hit in pattern.finditer(text):
                if text[hit.start() - 1 : hit.start()].isspace():
                    yield from _beside(text, hit)


def _beside(text: str, hit: re.Match[str]) -> Iterator[tuple[str, str]]:
    """What was found and what stands before it in its sentence; a line end within a sentence is a space."""
    before, within = (_LINE_END.sub(" ", part) for part in (text[max(0, hit.start() - REACH) : hit.start()], hit[1]))
    before = _SENTENCE_END.split(before.strip())[-1].strip()
    if hit[0][0] != "(":
        before = re.sub(r",?(?: the| an?)?$", "", before)
    if before and within.strip():
        yield before, within.strip()


def _add(found: dict[str, list[str]], short: str, long: str) -> None:
    for key in form_keys(short):
        found.setdefault(key, []).append(long)


def _define(found: dict[str, list[str]], term: str, long: str) -> None:
    """A term that is a word is meant only as it is written: the Bank, not a bank; one of capitals is an acronym."""
    if not any(sum(map(str.isupper, word)) > 1 for word in term.split()):
        found.setdefault(term, []).append(long)
    else:
        _add(found, term, long)


def as_term(name: str) -> str:
    """A name without its article, as a defined term stands among the acronyms."""
    return name[4:] if name[:4] in ("the ", "The ") else name


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
