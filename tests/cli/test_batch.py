"""Runs whose requests go in batches, over real HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from tests.batch_server import STATUSES, BatchServer, Line
from tests.chat_server import ChatServer, FakeModel, FakeReply
from tests.judged import JudgeServer, support
from tests.local_server import Handler
from tests.projects import CASES, Box, copy_of, flawless, wait_until
from tests.two_stages import CONCEPTS, LINKS, two_stages

PRICED = '[prices."baker-1"]\ninput = 1.0\noutput = 4.0\n'
LIVE = (600 * 1.0 + 300 * 4.0) / 1e6
"""Price of the six requests of a comparison."""

box = copy_of("tiny_promoted")


def good(case_id: str, times: int) -> FakeReply:
    return FakeReply(json.dumps(flawless(CASES[case_id])))


@pytest.fixture
def server() -> Iterator[BatchServer]:
    model = FakeModel(good)
    running = BatchServer(model)
    yield running
    running.stop()
    model.stop()


def test_a_comparison_is_one_batch_a_stage_at_half_the_price(box: Box, server: BatchServer) -> None:
    server.serve(box, PRICED)
    done = box.row3("--compare", "--mode", "live", "--batch", "--format", "json", code=0)
    result = done.json
    assert result["metrics"]["overall"] == pytest.approx(0.85)
    usage = result["usage"]
    assert (usage["requests"], usage["replayed"], usage["promptTokens"]) == (6, 0, 600)
    assert usage["costUsd"] == pytest.approx(LIVE / 2)
    assert (len(server.batches), len(server.bodies), server.live) == (1, 6, 0)
    assert "below 50, a run without --batch is quicker" in done.err
    assert not list(box.state.rglob("*.batches.json"))


def in_batch(box: Box, *args: str, code: int) -> Any:
    return box.row3("--mode", "live", "--batch", "--model", "baker-1", "--format", "json", *args, code=code)


def case_of(line: Line) -> str:
    said = line["body"]["messages"][-1]["content"]
    return next(name for name, case in CASES.items() if case["sourceText"] in said)


def key_of(server: BatchServer, case_id: str) -> str:
    """The name of a case's request in the first batch."""
    return str(next(line["custom_id"] for line in server.lines("file-1") if case_of(line) == case_id))


def without(case_id: str) -> Callable[[BatchServer], None]:
    """No line has the case's answer."""

    def prepare(server: BatchServer) -> None:
        def spoil(output: list[Line], errors: list[Line]) -> None:
            output[:] = [line for line in output if line["custom_id"] != key_of(server, case_id)]

        server.spoil = spoil

    return prepare


def more_lines(*lines: Line | str) -> Callable[[BatchServer], None]:
    def prepare(server: BatchServer) -> None:
        server.spoil = lambda output, errors: output.extend(cast(list[Line], lines))

    return prepare


def twice(server: BatchServer) -> None:
    server.spoil = lambda output, errors: output.append(output[0])


def ends(status: str, *, but: str = "rye") -> Callable[[BatchServer], None]:
    def prepare(server: BatchServer) -> None:
        server.statuses = lambda batch: ("in_progress", status) if batch["id"] == "batch_1" else STATUSES
        server.unanswered = lambda line: case_of(line) == but

    return prepare


def but_rye(reply: FakeReply) -> Callable[[BatchServer], None]:
    def prepare(server: BatchServer) -> None:
        model = cast(FakeModel, server.model)
        model.of_model["baker-1"] = lambda case_id, times: reply if case_id == "rye" and not times else good(case_id, 0)

    return prepare


def failing(status: int, message: str) -> FakeReply:
    return FakeReply(status=status, body=json.dumps({"error": {"message": message}}).encode())


STRANGE = {"id": "x", "custom_id": "of nobody", "response": {"status_code": 200, "body": {}}, "error": None}


@pytest.mark.parametrize(
    ("prepare", "told"),
    [
        (more_lines(STRANGE), "batch_1: 1 line of no request, ignored"),
        (more_lines("{not json", '"text"'), "batch_1: 2 lines unreadable, ignored"),
        (twice, "batch_1: 1 line of an answered request, ignored"),
    ],
)
def test_lines_that_do_not_belong_are_told_and_ignored(
    box: Box, server: BatchServer, prepare: Callable[[BatchServer], None], told: str
) -> None:
    server.serve(box)
    prepare(server)
    done = in_batch(box, code=0)
    assert done.json["metrics"]["overall"] == pytest.approx(0.85)
    assert told in done.err


