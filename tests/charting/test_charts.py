"""Trend charts: what they contain, that they are repeatable, and the arithmetic behind them."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from row3.charting.drawing import LONGEST, ZONE_FILL, label
from row3.charting.timeline import TrendPoint, by_time, run_timeline, week_timeline
from row3.charting.trend_chart import trend_chart, y_range, y_ticks, zone_bands
from row3.domain.scores import Metric, Threshold, Zone
from tests.rows import every_row

START = datetime(2025, 11, 3, 9, 14, tzinfo=UTC)  # a Monday
RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.60, 0.70, 0.85), weight=0.25)
RATE = Metric("hallucinationRate", "Hallucination rate", False, Threshold(0.05, 0.02, 0.0), -0.15)
OVERALL = Metric("overall", "Overall", threshold=Threshold(0.65, 0.75, 0.85))
F1 = Metric("f1", "Concept F1")
EXTRA = Metric("duplicateRate", "Duplicate rate", False, companion=True)
METRICS = (RECALL, F1, RATE, OVERALL, EXTRA)


def run(days: float = 0, overall: float = 0.7, **more: object) -> TrendPoint:
    point = TrendPoint(
        at=START + timedelta(days=days),
        action="compare",
        label="decompose-concepts v1.0",
        metrics={"overall": overall, "recall": overall, "f1": overall, "hallucinationRate": 0.01},
    )
    return replace(point, **more)  # type: ignore[arg-type]


def draw(
    points: Sequence[TrendPoint],
    weekly: bool = False,
    suite: str = "decomposition",
    *,
    metrics: Sequence[Metric] = METRICS,
    thresholds: Mapping[str, Threshold] | None = None,
    png: bool = False,
) -> bytes:
    limits = {metric.key: metric.threshold for metric in metrics if metric.threshold} | dict(thresholds or {})
    return trend_chart(points, judged(suite, metrics, limits), weekly=weekly, png=png)


def judged(name: str, metrics: Sequence[Metric], limits: Mapping[str, Threshold]) -> Any:
    """What a chart needs of a suite."""
    kind, rules = SimpleNamespace(metrics=metrics, primary="overall"), SimpleNamespace(thresholds=limits)
    return SimpleNamespace(name=name, tier="replay", kind=kind, rules=rules)


def texts(svg: bytes) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(node.itertext()).strip() for node in root.iter("{http://www.w3.org/2000/svg}text")]


def png_chunks(png: bytes) -> dict[bytes, bytes]:
    """Chunks by type, their checksums verified."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert zlib.crc32(kind + body) == int.from_bytes(png[at + 8 + size : at + 12 + size])
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + size
    return chunks


