"""`row3 optimize` over real HTTP, on an endpoint whose best prompt is known, and on the local model."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from row3.commands.optimizing.optimize import Parts, split
from row3.project.project import open_project, pick_suite
from tests.chat_server import ChatServer, FakeReply
from tests.cli.test_live_compare import local_model_is_there
from tests.one_thread import path_for_processes
from tests.projects import Box
from tests.support_desk import RUBRIC, graded
from tests.two_stages import CONCEPTS, LINKS, two_stages, write_case

CASES = 8
INSTRUCTION = "Answer in capital letters."
PROMPT = """---
name: answer
version: "1.0"
description: Repeats a word.
output: answer
temperature: 0
---
{% block user %}
Repeat {{ word }}.
{% endblock %}
"""


def fenced(text: str) -> FakeReply:
    return FakeReply(f"Here it is:\n```\n{text}\n```")


LOST = fenced("Repeat the word.")
BROKEN = fenced("Repeat {{ word }} and {{ expected.")
USELESS = fenced("Please repeat {{ word }}.")
RIGHT = fenced(f"Repeat {{{{ word }}}}. {INSTRUCTION}")


def word(number: int) -> str:
    return f"word{chr(ord('a') + number)}"


class Scripted(ChatServer):
    """Repeats the word, in capitals where the prompt says so; proposes the texts of `proposals`, the last for ever."""

    def __init__(self, *proposals: FakeReply) -> None:
        self.proposals = proposals
        self.answered: list[str] = []
        """What the answering model was asked."""
        self.reflected: list[str] = []
        """What the reflection model was asked."""
        self.graded: list[str] = []
        """What the judge was asked."""
        self.answer: Callable[[str], FakeReply] = self.repeat
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        said = "\n".join(message["content"] for message in body["messages"])
        if "Grade the answer" in said:
            self.graded.append(said)
            return FakeReply(graded(90))
        reflects = body["model"] == "teacher"
        with self.lock:
            (self.reflected if reflects else self.answered).append(said)
        if reflects:
            return self.proposals[min(len(self.reflected), len(self.proposals)) - 1]
        return self.answer(said)

    def repeat(self, said: str) -> FakeReply:
        found = next(word(number) for number in range(CASES) if word(number) in said)
        return FakeReply(found.upper() if INSTRUCTION in said else found)


@pytest.fixture
def serve() -> Iterator[Callable[..., Scripted]]:
    servers: list[Scripted] = []

    def make(*proposals: FakeReply) -> Scripted:
        servers.append(Scripted(*proposals))
        return servers[-1]

    yield make
    for server in servers:
        server.stop()


def project(root: Path, server: Scripted, cases: int = CASES) -> Box:
    box = Box(root)
    provider = f'preset = "vllm"\nbase_url = "{server.url}"\nmax_retries = 0\n'
    box.write(
        "row3.toml",
        f'suite = "words"\nmode = "replay"\n[provider]\n{provider}model = "pupil"\n[judge]\nmodel = "teacher"\n'
        'max_retries = 0\n[suites.words]\nkind = "checks"\npipeline = ["answer"]\n',
    )
    for number in range(cases):
        checks = [{"equals": word(number).upper()}]
        case = {"id": word(number), "input": {"word": word(number)}, "checks": checks}
        box.write(f"golden/words/{word(number)}.gold.json", json.dumps(case))
    box.write("prompts/answer-v1.0.md", PROMPT)
    return box


def parts_of(box: Box, seed: int = 0) -> Parts:
    opened = open_project(box.root)
    suite = pick_suite(opened, "words")
    return split(list(opened.cases_of(suite)), seed)


def tracked(box: Box) -> dict[str, Any]:
    return {name: text for name, text in box.tree().items() if not name.startswith(".row3/")}


def test_the_known_best_prompt_is_found_within_the_budget(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    server = serve(LOST, RIGHT)
    box = project(tmp_path / "project", server)
    before = tracked(box)
    result = box.row3("optimize", "answer", "--budget", "16", "--format", "json", code=0).json
    assert result["draft"] == "answer-v1.1"
    draft = box.read("prompts/answer-v1.1.md")
    assert INSTRUCTION in draft
    assert 'version: "1.1"' in draft
    assert 'description: "Optimised from v1.0 by row3 optimize.' in draft
    assert "temperature: 0" in draft
    assert {name: text for name, text in tracked(box).items() if name != "prompts/answer-v1.1.md"} == before
    # Held out: 2 old and 2 new; selection: 2 old and 2 new; feedback: 3 old and 3 new, then more.
    assert len(server.answered) == result["asked"] <= 16
    assert (result["trainingCases"], result["selection"]["cases"]) == (4, 2)
    assert (result["selection"]["before"], result["selection"]["after"]) == (0, 1)
    held_out = result["heldOut"]
    assert (held_out["before"], held_out["after"], held_out["cases"]) == (0, 1, 2)
    assert held_out["interval"]["low"] <= 1 <= held_out["interval"]["high"]
    # The proposal that lost its placeholder was never asked about, and the next reflection was told.
    assert not any("Repeat the word." in said for said in server.answered)
    assert "loses {{ word }}" not in server.reflected[0]
    assert "An earlier proposal scored 0. The text loses {{ word }}." in server.reflected[1]
    parts = parts_of(box)
    seen = "\n".join(server.reflected).lower()
    assert any(each.id in seen for each in parts.train)
    assert not any(each.id in seen for each in (*parts.selection, *parts.held_out))


def test_the_draft_goes_through_the_gate(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    server = serve(RIGHT)
    box = project(tmp_path / "project", server)
    box.row3("--baseline", "--mode", "record", code=0)
    assert len(server.answered) == CASES
    done = box.row3("optimize", "answer", "--budget", "100", code=0)
    # Recorded answers of the old prompt cost nothing; of the new one 3 cases give feedback, 2 choose, 2 measure.
    assert len(server.answered) == CASES + 7
    assert "wrote prompts/answer-v1.1.md" in done.out
    assert "held out   0.0% → 100.0% (+100.0 points), n = 2, 95%: " in done.out
    box.row3("--compare", "--mode", "auto", code=0)
    box.row3("promote", "v1.1", "--mode", "auto", code=0)


def test_the_draft_keeps_the_schema_that_it_was_tried_with(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    server = serve(RIGHT)
    server.answer = lambda said: FakeReply(json.dumps(server.repeat(said).text))
    box = project(tmp_path / "project", server)
    for number in range(CASES):
        box.replace(f"golden/words/{word(number)}.gold.json", '"equals"', '"path": "$", "equals"')
    box.replace("prompts/answer-v1.0.md", "output: answer\n", 'output: answer\nschema: "models:Word"\n')
    box.write("schemas/answer-v1.0.json", '{"type": "string"}')
    box.row3("optimize", "answer", "--budget", "16", code=0)
    assert json.loads(box.read("schemas/answer-v1.1.json")) == {"type": "string"}
    box.row3("--mode", "record", code=0)


@pytest.mark.parametrize("budget", range(14, 24))
def test_not_one_answer_more_than_the_budget(tmp_path: Path, serve: Callable[..., Scripted], budget: int) -> None:
    server = serve(USELESS, LOST, BROKEN, RIGHT)
    box = project(tmp_path / "project", server)
    result = box.row3("optimize", "answer", "--budget", str(budget), "--format", "json", code=0).json
    assert len(server.answered) == result["asked"] <= budget
    assert (result["draft"] is None) == (result["heldOut"] is None)


def test_too_small_a_budget_asks_nothing(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    server = serve(RIGHT)
    box = project(tmp_path / "project", server)
    done = box.row3("optimize", "answer", "--budget", "13", code=2)
    assert "takes up to 14" in done.errors[0]
    assert not server.answered


def test_nothing_better_writes_nothing(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    server = serve(USELESS, BROKEN)
    box = project(tmp_path / "project", server)
    before = tracked(box)
    done = box.row3("optimize", "answer", "--budget", "20", code=0)
    assert "no draft beats answer-v1.0 on the selection cases" in done.out
    assert tracked(box) == before
    # Nor does an optimiser without end: a proposal that is refused costs no answer.
    assert len(server.reflected) <= 20 // 3
    assert any("compiled" in said or "template has an error" in said for said in server.reflected)


def test_a_provider_that_stops_leaves_no_draft_and_the_command_continues(
    tmp_path: Path, serve: Callable[..., Scripted]
) -> None:
    server = serve(RIGHT)
    box = project(tmp_path / "project", server)
    before = tracked(box)
    stopped = FakeReply(status=401, body=b'{"error": {"message": "no such key"}}')
    server.answer = lambda said: stopped if INSTRUCTION in said else server.repeat(said)
    done = box.row3("optimize", "answer", "--budget", "20", code=3)
    assert "401" in done.errors[0]
    assert tracked(box) == before
    asked = len(server.answered)
    server.answer = server.repeat
    assert done.errors[0].endswith("To ask only for what is missing: row3 optimize answer --budget 20 --continue")
    result = box.row3("optimize", "answer", "--budget", "20", "--format", "json", "--continue", code=0).json
    assert result["draft"] == "answer-v1.1"
    assert result["asked"] == len(server.answered) - asked
    assert sum(INSTRUCTION not in said for said in server.answered[asked:]) < asked
    assert not list((box.state / "journal").glob("*.jsonl"))


def test_a_reflection_model_that_fails_leaves_no_draft(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    server = serve(FakeReply(status=500, body=b'{"error": {"message": "boom"}}'))
    box = project(tmp_path / "project", server)
    before = tracked(box)
    done = box.row3("optimize", "answer", "--budget", "20", code=3)
    assert "the reflection model gave no answer" in done.errors[0]
    assert len(server.reflected) == 1
    assert tracked(box) == before


def test_ctrl_c_leaves_no_draft(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    import signal

    from tests.projects import wait_until

    server = serve(RIGHT)
    box = project(tmp_path / "project", server)
    before = tracked(box)
    server.answer = lambda said: FakeReply(wait_s=60) if INSTRUCTION in said else server.repeat(said)
    process = box.start("optimize", "answer", "--budget", "20")
    wait_until(lambda: any(INSTRUCTION in said for said in server.answered))
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert tracked(box) == before


def test_the_system_block_takes_its_turn(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    server = serve(USELESS, fenced(f"You repeat words. {INSTRUCTION}"))
    box = project(tmp_path / "project", server)
    system = "{%- block system -%}\nYou repeat words.\n{%- endblock -%}\n"
    box.write("prompts/answer-v1.0.md", PROMPT.replace("{% block user", f"{system}{{% block user"))
    assert box.row3("optimize", "answer", "--budget", "40", "--format", "json", code=0).json["draft"] == "answer-v1.1"
    changed = system.replace("words.", f"words. {INSTRUCTION}")
    assert box.read("prompts/answer-v1.1.md").endswith(
        PROMPT.partition("---\n")[2].partition("---\n")[2].replace("{% block user", f"{changed}{{% block user")
    )


class TwoStages(ChatServer):
    """Answers both stages of `tests.two_stages`: concepts only where the prompt is `INSTRUCTION`'s."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.reflected: list[str] = []
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        said = body["messages"][-1]["content"]
        if said.startswith("A language model"):
            self.reflected.append(said)
            return fenced(f"1.0 {{{{ source_text }}}} {INSTRUCTION}")
        self.asked.append(said)
        if "response_format" not in body:
            return FakeReply(status=400, body=b"{}")
        concepts = CONCEPTS if INSTRUCTION in said else '{"concepts": [{"label": "oats"}]}'
        return FakeReply(concepts if "concepts" in body["response_format"]["json_schema"]["name"] else LINKS)


