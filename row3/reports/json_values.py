"""Fields of a value as JSON, under their own names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from row3.domain.judgements import Interval
from row3.domain.quarantine import Quarantine, Quarantined
from row3.gate.drift import Drift


def json_fields(value: object, *names: str) -> dict[str, Any]:
    """Return these fields of a value; `cost_usd` becomes `costUsd`."""
    return {re.sub(r"_(\w)", lambda match: match[1].upper(), name): getattr(value, name) for name in names}


def interval_json(interval: Interval) -> dict[str, float]:
    """Return the interval of a delta; fractions like it."""
    return json_fields(interval, "low", "high", "level", "p_value", "standard_error", "df", "units")


def quarantine_json(quarantine: Quarantine) -> dict[str, Any]:
    """Return the keys of a result: `quarantined` always, the others if not empty."""
    value: dict[str, Any] = {"quarantined": _entries(quarantine.active)}
    if quarantine.expired:
        value["quarantineExpired"] = _entries(quarantine.expired)
    if quarantine.waiting:
        value["quarantineWaiting"] = _entries(quarantine.waiting)
    return value


def _entries(entries: Sequence[Quarantined]) -> list[dict[str, str]]:
    return [{"case" if key == "case_id" else key: value for key, value in asdict(each).items()} for each in entries]


def drift_json(drift: Drift) -> dict[str, Any]:
    """Return each metric then, now and the difference; fractions."""
    return {
        "state": drift.state,
        "metric": drift.about.key,
        **json_fields(drift, "cases", "same", "smallest_drop"),
        "metrics": {
            change.key: {
                "baseline": change.baseline,
                "now": change.current,
                "delta": change.delta,
                "interval": change.interval and json_fields(change.interval, "low", "high", "level", "p_value"),
            }
            for change in drift.metrics
            if change.delta is not None
        },
    }
