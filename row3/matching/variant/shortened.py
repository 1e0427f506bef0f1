"""Short forms of words within names, written out: `coffee w/o sugar`, `price excl. VAT`, `2nd ed.`, `p < .05`.

What is short for one word only where something beside it tells so (a full stop, a number, a capital). The name
written out is a further name, whose keys are keys of the name (see `variants`). Short forms that are no words, and so
need nothing beside them, are spellings (`lexicon.SPELLINGS`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from row3.matching.lexicon.lists import pairs, words
from row3.matching.lexicon.phrases import COLOURS
from row3.matching.lexicon.words import ROMAN, ROMAN_LETTERS
from row3.matching.normalise import normalise
from row3.matching.value.numbers import number_of

LONGEST = 120
"""Characters of a name beyond which nothing in it is written out."""

_EXTREMES = {"max": "maximum", "min": "minimum"}
"""With a full stop, before a small letter or a digit: max. speed, but Min. of Health and Max. Weber."""
_BEFORE_DIGITS = pairs("p page pp pages para paragraph paras paragraphs tab table sched schedule ln line")
"""With a full stop, before a digit; not with a capital alone: P. 53 may be a protein."""
_BEFORE_LETTERS = pairs("app appendix apps appendices rev revision sched schedule")
"""With a full stop, before a digit or a capital that ends the name: drawing rev. C, but Rev. J Smith."""
_STREETS = pairs("Ln Lane Ct Court Cres Crescent Terr Terrace Ter Terrace Cir Circle Pl Place")
"""Behind a number and capitalised words, at the end of an address or before a comma."""
_ADDRESS = re.compile(r"\d+\w? (?:[A-Z][\w'’.-]* )+")
_COUNTED = "stage|phase|type|class|grade|level|category|group|factor|schedule"
"""Before a Roman numeral and a letter: Stage IIB."""
_DAYS = pairs(
    "Mon Monday Tue Tuesday Tues Tuesday Wed Wednesday Weds Wednesday Thu Thursday Thur Thursday Thurs Thursday "
    "Fri Friday Sat Saturday Sun Sunday"
)
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_RATE = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year", "hourly": "hour"}
_NTH = r"\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|next|last|current|previous|latest"
_TIMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FOLD = {str(count): word for count, word in enumerate(_TIMES, 2)}
_GROWN = "increase|decrease|rise|growth|improvement|reduction|gain|higher|lower|more|larger|smaller|faster"
_CONTRACT = "Agreement|Contract|Lease|Policy|Convention|Treaty|Regulation|Directive|Act|Deed"
_SHAPES = "round|square|oval|circular|rectangular|triangular|spherical|cylindrical|oblong|conical|flat"
_SIZES = "large|small|big|tiny|huge|enormous|medium"
_DONE = "building|painting|meeting|wedding|hearing|drawing|being|setting|saving|holding|opening|reading|landing"
"""What is done, and the thing as well: the act of building is no building."""
_QUARTERS = {"NE": "northeast", "NW": "northwest", "SE": "southeast", "SW": "southwest"}


def _century(hit: re.Match[str]) -> str:
    """`'08` is 2008 and `'99` 1999; what lies between may be of an older century: the '45 rebellion."""
    year = int(hit[1])
    return f"20{hit[1]}" if year < 27 else f"19{hit[1]}" if year > 59 else hit[0]


def _roman(hit: re.Match[str]) -> str:
    count = ROMAN.get(hit["count"].lower()) or ROMAN_LETTERS.get(hit["count"].lower(), hit["count"])
    return f"{hit['what']} {count}{hit['part'].lower()}"


def _fold(hit: re.Match[str]) -> str:
    count = hit["with_hyphen"] or hit["before_growth"]
    return f"{_FOLD.get(count, count)}fold"


def _counted_twice(hit: re.Match[str]) -> str:
    """`three (3) copies`, as contracts count."""
    return hit["word"] if number_of(hit["word"]) == int(hit["digits"]) else hit[0]


def _either(forms: dict[str, str]) -> str:
    """A pattern for short forms, with a capital or without."""
    return "|".join(form if len(form) < 2 else f"[{form[0]}{form[0].upper()}]{form[1:]}" for form in forms)


