"""A suite that a change takes away or renames: it blocks once, is signed for once, and then passes hook and CI."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from row3.domain.requests import digest_text
from tests.projects import CASES, CONFIG, SUITE, Box, flawless
from tests.suites import record, with_baselines

HISTORY = "metrics-history.json"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Four suites that all proceed, with `good` the default one, committed; with the hooks."""
    box = with_baselines(tmp_path_factory.mktemp("gone") / "project")
    record(box, "worse", "1.1", {case_id: flawless(case) for case_id, case in CASES.items()})
    box.write("row3.toml", 'suite = "good"\n' + box.read("row3.toml"))
    box.commit("whole")
    box.row3("hook", "install", code=0)
    return box


@pytest.fixture
def box(whole: Box, tmp_path: Path) -> Box:
    return whole.copy(tmp_path / "project")


def take_out(box: Box, suite: str, *, settings: bool = True) -> None:
    """All of a suite, staged; its settings may be left."""
    for folder in ("golden", "recordings"):
        shutil.rmtree(box.path(f"{folder}/{suite}"))
    box.path(f"baselines/{suite}.json").unlink()
    if settings:
        box.replace("row3.toml", f'\n[suites.{suite}]\npipeline = ["find-{suite}"]\n', "")
    box.git("add", "-A")


def rename(box: Box, old: str, new: str) -> None:
    """A suite with all that it has, staged; a new baseline, since a baseline names its suite."""
    for folder in ("golden", "recordings"):
        box.path(f"{folder}/{old}").rename(box.path(f"{folder}/{new}"))
    box.path(f"baselines/{old}.json").unlink()
    text = box.read("row3.toml").replace(f"[suites.{old}]", f"[suites.{new}]")
    box.write("row3.toml", text.replace(f'suite = "{old}"', f'suite = "{new}"'))
    box.row3("--baseline", "--suite", new, code=0)
    box.git("add", "-A")


def advised(said: str, word: str) -> list[str]:
    """The command of a hook's advice that holds this word, as a shell would read it."""
    line = next(line for line in said.splitlines() if word in line and ("row3 -" in line or "git " in line))
    words = shlex.split(line[line.index("row3 -" if "row3 -" in line else "git ") :])
    return [{"REASON": "decided by all of us"}.get(each, each) for each in words[1:]]


def sign(box: Box, said: str) -> str:
    """Do what the hook advises; what the approval said."""
    done = box.row3(*advised(said, "--approve"), code=0)
    box.git(*advised(said, "git add"))
    return done.out


def ci(box: Box, *more: str, code: int) -> str:
    return box.row3("--compare", "--all", "--against", "main", *more, CI="true", code=code).out


@pytest.mark.parametrize("settings", [True, False], ids=["with-settings", "cases-alone"])
def test_a_removal_is_told_signed_for_once_and_passes(box: Box, settings: bool) -> None:
    box.git("checkout", "-q", "-b", "less")
    take_out(box, "worse", settings=settings)
    done = box.git("commit", "-m", "without it", code=1)
    assert "suite worse: all its golden cases are gone (3 at " in done.err
    assert "its baseline has Overall 85.0%" in " ".join(done.err.split())
    assert "--compare --suite worse --against main --approve REASON" in ci(box, code=1)
    told = box.row3("--compare", "--suite", "worse", "--against", "main", code=1)
    assert "all its golden cases are gone (3 at main); its baseline has Overall 85.0%" in told.out
    assert "approved by Zoë Tester" in sign(box, done.err)
    entry = box.history()[-1]
    assert (entry["suite"], entry["action"], entry["verdict"], entry["metrics"]) == ("worse", "compare", "block", {})
    assert entry["approval"]["reason"] == "decided by all of us"
    assert "suite worse removed: decided by all of us (Zoë Tester" in box.read("CHANGELOG.md")
    passed = box.git("commit", "-m", "without it")
    assert "approved by Zoë Tester" in passed.err
    assert "worse" in ci(box, code=0)
    assert box.row3("--compare", "--suite", "worse", "--against", "main", CI="true", code=0)
    box.git("checkout", "-q", "main")
    box.git("merge", "-q", "--no-ff", "less")
    box.write("golden/good/rye.gold.json", box.read("golden/good/rye.gold.json") + " ")
    box.git("commit", "-qam", "what comes after is not asked about it again")


def comment(box: Box, *more: str) -> list[str]:
    return box.row3("comment", "--dry-run", "--against", "main", *more, CI="true", code=0).out.splitlines()


