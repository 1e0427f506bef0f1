"""`row3 init`, and what becomes of its starter when there is a suite of one's own."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.projects import Box, flawless

OWN = """
[suites.mine]
pipeline = ["extract"]
"""
PROMPT = """---
name: extract
version: "1.0"
description: Finds what a text is about.
output: extraction
---
{% block system %}You read texts.{% endblock %}
{% block user %}{{ source_text }}{% endblock %}
"""


@pytest.fixture
def beside(tmp_path: Path) -> Box:
    """A project with the starter and a suite of its own that has a baseline, committed, with hooks."""
    box = Box(tmp_path / "project")
    box.root.mkdir()
    box.row3("init", code=0)
    shutil.copytree(box.path("golden/starter"), box.path("golden/mine"))
    box.write("row3.toml", box.read("row3.toml") + OWN)
    box.write("prompts/extract-v1.0.md", PROMPT)
    _answer(box, "mine", "extract-v1.0")
    box.row3("--baseline", "--suite", "mine", code=0)
    box.init()
    box.row3("hook", "install", code=0)
    return box


def _answer(box: Box, suite: str, *prompts: str) -> None:
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in box.path(f"golden/{suite}").glob("*.gold.json")]
    lines = [
        json.dumps({"caseId": case["id"], "prompt": prompt, "response": json.dumps(flawless(case))}) + "\n"
        for case in cases
        for prompt in prompts
    ]
    file = box.root.parent / "responses.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    box.row3("recordings", "import", str(file), "--suite", suite, code=0)


def _delete_as_told(box: Box) -> None:
    """What docs/configuration.md says, step by step."""
    shutil.rmtree(box.path("golden/starter"))
    text = box.read("row3.toml").replace('suite = "starter"', 'suite = "mine"')
    box.write("row3.toml", re.sub(r"(?ms)^\[suites\.starter\]\n.*?(?=^$)", "", text))
    for name in ("decompose-concepts", "map-ontology"):
        box.path(f"prompts/{name}-v1.0.md").unlink()
    shutil.rmtree(box.path("recordings/starter"), ignore_errors=True)
    for folder in ("baselines", "charts"):
        for path in box.path(folder).glob("starter*"):
            path.unlink()


def test_without_the_starter_nothing_tells_of_it(beside: Box) -> None:
    assert "starter" in beside.row3("--all").out
    _delete_as_told(beside)
    linted = beside.row3("lint", "--format", "json", code=0).json
    assert [finding["rule"] for finding in linted["findings"]] == ["case-count"]  # five cases: of the suite that stays
    assert "starter" not in beside.row3("--all", code=0).out
    assert "starter" not in beside.row3("--compare", "--all", code=0).out
    beside.git("checkout", "-q", "metrics-history.json")
    beside.git("add", "-A")
    committed = beside.git("commit", "-m", "without the starter")
    assert "✗" not in committed.err
    assert committed.err.count("starter") == committed.err.count("changed: starter → mine") == 1
    assert "row3" not in beside.git("commit", "--allow-empty", "-m", "next").err


def test_a_starter_with_a_baseline_is_taken_away_like_any_suite(beside: Box) -> None:
    _answer(beside, "starter", "decompose-concepts-v1.0", "map-ontology-v1.0")
    beside.row3("--baseline", "--suite", "starter", code=0)
    beside.commit("the starter has run")
    _delete_as_told(beside)
    beside.git("add", "-A")
    blocked = " ".join(beside.git("commit", "-m", "without the starter", code=1).err.split())
    assert "suite starter was removed" in blocked
    beside.git("commit", "-q", "--no-verify", "-m", "without the starter")
    assert "starter" not in beside.row3("--all", code=0).out
    assert beside.row3("hook", "run", "pre-commit", code=0).err == ""
