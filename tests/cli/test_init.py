"""`row3 init`, and what becomes of its example when there is a suite of one's own."""

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
    """A project with the example and a suite of its own that has a baseline, committed, with hooks."""
    box = Box(tmp_path / "project")
    box.root.mkdir()
    box.row3("init", "--example", code=0)
    shutil.copytree(box.path("golden/example"), box.path("golden/mine"))
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
    """Everything of the suite that is its alone."""
    shutil.rmtree(box.path("golden/example"))
    text = box.read("row3.toml").replace('suite = "example"', 'suite = "mine"')
    box.write("row3.toml", re.sub(r"(?ms)^\[suites\.example\]\n.*?(?=^$)", "", text))
    for name in ("decompose-concepts", "map-ontology"):
        box.path(f"prompts/{name}-v1.0.md").unlink()
    shutil.rmtree(box.path("recordings/example"), ignore_errors=True)
    for folder in ("baselines", "charts"):
        for path in box.path(folder).glob("example*"):
            path.unlink()


def test_without_the_example_nothing_tells_of_it(beside: Box) -> None:
    assert "example" in beside.row3("--all").out
    _delete_as_told(beside)
    linted = beside.row3("lint", "--format", "json", code=0).json
    assert linted["findings"] == []
    assert "example" not in beside.row3("--all", code=0).out
    assert "example" not in beside.row3("--compare", "--all", code=0).out
    beside.git("checkout", "-q", "metrics-history.json")
    beside.git("add", "-A")
    committed = beside.git("commit", "-m", "without the example")
    assert "✗" not in committed.err
    assert committed.err.count("example") == committed.err.count("changed: example → mine") == 1
    assert "row3" not in beside.git("commit", "--allow-empty", "-m", "next").err


def test_a_service_is_under_the_gate_at_once(tmp_path: Path) -> None:
    box = Box(tmp_path / "project")
    box.root.mkdir()
    box.row3("init", "--kind", "retrieval", code=0)
    box.row3("lint", code=0)
    box.row3("--baseline", code=0, fresh=True)
    assert "PROCEED" in box.row3("--compare", code=0).out
    box.write("search.py", box.read("search.py").replace("[:limit]", "[1:limit]"))
    unseen = " ".join(box.row3("--compare", code=0, fresh=True).out.split())
    assert "If the system changed, raise its `version` in row3.toml" in unseen
    box.write("row3.toml", box.read("row3.toml").replace('version = "1.0"', 'version = "1.1"'))
    assert "BLOCK" in box.row3("--compare", code=1, fresh=True).out


def test_answers_made_elsewhere_are_under_the_gate_without_a_key(tmp_path: Path) -> None:
    box = Box(tmp_path / "project")
    box.root.mkdir()
    box.row3("init", "--kind", "checks", code=0)
    answers = {"charged-twice": "billing", "export-crashes": "bug"}

    def bring(**categories: str) -> None:
        lines = [
            {"caseId": case_id, "response": json.dumps({"category": category, "reply": "We look into it."})}
            for case_id, category in {**answers, **categories}.items()
        ]
        (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        box.row3("recordings", "import", str(tmp_path / "answers.jsonl"), code=0)

    bring()
    box.row3("--baseline", code=0)
    box.init()
    box.row3("hook", "install", code=0)
    box.row3("new-version", "classify-ticket", code=0)
    box.replace("prompts/classify-ticket-v1.1.md", "You sort", "You carefully sort")
    bring(**{"export-crashes": "question"})
    box.git("add", "-A")
    assert "BLOCK" in box.git("commit", "-m", "careful", code=1).err


def test_without_a_key_it_is_said_what_to_set(tmp_path: Path) -> None:
    box = Box(tmp_path / "project")
    box.root.mkdir()
    box.row3("init", "--kind", "checks", code=0)
    for done in (box.row3("--dry-run", code=0), box.row3("--baseline", code=2)):
        told = " ".join((done.out + done.err).split())
        for way in ("OPENAI_API_KEY", "`local`", "`row3 recordings import FILE`"):
            assert way in told
    assert "Before it can be sent" not in box.row3("--dry-run", code=0, OPENAI_API_KEY="sk-123456789").out


@pytest.mark.parametrize("args", [("--kind", "checks", "--empty"), ("--empty", "--example")])
def test_one_starter_at_a_time(tmp_path: Path, args: tuple[str, ...]) -> None:
    box = Box(tmp_path / "project")
    box.root.mkdir()
    assert "exclude each other" in box.row3("init", *args, code=2).err
