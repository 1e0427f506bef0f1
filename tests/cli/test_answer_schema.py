"""A prompt's own schema: sent, validated, recorded and replayed; locked and watched by the hook; bad input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.answer_schemas import FITTING, TICKET, ask_with, ticket_box, ticket_desk
from tests.projects import Box
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
    "unwritten": ("models:Ticket", None, "Write it from `models:Ticket` with `row3 lint --fix`"),
    "no JSON": ("schemas/ticket.json", "{", "not JSON: Expecting"),
    "a list": ("schemas/ticket.json", "[]", "the file is not a JSON object"),
    "no schema": ("schemas/ticket.json", '{"type": "objekt"}', "the file is not a JSON schema"),
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
        assert " schema" in said
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


def test_the_hook_judges_the_suites_whose_schema_a_commit_changes(box: Box, desk: Desk) -> None:
    desk.answers["1.0"] = dict.fromkeys(desk.answers["1.0"], json.dumps(FITTING))
    box.row3("--baseline", "--mode", "record", code=0)
    box.init()
    box.row3("hook", "install", code=0)
    box.write("schemas/notes.json", "{}")
    box.git("add", "-A")
    done = box.git("commit", "-m", "a file that no prompt names")
    assert "no suite" in done.err or done.code == 0
    box.write("schemas/ticket.json", json.dumps(TICKET | {"required": ["category"]}))
    box.git("add", "-A")
    done = box.git("commit", "-m", "an open schema", code=1)
    assert "in schemaDigest" in done.err
