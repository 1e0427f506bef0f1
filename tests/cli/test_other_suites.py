"""A case of another suite, asked of any command that takes cases: which suite has it, and what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory import answers, memory, record
from tests.projects import Box
from tests.rows import every_row

HAS = "Suite `graph` has it: use `--suite graph`."


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Suite `events` is the default, with recordings and a baseline; `g1` is a case of suite `graph`."""
    made = memory(tmp_path_factory.mktemp("memory") / "project")
    record(made, "events", "1.0", answers("events"))
    made.init()
    made.row3("--baseline", code=0)
    made.write("outputs.jsonl", '{"caseId": "g1", "output": {"events": []}}\n')
    return made


@every_row(
    "command",
    [
        ("--case", "g1"),
        ("--compare", "--case", "g1"),
        ("--dry-run", "--mode", "live", "--case", "g1"),
        ("investigate", "g1"),
        ("report", "--case", "g1", "--out", "r.html"),
        ("cases", "--case", "g1"),
        ("flaky", "--case", "g1"),
        ("flaky", "quarantine", "g1", "--until", "2999-01-01", "--reason", "wavers"),
        ("flaky", "release", "g1"),
        ("power", "--case", "g1"),
        ("leaderboard", "--case", "g1"),
        ("diff", "find-events-v1.0", "run:latest", "--case", "g1"),
    ],
)
def test_every_command_says_which_suite_has_the_case(box: Box, command: tuple[str, ...]) -> None:
    done = box.row3(*command, code=2)
    assert HAS in done.err
    assert done.out == ""


def test_score_is_told_its_suite_by_name(box: Box) -> None:
    done = box.row3("score", "events", "--outputs", "outputs.jsonl", code=2)
    assert "`g1` is not a golden case of the suite. Suite `graph` has it: use `row3 score graph`." in done.err


def test_responses_of_another_suite(box: Box, tmp_path: Path) -> None:
    file = tmp_path / "responses.jsonl"
    file.write_text('{"caseId": "g1", "prompt": "find-events-v1.0", "response": "{}"}\n', encoding="utf-8")
    assert HAS in box.row3("recordings", "import", str(file), code=2).err
