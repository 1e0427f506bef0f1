"""A change that makes the baseline's answers impossible to score again is told so itself, not who comes after it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_systems import system_box
from tests.judging import BASELINE, GOOD, said
from tests.projects import CASES, SUITE, Box, tiny

LOST = f"investigate recorded answers that the baseline of suite {SUITE} rests on"
ENDS = "they are needed until `row3 --baseline`, best in the same change, makes another"
AGAIN = {case_id: json.dumps(answer) + " " for case_id, answer in GOOD.items()}


def merge(box: Box, message: str) -> None:
    box.commit(message)
    box.git("branch", "-f", "main", "HEAD")


def test_answers_to_a_case_that_was_removed_before_may_be_pruned(work: Box) -> None:
    work.path(f"golden/{SUITE}/rye.gold.json").unlink()
    work.row3("--compare", "--against", "main", "--approve", "of no use", code=0)
    merge(work, "removed")
    assert "2 removed" in work.row3("recordings", "prune", code=0).out
    assert "the baseline is older than the cases and rules there (rye removed since)" in said(work, 0)


def test_that_they_were_recorded_again_is_told(work: Box) -> None:
    work.prompt("1.2")
    work.record("1.2", GOOD)
    work.record("1.1", {"rye": AGAIN["rye"], "oven": AGAIN["oven"]})
    told = said(work, 0)
    assert f"{LOST} have others in their place since main (extract-v1.1): oven, rye; {ENDS}" in told
    assert "Next: row3 --baseline in this change, for all who come after" in told
    work.row3("--baseline", code=0)
    assert "rests on" not in said(work, 0)


def test_it_is_told_of_the_change_that_does_it(work: Box) -> None:
    work.record("1.1", AGAIN)
    assert f"{LOST} have others in their place" in said(work, 0)
    merge(work, "recorded again")
    work.record("1.1", GOOD)
    assert "rests on" not in said(work, 0), "the answers are those of the baseline again"
    work.record("1.1", AGAIN | {"rye": AGAIN["rye"] + " "})
    assert "rests on" not in said(work, 0), "they were lost before"


@pytest.fixture
def never_promoted(tmp_path: Path) -> Box:
    box = tiny(tmp_path / "project")
    box.row3("--baseline", code=0)
    box.init()
    box.git("checkout", "-q", "-b", "work")
    return box


def gone(box: Box) -> None:
    box.prompt("1.2")
    box.record("1.2", GOOD)
    box.path("prompts/extract-v1.1.md").unlink()
    box.path(f"recordings/{SUITE}/extract-v1.1.jsonl").unlink()


def edited(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "about bread", "of bread")
    box.record("1.1", GOOD)


@pytest.mark.parametrize("change", [gone, edited])
def test_so_is_a_prompt_that_cannot_ask_any_more(never_promoted: Box, change: Callable[[Box], None]) -> None:
    change(never_promoted)
    told = f"belong to nothing since main, for what extract-v1.1 asked there cannot be asked here; {ENDS}"
    assert f"{LOST} {told}" in said(never_promoted, 0)
    never_promoted.row3("--baseline", code=0)
    assert "rests on" not in said(never_promoted, 0)
    never_promoted.git("checkout", "-q", "--", BASELINE)
    merge(never_promoted, "without another baseline")
    never_promoted.write("golden/notes.txt", "")
    assert "rests on" not in said(never_promoted, 0)


def answered(box: Box, version: str) -> None:
    lines = [{"caseId": name, "prompt": f"extract-v{version}", "response": json.dumps(GOOD[name])} for name in GOOD]
    file = box.root.parent / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    box.row3("recordings", "import", str(file), code=0)


@pytest.fixture
def served(tmp_path: Path) -> Box:
    """A system that is given the files of a corpus, its answers recorded; on the branch `work`."""
    box = system_box(tmp_path / "project", "mcp")
    answered(box, "1.0")
    box.row3("--baseline", code=0)
    box.commit("baseline")
    box.git("checkout", "-q", "-b", "work")
    return box


def with_another_corpus(box: Box) -> None:
    box.write("corpus/rye.txt", "rye  bread")
    answered(box, "1.0")


def test_so_is_a_system_that_is_given_other_files(served: Box) -> None:
    with_another_corpus(served)
    told = said(served, 0)
    assert f"{LOST} belong to nothing since main, for what extract-v1.0 asked there cannot be asked here" in told
    assert "Next: row3 --baseline in this change" in told
    served.row3("--baseline", code=0)
    assert "rests on" not in said(served, 0)


def test_another_version_of_a_system_leaves_the_answers_of_the_one_before(served: Box) -> None:
    served.replace("row3.toml", 'version = "1.0"', 'version = "1.1"')
    answered(served, "1.1")
    assert "rests on" not in said(served, 0)


def relabelled(box: Box, *case_ids: str) -> None:
    for case_id in case_ids:
        label, *others = CASES[case_id]["expectedConcepts"]
        box.case(case_id, expectedConcepts=[{**label, "aliases": [*label.get("aliases", ()), "zyx"]}, *others])


FEW = "block only 1 of 3 cases could be compared with the baseline by the golden cases of this change"
WHOLE = "`row3 --baseline` in the same change makes them comparable again"


def with_lost_answers(box: Box) -> None:
    box.record("1.1", AGAIN)
    merge(box, "recorded again")


def test_edits_that_leave_too_few_cases_to_compare_block_and_not_who_comes_after(work: Box) -> None:
    with_lost_answers(work)
    relabelled(work, "rye", "oven")
    told = said(work, 1)
    assert f"{FEW}: all that comes after and moves an answer would block; {WHOLE}" in told
    assert "make the baseline of them (row3 --baseline)" in told
    work.row3("--baseline", code=0)
    assert "could be compared" not in said(work, 0)
    merge(work, "labels")
    work.prompt("1.2")
    work.record("1.2", GOOD)
    assert "not comparable" not in said(work, 0)


def test_so_they_do_where_answers_are_lost_with_them(work: Box) -> None:
    work.record("1.1", AGAIN)
    relabelled(work, "rye", "oven")
    assert FEW in said(work, 1)


def test_edits_that_leave_enough_are_told(work: Box) -> None:
    with_lost_answers(work)
    relabelled(work, "rye")
    how = "not comparable with the baseline any more by the golden cases of this change, their old answers cannot be"
    assert f"investigate {how} scored again: rye; {WHOLE}" in said(work, 0)
    work.row3("--baseline", code=0)
    assert how not in said(work, 0)


def test_of_a_system_too_few_cases_stop_nobody_who_moves_no_answer(served: Box) -> None:
    with_another_corpus(served)
    merge(served, "corpus")
    relabelled(served, "rye", "oven")
    assert FEW in said(served, 1)
    merge(served, "labels, unseen")
    served.write("row3.toml", "# A comment.\n" + served.read("row3.toml"))
    few = "only 1 of 3 cases could be compared with the baseline"
    alone = "`row3 --baseline` in a change of its own"
    assert f"investigate {few}; it takes a new one, by {alone}" in said(served, 0)
    served.row3("--baseline", code=0)
    assert f"investigate {few}; the new one of this change ends that" in said(served, 0)


@pytest.mark.parametrize(
    ("old", "new"), [('version = "1.0"', 'version = "1.1"'), ("{source_text}", "Read: {source_text}")]
)
def test_they_do_where_the_system_is_another(served: Box, old: str, new: str) -> None:
    with_another_corpus(served)
    relabelled(served, "rye", "oven")
    merge(served, "unseen")
    served.replace("row3.toml", old, new)
    answered(served, "1.1" if "1.1" in new else "1.0")
    assert "block only 1 of 3 cases could be compared with the baseline; it takes" in said(served, 1)


def test_they_do_where_it_is_given_other_files(served: Box) -> None:
    with_another_corpus(served)
    relabelled(served, "rye", "oven")
    merge(served, "unseen")
    served.write("corpus/oven.txt", "an oven")
    answered(served, "1.0")
    assert "block only 1 of 3 cases could be compared with the baseline; it takes" in said(served, 1)
