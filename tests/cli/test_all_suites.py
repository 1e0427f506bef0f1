"""`--all`: every suite in one command, one result, one exit code."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, Done, first, flawless
from tests.rows import every_row
from tests.suites import GENERAL, SUITES, record, several, spoil

TOLD = """
[suites.told]
kind = "retrieval"

[suites.told.provider]
type = "python"
version = "1.0"
callable = "teller:tell"
arguments = { query = "{query}" }
"""


@pytest.fixture
def box(suites: Box) -> Box:
    return suites


@pytest.fixture
def spoilt(box: Box) -> Box:
    """One suite is better, one worse, one broken, one incomplete."""
    spoil(box)
    return box


def rows(done: Done) -> dict[str, list[str]]:
    """The words of each suite's line in the summary."""
    table = done.out.split("\n\n")[0].splitlines()[3:]
    return {line.split()[0]: line.split()[1:] for line in table}


def mend(box: Box) -> None:
    """The worse suite's candidate does as well as what came before."""
    record(box, "worse", "1.1", {case_id: flawless(case) for case_id, case in CASES.items()})


def test_one_line_a_suite_and_the_details_of_those_that_block(box: Box) -> None:
    done = box.row3("--compare", "--all", code=1)
    said = rows(done)
    assert said["good"][:3] == ["Overall", "85.0%", "+6.2"]
    assert {suite: words[-1] for suite, words in said.items()} == dict.fromkeys(SUITES, "proceed") | {"worse": "block"}
    assert "\nworse\nfind-worse v1.1 " in done.out
    assert "\nfind-good v1.1 " not in done.out
    assert "row3 investigate --suite worse oven" in done.out
    assert done.out.startswith("✗ BLOCK · row3 · 4 suites: 1 block · 3 proceed\n")


def test_nothing_blocks(box: Box) -> None:
    mend(box)
    done = box.row3("--compare", "--all", code=0)
    assert done.out.startswith("✓ PROCEED · row3 · 4 suites: 4 proceed\n")
    assert "\nfind-" not in done.out


def test_a_suite_that_cannot_be_used_hides_no_other(spoilt: Box) -> None:
    done = spoilt.row3("--compare", "--all", code=2)
    assert {suite: words[-1] for suite, words in rows(done).items()} == {
        "broken": "unusable", "good": "proceed", "incomplete": "incomplete", "worse": "block",
    }  # fmt: skip
    assert "golden/broken/rye.gold.json:1:2: not JSON" in done.out
    assert "oven: find-incomplete-v1.1: no recording" in " ".join(done.out.split())


def test_the_worst_exit_code_counts(spoilt: Box) -> None:
    spoilt.git("checkout", "-q", "golden/broken")
    assert "BLOCK" in spoilt.row3("--compare", "--all", code=1).out  # a block before an incomplete run
    mend(spoilt)
    done = spoilt.row3("--compare", "--all", code=3)
    assert done.out.startswith("? INCOMPLETE · row3 · 4 suites: 1 incomplete · 3 proceed\n")


def test_one_json_document(spoilt: Box) -> None:
    value = spoilt.row3("--compare", "--all", "--format", "json", code=2).json
    assert (value["schemaVersion"], value["verdict"], value["exitCode"]) == (2, "block", 2)
    assert [each["suite"] for each in value["suites"]] == list(SUITES)
    assert value["suites"][0]["problem"].startswith("golden/broken/rye.gold.json:1:2")
    good = value["suites"][1]
    alone = spoilt.row3("--compare", "--suite", "good", "--format", "json", code=0).json
    kept = ("metrics", "deltas", "intervals", "verdict", "reasons", "cases")
    assert {key: good[key] for key in kept} == {key: alone[key] for key in kept}
    assert value["standings"]["worse"] == "block"


