"""A signature is for exactly what was seen; suites that come and go; what the hook stops and how to go on."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journeys import BASELINE, GOOD, HISTORY, POOR, draft, judged, merge, settings, signed
from tests.projects import CASES, SUITE, Box, first, next_second, tiny
from tests.suites import record, with_baselines


def no_canary(box: Box) -> None:
    box.case("rye", forbiddenConcepts=["cold rye memory"])


def reasons_given(box: Box) -> list[str]:
    return [entry["approval"]["reason"] for entry in box.history() if entry.get("approval")]


class TestWhatIsSigned:
    def test_it_holds_for_its_branch_and_what_has_nothing_to_do_with_it(self, work: Box) -> None:
        draft(work, "1.2", POOR)
        told = signed(work)
        assert (told.code, told.value["verdict"]) == (0, "block")
        assert "note approved" in told.reasons
        work.write("page.md", "A page.\n")
        settings(work, "# a comment\n")
        work.commit("more")
        assert "note approved" in judged(work, code=0).reasons

    @pytest.mark.parametrize(
        "change",
        [
            no_canary,
            lambda box: box.record("1.2", {case_id: first(GOOD[case_id], 1) for case_id in CASES}),
            lambda box: draft(box, "1.3", POOR | {"rye": first(GOOD["rye"], 1)}),
            lambda box: settings(box, f"[suites.{SUITE}.gate]\nblock = 6\n"),
            lambda box: box.record("1.1", {"rye": first(GOOD["rye"], 3)}),
        ],
    )
    def test_whatever_is_changed_afterwards_voids_it(self, work: Box, change: Callable[[Box], object]) -> None:
        draft(work, "1.2", POOR)
        signed(work)
        change(work)
        told = judged(work, code=1)
        assert "note approval_stale" in told.reasons
        assert "note approved" not in told.reasons

    def test_a_deeper_fall_of_what_is_promoted_behind_a_draft(self, work: Box) -> None:
        draft(work, "1.2", GOOD | {"rye": POOR["rye"], "oven": POOR["oven"]})
        work.row3("promote", "v1.2", "--approve", "shorter is wanted", code=0)
        draft(work, "1.3", GOOD)
        signed(work)
        work.record("1.2", POOR)
        work.row3("--baseline", code=0)
        assert judged(work, code=1).reasons >= {"block worse overall", "note approval_stale"}

    def test_another_case_in_the_place_of_an_added_one(self, work: Box) -> None:
        more = CASES["rye"] | {"sourceText": "Rye is a cereal. Salt slows it."}
        work.case("crumb", **more)
        work.record("1.1", {"crumb": GOOD["rye"]})
        no_canary(work)
        signed(work)
        work.case("crumb", **more | {"expectedConcepts": CASES["rye"]["expectedConcepts"][:1]})
        assert "note approval_stale" in judged(work, code=1).reasons

    def test_done_once_more_it_is_signed_once_more(self, work: Box) -> None:
        no_canary(work)
        signed(work)
        merge(work, "signed")
        work.git("checkout", "HEAD~1", "--", "golden")
        merge(work, "it was right")
        no_canary(work)
        assert "note approved" not in judged(work, code=1).reasons
        assert "note approved" in signed(work).reasons

    def test_one_is_noted_for_an_investigation_too(self, work: Box) -> None:
        work.case("rye", expectedConcepts=[{"label": "rye"}, *CASES["rye"]["expectedConcepts"][1:]])
        told = signed(work, reason="secale is Latin")
        assert told.reasons == {"investigate criteria_changed case rye alias:concept:rye", "note approved"}
        assert reasons_given(work) == ["secale is Latin"]

    def test_without_a_ref_it_is_given_for_the_base_of_the_hook(self, work: Box) -> None:
        draft(work, "1.2", POOR)
        work.row3("--compare", "--approve", "agreed", code=0)
        assert "note approved" in judged(work, code=0).reasons

    def test_the_same_reason_twice_is_one_approval_and_a_better_one_another(self, work: Box) -> None:
        draft(work, "1.2", POOR)
        signed(work)
        before = work.tree()
        assert "nothing is written" in work.row3("--compare", "--approve", " agreed ", code=0).err
        assert work.tree() == before
        signed(work, reason="the demo wants short answers")
        assert reasons_given(work) == ["agreed", "the demo wants short answers"]
        changelog = work.read("CHANGELOG.md")
        assert "agreed (Zoë Tester" in changelog
        assert "the demo wants short answers (Zoë Tester" in changelog


class TestWhatCannotBeSigned:
    @pytest.mark.parametrize("command", [("--compare",), ("--compare", "--against", "main"), ("promote", "v1.2")])
    def test_in_ci_nothing_is(self, work: Box, command: tuple[str, ...]) -> None:
        draft(work, "1.2", POOR)
        before = work.tree()
        work.row3(*command, "--approve", "agreed", code=2, CI="1")
        work.row3("--compare", "--approve", "agreed", "--format", "junit", code=2)
        assert work.tree() == before

    @pytest.mark.parametrize("reason", ["REASON", "'Reason'", "<reason>", "…", " ", "TODO"])
    def test_without_a_reason_nothing_is(self, work: Box, reason: str) -> None:
        draft(work, "1.2", POOR)
        before = work.tree()
        work.row3("--compare", "--approve", reason, code=2)
        work.row3("promote", "v1.2", "--approve", reason, code=2)
        assert work.tree() == before

    def test_nor_a_part_another_gate_or_what_is_incomplete(self, work: Box) -> None:
        draft(work, "1.2", POOR)
        noted = len(work.history())
        work.row3("--compare", "--case", "rye", "--approve", "agreed", code=2)
        work.row3("--compare", "--fail", "overall:50", "--approve", "agreed", code=2)
        assert "investigate partial" in judged(work, "--case", "rye").reasons
        work.row3("--compare", "--case", "rye")
        assert len(work.history()) == noted, "a part is not noted"
        work.prompt("1.3")
        work.row3("--compare", "--approve", "agreed", code=3)
        assert reasons_given(work) == []


class TestDrafts:
    def test_an_approved_one_stops_nobody_after_and_its_promotion_is_signed_for(self, work: Box) -> None:
        settings(work, f'[suites.{SUITE}.gate]\npolicy = "paired"\n')  # sees less than a promotion's limits
        merge(work)
        draft(work, "1.2", POOR)
        signed(work)
        merge(work, "a draft")
        settings(work, "# a comment\n")
        assert judged(work, code=0).reasons == set()
        assert "was not promoted" in work.row3("promote", "v1.2", code=1).out
        next_second()
        done = work.row3("promote", "v1.2", "--approve", "still wanted", code=0)
        assert "hook and CI accept the approval too" in done.err
        assert judged(work, code=0).reasons >= {"block entered_fail_zone recall", "note approved"}

    def test_it_is_judged_again_where_its_answers_are_others(self, work: Box) -> None:
        draft(work, "1.2", POOR)
        signed(work)
        merge(work, "a draft")
        work.record("1.2", {case_id: first(GOOD[case_id], 1) for case_id in CASES})
        assert "block worse overall" in judged(work, code=1).reasons

    def test_a_promotion_does_not_carry_what_was_not_shown(self, work: Box) -> None:
        draft(work, "1.2", POOR)
        no_canary(work)
        done = work.row3("promote", "v1.2", "--approve", "agreed", code=0)
        assert "hook will need its own approval" in " ".join(done.err.split())
        assert "block criteria_removed case rye canary:gluten lattice theory" in judged(work, code=1).reasons

    def test_a_first_promotion(self, tmp_path: Path) -> None:
        box = tiny(tmp_path / "project")
        box.init()
        box.git("checkout", "-q", "-b", "work")
        draft(box, "1.2", {case_id: first(GOOD[case_id], 1) for case_id in CASES})
        box.row3("promote", "v1.2", code=1)
        box.row3("promote", "v1.2", "--approve", "a beginning", code=0)
        assert judged(box, code=0).reasons >= {"note criteria_added baseline"}


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Four suites that all proceed, `good` the default one, on the branch `work`."""
    box = with_baselines(tmp_path_factory.mktemp("four") / "project")
    record(box, "worse", "1.1", GOOD)
    box.write("row3.toml", 'suite = "good"\n' + box.read("row3.toml"))
    box.commit("whole")
    box.git("checkout", "-q", "-b", "work")
    return box


