"""Shared by all charts: colours, labels, and saving a figure with the same bytes for the same input.

matplotlib is imported inside the functions that draw, and never through pyplot, so no global state stays behind.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from row3.domain.metrics import Zone

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, AROUND = 8.5, 1.2
"""Inches: width of the figure, and height of title and caption. Narrow, so that text stays readable at half size."""
PNG_DPI = 160
FONTS = ("DejaVu Sans", "Helvetica Neue", "Helvetica", "Arial")
"""matplotlib ships the first, so a PNG is the same on every machine; an SVG uses the first available one."""
INK = "#17212B"
MUTED = "#55606C"
FAINT = "#8C959F"
LINE = "#10314F"
FRONT_INK = "#B4501E"
ZONE_FILL = {Zone.FAIL: "#EBDAD3", Zone.MARGINAL: "#F5EDDF", Zone.PASS: "#F7F9FA", Zone.EXCELLENT: "#FFFFFF"}
"""Pale, so that the line stands out; graded from zone to zone, so that a print in grey shows them."""
LONGEST = 44


def label(text: str) -> str:
    """Return one line of printable characters; a very long text keeps its beginning and its end."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 13].rstrip()}…{line[-12:].lstrip()}"


def drawn(
    name: str,
    title: str,
    caption: str,
    rows: Sequence[tuple[float, Sequence[str]]],
    draw: Callable[[Mapping[str, Axes]], None],
    *,
    png: bool = False,
) -> bytes:
    """Return a figure of panels under a title, with a caption below; all texts are literal.

    `name` makes the ids in the SVG; `rows` have height in inches and names of panels, which `draw` fills.
    """
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_style(name))
        heights = [height for height, _ in rows]
        figure = Figure(
            figsize=(WIDTH, sum(heights) + AROUND),
            facecolor="white",
            layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08),
        )
        panels: Any = [list(names) for _, names in rows]
        draw(figure.subplot_mosaic(panels, height_ratios=heights))
        figure.suptitle(title, weight="bold", size=15, x=0.02, ha="left")
        figure.supxlabel(caption, size=10, color=MUTED, x=0.02, ha="left")
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for axes in figure.axes:  # the solver's last digits vary
            left, bottom, width, height = (round(end, 4) for end in axes.get_position().bounds)
            axes.set_position((left, bottom, width, height))
        buffer = io.BytesIO()
        if png:
            figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Software": None})
        else:
            metadata = {"Date": None, "Creator": None, "Title": f"Quality trend: {label(name)}. {title}"}
            figure.savefig(buffer, format="svg", metadata=metadata)
        return buffer.getvalue()


def _style(name: str) -> Any:
    """Return settings that override any matplotlibrc and take labels literally."""
    return {
        "font.family": "sans-serif",
        "font.sans-serif": FONTS,
        "font.size": 11,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.titlesize": 12,
        "axes.edgecolor": FAINT,
        "axes.spines.left": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelsize": 10.5,
        "ytick.labelsize": 10.5,
        "xtick.major.size": 0,
        "ytick.major.size": 0,
        "svg.fonttype": "none",
        "svg.hashsalt": f"row3 {name}",
        "text.parse_math": False,
        "text.usetex": False,
    }
