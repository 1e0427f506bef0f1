"""One request, one answer: cases with the same input, two processes, and runs that ended without all answers."""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, SUITE, Box, first, flawless, wait_until
from tests.rows import every_row

Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]
BROKEN = FakeReply(status=500, body=b'{"error": {"message": "boom"}}')
RECORD = ("--baseline", "--mode", "record", "--jobs", "8", "--format", "json")


def changing(case_id: str, times: int) -> FakeReply:
    """An answer that is a different one each time; the first ones of the two inputs differ too."""
    count = 3 + (times + (case_id == "rye")) % 2
    return FakeReply(json.dumps(first(flawless(CASES[case_id]), count)), wait_s=0.05)


def good(case_id: str, times: int) -> FakeReply:
    return FakeReply(json.dumps(flawless(CASES[case_id])))


def without(case_id: str, found: int = 4) -> Callable[[str, int], FakeReply]:
    """All answers but one case's, with so many concepts."""
    return lambda each, times: BROKEN if each == case_id else FakeReply(json.dumps(first(flawless(CASES[each]), found)))


@pytest.fixture
def twins(box: Box) -> Box:
    """Twenty cases with the inputs of two, and one prompt."""
    for name in CASES:
        box.path(f"golden/{SUITE}/{name}.gold.json").unlink()
    for number, name in enumerate(islice(cycle(("rye", "oven")), 20)):
        case = {"id": f"twin-{number:02}", **CASES[name]}
        box.write(f"golden/{SUITE}/twin-{number:02}.gold.json", json.dumps(case))
    box.path("prompts/extract-v1.1.md").unlink()
    return box


def means(value: Any) -> dict[str, float]:
    return {key: value["metrics"][key] for key in ("recall", "precision", "overall")}


def test_the_replay_of_a_baseline_gives_its_figures(twins: Box, model: Make) -> None:
    fake = model(changing)
    fake.serve(twins)
    saved = twins.row3(*RECORD, code=0).json
    assert sorted(fake.asked) == ["oven", "rye"]
    assert (saved["usage"]["requests"], saved["usage"]["replayed"]) == (20, 18)
    again = twins.row3("--compare", "--mode", "replay", "--format", "json", code=0).json
    assert (again["verdict"], again["failed"], again["deltas"]["overall"]) == ("proceed", [], 0.0)
    assert means(again) == means(saved)


def test_repeats_and_the_sides_of_a_comparison_are_asked_separately(twins: Box, model: Make) -> None:
    fake = model(changing)
    fake.serve(twins)
    twins.row3("--mode", "live", "--repeats", "3", code=0)
    assert sorted(fake.asked) == ["oven"] * 3 + ["rye"] * 3
    twins.row3("--baseline", "--mode", "live", code=0)
    fake.asked.clear()
    twins.row3("--compare", "--mode", "live")
    assert sorted(fake.asked) == ["oven"] * 2 + ["rye"] * 2


@pytest.mark.parametrize("second", [RECORD, ("--compare", "--mode", "record", "--jobs", "8", "--format", "json")])
def test_two_processes_that_record_have_one_answer(twins: Box, model: Make, second: tuple[str, ...]) -> None:
    slow = model(lambda case_id, times: FakeReply(changing(case_id, times).text, wait_s=1.0))
    slow.serve(twins)
    if "--compare" in second:
        twins.row3(*RECORD, code=0)
        slow.asked.clear()
    both = [twins.start(*command) for command in (RECORD, second)]
    results = [json.loads(process.communicate(timeout=100)[0]) for process in both]
    # A comparison asks the baseline's prompts too, for itself.
    assert sorted(slow.asked) == sorted(["oven", "rye"] * (2 if "--compare" in second else 1))
    assert means(results[0]) == means(results[1])
    again = twins.row3("--compare", "--mode", "replay", "--format", "json", code=0).json
    assert (again["failed"], means(again)) == ([], means(results[0]))


