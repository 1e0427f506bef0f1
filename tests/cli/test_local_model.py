"""The local model: its label wherever people see it, and that it costs nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.projects import CASES, Box, flawless

LABEL = "gemma3 (local, weak)"


@pytest.fixture
def local(tmp_path: Path) -> Box:
    """Answers of the local model, with their tokens."""
    box = Box(tmp_path / "project")
    box.write("row3.toml", 'suite = "bread"\nmode = "replay"\n[provider]\npreset = "local"\nmodel = "gemma3"\n')
    for case_id in CASES:
        box.case(case_id)
    for version in ("1.0", "1.1"):
        box.prompt(version)
        usage = {"promptTokens": 100, "completionTokens": 20}
        lines = [
            {"caseId": name, "prompt": f"extract-v{version}", "response": json.dumps(flawless(case)), "usage": usage}
            for name, case in CASES.items()
        ]
        file = box.write("raw.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        box.row3("recordings", "import", str(file), "--prompt", f"extract-v{version}", code=0)
    box.row3("--baseline", code=0)
    return box


def test_people_are_told_how_weak_it_is_and_that_it_costs_nothing(local: Box) -> None:
    out = local.row3(code=0).out
    assert LABEL in out.splitlines()[0]
    assert "cost $0.00: the model runs here" in out
    assert local.row3("--compare", code=0).out.count(LABEL) >= 2  # what runs, and the baseline
    assert LABEL in local.row3("--format", "markdown", code=0).out
    board = local.row3("leaderboard", code=0).out
    assert LABEL in board
    assert "$0.00" in board
    local.row3("report", "--out", "r.html", code=0)
    assert LABEL in local.read("r.html")


def test_what_is_recorded_and_read_by_programs_keeps_the_name(local: Box) -> None:
    result = local.row3("--format", "json", code=0).json
    assert (result["model"], result["usage"]["costUsd"]) == ("gemma3", 0.0)
    assert {entry["model"] for entry in local.history()} == {"gemma3"}
    assert local.row3("leaderboard", "--format", "json", code=0).json["entries"][0]["model"] == "gemma3"


@pytest.mark.parametrize(
    ("preset", "cost"), [("openai", "cost unknown (no price for gemma3)"), ("ollama", "cost $0.00 ·")]
)
def test_of_another_provider_the_same_name_is_another_model(local: Box, preset: str, cost: str) -> None:
    local.replace("row3.toml", '"local"', f'"{preset}"')
    out = local.row3(code=0).out
    assert "(local, weak)" not in out
    assert cost in out


def test_a_price_that_is_set_stands(local: Box) -> None:
    local.write("row3.toml", local.read("row3.toml") + "[prices.gemma3]\ninput = 1000\noutput = 0\n")
    assert "cost $0.30" in local.row3(code=0).out
