"""A prompt's own schema: sent, validated, recorded and replayed; locked and watched by the hook; bad input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.answer_schemas import FITTING, MODELS, TICKET, ask_with, ticket_box, ticket_desk
from tests.projects import CASES, Box, flawless, tiny
from tests.support_desk import Desk, draft


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = ticket_desk(refund=json.dumps(FITTING | {"category": "spam"}))
    yield made
    made.stop()


@pytest.fixture
def box(desk: Desk, tmp_path: Path) -> Box:
    return ticket_box(tmp_path / "project", desk)


def formats(desk: Desk) -> list[Any]:
    return [body.get("response_format") for body in desk.answered]


def problems(box: Box, *args: str) -> dict[str, str]:
    """What is wrong with each bad answer of a run, by case."""
    cases = json.loads(box.row3("--format", "json", *args).out)["cases"]
    return {case["id"]: case["problem"] for case in cases if case.get("problem")}


def test_a_schema_in_a_file_is_sent_and_an_answer_that_does_not_fit_is_bad(box: Box, desk: Desk) -> None:
    found = problems(box, "--mode", "record")
    sent = {"type": "json_schema", "json_schema": {"name": "answer", "schema": TICKET, "strict": True}}
    assert formats(desk) == [sent, sent]
    assert list(formats(desk)[0]["json_schema"]["schema"]["properties"]) == ["category", "reply"]
    assert list(found) == ["refund"]
    assert found["refund"].startswith('answer-v1.0: the answer does not fit schemas/ticket.json: category: "spam" is')
    assert problems(box) == found, "a replay validates too"
    assert len(desk.answered) == 2
    verified = json.loads(box.row3("recordings", "verify", "--format", "json").out)["findings"]
    assert [(each["rule"], "schemas/ticket.json" in each["message"]) for each in verified] == [("bad-answer", True)]


def test_any_kind_may_have_a_schema_of_its_own_and_reads_the_answers_that_fit(tmp_path: Path) -> None:
    box = tiny(tmp_path / "bread")
    box.replace("prompts/extract-v1.1.md", "output: extraction\n", "output: extraction\nschema: schemas/mine.json\n")
    fields = {"concepts": {"type": "array"}, "relationships": {"type": "array"}, "summary": {"type": "string"}}
    box.write("schemas/mine.json", json.dumps({"type": "object", "properties": fields, "required": [*fields]}))
    full = {case_id: flawless(case) | {"summary": "Bread."} for case_id, case in CASES.items()}
    del full["oven"]["summary"]
    box.record("1.1", full)
    found = json.loads(box.row3("--format", "json").out)["cases"]
    assert {case["id"]: case["status"] for case in found} == {"oven": "bad_answer", "rye": "scored", "yeast": "scored"}
    assert all(case["metrics"]["recall"] == 1 for case in found if case["id"] != "oven")
    assert problems(box)["oven"].endswith('does not fit schemas/mine.json: "summary" is a required property')


def test_an_open_schema_is_sent_as_not_strict(box: Box, desk: Desk) -> None:
    box.write("schemas/ticket.json", json.dumps(TICKET | {"required": ["category"]}))
    box.row3("--mode", "record")
    assert [each["json_schema"]["strict"] for each in formats(desk)] == [False, False]


def test_another_schema_is_another_request_and_another_layout_of_the_file_is_not(box: Box, desk: Desk) -> None:
    box.row3("--mode", "record")
    box.write("schemas/ticket.json", json.dumps(TICKET))
    box.row3(code=0)
    keys = dict(reversed(TICKET["properties"].items()))
    box.write("schemas/ticket.json", json.dumps(TICKET | {"properties": keys}))
    assert "in schemaDigest" in box.row3(code=3).out
    ask_with(box, "schemas/none.json")
    draft(box, "1.0")
    assert "in schemaDigest" in box.row3(code=3).out


def test_a_version_without_a_schema_is_compared_with_one_that_has_one(box: Box, desk: Desk) -> None:
    draft(box, "1.0")
    ask_with(box, "schemas/ticket.json", "1.1")
    box.row3("--mode", "record", "--prompt", "answer-v1.0", code=0)
    box.row3("--mode", "record", "--prompt", "answer-v1.1")
    assert [each is None for each in formats(desk)] == [True, True, False, False]
    assert problems(box, "--prompt", "answer-v1.0") == {}
    assert list(problems(box, "--prompt", "answer-v1.1")) == ["refund"]


BAD = {
    "prose": ("Billing, I think.", "the answer is not JSON"),
    "list": ("[]", '[] is not of type "object"'),
    "missing": ('{"category": "bug"}', '"reply" is a required property'),
    "extra": (json.dumps(FITTING | {"mood": "angry"}), "'mood' was unexpected"),
    "type": (json.dumps(FITTING | {"reply": 3}), 'reply: 3 is not of type "string"'),
    "deep": ('{"category": ' + "[" * 400 + "]" * 400 + "}", "the answer does not fit"),
    "surrogate": ('{"category": "bug", "reply": "\\ud800", "x": 1}', "the answer does not fit"),
    "huge": (json.dumps(FITTING | {"reply": 10**400}), "reply: 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_whatever_is_wrong_with_an_answer_is_named(case: str, tmp_path: Path) -> None:
    answer, reason = BAD[case]
    desk = ticket_desk(refund=answer)
    try:
        found = problems(ticket_box(tmp_path / "project", desk), "--mode", "record")
    finally:
        desk.stop()
    assert list(found) == ["refund"]
    assert reason in found["refund"]
    assert len(found["refund"]) < 300


WRONG = {
    "outside": ("../ticket.json", None, "is neither a JSON file in the project's folder schemas/ nor a model"),
    "absolute": ("/etc/ticket.json", None, "is neither a JSON file in the project's folder schemas/ nor a model"),
    "climbing": ("schemas/../../x.json", None, "is neither a JSON file in the project's folder schemas/ nor a model"),
    "elsewhere": ("golden/x.json", None, "is neither a JSON file in the project's folder schemas/ nor a model"),
    "missing": ("schemas/none.json", None, "the schema schemas/none.json does not exist"),
    "a file's name": ("models.py:Ticket", None, "like `schemas/ticket.json` or `models:Ticket`"),
    "unwritten": ("models:Ticket", None, "Write it from `models:Ticket` with `row3 lint --fix`"),
    "no JSON": ("schemas/ticket.json", "{", "not JSON: Expecting"),
    "a list": ("schemas/ticket.json", "[]", "the file is not a JSON object"),
    "no schema": ("schemas/ticket.json", '{"items": {"type": "objekt"}}', 'not a JSON schema: items.type: "objekt" is'),
    "an example": ("schemas/ticket.json", json.dumps(FITTING), "it has none of the keys that constrain an answer"),
    "remote": ("schemas/ticket.json", '{"$ref": "https://a.org/x.json"}', "external references are not followed"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_schema_is_one_message(box: Box, desk: Desk, case: str) -> None:
    name, content, message = WRONG[case]
    ask_with(box, name)
    if content is not None:
        box.write("schemas/ticket.json", content)
    for command in (("--mode", "record"), ("lint",)):
        done = box.row3(*command, code=2)
        said = done.err + done.out
        assert message in said
        assert ("prompts/answer-v1.0.md" if content is None else "schemas/ticket.json") in said
        assert content is not None or " schema" in said
    assert desk.answered == []


def test_a_rubric_has_no_schema_of_its_own(box: Box) -> None:
    text = box.read("prompts/answer-v1.0.md")
    box.write(
        "prompts/helpful-v1.0.md", text.replace("answer", "helpful", 1).replace("output: answer", "output: grade")
    )
    assert "a judge's rubric has a schema of its own" in box.row3("lint", code=2).out


def test_a_promoted_schema_is_locked(box: Box, desk: Desk) -> None:
    desk.answers["1.0"] = dict.fromkeys(desk.answers["1.0"], json.dumps(FITTING))
    box.row3("--baseline", "--mode", "record", code=0)
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.commit()
    box.write("schemas/ticket.json", json.dumps(TICKET))  # laid out anew: the same schema
    box.row3(code=0)
    box.write("schemas/ticket.json", json.dumps(TICKET | {"required": ["category"]}))
    said = box.row3(code=2).err
    assert "answer v1.0 is promoted and it or its schema schemas/ticket.json was edited in place" in said
    assert "git checkout -- prompts/answer-v1.0.md schemas/ticket.json" in said
    box.git("checkout", "--", "prompts/answer-v1.0.md", "schemas/ticket.json")
    box.row3(code=0)
    box.path("schemas/ticket.json").unlink()
    said = box.row3("lint", code=2).out
    assert "Restore it with `git checkout -- schemas/ticket.json`" in " ".join(said.split())
    box.git("checkout", "--", "schemas/ticket.json")
    box.row3("lint", code=0)


def test_the_hook_judges_the_suites_whose_schema_a_commit_changes(box: Box, desk: Desk) -> None:
    desk.answers["1.0"] = dict.fromkeys(desk.answers["1.0"], json.dumps(FITTING))
    box.row3("--baseline", "--mode", "record", code=0)
    box.init()
    box.row3("hook", "install", code=0)
    box.write("schemas/notes.json", "{}")
    box.git("add", "-A")
    assert "row3" not in box.git("commit", "-m", "a file that no prompt names").err
    box.write("schemas/ticket.json", json.dumps(TICKET | {"required": ["category"]}))
    box.git("add", "-A")
    done = box.git("commit", "-m", "an open schema", code=1)
    assert "in schemaDigest" in done.err


@pytest.fixture
def modelled(desk: Desk, tmp_path: Path) -> Box:
    """v1.0 asks for answers by `models:Ticket`, and its schema is written."""
    box = ticket_box(tmp_path / "modelled", desk, "models:Ticket")
    assert "wrote schemas/answer-v1.0.json" in box.row3("lint", "--fix", code=0).err
    return box


def findings(box: Box, code: int = 0, **env: str) -> list[tuple[str, str, str]]:
    """Level, file and message of each finding about a model."""
    found = json.loads(box.row3("lint", "--format", "json", code=code, **env).out)["findings"]
    return [(each["level"], each["file"], each["message"]) for each in found if each["rule"] == "schema-of-model"]


def edit(box: Box) -> None:
    """Allow one category more."""
    box.replace("models.py", '"question"]', '"question", "praise"]')


def test_a_model_is_sent_as_its_file_says(modelled: Box, desk: Desk) -> None:
    assert list(problems(modelled, "--mode", "record")) == ["refund"]
    (sent,) = {json.dumps(each) for each in formats(desk)}
    own = json.loads(modelled.read("schemas/answer-v1.0.json"))
    assert json.loads(sent)["json_schema"] == {"name": "answer", "schema": own, "strict": True}
    assert own["properties"]["category"]["enum"] == ["billing", "bug", "question"]
    modelled.path("models.py").unlink()  # only the file counts
    modelled.row3(code=0)
    assert len(desk.answered) == 2


def test_lint_says_when_model_and_file_differ_and_writes_the_file(modelled: Box) -> None:
    assert findings(modelled) == []
    edit(modelled)
    what = "schemas/answer-v1.0.json is not the schema of `models:Ticket` as it is now; write that with"
    assert findings(modelled) == [("warning", "prompts/answer-v1.0.md", f"{what} `row3 lint --fix`")]
    modelled.row3("lint", "--fix", code=0)
    assert findings(modelled) == []
    assert "praise" in modelled.read("schemas/answer-v1.0.json")
    modelled.write("schemas/answer-v1.0.json", json.dumps(json.loads(modelled.read("schemas/answer-v1.0.json"))))
    assert findings(modelled) == [], "laid out anew"


def test_a_baseline_whose_schema_was_edited_names_its_file(modelled: Box) -> None:
    modelled.row3("--baseline", "--mode", "record", code=0)
    edit(modelled)
    modelled.row3("lint", "--fix", code=0)
    modelled.row3("--mode", "record", code=0)
    said = " ".join(modelled.row3("--compare", "--mode", "live", code=None).err.split())
    assert "prompts/answer-v1.0.md or schemas/answer-v1.0.json: the baseline's prompts were edited" in said
    assert "or save a new baseline with `row3 --baseline" in said


def test_a_promoted_version_keeps_its_file_and_a_new_version_has_one_of_its_own(modelled: Box, desk: Desk) -> None:
    desk.answers["1.0"] = desk.answers["1.1"] = dict.fromkeys(desk.answers["1.0"], json.dumps(FITTING))
    modelled.row3("--baseline", "--mode", "record", code=0)
    modelled.init()
    modelled.row3("promote", "v1.0", code=0)
    modelled.commit()
    modelled.path("schemas/answer-v1.0.json").unlink()
    said = " ".join(modelled.row3("lint", "--fix", code=2).out.split())
    assert "`git checkout -- schemas/answer-v1.0.json`" in said
    assert "lint --fix" not in said
    modelled.git("checkout", "--", "schemas/answer-v1.0.json")
    kept = modelled.read("schemas/answer-v1.0.json")
    edit(modelled)
    modelled.row3("lint", "--fix", code=0)
    assert modelled.read("schemas/answer-v1.0.json") == kept
    ((level, _, message),) = findings(modelled)
    assert (level, message.endswith("write that with `row3 new-version answer`")) == ("warning", True)
    assert "wrote schemas/answer-v1.1.json" in modelled.row3("new-version", "answer", code=0).out
    assert "praise" in modelled.read("schemas/answer-v1.1.json")
    assert findings(modelled) == []
    modelled.replace("prompts/answer-v1.1.md", "1.0: ", "1.1: ")
    before = len(desk.answered)
    modelled.row3("--mode", "record", code=0)
    assert ["praise" in json.dumps(each) for each in formats(desk)[before:]] == [True, True]
    modelled.row3("promote", "v1.1", "--commit", code=0)
    committed = modelled.git("show", "--name-only", "--format=").out.split()
    assert {"prompts/answer-v1.1.md", "schemas/answer-v1.1.json"} <= {*committed}


NO_MODEL = {
    "no module": ("gone:Ticket", "ModuleNotFoundError: No module named 'gone'"),
    "no class": ("models:Gone", "has no attribute 'Gone'"),
    "no model": ("models:NUMBER", "`models:NUMBER` is not a pydantic model"),
    "a base": ("pydantic:BaseModel", "must be called on a subclass of BaseModel"),
    "a function": ("json:dumps", "`json:dumps` is not a pydantic model"),
}


@pytest.mark.parametrize("case", NO_MODEL)
def test_a_model_that_cannot_be_loaded_is_one_message(modelled: Box, case: str) -> None:
    name, message = NO_MODEL[case]
    ask_with(modelled, name)
    ((level, file, said),) = findings(modelled, code=2)
    assert (level, file) == ("error", "prompts/answer-v1.0.md")
    assert message in said
    assert ("create gone.py" in said) is (case == "no module")
    for command in (("lint", "--fix"), ("new-version", "answer")):
        done = modelled.row3(*command, code=2)
        assert message in done.err
        assert "prompts/answer-v1.0.md field schema" in done.err
    assert not modelled.path("prompts/answer-v1.1.md").exists()


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "import os; os._exit(3)", "1 / 0", "print('x' * 99999)"])
def test_a_module_that_fails_is_one_message(modelled: Box, code: str) -> None:
    modelled.write("models.py", f"{code}\n")
    ((level, _, said),) = findings(modelled, code=2)
    assert level == "error"
    assert "`models:Ticket`" in said


def test_in_ci_only_models_that_the_base_has_are_loaded(modelled: Box) -> None:
    modelled.init()
    assert findings(modelled, CI="true") == []
    modelled.git("checkout", "-q", "-b", "work")
    modelled.write("models.py", "open('ran', 'w')\n")
    ((level, _, said),) = findings(modelled, CI="true")
    assert level == "warning"
    assert "models.py differs" in said
    assert not modelled.path("ran").exists()
    assert "has no attribute 'Ticket'" in findings(modelled, code=2, CI="true", ROW3_TRUST="1")[0][2]
    assert "not written in CI" in modelled.row3("lint", "--fix", code=2, CI="true").err


SCHEMAS = {"models:SupportTicket": "support-ticket", "schemas/ticket.json": "ticket", "a_1.b:X2Y": "x2-y"}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_init_starts_from_a_schema(schema: str, tmp_path: Path) -> None:
    box, name = Box(tmp_path / "project"), SCHEMAS[schema]
    box.write("schemas/ticket.json", json.dumps(TICKET))
    box.write("models.py", MODELS.replace("class Ticket", "class SupportTicket"))
    box.write("a_1/b.py", MODELS.replace("class Ticket", "class X2Y"))
    box.row3("init", "--kind", "checks", "--schema", schema, code=0)
    assert "with category, reply." in box.read(f"prompts/{name}-v1.0.md")
    assert box.path(f"schemas/{name}-v1.0.json").exists() == (":" in schema)
    report = json.loads(box.row3("lint", "--format", "json", code=0).out)
    assert report["findings"] == []
    answer = {"caseId": "first", "prompt": f"{name}-v1.0", "response": json.dumps(FITTING)}
    box.write("answers.jsonl", json.dumps(answer) + "\n")
    box.row3("recordings", "import", "answers.jsonl", code=0)
    assert problems(box) == {}
    said = box.row3("init", "--kind", "checks", "--schema", schema, code=2).err
    assert f'Write `schema: "{schema}"` into the front matter of a prompt' in said


def test_init_with_a_schema_that_is_none_writes_nothing(tmp_path: Path) -> None:
    box = Box(tmp_path / "project")
    box.write("models.py", MODELS)
    before = box.tree()
    for args, message in (
        (("--kind", "checks", "--schema", "models:Gone"), "--schema: `models:Gone` has no schema: AttributeError"),
        (("--kind", "checks", "--schema", "schemas/x.json"), "the schema schemas/x.json does not exist"),
        (("--kind", "checks", "--schema", "../x.json"), "is neither a JSON file in the project's folder schemas/"),
        (("--kind", "events", "--schema", "models:Ticket"), "--schema is for --kind checks"),
    ):
        assert message in box.row3("init", *args, code=2).err
    assert {name for name in box.tree() if "__pycache__" not in name} == {*before}
