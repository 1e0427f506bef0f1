"""What all charts share: colours, labels, and saving a figure as SVG and PNG, with the same bytes for the same input.

matplotlib is imported inside the functions that draw, and never through pyplot, so no global state stays behind.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from row3.domain.metrics import Zone

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, AROUND = 10.0, 1.1
"""Inches: of the figure, and the height of title and caption."""
PNG_DPI = 160
FONTS = ("DejaVu Sans", "Helvetica Neue", "Helvetica", "Arial")
"""matplotlib ships the first, so a PNG is the same on every machine; an SVG takes the first at hand."""
INK = "#17212B"
MUTED = "#55606C"
LINE = "#10314F"
FAIL_LIMIT = "#A8492B"
PROMOTION = "#3D4A57"
FRONT_INK = "#B4501E"
ZONE_FILL = {Zone.FAIL: "#EFC4B4", Zone.MARGINAL: "#F6E2BC", Zone.PASS: "#E8F2F6", Zone.EXCELLENT: "#F6FAFC"}
"""Orange against blue for colour-blind readers, and lighter with every zone for a print in grey."""
LONGEST = 44


def label(text: str) -> str:
    """One line of printable characters; a very long text keeps its beginning and its end."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 13].rstrip()}…{line[-12:].lstrip()}"


def percent(value: float, digits: int | None = None) -> str:
    """A fraction as a percentage: 0.784 is `78.4%`; without `digits` as short as it is exact."""
    return f"{value * 100:.4g}%" if digits is None else f"{value * 100:.{digits}f}%"


@dataclass(frozen=True, slots=True)
class ChartFiles:
    """One figure in two formats."""

    svg: bytes
    png: bytes


def drawn(
    name: str,
    title: str,
    caption: str,
    rows: Sequence[tuple[float, Sequence[str]]],
    draw: Callable[[Mapping[str, Axes]], None],
) -> ChartFiles:
    """Return a figure of panels under a title, with a caption below; all texts are taken literally.

    `name` makes the ids in the SVG; `rows` have height in inches and names of panels (`.` leaves a place empty), which
    `draw` fills.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_style(name))
        heights = [height for height, _ in rows]
        figure = Figure(figsize=(WIDTH, sum(heights) + AROUND), facecolor="white", layout="constrained")
        panels: Any = [list(names) for _, names in rows]
        draw(figure.subplot_mosaic(panels, height_ratios=heights))
        figure.suptitle(title, weight="bold", size=13)
        figure.supxlabel(caption, size=8, color=MUTED)
        return ChartFiles(
            svg=_saved(figure, format="svg", metadata={"Date": None, "Creator": None, "Title": title}),
            png=_saved(figure, format="png", dpi=PNG_DPI, metadata={"Software": None}),
        )


def _style(name: str) -> Any:
    """Whatever a user's matplotlibrc says, the chart looks the same and takes labels literally."""
    return {
        "font.family": "sans-serif",
        "font.sans-serif": FONTS,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.titlesize": 10,
        "axes.edgecolor": MUTED,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "xtick.major.size": 0,
        "ytick.major.size": 0,
        "legend.frameon": False,
        "legend.fontsize": 8,
        "svg.fonttype": "none",
        "svg.hashsalt": f"row3 {name}",
        "text.parse_math": False,
        "text.usetex": False,
    }


def _saved(figure: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, **options)
    return buffer.getvalue()
