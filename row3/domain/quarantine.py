"""Cases that are asked, scored and listed, and for a while count for nothing."""

from __future__ import annotations

from dataclasses import dataclass


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
