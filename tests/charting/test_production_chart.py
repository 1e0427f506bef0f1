"""Charts of production."""

from __future__ import annotations

from xml.etree import ElementTree

from row3.charting.drawing import Estimate, Panel, days_chart, estimates_chart

DAYS = ["2026-11-22", "2026-11-23", "2026-11-24"]
PANELS = [Panel("Errors", [0.1, None, 0.2], [None, 0.0, 0.1]), Panel("Empty", [None] * 3, [None] * 3)]


def texts(svg: bytes) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [str(each.text).strip() for each in root.iter("{http://www.w3.org/2000/svg}text")]


def test_days_have_a_panel_for_each_figure_and_the_same_bytes() -> None:
    svg = days_chart("A week", DAYS, PANELS)
    assert {"11-22", "11-23", "11-24", "Errors", "Empty", "A week"} <= set(texts(svg))
    assert svg == days_chart("A week", DAYS, PANELS)


def test_estimates_are_named_in_their_order_on_one_scale() -> None:
    found = [Estimate("recall $x_1$", 0.5, 0.2, 0.8), Estimate("cost", -0.1, -3.0, 3.0)]
    said = texts(estimates_chart("metrics", "Spearman's ρ", found, 1.0))
    assert [each for each in said if each in ("recall $x_1$", "cost")] == ["recall $x_1$", "cost"]
    assert "1.00" in said and "3.00" not in said and "Spearman's ρ" in said
