"""Rate limiting: concurrent requests, requests and tokens per minute.

Limits come from `row3.toml`, the endpoint's rate-limit headers and its 429 responses.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping

LONGEST_HOLD_S = 120.0
"""If the quota resets later than this, the request is sent anyway and the 429 says what to do."""
LIMITS = "x-ratelimit-"
"""Beginning of the headers that report a quota."""
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|)")
_SECONDS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}


class Bucket:
    """A token bucket that refills evenly and holds the allowance of one second, at least 1.

    Taking more than it holds leaves a debt, which delays the next request until it is refilled.
    """

    def __init__(self, per_minute: float | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = math.inf if per_minute is None else per_minute / 60
        self._most = max(1.0, self._per_s)
        self._level, self._at, self._clock = self._most, clock(), clock
        self._opens = -math.inf

    def take(self, amount: float) -> None:
        """Take `amount` out; a negative amount is put back."""
        if self._per_s < math.inf:
            self._fill()
            self._level -= amount

    def wait_s(self, amount: float) -> float:
        """Return the seconds until `amount` may be taken."""
        closed_s = self._opens - self._clock()
        if self._per_s == math.inf:
            return max(0.0, closed_s)
        self._fill()
        return max(0.0, closed_s, (min(amount, self._most) - self._level) / self._per_s)

    def close(self, seconds: float) -> None:
        """Allow nothing for some seconds."""
        self._opens = max(self._opens, self._clock() + seconds)

    def _fill(self) -> None:
        now = self._clock()
        self._level, self._at = min(self._most, self._level + (now - self._at) * self._per_s), now


class Pace:
    """Releases requests in order, as the limits allow.

    Concurrency is unlimited until the first 429, which halves it. Each full window of answers then raises it by one.
    """

    def __init__(self, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        self.requests, self.tokens = Bucket(requests_per_minute), Bucket(tokens_per_minute)
        self.at_once = math.inf
        self._under_way, self._holds, self._halved_at = 0, 0, -math.inf
        self._queue = asyncio.Lock()
        self._changed = asyncio.Event()

    @contextlib.asynccontextmanager
    async def turn(self, tokens: float) -> AsyncIterator[None]:
        """Wait until a request may be sent, and count it as under way inside the block."""
        async with self._queue:
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
        """Release nothing inside the block, because the endpoint asked to wait."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            self._changed.set()

    def rate_limited(self, sent_at: float) -> None:
        """Halve concurrency after a 429, unless the request was sent (`time.monotonic`) before the last halving."""
        if sent_at >= self._halved_at:
            self.at_once = max(1.0, min(self.at_once, self._under_way) / 2)
            self._halved_at = time.monotonic()

    def answered(self) -> None:
        """Raise concurrency a little after an answer."""
        self.at_once += 1 / self.at_once

    def read_limits(self, headers: Mapping[str, str]) -> None:
        """Wait for the reset if the headers (in lower case) report an exhausted quota."""
        for name, bucket in (("requests", self.requests), ("tokens", self.tokens)):
            left, reset = (headers.get(f"{LIMITS}{field}-{name}", "") for field in ("remaining", "reset"))
            if left.strip() == "0" and (seconds := span_s(reset)) <= LONGEST_HOLD_S:
                bucket.close(seconds)


def span_s(text: str) -> float:
    """Return the seconds in a span such as `6m0s`, `20ms` or `1.5`; 0 for anything else."""
    parts = _SPAN.findall(text.strip().lower())
    whole = "".join(number + unit for number, unit in parts) == text.strip().lower()
    return sum(float(number) * _SECONDS[unit] for number, unit in parts) if whole else 0.0
