"""Error rates from a suite's own answers: against what is known of the answers, and the nearest simulated suite."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from benchmarks import noise_shapes as shapes
from benchmarks.noise import CASES, SUITES, Cell, simulate
from row3.domain.scores import Threshold
from row3.gate.policy import GatePolicy
from row3.gate.power import Answered, ErrorRates
from row3.gate.resampling import COMPARISONS, nearest, resampled
from row3.gate.suites import JudgedSuite
from row3.kinds.base import Rules
from row3.kinds.extraction.score import KIND

ONE = ("overall",)


def suite(metrics: tuple[str, ...] = ONE, thresholds: dict[str, Threshold] | None = None, **policy: Any) -> JudgedSuite:
    rules = Rules(thresholds=thresholds or {})
    return JudgedSuite(
        name="bread", kind=KIND, rules=rules, policy=GatePolicy(metrics=metrics, **policy), golden="golden"
    )


def of(*values: tuple[float, ...], **more: Any) -> list[Answered]:
    return [Answered([{"overall": value} for value in each], **more) for each in values]


def rates(cases: list[Answered], judged: JudgedSuite | None = None, seed: int = 1) -> ErrorRates:
    return resampled(cases, judged or suite(), repeats=1, uniform=Random(seed).random)[0]


def test_answers_that_never_vary_never_block_falsely_and_show_every_drop() -> None:
    plans = resampled(of(*[(0.8, 0.8)] * 15), suite(), repeats=1, uniform=Random(1).random)
    assert [each[:2] for each in plans] == [(15, 1), (15, 2), (25, 1)]
    assert {each[2:4] for each in plans} == {(0.0, 0.0)}
    assert min(each.found_confirmed for each in plans) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("answers", [2, 5])
def test_it_agrees_with_the_simulation_whose_answers_it_is_given(answers: int) -> None:
    """Two answers a case vary by half of what they come from; widened, they give the rates of fresh answers."""
    before, _ = shapes.comparisons(np.random.default_rng(3), shapes.NOISY, 15, answers, 0.0, 10)
    found = []
    for run in range(10):
        cases = [
            Answered([{key: float(values[run, case, k]) for key, values in before.items()} for k in range(answers)])
            for case in range(15)
        ]
        found.append(rates(cases, suite(shapes.METRICS), seed=run))
    counts = (
        simulate(Cell(shapes.NOISY.name, 15, 0), 200, seed=4),
        simulate(Cell(shapes.NOISY.name, 15, 10), 200, seed=4),
    )
    known = [count[key] / 200 for count in counts for key in ("once", "blocked")]
    means = [sum(each[place] for each in found) / 10 for place in range(2, 6)]
    assert means == pytest.approx(known, abs=0.12)


def test_pass_or_fail_loses_whole_answers() -> None:
    mixed = of(*[(1.0, 1.0, 0.0, 1.0)] * 5, *[(1.0, 1.0)] * 10)
    found = rates(mixed)
    assert 0.1 < found.false_once < 0.5
    assert found.false_confirmed < found.false_once
    assert 0.4 < found.found_once < 0.95


def test_more_answers_and_more_cases_err_less() -> None:
    waver = of(*[(0.6, 0.8, 0.7, 0.9)] * 5)
    now, repeat, larger = resampled(waver, suite(), repeats=1, uniform=Random(2).random)
    assert repeat.false_once < now.false_once
    assert larger.false_once < now.false_once


def test_zones_and_critical_cases_count() -> None:
    waver = of(*[(0.7, 0.76)] * 15)
    low = suite(thresholds={"overall": Threshold(0.73, 0.8, 0.9)})
    assert rates(waver, low).false_once > rates(waver).false_once == 0.0
    watched = [each._replace(critical=True) for each in waver]
    assert rates(watched).false_once > 0.5 > rates(watched).false_confirmed


def test_without_confirmation_nothing_is_cleared() -> None:
    found = rates(of(*[(0.6, 0.9)] * 6), suite(confirm=0))
    assert found.false_once == found.false_confirmed > 0.0


def test_one_seed_gives_one_result_and_another_another() -> None:
    cases = of(*[(0.6, 0.9)] * 6, source="book")
    assert rates(cases) == rates(cases)
    assert rates(cases) != rates(cases, seed=2)
    assert rates(cases).false_once * COMPARISONS == pytest.approx(round(rates(cases).false_once * COMPARISONS))


def test_large_suites_are_drawn_less_often() -> None:
    found = rates(of(*[(0.5, 0.9)] * 400))
    assert found.cases == 400
    assert found.found_once * 20 == pytest.approx(round(found.found_once * 20))


@pytest.mark.parametrize(
    ("values", "spread", "source", "name"),
    [
        ([1.0] * 14 + [0.0], 0.3, None, "pass/fail, 95% pass"),
        ([1.0] * 11 + [0.0] * 4, 0.3, None, "pass/fail, 80% pass"),
        ([0.7, 0.8, 0.9], 0.02, "book", "cases share a source"),
        ([0.7, 0.8, 0.0], 0.02, None, "whole answers break"),
        ([0.85] * 14 + [0.6], 0.02, None, "nearly flawless"),
        ([0.7, 0.8, 0.9], 0.02, None, "scores in many steps"),
        ([0.7, 0.8, 0.9], 0.2, None, "scores in many steps, noisy"),
    ],
)
def test_the_nearest_suite(values: list[float], spread: float, source: str | None, name: str) -> None:
    found, plans = nearest(of(*[(value,) for value in values], source=source), spread, "overall")
    assert found == name
    assert [each.repeats for each in plans] == [1] * len(plans)


@pytest.mark.parametrize(("cases", "sizes"), [(2, [5, 10]), (12, [10, 15]), (20, [15, 50]), (300, [50])])
def test_the_nearest_size_and_the_next(cases: int, sizes: list[int]) -> None:
    _, plans = nearest(of(*[(0.7,), (0.8,)] * cases)[:cases], 0.02, "overall")
    assert [each.cases for each in plans] == sizes


def test_the_packed_rates_are_those_of_the_page() -> None:
    root = Path(__file__).parents[2]
    packed = json.loads((root / "row3/gate/noise.json").read_text())
    page = (root / "docs/noise.md").read_text()
    assert list(packed) == [each.name for each in SUITES]
    for name, rows in packed.items():
        assert [int(cases) for cases in rows] == list(CASES)
        line = next(line for line in page.splitlines() if line.startswith(f"| {name} |"))
        shown = [float(number) for number in line.replace("→", " ").replace("/", " ").split("|")[2].split()]
        assert shown == pytest.approx([100 * rate for rate in rows["5"]], abs=0.51)
