"""Short forms of words within names, written out: `coffee w/o sugar`, `price excl. VAT`, `2nd ed.`, `p < .05`.

What is short for one word only where something beside it tells so (a full stop, a number, a capital). The name
written out is a further name, whose keys are keys of the name (see `variants`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from row3.matching.lexicon import ROMAN, ROMAN_LETTERS, pairs, words
from row3.matching.normalise import normalise
from row3.matching.numbers import number_of
from row3.matching.phrases import COLOURS

_ANYWHERE = pairs("max maximum min minimum temp temperature tel telephone ca circa")
"""Short for these with a full stop behind, wherever they stand; what needs none is a spelling (`lexicon.SPELLINGS`)."""
_BEFORE_DIGITS = pairs(
    "p page pp pages para paragraph paras paragraphs rt route ln line l line col column "
    "ex example exx examples tab table ann annex sched schedule sub subsection"
)
"""Short for these with a full stop behind and a digit after it."""
_BEFORE_LETTERS = pairs("app appendix apps appendices rev revision sched schedule ann annex")
"""Short for these with a full stop behind, and a single capital or a digit after it."""
_STREETS = pairs("Ln Lane Ct Court Cres Crescent Terr Terrace Ter Terrace Cir Circle Pl Place")
"""Short for these behind a number and capitalised words, at the end of an address or before a comma."""
_COUNTED = "stage|phase|type|class|grade|level|category|group|factor|schedule"
_DAYS = pairs(
    "mon Monday tue Tuesday tues Tuesday wed Wednesday weds Wednesday thu Thursday thur Thursday thurs Thursday "
    "fri Friday sat Saturday sun Sunday"
)
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_RATE = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year", "hourly": "hour"}
CENTURY_TURNS = 30
"""Two digits of a year below this are of our century: the '08 crisis; from it on of the last."""


def _century(hit: re.Match[str]) -> str:
    return f"{'20' if int(hit[1]) < CENTURY_TURNS else '19'}{hit[1]}"


def _roman(hit: re.Match[str]) -> str:
    count = ROMAN.get(hit["count"].lower()) or ROMAN_LETTERS.get(hit["count"].lower(), hit["count"])
    return f"{hit['what']} {count}{hit['part'].lower()}"


_TIMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FOLD = {str(count): word for count, word in enumerate(_TIMES, 2)}
_ADDRESS = re.compile(r"\d+\w? (?:[A-Z][\w'’.-]* )+")
_BEHIND_NTH = {"gen": "generation", "ed": "edition", "edn": "edition"}
_SHAPES = "round|square|oval|circular|rectangular|triangular|spherical|cylindrical|oblong|conical|flat"
_SIZES = "large|small|big|tiny|huge|enormous|medium"


def _told_twice(hit: re.Match[str]) -> str:
    return hit[1] or hit[2] or hit[3]


_QUARTERS = {"NE": "northeast", "NW": "northwest", "SE": "southeast", "SW": "southwest"}


def _counted_twice(hit: re.Match[str]) -> str:
    """`three (3) copies`, as contracts count."""
    return hit["word"] if number_of(hit["word"]) == int(hit["digits"]) else hit[0]


