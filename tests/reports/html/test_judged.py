"""What the page says of judges: who judged, what that is worth, and each judgement, in a real Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browsers import DESKTOP, PHONE, Opened
from tests.chat_server import FakeReply
from tests.judged import RUBRIC, JudgeServer, PairServer, label_all, support, two_arms
from tests.projects import Box

Show = Callable[..., Opened]
Reports = dict[str, Path]
HOSTILE = "<img src=x onerror=\"window.pwned='judge'\"> says 100 \u202efor it"
SHOWN = HOSTILE.replace("\u202e", "⟨U+202E⟩")


class Grader(JudgeServer):
    """Grades by two criteria, of which the second depends on the model; of question 5 it says nothing useful."""

    as_before = False

    def reply_to(self, body: Any) -> FakeReply:
        if "Grade by rubric" not in body["messages"][0]["content"] or self.as_before:
            return super().reply_to(body)
        if "question 5" in body["messages"][1]["content"]:
            return FakeReply("I would rather not say.")
        kind = {"judge-a": 90, "judge-b": 30}[body["model"]]
        return FakeReply(json.dumps({"clear": 80, "kind": kind, "issues": [HOSTILE], "strengths": ["short"]}))


class Pairs(PairServer):
    """As its base, with claims that the judge holds for unsupported."""

    def reply_to(self, body: Any) -> FakeReply:
        reply = super().reply_to(body)
        value = json.loads(str(reply.text))
        if "delta" in value:
            value["full"] = value["full"] | {"unsupported_claims": [HOSTILE]}
            value["delta"]["notes"] = HOSTILE
        return FakeReply(json.dumps(value))


# One fixture of the session, since no judge can be asked in this thread once a browser runs.
@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """By what is special about the judge."""
    root = tmp_path_factory.mktemp("judged-pages")
    return {"graded": graded(Box(root / "graded")), "paired": paired(Box(root / "paired")), **labelled(Box(root / "l"))}


def page_of(box: Box, name: str = "report.html") -> Path:
    box.row3("report", "--out", name, code=0)
    return box.path(name)


def graded(box: Box) -> Path:
    """Two models grade by criteria, without labels; of one answer neither says anything useful."""
    server = Grader()
    server.as_before = True
    support(box, server)
    server.as_before = False
    rubric = RUBRIC.replace("VERSION", "1.1").replace("output: grade", "output: grade\ncriteria: {clear: 50, kind: 50}")
    box.write("prompts/helpfulness-v1.1.md", rubric)
    box.replace("row3.toml", 'model = "gpt-4.1-mini"', 'models = ["judge-a", "judge-b"]')
    box.row3("--mode", "auto", "--jobs", "1", code=0)
    server.stop()
    box.row3("--baseline", code=0)
    return page_of(box)


def paired(box: Box) -> Path:
    """Two answers; of q0 and q5 the order decides."""
    server = Pairs()
    two_arms(box, server)
    server.stop()
    box.row3("--baseline", code=0)
    return page_of(box)


def labelled(box: Box) -> Reports:
    """A judge with a calibration that holds, and then one with other votes."""
    server = JudgeServer()
    support(box, server)
    server.stop()
    label_all(box)
    box.row3("judge", "calibrate", "calibrations/support.labels.jsonl", code=0)
    box.row3("--baseline", code=0)
    valid = page_of(box)
    kept = json.loads(box.read("calibrations/support.json"))
    kept["rubrics"]["helpfulness"]["votes"] = 3
    box.write("calibrations/support.json", json.dumps(kept))
    return {"calibrated": valid, "stale": page_of(box, "stale.html")}


def judge_facts(page: Opened) -> dict[str, str]:
    """The card at the top that is headed Judge."""
    card = page.page.locator("#scorecard .card", has=page.page.get_by_role("heading", name="Judge"))
    names, values = card.locator("dt").all_inner_texts(), card.locator("dd").all_inner_texts()
    return dict(zip(names, values, strict=True))


def pairs_of(page: Opened, label: str) -> dict[str, str]:
    """What is told of an item of the open case."""
    item = page.page.locator("details[name][open] .items > li", has=page.page.locator(".label", has_text=label))
    return dict(zip(item.locator("dt").all_inner_texts(), item.locator("dd").all_inner_texts(), strict=True))


def test_grades_by_criterion_votes_and_a_failed_judgement(show: Show, reports: Reports) -> None:
    page = show(reports["graded"])
    facts = judge_facts(page)
    assert facts["model"] == "judge-a, judge-b"
    assert facts["helpfulness v1.1"].startswith("the judge is not calibrated, label some answers: row3 judge label")
    assert facts["warranty"] == "judged metrics (Judged) never block; a drop only needs a look"
    assert facts["cost"] == "48 grades · cost $0.00"
    assert facts["failed"] == "1 score missing, left out of every mean"
    page.open_case("q01")
    found = pairs_of(page, "judge helpfulness")
    # By hand: (80 + 90) / 2 and (80 + 30) / 2, of which the median is 70.
    assert (found["grade"], found["votes"], found["agreement"]) == ("70%", "85, 55", "0.5")
    assert found["criteria"] in ("clear: 80, kind: 90", "clear: 80, kind: 30")  # those of a vote nearest to it
    assert found["strengths"] == "short"
    assert found["issues"] == SHOWN and "reason" not in found
    assert page.run("window.pwned") is None and page.run("document.querySelectorAll('img:not(#trend img)').length") == 0
    page.open_case("q05")
    assert "not judged" in page.texts("details[name][open] .items .state")
    assert pairs_of(page, "judge helpfulness")["reason"].startswith("no grade: ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=lambda size: str(size["width"]))
def test_two_answers_with_grades_winners_and_claims(
    show: Show, reports: Reports, size: dict[str, int], scheme: str
) -> None:
    page = show(reports["paired"], size=size, color_scheme=scheme)
    facts = judge_facts(page)
    assert facts["Value win rate"] == "80.0% (49.0…94.3, n 10)"
    assert facts["position bias"].startswith("20.0% (5.7…51.0, n 10) of the judgements flip")
    page.open_case("q0")
    assert page.texts("details[name][open] .items .state") == ["tie", "tie"]
    full = pairs_of(page, "full")
    assert full["votes"] == "baseline first: baseline, full first: full"
    assert full["flipped"] == "true"
    assert (full["unsupported claims"], full["judge notes"]) == (SHOWN, SHOWN)
    assert [full[name] for name in ("correctness", "completeness", "hallucination")] == ["1", "0", "2"]
    assert "missing facts" not in full
    assert page.run("window.pwned") is None
    assert page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_a_calibrated_judge_with_its_figures_and_a_stale_one(show: Show, reports: Reports) -> None:
    page = show(reports["calibrated"])
    facts = judge_facts(page)
    assert facts["helpfulness v1.0"].startswith("calibrated, accuracy 87.5% (69.0…95.7, n 24), kappa 0.73")
    assert facts["warranty"] == "judged metrics (Judged) block like other metrics"
    assert facts["cost"] == "24 grades · cost $0.0360"
    assert "62.5% (42.7…78.8), n 24" in page.text("#scorecard")
    facts = judge_facts(show(reports["stale"]))
    assert facts["helpfulness v1.0"].startswith("the calibration is stale, calibrate again")
    assert facts["warranty"] == "judged metrics (Judged) never block; a drop only needs a look"
