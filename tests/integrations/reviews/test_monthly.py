"""What a month suggests for the golden cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scipy.stats import spearmanr

from row3.integrations.monitoring.storage import Store
from row3.integrations.reviews.monthly import monthly
from row3.integrations.reviews.report import review_document, review_json
from row3.project.project import Project
from row3.reports.terminal import terminal_text
from tests.produced import END_MS, GOOD, keep, made, score
from tests.projects import CASES, flawless

RYE = {"topic": "rye  Bread", "sourceText": CASES["rye"]["sourceText"]}


def found(project: Project, store: Store) -> dict[str, Any]:
    with store.open() as connection:
        return review_json(monthly(project, connection, END_MS))


def test_new_topics_are_candidates_with_the_command_that_drafts_them(
    project: Project, store: Store, tmp_path: Path
) -> None:
    lines: list[Any] = [made(f"r{n}", 3, **RYE) for n in range(9)]
    lines += [made(f"often {n}", 3, topic="Peat & bogs") for n in range(8)]
    for n in range(5):
        lines += [made(f"bad{n}", 2, 1, n % 2, topic="moss"), score(f"bad{n}", 1 + n % 2)]
    lines += [made("gone", 2, topic="no text", sourceText=None)]
    keep(store, tmp_path, *lines)
    part = found(project, store)["candidates"]
    assert [(row["topic"], row["reason"], row["records"], row["feedback"]) for row in part["rows"]] == [
        ("moss", "badly rated", 5, 1.4), ("Peat & bogs", "frequent", 8, None), ("no text", "frequent", 1, None)
    ]  # fmt: skip
    # of the records rated 1 those with the lowest score, then the first id
    assert [row["command"] for row in part["rows"]] == [
        "row3 cases new moss --from-trace bad0",
        "row3 cases new peat-bogs --from-trace 'often 0'",
        None,
    ]
    assert "keep =" in part["notes"][0]


def test_an_id_that_would_break_out_of_its_quotes_is_in_no_command(
    project: Project, store: Store, tmp_path: Path
) -> None:
    keep(store, tmp_path, made("a\u202e", 1, topic="moss"), made("; rm -rf ~", 1, topic="fern"))
    commands = [row["command"] for row in found(project, store)["candidates"]["rows"]]
    assert commands == ["row3 cases new fern --from-trace '; rm -rf ~'", None]


def test_a_draft_is_no_candidate_again(project: Project, store: Store, tmp_path: Path) -> None:
    keep(store, tmp_path, made("a", 1, topic="Peat bogs"))
    draft = '{"id": "peat", "draft": true, "topic": "peat-bogs", "sourceText": "Peat.", "expectedConcepts": []}'
    (project.root / "golden/bread/peat.gold.json").write_text(draft)
    part = found(project, store)["candidates"]
    assert part == {"rows": [], "notes": ["Every topic has a golden case."]}


def test_concepts_that_several_texts_lack_are_canaries(project: Project, store: Store, tmp_path: Path) -> None:
    fabricated = [{"label": "Hyphal radio"}, {"label": "cold rye memory"}, {"label": "proofing"}, {"label": "trees"}]
    lines = [made(f"a{n}", n, topic=f"t{n % 2}") | {"concepts": [GOOD, *fabricated]} for n in range(1, 4)]
    lines += [made(f"b{n}", n) | {"concepts": [{"label": "seldom named"}]} for n in range(1, 3)]
    # `trees` is real where another text mentions it; two others are known to golden cases
    keep(store, tmp_path, *lines)
    assert found(project, store)["canaries"]["rows"] == [
        {"concept": "Hyphal radio", "domain": "ecological", "records": 3, "topics": 2, "record": "a3"}
    ]


def test_cases_whose_topic_does_badly_or_that_nobody_touches(project: Project, store: Store, tmp_path: Path) -> None:
    assert found(project, store)["cases"]["rows"] == [
        {"case": "rye", "reason": "not edited since 2026-01-05", "records": 0, "opinions": 0, "touched": "2026-01-05"}
    ]
    lines: list[Any] = []
    for n in range(5):
        lines += [made(f"r{n}", 3, **RYE), score(f"r{n}", 3)]
    keep(store, tmp_path, *lines)
    row = found(project, store)["cases"]["rows"][0]
    assert row["reason"].startswith("User feedback below target; ")
    assert (row["records"], row["opinions"]) == (5, 5)


def test_correlations_are_scipys_by_golden_cases_and_by_proxies(project: Project, store: Store, tmp_path: Path) -> None:
    whole, lines = flawless(CASES["rye"]), list[Any]()
    recalls, scores = [], []
    for n in range(24):
        points, size = 1 + n % 5, 1 + (n % 5 + n // 8) % 4
        lines += [made(f"r{n:02}", 2, **RYE) | {"concepts": whole["concepts"][:size]}, score(f"r{n:02}", points)]
        recalls.append(size / 4)
        scores.append(points)
    lines += [made("other", 2, topic="moss"), score("other", 3)]
    keep(store, tmp_path, *lines)
    part = found(project, store)["correlation"]
    rows = {row["metric"]: row for row in part["rows"]}
    assert rows["recall"]["n"] == 24 and rows["recall"]["weight"] == 0.25
    assert rows["recall"]["correlation"] == pytest.approx(spearmanr(recalls, scores).statistic)
    low, high = rows["recall"]["interval"]
    assert low < rows["recall"]["correlation"] < high
    assert (rows["grounded"]["n"], rows["grounded"]["proxyOf"]) == (25, "precision")
    assert rows["precision"] | {"correlation": None, "interval": None} == rows["precision"]
    assert rows["canaries"]["n"] == 0
    with store.open() as connection:
        text = terminal_text(review_document(monthly(project, connection, END_MS)))
    assert "Concept precision" in text and "constant" in text and "n below 10" in text
    assert "Bonett and Wright (2000)" in text


def test_an_empty_store_says_so(project: Project, store: Store) -> None:
    with store.open() as connection:
        text = terminal_text(review_document(monthly(project, connection, END_MS)))
    for said in ("No records in this period.", "No new concept", "No user feedback.", "of 0 records"):
        assert said in text
