"""The quarantine in every scorecard and comparison: cases that do not count, until when, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from row3.domain import numbers
from row3.domain.printable import plain
from row3.domain.quarantine import Quarantine, Quarantined
from row3.reports.document import Note
from row3.reports.style import PLAIN


def quarantine_note(quarantine: Quarantine) -> Note:
    """Return one line each for cases that do not count, that count again, and whose quarantine is not yet in force."""
    lines = []
    if quarantine.active:
        resting = "; ".join(
            f"{plain(each.case_id)} until {each.until}: {plain(each.reason)}" for each in quarantine.active
        )
        lines.append(f"! quarantined: {numbers.count(len(quarantine.active), 'case')} ({resting})")
    if quarantine.expired:
        named = "; ".join(f"{plain(each.case_id)} on {each.until}" for each in quarantine.expired)
        lines.append(f"! quarantine expired, counted again: {named}")
    if quarantine.waiting:
        named = ", ".join(plain(each.case_id) for each in quarantine.waiting)
        lines.append(f"! quarantine added by this change, not used to judge it: {named}")
    return Note(lines, "warning")


def changed_text(entry: Quarantined, file: str, *, left: int, released: bool) -> str:
    """Return what `row3 flaky quarantine` or `release` did."""
    name, resting = plain(entry.case_id), f"{numbers.count(left, 'case')} in quarantine"
    if released:
        texts = [f"{name} is out of quarantine and counts again; {resting}.", f"Commit {file}."]
    else:
        texts = [
            f"{name} does not count until {entry.until}; {resting}.",
            f"reason: {plain(entry.reason)}",
            f"Commit {file}. Hooks and --against use the base's quarantine, so it counts there once merged.",
        ]
    return "\n".join(line for text in texts for line in PLAIN.wrap(text, then="  ")) + "\n"


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
