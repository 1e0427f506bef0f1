"""Files that ended in an internal error or went on for ever: each is one message that names file and field."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.judged import JudgeServer, support
from tests.projects import Box
from tests.rows import every_row

RECORDINGS = "recordings/bread/extract-v1.1.jsonl"
READERS = (("--compare",), ("recordings", "list"), ("recordings", "verify"), ("lint",))

READ_WHOLE = ("metrics-history.json", "prompts/promoted.json", "row3.toml")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"request": {', f'"request": {{"a": {"[" * 50_000}{"]" * 50_000}, ', "nested too deeply"),
        ('"request": {', f'"request": {{"a": {"[" * 250}{"]" * 250}, ', "nested too deeply"),
        ('"request": {', f'"request": {{"a": {"{" * 50_000}, ', "not JSON"),
        ('"repeat": 0', '"repeat": 0, "repeat": 0', "key `repeat` occurs twice"),
        ('"text": ', '"text": "{}", "text": ', "key `text` occurs twice"),
        ('"caseId": ', '"zzz": 1, "zzz": 2, "caseId": ', "key `zzz` occurs twice"),
        ('"caseId": ', '"zzz": 1, "zzz": 2, "zzz": 3, "caseId": ', "key `zzz` occurs twice"),
    ],
)
def test_a_recording_that_is_too_deep_or_says_a_key_twice(box: Box, old: str, new: str, told: str) -> None:
    first, *others = box.read(RECORDINGS).splitlines()
    box.write(RECORDINGS, "\n".join([first.replace(old, new, 1), *others]) + "\n")
    for command in READERS:
        done = box.row3(*command, code=2)
        assert f"{RECORDINGS}:1" in f"{done.out}{done.err}", done
        assert told in f"{done.out}{done.err}", done


def test_an_output_that_is_too_deep(box: Box) -> None:
    for levels, told in ((900, "nested too deeply"), (201, "nested too deeply"), (190, "")):
        label = '{"a":' * levels + "1" + "}" * levels
        box.write("outputs.jsonl", f'{{"caseId": "rye", "output": {{"concepts": [{{"label": {label}}}]}}}}\n')
        done = box.row3("score", "bread", "--outputs", "outputs.jsonl", "--format", "json")
        assert "internal error" not in done.err
        assert told in done.err
    text = json.dumps({"caseId": "rye", "output": {"concepts": [{"label": "[{" * 500}]}})
    box.write("outputs.jsonl", f"{text}\n")
    assert "nested" not in box.row3("score", "bread", "--outputs", "outputs.jsonl").err


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("suites.bread.gate", "block", "inf"),
        ("suites.bread.gate", "investigate", "nan"),
        ("suites.bread.gate", "metrics", "[]"),
        ("suites.bread.live.gate", "metrics", "[]"),
        ("suites.bread.provider", "timeout_s", "inf"),
        ("suites.bread.provider", "timeout_s", "1e300"),
        ("suites.bread.provider", "seed", "1" + "0" * 30),
        ("suites.bread.provider", "seed", "9" * 400),
        ("suites.bread.judge", "votes", "1_000_000"),
        ("prices.m", "input", "inf"),
        ("monitor.alerts.latency", "threshold", "-inf"),
        ("lessons.mcp.arguments", "x", "nan"),
    ],
)
def test_a_number_that_is_not_finite_or_bounded_and_a_gate_without_metrics(
    box: Box, table: str, key: str, value: str
) -> None:
    box.write("row3.toml", f"{box.read('row3.toml')}\n[{table}]\n{key} = {value}\n")
    for command in (("lint",), ("--compare",)):
        done = box.row3(*command, code=2)
        assert "row3.toml" in f"{done.out}{done.err}"
        problem = "should have at least 1 item, not 0" if value == "[]" else "should be"
        assert f"field `{table}.{key}`: {problem}" in f"{done.out}{done.err}"


def test_a_number_of_thousands_of_digits(box: Box) -> None:
    box.write("row3.toml", f"{box.read('row3.toml')}\nseed = {'9' * 5_000}\n")
    assert "error: row3.toml: not TOML: " in box.row3("--compare", code=2).err


def test_numbers_of_a_prompt_are_finite(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "temperature: 0", "temperature: 0\ncriteria: {help: .inf}")
    assert "field `criteria.help`: should be a finite number" in box.row3("--compare", code=2).err


def test_brackets_without_end_in_a_prompt(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "temperature: 0", "criteria: " + '{"a":' * 50_000)
    begun = time.monotonic()
    assert "error: prompts/extract-v1.1.md:" in box.row3("--compare", code=2).err
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        # A baseline of a million cases is larger; each of its lines is one case.
        ("baselines/bread.json", ":1: the line has more than 33,554,432 bytes"),
        *((name, ": the file has 1,073,741,824 bytes, more than 67,108,864") for name in READ_WHOLE),
    ],
)
def test_a_file_of_a_gigabyte_is_not_read(box: Box, path: str, problem: str) -> None:
    with box.path(path).open("wb") as file:
        file.truncate(1 << 30)
    assert f"error: {path}{problem}" in box.row3("--compare", code=2).err


def test_a_suite_in_which_no_check_counts_is_promoted(tmp_path: Path) -> None:
    server = JudgeServer()
    try:
        box = support(Box(tmp_path / "support"), server)
    finally:
        server.stop()
    for path in box.path("golden/support").iterdir():
        case = json.loads(path.read_text())
        path.write_text(json.dumps(case | {"checks": [{"judge": "helpfulness"}]}))
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.row3("trend", code=0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@every_row("command", [("--version",), ("--help",), ("lint",), ("lint", "--format", "json")])
def test_a_full_disk_behind_stdout_is_one_message(box: Box, command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "row3", *command],
            cwd=box.root, env=box.env, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        "error: standard output: No space left on device. Check free space and permissions, then run again.\n"
    )
