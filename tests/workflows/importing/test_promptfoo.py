"""promptfoo's configurations: ten small ones in the style of its documentation, and broken ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from row3.domain.judges import fenced
from row3.domain.prompts import parse_reference
from row3.errors import InvalidFile
from row3.kinds.checks.model import ChecksCase
from row3.store.prompts import parse_prompt
from row3.store.tree import WorkTree
from row3.workflows.importing.drafts import Drafts, PromptFiles
from row3.workflows.importing.promptfoo import read_promptfoo, read_table
from row3.workflows.pipeline.templates import render

DATA = Path(__file__).parents[2] / "data/promptfoo"


def read(root: Path, name: str) -> tuple[Drafts, PromptFiles]:
    prompts = PromptFiles(WorkTree(root))
    return read_promptfoo(DATA / name, prompts), prompts


def checks(drafts: Drafts) -> list[list[dict[str, Any]]]:
    return [draft.value["checks"] for draft in drafts.cases]


CHECKS: dict[str, list[list[dict[str, Any]]]] = {
    "capitals.yaml": [
        [
            {"not_contains": "as a language model"},
            {"contains": "Paris", "case": True},
            {"not_contains": "Lyon", "case": True},
        ],
        [{"not_contains": "as a language model"}, {"contains": "madrid", "name": "right city", "weight": 2}],
        [
            {"not_contains": "as a language model"},
            {"starts_with": "The capital of Poland", "case": True},
            {"regex": r"\bWars(aw|zawa)\b", "case": True},
        ],
    ],
    "lists.yaml": [
        [
            {"contains_all": ["blue", "white", "red"], "case": True},
            {"contains_all": ["blue", "white", "red"]},
            {"contains_any": ["tricolour", "tricolore", "three colours, side by side"], "case": True},
            {"contains_any": ["VERTICAL", "stripes"]},
        ]
    ],
    "equals.json": [[{"equals": "4"}], [{"equals": "42"}], [{"equals": {"sum": 2}}], [{"equals": "4"}]],
    "json.yaml": [
        [{"json_schema": {}}],
        [{"json_schema": {"type": "object", "required": ["name"]}}],
        [
            {
                "json_schema": {
                    "type": "object",
                    "required": ["name", "age"],
                    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
                }
            }
        ],
    ],
    "limits.yaml": [[{"cost": 0.002}, {"latency": 2.5}, {"max_words": 12}]],
    "graded.yaml": [
        [
            {"judge": "rubric-is-polite-and-does-not-blame-the-customer"},
            {"judge": "rubric-says-something-about", "min": 0.8},
            {"semantic": "I am sorry that your parcel is late.", "min": 0.75},
        ],
        [
            {"judge": "rubric-is-polite-and-does-not-blame-the-customer"},
            {"judge": "rubric-says-something-about", "min": 0.8},
            {"judge": "rubric-offers-a-replacement"},
            {"judge": "rubric-the-customer-has-a-right-to-a-refund-within-14"},
            {"semantic": "We will replace the chair.", "min": 0.6},
        ],
    ],
    "chat.yaml": [[{"contains": "bonjour"}], [{"contains": "buenos"}]],
    "table.yaml": [
        [{"contains": "yes"}],
        [{"contains": "no"}, {"not_contains": "yes"}],
        [{"equals": "yes"}],
        [{"contains_any": ["yes", "Yes"], "case": True}],
        [{"semantic": "no", "min": 0.9}, {"judge": "rubric-says-no-more-than-it-has-to"}],
    ],
    "anchors.yaml": [[{"contains": "please"}], [{"contains": "please"}]],
    "unmapped.yaml": [[{"contains": "hello"}], []],
}
PROMPTS = {
    "capitals.yaml": ["name-the-capital-of"],
    "json.yaml": ["extract-person", "extract-person-2"],
    "graded.yaml": ["support-reply"],
    "chat.yaml": ["chat"],
    "unmapped.yaml": ["say-hello-to"],
}


@pytest.mark.parametrize("name", CHECKS)
def test_every_assertion_is_a_check(tmp_path: Path, name: str) -> None:
    drafts, _ = read(tmp_path, name)
    assert checks(drafts) == CHECKS[name]


@pytest.mark.parametrize("name", PROMPTS)
def test_prompts_are_named_by_label_file_or_words(tmp_path: Path, name: str) -> None:
    drafts, prompts = read(tmp_path, name)
    assert drafts.prompts == PROMPTS[name]
    assert {f"prompts/{each}-v1.0.md" for each in PROMPTS[name]} <= prompts.new.keys()


def test_variables_are_the_input(tmp_path: Path) -> None:
    assert read(tmp_path, "capitals.yaml")[0].cases[2].value["input"] == {"tone": "plain", "country": "Poland"}
    assert read(tmp_path, "lists.yaml")[0].cases[0].value["input"]["colours"] == ["blue", "white", "red"]
    assert read(tmp_path, "json.yaml")[0].cases[0].value["input"] == {"text": "My name is Zoë, and I am 33."}
    assert read(tmp_path, "anchors.yaml")[0].cases[1].value["input"] == {"text": "Close the door", "day": "2026-01-29"}
    assert read(tmp_path, "table.yaml")[0].cases[1].value["input"] == {"animal": "shark, great white"}


def test_a_conversation_has_one_system_message(tmp_path: Path) -> None:
    text = read(tmp_path, "chat.yaml")[1].new["prompts/chat-v1.0.md"].decode()
    assert "{% block system %}\nYou translate into {{ language }}.\n{% endblock %}" in text
    assert "{% block user %}\n{{ text }}\n{% endblock %}" in text


def test_what_is_left_out_is_listed_with_the_reason(tmp_path: Path) -> None:
    drafts, _ = read(tmp_path, "unmapped.yaml")
    assert [(each.type, each.value) for each in drafts.not_imported] == [("prompts", "file://prompts/hello.js")]
    left_out = [(kind, value) for draft in drafts.cases for kind, value, _ in draft.not_imported]
    assert [kind for kind, _ in left_out] == [
        *("vars", "javascript", "levenshtein", "word-count", "not-equals", "contains", "regex", "is-json", "icontains"),
        *("contains", "assert-set", "threshold", "options", "python"),
    ]
    assert ("levenshtein", {"value": "Hello Ann", "threshold": 5}) in left_out
    assert ("assert-set", {"assert": [{"type": "contains", "value": "hello"}]}) in left_out
    assert [kind for kind, *_ in read(tmp_path, "graded.yaml")[0].cases[0].not_imported] == ["provider"]


BROKEN = [
    ("a: [1\n", ":1", "not YAML"),
    ("tests: []\na: 1\na: 2\n", ":3", "occurs twice"),
    ("- 1\n", "", "must be a mapping of keys to values"),
    ("prompts: [x]\n", "", "the file has no tests"),
    ("tests: [1]\n", " field tests.0", "a mapping"),
    ("tests:\n- assert: [contains]\n", " field tests.0", "a mapping"),
    ("tests:\n- vars: [1]\n", " field tests.0", "a mapping"),
    ("defaultTest: [1]\ntests: []\n", " field defaultTest", "a mapping"),
    ("tests: &a\n- *a\n", ":1", "recursive"),
    ("&a\n- *a\n", "", "contains itself"),
]


@pytest.mark.parametrize(("text", "place", "message"), BROKEN, ids=[message for _, _, message in BROKEN])
def test_a_broken_configuration_names_its_place(tmp_path: Path, text: str, place: str, message: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(InvalidFile, match=message) as caught:
        read_promptfoo(file, PromptFiles(WorkTree(tmp_path)))
    assert caught.value.where == f"{file}{place}"


@pytest.mark.parametrize(
    ("tests", "name", "where", "message"),
    [
        ("t.csv", "t.csv", "t.csv:2", "cells"),
        ("file://t.yaml", "t.yaml", "t.yaml field 1", "a mapping"),
        ("file://t.json", "t.json", "t.json:1:2", "not JSON"),
        ("file://gone.yaml", "t.yaml", "gone.yaml", "does not exist"),
        ("file://gone*.yaml", "t.yaml", "c.yaml", "no file matches"),
    ],
)
def test_a_broken_file_that_it_names_names_its_place(
    tmp_path: Path, tests: str, name: str, where: str, message: str
) -> None:
    (tmp_path / "c.yaml").write_text(f"tests: {tests}\n")
    (tmp_path / name).write_text({"t.csv": "a\n1,2\n", "t.yaml": "[{}, file://t.yaml]", "t.json": "{"}[name])
    with pytest.raises(InvalidFile, match=message) as caught:
        read_promptfoo(tmp_path / "c.yaml", PromptFiles(WorkTree(tmp_path)))
    assert caught.value.where == str(tmp_path / where)


def test_a_table_without_promptfoo_columns_has_only_inputs(tmp_path: Path) -> None:
    drafts = read_table(DATA / "table.csv", PromptFiles(WorkTree(tmp_path)))
    assert checks(drafts) == CHECKS["table.yaml"]
    (tmp_path / "t.csv").write_text("question,answer\n1,2\n")
    (draft,) = read_table(tmp_path / "t.csv", PromptFiles(WorkTree(tmp_path))).cases
    assert draft.value == {"input": {"question": "1", "answer": "2"}, "checks": []}


def written(root: Path, config: dict[str, Any]) -> tuple[Drafts, dict[str, str]]:
    (root / "c.json").write_text(json.dumps(config))
    prompts = PromptFiles(WorkTree(root))
    drafts = read_promptfoo(root / "c.json", prompts)
    return drafts, {name: text.decode() for name, text in prompts.new.items()}


def shown(text: str, name: str, variables: dict[str, Any]) -> str:
    """What a model is sent of a prompt file: system and user part."""
    ref = parse_reference(name.removeprefix("prompts/"))
    assert ref is not None
    return "\n".join(render(parse_prompt(text, ref, path=name, where=name), variables))


def test_a_variable_called_input_is_still_the_variable(tmp_path: Path) -> None:
    test = {"vars": {"input": "Hi", "tone": "kind"}, "assert": [{"type": "llm-rubric", "value": "Fits {{input}}"}]}
    drafts, files = written(tmp_path, {"prompts": ["Reply to {{input}}, {{tone}}"], "tests": [test]})
    (draft,) = drafts.cases
    variables = ChecksCase(id="x", input=draft.value["input"]).variables()
    assert shown(files["prompts/reply-to-v1.0.md"], "prompts/reply-to-v1.0.md", variables) == "\nReply to Hi, kind"
    rubric = {"input": draft.value["input"], "expected": None, "answer": "Hello!", "value": None}
    text = shown(files["prompts/rubric-fits-v1.0.md"], "prompts/rubric-fits-v1.0.md", fenced(rubric)[1])
    assert re.search(r"input: <(data-\w+)>\nHi\n</\1>\n", text)
    assert re.search(r"Answer\n<(data-\w+)>\nHello!\n</\1>\n", text)
    assert re.search(r"Fits <(data-\w+)>\nHi\n</\1>\n", text)


def test_the_same_assertion_twice_is_one_check(tmp_path: Path) -> None:
    same = [{"type": "icontains", "value": "x"}]
    drafts, _ = written(tmp_path, {"defaultTest": {"assert": same}, "tests": [{"assert": same}]})
    assert checks(drafts) == [[{"contains": "x"}]]


@pytest.mark.parametrize(
    "prompt",
    [
        {"exec": "run.sh"},
        "Hello {{ name",
        "file://p.py",
        "file://talk.json",
    ],
)
def test_a_prompt_that_row3_cannot_run_is_left_out(tmp_path: Path, prompt: Any) -> None:
    talk = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    (tmp_path / "talk.json").write_text(json.dumps(talk))
    drafts, files = written(tmp_path, {"prompts": [prompt], "tests": [{"vars": {"a": 1}}]})
    assert (drafts.prompts, files) == ([], {})
    assert [each.type for each in drafts.not_imported] == ["prompts"]


def test_prompts_may_be_many_files(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("One {{ a }}")
    (tmp_path / "two.txt").write_text("Two {{ a }}\n---\nThree {{ a }}\n---\n")
    (tmp_path / "vars.yaml").write_text("a: 1\n")
    drafts, _ = written(tmp_path, {"prompts": "file://*.txt", "tests": [{"vars": "vars.yaml"}]})
    assert drafts.prompts == ["one", "two", "two-2"]
    assert drafts.cases[0].value["input"] == {"a": 1}


def test_values_that_json_does_not_have_are_texts(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("tests:\n- vars: {1: .nan, b: !!binary aGk=, c: 2026-01-29 10:00:00, d: null, e: 1.5, f: yes}\n")
    (draft,) = read_promptfoo(file, PromptFiles(WorkTree(tmp_path))).cases
    wanted = {"1": "nan", "b": "b'hi'", "c": "2026-01-29T10:00:00", "d": None, "e": 1.5, "f": True}
    assert draft.value["input"] == wanted
