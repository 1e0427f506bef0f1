"""Live runs of so many cases that other processes score them, and where the address of a provider comes from."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from row3.running.processes import PARALLEL_FROM
from tests.chat_server import ChatServer, FakeModel, FakeReply
from tests.projects import CASES, SUITE, Box, first, flawless, wait_until

MANY = PARALLEL_FROM + 15
Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]


class Loaves(ChatServer):
    """Answers the case of each number: most are flawless, one in five lacks a concept, one is no JSON."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.broken: set[str] = set()
        """Cases that the server fails at."""
        self.slow_from = MANY
        """The number of cases that are answered at once; those after them wait until the server stops."""
        self.together = 1
        """How many requests must have come before the first is answered; a request fails that waits too long."""
        self.all_here = threading.Event()
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        """As the number in the text says."""
        number = body["messages"][-1]["content"].rpartition("Loaf ")[2].rstrip(".")
        with self.lock:
            self.asked.append(number)
            wait_s = 60.0 if len(self.asked) > self.slow_from else 0.0
            if len(self.asked) == self.together:
                self.all_here.set()
        if not self.all_here.wait(20.0):
            return FakeReply(status=500)
        if number in self.broken:
            return FakeReply(status=500, body=b'{"error": {"message": "boom"}}')
        if number == "7":
            return FakeReply("I would rather not say.")
        output = flawless(CASES["rye"])
        return FakeReply(json.dumps(first(output, 3) if int(number) % 5 == 0 else output), wait_s=wait_s)


@pytest.fixture
def loaves(box: Box) -> Any:
    """The server, and the project with many cases instead of its three."""
    server = Loaves()
    for name in CASES:
        box.path(f"golden/{SUITE}/{name}.gold.json").unlink()
    for number in range(MANY):
        text = f"{CASES['rye']['sourceText']} Loaf {number}."
        case = {"id": f"loaf-{number:03}", **CASES["rye"], "sourceText": text}
        box.write(f"golden/{SUITE}/loaf-{number:03}.gold.json", json.dumps(case))
    provider = f'preset = "vllm"\nbase_url = "{server.url}"\nmax_retries = 0\n'
    box.replace("row3.toml", "[provider]\n", f"[provider]\n{provider}")
    yield server
    server.stop()


def test_what_other_processes_score_is_what_a_replay_scores(box: Box, loaves: Loaves) -> None:
    live = box.row3("--mode", "record", "--jobs", "64", "--format", "json", code=0, fresh=True).json
    assert sorted(loaves.asked, key=int) == [str(number) for number in range(MANY)]
    again = box.row3("--mode", "replay", "--jobs", "1", "--format", "json", code=0).json
    assert [case["id"] for case in live["cases"]] == [f"loaf-{number:03}" for number in range(MANY)]
    assert live["cases"] == again["cases"]
    assert live["metrics"] == again["metrics"]
    assert live["cases"][7]["status"] == "bad_answer"
    assert live["usage"]["promptTokens"] == again["usage"]["promptTokens"] == 100 * MANY
    assert not list((box.state / "journal").glob("*.jsonl"))


def test_as_many_requests_as_jobs_are_at_the_server_at_once(box: Box, loaves: Loaves) -> None:
    loaves.together = 256
    result = box.row3("--mode", "live", "--jobs", "256", "--format", "json", code=0).json
    assert (result["failed"], len(loaves.asked)) == ([], MANY)


def test_a_few_cases_are_scored_beside_the_event_loop_and_as_a_replay_scores_them(box: Box, model: Make) -> None:
    fake = model(lambda case_id, times: FakeReply(json.dumps(first(flawless(CASES[case_id]), 3))))
    fake.serve(box)
    box.row3("--mode", "record", code=0)
    live, again = (box.row3("--mode", mode, "--format", "json", code=0).json for mode in ("live", "replay"))
    assert (live["cases"], live["metrics"]) == (again["cases"], again["metrics"])


