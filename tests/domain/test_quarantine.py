"""The limits of a quarantine, its length and its number of cases, and its last day."""

from __future__ import annotations

from datetime import date, timedelta

from row3.domain.quarantine import LONGEST_DAYS, Quarantined, complaint, room, split
from tests.rows import every_row

START = date(2026, 11, 22)


@every_row(("cases", "most"), [(0, 0), (4, 0), (5, 1), (9, 1), (10, 2), (15, 3), (10_000, 2000)])
def test_a_fifth_rounded_down(cases: int, most: int) -> None:
    assert room(cases) == most


@every_row(
    ("days", "says"),
    [(-1, "not after"), (0, "not after"), (1, ""), (LONGEST_DAYS, ""), (LONGEST_DAYS + 1, "91 days")],
)
def test_from_one_day_to_ninety(days: int, says: str) -> None:
    found = complaint(START, START + timedelta(days=days))
    assert says in found
    assert bool(found) is bool(says)


@every_row(("today", "active"), [("2026-11-30", True), ("2026-12-01", False), ("2027-01-01", False)])
def test_on_its_last_day_a_case_counts_again(today: str, active: bool) -> None:
    entry = Quarantined("rye", "2026-11-22", "2026-12-01", "wavers")
    on, off = split([entry], date.fromisoformat(today))
    assert (on, off) == (((entry,), ()) if active else ((), (entry,)))


def test_each_entry_expires_on_its_own_date() -> None:
    entries = [
        Quarantined(name, "2026-11-22", until, "x") for name, until in (("a", "2026-12-01"), ("b", "2026-12-09"))
    ]
    on, off = split(entries, date(2026, 12, 5))
    assert [entry.case_id for entry in on] == ["b"]
    assert [entry.case_id for entry in off] == ["a"]
