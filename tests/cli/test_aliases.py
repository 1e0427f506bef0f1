"""`row3 aliases review` in pipes: lists, JSON, and what it says where it cannot do what is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.projects import Box
from tests.reviews import REVIEWED, RYE, reviewable, with_items
from tests.terminal import terminal

REVIEW = ("aliases", "review")


@pytest.fixture(scope="session")
def reviewable_project(tmp_path_factory: pytest.TempPathFactory) -> Box:
    box = reviewable(tmp_path_factory.mktemp("aliases") / "project")
    box.init()
    return box


@pytest.fixture
def box(reviewable_project: Box, tmp_path: Path) -> Box:
    return reviewable_project.copy(tmp_path / "project")


def rows(box: Box, *args: str) -> list[list[str]]:
    done = box.row3(*REVIEW, "--list", *args, "-q", code=0)
    assert done.err == ""
    return [line.split("\t") for line in done.out.splitlines()]


def test_the_list_has_a_line_for_each_item_and_for_each_alias_that_met_nothing(box: Box) -> None:
    line = box.read(RYE).split("\n").index('   "label": "proofing"') + 1
    everything = rows(box, "all")
    assert everything == [
        ["oven", "Steam keeps", "1", "extract-v1.3", "steam", "0.90", "yes", "golden/bread/oven.gold.json:12"],
        ["rye", "final proofing", "2", "extract-v1.2,extract-v1.3", "proofing", "0.90", "no", f"{RYE}:{line}"],
        ["rye", "NaCl", "1", "extract-v1.3", "proofing", "0.17", "no", f"{RYE}:{line}"],
        ["rye", "oat", "1", "extract-v1.3", "proofing", "0.18", "no", f"{RYE}:{line}"],
        ["rye", "secale", "0", "-", "rye", "-", "no", f"{RYE}:8"],
    ]
    assert rows(box, "unused") == everything[-1:]
    assert rows(box, "unmatched") == everything[:-1]
    assert rows(box) == everything[:-1]
    assert rows(box, "all", "--case", "o*") == everything[:1]
    assert [row[1] for row in rows(box, "unmatched", "--prompt", "extract-v1.2")] == ["final proofing"]


def test_what_is_to_be_decided_is_listed_and_the_unused_aliases_are_told_after_it(box: Box) -> None:
    told = "note: 1 of 1 aliases never met anything (not in the text either: 1). "
    named = "`row3 aliases review --list unused` names it, with file and line.\n"
    assert box.row3(*REVIEW, "--list", code=0).err == told + named
    assert box.row3(*REVIEW, "--list", "unused", code=0).err == ""
    assert box.row3(*REVIEW, "--list", "all", code=0).err == ""


def test_listing_writes_nothing(box: Box) -> None:
    rows(box)
    assert box.git("status", "--porcelain").out == ""


def test_json_is_the_same_with_all_candidates(box: Box) -> None:
    value = box.row3(*REVIEW, "--format", "json", code=0).json
    assert value["schemaVersion"] == 1
    assert [(item["item"], item["count"]) for item in value["unmatched"]] == [
        (row[1], int(row[2])) for row in rows(box, "unmatched")
    ]
    assert value["unmatched"][1]["candidates"][0]["label"] == "proofing"
    assert value["unusedAliases"][0]["alias"] == "secale"


def test_the_list_goes_into_a_file(box: Box) -> None:
    done = box.row3(*REVIEW, "--list", "--out", "list.tsv", code=0)
    assert done.out == ""
    assert box.read("list.tsv").count("\n") == 4


def test_cases_without_answers_are_named_on_stderr(box: Box) -> None:
    done = box.row3(*REVIEW, "--list", "--prompt", "extract-v1.2", code=0)
    assert done.err.startswith("note: left out, as they have no readable recorded answer: oven, yeast\n")


def test_the_shipped_project_has_something_to_review(first: Box) -> None:
    items = rows(first, "unmatched")
    assert ["bullwhip-effect", "ordering costs", "Fixed ordering costs", "0.90"] in [
        [row[0], row[1], row[4], row[5]] for row in items
    ]
    assert all(len(row) == 8 for row in rows(first))


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
        (None, (), ("row3 aliases review: there is no terminal to ask on", "--list")),
        (None, ("--list", "everything"), ("--list", "'everything'", "unused")),
        (None, ("--list", "--case", "wheat"), ("no case fits `wheat`", "golden/bread/")),
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


def test_an_item_of_a_hostile_answer_stays_one_line(box: Box) -> None:
    box.prompt("1.4")
    box.record("1.4", {"rye": with_items("rye", "proofing", "a\tb\nc\x1b[31m\u202ed")})
    assert ["rye", "a b c d"] in [row[:2] for row in rows(box)] or ["rye", "a b cd"] in [row[:2] for row in rows(box)]


@pytest.mark.parametrize("columns", [68, 80, 140])
def test_on_a_terminal_a_list_is_a_table_within_its_width(box: Box, columns: int) -> None:
    with terminal(box, *REVIEW, "--list", "all", columns=columns) as one:
        assert one.end()[0] == 0
        lines = one.text.splitlines()
    assert lines[1].split() == ["item", "answers", "nearest", "expected", "alike", "in", "text", "line"]
    assert f"rye  {RYE}" in lines
    (found,) = [line for line in lines if "final proofing" in line]
    assert found.split()[:5] == ["final", "proofing", "2", "proofing", "0.90"]
    assert max(map(len, lines)) <= columns
    assert "\t" not in "".join(lines)


def test_an_empty_list_says_so_to_a_person_only(box: Box) -> None:
    with terminal(box, *REVIEW, "--list", "--prompt", "extract-v1.1", "-q") as one:
        assert one.end()[0] == 0
        assert one.text.strip() == "nothing to list"