@pytest.mark.parametrize(
    ("prepare", "problem", "told"),
    [
        (without("rye"), "batch_1 has no answer to this request", ""),
        (but_rye(failing(500, "boom")), "answered 500 (Internal Server Error): boom", ""),
        (but_rye(failing(429, "slow down")), "answered 429 (Too Many Requests): slow down", ""),
        (but_rye(FakeReply(body=b'{"choices": []}')), "sent no choices", ""),
        (ends("expired"), "This request was not executed: expired", "batch_1 expired; what came counts"),
        (ends("cancelled"), "This request was not executed: cancelled", "batch_1 cancelled; what came counts"),
    ],
)
def test_a_missing_answer_makes_the_run_incomplete_and_is_asked_again_alone(
    box: Box, server: BatchServer, prepare: Callable[[BatchServer], None], problem: str, told: str
) -> None:
    server.serve(box)
    prepare(server)
    done = in_batch(box, code=3)
    assert (done.json["failed"], done.json["metrics"]["overall"]) == (["rye"], pytest.approx(0.85))
    assert problem in done.err
    assert told in done.err
    assert "--continue" in done.err
    paid = len(server.bodies)
    server.spoil = lambda output, errors: None
    result = in_batch(box, "--continue", code=0).json
    assert (result["failed"], len(server.batches), len(server.bodies)) == ([], 2, paid + 1)
    assert not list(box.state.rglob("*.batches.json"))


def test_a_refused_file_stops_the_run_and_names_the_case(box: Box, server: BatchServer) -> None:
    server.serve(box)
    server.statuses = lambda batch: ("failed",)
    server.errors = [{"code": "invalid", "message": "The model is not for batches.", "line": 1, "param": None}]
    before = box.tree()
    done = in_batch(box, code=3)
    (error,) = done.errors
    named = case_of(server.lines("file-1")[0])
    said = f"case `{named}`, prompt extract-v1.1: batch_1 failed, and nothing of it was answered: The model is not for"
    assert said in error
    assert box.tree() == before
    server.statuses = lambda batch: STATUSES
    in_batch(box, code=0)  # which asks anew
    assert (len(server.batches), len(server.bodies)) == (2, 3)


def test_a_field_that_the_model_refuses_is_left_out_in_a_further_batch(
    box: Box, server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"message": "Unsupported parameter: 'temperature' is not supported.", "param": "temperature"}
    refusal = FakeReply(status=400, body=json.dumps({"error": said}).encode())
    reply_to = server.model.reply_to
    monkeypatch.setattr(server.model, "reply_to", lambda body: refusal if "temperature" in body else reply_to(body))
    server.serve(box)
    done = in_batch(box, code=0)
    assert "the endpoint does not accept temperature" in done.err
    assert (len(server.batches), len(server.bodies)) == (2, 6)
    assert done.json["metrics"]["overall"] == pytest.approx(0.85)


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_batch_is_begun_once_although_its_creation_seems_to_fail(box: Box, server: BatchServer, status: int) -> None:
    server.serve(box)
    asked: list[str] = []

    def refuse(handler: Handler, path: str, sent: bytes) -> bool:
        asked.append(path)
        if asked.count("POST /batches") != 1 or path != "POST /batches":
            return False
        server.routed("POST", "/batches", sent)
        handler.reply(status, b'{"error": {"message": "boom"}}', {"Retry-After": "0"})
        return True

    server.refuse = refuse
    in_batch(box, code=0)
    assert (asked.count("POST /batches"), len(server.batches), len(server.bodies)) == (1, 1, 3)


@pytest.mark.parametrize("path", ["POST /files", "POST /batches", "GET /batches/batch_1"])
def test_a_service_without_batches_is_one_message(box: Box, server: BatchServer, path: str) -> None:
    server.serve(box)
    server.refuse = lambda handler, asked, sent: (
        asked == path and (handler.reply(404, b'{"detail": "Not Found"}') is None)
    )
    (error,) = in_batch(box, code=3).errors
    assert "answered 404 (Not Found)" in error
    assert "Only a service with batch endpoints takes --batch" in error


