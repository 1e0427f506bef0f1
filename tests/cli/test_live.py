"""Live runs over real HTTP, against a local server that speaks OpenAI's chat completions."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, flawless, wait_until
from tests.rows import every_row

Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]


def good(case_id: str, times: int) -> FakeReply:
    return FakeReply(json.dumps(flawless(CASES[case_id])))


def but_rye(reply: FakeReply) -> Callable[[str, int], FakeReply]:
    return lambda case_id, times: reply if case_id == "rye" else good(case_id, times)


def test_good_answers_are_scored_counted_and_priced(box: Box, model: Make) -> None:
    fake = model(good)
    fake.serve(box)
    box.write("row3.toml", box.read("row3.toml") + '[prices."baker-1"]\ninput = 1.0\noutput = 4.0\n')
    result = box.row3("--compare", "--mode", "live", "--format", "json", code=0).json
    assert result["metrics"]["overall"] == pytest.approx(0.85)
    usage = result["usage"]
    # The candidates and the baseline's prompts.
    assert (usage["requests"], usage["replayed"]) == (6, 0)
    assert (usage["promptTokens"], usage["completionTokens"]) == (600, 300)
    assert usage["costUsd"] == pytest.approx((600 * 1.0 + 300 * 4.0) / 1e6)
    assert 0 < usage["latencyP50S"] <= usage["latencyP95S"]
    assert sorted(fake.asked) == sorted([*CASES, *CASES])
    assert box.git("status", "--porcelain", "recordings").out == ""


def test_one_case_that_never_answers_makes_the_run_incomplete_and_nothing_zero(box: Box, model: Make) -> None:
    fake = model(but_rye(FakeReply(status=500, body=b'{"error": {"message": "boom"}}')))
    fake.serve(box, max_retries=0)
    before = box.tree()
    done = box.row3("--compare", "--mode", "live", "--format", "json", code=3)
    result = done.json
    assert (result["complete"], result["failed"], result["denominators"]["recall"]) == (False, ["rye"], 2)
    assert result["metrics"]["overall"] == pytest.approx(0.85)
    statuses = {case["id"]: (case["status"], case["metrics"]) for case in result["cases"]}
    assert statuses["rye"] == ("failed", {})
    assert result["verdict"] is None
    assert len(done.errors) == 1
    assert "rye: extract-v1.1: 127.0.0.1" in done.errors[0]
    assert "500" in done.errors[0]
    for args in (["--baseline"], ["promote", "v1.1"], []):
        assert box.row3(*args, "--mode", "live", code=3).errors
    assert box.tree() == before


def test_a_refused_key_stops_at_once(box: Box, model: Make) -> None:
    fake = model(lambda case_id, times: FakeReply(status=401, body=b'{"error": {"message": "no such key"}}'))
    fake.serve(box)
    before = box.tree()
    done = box.row3("--compare", "--mode", "live", "--jobs", "1", code=3)
    assert len(fake.asked) == 1
    assert (len(done.errors), done.out) == (1, "")
    assert "401" in done.errors[0]
    assert box.tree() == before


def replying(**message: object) -> FakeReply:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, **message}}
    return FakeReply(body=json.dumps({"choices": [choice]}).encode())


FILTERED_INPUT = b'{"error": {"message": "The response was filtered", "code": "content_filter", "param": "prompt"}}'


@pytest.mark.parametrize(
    ("reply", "name", "said"),
    [
        (replying(refusal="I can't help with rye."), "refused", "refused: I can't help with rye."),
        (FakeReply(status=400, body=FILTERED_INPUT), "filtered", "filtered: stopped by the content filter"),
        (replying(tool_calls=[{"id": "1"}]), "empty", "empty: the reply has only `tool_calls`"),
        (replying(reasoning_content="Rye?"), "empty", "empty: the reply has only `reasoning_content`"),
        (
            FakeReply(f"<think>{json.dumps(flawless(CASES['rye']))}", finish="length"),
            "empty",
            "empty: all of the reply is reasoning (cut off by the token limit)",
        ),
    ],
)
def test_a_reply_without_an_answer_is_named_and_counted_everywhere(
    box: Box, model: Make, reply: FakeReply, name: str, said: str
) -> None:
    model(but_rye(reply)).serve(box, max_retries=0)
    for mode in ("record", "replay"):
        result = box.row3("--mode", mode, "--model", "other", "--format", "json", code=0).json
        rye = next(case for case in result["cases"] if case["id"] == "rye")
        assert (rye["status"], rye["badAnswer"], set(rye["metrics"].values())) == ("bad_answer", name, {0.0})
        assert rye["problem"].endswith(said)
        assert (result["badAnswers"], result["matchCounts"]["badAnswers"]) == (["rye"], {name: 1})
    shown = " ".join(box.row3("--model", "other", code=0).out.split())
    assert said in shown
    assert f"Bad answers 1 without content: 1 {name}" in shown


SAID = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."
REFUSING = json.dumps({"error": {"message": SAID, "param": "temperature", "code": "unsupported_value"}}).encode()


class Reasoning(FakeModel):
    """Refuses a temperature; counts how often."""

    refusals = 0

    def reply_to(self, body: Any) -> FakeReply:
        if "temperature" not in body:
            return super().reply_to(body)
        self.refusals += 1
        return FakeReply(status=400, body=REFUSING)


@pytest.mark.parametrize(
    "command", ["--compare", "--compare --no-interleave", "--all", "leaderboard --model other --prompt v1.1"]
)
def test_a_refused_temperature_is_sent_once_and_told_once_in_a_command(box: Box, command: str) -> None:
    fake = Reasoning(good)
    try:
        fake.serve(box, max_retries=0)
        done = box.row3(*command.split(), "--mode", "live", "--jobs", "1")
    finally:
        fake.stop()
    assert done.code in (0, 1), done
    assert done.err.count("the endpoint does not accept temperature") == 1
    assert fake.refusals == 1


def test_a_temperature_that_the_model_refuses_is_left_out_told_and_recorded(box: Box, model: Make) -> None:
    fake = Reasoning(good)
    try:
        fake.serve(box, max_retries=0)
        done = box.row3("--mode", "record", "--model", "other", code=0)
        result = box.row3("--compare", "--model", "other", "--format", "json", code=0).json
        shown = box.row3("diff", "model:baker-1", "model:other", code=0).out
        box.row3("--baseline", "--mode", "record", "--model", "other", code=0)
    finally:
        fake.stop()
    assert done.err.count("the endpoint does not accept temperature; requests were sent without") == 1
    files = [path.read_text("utf-8").splitlines() for path in box.root.glob("recordings/*/*.jsonl")]
    own = [line for text in files for line in map(json.loads, text) if line["request"]["model"] == "other"]
    assert [(line["request"]["temperature"], line["response"]["omitted"]) for line in own] == [(0, ["temperature"])] * 6
    box.row3("--mode", "replay", "--model", "other", code=0)
    found = [each["figures"] for each in result["reasons"] if each["code"] == "omitted_changed"]
    assert found == [{"before": "none", "after": "temperature"}]
    assert "parameters that the endpoint refuses: none → temperature" in " ".join(shown.split())
    assert json.loads(box.read("baselines/bread.json"))["omitted"] == ["temperature"]
    result = box.row3("--compare", "--model", "other", "--format", "json", code=0).json
    assert "omitted_changed" not in str(result["reasons"])


def test_an_answer_cut_off_is_marked_and_one_that_is_no_json_scores_0(box: Box, model: Make) -> None:
    fake = model(but_rye(FakeReply('{"concepts": [{"label": "ry', finish="length")))
    fake.serve(box)
    result = box.row3("--mode", "live", "--format", "json", code=0).json
    rye = next(case for case in result["cases"] if case["id"] == "rye")
    assert rye["status"] == "bad_answer"
    assert set(rye["metrics"].values()) == {0.0}
    assert "cut off by the token limit" in rye["problem"]
    assert rye["raw"] == '{"concepts": [{"label": "ry'
    assert (result["badAnswers"], result["usage"]["truncated"]) == (["rye"], 1)
    assert result["metrics"]["overall"] == pytest.approx(0.85 * 2 / 3)
    fake = model(but_rye(FakeReply("I am sorry, I cannot do that.")))
    fake.serve(box)
    result = box.row3("--compare", "--mode", "live", "--no-interleave", "--format", "json", code=1).json
    assert ("case_broke", "rye") in [(reason["code"], reason["subject"]) for reason in result["reasons"]]


def test_record_saves_and_auto_asks_only_for_what_is_missing(box: Box, model: Make) -> None:
    fake = model(good)
    fake.serve(box)
    box.row3("--mode", "record", "--model", "other", "--case", "[or]*", code=0)
    assert sorted(fake.asked) == ["oven", "rye"]
    box.row3("--mode", "auto", "--model", "other", code=0)
    assert sorted(fake.asked) == ["oven", "rye", "yeast"]
    box.row3("--mode", "replay", "--model", "other", code=0)
    box.row3("--mode", "auto", "--model", "other", code=0)
    assert len(fake.asked) == 3
    box.row3("--mode", "record", "--model", "other", "--case", "rye", code=0)
    assert fake.asked.count("rye") == 2
    assert not list((box.state / "journal").glob("*.jsonl"))


def kept_answers(box: Box) -> int:
    """Lines of the journal."""
    return sum(path.read_text("utf-8").count("\n") for path in (box.state / "journal").glob("*.jsonl"))


def interrupted(box: Box, model: Make, mode: str) -> tuple[int, str, float]:
    """Ctrl-C when one answer of three has come and two are on their way."""
    fake = model(lambda case_id, times: FakeReply(good(case_id, 0).text, wait_s=0 if case_id == "oven" else 60))
    fake.serve(box)
    process = box.start("--mode", mode, "--model", "other", "--jobs", "2")
    wait_until(lambda: len(fake.asked) == 3 and kept_answers(box) == 1)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=55)  # the fake model answers after 60
    assert out == b""
    return process.returncode, err.decode(), time.monotonic() - begun


@pytest.mark.parametrize("mode", ["live", "auto", "record"])
def test_ctrl_c_keeps_what_was_paid_for_and_the_same_command_goes_on(box: Box, model: Make, mode: str) -> None:
    before = {name: content for name, content in box.tree().items() if name.startswith(("baselines", "metrics"))}
    code, err, took = interrupted(box, model, mode)
    assert code == 130
    assert err.strip().splitlines()[-1].startswith("error: interrupted")
    assert "Traceback" not in err
    assert took < 45
    fake = model(good)
    fake.serve(box)
    box.row3("--mode", mode, "--model", "other", code=0)
    assert sorted(fake.asked) == ["rye", "yeast"]
    assert {name: box.tree()[name] for name in before} == before
    assert not list((box.state / "journal").glob("*.jsonl"))


WRONG = "not the address of an http proxy. Write it like http://proxy.example.com:8080, or unset it."


@every_row("name", ["HTTP_PROXY", "https_proxy", "ALL_PROXY"])
@every_row("value", ["foo://bar", "socks5://127.0.0.1:9", "http://[::1", "http://h:port", "ftp://u:pw@h"])
def test_a_proxy_that_cannot_be_used_is_named(box: Box, model: Make, name: str, value: str) -> None:
    model(good).serve(box)
    (error,) = box.row3("--mode", "live", code=2, **{name: value}).errors
    assert error == f"error: {name}: {WRONG}"


@pytest.mark.parametrize(("more", "named"), [({}, True), ({"NO_PROXY": "127.0.0.1"}, False)])
def test_a_proxy_that_does_not_answer_is_named(box: Box, model: Make, more: dict[str, str], named: bool) -> None:
    fake = model(good)
    fake.serve(box, max_retries=0)
    done = box.row3("--mode", "live", code=3 if named else 0, HTTP_PROXY="http://127.0.0.1:9", **more)
    assert ("check the proxy in http_proxy and the base_url" in " ".join(done.out.split()).lower()) is named
    assert bool(fake.asked) is not named
