"""Parse dates: `March 25th, 2024`, `25 Mar 2024`, `2024-03-25`, months, quarters, decades, years BC.

dateutil is no alternative: it completes dates from today's, reads `May` and `Model 3` as dates and guesses at
`03/04/2024`. Here the whole text has to be a date. Values are ISO 8601 texts (`2024-03-25`, `2024-03`, `2024-Q1`,
`--03-25` without year).

In numeric dates a number above 12 is the day, and dots mean day first, as where dots are used. Otherwise
`03/04/2024` is ambiguous and equals only the same digits.
"""

from __future__ import annotations

import re

from row3.matching.lexicon.lists import lists
from row3.matching.value.numbers import ordinal_of, ordinal_words

_LISTS = lists("english")
_MONTHS = {name: at for at, names in enumerate(_LISTS["month_names"].split("/"), 1) for name in names.split()}
_DAYS_IN = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_WORDS_COUNT = rf"{_MONTH}|\bc(?:ent(?:ury)?)?\b"
"""Words next to which ordinals in words are read as digits."""
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:s|nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_FISCAL = r"(?:fy|fiscal year|financial year|fiscal(?= \d{4}))\s*-?\s*['’]?"
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_TENS = {f"{word[:-1]}ies": 10 * value for value, word in enumerate(_LISTS["tens"].split(), 2)}

_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        r"(?P<year>\d{4})[-/](?P<m>\d{1,2})[-/](?P<day>\d{1,2})",
        rf"{_WEEKDAY}{_MONTH}\s*{_DAY}\s*,?\s*{_YEAR}",
        rf"{_WEEKDAY}(?:the )?{_DAY}(?:\s+of)?[\s-]+{_MONTH}[\s,-]+{_YEAR}",
        rf"{_MONTH}(?:\s+of)?[\s,-]+{_YEAR}",
        rf"{_MONTH}\s+(?:the )?{_DAY}",
        rf"(?:the )?{_DAY}(?:\s+of)?[\s-]+{_MONTH}",
        r"(?P<year>\d{4})-(?P<m>0[1-9]|1[0-2])",
        r"(?P<a>\d{1,2})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{4})",
        r"q(?P<q>[1-4])[\s,/-]*(?:of\s+)?(?P<year>\d{4})",
        r"(?P<year>\d{4})[\s,/-]*q(?P<q>[1-4])",
        rf"(?:the )?(?P<nth>{'|'.join(_QUARTERS)}) quarter(?: of|,)? (?P<year>\d{{4}})",
        r"h(?P<yearhalf>[12])[\s,/-]*(?P<year>\d{4})",
        r"(?:the )?(?P<yearhalf>1st|2nd|first|second) half(?: of)? (?P<year>\d{4})",
        r"(?:the )?(?P<decade>\d{3}0)'?s",
        rf"(?:the )?(?P<hundreds>nineteen|eighteen)[ -](?P<words>{'|'.join(_TENS)})",
        r"(?P<m>0?[1-9]|1[0-2])/(?P<year>\d{4})",
        r"(?P<before>\d{1,4})\s*b\.?\s?c\.?(?:\s?e\.?)?",
        r"(?:a\.?\s?d\.?\s*(?P<after>\d{1,4})|(?P<after2>\d{1,4})\s*(?:a\.?\s?d\.?|c\.?\s?e\.?))",
        r"(?:the )?year (?P<only>\d{4})",
        rf"(?:(?:q(?P<fiscalq>[1-4])|(?:the )?(?P<fiscalnth>{'|'.join(_QUARTERS)}) quarter)(?: of)?(?: the)? )?"
        rf"{_FISCAL}(?P<fiscal>\d{{4}}|\d\d)(?:[/–-](?P<next>\d{{4}}|\d\d))?",
        r"(?P<season>spring|summer|autumn|fall|winter)(?:,| of)? (?P<year>\d{4})(?:[/–-](?P<next>\d{4}|\d\d))?",
        r"(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap])\.?\s?m\.?",
        r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?:\s*(?:h|hrs|hours|o'?clock))?",
        r"(?:12(?::00)? )?(?P<noon>noon|midday|midnight)",
        r"(?:the )?(?P<nthcentury>\d{1,2})(?:st|nd|rd|th)[ -](?:century|cent\.?|c\.?)"
        r"(?: (?P<era>[bc]\.?c\.?(?:e\.?)?|a\.?d\.?))?",
    )
)

_WITH_TIME = re.compile(
    r"(?P<date>.*\d{3,4}.*?)(?:(?<=\d)t|,? (?:at )?)(?P<time>\d{1,2}:\d\d(?: ?[ap]\.?m\.?)?)(?::\d\d)?"
    r"(?P<zone>z| ?utc| ?gmt|[+-]\d\d:?\d\d)?"
)


