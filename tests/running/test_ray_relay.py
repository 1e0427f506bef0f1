"""Requests sent from a Ray cluster: each answer once, at one price and pace, whatever ends on the way."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from row3.domain.endpoints import Endpoint
from row3.domain.requests import Answer
from row3.errors import EnvironmentFault
from row3.providers.faults import Fault
from row3.providers.openai_api import read_reply
from row3.providers.relay import Attempt
from row3.running.ray_cluster import MOST_LOSSES
from tests.chat_server import FakeModel, FakeReply
from tests.clusters import new_cluster, of
from tests.projects import CASES, Box, first, flawless, wait_until
from tests.rows import every_row

if TYPE_CHECKING:
    from row3.running.ray_relay import RayRelay

pytestmark = [pytest.mark.slow, pytest.mark.ray]  # Ray comes with make test-all

Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]
RECORD = ("--mode", "record", "--format", "json")


def right(case_id: str, times: int) -> FakeReply:
    return FakeReply(json.dumps(flawless(CASES[case_id])))


def kept(box: Box) -> int:
    """Answers in journals."""
    return sum(file.read_bytes().count(b"\n") for file in box.state.rglob("journal/*.jsonl"))


def senders() -> list[int]:
    """The processes that send requests."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            told = file.read_bytes()
        except OSError:
            continue
        if told.startswith(b"ray::SendingActor"):
            found.append(int(file.parent.name))
    return found


def kill_senders() -> None:
    for pid in senders():
        os.kill(pid, signal.SIGKILL)


def test_answers_are_asked_for_once_and_scored_in_the_cluster(box: Box, model: Make, cluster: Any) -> None:
    fake = model(lambda case_id, times: FakeReply(json.dumps(first(flawless(CASES[case_id]), 3))))
    fake.serve(box)
    live = box.row3("--mode", "record", "--format", "json", *of(cluster), code=0, fresh=True).json
    assert sorted(fake.asked) == sorted(CASES)
    again = box.row3("--mode", "replay", "--format", "json", code=0).json
    assert (live["cases"], live["metrics"]) == (again["cases"], again["metrics"])


@every_row(("number", "code", "told"), [(signal.SIGKILL, -9, b""), (signal.SIGTERM, 130, b"error: interrupted; all")])
def test_a_command_that_is_killed_goes_on_with_the_answers_that_it_has(
    box: Box, model: Make, cluster: Any, number: int, code: int, told: bytes
) -> None:
    slow = [60.0]

    def reply(case_id: str, times: int) -> FakeReply:
        return FakeReply(json.dumps(flawless(CASES[case_id])), wait_s=slow[0] if case_id == "yeast" else 0.0)

    fake = model(reply)
    fake.serve(box)
    with box.start(*RECORD, *of(cluster)) as process:
        wait_until(lambda: len(fake.asked) == 3 and kept(box) == 2)
        os.kill(process.pid, number)
        said = process.communicate()[1]
    assert process.returncode == code
    assert told in said
    slow[0] = 0.0
    box.row3("--mode", "record", "--format", "json", *of(cluster), code=0, fresh=True)
    assert sorted(fake.asked) == sorted([*CASES, "yeast"])


def test_others_send_as_many_as_are_worth_their_start(box: Box, model: Make, cluster: Any) -> None:
    seen = []

    def reply(case_id: str, times: int) -> FakeReply:
        seen.append(len(senders()))
        return right(case_id, times)

    model(reply).serve(box)
    box.row3(*RECORD, *of(cluster), "--jobs", "33", code=0, fresh=True)
    assert max(seen) == 2
    wait_until(lambda: not senders())


def test_a_sender_that_ends_loses_only_what_it_had_sent(box: Box, model: Make, cluster: Any) -> None:
    def reply(case_id: str, times: int) -> FakeReply:
        if case_id == "yeast" and not times:
            kill_senders()
        return right(case_id, times)

    fake = model(reply)
    fake.serve(box)
    done = box.row3(*RECORD, *of(cluster), "--jobs", "1", code=0, fresh=True)
    assert Counter(fake.asked) == Counter({case_id: 1 + (case_id == "yeast") for case_id in CASES})
    assert done.json["usage"]["requests"] == len(CASES)
    assert done.err == ""


def test_a_request_that_ends_every_sender_has_no_answer(box: Box, model: Make, cluster: Any) -> None:
    def reply(case_id: str, times: int) -> FakeReply:
        if case_id == "yeast":
            kill_senders()
        return right(case_id, times)

    fake = model(reply)
    fake.serve(box, max_retries=2)
    done = box.row3(*RECORD, *of(cluster), "--jobs", "1", code=3, fresh=True)
    assert "yeast: " in done.err
    assert "a worker ended while it sent the request" in done.err
    assert "(3 tries)" in done.err
    assert Counter(fake.asked) == Counter({case_id: 3 if case_id == "yeast" else 1 for case_id in CASES})


@pytest.fixture
def relay(cluster: Any) -> Iterator[RayRelay]:
    import ray

    from row3.running.ray_relay import open_relay

    with open_relay(cluster.address, 1) as opened:
        yield opened
    ray.shutdown()


def ask(relay: RayRelay, fake: FakeModel, case_id: str = "rye") -> Any:
    """What comes of one attempt."""
    endpoint = Endpoint("vllm", fake.url, None, timeout_s=1.0)
    body = {"model": "m", "messages": [{"role": "user", "content": CASES[case_id]["sourceText"]}]}
    return asyncio.run(relay.send(Attempt(endpoint, {}, "/chat/completions", body, read_reply))).outcome