def test_those_that_wait_for_a_request_that_fails_fail_with_it(twins: Box, model: Make) -> None:
    late = replace(BROKEN, wait_s=0.3)
    fake = model(lambda case_id, times: late if case_id == "rye" else good(case_id, times))
    fake.serve(twins, max_retries=0)
    done = twins.row3(*RECORD, code=3)
    assert done.json["failed"] == [f"twin-{number:02}" for number in range(0, 20, 2)]
    assert sorted(fake.asked) == ["oven", "rye"]
    fixed = model(good)
    fixed.serve(twins)
    twins.row3(*RECORD, "--continue", code=0)
    assert fixed.asked == ["rye"]
    assert twins.row3("--compare", "--mode", "replay", "--format", "json", code=0).json["verdict"] == "proceed"


def test_ctrl_c_while_others_wait_loses_nothing(twins: Box, model: Make) -> None:
    fake = model(lambda case_id, times: FakeReply(good(case_id, 0).text, wait_s=60 if case_id == "rye" else 0))
    fake.serve(twins)
    process = twins.start(*RECORD)
    wait_until(lambda: sorted(fake.asked) == ["oven", "rye"] and journal_lines(twins) == 1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=55)
    assert (process.returncode, b"Traceback" in err, b"never retrieved" in err) == (130, False, False)
    fixed = model(good)
    fixed.serve(twins)
    done = twins.row3(*RECORD, code=0)
    assert "continuing with 1 answer from an earlier run" in done.err
    assert fixed.asked == ["rye"]
    assert left(twins) == []


def journal_lines(box: Box) -> int:
    return sum(path.read_text("utf-8").count("\n") for path in (box.state / "journal").glob("*.jsonl"))


def left(box: Box) -> list[str]:
    return [path.name for path in (box.state / "journal").glob("*.jsonl")]


