"""Recordings that say they are of another request than their digest does."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.projects import CASES, SUITE, Box, flawless, shipped, tiny

FILE = f"recordings/{SUITE}/extract-v1.1.jsonl"
OLD = f"recordings/{SUITE}/extract-v1.0.jsonl"


@pytest.fixture
def box(tmp_path: Path) -> Box:
    made = tiny(tmp_path / "project")
    made.row3("promote", "v1.0", code=0)
    return made


def lines(box: Box, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in box.read(name).splitlines()]


def write(box: Box, name: str, values: list[dict[str, Any]]) -> None:
    box.write(name, "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values))


def with_digests_of(box: Box, wanted: str, given: str) -> None:
    """Put the lines of one version's file in the place of the other's, with the digests of these."""
    digests = {line["caseId"]: line["digest"] for line in lines(box, wanted)}
    write(box, wanted, [line | {"digest": digests[line["caseId"]]} for line in lines(box, given)])


def of_another_model(line: dict[str, Any]) -> None:
    line["request"]["model"] = "baker-9"


def of_another_seed(line: dict[str, Any]) -> None:
    line["request"]["seed"] = 7


def refused(box: Box, says: str, line: int = 1) -> None:
    place = f"{FILE}:{line}"
    for command in (("--compare",), ("--mode", "replay"), ("investigate", "oven")):
        done = box.row3(*command, code=2)
        assert f"{place}: the line is of another request than its digest says: {says}" in done.err
    found = box.row3("recordings", "verify", code=2)
    assert f"{place}: error [other-request] the line is of another request than its digest says" in found.out


def test_lines_of_another_prompt_under_the_digests_of_this_one_are_refused(box: Box) -> None:
    box.row3("--compare", code=0)
    with_digests_of(box, FILE, OLD)
    refused(box, "extract-v1.0 asks something else about `oven`")


def test_what_a_line_calls_its_prompt_does_not_hide_what_it_was_made_of(box: Box) -> None:
    with_digests_of(box, FILE, OLD)
    write(box, FILE, [line | {"prompt": "extract-v0.9"} for line in lines(box, FILE)])
    refused(box, "extract-v0.9 asks something else about `oven`")


def test_verify_follows_the_inputs_of_a_later_stage(tmp_path: Path) -> None:
    box = shipped(tmp_path / "project")
    name = "recordings/decomposition/map-ontology-v1.0.jsonl"
    held = lines(box, name)
    one, other = next(pair for pair in itertools.pairwise(held) if pair[0]["caseId"] == pair[1]["caseId"])
    one["digest"], other["digest"] = other["digest"], one["digest"]
    write(box, name, held)
    found = box.row3("recordings", "verify", "--suite", "decomposition", code=2)
    assert found.out.count("error [other-request]") >= 1


def test_a_line_of_another_case_is_refused(box: Box) -> None:
    held = lines(box, FILE)
    first, yeast = held[0], next(line for line in held if line["caseId"] == "yeast")
    write(box, FILE, [yeast | {"digest": first["digest"]}, *held[1:]])
    refused(box, "extract-v1.1 asks something else about `yeast`")


@pytest.mark.parametrize(("edit", "field"), [(of_another_model, "model"), (of_another_seed, "seed")])
def test_a_line_with_other_parameters_than_its_digest_is_refused(
    box: Box, edit: Callable[[dict[str, Any]], None], field: str
) -> None:
    held = lines(box, FILE)
    edit(held[0])
    write(box, FILE, held)
    refused(box, f"its `{field}` is ")


def test_an_unedited_copy_of_a_prompt_and_a_renamed_case_are_answered_by_the_old_lines(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "{% block user %}1.1:", "{% block user %}1.0:")
    box.path(FILE).unlink()
    box.row3("--compare", code=0)
    box.path(f"golden/{SUITE}/rye.gold.json").unlink()
    box.case("secale", **CASES["rye"])
    box.row3("--mode", "replay", code=0)
    assert "other-request" not in box.row3("recordings", "verify").out


def test_a_prompt_whose_description_was_changed_is_answered_by_the_old_lines(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "Finds what", "Tells what")
    box.row3("--compare", code=0)
    assert "other-request" not in box.row3("recordings", "verify").out


def test_a_line_of_a_prompt_that_is_gone_cannot_be_told_from_a_copy(box: Box) -> None:
    box.prompt("1.2")
    box.record("1.2", {case_id: flawless(case) for case_id, case in CASES.items()})
    box.replace("prompts/extract-v1.2.md", "1.2: {{", "1.1: {{")
    box.path(f"recordings/{SUITE}/extract-v1.2.jsonl").unlink()
    box.row3("--compare", code=0)
    box.path("prompts/extract-v1.1.md").unlink()
    box.row3("--compare", code=0)