def test_a_sender_that_is_silent_is_replaced(relay: RayRelay, model: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def reply(case_id: str, times: int) -> FakeReply:
        if not times:
            for pid in senders():
                os.kill(pid, signal.SIGSTOP)
        return right(case_id, times)

    monkeypatch.setattr("row3.running.ray_relay.SILENCE_S", 1.0)
    fake = model(reply)
    assert ask(relay, fake) == Fault("retry", "a worker was silent for 2 s")
    monkeypatch.undo()
    assert isinstance(ask(relay, fake), Answer)


def test_a_replacement_that_does_not_start_ends_the_run(
    relay: RayRelay, model: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    fake, only_here = model(right), ModuleType("only_here")
    assert isinstance(ask(relay, fake), Answer)
    exec("class SendingActor:\n    def __init__(self, _): pass\n    async def begin(self, _): pass", vars(only_here))
    monkeypatch.setitem(sys.modules, "only_here", only_here)
    monkeypatch.setattr(relay, "_class", ray.remote(num_cpus=0)(only_here.SendingActor))
    kill_senders()
    outcomes: list[Any] = []
    with pytest.raises(EnvironmentFault, match="no worker starts: ModuleNotFoundError: No module named 'only_here'"):
        outcomes.extend(ask(relay, fake) for _ in range(9))
    assert [each.kind for each in outcomes] == ["retry"] * MOST_LOSSES


def test_a_node_with_another_version_is_told(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    from row3.running.ray_relay import open_relay

    monkeypatch.setattr("row3.running.ray_relay.__version__", "0.0.1")
    try:
        with pytest.raises(EnvironmentFault, match=r"has row3 .*, not 0\.0\.1"), open_relay(cluster.address, 1):
            pytest.fail("it began")
    finally:
        ray.shutdown()


def test_one_rate_limit(box: Box, model: Make, cluster: Any) -> None:
    times: list[float] = []

    def reply(case_id: str, asked: int) -> FakeReply:
        times.append(time.monotonic())
        return right(case_id, asked)

    fake = model(reply)
    fake.serve(box, requests_per_minute=60)
    box.row3(*RECORD, *of(cluster), "--jobs", "64", code=0, fresh=True)
    assert all(later - before > 0.9 for before, later in pairwise(times))


@every_row(
    ("status", "body", "code"),
    [(401, b'{"error": {"message": "no such key"}}', 3), (404, b'{"error": {"message": "no such model"}}', 3)],
)
def test_a_service_that_refuses_is_told_as_without(
    box: Box, model: Make, cluster: Any, status: int, body: bytes, code: int
) -> None:
    fake = model(lambda case_id, times: FakeReply(status=status, body=body))
    fake.serve(box)
    here = box.row3(*RECORD, code=code)
    there = box.row3(*RECORD, *of(cluster), code=code, fresh=True)
    assert there.err.replace(shlex.join(of(cluster)) + " ", "") == here.err


def test_the_key_goes_along_and_one_that_is_missing_is_told(
    box: Box, model: Make, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = model(right)
    fake.serve(box, key_variable="BAKERY_KEY")
    command = (*RECORD, *of(cluster))
    assert "Set BAKERY_KEY" in box.row3(*command, code=2, fresh=True).err
    box.env["BAKERY_KEY"] = "crumbs-and-crust"
    box.row3(*command, code=0, fresh=True)
    assert set(fake.keys) == {"Bearer crumbs-and-crust"}


def test_one_budget(box: Box, model: Make, cluster: Any) -> None:
    fake = model(right)
    fake.serve(box)
    price = "\n[prices.bench-model]\ninput = 10\noutput = 10\n"
    box.write("row3.toml", (box.root / "row3.toml").read_text() + price.replace("bench-model", "tiny-model"))
    limit = ("--max-cost", "0.0016", "--model", "tiny-model")
    done = box.row3("--mode", "live", "--format", "json", *limit, *of(cluster), "--jobs", "64", code=3, fresh=True)
    assert "of --max-cost" in done.err
    assert len(fake.asked) == 1


def test_both_sides_of_a_comparison(box: Box, model: Make, cluster: Any) -> None:
    box.row3("--baseline", code=0)
    box.prompt("1.2")
    fake = model(lambda case_id, times: FakeReply(json.dumps(first(flawless(CASES[case_id]), 3))))
    fake.serve(box)
    compare = ("--compare", "--mode", "live", "--jobs", "1", "--format", "json")
    there = box.row3(*compare, *of(cluster), code=0, fresh=True).json
    asked = Counter(fake.asked)
    fake.asked.clear()
    assert there["metrics"] == box.row3(*compare, code=0).json["metrics"]
    assert asked == Counter(fake.asked)


def test_a_head_that_goes_leaves_the_answers(box: Box, model: Make, cluster: Any) -> None:
    other, slow = new_cluster(), [60.0]

    def reply(case_id: str, times: int) -> FakeReply:
        return FakeReply(json.dumps(flawless(CASES[case_id])), wait_s=slow[0] if case_id == "yeast" else 0.0)

    fake = model(reply)
    fake.serve(box)
    with box.start(*RECORD, *of(other)) as process:
        wait_until(lambda: kept(box) == len(CASES) - 1)
        other.head_node.kill_all_processes(check_alive=False, allow_graceful=False)
        said = process.communicate()[1].decode()
    assert process.returncode == 3
    assert f"the Ray cluster at {other.address} does not answer" in said
    assert said.rstrip().endswith(" --continue")
    slow[0] = 0.0
    box.row3(*RECORD, *of(cluster), "--continue", code=0, fresh=True)
    assert Counter(fake.asked) == Counter({case_id: 1 + (case_id == "yeast") for case_id in CASES})
