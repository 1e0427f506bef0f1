"""Two commands at once on one project."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from functools import partial

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, flawless, wait_until
from tests.runner import PATIENCE_S


def ended(*processes: object) -> list[tuple[int, str]]:
    done = []
    for process in processes:
        _, err = process.communicate(timeout=120)  # type: ignore[attr-defined]
        done.append((process.returncode, err.decode()))  # type: ignore[attr-defined]
    return done


def test_four_compares_at_once_all_succeed_and_all_are_noted(box: Box) -> None:
    for version in ("1.2", "1.3"):
        box.prompt(version)
        box.record(version, {case_id: flawless(case) for case_id, case in CASES.items()})
    done = ended(*[box.start("--compare", "--prompt", f"extract-v1.{minor}") for minor in range(4)])
    assert [code for code, _ in done] == [0] * 4, done
    entries = box.history()
    assert [entry["action"] for entry in entries] == ["promotion", *["compare"] * 4]
    assert len({entry["runId"] for entry in entries}) == 5
    assert len(list(box.path(".row3/runs").glob("*.json"))) == 5
    assert not (box.state / "transaction").exists()


def test_the_same_compare_four_times_at_once_is_noted_once(box: Box) -> None:
    done = ended(*[box.start("--compare") for _ in range(4)])
    assert [code for code, _ in done] == [0] * 4, done
    assert [entry["action"] for entry in box.history()] == ["promotion", "compare"]
    assert len(list(box.path(".row3/runs").glob("*.json"))) == 5


def test_compare_and_promote_at_once_both_succeed(box: Box) -> None:
    compares = [box.start("--compare", "--prompt", f"extract-v1.{minor}") for minor in range(2)]
    done = ended(box.start("promote", "v1.1"), *compares)
    assert [code for code, _ in done] == [0] * 3, done
    assert sorted(entry["action"] for entry in box.history()) == ["compare", "compare", "promotion", "promotion"]
    box.row3("--compare", code=0)
    promoted = json.loads(box.read("prompts/promoted.json"))["prompts"]["extract"]
    assert promoted["version"] == "v1.1"


def test_the_same_promotion_twice_at_once_is_one(box: Box) -> None:
    done = ended(*[box.start("promote", "v1.1") for _ in range(2)])
    assert sorted(code for code, _ in done)[0] == 0, done
    headings = [line for line in box.read("CHANGELOG.md").splitlines() if line.startswith("## v1.1 ")]
    assert len(headings) == 1
    promoted = json.loads(box.read("prompts/promoted.json"))["prompts"]["extract"]
    assert promoted["locked"].keys() == {"v1.0"}


def test_two_recording_runs_at_once_keep_all_their_answers(box: Box) -> None:
    def choose(case_id: str, times: int) -> FakeReply:
        if case_id == "yeast":
            both_ask.wait(60)
        elif case_id == "rye" and times == 1:
            both_ask.set()
        return FakeReply(json.dumps(flawless(CASES[case_id])))

    both_ask = threading.Event()
    model = FakeModel(choose)
    model.serve(box)
    try:
        one = box.start("--mode", "record", "--jobs", "3", "--model", "other")
        wait_until(lambda: len(model.asked) == 3 or one.poll() is not None)
        two = box.start("--mode", "record", "--jobs", "3", "--model", "another", "--case", "rye")
        assert [code for code, _ in ended(one, two)] == [0, 0]
    finally:
        model.stop()
    assert box.row3("--mode", "replay", "--model", "other", code=0)
    assert box.row3("--mode", "replay", "--model", "another", "--case", "rye", code=0)
    assert not list((box.state / "journal").glob("*.jsonl"))


class Slow:
    """A model whose answers to all but the first request wait until they are let go."""

    def __init__(self, box: Box) -> None:
        self.go = threading.Event()
        self.model = FakeModel(self._answer)
        self.model.serve(box)

    def _answer(self, case_id: str, times: int) -> FakeReply:
        if len(self.model.asked) > 1:
            self.go.wait(PATIENCE_S)
        return FakeReply(json.dumps(flawless(CASES[case_id])))

    def start_two(self, box: Box, *modes: str) -> list[subprocess.Popen[bytes]]:
        """Start two runs; the first has one answer and waits for another, the second waits for the first."""
        one, two = (partial(box.start, "--mode", mode, "--jobs", "1", "--model", "other") for mode in modes)
        first = one()
        wait_until(lambda: len(self.model.asked) == 2 or first.poll() is not None)
        second = two()
        assert second.stderr is not None
        assert any(b"waiting for its answers" in line for line in second.stderr)
        return [first, second]


@pytest.fixture
def slow(box: Box) -> Iterator[Slow]:
    made = Slow(box)
    yield made
    made.go.set()
    made.model.stop()


@pytest.mark.parametrize("modes", [("record", "auto"), ("auto", "record"), ("record", "record"), ("live", "live")])
def test_two_runs_that_ask_the_same_at_once_pay_once(box: Box, slow: Slow, modes: tuple[str, str]) -> None:
    both = slow.start_two(box, *modes)
    slow.go.set()
    assert [code for code, _ in ended(*both)] == [0, 0]
    assert sorted(slow.model.asked) == sorted(CASES)
    assert not list((box.state / "journal").glob("*.jsonl"))
    box.row3("--mode", "replay", "--model", "other", code=3 if "live" in modes else 0)


def test_a_killed_run_leaves_its_answers_to_the_one_that_waits(box: Box, slow: Slow) -> None:
    first, second = slow.start_two(box, "record", "record")
    first.kill()
    slow.go.set()
    assert [code for code, _ in ended(first, second)] == [-signal.SIGKILL, 0]
    assert len(slow.model.asked) == len(CASES) + 1  # the request that was under way is asked again
    assert not list((box.state / "journal").glob("*.jsonl"))
    box.row3("--mode", "replay", "--model", "other", code=0)
