from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from row3.reports.cases.case_items import NAMED, items_block
from row3.reports.scorecard_table import scorecard_table
from row3.reports.style import Style, cells


def with_found(run: Any, **found: dict[str, list[str]]) -> Any:
    records = [
        json.dumps({"id": row.case_id, "found": found.get(row.case_id.replace("-", "_"), {})}).encode()
        for row in run.rows
    ]
    return replace(run, records=records)


def test_each_case_names_its_lists_in_the_order_of_the_rows(run: Any) -> None:
    run = with_found(
        run, ozone={"missedConcepts": ["CFCs"], "canaries": ["ozone\x1b[1m glue"]}, bank_runs={"wrongConcepts": ["x"]}
    )
    assert items_block(run, run.rows, Style()) == [
        "What was missed or wrong",
        "  bank-runs",
        "      − unexpected: x",
        "  ozone",
        "      − missed concepts: CFCs",
        "      − canary extracted: ozone glue",
    ]


def test_nothing_is_said_where_nothing_was_wrong(run: Any) -> None:
    assert items_block(with_found(run), run.rows, Style()) == []


def test_a_list_that_never_ends_is_cut(run: Any) -> None:
    run = with_found(run, ozone={"missedEntities": ["item " * 90_000] * (NAMED + 7)})
    lines = items_block(run, run.rows, Style())
    assert lines[-1].endswith("and 7 more")
    assert max(map(cells, lines)) <= 80


def test_a_scorecard_names_them_when_asked(run: Any) -> None:
    run = with_found(run, ozone={"missedConcepts": ["CFCs"]})
    assert "− missed concepts: CFCs\n" in scorecard_table(run, verbose=True)
    assert "CFCs" not in scorecard_table(run)
