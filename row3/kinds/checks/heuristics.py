"""Tier 1: checks computed from the answer alone, by one function for each type."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from rapidfuzz.distance import Indel

from row3.domain.matches import CORRECT
from row3.kinds.checks.compiled import pattern_of, schema_misfit
from row3.kinds.checks.model import Check
from row3.kinds.checks.reading import Nothing, Reading, in_unit_of, numbers_in, quantity, same, short
from row3.matching.names import NameIndex, match_names
from row3.matching.scorers import Named, NameRule

REGEX_SECONDS = 1.0
"""Time limit of a pattern search; a pattern that backtracks endlessly fails."""
PLACEHOLDER = re.compile(
    r"<(?!(?:br|hr|img|input)\b)([A-Za-z](?:[\w -]*\w)?)>(?!.*</\1>)|\{\{.*?\}\}|\$\{\w+\}|"
    r"\[(?:YOUR|INSERT|ENTER|ADD|NAME|DATE)\b[^\]]*\]|\[[A-Z][A-Z _-]{2,}\]|\b(?:TODO|TBD|FIXME|XXX+|lorem ipsum)\b",
    re.DOTALL,
)
"""`<id>` without `</id>`, `{{ name }}`, `${name}`, `[YOUR NAME]`, `TODO`."""
EXACT = 1e-9
"""Relative tolerance of a number without `tolerance`, for the rounding of binary fractions."""


class Result(NamedTuple):
    """The result of a check."""

    score: float
    """In [0, 1]; 0 or 1 unless the check is graded."""
    reason: str = ""
    """Why the score is not 1."""


PASSED = Result(1.0)


def _folded(text: str, check: Check) -> str:
    return text if check.case else text.casefold()


def _equals(check: Check, reading: Reading, rule: NameRule) -> Result:
    wanted = check.wanted
    if isinstance(wanted, str):
        equal = reading.text.strip() == wanted.strip()
    else:
        equal = reading.value is not Nothing and same(reading.value, wanted)
    return PASSED if equal else Result(0.0, f"is {short(reading.text)}")


def _occurring(check: Check, reading: Reading) -> tuple[list[str], list[str]]:
    """Return the check's texts that occur, and those that do not."""
    wanted = [check.wanted] if isinstance(check.wanted, str) else check.wanted
    text = reading.text if check.case else reading.folded
    found = [each for each in wanted if _folded(each, check) in text]
    return found, [each for each in wanted if each not in found]


def _contains(check: Check, reading: Reading, rule: NameRule) -> Result:
    _, missing = _occurring(check, reading)
    return PASSED if not missing else Result(0.0, f"does not contain {', '.join(map(short, missing))}")


def _contains_any(check: Check, reading: Reading, rule: NameRule) -> Result:
    found, _ = _occurring(check, reading)
    return PASSED if found else Result(0.0, "contains none of the texts")


def _not_contains(check: Check, reading: Reading, rule: NameRule) -> Result:
    found, _ = _occurring(check, reading)
    return PASSED if not found else Result(0.0, f"contains {', '.join(map(short, found))}")


def _regex(check: Check, reading: Reading, rule: NameRule) -> Result:
    try:
        found = pattern_of(check.wanted, check.case).search(reading.text, timeout=REGEX_SECONDS)
    except TimeoutError:
        return Result(0.0, f"matching the pattern took more than {REGEX_SECONDS:g} s")
    return PASSED if found is not None else Result(0.0, "does not match the pattern")


def _starts_with(check: Check, reading: Reading, rule: NameRule) -> Result:
    begins = _folded(reading.text.lstrip(), check).startswith(_folded(check.wanted, check))
    return PASSED if begins else Result(0.0, f"begins with {short(reading.text)}")


def _one_of(check: Check, reading: Reading, rule: NameRule) -> Result:
    text = _folded(reading.text.strip(), check)
    for each in check.wanted:
        if isinstance(each, str) and text == _folded(each.strip(), check):
            return PASSED
        if not isinstance(each, str) and reading.value is not Nothing and same(reading.value, each):
            return PASSED
    return Result(0.0, f"is {short(reading.text)}")


