"""Messages name what the user typed, or the file that the value came from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.projects import CASES, Box, flawless, worse
from tests.rows import every_row

NOTED = "metrics-history.json; commit it with the change"


def with_two_suites(box: Box) -> None:
    """A second suite, and a prompt that is in no pipeline but that one's."""
    text = box.read("prompts/extract-v1.1.md").replace("name: extract", "name: other").replace('"1.1"', '"1.0"')
    box.write("prompts/other-v1.0.md", text)
    box.write("golden/rolls/rye.gold.json", box.read("golden/bread/rye.gold.json"))
    more = '[suites.bread]\npipeline = ["extract"]\n[suites.rolls]\npipeline = ["other"]\n'
    box.write("row3.toml", box.read("row3.toml") + more)


@pytest.mark.parametrize(
    ("args", "where"),
    [
        (["--prompt", "other-v1.0"], "--prompt"),
        (["promote", "other-v1.0"], "VERSION"),
        (["diff", "other-v1.0", "extract-v1.1"], "row3 diff"),
        (["diff", "extract-v1.0", "git:HEAD", "--prompt", "other-v1.0"], "row3 diff or --prompt"),
    ],
)
def test_a_prompt_of_another_suite(box: Box, args: list[str], where: str) -> None:
    with_two_suites(box)
    (error,) = box.row3(*args, code=2).errors
    assert error == (
        f"error: {where}: prompt `other` is not in the pipeline of suite `bread`. The pipeline is extract; the prompt "
        "belongs to --suite rolls."
    )


@pytest.mark.parametrize(
    ("args", "where"),
    [
        (["leaderboard", "--prompt", "v9.9"], "--prompt"),
        (["promote", "extra-v1.0"], "VERSION"),
    ],
)
def test_a_version_that_is_not_there(tiny_promoted: Box, args: list[str], where: str) -> None:
    (error,) = tiny_promoted.row3(*args, code=2).errors
    assert error.startswith(f"error: {where}: ")


def test_a_suite_and_a_pipeline_of_row3_toml(box: Box) -> None:
    settings = box.read("row3.toml")
    box.write("row3.toml", settings.replace('suite = "bread"', 'suite = "bred"'))
    assert "error: row3.toml field suite: suite `bred` does not exist. Did you mean `bread`?" in box.row3(code=2).err
    assert "error: golden/: suite `x` does not exist" in box.row3("--suite", "x", code=2).err
    box.write("row3.toml", settings + '[suites.bread]\npipeline = ["extracts"]\n')
    assert "Did you mean `extract`, in the pipeline in row3.toml?" in box.row3(code=2).err


def test_the_aliases_of_another_kind_are_no_fault_of_suite(tmp_path: Path, tiny_promoted: Box) -> None:
    box = tiny_promoted.copy(tmp_path / "project")
    box.write("row3.toml", box.read("row3.toml") + '[suites.bread]\nkind = "events"\n')
    box.write("golden/bread/rye.gold.json", "{}")
    done = box.row3("aliases", "review", "--list", code=2)
    assert done.errors[0].startswith("error: row3 aliases review: suite `bread` is of kind `events`")


class TestOutputsAndResponses:
    def test_each_command_knows_the_files_of_the_other(self, box: Box) -> None:
        output = {"caseId": "rye", "output": flawless(CASES["rye"])}
        response = {"caseId": "rye", "prompt": "extract-v1.1", "response": "{}"}
        box.write("outputs.jsonl", json.dumps(output) + "\n")
        box.write("raw.jsonl", json.dumps(response) + "\n")
        (error,) = box.row3("score", "bread", "--outputs", "raw.jsonl", code=2).errors
        assert error.startswith("error: raw.jsonl:1: the line has a `response`")
        assert "Import it with `row3 recordings import FILE`" in error
        before = box.tree()
        (error,) = box.row3("recordings", "import", "outputs.jsonl", code=2).errors
        assert error.startswith("error: outputs.jsonl:1: the line has an `output`")
        assert "`row3 score bread --outputs FILE` takes lines with an `output`" in error
        assert box.tree() == before

    def test_neither_takes_a_recording(self, box: Box) -> None:
        file = "recordings/bread/extract-v1.1.jsonl"
        for args in (["score", "bread", "--outputs"], ["recordings", "import"]):
            (error,) = box.row3(*args, file, code=2).errors
            assert error.startswith(f"error: {file}:1: the line is a recording of row3.")

    def test_a_misspelt_key_is_told_with_its_line(self, box: Box) -> None:
        lines = [{"caseId": case_id, "output": {"concept": [{"label": "x"}]}} for case_id in CASES]
        box.write("outputs.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        out = " ".join(box.row3("score", "bread", "--outputs", "outputs.jsonl", code=0).out.split())
        said = "the answer does not fit: field `concepts` is missing; found `concept`"
        assert f"outputs.jsonl:3: {said}" in out
        assert "the same: " in out
        found = box.row3("score", "bread", "--outputs", "outputs.jsonl", "--format", "json", code=0).json
        by_id = {case["id"]: case["problem"] for case in found["cases"]}
        assert by_id == {case_id: f"outputs.jsonl:{at}: {said}" for at, case_id in enumerate(CASES, 1)}


class TestTheHistoryIsNoted:
    def test_on_a_table_only(self, box: Box) -> None:
        assert f"note: the comparison was added to {NOTED}\n" in box.row3("--compare", code=0).err
        before = box.read("metrics-history.json")
        for form, version in (("json", "1.0"), ("markdown", "1.1")):
            done = box.row3("--compare", "--prompt", f"extract-v{version}", "--format", form, code=0)
            assert NOTED not in done.err
        assert box.read("metrics-history.json") != before
        after = box.read("metrics-history.json")
        for more in (["--format", "junit"], ["--format", "github"], ["--case", "rye"]):
            assert NOTED not in box.row3("--compare", *more, code=0).err
        assert NOTED not in box.row3("--compare", code=0, CI="true").err
        assert box.read("metrics-history.json") == after

    def test_once_where_an_approval_says_it_already(self, box: Box) -> None:
        worse(box)
        assert NOTED in box.row3("--compare", code=1).err
        done = box.row3("--compare", "--approve", "agreed", code=0)
        assert NOTED not in done.err
        assert "commit metrics-history.json and CHANGELOG.md: they hold the approval" in " ".join(done.out.split())

    def test_for_all_suites(self, suites: Box) -> None:
        assert f"4 comparisons were added to {NOTED}" in suites.row3("--compare", "--all").err
        assert NOTED not in suites.row3("--compare", "--all", "--format", "json").err


@every_row(
    ("args", "told"),
    [
        (["score"], "Missing argument 'SUITE'. See `row3 score --help`."),
        (["history", "rye"], "Got unexpected extra argument (rye). See `row3 history --help`."),
        (["--temperature", "hot"], "'hot' is not a number."),
        (["--max-tokens", "many"], "'many' is not a whole number."),
    ],
)
def test_what_a_command_line_lacks(tiny_promoted: Box, args: list[str], told: str) -> None:
    (error,) = tiny_promoted.row3(*args, code=2).errors
    assert error.endswith(told)
    assert "range" not in error


def test_a_folder_without_a_project_says_what_to_do(box: Box) -> None:
    above = Box(box.root.parent)
    (error,) = above.row3("--compare", code=2).errors
    assert "Run `row3 init`, or name the project with -C" in error
    assert above.row3("-C", "project", code=0).out.startswith("bread · ")