COMMANDS = [
    ("--mode", "live"),
    ("--mode", "record", "--model", "other"),
    ("--baseline", "--mode", "live"),
    ("--compare", "--mode", "live"),
    ("--compare", "--mode", "record"),
    ("--compare", "--mode", "live", "--no-interleave"),
    ("--all", "--mode", "live"),
    ("promote", "v1.1", "--mode", "live"),
    ("report", "--mode", "live"),
    ("--mode", "live", "--repeats", "2"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_run_that_ended_continues_only_where_asked_to(box: Box, model: Make, command: tuple[str, ...]) -> None:
    fake = model(without("rye"))
    fake.serve(box, max_retries=0)
    done = box.row3(*command, code=3)
    printed = f"row3 {' '.join(command)} --continue"
    assert f"To ask only for what is missing: {printed}" in done.err
    assert "the same command" not in done.out + done.err
    every = sorted(fake.asked)
    fake.asked.clear()
    done = box.row3(*command, code=3)
    assert (sorted(fake.asked), "continuing" in done.err) == (every, False)
    fixed = model(good)
    fixed.serve(box)
    done = box.row3(*shlex.split(printed)[1:])
    assert done.code in (0, 1), done
    assert set(fixed.asked) == {"rye"}
    answered = sum(each != "rye" for each in every)
    assert f"continuing with {answered} answers" in done.err
    assert left(box) == []
    fixed.asked.clear()
    box.row3(*command)
    assert set(fixed.asked) == set(CASES) or command[0] == "promote"


def test_a_model_that_got_worse_shows_it(box: Box, model: Make) -> None:
    model(without("rye")).serve(box, max_retries=0)
    live = ("--mode", "live", "--format", "json")
    assert box.row3(*live, code=3).json["metrics"]["recall"] == 1.0
    fake = model(without("rye", found=2))
    fake.serve(box, max_retries=0)
    assert box.row3(*live, code=3).json["metrics"]["recall"] == 0.5
    assert sorted(fake.asked) == sorted(CASES)
    # What is continued is the later run.
    model(without("", found=2)).serve(box)
    assert box.row3(*live, "--continue", code=0).json["metrics"]["recall"] == 0.5


def test_a_look_at_one_case_in_between_leaves_the_answers_to_the_others(box: Box, model: Make) -> None:
    fake = model(without("rye"))
    fake.serve(box, max_retries=0)
    box.row3("--mode", "live", code=3)
    box.row3("--mode", "live", "--case", "rye", code=3)
    box.row3("--mode", "live", "--case", "oven", code=0)
    fixed = model(good)
    fixed.serve(box)
    box.row3("--mode", "live", "--continue", code=0)
    assert fixed.asked == ["rye"]


def test_a_provider_that_refuses_everything_tells_the_command_with_the_error(box: Box, model: Make) -> None:
    refused = FakeReply(status=401, body=b'{"error": {"message": "expired"}}')
    fake = model(lambda case_id, times: refused if case_id == "yeast" else good(case_id, times))
    fake.serve(box)
    done = box.row3("--mode", "live", "--jobs", "1", code=3)
    assert len(done.errors) == 1
    assert done.errors[0].endswith("To ask only for what is missing: row3 --mode live --jobs 1 --continue")
    asked = len(fake.asked)
    fixed = model(good)
    fixed.serve(box)
    box.row3("--mode", "live", "--continue", code=0)
    assert len(fixed.asked) == len(CASES) - (asked - 1)


@every_row("command", ["", "--compare", "--all", "promote v1.1", "report", "comment", "leaderboard"])
@every_row("mode", ["", "--mode replay"])
def test_it_is_for_live_runs_only(box: Box, command: str, mode: str) -> None:
    (error,) = box.row3(*command.split(), *mode.split(), "--continue", code=2).errors
    assert "--continue is for live runs only" in error


@every_row("command", ["power", "diff v1.0 v1.1", "history", "investigate"])
def test_a_command_without_live_runs_does_not_have_it(box: Box, command: str) -> None:
    assert "has no option `--continue`" in box.row3(*command.split(), "--continue", code=2).err


def test_a_dry_run_does_not_take_it(box: Box) -> None:
    assert "--dry-run and --continue exclude each other" in box.row3("--dry-run", "--continue", code=2).err


LIVE = "--mode live"


@pytest.mark.parametrize(
    ("killed", "other"),
    [
        ("--baseline --mode live", LIVE),
        (LIVE, "--baseline --mode live"),
        (LIVE, "--all --mode live"),
        (LIVE, "--mode live --model baker-1"),
        (LIVE, "--mode live --repeats 2"),
        (LIVE, "--mode live --case *"),
        ("--mode live --case o*", LIVE),
        ("report --mode live --case *", "report --mode live"),
        ("--compare --mode live", LIVE),
        ("promote v1.1 --mode live", "--compare --mode live"),
        ("drift --sample 3", "recordings drift --sample 3"),
        ("drift --sample 3", "drift"),
        ("--mode record --model other", "--baseline --mode record --model other"),
    ],
)
def test_an_interrupted_run_is_continued_by_the_same_command_only(
    box: Box, model: Make, killed: str, other: str
) -> None:
    box.row3("--baseline", "--mode", "replay", code=0)
    slow = model(
        lambda case_id, times: FakeReply(good(case_id, 0).text, wait_s=60 if times > 1 or case_id != "oven" else 0)
    )
    slow.serve(box)
    process = box.start(*killed.split(), "--jobs", "2")
    wait_until(lambda: journal_lines(box) >= 1 or process.poll() is not None)
    process.kill()
    process.communicate()
    saved = journal_lines(box)
    assert saved
    fake = model(good)
    fake.serve(box)
    assert "continuing" not in box.row3(*other.split(), "--max-cost", "9").err
    fake.asked.clear()
    # What selects no answers makes no other command.
    done = box.row3(*killed.split(), "--jobs", "3", "-v", "--format", "json")
    assert f"continuing with {saved} answer" in done.err
    assert left(box) == []
