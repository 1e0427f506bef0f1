"""The simulation behind `docs/noise.md`: its suites fall by the given drop, and the gate keeps its error rates."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.noise import CASES, SITUATIONS, SUITES, Cell, cells, run, simulate
from benchmarks.noise_report import judged_table, paired_table, rates
from benchmarks.noise_shapes import COLLAPSES, SHAPES, Shape, comparisons
from tests.rows import every_row


@every_row("shape", [*SHAPES, *COLLAPSES])
@every_row("drop", [0.0, 0.1])
def test_the_composite_falls_by_the_given_drop(shape: Shape, drop: float) -> None:
    before, after = comparisons(np.random.default_rng(1), shape, 200, 1, drop, 200)
    moved = after["overall"] - before["overall"]
    error = moved.mean(axis=(1, 2)).std() / np.sqrt(200)
    assert moved.mean() == pytest.approx(-drop, abs=4 * error + 1e-3)


RUNS = 100


def found(situation: str, cases: int, drop: int) -> dict[str, int]:
    assert situation in SITUATIONS
    return simulate(Cell(situation, cases, drop), RUNS, seed=2)


@pytest.mark.parametrize(
    ("situation", "most"),
    [
        ("scores in many steps", 3),
        ("nearly flawless", 3),
        ("pass/fail, 95% pass", 9),
        ("pass/fail, 80% pass", 18),
        ("cases share a source", 14),
        ("recall at the edge of its fail zone, falls by 8", 7),
        ("critical cases: 5", 7),
        ("rolling mean of five runs, falls by 20", 3),
        ("`paired`: the old prompt breaks now and then", 7),
    ],
)
def test_confirmed_blocks_are_rarely_false(situation: str, most: int) -> None:
    counts = found(situation, 15, 0)
    assert counts["blocked"] <= most
    assert counts["blocked"] <= counts["once"]
    assert counts["asked"] >= 2 * (counts["once"] - counts["blocked"])


@pytest.mark.parametrize(
    ("situation", "cases", "drop", "least"),
    [
        ("scores in many steps", 15, 10, 95),
        ("recall at the edge of its fail zone, falls by 8", 15, 8, 90),
        ("precision alone falls by 15 in every case", 5, 15, 100),
        ("critical cases: 1", 15, 10, 95),
    ],
)
def test_true_drops_block(situation: str, cases: int, drop: int, least: int) -> None:
    assert found(situation, cases, drop)["blocked"] >= least


@pytest.mark.parametrize("shape", ["whole cases collapse", "whole sources collapse", "nearly flawless"])
def test_a_loss_of_the_limit_rarely_passes_paired(shape: str) -> None:
    assert found(f"`paired`: {shape}", 15, 5)["passed"] <= 6


def test_each_cell_is_drawn_again_the_same() -> None:
    assert found("pass/fail, 80% pass", 5, 0) == found("pass/fail, 80% pass", 5, 0)


def test_the_tables_show_the_counts() -> None:
    assert len({*cells()}) == len(cells())
    few = [Cell(SUITES[0].name, 15, drop) for drop in (0, 10)]
    rows = run(few, 4, seed=1, jobs=1)
    assert [(row["situation"], row["drop"], row["runs"]) for row in rows] == [(*cell[::2], 4) for cell in few]
    for row in rows:
        row["found"] = {"once": 3, "blocked": 1, "asked": 6, "seen": 4}
    lines = judged_table(rates(rows), SUITES).split("\n")
    assert {line.count("|") for line in lines} == {4 + len(CASES)}
    assert lines[2] == ("| scores in many steps | 0→0/0→0 | 0→0/0→0 | 75→25/75→25 | 0→0/0→0 | 150 | 100 |")
    assert {line.count("|") for line in paired_table({}).split("\n")} == {2 + len(CASES)}
