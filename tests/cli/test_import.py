"""`row3 import`: files of other tools, cases, lint and score; twice, dry, broken, and beside what is there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, FakeReply
from tests.projects import Box
from tests.rows import every_row

DATA = Path(__file__).parents[1] / "data/promptfoo"
CONFIGS = sorted(path.name for path in [*DATA.glob("*.yaml"), DATA / "equals.json"] if path.name != "chat_tests.yaml")


@pytest.fixture
def empty(tmp_path: Path) -> Box:
    box = Box(tmp_path / "project")
    box.write("row3.toml", 'mode = "replay"\n')
    return box


def score(box: Box, suite: str, outputs: dict[str, str]) -> dict[str, bool]:
    """Which cases pass, by the program's own JSON."""
    lines = [json.dumps({"caseId": case_id, "output": output}) for case_id, output in outputs.items()]
    box.write("outputs.jsonl", "\n".join(lines) + "\n")
    done = box.row3("score", suite, "--outputs", "outputs.jsonl", "--format", "json", code=0)
    return {case["id"]: case["metrics"]["casesPassed"] == 1.0 for case in done.json["cases"]}


def test_from_promptfoo_to_a_score(empty: Box) -> None:
    done = empty.row3("import", "promptfoo", str(DATA / "capitals.yaml"), code=0)
    assert done.out.startswith("3 golden cases of suite capitals written, 0 unchanged\n")
    assert done.err == (
        "note: 1 part of the file was not imported: see not-imported.jsonl beside the cases of suite capitals\n"
    )
    assert empty.row3("lint", code=0).out == "5 files checked, nothing found\n"
    right = {
        "france-to-the-letter": "It is Paris.",
        "spain-in-any-case": "MADRID",
        "capitals-003": "The capital of Poland is Warsaw.",
    }
    assert score(empty, "capitals", right) == dict.fromkeys(right, True)
    wrong = {
        "france-to-the-letter": "It is PARIS.",
        "spain-in-any-case": "As a language model I say Madrid.",
        "capitals-003": "Warsaw.",
    }
    assert score(empty, "capitals", wrong) == dict.fromkeys(wrong, False)
    box = empty.path("outputs.jsonl")
    box.write_text(box.read_text("utf-8").split("\n")[0] + "\n", "utf-8")
    assert empty.row3("score", "capitals", "--outputs", "outputs.jsonl").code == 3


def test_an_import_without_a_prompt_says_what_is_next(empty: Box) -> None:
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "{{ q }}"}}]}
    config = {"prompts": [[image]], "tests": [{"vars": {"q": "?"}, "assert": [{"type": "equals", "value": "a"}]}]}
    empty.write("seen.json", json.dumps(config))
    done = empty.row3("import", "promptfoo", "seen.json", code=0)
    assert "no prompt was imported: write prompts/seen-v1.0.md (see `row3 docs prompts`)" in " ".join(done.err.split())
    (error,) = empty.row3("--dry-run", code=2).errors
    assert "Write prompts/<name>-v1.0.md with `output: answer` (see `row3 docs prompts`)" in error
    empty.row3("docs", "prompts", code=0)


@pytest.mark.parametrize("name", CONFIGS)
def test_each_configuration_becomes_a_suite_that_lints(empty: Box, name: str) -> None:
    empty.row3("import", "promptfoo", str(DATA / name), "--suite", "own", code=0)
    empty.write("row3.toml", empty.read("row3.toml") + '[suites.own.matching.semantic]\nmodel = "local"\n')
    found = empty.row3("lint", "--format", "json").json["findings"]
    wanted = {"json.yaml": ["unused-prompt"], "unmapped.yaml": ["no-checks"]}
    assert [each["rule"] for each in found] == wanted.get(name, [])


class Shop(ChatServer):
    """Answers complaints, and grades answers by the rubric's words."""

    def reply_to(self, body: Any) -> FakeReply:
        said = "\n".join(message["content"] for message in body["messages"])
        if body["model"] != "judge-1":
            return FakeReply(f"Sorry about {'a lamp' if 'a lamp' in said else 'nothing'}.")
        return FakeReply(json.dumps({"score": 90 if "blame" in said else 20, "issues": ["i"], "strengths": []}))