def test_the_history_gets_all_suites_as_one_change(box: Box) -> None:
    before = len(box.history())
    box.row3("--compare", "--all", code=1)
    added = box.history()[before:]
    assert [(entry["suite"], entry["action"]) for entry in added] == [(suite, "compare") for suite in SUITES]
    box.row3("--compare", "--all", code=1, CI="true")
    assert len(box.history()) == before + 4


def test_a_broken_history_is_told_once(box: Box) -> None:
    box.write("metrics-history.json", "[")
    done = box.row3("--compare", "--all", code=2)
    assert done.errors == ["error: metrics-history.json: the array has no end. Restore the file from git."]
    assert done.out == ""


def test_a_run_of_all_suites_judges_nothing(box: Box) -> None:
    done = box.row3("--all", code=0)
    assert "verdict" not in done.out
    value = box.row3("--all", "--format", "json", code=0).json
    assert value["verdict"] is None
    assert [each["metrics"]["overall"] for each in value["suites"]] == pytest.approx([0.85, 0.85, 0.85, 0.725])


def test_baselines_of_all_suites(tmp_path: Path) -> None:
    box = several(tmp_path / "project")
    box.init()
    spoil(box)
    box.path("prompts/find-incomplete-v1.1.md").unlink()
    done = box.row3("--baseline", "--all", code=2)
    saved = sorted(path.stem for path in box.path("baselines").glob("*.json"))
    assert saved == ["good", "incomplete", "worse"]
    assert "baselines saved: baselines/good.json, baselines/incomplete.json, baselines/worse.json" in done.err


def test_a_prompt_runs_in_the_suites_that_have_it(box: Box) -> None:
    value = box.row3("--compare", "--all", "--prompt", "find-worse-v1.0", "--format", "json", code=0).json
    prompts = {each["suite"]: each["prompts"] for each in value["suites"]}
    assert prompts["worse"] == {"find-worse": "v1.0"}
    assert prompts["good"] == {"find-good": "v1.1"}
    done = box.row3("--compare", "--all", "--prompt", "find-god-v1.0", code=2)
    assert "`find-god-v1.0` is not in any suite's pipeline" in done.err


def test_a_suite_without_prompts_is_passed_by_a_prompt_that_is_named(box: Box) -> None:
    box.write(
        "row3.toml",
        box.read("row3.toml")
        + '\n[suites.asked.provider]\ntype = "command"\nversion = "1.0"\ncommand = "python"\nargs = ["system.py"]\n',
    )
    for case_id in CASES:
        box.write(f"golden/asked/{case_id}.gold.json", box.read(f"golden/good/{case_id}.gold.json"))
    box.write("system.py", 'print(\'{"concepts": [], "relationships": []}\')')
    box.row3("--suite", "asked", "--mode", "record", "--baseline", code=0)
    value = box.row3("--compare", "--all", "--prompt", "find-worse-v1.0", "--format", "json", code=0).json
    assert {each["suite"]: each["prompts"] for each in value["suites"]}["asked"] == {"python-system-py": "v1.0"}
    assert "NOT JUDGED" not in box.row3("comment", "--prompt", "find-worse-v1.0", "--dry-run", code=0).out
    done = box.row3("comment", "--prompt", "find-god-v1.0", "--dry-run", code=2)
    assert "`find-god-v1.0` is not in any suite's pipeline" in done.err
    done = box.row3("leaderboard", "--suite", "asked", code=2)
    assert "it has no models and prompts to rank" in done.err
    box.write("system.py", 'print("no answer of mine")')
    box.row3("--suite", "asked", "--mode", "record")
    # The answers of the baseline are gone, so nothing compares.
    found = box.row3("--suite", "asked", "--compare", "--format", "codequality", code=1).json
    assert found[0]["location"]["path"] == "row3.toml"