class TestFiles:
    def test_png_is_complete_large_and_carries_no_date_or_program(self) -> None:
        chunks = png_chunks(draw([run(0), run(1)], png=True))
        width, height = (int.from_bytes(chunks[b"IHDR"][i : i + 4]) for i in (0, 4))
        assert width == 1360
        assert 900 < height < 1700
        assert b"IEND" in chunks
        assert not {b"tEXt", b"iTXt", b"zTXt", b"tIME"} & chunks.keys()

    def test_svg_holds_text_as_text(self) -> None:
        svg = draw([run(0, 0.7), run(1, 0.784)])
        found = texts(svg)
        assert "78.4%" in found
        assert {"fail", "marginal", "pass", "excellent"} <= set(found)
        assert {"Overall", "Concept recall", "Concept F1", "Hallucination rate"} <= set(found)
        assert "Duplicate rate" not in found
        assert "decomposition, 3 Nov – 4 Nov 2025: 2 compares" in found
        assert b"creator" not in svg
        assert b"dc:date" not in svg

    @every_row("weekly", [False, True])
    def test_same_input_same_bytes(self, weekly: bool) -> None:
        points = [run(day, 0.6 + day / 100, action="promotion" if day == 4 else "compare") for day in range(20)]
        assert draw(points, weekly) == draw(list(reversed(points)), weekly)

    def test_same_bytes_in_another_process(self) -> None:
        code = (
            "import hashlib; from test_charts import draw, run; f = draw([run(0), run(1)]);"
            "print(hashlib.sha256(f).hexdigest())"
        )
        here = str(Path(__file__).parent)
        seen = {
            subprocess.run(
                [sys.executable, "-c", code],
                env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([here, *sys.path]), "TZ": zone},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
        }
        assert len(seen) == 1

    def test_matplotlib_stays_as_it_was(self) -> None:
        import matplotlib

        with matplotlib.rc_context({"axes.facecolor": "black", "text.parse_math": True, "savefig.bbox": "tight"}):
            before = dict(matplotlib.rcParams)
            odd = draw([run()])
            assert dict(matplotlib.rcParams) == before
        assert odd == draw([run()])

    def test_importing_the_module_imports_no_matplotlib(self) -> None:
        loaded = "{'matplotlib', 'numpy'} & sys.modules.keys()"
        code = f"import sys, row3.charting.trend_chart; sys.exit(bool({loaded}))"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestContents:
    @every_row("weekly", [False, True])
    @every_row("count", [1, 2, 500])
    def test_any_number_of_runs(self, count: int, weekly: bool) -> None:
        points = [run(index / 3, 0.5 + 0.3 * math.sin(index / 40) ** 2) for index in range(count)]
        ElementTree.fromstring(draw(points, weekly))
        png_chunks(draw(points, weekly, png=True))

    @every_row("weekly", [False, True])
    def test_missing_metrics(self, weekly: bool) -> None:
        points = [
            run(0),
            run(7, metrics={"overall": 0.71}),
            run(14, metrics={"overall": math.nan, "recall": math.inf}),
            run(21, metrics={"overall": 0.65, "recall": 0.6, "hallucinationRate": 0.05}),
        ]
        found = texts(
            draw([replace(p, metrics={k: v for k, v in p.metrics.items() if k != "f1"}) for p in points], weekly)
        )
        assert "Concept F1" not in found  # no run has it, and an empty panel says nothing
        assert {"65.0%", "60.0%", "5.0%"} <= set(found)

    def test_promotions_are_marked_and_named(self) -> None:
        without, marked = (
            draw([run(0), run(1, action=action, label="decompose-concepts v1.1"), run(2)])
            for action in ("compare", "promotion")
        )
        assert "v1.1 promoted" in texts(marked)
        assert "v1.1 promoted" not in texts(without)

    def test_a_promotion_at_the_last_run_has_room_for_its_name(self) -> None:
        svg = draw([run(0), run(1), run(2, action="promotion", label="extract v1.1")])
        root = ElementTree.fromstring(svg)
        (node,) = [n for n in root.iter("{http://www.w3.org/2000/svg}text") if "promoted" in "".join(n.itertext())]
        x, width = float(node.get("x") or re.findall(r"[\d.]+", node.get("transform") or "")[0]), 8.5 * 72
        assert x + 13 * 6.5 < width - 50  # the names of the zones stand at the right edge

    def test_of_crowded_promotions_the_newest_is_named(self) -> None:
        points = [run(day) for day in range(100)]
        points += [run(100 + n, action="promotion", label=f"decompose-concepts v1.{n}") for n in range(3)]
        found = texts(draw(points))
        assert [text for text in found if text.endswith("promoted")] == ["v1.2 promoted"]

    def test_labels_are_taken_literally(self) -> None:
        found = texts(draw([run(action="promotion", label="$x_1$<b>&amp;\\frac{a}]]>")], suite="a_$b$ <c> & d"))
        assert "$x_1$<b>&amp;\\frac{a}]]> promoted" in found
        assert any(text.startswith("a_$b$ <c> & d, ") for text in found)

    def test_labels_that_no_file_can_hold(self) -> None:
        name = "nul \x00 bell \x07 line\nbreak \ud800 日本語 🙂 " + "x" * 500 + "v1.1"
        found = texts(draw([run(action="promotion", label=name)], suite="s\x00" * 300))
        assert any(text.endswith("v1.1 promoted") for text in found)
        assert max(len(text) for text in found) < 125

    def test_thresholds_of_the_suite_come_before_those_of_the_metric(self) -> None:
        strict = {"overall": Threshold(0.71, 0.81, 0.91)}
        found = texts(draw([run()], thresholds=strict))
        assert {"71%", "81%", "91%"} <= set(found)

    def test_zones_are_named_even_if_the_composite_has_none(self) -> None:
        plain_overall = replace(OVERALL, threshold=None)
        found = texts(draw([run()], metrics=[plain_overall, RECALL]))
        assert {"fail", "marginal", "pass", "excellent"} <= set(found)

    def test_blocked_runs_are_named(self) -> None:
        assert texts(draw([run(0), run(1, verdict="block"), run(2)])).count("blocked") == 1
        assert "blocked" not in texts(draw([run(0), run(1, verdict="investigate")]))

    def test_runs_of_another_scorer_are_named_and_do_not_count(self) -> None:
        found = texts(draw([run(0, 0.9, comparable=False), run(1, 0.7, rescored=True), run(2, 0.75)]))
        assert {"cases or scorer changed", "Overall 75.0%, up 5.0 points since 4 Nov 2025"} <= set(found)

    def test_a_change_of_what_is_scored_is_marked_between_two_runs_or_weeks(self) -> None:
        points = [run(0), run(1), run(8, rescored=True), run(9)]
        assert run_timeline(points).rescored == [1.5]
        (first, second), (mark,) = week_timeline(points).xs, week_timeline(points).rescored
        assert first < mark < second
        for weekly in (False, True):
            plain = draw([replace(point, rescored=False) for point in points], weekly)
            marked = draw(points, weekly)
            assert (texts(marked).count("cases or scorer changed"), texts(plain).count("cases or scorer changed")) == (
                1,
                0,
            )
            assert marked.count(b"stroke-dasharray") == plain.count(b"stroke-dasharray") + 1

    def test_zones_get_darker_from_excellent_to_fail(self) -> None:
        shades = [sum(int(ZONE_FILL[zone][i : i + 2], 16) * w for i, w in ((1, 3), (3, 6), (5, 1))) for zone in Zone]
        assert all(after - before > 40 for before, after in pairwise(shades))  # a sixtieth of black to white