def test_the_comment_says_what_the_gate_says(box: Box) -> None:
    take_out(box, "worse")
    rename(box, "incomplete", "renamed")
    gate = box.row3("--compare", "--all", "--against", "main", "--format", "json", CI="true", code=1).json
    lines = comment(box)
    assert lines[0] == "### ✗ BLOCK · row3 · 5 suites"
    rows = [row.split(" | ") for row in lines if row.count(" | ") == 6]
    assert {row[0][2:]: row[1].split()[1] for row in rows[2:]} == gate["standings"]
    assert any("all its golden cases are gone (3 at main)" in line for line in lines)
    assert "✓ **renamed**: the baseline is new in this change, and judges it" in lines
    assert comment(box, "--suite", "worse")[0] == "### ✗ BLOCK · row3 · worse"
    assert comment(box, "--suite", "renamed")[0] == "### ✓ PROCEED · row3 · renamed"
    assert "does not exist" in box.row3("comment", "--dry-run", "--suite", "renames", CI="true", code=2).err


def alone(box: Box, *more: str, code: int) -> str:
    """One suite in CI, on one line."""
    return " ".join(box.row3("--compare", "--against", "main", *more, CI="true", code=code).out.split())


class TestOneSuiteAlone:
    """What CI says that looks at one suite only, of one that the base does not know."""

    def test_a_new_one_is_judged_as_among_all(self, box: Box) -> None:
        shutil.copytree(box.path("golden/good"), box.path("golden/second"))
        shutil.copytree(box.path("recordings/good"), box.path("recordings/second"))
        box.replace("row3.toml", "[suites.good]", '[suites.second]\npipeline = ["find-good"]\n\n[suites.good]')
        one = ("--suite", "second")
        assert "no baseline yet, so nothing was compared" in alone(box, *one, code=0)
        box.row3("--baseline", *one, code=0)
        assert "the baseline is new in this change, and judges it" in alone(box, *one, code=0)
        for form in ("json", "junit", "markdown"):
            box.row3("--compare", "--against", "main", *one, "--format", form, code=0)
        assert "the baseline is new in this change" in box.row3("report", *one, "--against", "main", code=0).out
        box.replace("baselines/second.json", '"overall": 0.85', '"overall": 0.8')
        said = alone(box, *one, code=1)
        assert "does not follow from" in said
        box.row3("--compare", *one, "--against", "main", "--approve", "as it is", code=0)
        alone(box, *one, code=0)

    def test_a_renamed_default_one_passes_once_the_old_one_is_signed_for(self, box: Box) -> None:
        rename(box, "good", "better")
        assert "proceed" in alone(box, "--suite", "better", code=0).lower()
        said = alone(box, code=1)
        assert "all its golden cases are gone (3 at main)" in said
        assert "it is the default suite there" in said
        box.row3("--compare", "--suite", "good", "--against", "main", "--approve", "a better name", code=0)
        assert "approved by Zoë Tester" in alone(box, code=0)

    def test_the_only_suite_of_a_project(self, box: Box) -> None:
        for suite in ("broken", "incomplete", "worse"):
            take_out(box, suite)
        box.replace("row3.toml", 'suite = "good"\n', "")
        box.git("commit", "-qnm", "one suite")
        rename(box, "good", "better")
        assert "all its golden cases are gone" in alone(box, code=1)
        box.path("baselines/better.json").unlink()
        said = alone(box, code=1)
        assert "all its golden cases are gone" in said
        assert "no baseline yet" in said

    def test_a_new_default_one_beside_the_old_one(self, box: Box) -> None:
        shutil.copytree(box.path("golden/good"), box.path("golden/easy"))
        shutil.copytree(box.path("recordings/good"), box.path("recordings/easy"))
        box.replace("row3.toml", 'suite = "good"', 'suite = "easy"')
        box.replace("row3.toml", "[suites.good]", '[suites.easy]\npipeline = ["find-good"]\n\n[suites.good]')
        box.row3("--baseline", "--suite", "easy", code=0)
        assert "another default suite than at main: good → easy" in alone(box, code=1)
        box.row3("--compare", "--suite", "good", "--against", "main", "--approve", "easier to read", code=0)
        assert "is approved" in alone(box, code=0)


