"""How long to wait before the next try: what the server asks for, else exponential back-off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

FIRST_DELAY_S = 1.0
LONGEST_BACKOFF_S = 30.0
LONGEST_ASKED_S = 120.0
"""A server that asks for more seconds than this is given up on: the user can come back, the run cannot wait."""
LONGEST_TOTAL_S = 300.0
"""Seconds that one request may spend waiting, all its tries together."""


def asked_delay(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that `retry-after-ms` or `Retry-After` (seconds or HTTP date) ask for; None if they do not.

    `headers` must find names whatever their case. `now` is in seconds since 1970.
    """
    for name, per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _number(headers.get(name), per_second)
        if seconds is not None:
            return seconds
    try:
        when = parsedate_to_datetime(headers.get("retry-after") or "")
        # "-0000" gives a time without a zone, which means UTC.
        return max(0.0, (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def _number(text: str | None, per_second: float) -> float | None:
    try:
        value = float(text or "") / per_second
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def backoff_s(tries: int, chance: float) -> float:
    """Seconds to wait after so many failed tries (1, 2, …): doubling from one second, half of it by chance.

    `chance` in [0, 1) spreads requests that failed at the same moment; the result never exceeds 30 s.
    """
    whole = min(LONGEST_BACKOFF_S, FIRST_DELAY_S * 2.0 ** min(tries - 1, 10))
    return whole * (0.5 + 0.5 * chance)