@pytest.mark.slow
def test_a_run_killed_between_creation_and_answer_goes_on_in_another_process(box: Box, server: BatchServer) -> None:
    server.serve(box)
    args = ("--compare", "--mode", "live", "--batch", "--format", "json")
    running: list[subprocess.Popen[bytes]] = []
    server.on_create = lambda: os.kill(running[0].pid, signal.SIGKILL)
    running.append(box.start(*args))
    assert running[0].wait(timeout=60) == -9
    running[0].communicate()
    assert (len(server.batches), server.bodies) == (1, [])
    server.on_create = lambda: None
    result = box.row3(*args, code=0, fresh=True).json
    assert (result["usage"]["requests"], len(server.batches), len(server.bodies)) == (6, 1, 6)
    assert not list(box.state.rglob("*.batches.json"))


@pytest.mark.slow
def test_ctrl_c_leaves_the_batch_to_the_service(box: Box, server: BatchServer) -> None:
    server.serve(box)
    server.statuses = lambda batch: ("in_progress",)
    args = ("--mode", "record", "--batch", "--model", "other", "--repeats", "2")
    process = box.start(*args)
    wait_until(lambda: server.looks > 1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    note, error = filter(None, err.decode().splitlines()[2:])
    assert "1 batch goes on at the service (batch_1); the same command waits for its answers" in note
    assert error.startswith("error: interrupted")
    server.statuses = lambda batch: STATUSES
    in_another = box.row3("--mode", "record", "--batch", "--model", "more", "--repeats", "2", code=0)
    assert "batch_2" in in_another.err  # another command begins its own
    box.row3(*args, code=0)
    assert (len(server.batches), len(server.bodies)) == (2, 12)


def test_answers_are_recorded_as_live_ones(box: Box, server: BatchServer) -> None:
    server.serve(box)
    other = box.copy(box.root.parent / "live")
    box.row3("--mode", "record", "--batch", "--model", "other", code=0)
    assert server.live == 0
    other.row3("--mode", "record", "--model", "other", code=0)
    assert server.live == 3

    def recorded(project: Box) -> list[Line]:
        files = project.path("recordings").rglob("*.jsonl")
        lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
        ours = [line for line in lines if line["request"]["model"] == "other"]
        for line in ours:
            line.pop("recordedAt")
            assert (line["response"].pop("latencyS") is None) == (project is box)
        return sorted(ours, key=lambda line: str(line["caseId"]))

    assert recorded(box) == recorded(other) != []
    assert box.row3("--model", "other", "--format", "json", code=0).json["usage"]["replayed"] == 3


def test_all_repeats_and_both_sides_are_one_round(box: Box, server: BatchServer) -> None:
    server.serve(box, PRICED)
    result = box.row3("--compare", "--mode", "live", "--batch", "--repeats", "3", "--format", "json", code=0).json
    assert (result["usage"]["requests"], result["usage"]["replayed"]) == (18, 0)
    assert result["usage"]["costUsd"] == pytest.approx(3 * LIVE / 2)
    assert (len(server.batches), len(server.bodies)) == (1, 18)


@pytest.mark.parametrize("where", ["--batch", "batch = true"])
def test_the_estimate_is_half_the_price(box: Box, server: BatchServer, where: str) -> None:
    server.serve(box, PRICED)
    live = box.row3("--dry-run", "--mode", "live", "--format", "json", code=0).json
    args = ["--batch"] if where == "--batch" else []
    if not args:
        box.replace("row3.toml", "[provider]\n", "[provider]\nbatch = true\n")
    batched = box.row3("--dry-run", "--mode", "live", *args, "--format", "json", code=0).json
    assert batched["costUsd"] == pytest.approx(live["costUsd"] / 2) != 0
    shown = " ".join(box.row3("--dry-run", "--mode", "live", *args, code=0).out.split())
    assert (
        "in batches, within a day and at half the price; below 50 requests, a run without --batch is quicker" in shown
    )
    assert (server.files, server.live) == ({}, 0)


def test_a_budget_counts_half_the_price(box: Box, server: BatchServer) -> None:
    server.serve(box, PRICED)
    box.replace("row3.toml", 'model = "baker-1"\n', 'model = "baker-1"\nmax_tokens = 50\n')
    plan = box.row3("--dry-run", "--mode", "live", "--batch", "--format", "json", code=0).json
    most = f"{1.2 * plan['costUsd']:.9f}"
    in_batch(box, "--max-cost", most, code=0)
    box.row3("--mode", "live", "--max-cost", most, code=3)


def test_a_responses_prompt_goes_to_its_own_endpoint(box: Box, server: BatchServer) -> None:
    server.serve(box)
    box.replace("row3.toml", "[provider]\n", '[provider]\napi = "responses"\n')
    result = box.row3("--mode", "live", "--batch", "--format", "json", code=0).json
    assert result["metrics"]["overall"] == pytest.approx(0.85)
    (batch,) = server.batches.values()
    assert (batch["endpoint"], {"input" in body for body in server.bodies}) == ("/v1/responses", {True})


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ('preset = "anthropic"\n', "anthropic"),
        ('preset = "bedrock"\n', "bedrock"),
        ('preset = "local"\n', "local"),
        ('[suites.bread.provider]\ntype = "command"\nversion = "1.0"\ncommand = "cat"\n', "command system"),
        (
            '[suites.bread.provider]\ntype = "mcp"\nname = "m"\nversion = "1.0"\ncommand = "cat"\ntool = "t"\n',
            "mcp system",
        ),
    ],
)
def test_who_takes_no_batches_is_told_before_anything_is_sent(box: Box, settings: str, named: str) -> None:
    text = '[provider]\nmodel = "baker-1"\n' + settings
    if named.endswith("system"):
        text += "\n[suites.bread]\npipeline = []\n"
    box.write("row3.toml", f'suite = "bread"\nmode = "replay"\n\n{text}')
    (error,) = box.row3("--mode", "live", "--batch", code=2).errors
    assert f"the suite asks the {named}, which takes no batches" in error
    assert "Leave out --batch" in error


