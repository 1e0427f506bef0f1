"""Keys that endpoints echo and files hold, as a user meets them: real HTTP, files, the screen."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from row3.domain.secrets import HIDDEN, Guard
from tests.chat_server import FakeModel, FakeReply, completion
from tests.judged import JudgeServer, support
from tests.projects import CASES, SUITE, Box, flawless, tiny
from tests.runner import Done

KEY = "sk-row3-aB3_secret-0123456789"
GUARD = Guard({"KEY": KEY})
Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]


def nowhere(box: Box, done: Done) -> None:
    """No file and no output holds the key, in any form."""
    assert not GUARD.found(done.out)
    assert not GUARD.found(done.err)
    for path in box.root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            assert not GUARD.found(path.read_text(errors="replace")), path


def echo(case_id: str, times: int) -> FakeReply:
    """Every case's answer holds the key in another way; the model's name and the finish reason hold it too."""
    wrapped = base64.encodebytes(f"Authorization: Bearer {KEY}, as it was sent with this request".encode()).decode()
    said = {
        "rye": json.dumps({**flawless(CASES["rye"]), "note": wrapped}),
        "yeast": json.dumps(flawless(CASES["yeast"])).replace('wild yeast"', f'wild yeast {KEY}"'),
        "oven": "\n".join(re.findall(".{1,4}", KEY)) + " is what I was given",
    }
    body = json.loads(completion(FakeReply(said[case_id], finish=f"stop {KEY}")))
    body["model"] = f"served by {KEY.encode().hex()}"
    return FakeReply(body=json.dumps(body).encode())


@pytest.mark.parametrize("mode", ["record", "auto", "live"])
def test_an_echoed_key_is_hidden_and_the_answer_marked(box: Box, model: Make, mode: str) -> None:
    model(echo).serve(box, key_variable="BAKER_KEY")
    done = box.row3("--mode", mode, "--model", "other", "-v", code=0, BAKER_KEY=KEY)
    nowhere(box, done)
    assert f"it begins “{HIDDEN} is what" in " ".join(done.out.split())
    assert done.out.count("a key in the answer is hidden") >= 2
    shown = box.row3("--mode", mode, "--model", "other", "--format", "json", code=0, BAKER_KEY=KEY)
    nowhere(box, shown)
    statuses = {case["id"]: case["status"] for case in shown.json["cases"]}
    assert statuses == {"rye": "scored", "yeast": "scored", "oven": "bad_answer"}
    if mode == "record":
        box.row3("recordings", "verify", code=0)
        again = box.row3("--model", "other", "-v", code=0)
        assert again.out.count("a key in the answer is hidden") >= 2


@pytest.mark.parametrize("status", [401, 400, 500])
def test_an_echoed_key_is_hidden_in_an_error(box: Box, model: Make, status: int) -> None:
    told = "x" * 280 + "\\n".join(KEY)
    fake = model(lambda case_id, times: FakeReply(status=status, body=f'{{"error": {{"message": "{told}"}}}}'.encode()))
    fake.serve(box, key_variable="BAKER_KEY", max_retries=0)
    nowhere(box, box.row3("--mode", "live", code=3, BAKER_KEY=KEY))


@pytest.mark.parametrize(
    ("file", "where", "form"),
    [
        ("golden/bread/rye.gold.json", "case `rye`", KEY),
        ("golden/bread/rye.gold.json", "case `rye`", base64.b64encode(f"x{KEY}".encode()).decode()),
        ("prompts/extract-v1.1.md", "prompt extract-v1.1", KEY),
        ("prompts/extract-v1.1.md", "prompt extract-v1.1", KEY.encode().hex()),
    ],
)
def test_a_request_with_a_key_is_not_sent(box: Box, model: Make, file: str, where: str, form: str) -> None:
    fake = model(lambda case_id, times: FakeReply(json.dumps(flawless(CASES[case_id]))))
    fake.serve(box, key_variable="BAKER_KEY")
    if file.startswith("prompts"):
        box.write(file, box.read(file).replace("{% block user %}", f"{{% block user %}}{form} "))
    else:
        box.replace(file, "Rye is a cereal.", f"Rye is a cereal. {form}")
    for mode in ("record", "live"):
        done = box.row3("--mode", mode, "--model", "other", "--jobs", "1", code=2, BAKER_KEY=KEY)
        assert len(done.errors) == 1
        assert where in done.errors[0]
        assert "contains the value of BAKER_KEY" in done.errors[0]
        assert not GUARD.found(done.out + done.err)
        planned = box.row3("--dry-run", "-v", "--mode", mode, "--model", "other", code=2, BAKER_KEY=KEY)
        assert len(planned.errors) == 1
        assert done.errors[0].startswith(planned.errors[0])  # what is saved by then can be continued
        assert not GUARD.found(planned.out + planned.err)
    assert "rye" not in fake.asked
    assert file.startswith("golden") or not fake.asked


@pytest.mark.parametrize("mode", ["live", "auto"])
def test_a_key_for_a_model_is_not_sent(box: Box, model: Make, mode: str) -> None:
    fake = model(lambda case_id, times: FakeReply(json.dumps(flawless(CASES[case_id]))))
    fake.serve(box, key_variable="BAKER_KEY")
    done = box.row3("--mode", mode, "--model", KEY, code=2, BAKER_KEY=KEY)
    nowhere(box, done)
    assert "prompt extract-v1.1: " in done.errors[0]
    assert "the request contains the value of BAKER_KEY" in done.errors[0]
    assert not fake.asked


class EchoingJudge(JudgeServer):
    """Answers and grades with the key that the model was sent."""

    def reply_to(self, body: Any) -> FakeReply:
        reply = super().reply_to(body)
        return FakeReply(reply.text.replace("seen", f"seen {KEY}").replace("well", f"well {KEY.encode().hex(' ')}", 1))


def test_a_judge_that_echoes_a_key(tmp_path: Path) -> None:
    box, server = tiny(tmp_path / "project"), EchoingJudge()
    box.env["OPENAI_API_KEY"] = KEY
    try:
        support(box, server)
        nowhere(box, box.row3("--format", "json", code=0))
        nowhere(box, box.row3("-v", code=0))
    finally:
        server.stop()
    recorded = "".join(path.read_text() for path in box.path("recordings/support").iterdir())
    assert recorded.count(HIDDEN) == 2 * 24


SPELLED = [KEY, base64.b64encode(f"x{KEY}".encode()).decode(), "".join(f"\\u{ord(each):04x}" for each in KEY)]


def test_outputs_made_elsewhere_with_a_key(box: Box) -> None:
    box.replace("row3.toml", 'model = "baker-1"', 'model = "baker-1"\nkey_variable = "BAKER_KEY"')
    outputs: list[dict[str, Any]] = [
        {"caseId": "rye", "output": {**flawless(CASES["rye"]), SPELLED[1]: SPELLED[0]}},
        {"caseId": "yeast", "output": f"no JSON, but {SPELLED[2]}"},
        {"caseId": "oven", "error": f"401 {KEY}"},
    ]
    outputs[0]["output"]["concepts"][0]["label"] += f" {KEY}"
    box.write("outputs.jsonl", "".join(f"{json.dumps(each)}\n" for each in outputs))
    for shape in ("table", "json"):
        done = box.row3("score", SUITE, "--outputs", "outputs.jsonl", "-v", "--format", shape, code=3, BAKER_KEY=KEY)
        assert done.out.count("a key in the output is hidden") == 2
        written = box.read("outputs.jsonl")
        box.path("outputs.jsonl").unlink()
        nowhere(box, done)
        box.write("outputs.jsonl", written)


SCORER = """
import os