def date_of(text: str, *, day_first: bool | None = None) -> str | None:
    """Return a lower-case date or time of day in ISO 8601; None for other text.

    A bare year (`2024`) is a number, but `the year 2024` gives `2024`. An ambiguous date keeps its digits and gets a
    question mark (`03/04/2024?`) unless `day_first`, the source's date order, is known.
    """
    if re.search(_WORDS_COUNT, text) is not None:
        text = re.sub(ordinal_words(), lambda word: f"{ordinal_of(word[0])}th", text)
    if (hit := _WITH_TIME.fullmatch(text)) is not None:
        day, time = date_of(hit["date"], day_first=day_first), date_of(hit["time"])
        zone = (hit["zone"] or "").strip().replace("utc", "z").replace("gmt", "z").upper()
        return None if day is None or time is None or len(day) != len("2024-03-25") else f"{day}{time}{zone}"
    for shape in _SHAPES:
        hit = shape.fullmatch(text)
        if hit is not None:
            return _iso({name: value for name, value in hit.groupdict().items() if value is not None}, day_first)
    return None


def writes_day_first(text: str) -> bool | None:
    """Return whether a text writes the day first (25/03/2024), by its unambiguous dates or words; None if unclear."""
    evidence = set()
    for hit in re.finditer(r"(?<!\d)(\d{1,2})[/-](\d{1,2})[/-]\d{4}(?!\d)", text):
        one, other = int(hit[1]), int(hit[2])
        if (one > 12) != (other > 12):
            evidence.add(one > 12)
    if re.search(r"day\s?[/-]\s?month|\bday[- ]first\b|\bdd?[/-]mm?\b", text, re.IGNORECASE):
        evidence.add(True)
    if re.search(r"month\s?[/-]\s?day|\bmonth[- ]first\b|\bmm?[/-]dd?\b", text, re.IGNORECASE):
        evidence.add(False)
    return evidence.pop() if len(evidence) == 1 else None


def _iso(part: dict[str, str], day_first: bool | None) -> str | None:
    if "a" in part:
        return _numeric(int(part["a"]), int(part["b"]), part["year"], part["sep"] == "." or day_first)
    if "noon" in part:
        return "T00:00" if part["noon"] == "midnight" else "T12:00"
    if "hour" in part:
        return _time_of_day(int(part["hour"]), part.get("minute", "00"), part.get("half", ""))
    if "fiscal" in part:
        return _fiscal(part)
    if "month" in part or "m" in part:
        month = _MONTHS[part["month"]] if "month" in part else int(part["m"])
        day = int(part["day"]) if "day" in part else None
        return _day(part.get("year", "-"), month, day)
    if "season" in part:
        years = consecutive_years(part["year"], part["next"]) if "next" in part else part["year"]
        return years and f"{years}-{part['season'].replace('fall', 'autumn')}"
    for sign, name in (("Q", "q"), ("Q", "nth"), ("H", "yearhalf")):
        if name in part:
            return f"{part['year']}-{sign}{_QUARTERS.get(part[name], part[name])}"
    if "before" in part:
        return f"-{int(part['before']):04}"
    if "nthcentury" in part:
        return f"century {'-' if part.get('era', '')[:1] == 'b' else ''}{int(part['nthcentury'])}"
    if "decade" in part:
        return part["decade"] + "s"
    if "hundreds" in part:
        return f"{19 if part['hundreds'] == 'nineteen' else 18}{_TENS[part['words']]}s"
    return f"{int(part.get('only') or part.get('after') or part['after2']):04}"


def _time_of_day(hour: int, minute: str, half: str) -> str | None:
    """Return the time in ISO 8601; None if the hour does not fit its half of the day ("a", "p" or "")."""
    if half and not 1 <= hour <= 12:
        return None
    return f"T{hour % 12 + 12 * (half == 'p') if half else hour:02}:{minute}"


def _fiscal(part: dict[str, str]) -> str | None:
    """Return `FY2021`, or `FY2020/2021` for a fiscal year with two years, followed by `-Q3` for a quarter."""
    year = part["fiscal"] if len(part["fiscal"]) == 4 else f"20{part['fiscal']}"
    years = consecutive_years(year, part["next"]) if "next" in part else year
    quarter = part.get("fiscalq") or part.get("fiscalnth")
    return years and f"FY{years}" + ("" if quarter is None else f"-Q{_QUARTERS.get(quarter, quarter)}")


def consecutive_years(year: str, following: str) -> str | None:
    """Return `2020/2021` for a year and the next one, in two digits or four; None for other years."""
    after = str(int(year) + 1)
    return f"{year}/{after}" if following in (after, after[2:]) else None


def _numeric(one: int, other: int, year: str, day_first: bool | None) -> str | None:
    """Return a numeric date: a number above 12 is the day; otherwise `day_first` decides, if known."""
    if one > 12 or (day_first and other <= 12):
        return _day(year, other, one)
    if other > 12 or one == other or day_first is False:
        return _day(year, one, other)
    return f"{one:02}/{other:02}/{year}?"


def _day(year: str, month: int, day: int | None) -> str | None:
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= _DAYS_IN[month - 1]):
        return None
    return f"{year}-{month:02}" + ("" if day is None else f"-{day:02}")
