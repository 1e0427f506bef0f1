from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from row3.matching.value.quantities import read_compound
from row3.matching.value.units import Value
from tests.rows import every_row

MINUTE, INCH, POUND = Fraction(60), Fraction("0.0254"), Fraction("453.59237")

READ = [
    ("2 h 30 min", 150 * MINUTE, "s"),
    ("2h30m", 150 * MINUTE, "s"),
    ("2 hrs, 30 mins", 150 * MINUTE, "s"),
    ("two hours and thirty minutes", 150 * MINUTE, "s"),
    ("1 hr 30", 90 * MINUTE, "s"),
    ("1 hour, 2 minutes and 3 seconds", Fraction(3723), "s"),
    ("3 weeks and 2 days", Fraction(23 * 86400), "s"),
    ("a year and six months", Fraction(18), "month"),
    ("5 ft 10 in", 70 * INCH, "m"),
    ("5 ft. 10 in.", 70 * INCH, "m"),
    ("5'10\"", 70 * INCH, "m"),
    ("six feet two", 74 * INCH, "m"),
    ("5-foot-10", 70 * INCH, "m"),
    ("3 m 20 cm", Fraction("3.2"), "m"),
    ("5 lb 4 oz", Fraction("5.25") * POUND, "g"),
]

NONE = (
    "2 h 90 min", "30 min 2 h", "5'13\"", "2 h and 30 people", "2 m 30 s", "a year and six days", "-2 h 30 min",
    "2-3 h 30 min", "2.5 h 30 min", "6 in 10", "two days or six hours", "between two days and six hours", "2 h",
    "1 hr 75", "and 2 h 30 min", "5 kw 10 w", "",
)  # fmt: skip


@every_row(("text", "amount", "base"), READ)
def test_parts_are_summed(text: str, amount: Fraction, base: str) -> None:
    assert read_compound(text) == Value("quantity", amount, base)


@every_row("text", NONE)
def test_other_texts_are_not_compound_quantities(text: str) -> None:
    assert read_compound(text) is None


@given(st.integers(0, 500), st.integers(0, 59))
def test_hours_and_minutes_equal_minutes(hours: int, minutes: int) -> None:
    assert read_compound(f"{hours} h {minutes} min") == Value("quantity", Fraction(60 * (60 * hours + minutes)), "s")