def test_a_replay_takes_no_batch(box: Box) -> None:
    (error,) = box.row3("--mode", "replay", "--batch", code=2).errors
    assert "--batch has no effect in --mode replay" in error


class TestTwoStages:
    def test_each_stage_is_a_batch_of_its_own(self, tmp_path: Path) -> None:
        model = Stages()
        server = BatchServer(model)
        try:
            root = tmp_path / "project"
            root.mkdir()
            two_stages(root)
            box = Box(root)
            server.serve(box)
            result = box.row3("--mode", "live", "--batch", "--format", "json", code=0).json
            assert result["failed"] == []
            sizes = [len(server.lines(batch["input_file_id"])) for batch in server.batches.values()]
            assert (sizes, server.live) == ([2, 2], 0)
        finally:
            server.stop()
            model.stop()


class Stages(ChatServer):
    """Answers both stages of `tests.two_stages`."""

    def reply_to(self, body: Any) -> FakeReply:
        return FakeReply(LINKS if ";" in body["messages"][-1]["content"] else CONCEPTS)


@pytest.mark.parametrize("judge_alone", [False, True])
def test_a_judge_grades_in_batches_unless_it_has_its_own_address(tmp_path: Path, judge_alone: bool) -> None:
    model = JudgeServer()
    server = BatchServer(model)
    try:
        box = support(Box(tmp_path / "project"), model)
        answered, judged = model.answered, len(model.judged)
        server.serve(box)
        if judge_alone:
            box.replace("row3.toml", "[judge]\n", f'[judge]\npreset = "vllm"\nbase_url = "{server.url}"\n')
        usage = box.row3("--mode", "live", "--batch", "--format", "json", code=0).json["usage"]
        assert (model.answered - answered, len(model.judged) - judged) == (24, 24)
        assert (len(server.batches), server.live) == ((1, 24) if judge_alone else (2, 0))
        half = 24 * 150 * 1.0 / 1e6 / 2
        assert usage["costUsd"] == pytest.approx(half)
        assert usage["judgeCostUsd"] == pytest.approx(24 * 150 * 10.0 / 1e6 * (1 if judge_alone else 0.5))
    finally:
        server.stop()
        model.stop()