_Rule = tuple[re.Pattern[str], "str | Callable[[re.Match[str]], str]"]
_RULES: tuple[_Rule, ...] = (
    (re.compile(r"(?<=[^\W\d]) \+ (?=[^\W\d])"), " and "),
    (re.compile(r"\bw/o\.?(?= |(?=[a-z]))", re.IGNORECASE), "without "),
    (re.compile(r"\bwith no (?!one\b)(?=[a-z]{2})"), "without "),
    (re.compile(r"\bw/(?= [^\W\d]|[a-z]{3})"), "with "),
    (re.compile(rf"\b({'|'.join(_ANYWHERE)})\.(?= |$)", re.IGNORECASE), lambda hit: _ANYWHERE[hit[1].lower()]),
    (
        re.compile(rf"\b({'|'.join(_BEFORE_DIGITS)})\. ?(?=\d)", re.IGNORECASE),
        lambda hit: f"{_BEFORE_DIGITS[hit[1].lower()]} ",
    ),
    (
        re.compile(rf"\b({'|'.join(_BEFORE_LETTERS)})\. (?=[A-Z\d]\b|\d)", re.IGNORECASE),
        lambda hit: f"{_BEFORE_LETTERS[hit[1].lower()]} ",
    ),
    (
        re.compile(rf"(?<=\w) ({'|'.join(_STREETS)})\.?(?=$|,)"),
        lambda hit: f" {_STREETS[hit[1]]}" if _ADDRESS.match(hit.string) else hit[0],
    ),
    (
        re.compile(
            rf"\b({'|'.join(map(str.title, _DAYS))})\b\.?(?=,? (?:the )?(?:\d{{1,2}}[a-z]* (?:of )?)?{_MONTH}\b)"
        ),
        lambda hit: _DAYS[hit[1].lower()],
    ),
    (re.compile(r"(?<!\w)['’](\d\d)(?= |$)"), _century),
    (re.compile(r"(?<![\w.,])\.(?=\d)"), "0."),
    (re.compile(r"\s*([<>≤≥])\s*"), r" \1 "),
    (
        re.compile(rf"\b(?P<what>(?:{_COUNTED})s?) (?P<count>[IVX]{{1,4}})(?P<part>[A-Ea-e])\b", re.IGNORECASE),
        _roman,
    ),
    (re.compile(r"(?<=\d(?:st|nd|rd|th)[ -])([Gg]en|[Ee]dn?)\b\.?"), lambda hit: _BEHIND_NTH[hit[1].lower()]),
    (
        re.compile(r"\b((?:first|second|third|fourth|fifth|next|last|current|previous|latest)[ -])(gen|edn?)\b\.?"),
        lambda hit: hit[1] + _BEHIND_NTH[hit[2]],
    ),
    (re.compile(r"(?<=[a-z]) (?:an?|each|every) (?=(?:second|minute|hour|day|week|month|year)$)"), " per "),
    (re.compile(rf"(?<=\w) ({'|'.join(_RATE)})$"), lambda hit: f" per {_RATE[hit[1]]}"),
    (re.compile(r"^(?:[Aa] |[Tt]he )?total of (?=\d)"), ""),
    (re.compile(rf"\b({'|'.join(_TIMES)}|\d+)[ -]?fold\b"), lambda hit: f"{_FOLD.get(hit[1], hit[1])}fold"),
    (
        re.compile(r"\b(\d+) ?[x×] (?=(?:increase|decrease|rise|growth|improvement|reduction|gain)\b)"),
        lambda hit: f"{_FOLD.get(hit[1], hit[1])}fold ",
    ),
    (
        re.compile(
            r"^[Tt]he present (?=(?:Agreement|Contract|Lease|Policy|Convention|Treaty|Regulation|Directive|Act|Deed)\b)"
        ),
        "this ",
    ),
    (re.compile(r"\bM[Kk]\.? ?(?=\d|[IVX]+\b)"), "mark "),
    (re.compile(r"^(?:[Tt]he |[Aa] )?(?:sum of (?=[\d$€£])|value of (?=\d)|act of (?=[a-z]+ing\b))"), ""),
    (re.compile(rf"\b({_SHAPES}) in shape$|\b({COLOURS}) in colou?r$|\b({_SIZES}) in size$"), _told_twice),
    (re.compile(r"^([AFS])\.?C\.? (?=[A-Z][a-z])(.+)$"), r"\2 \1C"),
    (re.compile(r"\b(NE|NW|SE|SW)\b(?= [a-z])"), lambda hit: _QUARTERS[hit[1]]),
    (re.compile(r"\b(?P<word>[a-z]+(?:-[a-z]+)?) \((?P<digits>\d+)\)"), _counted_twice),
    (re.compile(r"^Messrs\.? "), ""),
    (re.compile(r",? in (?=[A-G](?:[ -](?:flat|sharp))? (?:major|minor)\b)"), " "),
)
_PARTED_STAGES = frozenset(f"{count}{part}" for count in (*ROMAN, *ROMAN_LETTERS) for part in "abcde")
SHORT_WORDS = words(
    "ne nw se sw gen ed edn messrs mk sum act shape colour color size minor major present fold no"
).union(_RATE, _PARTED_STAGES, _FOLD)
"""Words in names without a sign or a digit in which something may be short."""


def written_out(name: str) -> str:
    """The name with its short forms written out; "" where it has none."""
    if name.replace(" ", "").isalpha() and SHORT_WORDS.isdisjoint(normalise(name).split()):
        return ""
    found = name
    for pattern, by in _RULES:
        found = pattern.sub(by, found)
    return found if found != name else ""