def _number(check: Check, reading: Reading, rule: NameRule) -> Result:
    wanted = quantity(check.wanted)
    assert wanted is not None  # `Check` refuses any other
    value = reading.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        found = [in_unit_of(check.wanted, float(value))]
    else:
        found = list(numbers_in(reading.text, wanted.unit))
    allowed = EXACT * max(1.0, abs(wanted.amount))
    if check.tolerance is not None:
        allowed += check.tolerance * (in_unit_of(check.wanted, 1.0).amount - in_unit_of(check.wanted, 0.0).amount)
    if any(each.unit == wanted.unit and abs(each.amount - wanted.amount) <= allowed for each in found):
        return PASSED
    shown = ", ".join(f"{each.amount:g} {each.unit}".rstrip() for each in found[:3])
    return Result(0.0, f"contains {shown}" if shown else "contains no number")


def _json_schema(check: Check, reading: Reading, rule: NameRule) -> Result:
    if reading.value is Nothing:
        return Result(0.0, "is not JSON")
    misfit = schema_misfit(check.wanted, reading.value)
    return Result(0.0, short(misfit)) if misfit else PASSED


def _required_fields(check: Check, reading: Reading, rule: NameRule) -> Result:
    if not isinstance(reading.value, dict):
        return Result(0.0, "is not a JSON object")
    missing = [key for key in check.wanted if reading.value.get(key) in (None, "", [], {})]
    return PASSED if not missing else Result(0.0, f"lacks {', '.join(missing)}")


def _no_placeholder(check: Check, reading: Reading, rule: NameRule) -> Result:
    found = PLACEHOLDER.search(reading.text)
    return PASSED if found is None else Result(0.0, f"has {short(found[0])}")


def _max_words(check: Check, reading: Reading, rule: NameRule) -> Result:
    words = len(reading.text.split())
    return PASSED if words <= check.wanted else Result(0.0, f"has {words} words")


def _similarity(check: Check, reading: Reading, rule: NameRule) -> Result:
    score = Indel.normalized_similarity(_folded(reading.text.strip(), check), _folded(check.wanted.strip(), check))
    return Result(score, f"similarity {score:.2f}")


def _names(check: Check, reading: Reading, rule: NameRule) -> Result:
    value = reading.value
    given = [str(each) for each in value] if isinstance(value, list) else _lines(reading.text)
    if not given:
        return Result(0.0, "lists no names")
    index = NameIndex([Named(label, ()) for label in check.wanted], (), rule)
    found = sum(match.state in CORRECT for match in match_names(given, index))
    precision, recall = found / len(given), found / len(check.wanted)
    score = 2 * precision * recall / (precision + recall) if found else 0.0
    return Result(score, f"P {precision:.2f}, R {recall:.2f}, F1 {score:.2f}")


_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def _lines(text: str) -> list[str]:
    """Return the names in a text: its lines without bullets, or the comma-separated parts of a single line."""
    lines = [_BULLET.sub("", line).strip() for line in text.splitlines() if line.strip()]
    return [part.strip() for part in lines[0].split(",") if part.strip()] if len(lines) == 1 else lines


HEURISTICS: Mapping[str, Callable[[Check, Reading, NameRule], Result]] = {
    "equals": _equals,
    "contains": _contains,
    "contains_all": _contains,
    "contains_any": _contains_any,
    "not_contains": _not_contains,
    "regex": _regex,
    "starts_with": _starts_with,
    "one_of": _one_of,
    "number": _number,
    "json_schema": _json_schema,
    "required_fields": _required_fields,
    "no_placeholder": _no_placeholder,
    "max_words": _max_words,
    "similarity": _similarity,
    "names": _names,
}
"""By type of check. `row3.kinds.checks.running` runs the other types."""


def graded(value: object) -> float | None:
    """Return a scorer's result as a score; None for anything but a bool or a number in [0, 1]."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float) and math.isfinite(value) and 0 <= value <= 1:
        return float(value)
    return None