def test_annotations_stand_at_the_file_of_a_case_as_the_repository_calls_it(tmp_path: Path) -> None:
    whole = Box(tmp_path / "repository")
    box = several(whole.root / "evaluation")
    for suite in SUITES[1:]:
        shutil.rmtree(box.path(f"golden/{suite}"))
    box.path("golden/all").mkdir()
    box.path("golden/broken").rename(box.path("golden/all/cases"))
    box.write("row3.toml", GENERAL + '\n[suites.broken]\ngolden = "all/cases"\npipeline = ["find-broken"]\n')
    box.path("prompts/find-broken-v1.0.md").unlink()
    box.row3("--baseline", code=0)
    box.write("golden/all/cases/deep/rye.gold.json", box.read("golden/all/cases/rye.gold.json"))
    box.path("golden/all/cases/rye.gold.json").unlink()
    record(box, "broken", "1.1", {"rye": "nonsense"})
    whole.write("README.md", "the project is a folder of the repository")
    whole.init()
    for scope in ((), ("--all",)):
        said = box.row3("--compare", *scope, "--format", "github", code=0).out
        assert "file=evaluation/golden/all/cases/deep/rye.gold.json," in said
        found = box.row3("--compare", *scope, "--format", "codequality", code=0).json
        assert "evaluation/golden/all/cases/deep/rye.gold.json" in {each["location"]["path"] for each in found}
    box.write("golden/all/cases/deep/rye.gold.json", "{")
    assert "file=evaluation/golden/all/cases/deep/rye.gold.json," in box.row3("lint", "--format", "github", code=2).out


@every_row(
    "options",
    [("--suite", "good"), ("--case", "rye"), ("--approve", "why"), ("--only", "failing"), ("--dry-run",)],
)
def test_what_is_for_one_suite_does_not_go_with_all(box: Box, options: tuple[str, ...]) -> None:
    done = box.row3("--compare", "--all", *options, code=2)
    assert options[0] in done.err
    assert "leave out --all" in done.err


class TestLive:
    @pytest.fixture
    def asked(self, box: Box) -> Iterator[list[str]]:
        """What the provider of all suites was asked; it finds everything."""
        fake = FakeModel(lambda case_id, _: FakeReply(json.dumps(flawless(CASES[case_id]))))
        served = f'model = "baker-1"\npreset = "vllm"\nbase_url = "{fake.url}"\n'
        prices = '\n[prices."baker-1"]\ninput = 1\noutput = 1\n'
        box.replace("row3.toml", 'model = "baker-1"\n', served + prices)
        yield fake.asked
        fake.stop()

    def test_the_live_tier_of_every_suite(self, box: Box, asked: list[str]) -> None:
        done = box.row3("--baseline", "--all", "--mode", "live", code=0)
        assert "baselines saved: baselines/broken.live.json, baselines/good.live.json" in done.err
        value = box.row3("--compare", "--all", "--mode", "live", "--format", "json", code=0).json
        assert [each["baseline"]["tier"] for each in value["suites"]] == ["live"] * 4
        assert len(asked) == 12 + 24

    def test_all_suites_share_what_may_be_spent(self, box: Box, asked: list[str]) -> None:
        cost = 150 / 1e6
        done = box.row3("--all", "--mode", "live", "--max-cost", f"{7.5 * cost:g}", "--jobs", "1", code=3)
        assert 3 < len(asked) <= 8
        assert rows(done)["worse"][-1] == "incomplete"
        assert "incomplete" not in rows(done)["broken"]


