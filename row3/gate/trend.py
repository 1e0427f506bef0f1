"""Declining runs in a row (STANDARDS 4.4)."""

from __future__ import annotations

from collections.abc import Sequence

from row3.gate.zones import SLACK


def consecutive_declines(values: Sequence[float]) -> int:
    """How many of the latest runs were each worse than the one before; `values` oldest first."""
    count = 0
    for before, after in zip(reversed(values[:-1]), reversed(values[1:]), strict=True):
        if after >= before - SLACK:
            break
        count += 1
    return count
