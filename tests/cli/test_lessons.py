"""Lessons from regressions, from the comparison that blocks to the prompt that shows them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from examples.memory_server.memory import Memory
from examples.memory_server.stores import SqliteStore
from row3.project.project import open_project, pick_suite
from row3.providers import minilm
from row3.running.lineup import line_up
from row3.running.stages import request_messages
from tests.projects import CASES, HOME, Box, first, flawless, tiny, worse

NOTED, KEPT = ".row3/lessons.jsonl", "lessons/bread.jsonl"
TAUGHT = """---
name: extract
version: "1.3"
output: extraction
lessons: true
---
{% block system %}{{ lessons("missed concepts", limit=1) }}{% endblock %}
{% block user %}{{ source_text }}{% endblock %}
"""


def project(root: Path) -> Box:
    """A baseline of v1.0, and v1.2, which finds half of the concepts."""
    box = tiny(root / "project")
    box.path("prompts/extract-v1.1.md").unlink()
    box.row3("--baseline", code=0)
    worse(box)
    return box


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return project(tmp_path)


def lines(box: Box, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in box.read(name).splitlines()]


def shown(box: Box) -> str:
    """The system part of the candidate's requests."""
    opened = open_project(box.root)
    (prompt,) = line_up(opened, pick_suite(opened, None), role="candidate").prompts
    messages = request_messages(prompt, {"source_text": "x"})
    return "".join(message.text for message in messages if message.role == "system")


def test_a_comparison_that_blocks_notes_strategys_record_once(box: Box) -> None:
    for _ in range(2):
        box.row3("--compare", code=1)
    (lesson,) = lines(box, NOTED)
    # By hand: overall 0.7875 before and 0.725 now; (0.7875 - 0.725) / 0.7875 is 7.9%.
    assert lesson["information"] == (
        'Eval "bread" regression detected:\n- Current score: 0.73\n- Baseline (saved): 0.79\n- Drop: 7.9%\n\n'
        "Scorer context:\nOverall: 3 of 3 cases regressed\nmissed concepts: 3 in 3 cases\n\n"
        "Action: Review prompt extract-v1.2.\nCommon pattern in failures: missed concepts (3 of 3)."
    )
    assert lesson["tags"] == ["eval-failure", "bread", "regression"]
    figures = lesson["metadata"]
    assert (figures["eval_name"], lesson["schemaVersion"]) == ("bread", 1)
    assert figures["baseline_score"] == pytest.approx(0.7875)
    assert figures["current_score"] == pytest.approx(0.725)
    assert figures["drop_percentage"] == pytest.approx((0.7875 - 0.725) / 0.7875)
    assert figures["timestamp"] == box.history()[-1]["at"]
    assert sorted(lesson["common"]) == [f"missed concepts: {item} (1 case)" for item in ("salt", "steam", "warmth")]
    worse(box, "1.3", concepts=1)
    box.row3("--compare", code=1)
    assert len(lines(box, NOTED)) == 2


def test_a_refused_promotion_and_a_comparison_with_a_commit_note_the_same_lesson(box: Box) -> None:
    box.init()
    box.row3("promote", "v1.2", code=1)
    (lesson,) = lines(box, NOTED)
    box.row3("--compare", code=1)
    box.row3("--compare", "--against", "HEAD~0", "--fail", "overall:1", code=0)  # the base has this draft already
    assert lines(box, NOTED) == [lesson]
    box.path(NOTED).unlink()
    box.row3("--compare", "--all", code=1)
    assert [each["id"] for each in lines(box, NOTED)] == [lesson["id"]]


def test_what_is_no_regression_or_approved_teaches_nothing(box: Box) -> None:
    box.init()
    box.row3("--compare", "--case", "rye")
    box.row3("--compare", "--approve", "known", code=0)
    box.path("prompts/extract-v1.2.md").unlink()
    box.path("golden/bread/rye.gold.json").unlink()
    box.row3("--compare", "--against", "HEAD", code=1)  # a case is gone
    assert not box.path(NOTED).exists()