class TestAgainst:
    def test_each_suite_is_judged_by_the_base(self, box: Box) -> None:
        box.write("row3.toml", box.read("row3.toml") + "\n[suites.worse.gate]\nblock = 90\n")
        value = box.row3("--compare", "--all", "--against", "HEAD", "--format", "json", code=1).json
        assert value["standings"] == {"broken": "proceed", "good": "proceed", "incomplete": "proceed", "worse": "block"}

    def test_a_suite_that_is_gone_blocks(self, box: Box) -> None:
        for path in box.path("golden/good").glob("*.json"):
            path.unlink()
        done = box.row3("--compare", "--all", "--against", "HEAD", code=1)
        assert rows(done)["good"][-1] == "block"

    def test_a_new_suite_is_judged_by_its_own_baseline_or_not_at_all(self, box: Box) -> None:
        mend(box)
        box.commit("mended")
        for name in ("fresh", "bare"):
            box.write("row3.toml", box.read("row3.toml") + f'\n[suites.{name}]\npipeline = ["find-good"]\n')
            box.write(f"golden/{name}/rye.gold.json", box.read("golden/good/rye.gold.json"))
        for name in ("fresh", "bare"):
            source = box.read("recordings/good/find-good-v1.1.jsonl")
            box.write(f"recordings/{name}/find-good-v1.1.jsonl", source)
        box.row3("--baseline", "--suite", "fresh", code=0)
        done = box.row3("--compare", "--all", "--against", "HEAD", code=0)
        assert rows(done)["fresh"][-1] == "proceed"
        assert rows(done)["bare"][-2:] == ["not", "judged"]
        assert "no baseline yet" in done.out

    def test_new_cases_are_told_for_their_suite(self, box: Box) -> None:
        box.write("golden/good/new.gold.json", json.dumps({"id": "new"} | CASES["rye"]))
        record(box, "good", "1.1", {"new": first(flawless(CASES["rye"]), 4)})
        value = box.row3("--compare", "--all", "--against", "HEAD", "--format", "json").json
        codes = {each["suite"]: [(one["code"], one["subject"]) for one in each["reasons"]] for each in value["suites"]}
        assert [suite for suite, reasons in codes.items() if ("criteria_added", "case new") in reasons] == ["good"], (
            codes
        )

    def test_a_new_case_without_a_recording_is_named_with_the_reason(self, box: Box) -> None:
        box.write(
            "golden/good/new.gold.json",
            json.dumps({"id": "new"} | CASES["rye"] | {"sourceText": "Rye is a cereal. It is new."}),
        )
        asked = ("--compare", "--all", "--against", "HEAD")
        text = " ".join(box.row3(*asked).out.split())
        assert "good 1 case without an answer; new: find-good-v1.1: no recording" in text
        github = box.row3(*asked, "--format", "github").out
        named = "::error file=golden/good/new.gold.json,title=row3 good%3A incomplete::1 case has no answer"
        assert named in github
        assert "good%3A block" not in github

    def test_the_command_that_is_printed_last_judges_by_the_same_base(self, box: Box) -> None:
        box.write("row3.toml", box.read("row3.toml") + "\n[suites.worse.gate]\nblock = 90\n")
        done = box.row3("--compare", "--all", "--against", "HEAD", code=1)
        assert "--suite worse --against HEAD" in " ".join(done.out.rstrip().rpartition("Next: ")[2].split())


def test_a_suite_that_a_system_answers_runs_beside_a_prompt_or_a_model_that_is_named(box: Box) -> None:
    """It has none of its own, so they say nothing of it."""
    box.write("row3.toml", box.read("row3.toml") + TOLD)
    box.write("teller.py", 'def tell(query):\n    return {"results": [{"id": "d1"}]}\n')
    case = {"id": "q1", "query": "what?", "relevant_documents": [{"id": "d1", "relevance": 3}]}
    box.write("golden/told/q1.gold.json", json.dumps(case))
    box.row3("--baseline", "--suite", "told", "--mode", "record", code=0)
    for flags in (("--prompt", "find-good-v1.0"), ("--model", "baker-1"), ("--temperature", "0")):
        assert rows(box.row3("--compare", "--all", *flags))["told"][-1] == "proceed", flags
    assert "no model" in box.row3("--compare", "--suite", "told", "--model", "baker-1", code=2).err
    done = box.row3("--compare", "--all", "--prompt", "told-v1.0", code=2)
    assert "`told-v1.0` is not in any suite's pipeline" in done.err
