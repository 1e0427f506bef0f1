"""How often the gate errs: comparisons by the thousand, of suites whose true change is known.

    python -m benchmarks.noise

Answers are drawn by `benchmarks.noise_shapes`; means, tests, intervals and verdicts are the gate's own. Writes
`benchmarks/noise-results.json`, and from it (`benchmarks.noise_report`) the table and the chart of `docs/noise.md`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.noise_shapes import COLLAPSES, METRICS, SHAPES, Shape, Side, comparisons, expectations
from row3.domain.verdicts import Verdict
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy, PolicyName
from row3.kinds.extraction.score import METRICS as KIND_METRICS

RESULTS = Path(__file__).parent / "noise-results.json"
POLICIES: tuple[PolicyName, ...] = ("fixed", "evidence", "paired")
CASES = (15, 30, 50, 200)
DROPS = (0, 5, 10)
"""Points of the composite; 5 is the gate's limit."""
GATED = {1: METRICS[:1], 6: METRICS}
RUNS = 300
"""Comparisons of a cell; half as many with 200 cases."""
KINDS = {metric.key: metric for metric in KIND_METRICS}


class Cell(NamedTuple):
    """One sort of comparison."""

    shape: str
    cases: int
    repeats: int
    drop: int
    """True drop of the composite, points."""


def simulate(cell: Cell, runs: int, seed: int) -> dict[str, int]:
    """Return how many comparisons had each outcome, by policy, number of gated metrics and outcome."""
    shape = next(shape for shape in (*SHAPES, *COLLAPSES) if shape.name == cell.shape)
    rng = np.random.default_rng([seed, *cell.shape.encode(), cell.cases, cell.repeats, cell.drop])
    before, after = comparisons(rng, shape, cell.cases, cell.repeats, cell.drop / 100.0, runs)
    found: Counter[str] = Counter()
    for run in range(runs):
        pairs = pairs_of(before, after, run, shape)
        for policy, (count, gated) in itertools.product(POLICIES, GATED.items()):
            for outcome in outcomes(policy, gated, pairs):
                found[f"{policy} {count} {outcome}"] += 1
    return dict(found)


def outcomes(policy: PolicyName, gated: Sequence[str], pairs: Pairs) -> set[str]:
    """Return what the gate makes of one comparison.

    `blocked`; `by a component`: a metric other than the composite blocked; `seen`: blocked or to be investigated;
    `passed`: the composite was shown to be within its limit, or under another policy than `paired` was not blocked.
    """
    rules = GatePolicy(metrics=tuple(gated), policy=policy)
    changes = compare_metrics(*pairs.means(), [KINDS[key] for key in gated], rules, pairs)
    verdicts = {change.key: change.verdict for change in changes}
    said = set()
    if Verdict.BLOCK in verdicts.values():
        said.add("blocked")
    if any(verdict is Verdict.BLOCK for key, verdict in verdicts.items() if key != "overall"):
        said.add("by a component")
    if max(verdicts.values()) is not Verdict.PROCEED:
        said.add("seen")
    if "blocked" not in said and not any(change.code == "inconclusive" for change in changes):
        said.add("passed")
    return said


def pairs_of(before: Side, after: Side, run: int, shape: Shape) -> Pairs:
    """Return one comparison as a workflow hands it to the gate."""
    old, new = ({key: values[run].mean(axis=1).tolist() for key, values in side.items()} for side in (before, after))
    cases, repeats = before["overall"].shape[1:]
    pairs = Pairs()
    for case in range(cases):
        pairs.add(
            {key: values[case] for key, values in old.items()},
            {key: values[case] for key, values in new.items()},
            source=f"source {case // shape.cluster}" if shape.cluster > 1 else None,
            repeats=(repeats, repeats),
        )
    return pairs


def cells() -> list[Cell]:
    """Return everything that is simulated."""
    plain = [Cell(shape.name, cases, 1, drop) for shape, cases, drop in itertools.product(SHAPES, CASES, DROPS)]
    rare = [
        Cell(shape.name, cases, repeats, 5) for shape, cases, repeats in itertools.product(COLLAPSES, CASES, (1, 5))
    ]
    return [*plain, *rare]


def run(wanted: Iterable[Cell], runs: int, seed: int, jobs: int) -> list[dict[str, object]]:
    """Return the counts of each cell."""
    asked = [(cell, runs if cell.cases < max(CASES) else max(1, runs // 2), seed) for cell in wanted]
    for shape in (*SHAPES, *COLLAPSES):
        expectations(shape)  # once, before the processes part
    if jobs == 1:
        found = [simulate(*each) for each in asked]
    else:
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            found = pool.starmap(simulate, asked, chunksize=1)
    return [
        {**cell._asdict(), "runs": runs, "found": counts} for (cell, runs, _), counts in zip(asked, found, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help="comparisons of a cell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    rows = run(cells(), given.runs, given.seed, given.jobs)
    lines = ",\n".join(json.dumps(row) for row in rows)
    RESULTS.write_text(f'{{"schemaVersion": 2, "seed": {given.seed}, "cells": [\n{lines}\n]}}\n', encoding="utf-8")
    from benchmarks.noise_report import publish

    publish(rows)


if __name__ == "__main__":
    main()