def test_prompts_and_rubrics_run_as_they_are(empty: Box) -> None:
    shop = Shop()
    try:
        model = f'[provider]\npreset = "vllm"\nbase_url = "{shop.url}"\nmodel = "m"\n[judge]\nmodel = "judge-1"\n'
        empty.write("row3.toml", model)
        config = (DATA / "graded.yaml").read_text("utf-8")
        empty.write("shop.yaml", config.replace("type: similar", "type: icontains"))
        empty.row3("import", "promptfoo", "shop.yaml", code=0)
        done = empty.row3("--mode", "record", "--format", "json", code=0)
    finally:
        shop.stop()
    assert done.json["prompts"] == {"support-reply": "v1.0"}
    first, second = ({each["label"]: each["score"] for each in case["matches"]["items"]} for case in done.json["cases"])
    assert list(first.values()) == [0.9, 0.2, 0.2, 0.2, 0.0]
    assert list(second.values()) == [0.9, 0.2, 0.0]


def test_twice_is_once(empty: Box) -> None:
    for name in ("graded.yaml", "unmapped.yaml", "table.yaml"):
        empty.row3("import", "promptfoo", str(DATA / name), "--suite", "own", code=0)
    before = empty.tree()
    for name, cases in (("graded.yaml", 2), ("unmapped.yaml", 2), ("table.yaml", 5)):
        done = empty.row3("import", "promptfoo", str(DATA / name), "--suite", "own", code=0)
        assert done.out.startswith(f"0 golden cases of suite own written, {cases} unchanged\n")
    assert empty.tree() == before


def test_a_dry_run_writes_nothing(empty: Box) -> None:
    before = empty.tree()
    done = empty.row3("import", "promptfoo", str(DATA / "graded.yaml"), "--dry-run", code=0)
    assert "2 golden cases of suite graded would be written" in done.out
    assert "prompts/support-reply-v1.0.md would be written" in done.out
    assert empty.tree() == before


def test_a_case_that_was_edited_stays_and_its_new_form_is_kept(empty: Box) -> None:
    empty.write("a.csv", "question,answer\nWhere?,Here\nWho?,Me\n")
    command = ("import", "csv", "a.csv", "--expected", "answer", "--suite", "own")
    empty.row3(*command, "--check", "contains", code=0)
    before = empty.read("golden/own/a-001.gold.json")
    empty.replace("a.csv", "Me", "You")
    done = empty.row3(*command, "--check", "contains", code=0)
    assert done.out.startswith("0 golden cases of suite own written, 1 unchanged\n")
    assert "the project has a different case with this id" in done.out
    assert empty.read("golden/own/a-001.gold.json") == before
    (line,) = map(json.loads, empty.read("golden/own/not-imported.jsonl").splitlines())
    assert (line["schemaVersion"], line["case"], line["type"]) == (1, "a-002", "case")
    assert line["value"]["checks"] == [{"contains": "You"}]


def test_json_lines_keep_their_ids(empty: Box) -> None:
    pairs = '{"id": "one", "input": "1", "expected": 1}\n{"input": {"q": 2}, "expected": 2}\n'
    empty.write("pairs.jsonl", pairs)
    empty.row3("import", "jsonl", "pairs.jsonl", "--check", "number", code=0)
    assert score(empty, "pairs", {"one": "It is 1.", "pairs-002": "three"}) == {"one": True, "pairs-002": False}
    empty.write("pairs.jsonl", pairs + pairs)
    done = empty.row3("import", "jsonl", "pairs.jsonl", code=2)
    assert done.errors == ["error: pairs.jsonl:3: `one` is also the id of pairs.jsonl:1. Give one of them another id."]


