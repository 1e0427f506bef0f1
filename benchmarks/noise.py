"""How often the gate errs: comparisons by the thousand, of suites whose true change is known.

    python -m benchmarks.noise --jobs 2

Answers are drawn by `benchmarks.noise_shapes`; means, intervals, moves and verdicts are the gate's own. Writes
`benchmarks/noise-results.json`, and from it (`benchmarks.noise_report`) the tables of `docs/noise.md` and its chart.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.noise_shapes import ALIKE, GUARD, METRICS, SHAPES, Array, Shape, comparisons, expectations, largest
from row3.domain.changes import MetricChange
from row3.domain.verdicts import Verdict
from row3.gate.adaptive import Margin, Standing, stand
from row3.gate.adaptive_verdict import judged
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.power import smallest_drop
from row3.gate.sensitivity import POWER
from row3.gate.verdicts import Evidence, judge
from row3.kinds import extraction

HERE = Path(__file__).parent
RESULTS = HERE / "noise-results.json"
CASES = (15, 30, 50, 200)
REPEATS = (1, 3, 5)
DROPS = (0, 3, 5, 10)
"""Points of the composite; 5 is the gate's limit."""
LIMIT = 0.05
"""The gate's, a fraction."""
EXACT = (0, 5)
GUARD_DROPS = (5, 10, 20)
"""Points of one guard rail."""
GATED = {1: METRICS[:1], 6: METRICS}
FLAWLESS = 0.85
"""The composite's highest value."""
KINDS = {metric.key: metric for metric in extraction.METRICS}
BATCH = 50
PART, PARTS = 100, 2
"""Comparisons of a cell at a time, and how many times."""


@dataclass(frozen=True)
class Drawn:
    """One comparison: both sides' answers by metric, of the shape (cases, repeats)."""

    before: dict[str, Array]
    after: dict[str, Array]
    cluster: int

    @cached_property
    def rounds(self) -> tuple[Standing, Pairs]:
        """How asking in rounds ends, and what was answered until then."""
        cases, most = self.before["overall"].shape
        margin = Margin.of(GatePolicy(), "overall", highest=FLAWLESS)
        both = zip(self.before["overall"].T.tolist(), self.after["overall"].T.tolist(), strict=True)
        rounds = [[margin.difference(*values) for values in zip(*sides, strict=True)] for sides in both]
        asked = 1
        # Texts vary although scores may not: repeats are never taken to tell nothing.
        while (
            standing := stand(rounds[:asked], margin, most=most, repeated=2 * cases * asked, changed=1)
        ).stop is None:
            asked += 1
        sides = ({key: value[:, :asked] for key, value in side.items()} for side in (self.before, self.after))
        return standing, Drawn(*sides, self.cluster).pairs()

    def pairs(self) -> Pairs:
        """As a workflow hands it to the gate."""
        (old, old_spread), (new, new_spread) = _side(self.before), _side(self.after)
        repeats = (self.before["overall"].shape[1], self.after["overall"].shape[1])
        pairs = Pairs()
        for case, values in enumerate(new):
            source = f"source {case // self.cluster}" if self.cluster > 1 else None
            spreads = (old_spread[case], new_spread[case])
            pairs.add(old[case], values, source=source, repeats=repeats, spreads=spreads)
        return pairs


