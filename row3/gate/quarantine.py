"""How long a case may be in quarantine, and how many: a quarantine must not become a way around the gate."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from row3.domain.quarantine import Quarantined

LONGEST_DAYS = 90
SHARE = 5
"""At most one case of so many."""


def room(cases: int) -> int:
    """How many of a suite's cases may be in quarantine at once: a fifth, rounded down."""
    return cases // SHARE


def begins_later(entry: Quarantined, today: date) -> bool:
    """It begins after tomorrow: a day that is to come would stretch it beyond its limit (a clock may be a day off)."""
    return date.fromisoformat(entry.since) > today + timedelta(days=1)


def complaint(since: date, until: date) -> str:
    """What is wrong with the dates of a quarantine; empty where nothing is."""
    days = (until - since).days
    if days <= 0:
        return f"it ends on {until}, which is not after {since}, when it begins"
    if days > LONGEST_DAYS:
        return f"{days} days from {since} to {until} are more than {LONGEST_DAYS}"
    return ""


def split(entries: Iterable[Quarantined], today: date) -> tuple[tuple[Quarantined, ...], tuple[Quarantined, ...]]:
    """Those that are in force on a day, and those that have expired: on its last day a case counts again."""
    held = list(entries)
    active = tuple([entry for entry in held if today < date.fromisoformat(entry.until)])
    return active, tuple([entry for entry in held if entry not in active])
