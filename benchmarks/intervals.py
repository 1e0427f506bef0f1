"""What the intervals, p-values, policy and power of `row3 --compare` add, in process, and how often intervals hold.

    python -m benchmarks.intervals

The cases are drawn (seeded) with all metrics of an extraction suite. Prints processor seconds: the slowest of a few
runs, which is the first. Then, for the suites of `benchmarks.noise_shapes`, how often a 95 % interval contains a true
drop of 5 points: without what too few moved units do not show, as the verdicts use it, and with it, as it is printed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks import noise_shapes as shapes
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy, PolicyName
from row3.gate.power import sensitivity
from row3.kinds.extraction.score import METRICS

RUNS = 5
COMPARISONS = 2000
RULES: tuple[PolicyName, ...] = ("fixed", "evidence", "paired")
OVERALL = next(metric for metric in METRICS if metric.key == "overall")
Sides = Sequence[tuple[Mapping[str, float], Mapping[str, float]]]


def main() -> None:
    print("| cases | repeats | a source of five | fixed | evidence | paired |\n|--:|--:|---|--:|--:|--:|")
    for cases in (50, 10_000):
        for repeats, sources in ((1, False), (3, True)):
            sides = drawn(cases)
            took = [measured(sides, repeats, sources, rule) for rule in RULES]
            print(
                f"| {cases:,} | {repeats} | {'yes' if sources else 'no'} | "
                + " | ".join(f"{s:.3f}" for s in took)
                + " |"
            )
    print("\n| 95% intervals that hold, per cent | 15 cases | 50 cases |\n|---|--:|--:|")
    for shape in (shapes.QUIET, shapes.NOISY, *shapes.SHAPES[2:5], *shapes.COLLAPSES[:2]):
        held = ["{:.0f} → {:.0f}".format(*covered(shape, cases)) for cases in (15, 50)]
        print(f"| {shape.name} | {' | '.join(held)} |")


def covered(shape: shapes.Shape, cases: int, drop: float = 0.05) -> tuple[float, float]:
    """Return how many intervals in a hundred contain the true drop, without and with unseen losses."""
    before, after = shapes.comparisons(np.random.default_rng(1), shape, cases, 1, drop, COMPARISONS)
    held = [0, 0]
    for old, new in zip(before["overall"][:, :, 0].tolist(), after["overall"][:, :, 0].tolist(), strict=True):
        pairs = Pairs()
        for case, (was, now) in enumerate(zip(old, new, strict=True)):
            pairs.add({"overall": was}, {"overall": now}, source=f"{case // shape.cluster}")
        for place, unseen in enumerate((False, True)):
            interval = pairs.differences(OVERALL).interval(unseen=unseen)
            held[place] += interval is not None and interval.low <= -drop <= interval.high
    return 100.0 * held[0] / COMPARISONS, 100.0 * held[1] / COMPARISONS


def drawn(cases: int) -> Sides:
    rng = np.random.default_rng(1)
    keys = [metric.key for metric in METRICS]
    before = rng.beta(8, 2, (cases, len(keys)))
    after = np.clip(before + rng.normal(-0.01, 0.08, before.shape), 0, 1)
    return [
        (dict(zip(keys, old, strict=True)), dict(zip(keys, new, strict=True)))
        for old, new in zip(before.tolist(), after.tolist(), strict=True)
    ]


def measured(sides: Sides, repeats: int, sources: bool, rule: PolicyName) -> float:
    """Processor seconds for one comparison."""
    keys = [metric.key for metric in METRICS]
    policy = GatePolicy(metrics=tuple(keys[:7]), policy=rule)
    spread = dict.fromkeys(keys, 0.05) if repeats > 1 else {}
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        pairs = Pairs()
        for place, (before, after) in enumerate(sides):
            source = f"source {place // 5}" if sources else None
            pairs.add(before, after, source=source, repeats=(repeats, repeats), spreads=(spread, spread))
        compare_metrics(*pairs.means(), METRICS, policy, pairs)
        sensitivity(pairs, OVERALL, policy)
        seconds.append(time.process_time() - began)
    return max(seconds)


if __name__ == "__main__":
    main()
