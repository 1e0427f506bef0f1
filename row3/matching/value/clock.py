"""Times of day by value: `half past six`, `quarter to nine in the evening`, `three o'clock`, `12 noon`.

A time in words is read as the same digits are: `half past six` as `6:30`, without a half of the day as it stands.
"""

from __future__ import annotations

import re

from row3.matching.value.numbers import number_of

_MAY_BE = re.compile(r"\b(?:past|to|o['’]?clock|noon|midday|midnight|in the|at night|hours|hrs|m)\b")
_PART = r"(?P<part>in the (?:morning|afternoon|evening)|at night|[ap]\.?\s?m\.?)"
_CLOCK = r"o['’]?clock"
_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        rf"(?:an? )?(?P<minutes>half|quarter|[\w -]+?)(?P<told> minutes?)? (?P<way>past|to) "
        rf"(?P<hour>\w+)(?P<clock> {_CLOCK})?(?: {_PART})?",
        rf"(?P<hour>\w+) {_CLOCK}(?: {_PART})?",
        rf"(?P<hour>\w+)(?:[:.](?P<minute>[0-5]\d))? {_PART}",
        rf"(?P<hour>[a-z]+) (?P<minute>[a-z]+(?:[ -][a-z]+)?) {_PART}",
        r"(?:12(?::00)?|twelve) (?P<noon>noon|midday|midnight)",
        r"(?P<hour24>0\d)(?P<minute24>[0-5]\d) ?(?:hours|hrs)",
    )
)


_NOONS = ("noon", "midday", "midnight")


def on_the_clock(hour: int, minute: str, half: str) -> str | None:
    """The time of day on 24 hours in ISO 8601; None where the hour is none of that half ("a" or "p", "" untold)."""
    if half and not 1 <= hour <= 12:
        return None
    return f"T{hour % 12 + 12 * (half == 'p') if half else hour:02}:{minute}"


def time_of(text: str) -> str | None:
    """The time of day that a text in small letters tells in words; None for anything else.

    `ten to six` alone is none, since it may be a range or odds; `ten minutes to six` is one.
    """
    if _MAY_BE.search(text) is None:
        return None
    for shape in _SHAPES:
        if (hit := shape.fullmatch(text)) is not None:
            part = {name: value for name, value in hit.groupdict().items() if value is not None}
            if (time := _time(part)) is not None:
                return time
    return None


def _time(part: dict[str, str]) -> str | None:
    if "noon" in part:
        return "T00:00" if part["noon"] == "midnight" else "T12:00"
    if "hour24" in part:
        return f"T{part['hour24']}:{part['minute24']}"
    noon = "way" in part and part["hour"] in _NOONS
    hour = 12 if noon else _count(part["hour"], 12)
    minute = 0 if "way" in part or "minute" not in part else _count(part["minute"], 59)
    if not hour or minute is None:
        return None
    at = 60 * hour + minute
    if "way" in part:
        minutes = _minutes(part)
        if minutes is None:
            return None
        at += minutes if part["way"] == "past" else -minutes
    hour, minute = at // 60 % 12 or 12, at % 60
    half = _half(part["part"], hour) if "part" in part else ""
    if noon:
        half = "p" if (part["hour"] == "midnight") == (part["way"] == "to") else "a"
    return None if half is None else on_the_clock(hour, f"{minute:02}", half)


_WHEN = {"clock", "part"}
"""What tells that `twenty to six` is a time: `ten to twelve in the morning` may still be two hours."""


def _minutes(part: dict[str, str]) -> int | None:
    """Minutes past or to the hour."""
    if part["minutes"] in ("half", "quarter"):
        half = part["minutes"] == "half"
        return None if half and part["way"] == "to" else 30 if half else 15
    minutes = _count(part["minutes"], 29) or None
    if part["way"] == "to" and "told" not in part and (minutes is None or minutes < 13 or _WHEN.isdisjoint(part)):
        return None
    return minutes


def _count(text: str, most: int) -> int | None:
    number = number_of(text)
    return None if number is None or number.denominator > 1 or not 0 <= number <= most else int(number)


def _half(part: str, hour: int) -> str | None:
    """The half of the day in which an hour of a part of it lies; None where it has no such hour."""
    if part[0] in "ap" and part != "at night":
        return part[0]
    if part == "in the morning":
        return "a"
    if part == "at night":
        return "p" if 6 <= hour < 12 else "a"
    hours = (12, *range(1, 7)) if part == "in the afternoon" else range(4, 12)
    return "p" if hour in hours else None
