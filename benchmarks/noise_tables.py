"""What the simulation found, as tables: rates, their errors, and where a promise is not kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

CASES, REPEATS = (15, 30, 50, 200), (1, 3, 5)
MOST = max(REPEATS)
LIMIT, POWER = 5.0, 80.0
"""Per cent: of false blocks and of passed drops of the limit at most, of promised drops blocked at least."""
UNEVEN = ("shipped", "ceiling", "bad answers", "noisy", "prompts", "sources", "pass or fail")
OWN = (*UNEVEN, "few cases", "breaking")
"""Shapes whose drop is the suite's own; `new cases` is about cases that it does not have."""
BLOCKED, PASSED, PROCEEDED, ASKED = range(4)


class Rate(NamedTuple):
    """A share of comparisons."""

    value: float
    """Per cent."""
    runs: int
    shape: str
    metrics: int

    @property
    def error(self) -> float:
        """Its standard error; of no event as of one in as many."""
        share = min(max(self.value / 100.0, 1.0 / self.runs), 1.0 - 1.0 / self.runs)
        return 100.0 * math.sqrt(share * (1.0 - share) / self.runs)

    def __str__(self) -> str:
        return f"{self.value:.1f} ±{self.error:.1f}"


class Results:
    """Rates out of the counts."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.value = value
        self._cells = {(row["shape"], row["cases"], row["repeats"], row["drop"]): row for row in value["cells"]}
        self._promises = {(row["shape"], row["pilot"], row["cases"], row["repeats"]): row for row in value["promises"]}

    def rate(self, shape: str, rule: str, metrics: int, size: tuple[int, int], drop: float, what: int) -> float:
        """A share of the comparisons, in per cent."""
        row = self._cells[shape, *size, drop]
        return 100.0 * row["found"][f"{rule} {metrics}"][what] / row["runs"]

    def all_rates(
        self, shapes: Iterable[str], rule: str, size: tuple[int, int], drop: float, what: int, metrics: Sequence[int]
    ) -> list[Rate]:
        """One for each shape and number of metrics, the highest first."""
        rates = [
            Rate(self.rate(shape, rule, count, size, drop, what), self._cells[shape, *size, drop]["runs"], shape, count)
            for shape in shapes
            for count in metrics
        ]
        return sorted(rates, key=lambda rate: -rate.value)

    def kept(self, shape: str, pilot: str, size: tuple[int, int]) -> Rate | None:
        """How often the promised drop was blocked; None where hardly any promise could be tried."""
        row = self._promises[shape, pilot, *size]
        tried = row["runs"] - row["silent"] - row["beyond"]
        return Rate(100.0 * row["blocked"] / tried, tried, shape, 1) if tried >= row["runs"] / 2 else None

    def promise(self, shape: str, size: tuple[int, int]) -> float:
        """The median drop that is promised to be blocked, points."""
        return float(self._promises[shape, "alike", *size]["drops"][1])


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown; the first column is words, the others are numbers."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" + "--:|" * (len(heads) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def percent(value: float | None) -> str:
    """With a decimal below ten, where the promises are."""
    return "–" if value is None else f"{value:.1f}" if 0.0 < value < 9.95 else f"{value:.0f}"


SIZES = [(cases, repeats) for cases in CASES for repeats in REPEATS]


def false_blocks(found: Results) -> str:
    """The fixed rule on two equal runs."""
    heads = ["two equal prompts", *(f"{n} cases" for n in CASES), *(f"{n}, 6 metrics" for n in CASES)]
    rows = [
        [shape, *(percent(found.rate(shape, "fixed", m, (n, 1), 0, BLOCKED)) for m in (1, 6) for n in CASES)]
        for shape in UNEVEN
    ]
    return table(heads, rows)


def false_blocks_repeats(found: Results) -> str:
    """The same with repeats, six metrics."""
    heads = ["six metrics", *(f"{n} × {k}" for n, k in SIZES)]
    rows = [
        [shape, *(percent(found.rate(shape, "fixed", 6, size, 0, BLOCKED)) for size in SIZES)]
        for shape in ("shipped", "noisy", "pass or fail")
    ]
    return table(heads, rows)


def promises_held(found: Results) -> str:
    """The worst of all shapes, with its standard error, beside what is promised."""
    heads = (
        "cases × answers",
        "no drop: blocked (≤ 5)",
        "drop of 3, one metric: blocked (≤ 5)",
        "drop of 5: passes (≤ 5)",
        "the same, in new cases",
        "promised drop: blocked (≥ 80)",
    )
    rows = []
    for size in SIZES:
        blocked, of_three, passed = (f"{rate}, {rate.shape}" for rate in _worst(found, size))
        new, least = found.all_rates(["new cases"], "paired", size, 5, PASSED, (1,))[0], _least(found, size)
        rows.append([f"{size[0]} × {size[1]}", blocked, of_three, passed, str(new), f"{least}, {least.shape}"])
    return table(heads, rows)


EVERYWHERE = (*OWN, "new cases")


def _worst(found: Results, size: tuple[int, int], rule: str = "paired") -> tuple[Rate, Rate, Rate]:
    return (
        found.all_rates(EVERYWHERE, rule, size, 0, BLOCKED, (1, 6))[0],
        found.all_rates(EVERYWHERE, rule, size, 3, BLOCKED, (1,))[0],
        found.all_rates(OWN, rule, size, 5, PASSED, (1, 6))[0],
    )


def _least(found: Results, size: tuple[int, int]) -> Rate:
    rates = (found.kept(shape, "alike", size) for shape in UNEVEN if shape != "prompts")
    return min((rate for rate in rates if rate is not None), key=lambda rate: rate.value)


def beyond(found: Results) -> str:
    """Every cell that is off a promise by more than two standard errors."""
    rows = []
    for size in SIZES:
        for rule in ("paired", "adaptive paired") if size[1] == MOST else ("paired",):
            for drop, what, words, metrics in (
                (0, BLOCKED, "no drop: blocked", (1, 6)),
                (3, BLOCKED, "drop of 3: blocked", (1,)),
                (5, PASSED, "drop of 5: passes", (1,)),
            ):
                rows += [
                    [rate.shape, rule, f"{size[0]} × {size[1]}", str(rate.metrics), words, str(rate)]
                    for rate in found.all_rates(EVERYWHERE, rule, size, drop, what, metrics)
                    if rate.value > LIMIT + 2.0 * rate.error
                ]
        for shape in UNEVEN:
            kept = found.kept(shape, "alike", size) if shape != "prompts" else None
            if kept is not None and kept.value < POWER - 2.0 * kept.error:
                rows.append([shape, "paired", f"{size[0]} × {size[1]}", "1", "promised drop: blocked", str(kept)])
    return table(("shape", "rule", "cases × answers", "metrics", "what", "per cent"), rows)


def adaptive(found: Results) -> str:
    """What asking in rounds costs and finds, beside asking everything five times."""
    heads = ["one metric", "drop", *(f"{n} cases: asked" for n in CASES), *(f"{n}: blocked" for n in CASES)]
    rows = []
    for shape in ("shipped", "bad answers", "noisy", "sources", "pass or fail", "breaking"):
        for drop in (0, 3, 5, 10):
            asked = [percent(found.rate(shape, "adaptive paired", 1, (n, MOST), drop, ASKED)) for n in CASES]
            blocked = [
                f"{percent(found.rate(shape, 'adaptive paired', 1, (n, MOST), drop, BLOCKED))} / "
                f"{percent(found.rate(shape, 'paired', 1, (n, MOST), drop, BLOCKED))}"
                for n in CASES
            ]
            rows.append([shape, str(drop), *asked, *blocked])
    return table(heads, rows)


def adaptive_held(found: Results) -> str:
    """The worst of all shapes under `paired`, asked in rounds."""
    heads = ["cases", "no drop: blocked (≤ 5)", "drop of 5: passes (≤ 5)", *(f"asked, drop of {n}" for n in (0, 5, 10))]
    rows = []
    for n in CASES:
        size = (n, MOST)
        no_drop, _, passed = _worst(found, size, "adaptive paired")
        shares = (
            [found.rate(shape, "adaptive paired", 1, size, drop, ASKED) for shape in EVERYWHERE] for drop in (0, 5, 10)
        )
        rows.append(
            [str(n), f"{no_drop}, {no_drop.shape}", f"{passed}, {passed.shape}"]
            + [f"{percent(sum(each) / len(each))} ({percent(min(each))}–{percent(max(each))})" for each in shares]
        )
    return table(heads, rows)


def detection(found: Results) -> str:
    """What becomes of true drops, one metric."""
    heads = ["one metric", "rule", "drop", *(f"{n} × {k}" for n, k in SIZES)]
    rows = []
    for shape in ("shipped", "noisy", "few cases", "breaking"):
        for rule in ("fixed", "paired"):
            for drop in (3, 5, 10):
                rates = [percent(found.rate(shape, rule, 1, size, drop, BLOCKED)) for size in SIZES]
                rows.append([shape, rule, str(drop), *rates])
    return table(heads, rows)


def passes(found: Results) -> str:
    """How often the paired policy lets an equal prompt pass, which it has to show."""
    heads = ["two equal prompts pass", *(f"{n} × {k}" for n, k in SIZES)]
    rows = [[shape, *(percent(found.rate(shape, "paired", 6, size, 0, PASSED)) for size in SIZES)] for shape in UNEVEN]
    return table(heads, rows)


def sees(found: Results) -> str:
    """The drops that are promised to be blocked."""
    heads = ["points", *(f"{n} × {k}" for n, k in SIZES)]
    shapes = [shape for shape in UNEVEN if shape != "prompts"]
    return table(heads, [[shape, *(f"{found.promise(shape, size):.0f}" for size in SIZES)] for shape in shapes])


def kept_overall(found: Results) -> str:
    """Promised drops, over all sizes together."""
    heads = ["all sizes together: blocked", "hits every case alike", "unevenly", "planned from a prompt and itself"]
    rows = []
    for shape in UNEVEN:
        if shape == "prompts":
            continue
        row = [shape]
        for pilot in ("alike", "uneven", "itself"):
            held = [rate for size in SIZES if (rate := found.kept(shape, pilot, size)) is not None]
            runs = sum(rate.runs for rate in held)
            row.append(str(Rate(sum(rate.value * rate.runs for rate in held) / runs, runs, shape, 1)))
        rows.append(row)
    return table(heads, rows)


def kept(found: Results) -> str:
    """How often promised drops are blocked, and where the promise does not hold."""
    heads = ["blocked", "drop", *(f"{n} × {k}" for n, k in SIZES)]
    words = {
        "alike": "hits every case alike",
        "uneven": "hits cases unevenly",
        "itself": "planned from a prompt and itself",
    }
    shapes = [shape for shape in UNEVEN if shape != "prompts"]
    return table(
        heads,
        [
            [
                shape,
                said,
                *(percent(held and held.value) for size in SIZES for held in [found.kept(shape, pilot, size)]),
            ]
            for pilot, said in words.items()
            for shape in shapes
        ],
    )


def guard_rail(found: Results) -> str:
    """One metric of six falls, and the composite by a fifth of that."""
    heads = ["relationship accuracy falls by", "", *(f"{n} × {k}" for n, k in SIZES)]
    rows = []
    for drop in (5, 10, 20):
        for rule, words, what in (
            ("fixed", "fixed blocks", BLOCKED),
            ("paired", "paired blocks", BLOCKED),
            ("paired", "paired finds nothing", PROCEEDED),
        ):
            rates = [percent(found.rate("guard rail", rule, 6, size, drop, what)) for size in SIZES]
            rows.append([str(drop), words, *rates])
    return table(heads, rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "false-blocks": false_blocks,
    "false-blocks-repeats": false_blocks_repeats,
    "promises": promises_held,
    "beyond": beyond,
    "adaptive": adaptive,
    "adaptive-held": adaptive_held,
    "detection": detection,
    "passes": passes,
    "sees": sees,
    "kept-overall": kept_overall,
    "kept": kept,
    "guard-rail": guard_rail,
}
