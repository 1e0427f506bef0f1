"""What other rules for the composite would find and falsely block; `docs/noise.md` has the summary.

    python -m benchmarks.noise_designs

The other metrics are judged as under `evidence`, and the comparisons are those of `benchmarks.noise`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.noise import CASES, GATED, KINDS, RUNS, pairs_of
from benchmarks.noise_report import rate
from benchmarks.noise_shapes import SHAPES, Shape, comparisons
from row3.domain.verdicts import Verdict
from row3.gate.moves import compare_metrics
from row3.gate.policy import ALPHA_FALL, GatePolicy

Rule = Callable[[float, float], bool]
"""Whether the composite blocks, by its drop in points and the p-value of "it did not fall"."""
DESIGNS: dict[str, Rule] = {
    "by more than 5 points (`evidence`)": lambda drop, p: drop > 5.0,
    "by more than 5 points and beyond its noise": lambda drop, p: drop > 5.0 and p <= ALPHA_FALL,
    "by more than 3 points": lambda drop, p: drop > 3.0,
}


def simulate(shape: Shape, cases: int, drop: int, runs: int, seed: int = 1) -> dict[str, float]:
    """Return how often each design blocks, per cent."""
    rng = np.random.default_rng([seed, *shape.name.encode(), cases, 1, drop])
    before, after = comparisons(rng, shape, cases, 1, drop / 100.0, runs)
    found = dict.fromkeys(DESIGNS, 0)
    for run in range(runs):
        pairs = pairs_of(before, after, run, shape)
        changes = compare_metrics(*pairs.means(), [KINDS[key] for key in GATED[6]], GatePolicy(metrics=GATED[6]), pairs)
        others = any(change.verdict is Verdict.BLOCK for change in changes if change.key != "overall")
        fell = next(change.worse_by or 0.0 for change in changes if change.key == "overall") - 1e-7  # rounding
        p = pairs.differences(KINDS["overall"]).fall_p()
        for name, blocks in DESIGNS.items():
            found[name] += others or blocks(fell, p)
    return {name: 100.0 * count / runs for name, count in found.items()}


def table(numbers: Sequence[int] = CASES, runs: int = RUNS) -> str:
    """Return Markdown; each field has a rate for each suite."""
    found = {
        (cases, drop): [simulate(shape, cases, drop, runs if cases < max(CASES) else runs // 2) for shape in SHAPES]
        for cases in numbers
        for drop in (10, 0)
    }
    heads = ("the composite blocks", "per cent", *(f"{cases} cases" for cases in numbers))
    lines = ["| " + " | ".join(heads) + " |", "|---|---|" + "--:|" * len(numbers)]
    for name in DESIGNS:
        for words, drop in (("found", 10), ("false blocks", 0)):
            cells = ["/".join(rate(each[name]) for each in found[cases, drop]) for cases in numbers]
            lines.append("| " + " | ".join((name, words, *cells)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