def test_a_drop_from_the_rolling_baseline_says_whose_mean_it_is(box: Box) -> None:
    gate = '\n[suites.bread.gate]\nbaseline = "rolling"\nblock = 50.0\ndrop = 5.0\nmetrics = ["overall"]\n'
    box.write("row3.toml", box.read("row3.toml") + gate)
    box.row3("--compare", code=0)  # no mean yet
    worse(box, "1.3", concepts=1)
    box.row3("--compare", code=1)
    (lesson,) = lines(box, NOTED)
    mean = sum(each["metrics"]["overall"] for each in box.history()[:2]) / 2
    assert f"- Baseline (rolling avg): {mean:.2f}\n" in lesson["information"]


def test_they_are_listed_found_and_kept(box: Box) -> None:
    assert "no lessons yet" in box.row3("lessons", code=0).out
    box.row3("--compare", code=1)
    (lesson,) = lines(box, NOTED)
    shown = box.row3("lessons", code=0).out
    assert shown.startswith(f"{lesson['id']} · ")
    assert "By name: missed concepts: salt (1 case)" in shown
    assert lesson["id"] in box.row3("lessons", "missed", "concepst", code=0).out
    assert box.row3("lessons", "weather", code=0).out == "no lesson matches `weather`\n"
    assert box.row3("lessons", "--suite", "other", "concepts", code=0).out == "no lesson matches `concepts`\n"

    assert box.row3("lessons", "keep", "nope", code=2).errors[0].startswith("error: ID: no lesson `nope`")
    assert "CI" in box.row3("lessons", "keep", code=2, CI="1").err
    assert box.row3("lessons", "keep", lesson["id"], code=0).out == f"{KEPT}: {lesson['id']}\n"
    kept = lines(box, KEPT)
    assert kept == [{key: value for key, value in lesson.items() if key != "common"}]
    assert box.row3("lessons", "keep", code=0).out == "no new lesson to keep\n"
    found = box.row3("lessons", "concepts", "--format", "json", code=0).json["lessons"]
    assert [(each["id"], each["kept"]) for each in found] == [(lesson["id"], True)]
    box.path(NOTED).unlink()
    assert " · kept" in box.row3("lessons", code=0).out


