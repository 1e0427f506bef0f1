"""promptfoo's configurations: ten small ones in the style of its documentation, and broken ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from row3.commands.importing import promptfoo
from row3.commands.importing.drafts import Drafts, PromptFiles
from row3.commands.importing.promptfoo import read_promptfoo, read_table
from row3.domain.judges import fenced
from row3.domain.prompts import parse_reference
from row3.errors import InvalidFile, Row3Error
from row3.kinds.checks.model import ChecksCase
from row3.project.prompts import parse_prompt
from row3.project.tree import WorkTree
from row3.running.rendering.templates import render
from tests.rows import every_row

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


@every_row("name", CHECKS)
def test_every_assertion_is_a_check(tmp_path: Path, name: str) -> None:
    drafts, _ = read(tmp_path, name)
    assert checks(drafts) == CHECKS[name]


@every_row("name", PROMPTS)
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
    ("tests: &a\n- *a\n", ":1", "contains itself"),
    ("tests:\n- options: [1]\n", " field tests.0", "a mapping"),
]


@every_row(("text", "place", "message"), BROKEN)
def test_a_broken_configuration_names_its_place(tmp_path: Path, text: str, place: str, message: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(InvalidFile, match=message) as caught:
        read_promptfoo(file, PromptFiles(WorkTree(tmp_path)))
    assert caught.value.where == f"{file}{place}"


@every_row(
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
    """What a model is sent of a prompt file: the texts of the messages."""
    ref = parse_reference(name.removeprefix("prompts/"))
    assert ref is not None
    messages = render(parse_prompt(text, ref, path=name, where=name), variables)
    return "\n".join(each.text for each in messages)


def test_a_variable_called_input_is_still_the_variable(tmp_path: Path) -> None:
    test = {"vars": {"input": "Hi", "tone": "kind"}, "assert": [{"type": "llm-rubric", "value": "Fits {{input}}"}]}
    drafts, files = written(tmp_path, {"prompts": ["Reply to {{input}}, {{tone}}"], "tests": [test]})
    (draft,) = drafts.cases
    variables = ChecksCase(id="x", input=draft.value["input"]).variables()
    assert shown(files["prompts/reply-to-v1.0.md"], "prompts/reply-to-v1.0.md", variables) == "Reply to Hi, kind"
    rubric = {"input": draft.value["input"], "expected": None, "answer": "Hello!", "value": None}
    text = shown(files["prompts/rubric-fits-v1.0.md"], "prompts/rubric-fits-v1.0.md", fenced(rubric)[1])
    assert re.search(r"input: <(data-\w+)>\nHi\n</\1>\n", text)
    assert re.search(r"Answer\n<(data-\w+)>\nHello!\n</\1>\n", text)
    assert re.search(r"Fits <(data-\w+)>\nHi\n</\1>\n", text)


def test_the_same_assertion_twice_is_one_check(tmp_path: Path) -> None:
    same = [{"type": "icontains", "value": "x"}]
    drafts, _ = written(tmp_path, {"defaultTest": {"assert": same}, "tests": [{"assert": same}]})
    assert checks(drafts) == [[{"contains": "x"}]]


@every_row(
    "prompt",
    [
        {"exec": "run.sh"},
        "Hello {{ name",
        "file://p.py",
        "file://talk.json",
    ],
)
def test_a_prompt_that_row3_cannot_run_is_left_out(tmp_path: Path, prompt: Any) -> None:
    talk = [{"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
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


def from_yaml(root: Path, text: str) -> Drafts:
    """What a configuration in YAML becomes."""
    (root / "c.yaml").write_text(text)
    return read_promptfoo(root / "c.yaml", PromptFiles(WorkTree(root)))


def inputs(drafts: Drafts) -> list[Any]:
    return [draft.value["input"] for draft in drafts.cases]


def test_values_are_what_promptfoo_reads(tmp_path: Path) -> None:
    variables = "{1: .nan, at: 2026-01-29 10:00:00, d: null, cc: NO, time: 12:30, number: 0123, true: 0o14}"
    drafts = from_yaml(tmp_path, f"tests:\n- vars: {variables}\n  assert: [{{type: equals, value: Yes}}]\n")
    wanted = {"1": ".nan", "at": "2026-01-29 10:00:00", "d": None, "cc": "NO", "time": "12:30", "number": 123}
    assert inputs(drafts) == [wanted | {"true": 12}]
    assert checks(drafts) == [[{"equals": "Yes"}]]


def test_a_list_of_texts_is_a_case_for_each_combination(tmp_path: Path) -> None:
    test = {
        "description": "greet",
        "vars": {"name": ["Ann", "Bob"], "tone": "kind", "place": ["here", "there"]},
        "assert": [{"type": "contains", "value": "{{ name }}"}],
    }
    drafts, _ = written(tmp_path, {"tests": [test]})
    found = [(each["name"], each["tone"], each["place"]) for each in inputs(drafts)]
    assert found == [(name, "kind", place) for name in ("Ann", "Bob") for place in ("here", "there")]
    assert [each[0]["contains"] for each in checks(drafts)] == ["Ann", "Ann", "Bob", "Bob"]
    assert {draft.name for draft in drafts.cases} == {"greet"}


@every_row("value", [[], [1, "x"], [["a", "b"]], [{"role": "user"}], {"a": ["b", "c"]}, "a, b", None])
def test_what_promptfoo_does_not_expand_is_one_value(tmp_path: Path, value: Any) -> None:
    drafts, _ = written(tmp_path, {"tests": [{"vars": {"x": value}, "assert": [{"type": "is-json"}]}]})
    assert inputs(drafts) == [{"x": value}]


WHOLE = {"disableVarExpansion": True}


@every_row(
    ("config", "test", "cases"),
    [
        ({}, {}, 2),
        ({}, {"options": WHOLE}, 1),
        ({"defaultTest": {"options": WHOLE}}, {}, 1),
        ({"defaultTest": {"options": WHOLE}}, {"options": {"transform": "x"}}, 1),
        ({"defaultTest": {"options": WHOLE}}, {"options": {"disableVarExpansion": False}}, 2),
        ({"defaultTest": {"vars": {"name": ["Ann", "Bob"]}}}, {"vars": {}}, 2),
    ],
)
def test_expansion_may_be_disabled(tmp_path: Path, config: Any, test: Any, cases: int) -> None:
    drafts, _ = written(tmp_path, config | {"tests": [{"vars": {"name": ["Ann", "Bob"]}} | test]})
    assert inputs(drafts) == [{"name": each} for each in (["Ann", "Bob"] if cases == 2 else [["Ann", "Bob"]])]
    left_out = [each for draft in drafts.cases for each in draft.not_imported]
    assert [value for _, value, _ in left_out] == [{"transform": "x"}] * ("transform" in str(test))


def test_several_files_are_several_values(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    for name in ("b", "a"):
        (tmp_path / f"letters/{name}.txt").write_text(f"Dear {name}\n")
    drafts, _ = written(
        tmp_path, {"tests": [{"vars": {"x": "file://letters/*.txt", "y": ["file://letters/a.txt", "-"]}}]}
    )
    assert inputs(drafts) == [{"x": f"Dear {x}", "y": y} for x in "ab" for y in ("Dear a", "-")]


def test_lists_that_explode_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promptfoo, "MAX_TEXT_BYTES", 1_000_000)
    variables = {name: ["x"] * 10 for name in "abcdefghij"}
    with pytest.raises(InvalidFile, match="the cases and the files that they name have more than") as caught:
        written(tmp_path, {"tests": [{"vars": variables}]})
    assert caught.value.where == f"{tmp_path / 'c.json'} field tests.0"


def test_a_file_that_many_cases_repeat_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_text("x" * 3_000_000)
    with pytest.raises(InvalidFile, match="more than 67,108,864 bytes"):
        written(tmp_path, {"tests": [{"vars": {"x": "file://big.txt"}}] * 40})


@every_row("kind", ["equals", "is-json"])
def test_a_value_nested_too_deeply_for_a_golden_case_is_refused(tmp_path: Path, kind: str) -> None:
    def config(levels: int) -> dict[str, Any]:
        value: Any = 1
        for _ in range(levels):
            value = {"a": value}
        return {"tests": [{"assert": [{"type": kind, "value": value}]}]}

    for levels in (196, 700):
        for name in ("c.json", "c.yaml"):  # JSON is YAML too
            (tmp_path / name).write_text(json.dumps(config(levels)))
            with pytest.raises(InvalidFile, match="nested too deeply"):
                read_promptfoo(tmp_path / name, PromptFiles(WorkTree(tmp_path)))
    drafts, _ = written(tmp_path, config(195))
    assert not drafts.cases[0].not_imported


PLACES: list[Any] = [
    {"tests": "file://{0}.csv"},
    {"tests": ["{0}.yaml"]},
    {"tests": ["{0}*.yaml"]},
    {"tests": [{"vars": "{0}.yaml"}]},
    {"tests": [{"vars": {"x": "file://{0}.txt"}}]},
    {"tests": [{"vars": {"x": ["file://{0}.txt", "b"]}}]},
    {"tests": [{"assert": [{"type": "equals", "value": "file://{0}.json"}]}]},
    {"tests": [{}], "prompts": ["file://{0}.txt"]},
    {"tests": [{}], "prompts": [{"id": "file://{0}.json", "label": "x"}]},
    {"tests": [{}], "prompts": ["file://{0}*.txt"]},
    {"tests": [{}], "defaultTest": "file://{0}.yaml"},
    {"tests": [{}], "defaultTest": {"vars": "file://{0}.yaml"}},
]


@every_row("place", PLACES)
@every_row("way", ["../outside/creds", "{root}/outside/creds", "./sub/../../outside/creds", "link", "sub/creds"])
def test_files_outside_the_folder_are_refused_by_name(tmp_path: Path, place: Any, way: str) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "sub").symlink_to(outside)
    for ending, text in {
        "txt": "s3cret",
        "json": '{"a": "s3cret"}',
        "yaml": "{vars: {a: s3cret}}",
        "csv": "a\ns3cret\n",
    }.items():
        (outside / f"creds.{ending}").write_text(text)
        (inside / f"link.{ending}").symlink_to(outside / f"creds.{ending}")
    text = json.dumps(place).replace("{0}", way.replace("{root}", str(tmp_path)))
    with pytest.raises(InvalidFile, match="outside the configuration's folder") as caught:
        written(inside, json.loads(text))
    assert Path(way).name.format(root="") in caught.value.where


def test_files_inside_the_folder_may_be_links_and_the_configuration_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    (tmp_path / "x").mkdir()
    names = ["b.txt", "./a.txt", "x/../a.txt", str(tmp_path / "a.txt")]
    drafts, _ = written(tmp_path, {"tests": [{"vars": {"x": [f"file://{name}" for name in names]}}]})
    assert inputs(drafts) == [{"x": "text"}] * 4
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/c.json").symlink_to(tmp_path / "c.json")
    (tmp_path / "elsewhere/a.txt").write_text("own")
    (tmp_path / "c.json").write_text(json.dumps({"tests": [{"vars": {"x": "file://a.txt"}}]}))
    assert inputs(read_promptfoo(tmp_path / "elsewhere/c.json", PromptFiles(WorkTree(tmp_path)))) == [{"x": "own"}]


@every_row("address", ["file://a\0.txt", "file://**.txt", "file://*\0.txt", "file://" + "a" * 5000 + ".txt"])
def test_a_name_that_no_file_can_have_is_a_message(tmp_path: Path, address: str) -> None:
    with pytest.raises(Row3Error):
        written(tmp_path, {"tests": [{"vars": {"x": address}}]})


@every_row(
    "config",
    [
        {"prompts": ["file://gone.txt"]},
        {"prompts": ["file://gone"]},
        {"tests": "gone.yaml"},
        {"tests": [{"vars": {"x": "file://gone.json"}}]},
        {"defaultTest": "file://gone.yaml"},
    ],
)
def test_a_missing_file_names_the_configuration(tmp_path: Path, config: dict[str, Any]) -> None:
    with pytest.raises(InvalidFile, match="does not exist") as caught:
        written(tmp_path, config)
    assert Path(caught.value.where).name.startswith("gone")
    assert caught.value.fix.startswith(f"Create it, or correct the name in {tmp_path}")


def test_a_file_without_an_ending_is_text(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("Say {{ x }}")
    with pytest.raises(InvalidFile, match="outside the configuration's folder"):
        written(tmp_path, {"prompts": ["file://../../../../../../../../etc/passwd"]})
    config = {"prompts": ["file://plain", "{{ x | dump }}"], "tests": [{"vars": {"x": "file://plain"}}]}
    drafts, _ = written(tmp_path, config)
    assert (drafts.prompts, inputs(drafts)) == (["plain"], [{"x": "Say {{ x }}"}])
    assert [each.why for each in drafts.not_imported] == ["the template cannot be read: No filter named 'dump'"]


def test_a_program_elsewhere_is_only_listed(tmp_path: Path) -> None:
    test = {"vars": {"x": "file://../load.py"}, "assert": [{"type": "python", "value": "file://../check.py"}]}
    drafts, _ = written(tmp_path, {"prompts": ["file://../prompt.js"], "tests": [test]})
    assert [each.why for each in drafts.not_imported] == ["is a program, not text"]
    assert [kind for kind, *_ in drafts.cases[0].not_imported] == ["vars", "python"]


@every_row(
    ("name", "why"),
    [
        ("a.png", 'is a picture or PDF: write {"file": PATH} with its path in the project'),
        ("a.PDF", 'is a picture or PDF: write {"file": PATH} with its path in the project'),
        ("a.mp3", "is not a text file"),
        ("a.py", "is not a text file"),
    ],
)
def test_a_variable_s_file_that_is_no_text_is_told_as_what_it_is(tmp_path: Path, name: str, why: str) -> None:
    drafts, _ = written(tmp_path, {"tests": [{"vars": {"x": f"file://{name}"}}]})
    assert drafts.cases[0].not_imported == [("vars", {"x": f"file://{name}"}, why)]


CHAT = [{"role": "system", "content": "Speak {{ language }}."}, {"role": "user", "content": 'Say "{{ text }}"\nnow'}]
AS_YAML = (
    '- role: system\n  content: Speak {{ language }}.\n- role: user\n  content: |\n    Say "{{ text }}"\n    now\n'
)


@every_row(
    "prompt",
    [
        *(json.dumps(CHAT), json.dumps(CHAT, indent=2) + "\n", AS_YAML, CHAT),
        *({"id": "talk", "raw": json.dumps(CHAT)}, {"raw": CHAT}),
        *("file://talk.json", "file://talk.yaml", "talk.txt"),
    ],
)
def test_messages_are_system_and_user_however_they_are_written(tmp_path: Path, prompt: Any) -> None:
    (tmp_path / "talk.json").write_text(json.dumps(CHAT))
    (tmp_path / "talk.yaml").write_text(AS_YAML)
    (tmp_path / "talk.txt").write_text(json.dumps(CHAT, indent=1))
    drafts, files = written(tmp_path, {"prompts": [prompt], "tests": [{}]})
    name = f"prompts/{'talk' if 'talk' in str(prompt) else 'say-now'}-v1.0.md"
    assert (drafts.not_imported, [*files]) == ([], [name])
    assert shown(files[name], name, {"language": "French", "text": "Hi"}) == 'Speak French.\nSay "Hi"\nnow'


def message(**more: Any) -> dict[str, Any]:
    return {"role": "user", "content": "Hi"} | more


@every_row(
    ("prompt", "why"),
    [
        ([message(role="assistant"), message()], "an assistant message first"),
        ([message(role="system"), message(role="assistant"), message()], "an assistant message first"),
        ([message(role="system")], "no user message"),
        ([message(content=" ")], "no user message"),
        ([message(), message(role="tool")], "the role tool; row3 knows system, user, assistant"),
        ([message(tool_calls=[{"id": "a"}])], "`tool_calls` of a message"),
        ([message(content=[{"type": "text", "text": "x"}, {"type": "image_url"}])], "not text (text, image_url)"),
        ([message(content=None)], "not text (nothing)"),
        (["a", "b"], "neither a text nor a list of messages"),
        ('[{"role": "user", "content": {{ text }}}]', "neither JSON nor YAML"),
        ('[{% for m in all %}{"role": "user", "content": "x"}{% endfor %}]', "neither JSON nor YAML"),
        ("- role: user\n  content: {{ text }}\n", "neither JSON nor YAML|not text"),
    ],
)
def test_messages_that_a_prompt_cannot_have_are_named(tmp_path: Path, prompt: Any, why: str) -> None:
    text = prompt if isinstance(prompt, str) else json.dumps(prompt)
    drafts, files = written(tmp_path, {"prompts": [text], "tests": [{}]})
    assert (drafts.prompts, files) == ([], {})
    (left_out,) = drafts.not_imported
    assert left_out.value == text and any(each in left_out.why for each in why.split("|"))


TALK = [
    {"role": "developer", "content": "Speak {{ language }}."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": [{"type": "text", "text": "Salut"}, {"type": "text", "text": "toi"}]},
    {"role": "user", "content": 'Say "{{ input }}"'},
]
TALK_AS_YAML = """
- content: Speak {{ language }}.
  role: developer
