"""How often the gate errs: comparisons by the thousand, of suites whose true change is known.

    python -m benchmarks.noise

Answers are drawn by `benchmarks.noise_shapes`; everything after them is the gate's own: means, tests, reasons, and
whether more answers are asked to confirm a block. Writes `benchmarks/noise-results.json`, and from it
(`benchmarks.noise_report`) the tables of `docs/noise.md`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import noise_shapes as shapes
from benchmarks.noise_shapes import METRICS, Shape, Side, comparisons, expectations
from row3.domain.judgements import Code, Judgement, Reason, Verdict
from row3.domain.runs import HistoryEntry
from row3.domain.scores import Metric, Threshold
from row3.gate.comparison import fall_p
from row3.gate.judging import judge
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy, PolicyName
from row3.gate.rolling import rolling_baseline
from row3.gate.scores import Context, Scores
from row3.kinds.extraction.score import METRICS as KIND_METRICS

RESULTS = Path(__file__).parent / "noise-results.json"
CASES = (5, 10, 15, 50)
SHOWN = 15
"""Cases for which it is counted how often a comparison needs a look."""
RUNS = 2000
STEPS = (2, 4)
"""Answers a case and side after which a comparison is judged again."""
KINDS = {metric.key: metric for metric in KIND_METRICS}


@dataclass(frozen=True)
class Situation:
    """A suite, and what its gate watches beside the limits."""

    name: str
    shape: Shape
    drop: int = 10
    """Points of the composite that a change costs; of the metric `alone`, if one is named."""
    alone: str = ""
    """A change takes only this metric, in every case the same."""
    zone: bool = False
    """Recall's fail zone begins at its true mean; if recall falls, half-way down."""
    critical: int = 0
    rolling: bool = False
    policy: PolicyName = "evidence"

    @property
    def rules(self) -> GatePolicy:
        """Return the gate's policy, by which every metric gates."""
        gated = METRICS[:1] if self.shape.passes else METRICS
        return GatePolicy(metrics=gated, policy=self.policy, baseline="rolling" if self.rolling else "saved")


SUITES = tuple(Situation(shape.name, shape) for shape in shapes.SHAPES)
WATCHED = (
    Situation("recall at the edge of its fail zone, falls by 8", shapes.QUIET, drop=8, alone="recall", zone=True),
    Situation("the same, noisy scores", shapes.NOISY, drop=8, alone="recall", zone=True),
    *(Situation(f"critical cases: {count}", shapes.QUIET, critical=count) for count in (1, 3, 5)),
    Situation("rolling mean of five runs, falls by 20", shapes.QUIET, drop=20, rolling=True),
    Situation("precision alone falls by 15 in every case", shapes.QUIET, drop=15, alone="precision"),
)
PAIRED = tuple(
    Situation(f"`paired`: {shape.name}", shape, drop=drop, policy="paired")
    for shape, drop in (
        *((shape, 5) for shape in (shapes.QUIET, shapes.CEILING, shapes.PASS_80, shapes.CASES_COLLAPSE)),
        (shapes.SOURCES_COLLAPSE, 5),
        (shapes.REPAIR, 0),
    )
)
"""A drop of 5 is a loss of the limit, which must not pass."""
SITUATIONS = {each.name: each for each in (*SUITES, *WATCHED, *PAIRED)}


class Cell(NamedTuple):
    """One sort of comparison."""

    situation: str
    cases: int
    drop: int
    """True drop, points."""


class Drawn:
    """Many comparisons, each asked once and up to four times more; values are lists by comparison and case."""

    def __init__(self, situation: Situation, cases: int, drop: int, runs: int, seed: Sequence[int]) -> None:
        self.situation, self.cases, fall = situation, cases, drop / 100.0
        taken = 0.0 if situation.alone else fall
        rng = np.random.default_rng(seed)
        before, after = comparisons(rng, situation.shape, cases, 1 + STEPS[-1], taken, runs)
        self.thresholds = {}
        if situation.zone:
            least = float(before["recall"].mean()) - fall / 2.0
            self.thresholds = {"recall": Threshold(least, least + 0.1, least + 0.2)}
        if situation.alone:
            after[situation.alone] = np.maximum(after[situation.alone] - fall, 0.0)
        self.values = {more: (_means(before, 1 + more), _means(after, 1 + more)) for more in (0, *STEPS)}
        self.spreads = {more: (_spreads(before, 1 + more), _spreads(after, 1 + more)) for more in (0, *STEPS)}
        self.history = {key: value.mean(axis=1).tolist() for key, value in before.items()}
        """Means of whole runs, one for each answer."""
        watched = situation.zone or situation.critical or situation.rolling or situation.policy == "paired"
        falls = [KINDS[key].drop(before[key][:, :, 0], after[key][:, :, 0]).mean(axis=1) for key in before]
        self.may_block: list[bool] = (np.max(falls, axis=0) > (-1.0 if watched else 0.05)).tolist()
        """False where no metric falls by more than the limit and nothing else is watched: there is nothing to judge."""

    def judged(self, run: int, confirmed: int = 0, once: Scores | None = None) -> tuple[Scores, Judgement]:
        """Return one comparison after so many confirming answers, and what the gate says."""
        situation, count, rules = self.situation, 1 + confirmed, self.situation.rules
        old, new = ({key: by[run] for key, by in side.items()} for side in self.values[confirmed])
        pairs = Pairs()
        for case in range(self.cases):
            pairs.add(
                {key: by[case] for key, by in old.items()},
                {key: by[case] for key, by in new.items()},
                source=f"source {case // situation.shape.cluster}" if situation.shape.cluster > 1 else None,
                repeats=(count, count),
            )
        before, after = pairs.means()
        metrics = [KINDS[key] for key in before]
        was, now = old["overall"], new["overall"]
        noise = [side[run] for side in self.spreads[confirmed]]
        watched = range(situation.critical)
        fell = [case for case in watched if rules.beyond_limit(KINDS["overall"], was[case], now[case])]
        falls = {case: fall_p(was[case] - now[case], noise[0][case], count, noise[1][case], count) for case in fell}
        scores = Scores(
            policy=rules,
            metrics=metrics,
            thresholds=self.thresholds,
            changes=compare_metrics(before, after, metrics, rules, pairs, confirmed=confirmed, intervals="none"),
            before=before,
            after=after,
            cases=self.cases,
            broke=[
                str(case) for case in range(self.cases) if now[case] == 0.0 < was[case] and not situation.shape.passes
            ],
            critical={str(case): falls.get(case, 1.0) for case in watched},
            primary="overall",
            confirmed=confirmed,
            once=once,
        )
        rolling = self._rolling(run, after, metrics, final=scores.final) if situation.rolling else []
        return scores, judge("suite", (), [scores], Context(rolling=rolling))

    def _rolling(self, run: int, after: Mapping[str, float], metrics: Sequence[Metric], *, final: bool) -> list[Reason]:
        """Return what the mean of the base's runs says; their answers are those that confirm."""
        answers = range(1 + STEPS[-1])
        runs = [_entry(place, {key: by[run][place] for key, by in self.history.items()}) for place in answers]
        now, rules = _entry(len(runs), after), self.situation.rules
        return [*rolling_baseline(runs, now, "replay", metrics, rules, primary="overall", final=final)]


