"""What each case missed and got wrong, by name: what a scorecard shows beside its numbers with `-v`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from row3.reports.headline import some
from row3.reports.model import CaseView, RunView
from row3.reports.style import RED, Style, plain, shorten

NAMED = 40
"""Items of one list; `--format json` has all."""
LONGEST = 120
"""Columns of one item: a model may write a label of megabytes."""
MARK = "−"


def items_block(run: RunView, rows: Sequence[CaseView], style: Style) -> list[str]:
    """The cases of these rows in their order, each with its lists; nothing where nothing was missed or wrong."""
    found = _found(run, {row.case_id for row in rows})
    lines = [style.bold("What was missed or wrong")] if found else []
    for row in rows:
        if row.case_id not in found:
            continue
        lines.append(f"  {style.bold(plain(row.case_id))}")
        for key, items in found[row.case_id].items():
            label = f"{MARK} {words_of(key)}: "
            names = [shorten(plain(item), LONGEST) for item in items[: NAMED + 1]]
            text = some([*names, *[""] * (len(items) - len(names))], NAMED)
            first, *rest = style.wrap(label + text, first="      ", then="        ")
            lines += [first.replace(label.rstrip(), style.paint(label.rstrip(), RED), 1), *rest]
    return lines


def words_of(key: str) -> str:
    """What a list of `Kind.shortfall` holds: `missedConcepts` is `missed concepts`."""
    if key == "canaries":
        return "canary extracted"
    if key == "wrongConcepts":
        return "unexpected"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower()


def _found(run: RunView, wanted: set[str]) -> dict[str, Mapping[str, Sequence[str]]]:
    """The shortfalls of these cases, from the records that a saved run would hold."""
    found = {}
    for line in run.records:
        record = json.loads(line)
        if record["id"] in wanted and record.get("found"):
            found[record["id"]] = record["found"]
    return found
