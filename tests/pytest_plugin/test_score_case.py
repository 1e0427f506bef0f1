"""One output scored by one golden case."""

from __future__ import annotations

import pytest

from row3.project.project import open_project, pick_suite
from row3.pytest_plugin.score_case import SuiteScorer
from tests.projects import HOME


@pytest.fixture(scope="module")
def events() -> SuiteScorer:
    """The shipped suite; `chat_003` is a document without events."""
    project = open_project(HOME)
    return SuiteScorer(project, pick_suite(project, "events", "replay"))


def test_rightly_finding_nothing_has_no_value(events: SuiteScorer) -> None:
    score = events.score("chat_003", {"events": []})
    assert (score.status, score.value, score.zone, score.regressed) == ("scored", None, "", False)
    assert "chat_003" in repr(score)


def test_an_invented_item_scores_zero(events: SuiteScorer) -> None:
    invented = {
        "event_type": "decision",
        "category": "Decision",
        "narrative": "They chose the blue one.",
        "evidence": [],
    }
    score = events.score("chat_003", {"events": [invented]})
    assert (score.value, score.regressed) == (0.0, True)
