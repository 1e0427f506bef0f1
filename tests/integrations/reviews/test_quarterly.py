"""Versions, targets and weights over a quarter."""

from __future__ import annotations

import math
import re
from pathlib import Path
from statistics import fmean, variance
from typing import Any

import pytest

from row3.integrations.monitoring.figures import FIGURE
from row3.integrations.monitoring.records import DAY_MS
from row3.integrations.monitoring.storage import Store
from row3.integrations.monitoring.tables import Totals
from row3.integrations.reviews.quarterly import Spread, difference, quarterly, room_used, targets, weights_section
from row3.integrations.reviews.regression import Sample
from row3.integrations.reviews.report import review_document, review_json
from row3.project.project import Project
from row3.reports.terminal import terminal_text
from tests.produced import END_MS, failed, keep, made, score
from tests.rows import every_row

WEIGHTS = {
    "recall": 0.25, "precision": 0.2, "relationshipAccuracy": 0.2, "provenanceCoverage": 0.2,
    "hallucinationRate": -0.15,
}  # fmt: skip


def test_shares_differ_as_in_newcombe() -> None:
    # Newcombe 1998, table II, method 10: 56/70 and 48/80
    found = difference("errors", Spread(80, 48 / 80, 0.0), Spread(70, 56 / 70, 0.0))
    assert found.value == pytest.approx(0.2)
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)
    # 10/10 and 0/10: 0.6075 to 1, where Wald's would have no width
    found = difference("errors", Spread(10, 0.0, 0.0), Spread(10, 1.0, 0.0))
    assert (round(found.low, 4), round(found.high, 4)) == (0.6075, 1.0)


def test_means_differ_by_their_own_variances() -> None:
    found = difference("latency", Spread(100, 1000.0, 400.0), Spread(50, 990.0, 200.0))
    # √(400/100 + 200/50) = √8
    assert (found.value, found.low, found.high) == pytest.approx(
        (-10, -10 - 1.959964 * math.sqrt(8), -10 + 1.959964 * math.sqrt(8))
    )


def test_versions_stand_side_by_side(project: Project, store: Store, tmp_path: Path) -> None:
    lines: list[Any] = []
    old, new = [1000 + n for n in range(40)], [900 + 2 * n for n in range(30)]
    lines += [made(f"a{n}", 60 - n / 10, latencyMs=ms) for n, ms in enumerate(old)]
    lines += [made(f"b{n}", 40 - n / 10, 2, 2, version="v1.1", latencyMs=ms) for n, ms in enumerate(new)]
    lines += [failed("f", 59), made("few", 3, version="v1.2"), made("none", 3, version=None)]
    lines += [score(f"a{n}", 4) for n in range(40)] + [score(f"b{n}", 5) for n in range(5)]
    keep(store, tmp_path, *lines)
    with store.open() as connection:
        review = quarterly(project, connection, END_MS)
    part = review_json(review)["versions"]
    rows = {row["figure"]: row for row in part["rows"]}
    ms = rows["latency"]
    assert (ms["versions"], ms["nBefore"], ms["n"]) == ("v1.0 → v1.1", 41, 30)
    before = [*old, 1000]
    assert ms["before"] == pytest.approx(fmean(before)) and ms["after"] == pytest.approx(fmean(new))
    half = 1.959964 * math.sqrt(variance(before) / 41 + variance(new) / 30)
    assert ms["interval"] == pytest.approx([ms["difference"] - half, ms["difference"] + half])
    assert (rows["errors"]["before"], rows["errors"]["after"]) == (pytest.approx(1 / 41), 0)
    assert (rows["ungrounded"]["before"], rows["ungrounded"]["after"]) == (0, 0.5)
    assert rows["verified"]["after"] == 1
    assert "feedback" not in rows  # too few of v1.1
    text = terminal_text(review_document(review))
    assert re.search(r"Average cost +\$0\.0100 +\$0\.0100 +\$0\.00…\$0\.00 ", text)
    assert part["notes"][2] == "v1.2: 1 records, 2026-11-21 to 2026-11-21."
    assert "split between both at random" in part["notes"][-1]
    svg = next(section.chart for section in review.sections if section.chart)()
    assert b"Average latency, v1.1" in svg


@every_row(
    ("figure", "value", "used"),
    [("latency", 1500, 0.5), ("latency", 6000, 2), ("concepts", 22.5, 0), ("concepts", 30, 1), ("concepts", 15, 1),
     ("feedback", 4.5, 0.5), ("feedback", 3.5, 1.5), ("verified", 1.0, 0), ("verified", 0.9, 2)],
)  # fmt: skip
def test_how_much_of_a_targets_room_is_used(figure: str, value: float, used: float) -> None:
    assert room_used(FIGURE[figure], value) == pytest.approx(used)


def test_targets_that_are_far_from_production() -> None:
    def day(latency: float, cost: float, concepts: int) -> Totals:
        return Totals(requests=2, concepts=2 * concepts, timed=2, latency_sum=2 * latency, priced=2, cost_sum=2 * cost)

    days = [day(3500 if n < 10 else 2900, 0.02 + n / 1000, 20) for n in range(20)]
    hours = {n * DAY_MS + 3_600_000: each for n, each in enumerate(days)}
    rows = {row[0]: row for row in targets(hours).rows}
    # missed on 10 of 20 days; the worst day's cost is 0.039 of 0.05, which is near; 20 concepts of 15 to 30 use a third
    assert list(rows) == ["concepts", "relationships", "latency"]
    assert rows["latency"][3].value == 3500 and rows["latency"][4:] == [10, 20, "missed on most days"]
    assert rows["concepts"][4:] == [0, 20, "never near"]
    assert rows["relationships"][4:] == [20, 20, "missed on most days"]
    few = targets(dict(list(hours.items())[:13]))
    assert few.rows == [] and "No target is far" in few.empty


def samples(n: int, topics: int, key: str) -> list[Sample]:
    found = []
    for place in range(n):
        metrics = {
            "found": place % 7 / 7,
            "grounded": place % 3 / 3,
            "related": place % 4 / 4,
            "verified": place % 5 / 5,
        }
        if key == "golden":
            names = ("recall", "precision", "relationshipAccuracy", "provenanceCoverage")
            metrics = {"hallucinationRate": 0.0, **dict(zip(names, metrics.values(), strict=True))}
        found.append(Sample(f"t{place % topics}", 1 + 4 * (place % 5 / 5), metrics))
    return found


def test_weights_are_proposed_where_there_is_enough() -> None:
    for key, said in (("golden", "by golden cases"), ("proxy", "by proxies of golden cases")):
        section = weights_section(WEIGHTS, samples(210, 12, key))
        weights = {row[0]: row[2].value for row in section.rows}
        assert weights["provenanceCoverage"] == pytest.approx(0.85) and weights["hallucinationRate"] == -0.15
        assert said in section.notes[0] and "n = 210" in section.notes[0]
        assert section.notes[1].startswith("Nothing is applied")


def test_too_little_data_says_how_much_is_needed() -> None:
    for n, topics in ((99, 12), (210, 9)):
        section = weights_section(WEIGHTS, samples(n, topics, "proxy"))
        assert section.rows == []
        assert section.empty == (
            f"Too little data: {n} records with feedback and every metric, over {topics} topics; "
            "100 over 10 are needed."
        )  # fmt: skip


def test_an_empty_store_says_so(project: Project, store: Store) -> None:
    with store.open() as connection:
        text = terminal_text(review_document(quarterly(project, connection, END_MS)))
    for said in ("Fewer than two versions", "No target is far", "Too little data: 0 records"):
        assert said in text