_Rule = tuple[re.Pattern[str], "str | Callable[[re.Match[str]], str]"]
_RULES: tuple[_Rule, ...] = (
    (re.compile(r"(?<=[^\W\d]) \+ (?=[^\W\d])"), " and "),
    (re.compile(r"\bw/o\.?(?=[ a-z])", re.IGNORECASE), "without "),
    (re.compile(r"\bwith no (?!one\b)(?=[a-z]{2})"), "without "),
    (re.compile(r"\bw/(?= [^\W\d]|[a-z]{3})"), "with "),
    (re.compile(rf"\b({_either(_EXTREMES)})\.(?= (?!of )[a-z\d])"), lambda hit: _EXTREMES[hit[1].lower()]),
    (re.compile(r"(?<=\b(?:room|body|mean) )temp\.(?= |$)"), "temperature"),
    (re.compile(r"\bca\. ?(?=\d)"), "circa "),
    (re.compile(rf"\b({_either(_BEFORE_DIGITS)})\. ?(?=\d)"), lambda hit: f"{_BEFORE_DIGITS[hit[1].lower()]} "),
    (
        re.compile(rf"\b({_either(_BEFORE_LETTERS)})\. (?=\d|[A-Z](?:$|,| of\b))"),
        lambda hit: f"{_BEFORE_LETTERS[hit[1].lower()]} ",
    ),
    (
        re.compile(rf"(?<=\w) ({'|'.join(_STREETS)})\.?(?=$|,)"),
        lambda hit: f" {_STREETS[hit[1]]}" if _ADDRESS.match(hit.string) else hit[0],
    ),
    (
        re.compile(rf"\b({'|'.join(_DAYS)})\b\.?(?=,? (?:the )?(?:\d{{1,2}}[a-z]* (?:of )?)?{_MONTH}\b)"),
        lambda hit: _DAYS[hit[1]],
    ),
    (re.compile(r"(?<!\w)['’](\d\d)(?= |$)"), _century),
    (re.compile(r"(?<![\w.,])\.(?=\d)"), "0."),
    (re.compile(r" ?([<>≤≥]) ?"), r" \1 "),
    (
        re.compile(rf"\b(?P<what>(?:{_COUNTED})s?) (?P<count>[IVX]{{1,4}})(?P<part>[A-Ea-e])\b", re.IGNORECASE),
        _roman,
    ),
    (re.compile(rf"\b({_NTH})(?:-gen\b\.?| gen\.)(?=[ -][a-z])"), r"\1 generation"),
    (re.compile(rf"\b({_NTH})[ -]edn?\b\.?(?=$|,|\)| of\b)"), r"\1 edition"),
    (re.compile(r"(?<=[a-z]) (?:an?|each|every) (?=(?:second|minute|hour|day|week|month|year)$)"), " per "),
    (re.compile(rf"(?<=\w) ({'|'.join(_RATE)})$"), lambda hit: f" per {_RATE[hit[1]]}"),
    (re.compile(r"^(?:[Aa] |[Tt]he )?total of (?=\d)"), ""),
    (
        re.compile(
            rf"(?<![\w.,])(?:(?P<with_hyphen>{'|'.join(_TIMES)}|\d+)(?:-|(?<=\d) ?)fold\b|"
            rf"(?P<before_growth>{'|'.join(_TIMES)}|\d+)(?: fold| ?[x×])(?= (?:{_GROWN})\b))"
        ),
        _fold,
    ),
    (re.compile(rf"^[Tt]he present (?=(?:{_CONTRACT})\b)"), "this "),
    (re.compile(r"\bM[Kk]\.? ?(?=\d|[IVX]+\b)"), "mark "),
    (re.compile(r"^(?:[Tt]he |[Aa] )?(?:sum of (?=[$€£]|\d[\d.,]* (?:euro|dollar|pound)s?\b)|value of (?=\d))"), ""),
    (re.compile(rf"^[Tt]he act of (?!(?:{_DONE})\b)(?=[a-z]+ing\b)"), ""),
    (
        re.compile(rf"\b({_SHAPES}) in shape$|\b({COLOURS}) in colou?r$|\b({_SIZES}) in size$"),
        lambda hit: hit[1] or hit[2] or hit[3],
    ),
    (re.compile(r"^F\.?C\.? (?=[A-Z][a-z])(.+)$"), r"\1 FC"),
    (re.compile(r"\b(NE|NW|SE|SW)\b(?= [a-z])"), lambda hit: _QUARTERS[hit[1]]),
    (re.compile(r"\b(?P<word>[a-z]+(?:-[a-z]+)?) \((?P<digits>\d{1,9})\)"), _counted_twice),
    (re.compile(r"^Messrs\.? "), ""),
    # In small letters, so that `music` before it is not taken to say what is called C.
    (
        re.compile(r",? in ([A-G])((?:[ -](?:flat|sharp))? (?:major|minor))\b"),
        lambda hit: f" {hit[1].lower()}{hit[2]}",
    ),
)
_PARTED_STAGES = frozenset(f"{count}{part}" for count in (*ROMAN, *ROMAN_LETTERS) for part in "abcde")
SHORT_WORDS = _PARTED_STAGES.union(
    _RATE, words("fc ne nw se sw gen ed edn messrs mk act shape colour color size minor major present fold no")
)
"""Words in names without a sign or a digit in which something may be short."""


def written_out(name: str) -> str:
    """The name with its short forms written out; "" where it has none."""
    if len(name) > LONGEST:
        return ""
    if name.replace(" ", "").isalpha() and SHORT_WORDS.isdisjoint(normalise(name).split()):
        return ""
    found = name
    for pattern, by in _RULES:
        found = pattern.sub(by, found)
    return found if found != name else ""