@pytest.mark.parametrize("golden", ["worse", "worse/hard"])
def test_a_suite_whose_folder_another_one_names_is_gone_or_stays(box: Box, golden: str) -> None:
    """A folder that is another suite's is none by itself; one with cases beside those of the other is."""
    box.replace("row3.toml", "[suites.worse]\n", f'[suites.decoy]\ngolden = "{golden}"\n')
    if golden != "worse":
        box.write("golden/worse/hard/rye.gold.json", box.read("golden/worse/rye.gold.json"))
    box.git("add", "-A")
    gone = "all its golden cases are gone" in " ".join(ci(box, code=1 if golden == "worse" else 0).split())
    assert gone == (golden == "worse")
    listed = box.row3("--compare", "--all", "--against", "main", "--format", "json", CI="true").json
    assert "worse" in {suite["suite"] for suite in listed["suites"]}


def test_an_approval_is_for_this_suite_as_it_was(box: Box) -> None:
    take_out(box, "worse")
    box.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
    take_out(box, "incomplete")
    said = ci(box, code=1)
    assert "1 blocks · 1 is approved" in said
    assert box.row3("--compare", "--suite", "incomplete", "--against", "main", code=1)
    removal = {name: content for name, content in box.tree().items() if name == HISTORY}
    box.git("reset", "-q", "--hard")
    box.replace("golden/worse/rye.gold.json", "Rye is a cereal.", "Rye is a grass.")
    box.commit("another text on main")
    take_out(box, "worse")
    for name, content in removal.items():
        box.write(name, content)
    assert "1 blocks" in ci(box, code=1), "the removed suite is another than what was signed for"


def test_a_better_reason_is_an_approval_of_its_own(box: Box) -> None:
    take_out(box, "worse")
    given = ("--compare", "--suite", "worse", "--against", "main", "--approve")
    box.row3(*given, "agreed", code=0)
    before = box.tree()
    box.row3(*given, "agreed", code=0)
    assert box.tree() == before
    assert "nobody read it" in " ".join(box.row3(*given, "nobody read it", code=0).out.split())
    assert [entry["approval"]["reason"] for entry in box.history()[-2:]] == ["agreed", "nobody read it"]
    assert "nobody read it" in box.read("CHANGELOG.md")
    assert "nobody read it" in ci(box, code=0)


def test_an_approval_does_not_hold_for_a_second_removal(box: Box) -> None:
    """Else a suite that came back could be taken out and put back in a weaker form with nobody asked."""
    take_out(box, "worse")
    box.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
    box.commit("without it")
    box.git("checkout", "-q", "HEAD~1", "--", "golden/worse", "recordings/worse", "baselines/worse.json", "row3.toml")
    box.commit("it came back")
    take_out(box, "worse")
    assert "1 blocks" in ci(box, code=1)
    done = box.git("commit", "-m", "again", code=1)
    sign(box, done.err)
    box.git("commit", "-q", "-m", "again")


def test_an_approval_that_a_revert_took_out_of_the_history_does_not_come_back(box: Box) -> None:
    take_out(box, "worse")
    box.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
    box.commit("without it")
    box.git("revert", "--no-edit", "HEAD", code=0)
    box.git("checkout", "-q", "-b", "again")
    box.git("revert", "--no-commit", "HEAD", code=0)
    assert "agreed" in box.read(HISTORY)
    assert "1 blocks" in ci(box, code=1)
    done = box.git("commit", "-m", "again", code=1)
    sign(box, done.err)
    box.git("commit", "-q", "-m", "again")
    ci(box, code=0)


def test_nothing_is_signed_in_ci_or_without_a_reason(box: Box) -> None:
    take_out(box, "worse")
    given = ("--compare", "--suite", "worse", "--against", "main", "--approve")
    assert "nothing is written in CI" in box.row3(*given, "agreed", CI="true", code=2).err
    assert "the reason is empty" in box.row3(*given, " ", code=2).err
    assert "stands for a reason" in box.row3(*given, "REASON", code=2).err
    assert "does not exist" in box.row3("--compare", "--suite", "wrose", "--against", "main", code=2).err


@pytest.mark.parametrize("form", ["table", "json", "markdown", "junit", "github", "codequality", "comment"])
def test_every_form_of_the_result_tells_it(box: Box, form: str) -> None:
    take_out(box, "worse")
    one = ("--compare", "--suite", "worse", "--against", "main", "--format", form)
    assert "all its golden cases are gone" in box.row3(*one, CI="true", code=1).out
    box.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
    said = box.row3(*one, CI="true", code=0).out
    assert form == "codequality" or "approved by" in said
    assert "failure type" not in said
    assert "blocker" not in said
    assert "::error" not in said


