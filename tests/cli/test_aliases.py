"""`row3 aliases review` in pipes: lists, JSON, and what it says where it cannot do what is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.projects import Box, copy_of
from tests.reviews import REVIEWED, RYE, reviewable

REVIEW = ("aliases", "review")


@pytest.fixture(scope="session")
def reviewable_project(tmp_path_factory: pytest.TempPathFactory) -> Box:
    box = reviewable(tmp_path_factory.mktemp("aliases") / "project")
    box.init()
    return box


box = copy_of("reviewable_project")


def labels(box: Box, *args: str) -> list[str]:
    return [item["item"] for item in box.row3(*REVIEW, "--format", "json", *args, code=0).json["unmatched"]]


def test_the_list_has_a_row_for_each_item(box: Box) -> None:
    done = box.row3(*REVIEW, "--list", code=0)
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[1].split() == ["item", "answers", "nearest", "expected", "alike", "in", "text"]
    assert f"rye  {RYE}" in lines
    (found,) = [line for line in lines if line.startswith("final proofing ")]
    assert found.split() == ["final", "proofing", "1", "of", "4", "proofing", "0.90", "no"]


def test_options_select_cases_and_versions(box: Box) -> None:
    assert labels(box) == ["Steam keeps", "final proofing", "final proofings", "NaCl", "oat"]
    assert labels(box, "--case", "o*") == ["Steam keeps"]
    assert labels(box, "--prompt", "extract-v1.2", "-q") == ["final proofing"]


def test_listing_writes_nothing(box: Box) -> None:
    box.row3(*REVIEW, "--list", code=0)
    assert box.git("status", "--porcelain").out == ""


def test_cases_without_answers_are_named_on_stderr(box: Box) -> None:
    done = box.row3(*REVIEW, "--list", "--prompt", "extract-v1.2", code=0)
    assert done.err.startswith("note: skipped without a readable recorded answer: oven, yeast\n")


def test_the_shipped_project_has_something_to_review(first: Box) -> None:
    items = first.row3(*REVIEW, "--format", "json", code=0).json["unmatched"]
    found = [(item["caseId"], item["item"], item["candidates"][:1]) for item in items]
    near = [{"label": "Borrowing cost", "score": 0.9, "missed": 2, "sameSentence": True}]
    assert ("inflation-targeting", "Borrowing", near) in found


Damage = Callable[[Box], object]


def broken_judgements(box: Box) -> None:
    box.write(REVIEWED, '{"schemaVersion": 1, "caseId": "rye"}\n')


def newer_judgements(box: Box) -> None:
    box.write(REVIEWED, '{"schemaVersion": 2}\n')


def no_recordings(box: Box) -> None:
    for path in box.path("recordings/bread").iterdir():
        path.unlink()


@pytest.mark.parametrize(
    ("damage", "args", "says"),
    [
        (None, (), ("row3 aliases review: no terminal to ask on", "--list")),
        (None, ("--list", "--case", "wheat"), ("no case matches `wheat`", "golden/bread/")),
        (None, ("--list", "--suite", "bred"), ("suite `bred` does not exist", "Did you mean `bread`?")),
        (None, ("--list", "--prompt", "extract-v9.9"), ("`extract-v9.9` does not exist",)),
        (broken_judgements, ("--list",), (f"{REVIEWED}:1", "`item` is missing")),
        (newer_judgements, ("--list",), (f"{REVIEWED}:1", "schemaVersion 2 is newer", "Upgrade row3")),
        (no_recordings, ("--list",), ("recordings/bread/", "none of the 3 cases", "--mode record")),
        (lambda box: box.write(RYE, "{"), ("--list",), (f"{RYE}:1:2", "not JSON")),
    ],
)
def test_wrong_input_is_one_message(
    box: Box, damage: Damage | None, args: tuple[str, ...], says: tuple[str, ...]
) -> None:
    if damage is not None:
        damage(box)
    before = box.tree()
    done = box.row3(*REVIEW, *args, code=2)
    assert done.out == ""
    assert len(done.errors) == 1
    assert len(done.err.splitlines()) == 1
    assert all(words in done.err for words in says), done.err
    assert box.tree() == before
