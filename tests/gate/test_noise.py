"""The simulation behind `docs/noise.md`: its suites fall by the given drop, and the gate keeps its error rates."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.noise import Cell, cells, run, simulate
from benchmarks.noise_designs import DESIGNS
from benchmarks.noise_designs import table as designs_table
from benchmarks.noise_report import draw, rates, table
from benchmarks.noise_shapes import COLLAPSES, SHAPES, Shape, comparisons
from tests.rows import every_row


@every_row("shape", [*SHAPES, *COLLAPSES])
@every_row("drop", [0.0, 0.1])
def test_the_composite_falls_by_the_given_drop(shape: Shape, drop: float) -> None:
    before, after = comparisons(np.random.default_rng(1), shape, 200, 1, drop, 200)
    moved = after["overall"] - before["overall"]
    error = moved.mean(axis=(1, 2)).std() / np.sqrt(200)
    assert moved.mean() == pytest.approx(-drop, abs=4 * error + 1e-3)


def test_a_component_rarely_blocks_equal_prompts() -> None:
    for shape in ("noisy items", "all or nothing"):
        found = simulate(Cell(shape, 15, 1, 0), 120, seed=2)
        assert found.get("evidence 6 by a component", 0) <= 12
        assert found.get("evidence 6 by a component", 0) < found["fixed 6 by a component"]


def test_collapses_rarely_pass_with_any_number_of_repeats() -> None:
    for shape, cases in (("cases collapse", 15), ("sources collapse", 30)):
        assert simulate(Cell(shape, cases, 5, 5), 60, seed=2).get("paired 1 passed", 0) <= 6


def test_large_drops_are_detected() -> None:
    assert simulate(Cell("items", 15, 1, 10), 60, seed=2)["evidence 6 blocked"] >= 54


def test_the_table_and_the_chart_show_the_counts() -> None:
    few = [cell for cell in cells() if cell.cases == 15]
    rows = run(few[:2], 4, seed=1, jobs=1)
    found = rates(rows)
    assert found[few[0]]["fixed 1 passed"] <= 100.0
    lines = table(found).split("\n")
    assert {line.count("|") for line in lines} == {7}
    assert draw(found).startswith(b"<?xml")


def test_the_designs_have_detections_and_false_blocks() -> None:
    lines = designs_table((15,), runs=4).split("\n")
    assert len(lines) == 2 + 2 * len(DESIGNS)
    assert {line.count("|") for line in lines} == {4}
