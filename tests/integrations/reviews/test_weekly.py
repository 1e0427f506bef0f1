"""The week on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from row3.integrations.monitoring.storage import Store
from row3.integrations.reviews.report import review_document, review_json
from row3.integrations.reviews.weekly import weekly, worst_rated
from row3.project.project import Project
from row3.reports.terminal import Style, terminal_text
from tests.produced import END_MS, failed, keep, made, score


def found(project: Project, store: Store) -> dict[str, Any]:
    with store.open() as connection:
        return review_json(weekly(project, connection, END_MS))


def test_days_stand_beside_those_of_the_week_before(project: Project, store: Store, tmp_path: Path) -> None:
    # the last day is 11-23: two records, one failed; a week earlier four, one failed, the slowest at 2,000 ms
    keep(
        store, tmp_path,
        made("a", 0.5, latencyMs=500), failed("b", 0.6) | {"latencyMs": 500},
        *(made(f"c{n}", 7.5, latencyMs=2000) for n in range(3)), failed("d", 7.6) | {"latencyMs": 2000},
        made("too old", 14.5), made("too new", -0.5),
    )  # fmt: skip
    review = found(project, store)
    assert review["records"] == 2
    assert review["days"]["rows"][-1] == {
        "day": "2026-11-23", "records": 2, "errors": 0.5, "errorsBefore": 0.25,
        "latencyP95": 500.0, "latencyP95Before": 2000.0,
    }  # fmt: skip
    assert review["days"]["rows"][0] == {
        "day": "2026-11-17", "records": 0, "errors": None, "errorsBefore": None,
        "latencyP95": None, "latencyP95Before": None,
    }  # fmt: skip
    assert review["errors"]["rows"] == [{"error": "timeout", "n": 1, "id": "b"}]


def test_the_lowest_of_the_sample_come_first(project: Project, store: Store, tmp_path: Path) -> None:
    # weights 0.20 of precision and 0.20 of provenance, scaled up to 0.85: 3 of 4 in the text and quoted is 0.6375
    keep(
        store,
        tmp_path,
        made("good", 1, 4),
        made("mixed", 2, 3, 1),
        made("bad", 3, 0, 2),
        made("bare", 3, sourceText=None),
    )
    rows = found(project, store)["lowest"]["rows"]
    assert [(row["id"], row["score"]) for row in rows] == [
        ("bad", 0.0), ("mixed", pytest.approx(0.85 * 0.75)), ("good", pytest.approx(0.85))
    ]  # fmt: skip
    assert (rows[1]["verified"], rows[1]["grounded"]) == (0.75, 0.75)


def test_feedback_names_what_costs_most_points() -> None:
    # mean 4: "often" loses 10 · 1 = 10 points, "worst" 3 · 3 = 9, "few" has two scores, "fine" is at the mean
    groups = [("worst", 3, 3.0), ("often", 10, 30.0), ("few", 2, 2.0), ("fine", 5, 20.0), ("", 9, 9.0)]
    rows = worst_rated("topic", groups, 4.0)
    assert [(row[0], row[2].value, row[3]) for row in rows] == [("often", 3.0, 10), ("worst", 1.0, 3)]


def test_feedback_on_topics_versions_and_concepts(project: Project, store: Store, tmp_path: Path) -> None:
    lines: list[Any] = []
    for n in range(4):
        lines += [made(f"g{n}", 1), score(f"g{n}", 5), made(f"b{n}", 1, topic="moss", version="v1.1")]
        lines += [
            score(f"b{n}", 2),
            {"id": f"b{n}", "at": "2026-11-23T00:00:00Z", "thumb": "down", "concept": "spores"},
        ]
    keep(store, tmp_path, *lines)
    # scores: four of 5, four of 2, four thumbs down of 1: mean 32/12
    part = found(project, store)["feedback"]
    assert part["rows"] == [
        {"name": "moss", "of": "topic", "points": 1.5, "n": 8},
        {"name": "v1.1", "of": "version", "points": 1.5, "n": 8},
        {"name": "spores", "of": "concept", "points": 1.0, "n": 4},
    ]
    assert "The mean of 12 scores is 2.67" in part["notes"][0]


def test_an_empty_store_says_so(project: Project, store: Store) -> None:
    with store.open() as connection:
        review = weekly(project, connection, END_MS)
    text = terminal_text(review_document(review))
    for said in (
        "0 records of production",
        "No records in two weeks.",
        "none could be scored",
        "No feedback",
        "No record failed.",
    ):
        assert said in text


@pytest.mark.parametrize("width", [80, 100])
def test_a_bad_week_is_one_page(project: Project, store: Store, tmp_path: Path, width: int) -> None:
    lines: list[Any] = []
    for n in range(400):
        id_ = f"{n:08}-5a0b-4c1d-8e2f-{n:012}"
        days = 0.01 + n % 14 + n / 1000
        topic = f"a topic with a rather long name, number {n % 9}"
        if n % 4 == 0:
            lines.append(
                failed(
                    id_,
                    days,
                    f"error {n % 20}: the provider did not answer within its time limit of 30 s, request {n % 20}",
                )
            )
            continue
        lines.append(made(id_, days, 1, n % 3, topic=topic, version=f"v1.{n % 7}", latencyMs=9000, costUsd=0.5))
        lines += [score(id_, 1 + n % 9 // 2), score(id_, 1 + n % 5, concept=f"concept {n % 8}")]
    keep(store, tmp_path, *lines)
    with store.open() as connection:
        review = weekly(project, connection, END_MS)
    assert all(section.rows for section in review.sections)
    text = terminal_text(review_document(review), Style(width=width)).split("\n")
    assert len(text) <= 60
    assert max(map(len, text)) <= width
