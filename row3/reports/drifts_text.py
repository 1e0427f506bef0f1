"""`row3 drift --all` on a terminal and as JSON: one suite after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from row3.errors import Row3Error
from row3.reports.drift_text import DriftedView, drift_report_json, drift_text, verdict_text
from row3.reports.style import Style, cells, plain, shorten

SCHEMA_VERSION = 1


def drifts_text(found: Mapping[str, DriftedView | Row3Error], style: Style, *, verbose: bool = False) -> str:
    """Each suite under a rule with its name, then a line for each: a suite that could not be asked says why."""
    parts = []
    for name, one in found.items():
        if isinstance(one, Row3Error):
            parts.append("\n".join([_rule(name, style), *style.wrap(plain(str(one)))]))
        else:
            parts.append(f"{_rule(name, style)}\n{drift_text(one, style, verbose=verbose).rstrip()}")
    lines = []
    for name, one in found.items():
        said = "not asked, see above" if isinstance(one, Row3Error) else plain(verdict_text(one))
        lines += style.wrap(said, first=f"{plain(name)}: ", then="  ")
    return "\n\n".join([*parts, "\n".join([style.dim("─" * style.width), *lines])]) + "\n"


def drifts_json(found: Mapping[str, DriftedView | Row3Error]) -> dict[str, Any]:
    """All findings as plain values; one that could not be had is `suite` and `error`."""
    suites = [
        {"suite": name, "error": str(one)} if isinstance(one, Row3Error) else drift_report_json(one)
        for name, one in found.items()
    ]
    return {"schemaVersion": SCHEMA_VERSION, "suites": suites}


def _rule(name: str, style: Style) -> str:
    head = f"── {shorten(plain(name), style.width - 8)} "
    return style.bold(head + "─" * (style.width - cells(head)))
