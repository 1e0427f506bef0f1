"""Other spellings of names with a number: `Symphony No. 5` and `Fifth Symphony`, `protocol v2` and `version 2 of the
protocol`, `three quarters of the voters`.

`variants` adds their keys to the name's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from row3.matching.lexicon.lists import lists
from row3.matching.lexicon.words import ROMAN, ROMAN_LETTERS
from row3.matching.value.numbers import number_of, ordinal_of, ordinal_words

_COUNTED_THINGS = lists("english")["numbered_things"].replace(" ", "|")
"""Things with a number after them or an ordinal before them."""
_BETWEEN = r"(?:(?!(?:of|the|an?|in|for|and|to|with|by) )[a-zé-]+ ){0,2}"
_NTH = re.compile(
    rf"(?P<before>(?:.* )?)(?P<nth>\d+(?:st|nd|rd|th))[ -](?P<head>{_BETWEEN}(?:{_COUNTED_THINGS}))\b(?P<after>.*)"
)
_COUNTED = re.compile(
    rf"(?P<before>(?:.*? )?)(?P<head>(?:{_COUNTED_THINGS})(?=,? (?:n|[\divx]+\b))),? "
    r"(?:(?:no\.?|nr\.?|number|n[ºo]\.?) ?)?(?P<count>\d+|[ivxl]+)\b(?P<after>.*)"
)
_NUMBER_SIGN = re.compile(
    r"(?<=[a-z] )(?<!\bthe )(?<!\ban )(?<!\ba )(?:(?-i:No)|no\.|nr\.?|number|#) ?(?=\d)(?!\d[\d.]* ?(?:%|per))",
    re.IGNORECASE,
)
"""The number sign of `Rule No. 14`, but not the no of `rules with no 14 days`."""
_VERSION = r"(?:[Vv]ersion|[Rr]elease|[Vv]er\.?)"
_TWICE = re.compile(rf"\b({_VERSION}) [vV]\.? ?(?=\d)")
_LEADING = re.compile(r"(?:[Vv]ersion |[Vv]er\.? |v\.? ?)(?P<count>\d[\w.]*) (?:of )?(?:the )?(?P<rest>[^\W\d].*)")
_INNER = re.compile(rf"(?<=\w) {_VERSION} (?=\d)")
_SMALL_V = re.compile(r"(?<=\w) v(?!(?:6|8|10|12)\b)(?=\d+\b)")
"""The v of `Python v3`, but not of a V8 engine."""
_SHARES = tuple(
    re.compile(shape)
    for shape in (
        r"(?P<part>\S+?)\s?(?P<percent>%|per ?cent) (?:of )?(?:(?:the|all|all the) )?(?P<rest>[^\W\d].*)",
        r"(?P<part>\S+) (?:out of|in)(?: every)? (?P<whole>\S+) (?:of )?(?:(?:the|all|all the) )?(?P<rest>[^\W\d].*)",
        r"(?P<part>(?:\w+[- ])?(?!of )\w+) (?:of (?:(?:the|all|all the) )?|the )(?P<rest>(?!an? )[^\W\d].*)",
    )
)


def numbered(name: str) -> Iterator[str]:
    """Yield other spellings of a name with a number; some are ""."""
    low = name.lower()
    if "v" in low or "release" in low:
        yield from _versions(name)
    yield _NUMBER_SIGN.sub("", name)
    yield re.sub(r"\+/- ?|\bplus or minus ", "±", name)
    yield _in_order(low)
    yield _share(low)


def _in_order(low: str) -> str:
    """Return `symphony number 5 in C` for `fifth symphony in C`, `symphony no. 5 in C` and `symphony no. V in C`."""
    if low.startswith("a "):  # a second trio is not the second
        return ""
    low = ordinal_words().sub(lambda word: f"{ordinal_of(word[0])}th", low.removeprefix("the "))
    if (hit := _NTH.fullmatch(low)) is not None and not _COUNTED.fullmatch(low):
        return f"{hit['before']}{hit['head']} number {re.sub('[a-z]+', '', hit['nth'])}{hit['after']}"
    if (hit := _COUNTED.fullmatch(low)) is not None:
        count = ROMAN.get(hit["count"]) or ROMAN_LETTERS.get(hit["count"]) or hit["count"]
        return f"{hit['before']}{hit['head']} number {count}{hit['after']}" if count.isdigit() else ""
    return ""


def _versions(name: str) -> Iterator[str]:
    """Yield `protocol v2` for `protocol version 2`, `API v2` for `v2 API`."""
    plain = _TWICE.sub(r"\1 ", name)
    yield plain
    yield _INNER.sub(" v", plain)
    if not name.islower():
        yield _SMALL_V.sub(" ", name)
    if (turned := _LEADING.fullmatch(plain)) is not None:
        yield f"{turned['rest']} v{turned['count']}"


def _share(low: str) -> str:
    """Return `share3over4 voters` for `three quarters of the voters`, `75% of voters`, `three out of four voters`."""
    for shape in _SHARES:
        hit = shape.fullmatch(low)
        if hit is None:
            continue
        part, whole = number_of(hit["part"]), number_of(hit.groupdict().get("whole") or "1")
        if part is not None and whole:
            share = part / (100 if hit.groupdict().get("percent") else whole)
            if share < 1:
                return f"share{share.numerator}over{share.denominator} {hit['rest']}"
    return ""
