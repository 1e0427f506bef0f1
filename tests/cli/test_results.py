"""Exit codes, formats, and what goes to stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.projects import CASES, Box, Done, worse
from tests.rows import every_row

DOCUMENTED = {
    "schemaVersion",
    "suite",
    "mode",
    "prompts",
    "model",
    "metrics",
    "intervals",
    "zones",
    "deltas",
    "verdict",
    "reasons",
    "usage",
    "cases",
}
METRICS = {"recall", "precision", "f1", "relationshipAccuracy", "provenanceCoverage", "hallucinationRate", "overall"}


def test_json_has_the_documented_keys_and_the_hand_computed_figures(box: Box) -> None:
    result = box.row3("--compare", "--prompt", "extract-v1.0", "--format", "json", code=0).json
    assert result.keys() >= DOCUMENTED
    # Three of four concepts, all relationships, all quoted: 0.25 * 3/4 + 0.6.
    assert result["metrics"]["recall"] == pytest.approx(0.75)
    assert result["metrics"]["f1"] == pytest.approx(2 * 0.75 / 1.75)
    assert result["metrics"]["overall"] == pytest.approx(0.7875)
    assert result["metrics"].keys() >= METRICS
    assert result["zones"]["recall"] == "pass"
    assert set(result["deltas"].values()) == {0.0}
    assert result["verdict"] == "proceed"
    assert [case["id"] for case in result["cases"]] == ["oven", "rye", "yeast"]
    assert all(case.keys() >= {"status", "metrics", "zones", "deltas", "matches"} for case in result["cases"])
    states = [match["state"] for match in result["cases"][1]["matches"]["concepts"]]
    assert states == ["exact"] * 3
    missed = [one for one in result["cases"][1]["matches"]["expectedConcepts"] if one["foundBy"] is None]
    assert [one["label"] for one in missed] == ["proofing"]


def test_no_baseline_is_2_and_says_how_to_make_one(box: Box) -> None:
    box.path("baselines/bread.json").unlink()
    assert "row3 --baseline" in box.row3("--compare", code=2).errors[0]


def told(done: Done) -> str:
    """The result, however it is wrapped."""
    return " ".join(done.out.split())


def test_a_limit_that_one_side_has_not_is_told_in_words(box: Box) -> None:
    done = box.row3("--compare", "--max-tokens", "400", code=3)
    assert "maxTokens is none there and `400` here" in told(done)
    assert "None" not in done.out + done.err + box.row3("--dry-run", "--mode", "live", "-v", code=0).out


def test_a_stale_recording_is_3_with_the_nearest_and_the_first_difference(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "You read texts", "You study texts")
    before = box.tree()
    done = box.row3("--compare", code=3)
    assert len(done.errors) == 1
    assert "recordings/bread/extract-v1.1.jsonl:1, first difference in promptDigest" in told(done)
    assert "the same: rye, yeast" in told(done)
    assert box.tree() == before
    again = box.row3("--compare", "--model", "baker-2", "--prompt", "extract-v1.0", code=3)
    assert "first difference in model: model is `baker-1` there and `baker-2` here" in told(again)
    repeat = box.row3("--repeats", "2", "--prompt", "extract-v1.0", code=3)
    assert "first difference in repeat" in told(repeat)


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


def test_github_annotates_and_writes_the_step_summary(box: Box, tmp_path: Path) -> None:
    worse(box)
    summary = tmp_path / "summary.md"
    done = box.row3("--compare", "--format", "github", code=1, GITHUB_STEP_SUMMARY=str(summary), CI="true")
    assert "::error" in done.out
    assert all(line.startswith("::") for line in done.out.splitlines() if line)
    assert "Concept recall" in summary.read_text(encoding="utf-8")


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
