"""A figure as SVG and PNG: the same input gives the same bytes, whatever a user's matplotlibrc says.

matplotlib is imported inside the function that draws, and never through pyplot, so nothing global stays behind.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PNG_DPI = 160
FONTS = ("DejaVu Sans", "Helvetica Neue", "Helvetica", "Arial", "sans-serif")
"""matplotlib brings the first along, so a PNG is the same on every machine; an SVG takes the first at hand."""


@dataclass(frozen=True, slots=True)
class ChartFiles:
    """One figure in two formats."""

    svg: bytes
    png: bytes


def drawn(suite: str, compose: Callable[[], tuple[Figure, str]]) -> ChartFiles:
    """What `compose` draws, which returns a figure and its title; labels are taken literally."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_style(suite))
        figure, title = compose()
        return ChartFiles(
            svg=_saved(figure, format="svg", metadata={"Date": None, "Creator": None, "Title": title}),
            png=_saved(figure, format="png", dpi=PNG_DPI, metadata={"Software": None}),
        )


def _style(suite: str) -> Any:
    """Whatever a user's matplotlibrc says, the chart looks the same and takes labels literally."""
    return {
        "font.family": "sans-serif",
        "font.sans-serif": FONTS[:-1],
        "svg.fonttype": "none",
        "svg.hashsalt": f"row3 {suite}",
        "text.parse_math": False,
        "text.usetex": False,
    }


def _saved(figure: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, **options)
    return buffer.getvalue()
