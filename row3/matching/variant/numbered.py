"""Names with a number in them that are written in two ways: `Symphony No. 5` and `Fifth Symphony`, `protocol v2` and
`version 2 of the protocol`, `Rm. 204`, `3:1 odds`, a share of 25%.

Each gives further names, whose keys are keys of the name (see `variants`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from row3.matching.lexicon.words import ROMAN, ROMAN_LETTERS
from row3.matching.value.dates import one_after
from row3.matching.value.numbers import number_of, ordinal_of, ordinal_words

_WORKS = (
    "symphon(?:y|ies)|concertos?|sonatas?|quartets?|quintets?|trios?|preludes?|fugues?|[eé]tudes?|nocturnes?|rhapsod(?:y|ies)|"
    "mazurkas?|polonaises?|ballades?|cantatas?"
)
"""What is counted behind `No.`, or before itself by an ordinal."""
_PLACES = (
    "chapter|act|scene|canto|verse|stanza|floor|volume|edition|amendment|dynasty|season|episode|round|lesson|session|"
    "generation|week|(?:cranial )?nerve|rib|(?:thoracic |lumbar |cervical )?vertebra"
)
"""What is counted by a number behind it, or before it by an ordinal."""
_BETWEEN = r"(?:(?!(?:of|the|an?|in|for|and|to|with|by) )[a-zé-]+ ){0,2}"
_NTH = re.compile(
    rf"(?P<before>(?:.* )?)(?P<nth>\d+(?:st|nd|rd|th))[ -](?P<head>{_BETWEEN}(?:{_WORKS})|(?:{_PLACES}))\b(?P<after>.*)"
)
_COUNTED = re.compile(
    rf"(?P<before>(?:.*? )?)(?P<head>(?:{_WORKS})(?=,? (?:n|\d))|(?:{_PLACES})(?= [\divx]+\b)),? "
    r"(?:(?:no\.?|nr\.?|number|n[ºo]\.?) ?)?(?P<count>\d+|[ivxl]+)\b(?P<after>.*)"
)

_OF_A_LAW = r"(?P<what>article|section|rule|regulation|clause|art\.|sec\.) (?P<count>\d+)"
_PARAGRAPH = re.compile(rf"{_OF_A_LAW}(?:, par(?:a\.|agraph) (?=\d)|(?=\())\(?(?P<part>\d+)\)?")
_PARAGRAPH_OF = re.compile(rf"par(?:a\.|agraph) \(?(?P<part>\d+)\)? of {_OF_A_LAW}")
"""`Article 12(3)`, `Article 12, paragraph 3`, `paragraph 3 of Article 12`."""

_NUMBER_SIGN = re.compile(
    r"(?<=[a-z] )(?<!\bthe )(?<!\ban )(?<!\ba )(?:(?-i:No)|no\.|nr\.?|number|#) ?(?=\d)(?!\d[\d.]* ?(?:%|per))",
    re.IGNORECASE,
)
"""`Rule No. 14` is Rule 14; `rules with no 14 days` are none."""

_VERSION = r"(?:[Vv]ersion|[Rr]elease|[Vv]er\.?)"
_TWICE = re.compile(rf"\b({_VERSION}) [vV]\.? ?(?=\d)")
_LEADING = re.compile(r"(?:[Vv]ersion |[Vv]er\.? |v\.? ?)(?P<count>\d[\w.]*) (?:of )?(?:the )?(?P<rest>[^\W\d].*)")
_INNER = re.compile(rf"(?<=\w) {_VERSION} (?=\d)")
_SPELT = re.compile(rf"\b({_VERSION}) (one|two|three|four|five|six|seven|eight|nine|ten)\b")
_INITIALS = re.compile(r"\b([A-Z]{2,6}) [Vv]ersion (?=\d)")
_SMALL_V = re.compile(r"(?<=\w) v(?!(?:6|8|10|12)\b)(?=\d+\b)")
"""Not of an engine: a V8."""
_CODED = re.compile(r"\b(?:lead|area|nerve|segment|branch|layer)s? v", re.IGNORECASE)
"""Before a code of a letter and a digit, which is no version: lead V2 of an ECG is not lead II."""

_ROOMS = {"rm": "room", "apt": "apartment", "ste": "suite", "bldg": "building", "pp": "pages"}
_ROOM = re.compile(r"\b([Rr]m|[Aa]pt|[Ss]te|[Bb]ldg|pp)(?:\. ?| )(?=\d)")
_STREET = re.compile(r"(?P<before>.*\w) [Ss]t\.?(?P<after>$|,.*)")
_NTH_STREET = re.compile(r"(\d(?:st|nd|rd|th)) [Ss]t\.?(?= [a-z])")
_DRIVE = re.compile(r"(\d+ (?:[A-Z]\w+ )+)Dr\.?$")
_QUARTER = re.compile(r"\b([NSEW])\.? (?=\d+(?:st|nd|rd|th)\b)")
_QUARTERS = {"N": "North", "S": "South", "E": "East", "W": "West"}

_YEARS = re.compile(r"\b([12]\d{3})[-–—/](\d\d)\b")
_SEASON = re.compile(r"\b(?:season|academic|school year|league|championship|winter|campaign)\b")

_RATIO_HEAD = "odds|(?:aspect )?ratio|majority|dilution"
_COUNT = r"(?:\d+(?:\.\d+)?|[a-z]+)"
_TO = r"(?P<sign>[- ]to[- ]|\s?:\s?|[/⁄–—-])"
_NO_RATIO = {"/": ("majority",), "⁄": ("majority",), **dict.fromkeys("-–—", ("ratio", "aspect ratio", "dilution"))}
"""A majority of 2/3 is a share, a dilution of 2-3 a range."""
_RATIO_BEFORE = re.compile(rf"(?:an? )?(?P<a>{_COUNT}){_TO}(?P<b>{_COUNT}) (?P<head>{_RATIO_HEAD})\b(?P<after>.*)")
_RATIO_BEHIND = re.compile(
    rf"(?:an? )?(?P<head>{_RATIO_HEAD}) of (?P<a>{_COUNT}){_TO}(?P<b>{_COUNT})\b(?P<after>(?! ?%).*)"
)

_SHARE = "share|proportion|fraction|probability|likelihood|chance"
_DIGITS = r"(?P<part>\d*[.]?\d+ ?(?:%|per ?cent)|\d+/\d+)"
_PART = (
    r"(?P<part>\d*[.]?\d+ ?(?:%|per ?cent)?|\d+/\d+|(?:an? |one |two |three )(?:half|third|quarter|fifth|tenth)s?|half)"
)
_SHARE_OF = re.compile(rf"(?P<before>(?:.* )?(?:{_SHARE})) of {_PART}(?P<after>(?: .*)?)")
_SHARE_BEHIND = re.compile(rf"(?P<article>an? |the )?{_DIGITS} (?P<head>{_SHARE})\b(?P<after>.*)")

_TOLD = re.compile(f"{_RATIO_HEAD}|{_SHARE}")


def numbered(name: str) -> Iterator[str]:
    """Other ways to write a name with a number."""
    low = name.lower()
    if "v" in low or "release" in low:
        yield from _versions(name)
    if (bare := _NUMBER_SIGN.sub("", name)) != name:
        yield bare
    if (article := _PARAGRAPH.fullmatch(low) or _PARAGRAPH_OF.fullmatch(low)) is not None:
        yield f"{article['what']} {article['count']} paragraph {article['part']}"
    if (place := _addressed(name)) != name:
        yield place
    yield from filter(None, (_in_order(low), _season(low)))
    if _TOLD.search(low):
        yield from filter(None, (_ratio(low), _share_of(low)))
    if "+/-" in name or "plus or minus " in low:
        yield re.sub(r"\+/- ?|plus or minus ", "±", low)


def _in_order(low: str) -> str:
    """`fifth symphony in C` -> `symphony number 5 in C`, as `symphony no. 5 in C` is and `symphony no. V in C`."""
    if low.startswith("a "):  # a second trio is some other one
        return ""
    low = ordinal_words().sub(
        lambda word: f"{ordinal_of(word[0])}th", low.replace("the ", "", 1) if low.startswith("the ") else low
    )
    if (hit := _NTH.fullmatch(low)) is not None and not _COUNTED.fullmatch(low):
        return f"{hit['before']}{hit['head']} number {re.sub('[a-z]+', '', hit['nth'])}{hit['after']}"
    if (hit := _COUNTED.fullmatch(low)) is not None:
        count = ROMAN.get(hit["count"]) or ROMAN_LETTERS.get(hit["count"]) or hit["count"]
        return f"{hit['before']}{hit['head']} number {count}{hit['after']}" if count.isdigit() else ""
    return ""


def _versions(name: str) -> Iterator[str]:
    """`protocol version 2` -> `protocol v2`, `v2 API` -> `API v2`, `Python v3` -> `Python 3`."""
    plain = _TWICE.sub(r"\1 ", name)
    plain = _SPELT.sub(lambda hit: f"{hit[1]} {number_of(hit[2])}", plain)
    if plain != name:
        yield plain
    if (short := _INNER.sub(" v", plain)) != plain:
        yield short
    if (turned := _LEADING.fullmatch(plain)) is not None:
        yield f"{turned['rest']} v{turned['count']}"
    if (joined := _INITIALS.sub(r"\1v", plain)) != plain:
        yield joined
    if not name.islower() and _SMALL_V.search(name) and not _CODED.search(name):
        yield _SMALL_V.sub(" ", name)


def _addressed(name: str) -> str:
    """Rooms and streets with their words written out: `Rm. 204`, `42nd St.`, `5 Ocean Dr.`, `E. 42nd Street`."""
    name = _ROOM.sub(lambda hit: f"{_ROOMS[hit[1].lower()]} ", name)
    name = _QUARTER.sub(lambda hit: f"{_QUARTERS[hit[1]]} ", name)
    name = _DRIVE.sub(r"\1Drive", name)
    name = _NTH_STREET.sub(r"\1 Street", name)
    if (street := _STREET.fullmatch(name)) is not None:
        name = f"{street['before']} Street{street['after']}"
    return name


def _season(low: str) -> str:
    """`2011-12 season` -> `2011-2012 season`; without such a word it may be December."""
    hit = _YEARS.search(low) if _SEASON.search(low) else None
    both = one_after(hit[1], hit[2]) if hit is not None else None
    return "" if hit is None or both is None else f"{low[: hit.start()]}{both.replace('/', '-')}{low[hit.end() :]}"


def _ratio(low: str) -> str:
    """`odds of three to one` -> `ratio3to1 odds`, as `3:1 odds` is."""
    hit = _RATIO_BEFORE.fullmatch(low) or _RATIO_BEHIND.fullmatch(low)
    if hit is None or hit["head"] in _NO_RATIO.get(hit["sign"], ()):
        return ""
    a, b = number_of(hit["a"]), number_of(hit["b"])
    return "" if a is None or b is None else f"ratio{_word(a)}to{_word(b)} {hit['head']}{hit['after']}"


def _share_of(low: str) -> str:
    """`a share of 0.25` -> `a share of share1over4`, as `a share of 25%` is."""
    if (hit := _SHARE_OF.fullmatch(low)) is not None:
        before, part = hit["before"], _part(hit["part"])
    elif (hit := _SHARE_BEHIND.fullmatch(low)) is not None:
        before, part = f"{hit['article'] or ''}{hit['head']}", _part(hit["part"])
    else:
        return ""
    return f"{before} of share{_word(part)}{hit['after']}" if part is not None else ""


def _part(text: str) -> Fraction | None:
    bare = re.sub(r" ?(?:%|per ?cent)$", "", text)
    number = number_of(bare)
    if number is None:
        return None
    number = number / 100 if bare != text else number
    return number if 0 < number < 1 else None


def _word(number: Fraction) -> str:
    return f"{number.numerator}over{number.denominator}" if number.denominator > 1 else str(number)
