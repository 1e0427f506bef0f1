"""What the intervals, p-values, policy and power of `row3 --compare` add, in process; recordings and matching apart.

    python -m benchmarks.intervals

The cases are drawn (`benchmarks.noise_shapes`, seeded) with all metrics of an extraction suite. Prints processor
seconds: the slowest of a few runs, which is the first.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy, PolicyName
from row3.gate.power import sensitivity
from row3.kinds.extraction.score import METRICS

RUNS = 5
RULES: tuple[PolicyName, ...] = ("fixed", "evidence", "paired")
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
        sensitivity(pairs, "overall", policy)
        seconds.append(time.process_time() - began)
    return max(seconds)


if __name__ == "__main__":
    main()