def _side(values: dict[str, Array]) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Mean and spread of every case's answers, by metric."""
    cases, repeats = values["overall"].shape
    means = {key: value.mean(axis=1).tolist() for key, value in values.items()}
    spreads = {key: value.std(axis=1, ddof=1).tolist() for key, value in values.items()} if repeats > 1 else {}
    return (
        [{key: value[case] for key, value in means.items()} for case in range(cases)],
        [{key: value[case] for key, value in spreads.items()} for case in range(cases)],
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule makes of one comparison."""

    verdict: Verdict
    inconclusive: bool = False
    asked: float = 1.0
    """The share of the answers that it needed."""


Policy = Literal["fixed", "paired"]


def by_policy(policy: Policy, drawn: Drawn, pairs: Pairs, gated: Sequence[str]) -> Outcome:
    """`row3 --compare --policy …` with all answers."""
    return _outcome(_changes(policy, pairs, gated), policy, pairs, gated)


def in_rounds(policy: Policy, drawn: Drawn, _: Pairs, gated: Sequence[str]) -> Outcome:
    """`row3 --compare --adaptive --policy …`, with as many rounds at most as there are answers."""
    standing, pairs = drawn.rounds
    changes = _changes(policy, pairs, gated)
    own, *others = changes
    assert own.key == "overall"
    fixed, paired = (own if rule == policy else _changes(rule, pairs, ("overall",))[0] for rule in ("fixed", "paired"))
    primary = judged(standing, fixed, paired, _rules(policy, gated), title=KINDS["overall"].title)
    return replace(_outcome([primary, *others], policy, pairs, gated), asked=standing.rounds / standing.most)


def _rules(policy: Policy, gated: Sequence[str]) -> GatePolicy:
    return GatePolicy(metrics=tuple(gated), policy=policy)


def _changes(policy: Policy, pairs: Pairs, gated: Sequence[str]) -> list[MetricChange]:
    before, after = pairs.means()
    return compare_metrics(before, after, [KINDS[key] for key in gated], _rules(policy, gated), pairs)


def _outcome(changes: Sequence[MetricChange], policy: Policy, pairs: Pairs, gated: Sequence[str]) -> Outcome:
    cases, metrics = pairs.counts()["overall"], [KINDS[key] for key in gated]
    verdict, _ = judge(Evidence(metrics, changes, {}, {}, _rules(policy, gated), cases, compared=cases))
    return Outcome(verdict, any(unclear(change) for change in changes))


def unclear(change: MetricChange) -> bool:
    """A loss beyond the limit was neither shown nor ruled out, or was shown and not for other cases."""
    return " is inconclusive" in change.why or change.why.endswith("is open")


Rule = Callable[[Drawn, Pairs, Sequence[str]], Outcome]
RULES: dict[str, Rule] = {"fixed": partial(by_policy, "fixed"), "paired": partial(by_policy, "paired")}
ROUNDS: dict[str, Rule] = {
    "adaptive fixed": partial(in_rounds, "fixed"),
    "adaptive paired": partial(in_rounds, "paired"),
}
"""Tried where there are five answers a case, of which it asks for as many as it needs."""


@dataclass(slots=True)
class Cell:
    """How comparisons of one sort were judged; counts."""

    shape: str
    cases: int
    repeats: int
    drop: float
    """True drop of the composite, or of the guard rail where the shape is about one; points."""
    runs: int
    found: dict[str, list[float]] = field(default_factory=dict)
    """By rule and number of gated metrics, as in `paired 6`: blocked, passed (neither blocked nor inconclusive),
    proceeded (nothing to look at), and the sum of the shares asked."""


@dataclass(slots=True)
class Promise:
    """Whether a drop that an earlier comparison promised to be blocked was; counts."""

    shape: str
    pilot: str
    """`alike`: earlier and later are two prompts that differ as much, and the drop hits every case alike. `uneven`: it
    hits cases as unevenly as the shapes have it. `itself`: earlier a prompt was compared with itself."""
    cases: int
    repeats: int
    runs: int
    silent: int = 0
    """No drop was promised: no spread was seen."""
    beyond: int = 0
    """The promised drop is larger than the suite can fall."""
    blocked: int = 0
    drops: list[float] = field(default_factory=list)
    """The promised drops, points; in the file their quartiles."""


def simulate(
    shape: Shape, cases: int, repeats: int, *, runs: int, seed: Sequence[int], drops: Sequence[float]
) -> list[Cell]:
    """All rules, numbers of metrics and drops for one shape and size."""
    rng = np.random.default_rng([*seed, _number(shape.name), cases, repeats])
    made = []
    for drop in drops:
        # Where at most 5 % is promised the rates are small, and want to be known better.
        tried = runs if drop in EXACT else runs // 2
        cell = Cell(shape.name, cases, repeats, drop, tried)
        made.append(cell)
        for drawn in _drawn(rng, shape, cases, repeats, np.full(tried, drop / 100.0)):
            pairs = drawn.pairs()
            for name, rule in (RULES | ROUNDS if repeats == max(REPEATS) else RULES).items():
                for count, gated in GATED.items():
                    outcome = rule(drawn, pairs, gated)
                    blocked = outcome.verdict is Verdict.BLOCK
                    passed = not blocked and not outcome.inconclusive
                    sums = cell.found.setdefault(f"{name} {count}", [0, 0, 0, 0.0])
                    for place, value in enumerate((blocked, passed, outcome.verdict is Verdict.PROCEED, outcome.asked)):
                        sums[place] += value
    return made


def promised(shape: Shape, pilot: str, cases: int, repeats: int, *, runs: int, seed: Sequence[int]) -> Promise:
    """One comparison says which drop would be blocked with 80 % power; another has that drop."""
    earlier = replace(shape, swap=0.0, scale={}) if pilot == "itself" else shape
    later = replace(shape, effect="spread", scale={}) if pilot == "uneven" else shape
    rng = np.random.default_rng([*seed, _number(shape.name + pilot), cases, repeats])
    found, drops = Promise(shape.name, pilot, cases, repeats, runs), []
    for drawn in _drawn(rng, earlier, cases, repeats, np.zeros(runs)):
        variance = drawn.pairs().variance("overall")
        # As `sensitivity` has it, without what more cases or repeats would bring.
        sees = variance and smallest_drop(variance, cases, variance.repeats, margin=LIMIT, power=POWER)
        if sees is not None:
            drops.append(sees)
    possible = np.array([drop for drop in drops if drop <= largest(later)])
    found.silent, found.beyond = runs - len(drops), len(drops) - len(possible)
    found.drops = [100.0 * drop for drop in drops]
    for drawn in _drawn(rng, later, cases, repeats, possible):
        found.blocked += RULES["paired"](drawn, drawn.pairs(), GATED[1]).verdict is Verdict.BLOCK
    return found


def _drawn(rng: np.random.Generator, shape: Shape, cases: int, repeats: int, drops: Array) -> Iterator[Drawn]:
    for start in range(0, len(drops), BATCH):
        batch = drops[start : start + BATCH]
        before, after = comparisons(rng, shape, cases, repeats, batch)
        for place in range(len(batch)):
            one, other = ({key: value[place] for key, value in side.items()} for side in (before, after))
            yield Drawn(one, other, shape.cluster)


def _number(name: str) -> int:
    return int.from_bytes(name.encode(), "little") % 2**31


def jobs(part: int, seed: int, only: str) -> list[partial[Any]]:
    """Everything that is simulated, once over; the longest first."""
    made: list[partial[Any]] = []
    for cases in reversed(CASES):
        # These take as long as all others, and are the calm ones.
        common = {"runs": PART if cases < max(CASES) else PART // 2, "seed": (seed, part)}
        for repeats in reversed(REPEATS):
            for shape in (*SHAPES, GUARD):
                if only in shape.name:
                    drops = GUARD_DROPS if shape is GUARD else DROPS
                    made.append(partial(simulate, shape, cases, repeats, drops=drops, **common))
            pilots = itertools.product(ALIKE, ("alike", "uneven", "itself"))
            common |= {"runs": common["runs"] // 2}
            made += [
                partial(promised, shape, pilot, cases, repeats, **common)
                for shape, pilot in pilots
                if only in shape.name
            ]
            common |= {"runs": common["runs"] * 2}
    return made


def _call(job: partial[Any]) -> list[Cell | Promise]:
    made = job()
    return made if isinstance(made, list) else [made]


class Sums:
    """Counts of all parts so far."""

    def __init__(self) -> None:
        self.cells: dict[tuple[Any, ...], Cell] = {}
        self.promises: dict[tuple[Any, ...], Promise] = {}

    def take(self, row: Cell | Promise) -> None:
        if isinstance(row, Cell):
            cell = self.cells.setdefault((row.shape, row.cases, row.repeats, row.drop), replace(row, runs=0, found={}))
            cell.runs += row.runs
            for key, sums in row.found.items():
                cell.found[key] = [a + b for a, b in zip(cell.found.get(key, [0] * len(sums)), sums, strict=True)]
            return
        key = (row.shape, row.pilot, row.cases, row.repeats)
        held = self.promises.setdefault(key, Promise(*key[:2], *key[2:], runs=0))
        for name in ("runs", "silent", "beyond", "blocked"):
            setattr(held, name, getattr(held, name) + getattr(row, name))
        held.drops = held.drops + row.drops

    def value(self) -> dict[str, Any]:
        """As the file has it."""
        quartiles = (
            [round(float(value), 2) for value in np.quantile(row.drops or [np.nan], (0.25, 0.5, 0.75))]
            for row in self.promises.values()
        )
        rows = zip(self.promises.values(), quartiles, strict=True)
        return {
            "cells": [asdict(cell) for cell in self.cells.values()],
            "promises": [asdict(row) | {"drops": drops} for row, drops in rows],
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int, default=PARTS, help=f"{PART} comparisons a cell each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="only shapes whose name holds this")
    parser.add_argument("--out", type=Path, help="write only this file, and neither page nor chart")
    given = parser.parse_args()
    for shape in (*SHAPES, GUARD, *ALIKE):
        expectations(shape)  # once, before the processes part
    sums, value = Sums(), {}
    with multiprocessing.get_context("fork").Pool(given.jobs) as pool:
        planned = [jobs(part, given.seed, given.only) for part in range(given.parts)]
        done = pool.imap(_call, itertools.chain.from_iterable(planned))
        for part, each in enumerate(planned, 1):
            for _ in each:
                for row in next(done):
                    sums.take(row)
            value = {"schemaVersion": 1, "parts": part, "seed": given.seed, **sums.value()}
            write(given.out or RESULTS, value)  # after every part: who stops it has what is done
    if given.out is None:
        from benchmarks.noise_report import publish

        publish(value)


def write(path: Path, value: dict[str, Any]) -> None:
    """One row a line, so that two runs can be compared."""
    parts = []
    for key, held in value.items():
        rows = [json.dumps(row) for row in held] if isinstance(held, list) else None
        text = json.dumps(held) if rows is None else "[\n" + ",\n".join(rows) + "\n]"
        parts.append(f"{json.dumps(key)}: {text}")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
