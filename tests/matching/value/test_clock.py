from __future__ import annotations

import pytest

from row3.matching.value.clock import time_of

READ = """
half past six | T06:30
half past nine in the morning | T09:30
half past nine in the evening | T21:30
quarter to nine | T08:45
a quarter past three | T03:15
quarter to one | T12:45
quarter to one in the afternoon | T12:45
quarter to twelve at night | T23:45
half past twelve at night | T00:30
half past twelve | T12:30
twenty-five past two | T02:25
ten minutes to four | T03:50
twenty to six in the evening | T17:40
10 past 4 | T04:10
quarter to noon | T11:45
quarter past midnight | T00:15
ten minutes to midnight | T23:50
three o'clock | T03:00
three o’clock in the afternoon | T15:00
9:30 in the morning | T09:30
seven in the morning | T07:00
three p.m. | T15:00
eleven thirty p.m. | T23:30
12 noon | T12:00
twelve midnight | T00:00
0630 hours | T06:30
"""

NONE = (
    "ten to six", "ten to one", "five to ten", "nine to five in the afternoon", "ten to twelve in the morning",
    "half to six", "half past thirteen", "five past presidents", "past six", "1500 hours", "three", "seven thirty",
    "three o'clock news", "nine in the afternoon", "thirteen o'clock", "forty past six", "noon", "in the morning", "",
)  # fmt: skip


@pytest.mark.parametrize("line", READ.strip().splitlines())
def test_a_time_in_words_is_read(line: str) -> None:
    text, time = line.split(" | ")
    assert time_of(text) == time


@pytest.mark.parametrize("text", NONE)
def test_what_may_be_no_time_is_none(text: str) -> None:
    assert time_of(text) is None
