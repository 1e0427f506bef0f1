"""The tables of `docs/noise.md`, and what `row3 power` knows of them, from `noise-results.json`.

    python -m benchmarks.noise_report

A table stands in the page between `<!-- NAME -->` and `<!-- /NAME -->`; the words around it are written by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.noise import CASES, PAIRED, RESULTS, SHOWN, SUITES, WATCHED, Cell, Situation

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "noise.md"
PACKED = ROOT / "row3" / "gate" / "noise.json"
"""The rates that `row3 power` reads, as fractions."""
Rates = Mapping[Cell, Mapping[str, float]]


def publish(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the tables, and write them into the page and the package."""
    found, page = rates(rows), PAGE.read_text(encoding="utf-8")
    for name, text in (
        ("suites", judged_table(found, SUITES)),
        ("watched", judged_table(found, WATCHED)),
        ("paired", paired_table(found)),
    ):
        print(text)
        between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        page = between.sub(lambda at, text=text: f"{at[1]}{text}\n{at[2]}", page)
    PAGE.write_text(page, encoding="utf-8")
    lines = [f"{json.dumps(each.name)}: {json.dumps(packed(found, each))}" for each in SUITES]
    PACKED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def packed(found: Rates, each: Situation) -> dict[int, list[float]]:
    """Return, by cases, false blocks asked once and confirmed, then found drops."""
    cells = {cases: [found[each.name, cases, drop] for drop in (0, each.drop)] for cases in CASES}
    return {
        cases: [round(cell.get(key, 0.0) / 100.0, 4) for cell in both for key in ("once", "blocked")]
        for cases, both in cells.items()
    }


def rates(rows: Sequence[Mapping[str, Any]]) -> Rates:
    """Return outcomes in per cent, by cell; confirming answers in per cent of the answers of one round."""
    return {
        Cell(*(row[name] for name in Cell._fields)): {
            key: 100.0 * count / row["runs"] for key, count in row["found"].items()
        }
        for row in rows
    }


def judged_table(found: Rates, situations: Sequence[Situation]) -> str:
    """Return Markdown; a field has false blocks and found drops, each asked once and confirmed."""
    lines = _head(situations is SUITES, "asked more", "looked at")
    for each in situations:
        fields = []
        for cases in CASES:
            same, worse = (found.get(Cell(each.name, cases, drop), {}) for drop in (0, each.drop))
            fields.append(f"{_both(same)}/{_both(worse)}")
        same = found.get(Cell(each.name, SHOWN, 0), {})
        lines.append(_row(each.name, *fields, f"{same.get('asked', 0.0):.0f}", rate(same.get("seen", 0.0))))
    return "\n".join(lines)


def paired_table(found: Rates) -> str:
    """Return Markdown: how often a loss of the limit passes, and how often nothing lost blocks."""
    lines = _head(False)
    for each in PAIRED:
        cells = [found.get(Cell(each.name, cases, each.drop), {}) for cases in CASES]
        fields = [rate(cell.get("passed", 0.0)) if each.drop else _both(cell) for cell in cells]
        words = "a loss of 5 passes" if each.drop else "nothing lost, blocked"
        lines.append(_row(f"{each.shape.name}: {words}", *fields))
    return "\n".join(lines)


def _head(suites: bool, *more: str) -> list[str]:
    first = "per cent of comparisons" if not suites else "suite, per cent of comparisons"
    return [_row(first, *(f"{cases} cases" for cases in CASES), *more), "|---|" + "--:|" * (len(CASES) + len(more))]


def _row(*fields: str) -> str:
    return f"| {' | '.join(fields)} |"


def _both(cell: Mapping[str, float]) -> str:
    return f"{rate(cell.get('once', 0.0))}→{rate(cell.get('blocked', 0.0))}"


def rate(value: float) -> str:
    """Return per cent, with a decimal where it is small."""
    return f"{value:.0f}" if value == 0.0 or value >= 9.5 else f"{value:.1f}"


def main() -> None:
    """Write the newest results again."""
    publish(json.loads(RESULTS.read_text(encoding="utf-8"))["cells"])


if __name__ == "__main__":
    main()
