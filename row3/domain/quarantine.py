"""Cases that are asked, scored and listed, and for a while count for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

LONGEST_DAYS = 90
SHARE = 5
"""At most one case in so many: a quarantine must not become a way around the gate."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One case in quarantine; dates are YYYY-MM-DD, UTC."""

    case_id: str
    since: str
    until: str
    """The day from which it counts again."""
    reason: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A suite's quarantine on the day of a run."""

    active: tuple[Quarantined, ...] = ()
    expired: tuple[Quarantined, ...] = ()
    """Their day has come: they count again."""
    waiting: tuple[Quarantined, ...] = ()
    """Brought by the change that is judged: the base does not have them, so they count."""


NO_QUARANTINE = Quarantine()


def room(cases: int) -> int:
    """How many of a suite's cases may be in quarantine at once: a fifth, rounded down."""
    return cases // SHARE


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
