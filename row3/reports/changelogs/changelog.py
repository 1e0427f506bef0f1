"""Entries of CHANGELOG.md in the format of STANDARDS 5.3."""

from __future__ import annotations

from collections.abc import Sequence

from row3.reports import numbers
from row3.reports.style import plain

TO_WRITE = "<!-- What changes and why, one line each. -->"
"""Stands under `### Changes` of an entry that is not released, until somebody writes there."""

MetricRow = tuple[str, float | None, float | None, bool]
"""Title, before, after (fractions; None where not measured), and whether higher is better."""


def changelog_entry(
    version: str,
    date: str,
    prompt: str,
    *,
    changes: Sequence[str],
    rows: Sequence[MetricRow],
    baseline_version: str | None,
    notes: Sequence[str] = (),
    approval: str = "",
) -> str:
    """An entry for a promoted version; ends with a newline.

    Args:
        baseline_version: what the metrics are compared with; None where there was nothing, for a single column.
        approval: who approved a blocked comparison, when and why; the first of the notes.
    """
    remarks = [_approved(approval)] if approval else []
    parts = [
        [f"## {version} ({date})"],
        [f"Prompt: {prompt}"],
        ["### Changes", *(bullets(changes) or [TO_WRITE])],
        ["### Metrics Impact", *_table(version, baseline_version, rows)],
        ["### Notes", *bullets([*remarks, *notes])] if remarks or notes else [],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def unreleased_entry(version: str, prompt: str, *, approval: str = "") -> str:
    """The entry that a new version begins with; an approval stands among its notes."""
    notes = f"\n### Notes\n- {_approved(approval)}\n" if approval else ""
    return f"## {version} (Unreleased)\n\nPrompt: {prompt}\n\n### Changes\n{TO_WRITE}\n{notes}"


def approval_entry(date: str, approval: str) -> str:
    """An approval that belongs to no new version: the model, a case or a setting is what changed."""
    return f"## Approval ({date})\n\n### Notes\n- {_approved(approval)}\n"


def _approved(approval: str) -> str:
    return f"Approved although the gate blocked: {plain(approval)}"


def bullets(items: Sequence[str]) -> list[str]:
    """One bullet an item; the further lines of an item are set under its first."""
    return [f"- {item.strip()}".replace("\n", "\n  ") for item in items if item.strip()]


def _table(version: str, baseline: str | None, rows: Sequence[MetricRow]) -> list[str]:
    headers = ["Metric", version] if baseline is None else ["Metric", baseline, version, "Delta"]
    lines = [_row(headers), "|" + "|".join("-" * (len(header) + 2) for header in headers) + "|"]
    for title, before, after, higher_is_better in rows:
        name = plain(title) if higher_is_better else f"{plain(title)} (lower is better)"
        values = [_value(after)] if baseline is None else [_value(before), _value(after), _delta(before, after)]
        lines.append(_row([name, *values]))
    return lines


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _value(value: float | None) -> str:
    return "–" if value is None else numbers.compact(value)


def _delta(before: float | None, after: float | None) -> str:
    return "–" if before is None or after is None else numbers.changelog_delta(after - before)
