"""Exit codes, formats, and what goes to stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.projects import CASES, Box, Done, worse
from tests.rows import every_row


def told(done: Done) -> str:
    """The result, however it is wrapped."""
    return " ".join(done.out.split())


def test_a_limit_that_one_side_has_not_is_told_in_words(box: Box) -> None:
    done = box.row3("--compare", "--max-tokens", "400", code=3)
    assert "maxTokens is none there and `400` here" in told(done)
    assert "None" not in done.out + done.err + box.row3("--dry-run", "--mode", "live", "-v", code=0).out


def test_notes_go_to_stderr_and_the_result_to_stdout(box: Box) -> None:
    done = box.row3("--compare", "--approve", "for nothing", "--format", "json", code=0)
    assert done.json["verdict"] == "proceed"
    assert "nothing is blocked, so there is nothing to approve" in done.err
    done = box.row3("--only", "changed", "--format", "json")
    assert (done.code, done.out) == (2, "")
    box.case("rye", expectedConcepts=CASES["rye"]["expectedConcepts"][:3])
    done = box.row3("--only", "changed", "--format", "json", code=0)
    assert [case["id"] for case in done.json["cases"]] == ["rye"]
    assert "no verdict on part of the suite" in done.err


def test_only_failing_comes_from_the_last_run(box: Box) -> None:
    worse(box, concepts=2)
    box.row3("--compare", code=1)
    result = box.row3("--compare", "--only", "failing", "--format", "json").json
    assert len(result["cases"]) == 3
    assert "partial" in {reason["code"] for reason in result["reasons"]}
    assert len(box.history()) == 2, "a part is not noted"


def test_who_looks_again_leaves_no_trace(box: Box) -> None:
    """Else the tracked file would stand in the way of a checkout, and a chart would show looks and not versions."""
    worse(box, concepts=2)
    first = box.row3("--compare", code=1)
    assert "the comparison was added to metrics-history.json" in first.err
    box.commit("a draft with what was said of it")
    before = box.tree()
    for more in ([], ["--all"], []):
        again = box.row3("--compare", *more, code=1)
        assert "noted in" not in again.err
    assert box.tree() == before
    box.row3("--compare", "--approve", "smaller answers are wanted", code=0)
    assert len(box.history()) == len(json.loads(before["metrics-history.json"])) + 1
    before = box.tree()
    assert "APPROVED (was: block)" in box.row3("--compare", code=0).out
    assert box.tree() == before


def test_replay_and_auto_take_what_is_recorded_without_a_key(box: Box) -> None:
    for mode in ("replay", "auto"):
        result = box.row3("--mode", mode, "--format", "json", code=0).json
        assert (result["mode"], result["usage"]["replayed"]) == (mode, 3)


def piped(box: Box, *args: str) -> tuple[int, bytes]:
    """Run with a reader that goes away after one byte; exit code as `set -o pipefail` sees it, and stderr."""
    done = subprocess.run(
        ["bash", "-c", f'{sys.executable} -m row3 "$@" | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}', "-", *args],
        cwd=box.root,
        env=box.env,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("size", ["json", "table"])
def test_a_reader_that_goes_away_changes_no_verdict(box: Box, size: str) -> None:
    for number in range(40):  # more than a pipe and click's buffer hold
        box.case(f"n{number:02}", **CASES["rye"])
    assert piped(box, "--format", size, "-v") == (0, b"")
    worse(box)
    assert piped(box, "--compare", "--format", size, "-v", "-q") == (1, b"")


@every_row(
    ("args", "code"),
    [
        ("--help", 0),
        ("cases --help", 0),
        ("recordings --help", 0),
        ("--version", 0),
        ("cases", 0),
        ("-v", 0),
        ("recordings list", 0),
        ("lint -q", 0),
        ("--none", 2),
    ],
)
def test_a_pipe_that_nobody_reads_changes_no_exit_code(box: Box, args: str, code: int) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "row3", *args.split()]
    done = subprocess.run(command, cwd=box.root, env=box.env, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.returncode == code
    told = done.stderr.decode()
    assert "Traceback" not in told and "Broken" not in told
    assert told.count("\n") == (1 if args == "--none" else 0)


@pytest.mark.parametrize("stderr", ["2>/dev/full", "2>&-", "2> >(exec <&-; sleep 0.5)"], ids=["full", "closed", "gone"])
@pytest.mark.parametrize(
    ("args", "code"),
    [(["--baseline"], 0), (["--compare"], 0), (["--suite", "none"], 2), (["--none"], 2)],
    ids=["baseline", "compare", "error", "usage"],
)
def test_a_stderr_that_fails_changes_neither_exit_code_nor_result(
    box: Box, stderr: str, args: list[str], code: int
) -> None:
    script = f'sleep 0.1; {sys.executable} -m row3 "$@" {stderr}'
    done = subprocess.run(
        ["bash", "-c", script, "-", *args], cwd=box.root, env=box.env, capture_output=True, check=False
    )
    assert done.returncode == code
    assert (b"PROCEED" in done.stdout) == (args == ["--compare"])
    assert not any(word in done.stdout for word in (b"error:", b"note:"))


def test_usage_errors_name_the_near_miss(box: Box) -> None:
    for args, hint in (
        (["promot", "v1.1"], "`promote`"),
        (["--comparee"], "--compare"),
        (["--suite", "bred"], "`bread`"),
        (["--prompt", "extrakt-v1.1"], "`extract`"),
        (["--baseline", "--compare"], "one after the other"),
        (["--against", "HEAD"], "--compare"),
        (["--compare", "promote", "v1.1"], "`row3 promote` has no option `--compare`"),
    ):
        done = box.row3(*args, code=2)
        assert len(done.errors) == 1
        assert hint in done.err
        assert done.out == ""


@every_row("command", [("drift",), ("power",), ("cases",), ("flaky",), ("history",)])
@every_row("form", ["junit", "markdown", "github"])
def test_a_form_that_a_command_does_not_have_is_refused_before_anything_is_asked(
    box: Box, command: tuple[str, ...], form: str
) -> None:
    done = box.row3(*command, "--format", form, code=2)
    assert done.out == ""
    assert f"Invalid value for '--format': '{form}' is not one of 'table', 'json'." in done.err