def _means(side: Side, count: int) -> dict[str, list[list[float]]]:
    """Return the mean of each case's first answers."""
    return {key: values[:, :, :count].mean(axis=2).tolist() for key, values in side.items()}


def _spreads(side: Side, count: int) -> list[list[float]]:
    """Return the standard deviation of each case's first answers; 0 of a single one."""
    spreads: list[list[float]] = side["overall"][:, :, :count].std(axis=2, ddof=min(1, count - 1)).tolist()
    return spreads


def _entry(number: int, metrics: Mapping[str, float]) -> HistoryEntry:
    return HistoryEntry(
        run_id=f"run-{number}",
        at="2026-01-01T00:00:00Z",
        action="compare",
        suite="suite",
        prompts={},
        model="model",
        mode="replay",
        cases=1,
        metrics=dict(metrics),
        scored="same",
    )


def simulate(cell: Cell, runs: int, seed: int) -> dict[str, int]:
    """Return how many comparisons had each outcome, and how many confirming answers a case and side were asked.

    `once`: blocked before any answer confirms; `blocked`: after; `seen`: blocked or to be investigated at first, a
    canary apart, with `SHOWN` cases; `passed`: neither blocked nor inconclusive.
    """
    drawn = Drawn(
        SITUATIONS[cell.situation],
        cell.cases,
        cell.drop,
        runs,
        [seed, *cell.situation.encode(), cell.cases, cell.drop],
    )
    found: Counter[str] = Counter()
    for run in range(runs):
        if cell.cases != SHOWN and not drawn.may_block[run]:
            found["passed"] += 1
            continue
        once, judgement = drawn.judged(run)
        found["once"] += judgement.verdict is Verdict.BLOCK
        found["seen"] += any(
            reason.verdict is not Verdict.PROCEED and reason.code is not Code.CANARY for reason in judgement.reasons
        )
        asked = 0
        for step in STEPS:
            if all(reason.code is not Code.UNCONFIRMED for reason in judgement.reasons):
                break
            asked = step
            _, judgement = drawn.judged(run, step, once)
        found["asked"] += asked
        found["blocked"] += judgement.verdict is Verdict.BLOCK
        found["passed"] += judgement.verdict is not Verdict.BLOCK and all(
            reason.code is not Code.INCONCLUSIVE for reason in judgement.reasons
        )
    return dict(found)


def cells() -> list[Cell]:
    """Return everything that is simulated."""
    judged = [
        Cell(each.name, cases, drop) for each in (*SUITES, *WATCHED) for cases in CASES for drop in (0, each.drop)
    ]
    return [*judged, *(Cell(each.name, cases, each.drop) for each in PAIRED for cases in CASES)]


def run(wanted: Sequence[Cell], runs: int, seed: int, jobs: int) -> list[dict[str, object]]:
    """Return the counts of each cell."""
    for each in SITUATIONS.values():
        expectations(each.shape)  # once, before the processes part
    asked = [(cell, runs, seed) for cell in sorted(wanted, key=lambda cell: -cell.cases)]
    if jobs == 1:
        found = [simulate(*each) for each in asked]
    else:
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            found = pool.starmap(simulate, asked, chunksize=1)
    counted = dict(zip([cell for cell, *_ in asked], found, strict=True))
    return [{**cell._asdict(), "runs": runs, "found": counted[cell]} for cell in wanted]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help="comparisons of a cell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    rows = run(cells(), given.runs, given.seed, given.jobs)
    lines = ",\n".join(json.dumps(row) for row in rows)
    RESULTS.write_text(f'{{"schemaVersion": 3, "seed": {given.seed}, "cells": [\n{lines}\n]}}\n', encoding="utf-8")
    from benchmarks.noise_report import publish

    publish(rows)


if __name__ == "__main__":
    main()
