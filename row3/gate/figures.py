"""Cost, tokens and latency: figures of every comparison, each with a limit of its own on how much it may rise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from row3.domain.changes import Verdict
from row3.domain.judgements import Code, Reason
from row3.domain.words import did_you_mean
from row3.errors import UsageError
from row3.gate.pairs import Pairs
from row3.gate.policy import NUMBER, POINT, exceeds

UNITS: Mapping[str, str] = {"cost": "USD", "tokens": "tokens", "latency": "s"}
"""Unit of each figure, which is that of a case's answers together, without judges' grades."""
MOST_RISE = 10_000
"""Largest limit, in per cent of the base."""


@dataclass(frozen=True, slots=True)
class FigureChange:
    """How one figure moved: means over the cases for which both sides know it."""

    key: str
    before: float
    now: float
    cases: int
    limit: float | None = None
    """The largest rise that the gate accepts, in per cent of the base."""

    @property
    def unit(self) -> str:
        """US dollars, tokens or seconds."""
        return UNITS[self.key]

    @property
    def rise(self) -> float:
        """The rise in per cent of the base; infinite from 0."""
        if self.now == self.before:
            return 0.0
        return POINT * (self.now - self.before) / self.before if self.before > 0 else math.inf

    def as_json(self) -> dict[str, float | None]:
        """Return the values; a rise from 0 is null."""
        values = {"before": self.before, "now": self.now, "difference": self.now - self.before}
        rise = self.rise if math.isfinite(self.rise) else None
        return {**values, "rise": rise, "limit": self.limit, "cases": self.cases}


def split_limits(text: str, metrics: Sequence[str], *, where: str) -> tuple[str, dict[str, float]]:
    """Return the limits of metrics, unread, and those of figures (`tokens:20%`) in per cent. Raises `UsageError`."""
    others: list[str] = []
    limits: dict[str, float] = {}
    for part in text.split(","):
        name, colon, number = (piece.strip() for piece in part.partition(":"))
        key = name.casefold()
        if not number.endswith("%"):
            if key in UNITS and key not in metrics and colon:
                fix = f"Write {key}:{number if NUMBER.fullmatch(number) else 20}%"
                raise UsageError(f"the limit of {key} is a share of the base's", where=where, fix=fix)
            others.append(part)
            continue
        amount = number.removesuffix("%").strip()
        if key not in UNITS:
            fix = did_you_mean(key, UNITS, f"Write {name}:{amount}; only {', '.join(UNITS)} take a limit in per cent")
            raise UsageError(f"`{part.strip()}` is not a limit", where=where, fix=fix)
        if key in limits:
            raise UsageError(f"`{key}` has two limits in per cent", where=where, fix="Keep one of them")
        if NUMBER.fullmatch(amount) is None or float(amount) > MOST_RISE:
            fix = f"Use a number from 0 to {MOST_RISE}, as in {key}:20%"
            raise UsageError(f"`{number}` is not a limit for {key}", where=where, fix=fix)
        limits[key] = float(amount)
    return ",".join(others), limits


def figure_changes(pairs: Pairs, limits: Mapping[str, float]) -> list[FigureChange]:
    """Return the change of each figure that a case has on both sides."""
    (before, now), counts = pairs.means(), pairs.counts()
    return [FigureChange(key, before[key], now[key], counts[key], limits.get(key)) for key in UNITS if key in counts]


def check_known(changes: Iterable[FigureChange], limits: Mapping[str, float], *, where: str) -> None:
    """Raise `UsageError` for a limit on a figure that no case has."""
    known = {change.key for change in changes}
    for key in limits:
        if key not in known:
            what = f"no case has the {key} of both sides' answers, so its limit of {limits[key]:g}% cannot be kept"
            price = "give the models [prices] in row3.toml, and " if key == "cost" else ""
            fix = f"To keep it, {price}record answers with their usage (--mode record); or remove the limit"
            raise UsageError(what, where=where, fix=fix)


def figure_reasons(changes: Iterable[FigureChange]) -> Iterator[Reason]:
    """Yield a reason that blocks for each figure that rose beyond its limit."""
    for each in changes:
        if each.limit is not None and exceeds(each.rise, each.limit):
            figures = {"before": each.before, "after": each.now, "limit": each.limit, "unit": each.unit}
            yield Reason(Code.WORSE, Verdict.BLOCK, each.key, figures)
