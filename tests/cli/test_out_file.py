"""--out: the same path on every run, and nothing lost that row3 did not write."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, flawless, worse
from tests.rows import every_row
from tests.suites import spoil

ENDINGS = {"json": "json", "codequality": "json", "markdown": "md", "comment": "md", "junit": "xml", "html": "html"}
ALL = ("table", "json", "markdown", "junit", "github", "codequality")
WRITTEN: dict[tuple[str, ...], tuple[str | None, ...]] = {
    **dict.fromkeys([("--compare",), (), ("--all",), ("score", "bread", "--outputs", "outputs.jsonl")], ALL),
    ("merge", "2"): ALL,
    ("report",): (*ALL, "comment", "html"),
    ("lint",): ("table", "json", "github", "codequality"),
    ("review", "weekly"): ("table", "markdown", "html", "json"),
    **dict.fromkeys(
        [("diff", "v1.0", "v1.1"), ("leaderboard",), ("investigate", "rye")], ("table", "json", "markdown")
    ),
    **dict.fromkeys(
        [
            ("power",), ("flaky",), ("cases",), ("history",), ("recordings", "list"), ("recordings", "verify"),
            ("monitor", "figures"), ("aliases", "review", "--list"), ("--dry-run", "--mode", "live"),
        ],
        ("table", "json"),
    ),
    ("promote", "v1.1", "--dry-run"): ("table",),
    ("comment", "--dry-run"): ("markdown",),
    **dict.fromkeys(
        [("recordings", "prune", "--dry-run"), ("recordings", "import", "raw.jsonl"), ("hook", "status"), ("init",)],
        (None,),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def busy(tiny_promoted: Box, tmp_path_factory: pytest.TempPathFactory) -> Box:
    """A project in which every command has something to say: v1.2 is worse, and there are outputs and responses."""
    box = tiny_promoted.copy(tmp_path_factory.mktemp("busy") / "project")
    worse(box)
    outputs = [{"caseId": case_id, "output": flawless(case)} for case_id, case in CASES.items()]
    box.write("outputs.jsonl", "".join(json.dumps(line) + "\n" for line in outputs))
    raw = {"caseId": "rye", "prompt": "extract-v1.2", "response": json.dumps(flawless(CASES["rye"]))}
    box.write("raw.jsonl", json.dumps(raw) + "\n")
    box.row3("--shard", "1/1", code=0)
    (box.root / "examples").mkdir()
    return box


@pytest.mark.parametrize("command", WRITTEN, ids=" ".join)
def test_the_same_path_is_written_again_and_again(busy: Box, tmp_path: Path, command: tuple[str, ...]) -> None:
    for form in WRITTEN[command]:
        target = tmp_path / f"result.{ENDINGS.get(form or 'table', 'txt')}"
        target.unlink(missing_ok=True)
        flags = [] if form is None or command[0:1] == ("comment",) else ["--format", form]
        codes, texts = [], []
        for _ in range(2):
            done = busy.row3(*command, *flags, "--out", str(target), CI="true", GITHUB_STEP_SUMMARY=str(tmp_path / "s"))
            assert not any("--out" in line for line in done.errors)
            codes.append(done.code)
            texts.append(target.read_text("utf-8"))
        assert codes[0] == codes[1]
        assert codes[0] in ((0, 2) if command == ("lint",) else (0, 1, 3))
        assert all(texts)


def test_so_is_that_of_a_drift(box: Box, model: Callable[..., FakeModel]) -> None:
    model(lambda case_id, _: FakeReply(json.dumps(flawless(CASES[case_id])))).serve(box)
    for scope in ([], ["--all"]):
        for form, name in (("table", f"drift{len(scope)}.txt"), ("json", f"drift{len(scope)}.json")):
            for _ in range(2):
                done = box.row3("drift", *scope, "--format", form, "--out", name)
                assert done.code in (0, 1), done
                assert box.read(name)


@pytest.mark.parametrize("verb", [["--compare"], ["--baseline"], []], ids=" ".join)
def test_so_are_those_of_all_suites_of_which_one_cannot_be_used(suites: Box, verb: list[str]) -> None:
    spoil(suites)
    for form in ALL:
        name = f"all-{form}.{ENDINGS.get(form, 'txt')}"
        for _ in range(2):
            done = suites.row3(*verb, "--all", "--format", form, "--out", name)
            assert not any("--out" in line for line in done.errors), done
            assert suites.read(name)


@pytest.mark.parametrize(
    ("args", "name", "text"),
    [
        (["report"], "README.md", "# Bread\n\nHow we bake, with row3.\n"),
        (["--compare", "--format", "markdown"], "notes.md", "### Monday\n\nrow3 blocked again.\n"),
        (["--compare"], "Makefile", "all:\n\trow3 --compare\n"),
        (["--compare"], "requirements.txt", "row3\npytest\n"),
        (["--compare", "--format", "json"], "package.json", '{"name": "bread"}\n'),
        (["--compare", "--format", "json"], "manifest.json", '{"schemaVersion": 2, "mediaType": "x"}\n'),
        (["lint", "--format", "codequality"], "other.json", '[{"description": "x", "check_name": "ruff/E501"}]\n'),
        (["--compare", "--format", "junit"], "pom.xml", "<project><name>row3</name></project>\n"),
        (["--compare", "--format", "junit"], "py.xml", '<testsuites><testsuite name="pytest"/></testsuites>\n'),
        (["report"], "index.html", "<!doctype html><title>Bread</title>\n"),
        (["history"], ".env", "KEY=1\n"),
        (["aliases", "review", "--list"], "table.txt", "a\tb\n"),
        (["init"], "todo.txt", "  bake\n"),
    ],
)
def test_a_file_of_somebody_else_stays(box: Box, args: list[str], name: str, text: str) -> None:
    box.write(name, text)
    before = box.tree()
    (error,) = box.row3(*args, "--out", name, code=2).errors
    assert error == (
        f"error: --out {name}: row3 did not write this file; writing would overwrite it. "
        "Name another place, or remove it first."
    )
    assert box.tree() == before


def test_a_result_in_another_form_stays_and_an_empty_file_goes(box: Box) -> None:
    box.write("result", "")
    box.row3("--format", "json", "--out", "result", code=0)
    (error,) = box.row3("--out", "result", code=2).errors
    assert "the file was written as json, not as table; writing would overwrite it" in error
    box.write("result", "\n \n")
    box.row3("--out", "result", code=0)
    assert "Concept recall" in box.read("result")


def test_a_live_run_asks_nothing_before_it_refuses(box: Box, model: Callable[..., FakeModel]) -> None:
    fake = model(lambda case_id, _: FakeReply(json.dumps(flawless(CASES[case_id]))))
    fake.serve(box)
    box.write("notes.txt", "mine\n")
    box.row3("--mode", "live", "--out", "notes.txt", code=2)
    assert not fake.asked


@every_row(
    ("args", "name", "says"),
    [
        (["report"], "x.json", ".json is for json or codequality, not markdown. Use --format json or codequality, or"),
        (["report", "--format", "json"], "x.html", ".html is for html, not json."),
        (["--compare"], "x.json", "or a name that ends in .txt or .log"),
        (["--compare", "--format", "junit"], "x.md", ".md is for markdown, not junit."),
        (["init"], "x.json", "this command writes no .json files. Use a name that ends in .txt or .log"),
        (["report", "--all"], "x.json", ".json is for json or codequality, not markdown"),
    ],
)
def test_an_ending_says_which_form(box: Box, args: list[str], name: str, says: str) -> None:
    before = box.tree()
    (error,) = box.row3(*args, "--out", name, code=2).errors
    assert error.startswith(f"error: --out {name}: ")
    assert says in error
    assert box.tree() == before


def test_a_name_whose_ending_promises_nothing_fits_every_form(box: Box) -> None:
    for form, ending in zip(ALL, cycle(("-v1.1", ".out", ".txt", "", ".tmp")), strict=False):
        name = f"result-{form}{ending}"
        box.row3("--format", form, "--out", name, code=0)
        assert box.read(name)


def test_only_plain_files_are_written(box: Box) -> None:
    import os

    os.mkfifo(box.path("pipe"))
    (error,) = box.row3("--out", "pipe", code=2).errors
    assert "cannot write there" in error


def test_charts_schemas_and_pages_spare_files_of_others(box: Box) -> None:
    commands = {
        "bread-trend.svg": ["trend", "--out", "there"],
        "result.schema.json": ["schema", "--out", "there"],
        "index.html": ["report", "--all", "--out", "there"],
    }
    for args in commands.values():
        for _ in range(2):
            box.row3(*args, code=0)
    for name, args in commands.items():
        box.write(f"there/{name}", "mine\n")
        (error,) = box.row3(*args, code=2).errors
        assert f"there/{name}: row3 did not write this file" in error
        assert box.read(f"there/{name}") == "mine\n"


@every_row("folder", ["golden", "golden/bread", "golden/new", "prompts", "recordings", "baselines"])
@every_row("command", ["trend --out", "schema --out"])
def test_no_chart_or_schema_goes_where_row3_reads_its_data(box: Box, command: str, folder: str) -> None:
    before = box.tree()
    (error,) = box.row3(*command.split(), folder, code=2).errors
    assert f"{folder}: this folder holds the project's own data. Name another folder." in error
    assert box.tree() == before
