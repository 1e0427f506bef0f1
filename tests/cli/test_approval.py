"""An approval holds for what its giver was shown, and the hook prints the commands by which it is given."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable

import pytest

from tests.projects import CASES, CONFIG, SUITE, Box, Done, first, flawless, next_second, worse
from tests.suites import record

BASELINE = f"baselines/{SUITE}.json"


def approved(box: Box, *options: str) -> Done:
    return box.row3("--compare", *options, "--approve", "agreed", code=0)


def against(box: Box, code: int | None = None) -> Done:
    return box.row3("--compare", "--against", "main", code=code)


def forge(box: Box) -> None:
    """A baseline that says less than its recordings give, so that what comes after looks better."""
    text = box.read(BASELINE)
    box.write(BASELINE, re.sub(r'("(?:recall|f1|overall)": ?)0\.\d+', r"\g<1>0.1", text))
    assert box.read(BASELINE) != text


def edit_recording(box: Box) -> None:
    """Of a prompt that this comparison does not run."""
    name = f"recordings/{SUITE}/extract-v1.1.jsonl"
    first, *rest = box.read(name).splitlines(keepends=True)
    value = json.loads(first)
    value["response"]["text"] = value["response"]["text"].replace("a", "o", 1)
    box.write(name, json.dumps(value, ensure_ascii=False) + "\n" + "".join(rest))


@pytest.fixture
def branch(box: Box) -> Box:
    """A branch with a worse prompt."""
    box.git("checkout", "-q", "-b", "worse")
    worse(box)
    return box


@pytest.mark.parametrize("tamper", [forge, edit_recording])
def test_what_is_rewritten_after_an_approval_is_not_approved(branch: Box, tamper: Callable[[Box], None]) -> None:
    approved(branch)
    assert "BLOCK, approved" in against(branch, 0).out
    tamper(branch)
    done = against(branch, 1)
    assert "approved" not in done.out.replace("--approve", "")


@pytest.mark.parametrize("tamper", [forge, edit_recording])
def test_what_was_rewritten_before_is_approved_only_where_it_was_shown(
    branch: Box, tamper: Callable[[Box], None]
) -> None:
    tamper(branch)
    branch.row3("--compare", "--approve", "agreed")
    against(branch, 1)
    shown = approved(branch, "--against", "main")
    assert "BLOCK, approved" in shown.out
    assert "BLOCK, approved" in against(branch, 0).out


def test_who_approves_is_told_of_a_forged_baseline(branch: Box) -> None:
    forge(branch)
    done = branch.row3("--compare", "--approve", "agreed")
    assert "the baseline does not follow from its recordings" in " ".join(done.out.split())


def test_another_recording_takes_no_approved_ones_place(branch: Box) -> None:
    edit_recording(branch)
    approved(branch, "--against", "main")
    against(branch, 0)
    edit_recording(branch)
    against(branch, 1)


def test_a_case_that_asks_otherwise_has_to_be_recorded(box: Box) -> None:
    text = CASES["rye"]["sourceText"] + " More."
    box.case("rye", sourceText=text)
    done = against(box, 1)
    assert "no recorded answer to what these cases ask now: rye" in " ".join(done.out.split())
    assert "record the answers (row3 --compare --mode auto)" in " ".join(done.out.split())
    box.record("1.0", {"rye": flawless(CASES["rye"])})
    box.record("1.1", {"rye": flawless(CASES["rye"])})
    against(box, 0)


def _loosen(box: Box) -> None:
    loose = f"[suites.{SUITE}.thresholds.recall]\nminimum = 0.1\ntarget = 0.2\nexcellent = 0.3\n"
    box.write("row3.toml", CONFIG + loose)


def _no_canary(box: Box) -> None:
    box.case("rye", forbiddenConcepts=[])


def _no_case(box: Box) -> None:
    box.path(f"golden/{SUITE}/rye.gold.json").unlink()


@pytest.mark.parametrize("change", [_loosen, _no_canary, _no_case])
@pytest.mark.parametrize("again", [True, False])
def test_the_commands_that_the_hook_prints_end_the_block(box: Box, change: Callable[[Box], None], again: bool) -> None:
    box.row3("hook", "install", code=0)
    change(box)
    if again:
        box.row3("--baseline", code=0)
    box.git("add", "-A")
    blocked = box.git("commit", "-m", "x", code=1).err
    see, accept = (
        shlex.split(line.partition(":")[2].strip())[1:]
        for line in blocked.splitlines()
        if line.strip().startswith(("See it in full", "Accept it, signed"))
    )
    assert "BLOCK" in box.row3(*see, code=1).out
    box.row3(*accept, code=2)
    box.row3(*("agreed" if word == "REASON" else word for word in accept), code=0)
    box.git("add", "metrics-history.json", "CHANGELOG.md")
    assert "BLOCK, approved" in box.git("commit", "-m", "x", code=0).err


def advised(said: str) -> list[list[str]]:
    """The commands by which a hook lets somebody see and accept what it stops."""
    steps = [line.partition(":")[2] for line in said.splitlines() if line.strip().startswith(("See it", "Accept it"))]
    return [["agreed" if word == "REASON" else word for word in shlex.split(step)[1:]] for step in steps]


def poor_suite(box: Box) -> None:
    """A suite that misses most of what it expects, with its baseline."""
    for case_id, case in CASES.items():
        box.write(f"golden/cake/{case_id}.gold.json", json.dumps({"id": case_id} | case) + "\n")
    box.write("row3.toml", box.read("row3.toml") + '\n[suites.cake]\npipeline = ["find-cake"]\n')
    box.prompt("1.0", "find-cake")
    record(box, "cake", "1.0", {case_id: first(flawless(case), 1) for case_id, case in CASES.items()})
    box.row3("--baseline", "--suite", "cake", code=0)
    box.git("add", "-A")


def test_the_commands_that_it_prints_for_a_new_suite_do_too(box: Box) -> None:
    box.row3("hook", "install", code=0)
    poor_suite(box)
    see, accept = advised(box.git("commit", "-m", "x", code=1).err)
    assert "BLOCK" in box.row3(*see, code=1).out
    box.row3(*accept, code=0)
    box.git("add", "metrics-history.json", "CHANGELOG.md")
    assert "BLOCK, approved" in box.git("commit", "-m", "x", code=0).err


def test_a_new_suite_that_was_taken_back_is_approved_anew(box: Box) -> None:
    poor_suite(box)
    box.row3("--compare", "--suite", "cake", "--approve", "agreed", code=0)
    ci = ("--compare", "--all", "--against", "main")
    box.git("checkout", "-q", "-b", "work")
    box.commit("cake")
    assert "1 is approved" in box.row3(*ci, code=0, CI="1").out
    box.git("branch", "-f", "main", "work")
    box.git("rm", "-rq", "golden/cake", "recordings/cake", "baselines/cake.json")
    box.commit("no cake")
    box.git("branch", "-f", "main", "work")
    box.git("checkout", "HEAD~1", "--", "golden", "recordings", "baselines")
    assert "1 blocks" in box.row3(*ci, code=1, CI="1").out


def test_a_merge_that_was_looked_at_can_be_taken_back(branch: Box) -> None:
    branch.row3("--compare")
    branch.commit("worse")
    branch.git("checkout", "-q", "main")
    branch.row3("hook", "install", code=0)
    done = branch.git("merge", "--no-ff", "worse", code=None)
    line = next(line for line in done.err.splitlines() if "Take it back" in line)
    branch.row3("--compare")
    for command in line.partition(":")[2].split(";"):
        branch.git(*shlex.split(command)[1:], code=0)
    assert branch.git("status", "--porcelain").out == ""


@pytest.mark.parametrize(
    "command",
    [("--compare",), ("--compare", "--against", "main"), ("promote", "v1.2"), ("promote", "v1.2", "--dry-run")],
)
def test_an_approval_that_would_not_be_kept_is_refused(branch: Box, command: tuple[str, ...]) -> None:
    before = branch.tree()
    done = branch.row3(*command, "--approve", "agreed", code=2, CI="1")
    assert len(done.errors) == 1
    assert "--approve: nothing is written in CI or for its formats" in done.errors[0]
    assert "Approve on a developer's machine" in done.err.replace("\n", " ")
    branch.row3(*command, "--approve", "agreed", "--format", "junit", code=2)
    assert branch.tree() == before


@pytest.mark.parametrize(
    "reason", ["REASON", "reason", '"REASON"', "'Reason'", "<reason>", "…", "...", ' "…" ', "TODO"]
)
def test_what_stands_for_a_reason_is_none(branch: Box, reason: str) -> None:
    before = branch.tree()
    done = branch.row3("--compare", "--approve", reason, code=2)
    assert len(done.errors) == 1
    assert "stands for a reason and is none" in done.errors[0]
    assert "Write why the regression is acceptable" in done.err.replace("\n", " ")
    assert branch.tree() == before


def test_a_promotion_takes_no_placeholder_either(branch: Box) -> None:
    before = branch.tree()
    assert "stands for a reason" in branch.row3("promote", "v1.2", "--approve", "REASON", code=2).err
    branch.row3("--compare", "--approve", "The reason: shorter answers ...", code=0)
    assert branch.tree() != before


def test_a_better_reason_is_an_approval_of_its_own(branch: Box) -> None:
    approved(branch)
    done = branch.row3("--compare", "--approve", "the demo wants short answers", code=0)
    assert "the demo wants short answers" in " ".join(done.out.split())
    assert [entry["approval"]["reason"] for entry in branch.history()[-2:]] == [
        "agreed",
        "the demo wants short answers",
    ]
    changelog = branch.read("CHANGELOG.md")
    assert "gate blocked: agreed (" in changelog
    assert "gate blocked: the demo wants short answers (" in changelog
    assert "the demo wants short answers" in " ".join(branch.row3("--compare", code=0).out.split())


def test_the_same_reason_again_changes_nothing(branch: Box) -> None:
    approved(branch)
    before = branch.tree()
    done = branch.row3("--compare", "--approve", " agreed ", code=0)
    assert "BLOCK, approved" in done.out
    assert "approved with this reason already: nothing is written" in done.err
    assert branch.tree() == before
    branch.git("config", "user.name", "Somebody Else")
    approved(branch)
    assert "Somebody Else" in branch.history()[-1]["approval"]["by"]


def times_approved(box: Box) -> list[str]:
    """When the reason was given, by the changelog."""
    return [line.split(", ")[-1] for line in box.read("CHANGELOG.md").splitlines() if "gate blocked: agreed (" in line]


def test_a_promotion_for_the_same_reason_is_not_signed_anew(branch: Box) -> None:
    approved(branch)
    (first,) = times_approved(branch)
    next_second()
    branch.row3("promote", "v1.2", "--approve", "agreed", code=0)
    assert times_approved(branch) == [first]
    assert {entry["approval"]["at"] for entry in branch.history() if entry.get("approval")} == {first.rstrip(")")}


def test_a_promotion_for_another_reason_is(branch: Box) -> None:
    approved(branch)
    next_second()
    branch.row3("promote", "v1.2", "--approve", "the demo wants short answers", code=0)
    assert len(times_approved(branch)) == 1
    assert "gate blocked: the demo wants short answers (" in branch.read("CHANGELOG.md")