@pytest.fixture
def suites(four: Box, tmp_path: Path) -> Box:
    return four.copy(tmp_path / "project")


def standings(box: Box, code: int) -> dict[str, str]:
    told = box.row3("--compare", "--all", "--against", "main", "--format", "json", CI="1", code=code).json
    found: dict[str, str] = told["standings"]
    return found


def take_out(box: Box, suite: str) -> None:
    for folder in ("golden", "recordings"):
        shutil.rmtree(box.path(f"{folder}/{suite}"))
    box.path(f"baselines/{suite}.json").unlink()
    box.replace("row3.toml", f'\n[suites.{suite}]\npipeline = ["find-{suite}"]\n', "")


def add_suite(box: Box) -> None:
    shutil.copytree(box.path("golden/good"), box.path("golden/second"))
    shutil.copytree(box.path("recordings/good"), box.path("recordings/second"))
    box.replace("row3.toml", "[suites.good]", '[suites.second]\npipeline = ["find-good"]\n\n[suites.good]')


class TestSuites:
    def test_one_that_goes_is_signed_for_once(self, suites: Box) -> None:
        take_out(suites, "worse")
        assert standings(suites, 1)["worse"] == "block"
        one = ("--compare", "--suite", "worse", "--against", "main")
        suites.row3(*one, code=1)
        for reason in (" ", "REASON"):
            suites.row3(*one, "--approve", reason, code=2)
        suites.row3(*one, "--approve", "agreed", code=2, CI="1")
        suites.row3(*one, "--approve", "agreed", code=0)
        assert standings(suites, 0)["worse"] == "approved"
        assert "suite worse removed: agreed (Zoë Tester" in suites.read("CHANGELOG.md")
        take_out(suites, "incomplete")
        assert standings(suites, 1)["incomplete"] == "block"

    def test_a_second_time_it_is_signed_for_again(self, suites: Box) -> None:
        take_out(suites, "worse")
        suites.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
        merge(suites, "without it")
        suites.git("checkout", "HEAD~1", "--", "golden/worse", "recordings/worse", "baselines/worse.json", "row3.toml")
        merge(suites, "it came back")
        take_out(suites, "worse")
        assert standings(suites, 1)["worse"] == "block"

    @pytest.mark.parametrize("left", ["baselines/worse.json", "row3.toml"])
    def test_what_is_left_of_it_saves_nothing(self, suites: Box, left: str) -> None:
        take_out(suites, "worse")
        suites.git("checkout", "HEAD", "--", left)
        assert standings(suites, 1)["worse"] == "block"

    def test_nor_does_another_one_that_names_its_folder(self, suites: Box) -> None:
        suites.replace("row3.toml", "[suites.worse]\n", '[suites.decoy]\ngolden = "worse"\n')
        assert standings(suites, 1)["worse"] == "block"

    def test_a_new_one_is_judged_by_its_own_baseline(self, suites: Box) -> None:
        add_suite(suites)
        one = ("--suite", "second")
        suites.row3("--compare", *one, "--against", "main", code=2, CI="1")
        suites.row3("--baseline", *one, code=0)
        assert judged(suites, *one, code=0).reasons == {"note criteria_added suite second"}
        value = json.loads(suites.read("baselines/second.json"))
        value["cases"][0]["answers"] = ["0" * 64]
        suites.write("baselines/second.json", json.dumps(value))
        assert "block baseline_differs baseline" in judged(suites, *one, code=1).reasons

    def test_one_with_another_name_is_one_that_goes_and_a_new_one(self, suites: Box) -> None:
        for folder in ("golden", "recordings"):
            suites.path(f"{folder}/good").rename(suites.path(f"{folder}/better"))
        suites.path("baselines/good.json").unlink()
        suites.replace("row3.toml", "[suites.good]", "[suites.better]")
        suites.replace("row3.toml", 'suite = "good"', 'suite = "better"')
        suites.row3("--baseline", code=0)
        assert standings(suites, 1)["good"] == "block"
        assert judged(suites, "--suite", "better", code=0).reasons == {"note criteria_added suite better"}
        suites.row3("--compare", "--suite", "good", "--against", "main", "--approve", "a better name", code=0)
        assert standings(suites, 0)["good"] == "approved"

    @pytest.mark.parametrize(("default", "speaker"), [('suite = "worse"\n', "worse"), ("", "good")])
    def test_another_default_is_said_by_one(self, suites: Box, default: str, speaker: str) -> None:
        suites.replace("row3.toml", 'suite = "good"\n', default)
        assert judged(suites, "--suite", speaker, code=0).reasons == {"investigate criteria_changed rule suite"}
        assert list(standings(suites, 0).values()).count("investigate") == 1

    def test_the_last_one_of_a_project(self, work: Box) -> None:
        shutil.rmtree(work.path("golden"))
        assert work.row3("--compare", "--all", "--against", "main", "--format", "json", CI="1").code == 1