- {role: user, content: Hi}
- "role": assistant
  content: |-
    Salut
    toi
- role: 'user'
  content: 'Say "{{ input }}"'
"""


@pytest.mark.parametrize(
    ("settings", "unknown"),
    [
        ({"model": "m", "temperature": 0, "top_p": 0.5, "stop": ["a: b"], "reasoning_effort": "low"}, set()),
        ({"model": "m", "stream": True, "temperature": 9}, {("stream", True), ("temperature", 9)}),
    ],
)
def test_an_openai_request_is_imported_with_its_parameters(
    tmp_path: Path, settings: dict[str, Any], unknown: set[tuple[str, Any]]
) -> None:
    request = {"messages": [message(content="{{ q }}")], **settings}
    drafts, files = written(tmp_path, {"prompts": [json.dumps(request)], "tests": [{}]})
    ((name, text),) = files.items()
    ref = parse_reference(name.removeprefix("prompts/"))
    assert ref is not None
    known = {
        key: value for key, value in settings.items() if (key, str(value)) not in {(k, str(v)) for k, v in unknown}
    }
    assert parse_prompt(text, ref, path=name, where=name).parameters == known
    assert {(each.type, each.value) for each in drafts.not_imported} == unknown


@pytest.mark.parametrize("value", ["{{ text | dump }}", "{{text|dump}}", "{{- text | dump -}}"])
def test_a_variable_written_as_json_is_a_text_of_the_message(tmp_path: Path, value: str) -> None:
    prompt = f'[{{"role": "user", "content": {value}, "tool_calls": [], "name": null}}]'
    drafts, files = written(tmp_path, {"prompts": [prompt], "tests": [{}]})
    ((name, text),) = files.items()
    assert (drafts.not_imported, shown(text, name, {"text": 'Say "a"\n'})) == ([], 'Say "a"')


@pytest.mark.parametrize(
    "prompt",
    [
        *(json.dumps(TALK), TALK_AS_YAML, TALK, {"raw": TALK}, "file://talk.yaml", "file://talk.json"),
        *(json.dumps({"messages": TALK}), {"label": "talk", "raw": {"messages": TALK}}, "file://body.json"),
        "messages:" + TALK_AS_YAML,
    ],
    ids=str,
)
def test_a_chat_of_several_turns_is_imported_as_its_messages(tmp_path: Path, prompt: Any) -> None:
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    (tmp_path / "body.json").write_text(json.dumps({"messages": TALK}, indent=1))
    (tmp_path / "talk.yaml").write_text(TALK_AS_YAML)
    drafts, files = written(tmp_path, {"prompts": [prompt], "tests": [{}]})
    ((name, text),) = files.items()
    ref = parse_reference(name.removeprefix("prompts/"))
    assert drafts.not_imported == [] and ref is not None
    variables = ChecksCase(id="x", input={"language": "French", "input": "Bye"}).variables()
    messages = render(parse_prompt(text, ref, path=name, where=name), variables)
    assert [(each.role, each.text) for each in messages] == [
        ("system", "Speak French."),
        ("user", "Hi"),
        ("assistant", "Salut\ntoi"),
        ("user", 'Say "Bye"'),
    ]


@every_row(
    "text",
    [
        "[INST] {{ q }} [/INST]", "{{ q }}", '{{ q }} Answer with {"role": "…"}', "- role play\n- be brief",
        "[1] {{ q }}", "7",
    ],
)  # fmt: skip
def test_a_text_that_only_begins_like_messages_is_a_text(tmp_path: Path, text: str) -> None:
    _, files = written(tmp_path, {"prompts": [text], "tests": [{}]})
    (content,) = files.values()
    assert f"{{% block user %}}\n{text}\n{{% endblock %}}" in content