def test_a_case_without_an_answer_fails_alone_and_the_same_command_asks_for_it_only(box: Box, loaves: Loaves) -> None:
    loaves.broken = {"11"}
    result = box.row3("--mode", "record", "--jobs", "64", "--format", "json", code=3, fresh=True).json
    assert (result["failed"], result["denominators"]["recall"]) == (["loaf-011"], MANY - 1)
    loaves.broken = set()
    loaves.asked.clear()
    box.row3("--mode", "auto", code=0, fresh=True)
    assert loaves.asked == ["11"]


def test_the_same_request_of_two_cases_is_sent_once_while_it_is_under_way(box: Box, model: Make) -> None:
    fake = model(lambda case_id, times: FakeReply(json.dumps(flawless(CASES[case_id])), wait_s=0.5))
    fake.serve(box)
    box.write(f"golden/{SUITE}/twin.gold.json", json.dumps({"id": "twin", **CASES["rye"]}))
    result = box.row3("--mode", "live", "--format", "json", code=0).json
    assert sorted(fake.asked) == sorted(CASES)
    assert {case["id"]: case["status"] for case in result["cases"]} == dict.fromkeys((*CASES, "twin"), "scored")
    assert (result["usage"]["requests"], result["usage"]["replayed"]) == (4, 1)


def test_openais_address_may_come_from_the_environment_and_the_first_line_says_so(box: Box, model: Make) -> None:
    fake = model(lambda case_id, times: FakeReply(json.dumps(flawless(CASES[case_id]))))
    env = {"OPENAI_API_KEY": "sk-of-the-box", "OPENAI_BASE_URL": f"{fake.url}/"}
    done = box.row3("--mode", "live", code=0, **env)
    assert sorted(fake.asked) == sorted(CASES)
    host = fake.url.split("/")[2]
    assert f"baker-1 at {host} (OPENAI_BASE_URL) · live" in done.out.splitlines()[0]
    assert "OPENAI_BASE_URL" not in box.row3("--mode", "replay", code=0, **env).out


def test_an_address_in_row3_toml_is_stronger(box: Box, model: Make) -> None:
    fake = model(lambda case_id, times: FakeReply(json.dumps(flawless(CASES[case_id]))))
    fake.serve(box)
    done = box.row3("--mode", "live", code=0, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert sorted(fake.asked) == sorted(CASES)
    assert "OPENAI_BASE_URL" not in done.out


def test_an_address_that_is_none_is_said_by_the_name_of_its_variable(box: Box) -> None:
    done = box.row3("--mode", "live", code=2, OPENAI_API_KEY="sk-of-the-box", OPENAI_BASE_URL="localhost:8000/v1")
    assert done.errors[0].startswith(
        "error: OPENAI_BASE_URL: the base_url `localhost:8000/v1` must be an http or https"
    )
    assert "or unset OPENAI_BASE_URL" in done.errors[0]


@pytest.mark.parametrize("key", ["requests_per_minute", "tokens_per_minute"])
def test_limits_a_minute_come_from_row3_toml(box: Box, model: Make, key: str) -> None:
    fake = model(lambda case_id, times: FakeReply(json.dumps(flawless(CASES[case_id]))))
    fake.serve(box, **{key: 60_000})
    box.row3("--mode", "live", code=0)
    fake.serve(box, **{key: 0})
    done = box.row3("--mode", "live", code=2)
    assert f"provider.{key}" in done.errors[0]


def test_ctrl_c_ends_the_processes_that_score_and_keeps_the_answers(box: Box, loaves: Loaves) -> None:
    loaves.slow_from = 40
    process = box.start("--mode", "record", "--jobs", "16")

    def kept() -> int:
        return sum(path.read_text("utf-8").count("\n") for path in (box.state / "journal").glob("*.jsonl"))

    wait_until(lambda: kept() == loaves.slow_from)
    others = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=50)
    assert (process.returncode, out) == (130, b"")
    assert b"error: interrupted" in err
    assert b"Traceback" not in err
    assert others
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in others))
    answered, loaves.slow_from = loaves.slow_from, MANY
    loaves.asked.clear()
    box.row3("--mode", "record", code=0, fresh=True)
    assert len(loaves.asked) == MANY - answered