class TestMessage:
    @every_row(
        ("values", "message"),
        [
            ([0.784], "Overall 78.4% in one run; a trend needs two"),
            ([0.7, 0.9, 0.75], "Overall 75.0%, up 5.0 points since 3 Nov 2025"),
            ([0.75, 0.7], "Overall 70.0%, down 5.0 points since 3 Nov 2025"),
            ([0.7, 0.9, 0.7001], "Overall 70.0%, unchanged since 3 Nov 2025"),
        ],
    )
    def test_the_title_says_how_the_primary_metric_moved(self, values: list[float], message: str) -> None:
        assert message in texts(draw([run(day, value) for day, value in enumerate(values)]))

    def test_a_blocked_run_is_no_level_that_was_reached(self) -> None:
        points = [run(0, 0.75), run(1, 0.779, action="promotion"), run(2, 0.642, verdict="block")]
        found = texts(draw(points))
        assert "Overall 77.9%, up 2.9 points since 3 Nov 2025; last run blocked" in found
        assert "Overall 70.0% in one run; a trend needs two" in texts(draw([run(0, 0.7, verdict="block")]))

    def test_a_change_of_level_is_the_message(self) -> None:
        changed = run(9, 0.85, label="extract v1.1", level=(0.78, 0.847))
        found = texts(draw([run(0, 0.78), changed]))
        assert {"Overall rose from 78.0% to 84.7% with v1.1, 12 Nov 2025", "78.0% → 84.7%"} <= set(found)
        blocked = texts(draw([run(0, 0.78), replace(changed, verdict="block")]))
        assert "Overall rose from 78.0% to 84.7% with v1.1, 12 Nov 2025 (blocked)" in blocked

    def test_each_small_panel_says_its_own(self) -> None:
        rate = {"overall": 0.7, "hallucinationRate": 0.04}
        found = texts(draw([run(0), run(1, metrics=rate)]))
        assert "up 3.0 points since 3 Nov 2025; lower is better" in found

    def test_one_week_is_no_trend_either(self) -> None:
        assert "Overall 75.0% in one week; a trend needs two" in texts(draw([run(0, 0.7), run(1, 0.8)], weekly=True))

    def test_the_primary_metric_is_large_wherever_it_stands(self) -> None:
        found = texts(draw([run(0), run(1)], metrics=[OVERALL, RECALL]))
        assert found.index("every run, in order") < found.index("Concept recall")


