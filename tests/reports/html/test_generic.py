"""Cases of kinds that the page knows nothing of: their lists become tables, whatever is in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from row3.kinds.retrieval import KIND as RETRIEVAL
from row3.reports.html.page import CaseList
from tests.browsers import Opened

ROW: dict[str, Any] = {
    "id": "memo", "title": "A memo", "domain": "", "status": "scored", "move": "unchanged",
    "zone": None, "critical": False, "value": 0.5, "delta": 0.1}  # fmt: skip
BODY: dict[str, Any] = {
    "metrics": [[RETRIEVAL.primary, 0.5, 0.1, "pass"]],
    "marked": True,
    "texts": [
        ["date", "2026-01-05"],
        ["document", "Ada will ship the gateway on Friday.\nBo objects loudly to <b>that</b> date."],
    ],
    "aliases": {"Bo objects": ["Bo objects loudly"]},
    "now": {
        "answer": {
            "events": [
                {"description": "ship the gateway", "actor": "Bo", "evidence": "Ada will ship the gateway"},
                "lunch",
            ]
        },
        "matches": {
            "items": [
                {
                    "label": "ship the gateway", "state": "wrong-actor", "expected": "Ada ships", "score": 0.91,
                    "actor": "Bo",
                },
                {
                    "label": "lunch",
                    "state": "unmatched",
                    "expected": None,
                    "score": 0.1,
                    "path": ["a", "b"],
                    "actorRight": False,
                    "dueDate": None,
                },
            ],
            "expected": [
                {"label": "Ada ships", "foundBy": "ship the gateway", "nearest": None, "score": 0.91, "actor": "Ada"},
                {"label": "Bo objects", "foundBy": None, "nearest": "lunch", "score": 0.2, "actor": "Bo"},
            ],
        },
    },
    "before": {
        "answer": {"events": [{"description": "ship the gateway", "actor": "Ada"}, "tea"]},
        "matches": {
            "items": [
                {"label": "ship the gateway", "state": "match", "expected": "Ada ships", "score": 0.91, "actor": "Ada"},
                {"label": "tea", "state": "match", "expected": "Bo objects", "score": 0.6},
            ],
            "expected": [{"label": "Bo objects", "foundBy": "tea", "nearest": "tea", "score": 0.6}],
        },
    },
    "baseline": {"same": False, "raw": "", "problem": ""},
}  # fmt: skip


@pytest.fixture
def draw(chromium: Any) -> Iterator[Callable[..., Opened]]:
    """Shows one case, as the page does, on a page of its own."""
    page = chromium.new_page()

    def drawn(body: dict[str, Any], row: dict[str, Any] = ROW) -> Opened:
        lines = [json.dumps(row).encode() + b"\t" + json.dumps(body).encode()]
        cases = CaseList(RETRIEVAL, [row | {"place": 0}], lines, row["id"], {"x": "2026-12-01"})
        page.set_content("".join(cases.items()))
        return Opened(page)

    yield drawn
    page.close()


def test_items_have_badges_and_what_was_found_of_them(draw: Callable[..., Opened]) -> None:
    page = draw(BODY)
    assert page.texts("td[data-side=Now] .state") == ["unmatched", "wrong actor"]
    assert page.texts("td[data-side=Now] .remark") == ["expected Ada ships (91.0%)"]
    assert page.texts("td.alone.bad .label") == ["tea", "lunch"]
    assert page.texts(".items .state") == ["missed", "the baseline found it"]
    assert page.texts(".items .remark") == ["nearest lunch (20.0%)"]
    assert page.texts("tbody th .strong") == [RETRIEVAL.primary_metric.title]


def test_answers_stand_side_by_side_with_what_differs(draw: Callable[..., Opened]) -> None:
    page = draw(BODY)
    assert page.texts("tr.changed dd.differs") == ["Ada", "Bo", "Ada"]
    assert "expected actor\nAda" in page.texts("tr.changed")[0]
    assert page.texts("tr.changed q") == ["Ada will ship the gateway"]
    lunch = page.texts("td.alone.bad")[1]
    assert "a, b" in lunch
    assert "actor right\nfalse" in lunch
    assert "due date" not in lunch
    # An expected name is marked by its aliases too.
    assert page.texts(".source mark.q.matched") == ["ship the gateway"]
    assert page.texts(".source mark.missed") == ["Bo objects loudly"]
    assert page.text(".text .pairs").split() == ["date", "2026-01-05"]


def test_an_answer_without_another_side_is_listed(draw: Callable[..., Opened]) -> None:
    body = BODY | {
        "now": {"answer": BODY["now"]["answer"], "matches": None},
        "before": None,
        "baseline": {"same": False, "raw": "", "problem": "none is recorded"},
    }
    page = draw(body)
    assert "none is recorded" in page.text("article")
    assert page.texts(".items .label") == ["ship the gateway", "lunch"]
    assert "sides-table" not in page.run("document.body.innerHTML")


def test_a_case_without_an_answer_says_why(draw: Callable[..., Opened]) -> None:
    body = {
        "metrics": [], "texts": [], "marked": False, "problem": "the service was down",
        "now": {"answer": None, "matches": None}, "before": None,
        "baseline": {"same": False, "raw": "", "problem": ""},
    }  # fmt: skip
    page = draw(body, ROW | {"id": "x", "status": "failed", "move": "failed", "critical": True})
    assert page.text(".note.bad") == "No answer: the service was down"
    assert page.texts(".badges .state") == ["failed", "critical", "in quarantine until 2026-12-01, not counted"]


def ranking(*names: str) -> dict[str, Any]:
    items = [{"label": name, "state": "not-judged", "rank": rank} for rank, name in enumerate(names, 1)]
    expected = [{"label": "password", "foundBy": None, "score": 0}]
    return {
        "answer": {"results": [{"id": name} for name in names]},
        "matches": {"items": items, "expected": expected},
    }


def test_ranked_results_stand_in_order_and_names_from_elsewhere_are_not_marked(draw: Callable[..., Opened]) -> None:
    body = BODY | {
        "marked": False,
        "texts": [["query", "How do I reset a password?"]],
        "now": ranking("b", "new", "c", "a"),
        "before": ranking("a", "b", "c", "gone"),
    }
    page = draw(body)
    assert page.texts("td[data-side=Now] .label") == ["b", "new", "c", "a"]
    assert page.texts("td[data-side=Baseline] .label") == ["b", "c", "gone", "a"]
    assert page.texts(".source") == ["How do I reset a password?"]
    assert page.texts(".source mark") == []


def test_a_list_that_is_empty_on_both_sides_is_left_out(draw: Callable[..., Opened]) -> None:
    sides = {side: {"answer": {**BODY[side]["answer"], "links": []}, "matches": None} for side in ("now", "before")}
    page = draw(BODY | sides)
    titles = page.texts("h4")
    assert any(title.lower().startswith("events") for title in titles)
    assert not any(title.lower().startswith("links") for title in titles)
