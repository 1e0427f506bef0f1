"""What all charts share: colours, labels, and saving a figure with the same bytes for the same input; small charts.

matplotlib is imported inside the functions that draw, and never through pyplot, so no global state stays behind.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from row3.domain.scores import Zone

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
PANEL, ROW = 2.2, 0.34
"""Inches: height of a panel of days, and of a row with an interval."""


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


class Panel(NamedTuple):
    """A figure by day, and for the days before; None is a gap."""

    title: str
    values: Sequence[float | None]
    before: Sequence[float | None]


class Estimate(NamedTuple):
    """A number with the ends of its interval."""

    name: str
    value: float
    low: float
    high: float


def days_chart(title: str, days: Sequence[str], panels: Sequence[Panel]) -> bytes:
    """Return an SVG of figures by day, a panel each; days are written YYYY-MM-DD."""

    def draw(axes: Mapping[str, Axes]) -> None:
        for panel in panels:
            one = axes[panel.title]
            one.set_title(label(panel.title))
            one.plot(_gaps(panel.before), color=MUTED, linestyle="--", marker="o", markersize=3, linewidth=1.2)
            one.plot(_gaps(panel.values), color=LINE, marker="o", markersize=4, linewidth=1.8)
            one.set_ylim(0, 1.1 * max([each for each in (*panel.values, *panel.before) if each], default=1.0))
            one.set_xticks(range(len(days)), [day[5:] for day in days])
            one.grid(visible=True, axis="y", color=FAINT, alpha=0.3, linewidth=0.8)

    rows = [(PANEL, [panel.title]) for panel in panels]
    return drawn("production", title, "line: these days; dashed: the days before", rows, draw)


def estimates_chart(title: str, caption: str, found: Sequence[Estimate], span: float) -> bytes:
    """Return an SVG of estimates below each other, with a line at 0; the scale goes from -span to +span."""

    def draw(axes: Mapping[str, Axes]) -> None:
        one, places = axes["all"], range(len(found))
        one.axvline(0, color=FRONT_INK, linewidth=0.9)
        one.hlines(places, [each.low for each in found], [each.high for each in found], color=LINE, linewidth=2.2)
        one.plot([each.value for each in found], places, color=LINE, linestyle="none", marker="o", markersize=6)
        one.set_yticks(places, [label(each.name) for each in found])
        one.set_xlim(-span, span)
        one.set_ylim(len(found) - 0.5, -0.5)

    return drawn("production", title, caption, [(0.5 + ROW * len(found), ["all"])], draw)


def _gaps(values: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]