@every_row(
    ("name", "content", "message"),
    [
        (
            "x.jsonl",
            '{"input": 1, "expected": 2}\n{"expected": 1}\n',
            "x.jsonl:2: the line is neither a case nor a pair",
        ),
        ("x.jsonl", '{"id": "a b", "input": 1, "expected": 2}\n', "x.jsonl:1: field `id`"),
        ("x.jsonl", '{"schemaVersion": 2, "input": 1, "checks": []}\n', "x.jsonl:1: schemaVersion 2 is newer"),
        ("x.jsonl", '{"input": 1, "checks": [{"contain": "x"}]}\n', "x.jsonl:1: field `checks.0.contain`"),
        ("x.jsonl", '{"input": "\\ud800", "expected": 2}\n', "x.jsonl:1: a text contains a lone surrogate"),
        ("x.csv", "a,__expected\n1,2\n1,2,3\n", "x.csv:3: the row has 3 cells"),
        ("x.csv", "a,b\n1,2\n", "x.csv: the cases expect nothing"),
        ("x.csv", "", "x.csv: the file has no case"),
        ("x.promptfoo", "tests: []", "x.promptfoo: row3 reads only YAML and JSON"),
    ],
)
def test_a_broken_file_is_one_message_and_changes_nothing(empty: Box, name: str, content: str, message: str) -> None:
    empty.write(name, content)
    before = empty.tree()
    done = empty.row3("import", name.partition(".")[2], name, code=2)
    assert [message in line for line in done.errors] == [True]
    assert empty.tree() == before


def test_a_suite_of_another_kind_is_refused(box: Box) -> None:
    done = box.row3("import", "promptfoo", str(DATA / "limits.yaml"), code=2)
    assert "suite `bread` is of kind extraction, not checks" in done.err
    done = box.row3("import", "promptfoo", str(DATA / "limits.yaml"), "--suite", "No", code=2)
    assert "`No` cannot name a suite" in done.err
    assert "--check needs --expected" in box.row3("import", "csv", "x.csv", "--check", "regex", code=2).err


def test_prompts_of_other_text_get_another_name(empty: Box) -> None:
    empty.path("row3.toml").unlink()
    empty.row3("init", "--kind", "checks", code=0)
    for text in ("Say {{ x }}", "Say {{ x }}", "Say {{ x }}!"):
        empty.write("c.json", json.dumps({"prompts": [text], "tests": [{"vars": {"x": text}}]}))
        done = empty.row3("import", "promptfoo", "c.json", "--suite", "checks", code=0)
    assert [path.name for path in sorted(empty.path("prompts").glob("say*"))] == ["say-2-v1.0.md", "say-v1.0.md"]
    assert "promptfoo's prompts are alternatives: name one as `pipeline` of [suites.checks]: say-2" in done.err


def test_a_column_can_be_expected_in_a_part_of_the_answer(empty: Box) -> None:
    empty.write("tickets.csv", "id,ticket,category\nvat,Where is our VAT number?,billing\n")
    expects = ("--expected", "category", "--path", "$.category", "--suite", "tickets")
    empty.row3("import", "csv", "tickets.csv", *expects, code=0)
    case = json.loads(empty.read("golden/tickets/vat.gold.json"))
    assert case["checks"] == [{"equals": "billing", "path": "$.category"}]
    assert score(empty, "tickets", {"vat": '{"category": "billing"}'}) == {"vat": True}
    assert "--path needs --expected" in empty.row3("import", "csv", "tickets.csv", "--path", "$.x", code=2).err


@pytest.mark.parametrize(
    ("name", "text"),
    [("t.csv", "id,ticket\nvat,Where is it?\n"), ("t.jsonl", '{"id": "vat", "input": {"ticket": "?"}}')],
)
def test_the_checks_of_a_suite_need_no_expectations(empty: Box, name: str, text: str) -> None:
    empty.write("row3.toml", 'mode = "replay"\n[suites.own]\nkind = "checks"\n[[suites.own.checks]]\nmax_words = 2\n')
    empty.write(name, text)
    empty.row3("cases", "import", name, "--suite", "own", code=0)
    assert score(empty, "own", {"vat": "In settings."}) == {"vat": True}
    assert score(empty, "own", {"vat": "It is in settings."}) == {"vat": False}