def test_every_stage_of_a_pipeline_counts(tmp_path: Path) -> None:
    server = TwoStages()
    try:
        two_stages(tmp_path)
        (tmp_path / "prompts/decompose-v1.1.md").unlink()
        for name in "cdefgh":
            write_case(tmp_path, name, f"Rye is a cereal, says {name}.")
        box = Box(tmp_path)
        # No judge is named: the model that answers proposes.
        box.write(
            "row3.toml",
            box.read("row3.toml").replace("[provider]", f'[provider]\npreset = "vllm"\nbase_url = "{server.url}"'),
        )
        assert "takes up to 28" in box.row3("optimize", "decompose", "--budget", "27", code=2).errors[0]
        result = box.row3("optimize", "decompose", "--budget", "28", "--format", "json", code=0).json
        assert (result["draft"], result["asked"]) == ("decompose-v1.1", len(server.asked))
        assert len(server.asked) == 28
        assert result["metric"] == "overall"
        assert result["heldOut"]["after"] > result["heldOut"]["before"]
        assert "missed concepts: rye; cereal" in server.reflected[0]
    finally:
        server.stop()


def test_grades_cost_nothing_and_are_no_leak(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    server = serve(RIGHT)
    box = project(tmp_path / "project", server)
    box.write("prompts/helpfulness-v1.0.md", RUBRIC.format(name="helpfulness"))
    box.write("row3.toml", box.read("row3.toml") + '[[suites.words.checks]]\njudge = "helpfulness"\n')
    result = box.row3("optimize", "answer", "--budget", "14", "--format", "json", code=0).json
    assert result["draft"] == "answer-v1.1"
    assert len(server.answered) == result["asked"] == 14
    assert len(server.graded) == 14
    held_out = parts_of(box).held_out
    assert all(any(each.id in said for said in server.graded) for each in held_out)
    assert not any(each.id in said.lower() for each in held_out for said in server.reflected)


def test_the_result_goes_to_a_file_again_and_again(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    box = project(tmp_path / "project", serve(USELESS))
    for form in ("table", "json"):
        for _ in range(2):
            box.row3("optimize", "answer", "--budget", "14", "--format", form, "--out", f"result.{form}", code=0)
            assert "answer-v1.0" in box.read(f"result.{form}")


def test_what_is_no_prompt_of_the_suite(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    box = project(tmp_path / "project", serve(RIGHT))
    assert "Did you mean `answer`?" in box.row3("optimize", "anwser", "--budget", "14", code=2).errors[0]
    assert "v1.3" in box.row3("optimize", "answer-v1.3", "--budget", "14", code=2).errors[0]


def test_cases_of_one_source_stay_together(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    box = project(tmp_path / "project", serve(RIGHT))
    for number in range(CASES):
        name = f"golden/words/{word(number)}.gold.json"
        box.write(name, json.dumps({**json.loads(box.read(name)), "source": f"book {number // 2}"}))
    for seed in range(5):
        parts = parts_of(box, seed)
        assert [len(part) for part in parts] == [4, 2, 2]
        sources = [{each.case.source for each in part} for part in parts]
        assert not sources[0] & sources[1]
        assert not sources[2] & (sources[0] | sources[1])
    assert len({parts_of(box, seed).held_out[0].id for seed in range(10)}) > 1


def test_too_few_cases(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    box = project(tmp_path / "project", serve(RIGHT), cases=5)
    assert "cannot be split" in box.row3("optimize", "answer", "--budget", "50", code=2).errors[0]


def test_the_extra_that_is_not_installed(
    tmp_path: Path, serve: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    box = project(tmp_path / "project", serve(RIGHT))
    monkeypatch.setitem(sys.modules, "gepa", None)
    assert "pip install 'row3[optimize]'" in box.row3("optimize", "answer", "--budget", "50", code=2).errors[0]


@pytest.mark.slow
@pytest.mark.local_model
@pytest.mark.skipif(not local_model_is_there(), reason="the extra row3[local] is not installed")
def test_the_local_model_goes_through_to_the_end(tmp_path: Path, serve: Callable[..., Scripted]) -> None:
    # It answers; what so weak a model proposes takes minutes and is refused, so that is scripted.
    server = serve(LOST, fenced("The word is: {{ word }}. Only the word, please."))
    box = project(tmp_path / "project", server, cases=6)
    local = 'suite = "words"\n[provider]\npreset = "local"\nmodel = "gemma3"\nmax_tokens = 12\n'
    box.write(
        "row3.toml",
        local
        + box.read("row3.toml").replace("[judge]", f'[judge]\nbase_url = "{server.url}"').partition('"pupil"\n')[2],
    )
    for number in range(6):
        name = f"golden/words/{word(number)}.gold.json"
        box.write(name, box.read(name).replace(f'"equals": "{word(number).upper()}"', f'"contains": "{word(number)}"'))
    path = path_for_processes(tmp_path / "path")
    done = box.row3(
        "optimize",
        "answer",
        "--budget",
        "12",
        "--format",
        "json",
        fresh=True,
        PYTHONPATH=path,
        OPENAI_API_KEY="sk-0123456789",
        code=0,
    )
    result = done.json
    assert 2 <= result["asked"] <= 12
    assert not server.answered
    assert server.reflected or result["selection"]["before"] == 1
    drafts = [each.name for each in box.path("prompts").glob("answer-v1.1.md")]
    assert drafts == ([] if result["draft"] is None else ["answer-v1.1.md"])
