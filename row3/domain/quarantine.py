"""Quarantine: cases that are asked, scored and listed, but do not count for a limited time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

LONGEST_DAYS = 90
SHARE = 5
"""At most one case in this many, so that quarantine cannot be used to bypass the gate."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One case in quarantine; dates are YYYY-MM-DD, UTC."""

    case_id: str
    since: str
    until: str
    """The first day on which the case counts again."""
    reason: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A suite's quarantine on the day of a run."""

    active: tuple[Quarantined, ...] = ()
    expired: tuple[Quarantined, ...] = ()
    """Past entries, whose cases count again."""
    waiting: tuple[Quarantined, ...] = ()
    """Entries added by the judged change; the base lacks them, so the cases still count."""


NO_QUARANTINE = Quarantine()


def room(cases: int) -> int:
    """Return how many of a suite's cases may be in quarantine at once: a fifth, rounded down."""
    return cases // SHARE


def complaint(since: date, until: date) -> str:
    """Return what is wrong with a quarantine's dates; empty if they are valid."""
    days = (until - since).days
    if days <= 0:
        return f"its end, {until}, is not after its start, {since}"
    if days > LONGEST_DAYS:
        return f"it lasts {days} days, from {since} to {until}; the maximum is {LONGEST_DAYS}"
    return ""


def split(entries: Iterable[Quarantined], today: date) -> tuple[tuple[Quarantined, ...], tuple[Quarantined, ...]]:
    """Return the active and the expired entries on a day; an entry expires on its `until` day."""
    held = list(entries)
    active = tuple(entry for entry in held if today < date.fromisoformat(entry.until))
    return active, tuple(entry for entry in held if entry not in active)
