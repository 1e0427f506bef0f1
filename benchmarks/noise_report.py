"""The table of `docs/noise.md` and its chart, from `noise-results.json`.

    python -m benchmarks.noise_report

The table stands in the page between `<!-- rates -->` and `<!-- /rates -->`; the words around it are written by hand.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.noise import CASES, RESULTS, Cell
from benchmarks.noise_shapes import COLLAPSES, SHAPES

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "noise.md"
CHART = ROOT / "docs" / "noise.svg"
Rates = Mapping[Cell, Mapping[str, float]]


def publish(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the table, and write table and chart."""
    found = rates(rows)
    text = table(found)
    print(text)
    write_table("rates", text)
    CHART.write_bytes(draw(found))


def write_table(name: str, text: str) -> None:
    """Put a table into the page, between its two marks."""
    between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(between.sub(lambda at: f"{at[1]}{text}\n{at[2]}", page), encoding="utf-8")


def rates(rows: Sequence[Mapping[str, Any]]) -> Rates:
    """Return outcomes in per cent, by cell."""
    return {
        Cell(*(row[name] for name in Cell._fields)): {
            key: 100.0 * count / row["runs"] for key, count in row["found"].items()
        }
        for row in rows
    }


def table(found: Rates) -> str:
    """Return Markdown; each number field is a rate for each number of cases."""
    heads = ("what the gate says, per cent", "gated", *(f"{cases} cases" for cases in CASES))
    lines = ["| " + " | ".join(heads) + " |", "|---|--:|" + "--:|" * len(CASES)]
    for words, policy, drop, outcome, counts in (
        ("**no change**: `fixed` blocks", "fixed", 0, "blocked", (1, 6)),
        ("`evidence` blocks", "evidence", 0, "blocked", (6,)),
        ("`evidence` blocks by a component", "evidence", 0, "by a component", (6,)),
        ("`paired` blocks", "paired", 0, "blocked", (6,)),
        ("**all lose 10 points**: `evidence` blocks", "evidence", 10, "blocked", (6,)),
        ("`evidence` blocks or investigates", "evidence", 10, "seen", (6,)),
        ("`paired` blocks", "paired", 10, "blocked", (6,)),
        ("**loss of the limit**: passes `paired`", "paired", 5, "passed", (1,)),
    ):
        for count in counts:
            cells = [
                "/".join(
                    _rate(found, Cell(shape.name, cases, 1, drop), f"{policy} {count} {outcome}") for shape in SHAPES
                )
                for cases in CASES
            ]
            lines.append("| " + " | ".join((words, str(count), *cells)) + " |")
    for shape in COLLAPSES:
        cells = [
            "/".join(_rate(found, Cell(shape.name, cases, repeats, 5), "paired 1 passed") for repeats in (1, 5))
            for cases in CASES
        ]
        lines.append("| " + " | ".join((f"**{shape.name}**: passes `paired`, asked 1 / 5 times", "1", *cells)) + " |")
    return "\n".join(lines)


def _rate(found: Rates, cell: Cell, key: str) -> str:
    return rate(found.get(cell, {}).get(key, 0.0))


def rate(value: float) -> str:
    """Return per cent, with a decimal where it is small."""
    return f"{value:.0f}" if value == 0.0 or value >= 9.5 else f"{value:.1f}"


def draw(found: Rates) -> bytes:
    """Return false blocks and found drops of ten points, by the number of cases; six gated metrics."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "noise", "font.size": 9})
    colours = ("#1b6ca8", "#d1662b", "#7a4fa3", "#5b8c3a", "#a8324a")
    figure = Figure(figsize=(9, 3.3), layout="constrained")
    panels = figure.subplots(1, 2)
    for panel, drop, title in zip(
        panels, (0, 10), ("No change: blocked", "All metrics lose 10 points: blocked"), strict=True
    ):
        for shape, colour in zip(SHAPES, colours, strict=True):
            for policy, style in (("fixed", ":"), ("evidence", "-o"), ("paired", "--")):
                values = [found.get(Cell(shape.name, n, 1, drop), {}).get(f"{policy} 6 blocked", 0.0) for n in CASES]
                panel.plot(range(len(CASES)), values, style, color=colour, markersize=3, linewidth=1.2)
        panel.set_title(title, fontsize=9)
        panel.set_xticks(range(len(CASES)), [str(cases) for cases in CASES])
        panel.set_xlabel("cases")
        panel.set_ylim(-2, 102)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("per cent")
    for shape, colour in zip(SHAPES, colours, strict=True):
        panels[0].plot([], [], color=colour, label=shape.name)
    for policy, style in (("fixed", ":"), ("evidence", "-o"), ("paired", "--")):
        panels[0].plot([], [], style, color="#555555", markersize=3, label=policy)
    panels[0].legend(frameon=False, fontsize=8, ncols=2)
    text = io.BytesIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def main() -> None:
    """Draw the newest results again."""
    publish(json.loads(RESULTS.read_text(encoding="utf-8"))["cells"])


if __name__ == "__main__":
    main()
