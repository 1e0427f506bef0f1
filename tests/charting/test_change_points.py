"""Change points: against a search of all partitions, and what the chart and the sentence say of them."""

from __future__ import annotations

import importlib.util
import math
import random
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from statistics import median
from xml.etree import ElementTree

import pytest

from row3.charting.timeline import TrendPoint, level_changes, run_timeline, week_timeline, with_changes
from row3.charting.trend_chart import change_text, trend_chart
from row3.domain.scores import Metric, Threshold
from row3.errors import MissingExtra
from tests.charting.test_charts import judged
from tests.rows import every_row

pytest.importorskip("ruptures", reason="pip install 'row3[trend]'")
OVERALL = Metric("overall", "Overall", threshold=Threshold(0.65, 0.75, 0.85))
START = datetime(2026, 11, 15, 9, tzinfo=UTC)


def points(values: list[float]) -> list[TrendPoint]:
    return [
        TrendPoint(START + timedelta(days=n), "compare", f"extract v1.{n}", {"overall": value})
        for n, value in enumerate(values)
    ]


def every_partition(values: list[float]) -> list[int]:
    """The cheapest of all partitions into levels of two values and more, by dynamic programming over sums."""
    steps = [abs(b - a) for a, b in pairwise(values)]
    noise = max(0.01, 1.4826 * median(steps) / math.sqrt(2))
    penalty = 2 * noise * math.log(len(values))

    def cost(a: int, b: int) -> float:
        middle = median(values[a:b])
        return sum(abs(value - middle) for value in values[a:b]) + penalty

    @cache
    def best(end: int) -> tuple[float, tuple[int, ...]]:
        if end == 0:
            return 0.0, ()
        found = [(best(a)[0] + cost(a, end), (*best(a)[1], a)) for a in range(end - 1) if a == 0 or a >= 2]
        return min(found)

    return [start for start in best(len(values))[1] if start]


@every_row("seed", range(30))
def test_they_are_those_of_the_cheapest_partition(seed: int) -> None:
    chance = random.Random(seed)
    levels = [chance.choice([0.6, 0.7, 0.8]) for _ in range(chance.randint(1, 4))]
    values = [level + chance.gauss(0, 0.01) for level in levels for _ in range(chance.randint(2, 7))]
    values += [values[-1] + chance.gauss(0, 0.01) for _ in range(8 - len(values))]
    assert level_changes(values) == every_partition(values)


@every_row(
    ("values", "places"),
    [
        ([0.78] * 4 + [0.847] * 4, [4]),
        ([0.78] * 4 + [0.847] * 3, []),  # seven points
        ([0.78] * 8, []),
        ([0.78, 0.785] * 6, []),
        ([0.78] * 5 + [0.5] + [0.78] * 5, []),  # one run is no level
        ([0.9] * 5 + [0.7] * 5 + [0.8] * 5, [5, 10]),
    ],
)
def test_where_the_level_changes(values: list[float], places: list[int]) -> None:
    assert level_changes(values) == places


def test_the_run_of_the_change_is_marked_and_told() -> None:
    marked = with_changes(points([0.78] * 4 + [0.847] * 5), "overall")
    (run,) = [each for each in marked if each.level is not None]
    assert run.level == (pytest.approx(0.78), pytest.approx(0.847))
    assert change_text("Overall", run) == "Overall rose from 78.0% to 84.7% with v1.4, 19 Nov 2026"


def test_runs_that_do_not_compare_count_for_nothing() -> None:
    given = points([0.78] * 4 + [0.847] * 5)
    others = [TrendPoint(START - timedelta(days=n), "compare", "x", {"overall": 0.2}, None, False) for n in range(1, 9)]
    assert [each.level for each in with_changes([*others, *given], "overall") if each.level] == [
        (pytest.approx(0.78), pytest.approx(0.847))
    ]
    assert not any(each.level for each in with_changes([*others, *given[:7]], "overall"))


def test_the_chart_has_a_dashed_line_between_the_runs_and_says_so() -> None:
    marked = with_changes(points([0.78] * 4 + [0.847] * 5), "overall")
    levels = (pytest.approx(0.78), pytest.approx(0.847))
    assert run_timeline(marked).changes == [(3.5, levels)]
    assert week_timeline(marked).changes == [((START + timedelta(days=4)).timestamp() / 86_400, levels)]
    with_line, without = (
        trend_chart(each, judged("bread", [OVERALL], {})) for each in (marked, points([0.78] * 4 + [0.847] * 5))
    )
    texts = ["".join(node.itertext()).strip() for node in ElementTree.fromstring(with_line).iter()]
    assert "78.0% → 84.7%" in texts
    assert with_line.count(b"stroke-dasharray") == without.count(b"stroke-dasharray") + 1


def test_without_ruptures_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert level_changes([0.8] * 7) == []
    with pytest.raises(MissingExtra, match=r"pip install 'row3\[trend\]'"):
        level_changes([0.8] * 8)