class TestHook:
    """With a real `git commit`, which is slow."""

    def commit(self, box: Box, code: int) -> str:
        box.git("add", "-A")
        return box.git("commit", "-m", "work", code=code).err

    def test_what_it_prints_lets_through_what_it_stops(self, work: Box) -> None:
        work.row3("hook", "install", code=0)
        no_canary(work)
        said = self.commit(work, 1)
        lines = [line.strip() for line in said.splitlines()]
        accept = next(line for line in lines if "--approve REASON" in line)
        command = shlex.split(accept[accept.index("row3 ") :].replace("REASON", "agreed"))
        work.row3(*command[1:], code=0)
        work.git("reset", "-q")
        work.git("add", "golden")
        work.git("commit", "-m", "the approval is not staged", code=1)
        assert "APPROVED" in self.commit(work, 0)

    def test_a_whole_way_to_a_promotion(self, work: Box) -> None:
        work.row3("hook", "install", code=0)
        draft(work, "1.2", POOR)
        assert re.search("row3 stops this", self.commit(work, 1))
        work.row3("promote", "v1.2", "--approve", "shorter is wanted", code=0)
        assert "APPROVED" in self.commit(work, 0)
        work.replace(BASELINE, '"baker-1"', '"baker-2"')
        assert "BLOCK" in self.commit(work, 1)
        work.git("checkout", "HEAD", "--", BASELINE, HISTORY)
        work.write("page.md", "A page.\n")
        self.commit(work, 0)