def test_a_renamed_default_suite_is_one_ground_and_one_approval(box: Box) -> None:
    box.git("checkout", "-q", "-b", "named")
    rename(box, "good", "better")
    done = box.git("commit", "-m", "a better name", code=1)
    assert "suite good: all its golden cases are gone" in done.err
    assert "it is the default suite there" in done.err
    assert "another default suite" not in done.err
    sign(box, done.err)
    box.git("commit", "-q", "-m", "a better name")
    ci(box, code=0)
    box.replace("row3.toml", 'suite = "better"', 'suite = "broken"')
    assert "another default suite" in ci(box, code=1)


def weaker_case(box: Box) -> None:
    case = json.loads(box.read("golden/better/rye.gold.json"))
    box.write("golden/better/rye.gold.json", json.dumps(case | {"forbiddenConcepts": []}))


def weaker_rules(box: Box) -> None:
    box.write("row3.toml", box.read("row3.toml") + "[suites.better.gate]\nblock = 9\n")


def other_baseline(box: Box) -> None:
    box.row3("--baseline", "--suite", "better", code=0)


def quarantine(box: Box) -> None:
    box.write("golden/better/quarantine.json", '{"schemaVersion": 1, "cases": []}')


@pytest.mark.parametrize("later", [weaker_case, weaker_rules, other_baseline, quarantine])
def test_a_renamed_suite_is_signed_for_as_it_is(box: Box, later: Callable[[Box], None]) -> None:
    """Nothing but the signature holds the new name to what the old one was."""

    def standing() -> str:
        told = box.row3("--compare", "--all", "--against", "main", "--format", "json", CI="true", code=None).json
        return str(told["standings"]["good"])

    box.git("checkout", "-q", "-b", "named")
    rename(box, "good", "better")
    done = box.git("commit", "-m", "a better name", code=1)
    assert "approved with it as it is, since no baseline there judges it: better" in " ".join(done.err.split())
    sign(box, done.err)
    box.git("commit", "-q", "-m", "a better name")
    assert standing() == "approved"
    later(box)
    assert standing() == "block"
    box.row3("--compare", "--suite", "good", "--against", "main", "--approve", "with that too", code=0)
    assert standing() == "approved"


def test_what_a_judged_suite_becomes_after_the_signature_is_its_own_affair(box: Box) -> None:
    take_out(box, "worse")
    box.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
    box.row3("--baseline", "--suite", "good", code=0)
    assert "1 is approved" in ci(box, code=0)


def test_another_default_suite_is_told_by_that_one_alone(box: Box) -> None:
    box.replace("row3.toml", 'suite = "good"', 'suite = "worse"')
    said = ci(box, code=1)
    assert said.count("another default suite") == 1
    assert "1 blocks" in said
    assert "good → worse" in box.row3("--compare", "--against", "main", code=1).out
    box.git("add", "-A")
    done = box.git("commit", "-m", "another default", code=1)
    sign(box, done.err)
    box.git("commit", "-q", "-m", "another default")


def test_a_default_suite_that_only_informs_blocks_until_it_is_signed_for(box: Box) -> None:
    """What is run without `--suite` would block nothing from then on, and this suite alone tells it."""
    settings = box.read("row3.toml") + "[suites.worse.gate]\ninformational = true\n"
    box.write("row3.toml", settings)
    box.git("add", "-A")
    box.git("commit", "-q", "--no-verify", "-m", "being built")
    box.git("checkout", "-q", "-b", "work")
    box.write("row3.toml", settings.replace('suite = "good"', 'suite = "worse"'))
    told = " ".join(ci(box, code=1).split())
    assert "another default suite than at main: good → worse, whose gate is informational" in told
    assert "1 blocks" in told
    alone = box.row3("--compare", "--against", "main", CI="true", code=1).out
    assert "reports, and blocks nothing" not in alone
    box.git("add", "-A")
    done = box.git("commit", "-m", "another default", code=1)
    sign(box, done.err)
    box.git("commit", "-q", "-m", "another default")
    ci(box, code=0)
    box.git("branch", "-f", "main", "work")
    box.replace("row3.toml", 'suite = "worse"', 'suite = "good"')
    assert "another default suite" in ci(box, code=1), "and so is the way back"


def test_a_default_that_the_base_cannot_judge_is_signed_for_as_it_is(box: Box) -> None:
    shutil.copytree(box.path("golden/good"), box.path("golden/easy"))
    box.replace("row3.toml", 'suite = "good"', 'suite = "easy"')
    box.replace("row3.toml", "[suites.good]", '[suites.easy]\npipeline = ["find-good"]\n\n[suites.good]')
    box.row3("--compare", "--suite", "good", "--against", "main", "--approve", "agreed", code=0)
    ci(box, code=0)
    box.path("golden/easy/rye.gold.json").unlink()
    assert "another default suite" in ci(box, code=1)