class TestWeeks:
    POINTS = (
        run(0, metrics={"overall": 0.60, "recall": 0.5}),
        run(6.6, metrics={"overall": 0.75}),  # Sunday 23:38
        run(6.7, metrics={"overall": 0.80}),  # Monday of the next week, 02:02
        run(22, metrics={"overall": math.nan, "recall": 0.9}),
    )

    def test_by_hand(self) -> None:
        first, second, fourth = week_timeline(self.POINTS).columns
        assert [len(week.runs) for week in (first, second, fourth)] == [2, 1, 1]
        assert [first.mean(key) for key in ("overall", "recall")] == pytest.approx([0.675, 0.5])
        assert (first.values("overall"), first.values("recall")) == ([0.60, 0.75], [0.5])
        assert second.mean("overall") == 0.80
        assert math.isnan(fourth.mean("overall"))
        assert fourth.mean("recall") == 0.9

    def test_order_and_zone_do_not_matter(self) -> None:
        tokyo = timezone(timedelta(hours=9))
        moved = [replace(point, at=point.at.astimezone(tokyo)) for point in reversed(self.POINTS)]
        naive = [replace(point, at=point.at.replace(tzinfo=None)) for point in self.POINTS]
        assert by_time(moved) == by_time(naive) == by_time(self.POINTS)

    def test_iso_week_reaches_over_new_year(self) -> None:
        points = [
            replace(run(), at=datetime(2025, 12, 29, tzinfo=UTC)),
            replace(run(), at=datetime(2026, 1, 4, tzinfo=UTC)),
        ]
        assert [len(week.runs) for week in week_timeline(points).columns] == [2]

    def test_real_time_along_x(self) -> None:
        promoted = replace(self.POINTS[2], action="promotion", at=datetime(2025, 11, 13, 12, tzinfo=UTC))
        timeline = week_timeline([*self.POINTS[:2], promoted, self.POINTS[3]])
        first = (datetime(2025, 11, 3) - datetime(1970, 1, 1)).days
        assert timeline.xs == [first + 3.5, first + 10.5, first + 24.5]
        assert timeline.promotions == [(first + 10.5, "decompose-concepts v1.0")]


class TestScale:
    def test_range_shows_the_fail_limit_the_data_and_a_fair_part_of_the_scale(self) -> None:
        for values in ([0.80, 0.81], [0.3], [1.0], [0.0], [0.65], []):
            low, high = y_range(OVERALL, OVERALL.threshold, values)
            assert low < 0.65 < high
            assert low <= min(values, default=0.65)
            assert max(values, default=0.85) <= high <= 1.0
            assert high - low >= 0.4 - 1e-9

    def test_range_of_a_rate_starts_at_zero(self) -> None:
        assert y_range(RATE, RATE.threshold, [0.0]) == (0.0, 0.1)
        low, high = y_range(RATE, RATE.threshold, [0.37])
        assert [low, high] == pytest.approx([0.0, 0.4])

    def test_range_of_a_rate_that_may_be_anything_ends_at_one(self) -> None:
        for values in ([0.0], [1.0], [0.153]):
            assert y_range(RATE, Threshold(1.0, 0.1, 0.0), values) == (0.0, 1.0)

    def test_ticks_are_the_limits_and_round_values_apart_from_each_other(self) -> None:
        assert {0.65, 0.75, 0.85} <= set(y_ticks((0.5, 0.9), OVERALL.threshold))
        crowded = y_ticks((0.0, 1.0), RATE.threshold)
        assert 0.05 in crowded
        assert all(after - before >= 0.08 for before, after in pairwise(crowded))

    def test_bands(self) -> None:
        assert zone_bands(OVERALL, Threshold(0.65, 0.75, 0.85), 0.5, 0.8) == [
            (Zone.FAIL, 0.5, 0.65),
            (Zone.MARGINAL, 0.65, 0.75),
            (Zone.PASS, 0.75, 0.8),
        ]
        assert zone_bands(RATE, Threshold(0.05, 0.02, 0.0), -0.01, 0.1) == [
            (Zone.EXCELLENT, -0.01, 0.0),
            (Zone.PASS, 0.0, 0.02),
            (Zone.MARGINAL, 0.02, 0.05),
            (Zone.FAIL, 0.05, 0.1),
        ]

    def test_runs_are_ordered_by_time(self) -> None:
        timeline = run_timeline([run(3, 0.8), run(1, 0.6), run(2, metrics={})])
        assert timeline.columns[0].mean("overall") == 0.6
        assert math.isnan(timeline.columns[1].mean("overall"))
        assert timeline.xs == [0.0, 1.0, 2.0]

    def test_long_labels_keep_both_ends(self) -> None:
        shown = label("decompose-concepts " + "x" * 100 + " v1.1")
        assert shown.startswith("decompose-concepts")
        assert shown.endswith("v1.1")
        assert len(shown) <= LONGEST
