"""`row3 report`: which form, into which file, and what it leaves alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, first, flawless
from tests.rows import every_row
from tests.suites import spoil

TOP = "<!doctype html>"


@pytest.mark.parametrize("name", ["report.html", "REPORT.HTML", "report.htm"])
def test_the_ending_of_the_file_chooses_the_page(box: Box, name: str) -> None:
    before = box.tree()
    done = box.row3("report", "--out", name, code=0)
    assert done.out == ""
    page = box.read(name)
    assert page.startswith(TOP)
    assert page.rstrip().endswith("</html>")
    after = box.tree()
    after.pop(name)
    assert after == before  # no history, no baseline, nothing else


def test_other_endings_and_stdout_get_markdown_and_a_format_is_stronger(box: Box) -> None:
    assert box.row3("report", code=0).out.startswith("### ")
    box.row3("report", "--out", "report.txt", code=0)
    assert box.read("report.txt").startswith("### ")
    box.row3("report", "--format", "json", "--out", "report.json", code=0)
    assert box.read("report.json").startswith("{")
    assert box.row3("report", "--format", "html", code=0).out.startswith(TOP)


def test_it_reports_a_block_without_judging(box: Box) -> None:
    box.prompt("1.2")
    box.record("1.2", {case_id: first(flawless(case), 1) for case_id, case in CASES.items()})
    box.row3("report", "--out", "report.html", code=0)
    page = box.read("report.html")
    assert 'class="verdict bad"' in page
    assert "BLOCK" in page
    assert "Concept recall is worse by 50.0 points" in page


def test_an_incomplete_run_is_written_and_exits_3(box: Box) -> None:
    box.prompt("1.2")
    good = {case_id: flawless(case) for case_id, case in CASES.items()}
    good.pop("rye")
    box.record("1.2", good)
    done = box.row3("report", "--out", "report.html", code=3)
    assert " no answer. rye: " in done.errors[0]
    assert "INCOMPLETE · bread · row3</title>" in box.read("report.html")


def test_a_part_of_the_cases_and_another_base(box: Box) -> None:
    box.row3("report", "--case", "r*", "--against", "HEAD", "--out", "report.html", code=0)
    page = box.read("report.html")
    assert 'Cases <span class="count">1</span>' in page
    assert "from git" in page


def test_a_place_that_cannot_be_written_is_refused_and_an_old_report_survives_a_bad_run(box: Box) -> None:
    done = box.row3("report", "--out", "nowhere/report.html", code=2)
    assert "--out nowhere/report.html" in done.err
    box.write("report.html", "the old one")
    box.write("golden/bread/rye.gold.json", "{")
    box.row3("report", "--out", "report.html", code=2)
    assert box.read("report.html") == "the old one"


def test_answers_of_a_live_model_are_shown_and_nothing_is_recorded(
    box: Box, model: Callable[[Callable[[str, int], FakeReply]], FakeModel]
) -> None:
    fake = model(lambda case_id, _: FakeReply(json.dumps(flawless(CASES[case_id]))))
    fake.serve(box)
    before = box.tree()
    box.row3("report", "--mode", "live", "--out", "report.html", code=0, OPENAI_API_KEY="none", VLLM_API_KEY="none")
    page = box.read("report.html")
    assert page.startswith(TOP)
    assert " · live</p>" in page
    assert fake.asked
    after = box.tree()
    after.pop("report.html")
    assert after == before


@every_row("args", [["--compare"], [], ["diff", "baseline", "latest"], ["--compare", "--all"]])
def test_no_other_command_writes_a_table_into_a_page(tiny_promoted: Box, tmp_path: Path, args: list[str]) -> None:
    box = tiny_promoted.copy(tmp_path / "project")
    (error,) = box.row3(*args, "--out", "r.html", code=2).errors
    assert "only `row3 report` writes HTML" in error
    assert "`row3 report --out r.html`" in error
    assert not box.path("r.html").exists()


@every_row("name", ["row3.toml", "metrics-history.json", "golden/bread/rye.gold.json"])
@every_row("command", [("report",), ("--compare",), ("comment", "--dry-run")])
def test_a_file_of_the_project_is_not_written_over(box: Box, name: str, command: tuple[str, ...]) -> None:
    before = box.tree()
    (error,) = box.row3(*command, "--out", name, code=2).errors
    assert error.startswith(f"error: --out {name}: this would overwrite a file of the project")
    assert box.tree() == before


class TestAllSuites:
    @pytest.fixture
    def several(self, suites: Box) -> Box:
        spoil(suites)
        return suites

    def test_a_folder_gets_a_page_of_each_and_an_index(self, several: Box) -> None:
        before = several.tree()
        done = several.row3("report", "--all", "--out", "pages", code=2)  # one of them cannot be used
        assert done.out == ""
        after = several.tree()
        pages = {name for name in after if name.startswith("pages/")}
        assert pages == {f"pages/{name}.html" for name in ("good", "incomplete", "index", "worse")}
        assert {name: text for name, text in after.items() if name not in pages} == before
        index = several.read("pages/index.html")
        assert index.startswith(TOP)
        assert '<a href="worse.html">worse</a>' in index
        assert '<a href="broken.html">' not in index
        assert "not JSON" in index
        assert several.read("pages/worse.html").startswith(TOP)

    def test_elsewhere_it_is_one_text(self, several: Box) -> None:
        text = several.row3("report", "--all", code=2).out
        assert text.startswith("### ")
        assert "| **worse** |" in text
        several.row3("report", "--all", "--out", "all.md", code=2)
        assert several.read("all.md") == text
        shown = several.row3("report", "--all", "--format", "json", code=2).json
        assert [each["suite"] for each in shown["suites"]] == ["broken", "good", "incomplete", "worse"]

    @every_row(
        ("args", "told"),
        [
            (("--out", "all.html"), "Name a folder: --out FOLDER"),
            (("--format", "html"), "Name a folder: --out FOLDER"),
            (("--out", "golden"), "this folder holds the project's own data"),
            (("--out", "nowhere/pages"), "Name a folder: --out FOLDER"),
            (("--suite", "good"), "--suite applies to one suite"),
        ],
    )
    def test_what_it_cannot_do_is_said_first(self, several: Box, args: tuple[str, ...], told: str) -> None:
        before = several.tree()
        assert told in several.row3("report", "--all", *args, code=2).errors[0]
        assert several.tree() == before


def test_it_says_what_it_wrote(box: Box) -> None:
    done = box.row3("report", "--out", "report.html", code=0)
    assert done.err == "note: report.html: report on suite bread\n"
    assert box.row3("report", "--out", "report.html", "--quiet", code=0).err == ""
    assert box.row3("report", code=0).err == ""
