"""`pytest --row3`, run as a process in real projects."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from importlib.metadata import entry_points

import pytest

from tests.projects import CASES, Box, first, flawless, worse
from tests.pytest_plugin.conftest import Pytest, cases_of, logs


def test_pytest_finds_the_plugin() -> None:
    assert [each.value for each in entry_points(group="pytest11", name="row3")] == ["row3.pytest_plugin"]


def test_each_case_shows_its_score_and_the_gate_its_verdict(in_box: Pytest) -> None:
    done = in_box("golden", "--row3", "-v", code=0, plugins=None)
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert [line.partition("  ")[0].partition(" [")[0] for line in lines if line.startswith("golden/")] == [
        "golden/bread::oven PASSED 85.0% ★ excellent",
        "golden/bread::rye PASSED 85.0% ★ excellent",
        "golden/bread::yeast PASSED 85.0% ★ excellent",
        "golden/bread::gate PASSED ✓ proceed",
    ]
    assert "✓ bread  PROCEED: Overall 85.0% (+6.2 points, n = 3) · 3 improved" in lines
    assert max(len(line) for line in lines if "bread" in line) <= 80


def test_a_draft_is_no_test(box: Box, in_box: Pytest) -> None:
    box.case("salt", draft=True, sourceText="Salt.", expectedConcepts=[])
    assert "golden/bread::salt" not in in_box("golden", "--row3", "-v", code=0).out


def test_a_regression_fails_its_case_and_says_what_was_lost(box: Box, in_box: Pytest) -> None:
    worse(box)
    done = in_box("golden", "--row3", code=1)
    assert "4 failed" in done.out
    rye = done.out[done.out.index(" rye ") :]
    assert "− lost: salt" in rye
    assert "Concept recall" in rye
    assert "row3 investigate rye" in rye
    assert max(len(line) for line in done.out[done.out.index("FAILURES") :].splitlines()) <= 80


def test_the_gate_says_what_row3_compare_says(box: Box, in_box: Pytest) -> None:
    worse(box)
    compared = box.row3("--compare", "--format", "json", code=1, CI="true").json
    out = " ".join(in_box("golden", "--row3", "-m", "row3_gate", code=1).out.split())
    assert compared["verdict"] == "block"
    assert "BLOCK: Overall" in out
    assert f"✗ block: {compared['reasons'][0]['text']}" in out


def test_nothing_tracked_is_written(box: Box, in_box: Pytest) -> None:
    worse(box)
    box.commit("worse")
    in_box("golden", "--row3", "-q", code=1)
    assert box.git("status", "--porcelain").out == ""
    assert len(logs(box)) == 1


def test_processes_share_one_run(box: Box, in_box: Pytest) -> None:
    worse(box)
    junit = box.root.parent / "junit.xml"
    done = in_box("golden", "--row3", "-n", "2", "--junitxml", str(junit), code=1, plugins=["xdist"])
    assert "4 failed" in done.out
    assert "✗ bread  BLOCK" in done.out
    assert len(logs(box)) == 1
    cases = cases_of(junit)
    assert {case.get("classname") for case in cases.values()} == {"golden.bread"}
    said = {each.get("name"): each.get("value") for each in cases["rye"].iter("property")}
    assert float(str(said["row3_score"])) == pytest.approx(0.725)
    assert float(str(said["row3_delta"])) == pytest.approx(-0.0625)
    assert (said["row3_zone"], said["row3_shown"]) == ("marginal", "72.5% ! marginal")
    assert "− lost:" in str(cases["rye"].find("failure").text)  # type: ignore[union-attr]


def test_k_runs_a_part_and_x_stops(box: Box, in_box: Pytest) -> None:
    worse(box)
    out = in_box("golden", "--row3", "-k", "rye", code=1).out
    assert "1 failed, 3 deselected" in out
    log = json.loads((box.root / ".row3/runs" / logs(box)[0]).read_text())
    assert [case["id"] for case in log["cases"]] == ["rye"]
    assert "1 failed" in (stopped := in_box("golden", "--row3", "-x", code=1).out)
    assert "stopping after 1 failures" in stopped
    box.case("oven", tags=["heat"])
    assert "1 failed, 3 deselected" in in_box("golden", "--row3", "-k", "heat", code=1).out


def test_a_printed_name_runs_that_test(box: Box, in_box: Pytest) -> None:
    worse(box)
    for name in ("golden/bread::rye", "golden/bread::gate"):
        out = in_box(name, "--row3", code=1).out
        assert f"FAILED {name}" in out
        assert "1 failed in" in out
    both = in_box("golden/bread::gate", "golden/bread/rye.gold.json", "golden/bread/oven.gold.json", "--row3", code=1)
    assert "3 failed in" in both.out
    assert "there is no golden case `barley`" in in_box("golden/bread::barley", "--row3", code=4).err


def test_a_test_that_is_named_twice_runs_once(in_box: Pytest) -> None:
    assert "2 passed" in in_box("golden/bread::rye", "golden/bread::oven", "golden/bread/rye.gold.json", "--row3").out


def test_without_the_flag_it_collects_and_loads_nothing(box: Box, in_box: Pytest) -> None:
    assert "no tests ran" in in_box("golden", code=5).out
    box.write("test_own.py", "def test_one(): pass\n")
    code = (
        "import pytest, sys; pytest.main(['-q', '-p', 'no:cacheprovider']);"
        "print(sorted(n for n in sys.modules if n.partition('.')[0] in ('row3', 'pydantic', 'click')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=box.root, env=box.env, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "['row3', 'row3.pytest_plugin']"


class TestWithoutAVerdict:
    def test_no_baseline_is_an_error_of_the_gate_alone(self, box: Box, in_box: Pytest) -> None:
        box.path("baselines/bread.json").unlink()
        done = in_box("golden", "--row3", code=1)
        assert "3 passed, 1 error" in done.out
        assert "Save one with `row3 --baseline`" in " ".join(done.out.split())

    def test_no_answer_is_an_error_and_no_failure(self, box: Box, in_box: Pytest) -> None:
        box.case("rye", sourceText="Rye is a cereal. Salt slows the proofing of any dough.")
        junit = box.root.parent / "junit.xml"
        done = in_box("golden", "--row3", "--junitxml", str(junit), code=1)
        assert "2 passed, 2 errors" in done.out
        assert "no answer: extract-v1.1: no recording" in " ".join(done.out.split())
        cases = cases_of(junit)
        assert {name for name, case in cases.items() if case.find("error") is not None} == {"rye", "gate"}

    def test_a_bad_answer_fails_and_shows_how_it_begins(self, box: Box, in_box: Pytest) -> None:
        box.prompt("1.2")
        answers = {case_id: flawless(case) for case_id, case in CASES.items()}
        box.record("1.2", answers | {"rye": "I would rather <b>not</b>."})
        done = in_box("golden/bread::rye", "--row3", code=1)
        assert "bad answer: " in done.out
        assert "I would rather <b>not</b>." in done.out

    def test_an_unusable_file_is_one_message(self, box: Box, in_box: Pytest) -> None:
        box.write("golden/bread/rye.gold.json", '{"id": "rye"')
        assert "golden/bread/rye.gold.json:1:13: not JSON" in in_box("golden", "--row3", code=2).out
        box.write("row3.toml", "modus = 'replay'\n")
        assert "`modus`" in in_box("golden", "--row3", code=2).out

    def test_a_baseline_that_cannot_be_read_is_an_error_of_every_test(self, box: Box, in_box: Pytest) -> None:
        box.write("baselines/bread.json", "{")
        done = in_box("golden", "--row3", code=1)
        assert "4 errors" in done.out
        assert "baselines/bread.json" in done.out


class TestWhatCounts:
    def test_an_informational_gate_fails_nothing(self, box: Box, in_box: Pytest) -> None:
        worse(box)
        box.write("row3.toml", box.read("row3.toml") + "[suites.bread.gate]\ninformational = true\n")
        assert "4 passed" in in_box("golden", "--row3", code=0).out

    def test_what_was_approved_passes_with_a_note(self, box: Box, in_box: Pytest) -> None:
        worse(box)
        box.row3("--compare", "--approve", "Short answers are wanted", code=0)
        done = in_box("golden", "--row3", code=0)
        assert "4 passed" in done.out
        assert "✓ bread  APPROVED (was: block): " in done.out
        said = " ".join(done.out.split())
        assert "approved by Zoë Tester <zoe@example.org>, " in said
        assert "UTC: Short answers are wanted" in said

    def test_a_case_in_quarantine_is_skipped(self, box: Box, in_box: Pytest) -> None:
        worse(box)
        for name in ("oven-two", "oven-three"):  # no more than one in five may be in quarantine
            box.case(name, **CASES["oven"])
        today = datetime.now(UTC).date()
        until = str(today + timedelta(days=20))
        entry = {"case": "rye", "since": str(today), "until": until, "reason": "it wavers"}
        box.write("golden/bread/quarantine.json", json.dumps({"schemaVersion": 1, "cases": [entry]}))
        done = in_box("golden", "--row3", "-rs", "-v")
        assert "golden/bread::rye SKIPPED" in done.out
        assert f"in quarantine until {until}, not counted: it wavers" in " ".join(done.out.split())

    def test_a_critical_case_fails_by_its_own_limit(self, box: Box, in_box: Pytest) -> None:
        box.write("row3.toml", box.read("row3.toml") + '[suites.bread.gate]\nblock = 50\nfail = "overall:2"\n')
        box.case("rye", critical=True)
        box.row3("--baseline", code=0)
        box.prompt("1.2")
        answers = {case_id: flawless(case) for case_id, case in CASES.items()}
        box.record("1.2", answers | {"rye": first(flawless(CASES["rye"]), 2)})
        done = in_box("golden", "--row3", code=1)
        assert "FAILED golden/bread::rye - regressed" in done.out
        assert "a critical case broke or fell beyond the limit: rye" in " ".join(done.out.split())

    def test_a_named_base_judges(self, box: Box, in_box: Pytest) -> None:
        worse(box)
        box.row3("--baseline", code=0)
        box.path("golden/bread/oven.gold.json").unlink()
        box.commit("a looser gate")
        done = in_box("golden", "--row3", "--row3-against", "HEAD~1", code=1)
        assert "1 golden case was removed: oven" in " ".join(done.out.split())

    def test_an_option_error_is_reported(self, box: Box, in_box: Pytest) -> None:
        out = " ".join(in_box("golden", "--row3", "--row3-prompt", "extract-v9.9", code=1).out.split())
        assert "--prompt: `extract-v9.9` does not exist" in out
        out = " ".join(in_box("golden", "--row3", "--row3-mode", "live", "--row3-against", "HEAD", code=1).out.split())
        assert "--mode: --against judges recorded answers. Use --mode replay, record or auto." in out

    def test_a_different_version_can_be_named(self, in_box: Pytest) -> None:
        out = in_box("golden", "--row3", "--row3-prompt", "extract-v1.0", code=0).out
        assert "✓ bread  PROCEED: Overall 78.8% (0.0 points, n = 3) · 3 unchanged" in out


def test_suites_may_share_a_nested_folder_with_subfolders(box: Box, in_box: Pytest) -> None:
    box.path("golden/all").mkdir()
    os.rename(box.path("golden/bread"), box.path("golden/all/bread"))
    box.case("oven-two", **CASES["oven"])
    box.path("golden/all/bread/more").mkdir()
    os.rename(box.path("golden/bread/oven-two.gold.json"), box.path("golden/all/bread/more/oven-two.gold.json"))
    box.path("golden/bread").rmdir()
    settings = "".join(f'[suites.{name}]\ngolden = "all/bread"\n' for name in ("bread", "rolls"))
    box.write("row3.toml", box.read("row3.toml") + settings)
    out = in_box("golden", "--row3", "-v", code=1).out
    assert "golden/all/bread::rye[bread] PASSED 85.0%" in out
    assert "golden/all/bread::gate[bread] PASSED ✓ proceed" in out
    assert "golden/all/bread::gate[rolls] ERROR" in out  # it has neither recordings nor a baseline
    assert "golden/all/bread/more::oven-two[bread] " in out
    named = "golden/all/bread::rye[bread]", "golden/all/bread::gate[bread]", "golden/all/bread/more/oven-two.gold.json"
    listed = in_box(*named, "--row3", "--collect-only", "-q", code=0).out.splitlines()
    assert sorted(line for line in listed if "::" in line) == [
        "golden/all/bread/more::oven-two[bread]",
        "golden/all/bread/more::oven-two[rolls]",
        "golden/all/bread::gate[bread]",
        "golden/all/bread::rye[bread]",
    ]