def test_by_meaning_the_nearest_comes_first(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    box.row3("--compare", code=1)
    worse(box, "1.3", concepts=1)
    box.row3("--compare", code=1)

    class Embedder:
        async def embed(self, texts: list[str]) -> list[tuple[float, float]]:
            return [(1.0, 0.0) if "v1.2" in text or text == "weather" else (0.0, 1.0) for text in texts]

        async def close(self) -> None: ...

    monkeypatch.setattr(minilm, "LocalEmbedder", Embedder)
    found = box.row3("lessons", "--semantic", "weather", "--format", "json", code=0).json["lessons"]
    assert ["extract-v1.2" in each["information"] for each in found] == [True, False]


@pytest.mark.parametrize("line", ["{}", '{"schemaVersion": 2}', "nonsense"])
def test_a_broken_file_is_named_with_its_line_and_stops_no_comparison(box: Box, line: str) -> None:
    box.write(NOTED, f"\n{line}\n")
    assert ".row3/lessons.jsonl:2" in box.row3("lessons", code=2).errors[0]
    assert "no lesson was noted: .row3/lessons.jsonl:2" in box.row3("--compare", code=1).err
    assert box.read(NOTED) == f"\n{line}\n"


class TestInAPrompt:
    def test_only_kept_lessons_are_shown_and_the_replay_needs_the_same(self, box: Box) -> None:
        box.row3("--compare", code=1)
        box.write("prompts/extract-v1.3.md", TAUGHT)
        answers = {case_id: flawless(case) for case_id, case in CASES.items()}
        box.record("1.3", answers)
        assert box.row3("--compare", code=0).code == 0  # nothing is kept, so nothing is shown
        assert shown(box) == ""

        box.row3("lessons", "keep", code=0)
        assert "no answer" in box.row3("--compare", code=3).out
        box.record("1.3", answers)
        done = box.row3("--compare", "--format", "json", code=0)
        assert done.json["verdict"] == "proceed"
        box.path(NOTED).unlink()
        assert box.row3("--compare", "--format", "json", code=0).json["metrics"] == done.json["metrics"]
        assert shown(box) == "Past failure patterns:\n\n" + lines(box, KEPT)[0]["information"]

    def test_the_base_shows_its_own_lessons_and_the_change_those_it_brings(self, box: Box) -> None:
        box.row3("--compare", code=1)
        box.write("prompts/extract-v1.3.md", TAUGHT)
        answers = {case_id: flawless(case) for case_id, case in CASES.items()}
        box.record("1.3", answers)
        box.row3("promote", "v1.3", code=0)
        box.init()
        box.row3("lessons", "keep", code=0)
        assert box.row3("--compare", "--against", "HEAD", code=3).code == 3  # the new requests are not recorded
        box.record("1.3", {case_id: first(answer, 3) for case_id, answer in answers.items()})
        done = box.row3("--compare", "--against", "HEAD", "--format", "json")
        assert (done.json["metrics"]["recall"], done.json["deltas"]["recall"]) == (0.75, -0.25)

    def test_nothing_of_a_case_is_shown(self, box: Box) -> None:
        """Neither ids, nor inputs, nor anything expected or forbidden, though the answers missed and broke them."""
        box.record("1.2", {"rye": "no JSON", "yeast": first(flawless(CASES["yeast"]), 0)})
        box.row3("--compare", code=1)
        box.row3("lessons", "keep", code=0)
        text = box.read(KEPT).casefold()
        assert "unusable answer" in text
        for case_id, case in CASES.items():
            names = [each["label"] for each in case["expectedConcepts"]] + case["forbiddenConcepts"]
            assert not [word for word in (case_id, case["sourceText"], *names) if word.casefold() in text]

    def test_a_rubric_shows_none(self, box: Box) -> None:
        box.write("prompts/extract-v1.3.md", TAUGHT.replace("output: extraction", "output: grade"))
        assert "a judge's rubric cannot show lessons" in box.row3("--compare", code=2).errors[0]


class TestTheMemory:
    def configure(self, box: Box, args: list[str], tool: str = "remember") -> None:
        settings = f'command = "{sys.executable}", args = {json.dumps(args)}, tool = "{tool}"'
        mapped = 'arguments = { document_id = "{id}", text = "{information}" }'
        box.write("row3.toml", box.read("row3.toml") + f"\n[lessons]\nmcp = {{ {settings}, {mapped} }}\n")

    @pytest.mark.slow  # the memory reads with the small model, which make test-all installs
    def test_it_is_told_each_lesson_once(self, box: Box, tmp_path: Path) -> None:
        file = tmp_path / "memory.db"
        self.configure(box, ["-m", "examples.memory_server", "--path", str(file)])
        done = box.row3("--compare", code=1)
        assert "not sent" not in done.err
        (lesson,) = lines(box, NOTED)
        memory = Memory(SqliteStore(str(file)))
        assert [name for name, _ in memory.recall("regression", 5)] == [lesson["id"]]
        assert memory.text(lesson["id"]) == lesson["information"]

    def test_where_it_fails_a_note_says_so_and_nothing_is_lost(self, box: Box) -> None:
        faulty = str(HOME / "tests/systems/faulty_server.py")
        self.configure(box, [faulty], "fail")
        done = box.row3("--compare", code=1)
        assert "a lesson was not sent" in done.err
        assert "only saved in .row3/lessons.jsonl" in done.err
        assert len(lines(box, NOTED)) == 1

    def test_in_ci_nothing_is_started(self, box: Box, tmp_path: Path) -> None:
        file = tmp_path / "memory.db"
        self.configure(box, ["-m", "examples.memory_server", "--path", str(file)])
        box.row3("--compare", code=1, CI="1")
        assert not file.exists()
        assert len(lines(box, NOTED)) == 1
