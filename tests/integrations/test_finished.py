"""A finished run is read as it was, with the answers it rested on and no others."""

from __future__ import annotations

import json

import pytest

from row3.errors import UsageError
from row3.integrations.finished import FinishedRequest, FinishedRun, find_run, read_finished
from row3.project.project import open_project
from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, flawless, next_second, tiny


def latest(box: Box, *, content: bool = False) -> FinishedRun:
    project = open_project(box.root)
    return read_finished(project, find_run(project), content=content)


def test_a_live_run_keeps_tokens_latency_cost_and_zones(live: Box) -> None:
    run = latest(live)
    assert {case.id for case in run.cases} == set(CASES)
    assert (run.header.mode, run.provider) == ("live", "vllm")
    for case in run.cases:
        (request,) = case.requests
        assert (request.prompt, request.model, request.served_model) == ("extract-v1.1", "baker-1", "served")
        assert (request.prompt_tokens, request.completion_tokens) == (100, 50)
        assert request.cost_usd == pytest.approx((100 * 1.0 + 50 * 4.0) / 1e6)
        assert request.latency_s is not None and request.latency_s >= 0
        assert (request.finish_reason, request.by_judge, request.temperature) == ("stop", False, 0)
        assert (request.answer, request.answered_at[:2]) == ("", "20")
        assert (case.status, case.zones["overall"]) == ("scored", "excellent")


def test_answers_are_read_only_where_content_is_wanted(live: Box) -> None:
    case = latest(live, content=True).cases[0]
    assert json.loads(case.requests[0].answer) == flawless(CASES[case.id])


def test_texts_that_a_prompt_no_longer_gives_are_left_out(live: Box) -> None:
    (request,) = latest(live, content=True).cases[0].requests
    asked = (("system", "You read texts about bread."), ("user", f"1.1: {CASES['oven']['sourceText']}"))
    assert request.messages == asked
    older = request.plain() | {"system": asked[0][1], "user": asked[1][1]}
    del older["messages"]
    assert FinishedRequest.model_validate(older).messages == asked
    live.replace("prompts/extract-v1.1.md", "about bread", "about cake")
    (request,) = latest(live, content=True).cases[0].requests
    assert (request.messages, bool(request.answer)) == ((), True)
    live.path("prompts/extract-v1.1.md").unlink()
    assert latest(live, content=True).cases[0].requests[0].messages == ()


def test_what_is_said_of_a_bad_answer_may_quote_it_so_it_is_content(live: Box) -> None:
    fake = FakeModel(lambda case_id, times: FakeReply("Dear baker, \ud800"))
    fake.serve(live)
    next_second()
    live.row3("--mode", "live", code=0)
    fake.stop()
    assert {(case.status, case.problem) for case in latest(live).cases} == {("bad_answer", "")}
    run = latest(live, content=True)
    assert all("Dear baker" in case.problem for case in run.cases)
    assert {case.requests[0].answer for case in run.cases} == {"Dear baker, ?"}
    run.model_dump_json()


def test_a_failed_case_says_why_and_has_no_metrics(live: Box) -> None:
    def reply(case_id: str, times: int) -> FakeReply:
        bad = FakeReply(status=500, body=b'{"error": {"message": "boom"}}')
        return bad if case_id == "rye" else FakeReply(json.dumps(flawless(CASES[case_id])))

    fake = FakeModel(reply)
    fake.serve(live, max_retries=0)
    next_second()
    live.row3("--mode", "live", code=3)
    fake.stop()
    cases = {case.id: case for case in latest(live).cases}
    assert (cases["rye"].status, cases["rye"].metrics, cases["rye"].requests[0].model) == ("failed", {}, "")
    assert "500" in cases["rye"].problem
    assert cases["oven"].requests[0].prompt_tokens == 100


def test_a_replayed_run_has_the_answers_it_rested_on_and_no_later_ones(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    box = tiny(tmp_path_factory.mktemp("replayed") / "project")
    box.row3(code=0)
    assert all(case.requests[0].prompt == "extract-v1.1" for case in latest(box).cases)
    box.record("1.1", {"rye": {"concepts": [], "relationships": []}})
    again = {case.id: case.requests[0].prompt for case in latest(box).cases}
    assert again == {"rye": "", "yeast": "extract-v1.1", "oven": "extract-v1.1"}


def test_a_run_is_found_by_the_beginning_of_its_id(live: Box) -> None:
    next_second()
    live.row3(code=0)
    project = open_project(live.root)
    newest, first = find_run(project).stem, min(live.path(".row3/runs").glob("*.json")).stem
    assert newest > first
    assert find_run(project, first[:-2]).stem == first
    for name, said in (("2", "2 run ids begin with"), ("x", "there is no run `x`")):
        with pytest.raises(UsageError, match=said):
            find_run(project, name)


def test_without_a_run_the_message_says_how_to_make_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    box = tiny(tmp_path_factory.mktemp("none") / "project")
    with pytest.raises(UsageError, match="Run `row3` first"):
        latest(box)