def test_a_default_that_the_base_cannot_judge_is_told_by_the_old_one(box: Box) -> None:
    shutil.copytree(box.path("golden/good"), box.path("golden/easy"))
    box.replace("row3.toml", 'suite = "good"', 'suite = "easy"')
    box.replace("row3.toml", "[suites.good]", '[suites.easy]\npipeline = ["find-good"]\n\n[suites.good]')
    said = ci(box, code=1)
    assert said.count("another default suite") == 1
    assert "── good " in said


def test_the_history_with_such_an_entry_is_read_by_all(box: Box) -> None:
    take_out(box, "worse")
    box.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
    box.git("checkout", "-q", "HEAD", "--", "golden", "recordings", "baselines", "row3.toml")
    for command in (["history"], ["trend"], ["cases"], ["flaky"], ["report"], ["report", "--format", "html"]):
        box.row3(*command, "--suite", "worse", code=0)
    shown = box.row3("history", "--suite", "worse", "--format", "json").json
    assert shown[-1]["approval"]["reason"] == "agreed"
    box.row3("--compare", "--suite", "worse", code=0)
    assert HISTORY not in box.row3("lint").out


def test_the_last_suite_of_a_project(tmp_path: Path, tiny_promoted: Box) -> None:
    """Its name is printed, since nothing else says which one it was."""
    box = tiny_promoted.copy(tmp_path / "project")
    box.row3("hook", "install", code=0)
    box.write("row3.toml", CONFIG.replace(f'suite = "{SUITE}"\n', ""))
    box.commit("no default is named")
    shutil.rmtree(box.path("golden"))
    box.git("add", "-A")
    done = box.git("commit", "-m", "no cases", code=1)
    assert "no cases" not in done.err
    ci(box, code=1)
    sign(box, done.err)
    box.git("commit", "-q", "-m", "no cases")


def test_the_removal_of_the_last_suite_signs_for_no_promotion(tmp_path: Path, tiny_promoted: Box) -> None:
    box = tiny_promoted.copy(tmp_path / "project")
    box.git("checkout", "-q", "-b", "work")
    shutil.rmtree(box.path("golden"))
    box.git("add", "-A")
    against = ("--compare", "--suite", SUITE, "--against", "main")
    box.row3(*against, "--approve", "no more bread", code=0)
    box.row3(*against, code=0)
    box.prompt("1.7")
    locks = json.loads(box.read("prompts/promoted.json"))
    entry = locks["prompts"]["extract"]
    entry["locked"] = entry.get("locked", {}) | {entry["version"]: entry["digest"]}
    entry |= {"version": "v1.7", "digest": digest_text(box.read("prompts/extract-v1.7.md"))}
    box.write("prompts/promoted.json", json.dumps(locks))
    told = " ".join(box.row3(*against, code=1).out.split())
    assert "nobody judges extract v1.7, which this change promotes" in told


def test_a_baseline_that_was_left_behind_stops_nobody_later(box: Box) -> None:
    take_out(box, "worse")
    box.git("checkout", "-q", "HEAD", "--", "baselines/worse.json")
    box.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
    box.commit("the baseline stays")
    box.write("golden/good/rye.gold.json", box.read("golden/good/rye.gold.json") + " ")
    box.git("commit", "-qam", "something else")
    ci(box, code=0)


def test_the_baseline_of_a_removed_suite_lends_no_standing_to_an_easier_one(box: Box) -> None:
    """Brought back as the default one it would judge itself, and nobody would tell that it is what is looked at."""
    take_out(box, "worse")
    box.git("checkout", "-q", "HEAD", "--", "baselines/worse.json")
    box.row3("--compare", "--suite", "worse", "--against", "main", "--approve", "agreed", code=0)
    box.commit("the baseline stays")
    for folder in ("golden", "recordings"):
        box.git("checkout", "-q", "HEAD~1", "--", f"{folder}/worse")
    box.write("row3.toml", box.read("row3.toml") + '\n[suites.worse]\npipeline = ["find-worse"]\n')
    box.row3("--baseline", "--suite", "worse", code=0)
    ci(box, code=0)
    box.replace("row3.toml", 'suite = "good"', 'suite = "worse"')
    assert "another default suite" in ci(box, code=1)
    assert "another default suite" in box.row3("--compare", "--against", "main", code=1).out
