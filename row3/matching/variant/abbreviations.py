"""Expand abbreviations within names: `coffee w/o sugar`, `2nd ed.`, `Phase IIb`, `U.S. Senate`.

These need context (a full stop, number or capital); those that are unambiguous by themselves are in
`lexicon.words.SPELLINGS`. `variants` adds the keys of the expanded name.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from row3.matching.lexicon.lists import lists, pairs, words
from row3.matching.lexicon.words import ROMAN, ROMAN_LETTERS, UNIONS
from row3.matching.normalise import normalise

LONGEST = 120
"""Maximum characters of a name that is expanded."""

_COUNTED = "stage|phase|type|class|grade|level|category|group|factor|schedule"
"""Words before a Roman numeral and a letter: Stage IIB."""
_DAYS = pairs(lists("english")["days"])
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_NTH = r"\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|next|last|current|previous|latest"
_RATE = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "hourly": "hour"}
_QUARTERS = {"N": "North", "S": "South", "E": "East", "W": "West"}


def _roman(hit: re.Match[str]) -> str:
    count = ROMAN.get(hit["count"].lower()) or ROMAN_LETTERS.get(hit["count"].lower(), hit["count"])
    return f"{hit['what']} {count}{hit['part'].lower()}"


_Rule = tuple[re.Pattern[str], "str | Callable[[re.Match[str]], str]"]
_RULES: tuple[_Rule, ...] = (
    (
        re.compile(r"\b(?:(?:USA?|UK|UN|EU|UAE)\b(?!-)|(?:U\.\s?(?:[KN]|S(?:\.\s?A)?|A\.\s?E)|E\.\s?U)\.(?=\s|$|,))"),
        lambda hit: UNIONS[re.sub(r"\W", "", hit[0])],
    ),
    (re.compile(r"\b([NSEW])\. (?=[A-Z][a-z])"), lambda hit: f"{_QUARTERS[hit[1]]} "),
    (re.compile(r"\bw/o\.?(?=[ a-z])", re.IGNORECASE), "without "),
    (re.compile(r"\bwith no (?!one\b)(?=[a-z]{2})"), "without "),
    (re.compile(r"\bw/(?= [^\W\d]|[a-z]{3})"), "with "),
    (
        re.compile(rf"\b({'|'.join(_DAYS)})\b\.?(?=,? (?:the )?(?:\d{{1,2}}[a-z]* (?:of )?)?{_MONTH}\b)"),
        lambda hit: _DAYS[hit[1]],
    ),
    (re.compile(r"(?<![\w.,])\.(?=\d)"), "0."),
    (re.compile(rf"\b(?P<what>(?:{_COUNTED})s?) (?P<count>[IVX]{{1,4}})(?P<part>[A-Ea-e])\b", re.IGNORECASE), _roman),
    (re.compile(rf"\b({_NTH})(?:-gen\b\.?| gen\.)(?=[ -][a-z])"), r"\1 generation"),
    (re.compile(rf"\b({_NTH})[ -]edn?\b\.?(?=$|,|\)| of\b)"), r"\1 edition"),
    (re.compile(r"^(?:[Aa] |[Tt]he )?(?:total of (?=\d)|sum of (?=[$€£]))"), ""),
    (re.compile(r"(?<=[a-z]) (?:an?|each|every) (?=(?:second|minute|hour|day|week|month|year)$)"), " per "),
    (re.compile(r"(?<=\w) (daily|weekly|monthly|yearly|hourly)$"), lambda hit: f" per {_RATE[hit[1]]}"),
    (re.compile(r"\b(?:Football|Soccer) Club\b|\bF\.C\.$"), "FC"),
    (re.compile(r"^F\.?C\.? (?=[A-Z][a-z])(.+)$"), r"\1 FC"),
)
_PARTED_STAGES = frozenset(f"{count}{part}" for count in (*ROMAN, *ROMAN_LETTERS) for part in "abcde")
SHORT_WORDS = _PARTED_STAGES.union(_RATE) | words("us usa uk un eu uae club fc gen ed edn no sum total")
"""Words, one of which is in every name with an abbreviation but no symbols or digits."""
_TIMED = words("second minute hour day week month year") | set(map(str.lower, _DAYS))
"""Further words, for names with symbols or digits but no full stop or slash."""


def spelt_out(name: str) -> str:
    """Return the name with its abbreviations expanded; "" if it has none."""
    if len(name) > LONGEST:
        return ""
    spelt = normalise(name).split()
    if SHORT_WORDS.isdisjoint(spelt) and (
        name.replace(" ", "").isalpha() or not ("." in name or "/" in name or not _TIMED.isdisjoint(spelt))
    ):
        return ""
    found = name
    for pattern, by in _RULES:
        found = pattern.sub(by, found)
    return found if found != name else ""