def raises(case, answer):
    raise ValueError(f"401 for {os.environ['BAKER_KEY']}")

def explains(case, answer):
    return 0.5, f"sent with {os.environ['BAKER_KEY'].encode().hex()}"
"""


def test_scorers_that_show_a_key(box: Box) -> None:
    for name in CASES:
        box.path(f"golden/{SUITE}/{name}.gold.json").unlink()
    settings = f'\n[suites.{SUITE}]\nkind = "checks"\n'
    box.write("row3.toml", f'{box.read("row3.toml")}key_variable = "BAKER_KEY"\n{settings}')
    box.write("scorers.py", SCORER)
    checks = [{"python": f"scorers:{name}", "name": name} for name in ("raises", "explains")]
    box.write(f"golden/{SUITE}/rye.gold.json", json.dumps({"id": "rye", "input": {"q": "?"}, "checks": checks}))
    box.write("outputs.jsonl", json.dumps({"caseId": "rye", "output": "rye"}))
    done = box.row3("score", SUITE, "--outputs", "outputs.jsonl", "-v", "--format", "json", BAKER_KEY=KEY)
    assert done.out.count(HIDDEN) >= 2
    nowhere(box, done)


def test_an_imported_answer_with_a_key(box: Box) -> None:
    line = {"caseId": "rye", "prompt": "extract", "response": f"I was given {KEY}"}
    box.write("raw.jsonl", json.dumps(line))
    box.replace("row3.toml", 'model = "baker-1"', 'model = "other"\nkey_variable = "BAKER_KEY"')
    done = box.row3("recordings", "import", "raw.jsonl", code=0, BAKER_KEY=KEY)
    box.path("raw.jsonl").unlink()
    nowhere(box, done)
    box.row3("recordings", "verify", code=0)
