"""How fast requests go out: so many at once, and so many requests and tokens a minute.

The limits are those of `row3.toml`, and what the endpoint itself says: what is left, and 429.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping

LONGEST_HOLD_S = 120.0
"""A server that has nothing left for longer than this is asked all the same: its 429 says what to do."""
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|)")
_SECONDS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}


class Bucket:
    """A token bucket: filled evenly by the minute's allowance, it holds that of one second, and at least 1.

    More may be taken than is in it; then it is empty for as long as that takes to come in.
    """

    def __init__(self, per_minute: float | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = math.inf if per_minute is None else per_minute / 60
        self._most = max(1.0, self._per_s)
        self._level, self._at, self._clock = self._most, clock(), clock
        self._opens = -math.inf

    def take(self, amount: float) -> None:
        """Take so much out, or put it back where it is negative."""
        if self._per_s < math.inf:
            self._fill()
            self._level -= amount

    def wait_s(self, amount: float) -> float:
        """Return the seconds until so much may be taken."""
        closed_s = self._opens - self._clock()
        if self._per_s == math.inf:
            return max(0.0, closed_s)
        self._fill()
        return max(0.0, closed_s, (min(amount, self._most) - self._level) / self._per_s)

    def close(self, seconds: float) -> None:
        """Let nothing be taken for some time."""
        self._opens = max(self._opens, self._clock() + seconds)

    def _fill(self) -> None:
        now = self._clock()
        self._level, self._at = min(self._most, self._level + (now - self._at) * self._per_s), now


class Pace:
    """Lets requests out in the order in which they come, as limits allow.

    How many are under way at once has no limit until the first 429, which halves it; every answer then raises it a
    little, by one for as many answers as are allowed at once.
    """

    def __init__(self, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        self.requests, self.tokens = Bucket(requests_per_minute), Bucket(tokens_per_minute)
        self.at_once = math.inf
        self._under_way, self._holds, self._halved_at = 0, 0, -math.inf
        self._line = asyncio.Lock()
        self._changed = asyncio.Event()

    @contextlib.asynccontextmanager
    async def turn(self, tokens: float) -> AsyncIterator[None]:
        """Wait for a place among the requests under way, and keep it."""
        async with self._line:
            while self._holds or self._under_way >= max(1, int(min(self.at_once, 1e9))):
                self._changed.clear()
                await self._changed.wait()
            while (wait_s := max(self.requests.wait_s(1), self.tokens.wait_s(tokens))) > 0:
                await asyncio.sleep(wait_s)
            self.requests.take(1)
            self.tokens.take(tokens)
            self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._changed.set()

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Let nothing out: the endpoint has asked to wait."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            self._changed.set()

    def refused(self, sent_at: float) -> None:
        """Take in a 429 to what was sent then (`time.monotonic`); of those sent before it was halved, one counts."""
        if sent_at >= self._halved_at:
            self.at_once = max(1.0, min(self.at_once, self._under_way) / 2)
            self._halved_at = time.monotonic()

    def answered(self) -> None:
        """Take in that an answer came."""
        self.at_once += 1 / self.at_once

    def told(self, headers: Mapping[str, str]) -> None:
        """Take in what the headers of an answer say is left; `headers` must find names whatever their case."""
        for name, bucket in (("requests", self.requests), ("tokens", self.tokens)):
            left, reset = (headers.get(f"x-ratelimit-{what}-{name}", "") for what in ("remaining", "reset"))
            if left.strip() == "0" and (seconds := span_s(reset)) <= LONGEST_HOLD_S:
                bucket.close(seconds)


def span_s(text: str) -> float:
    """Return the seconds in a span such as `6m0s`, `20ms` or `1.5`; 0 for anything else."""
    parts = _SPAN.findall(text.strip().lower())
    whole = "".join(number + unit for number, unit in parts) == text.strip().lower()
    return sum(float(number) * _SECONDS[unit] for number, unit in parts) if whole else 0.0
