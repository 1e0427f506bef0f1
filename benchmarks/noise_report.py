"""The tables of `docs/noise.md` and its chart, from `noise-results.json`.

    python -m benchmarks.noise_report

A table stands in the page between `<!-- name -->` and `<!-- /name -->`; the words around it are written by hand.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

from benchmarks.noise_tables import BLOCKED, CASES, PASSED, TABLES, Results

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "noise.md"
CHART = ROOT / "docs" / "noise.svg"
RESULTS = Path(__file__).parent / "noise-results.json"


def publish(value: dict[str, Any]) -> None:
    """Prints the tables, and writes them into the page and the chart beside it."""
    found = Results(value)
    page = PAGE.read_text(encoding="utf-8")
    for name, made in TABLES.items():
        text = made(found)
        print(f"\n{name}\n{text}")
        page = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)",
            lambda match, text=text: f"{match[1]}{text}\n{match[2]}",
            page,
            flags=re.DOTALL,
        )
    PAGE.write_text(page, encoding="utf-8")
    CHART.write_bytes(draw(found))


def draw(found: Results) -> bytes:
    """False blocks, passes of a drop of the limit, and blocks of ten points, by the number of cases."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "noise",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
    colours = {
        "shipped": "#1b6ca8",
        "bad answers": "#7a4fa3",
        "noisy": "#d1662b",
        "pass or fail": "#5b8c3a",
        "breaking": "#a8324a",
    }
    figure = Figure(figsize=(10, 3.5), layout="constrained")
    panels = figure.subplots(1, 3)
    places = range(len(CASES))

    def line(panel: Any, shape: str, rule: str, metrics: int, drop: int, what: int) -> None:
        rates = [found.all_rates([shape], rule, (n, 1), drop, what, [metrics])[0] for n in CASES]
        style = "-o" if rule == "paired" else "--s"
        panel.errorbar(
            places,
            [rate.value for rate in rates],
            yerr=[rate.error for rate in rates],
            fmt=style,
            color=colours[shape],
            markersize=3.5,
            linewidth=1.3,
            elinewidth=0.7,
            label=f"{shape}, {rule}",
        )

    for shape in ("shipped", "bad answers", "noisy", "pass or fail"):
        for rule in ("fixed", "paired"):
            line(panels[0], shape, rule, 6, 0, BLOCKED)
            line(panels[2], shape, rule, 1, 10, BLOCKED)
        line(panels[1], shape, "paired", 1, 5, PASSED)
    line(panels[1], "breaking", "paired", 1, 5, PASSED)
    titles = (
        "No change, 6 metrics: falsely blocked",
        "A drop of 5, the limit: passes",
        "A drop of 10, 1 metric: blocked",
    )
    for panel, title, top in zip(panels, titles, (60, 16, 102), strict=True):
        panel.set_title(title, fontsize=9.5, loc="left")
        panel.set_xticks(list(places), [f"{n}" for n in CASES])
        panel.set_xlabel("cases, one answer each")
        panel.set_ylim(-0.02 * top, top)
        panel.grid(axis="y", color="#dddddd", linewidth=0.6)
        panel.yaxis.set_major_formatter("{x:.0f}%")
    for panel in panels[:2]:
        panel.axhline(5.0, color="#888888", linewidth=1.0, linestyle=":")
        place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        panel.annotate("5%", (1.0, 5.0), xytext=(2, -3), fontsize=8, color="#666666", **place)
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False, fontsize=8
    )
    panels[1].legend(loc="upper right", frameon=False, fontsize=8)
    content = io.BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None, "Creator": None})
    return content.getvalue()


if __name__ == "__main__":
    publish(json.loads(RESULTS.read_text(encoding="utf-8")))
