"""Which recording answers a request, why one is missing, and lines whose digest belongs to another request."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.projects import CASES, SUITE, Box, flawless, tiny

MORE = "You read texts about bread, sentence by sentence, and leave out nothing that a baker would name."


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """v1.0 and v1.1, both recorded; v1.1 says much more than v1.0."""
    made = tiny(tmp_path / "bakery")
    made.replace("prompts/extract-v1.1.md", "You read texts about bread.", MORE)
    return made


def copy(box: Box, version: str) -> None:
    """v1.2 is a copy of that version, and one word is another."""
    text = box.read(f"prompts/extract-v{version}.md").replace(f'"{version}"', '"1.2"')
    box.write("prompts/extract-v1.2.md", text.replace("You read", "You study"))


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_of_equally_near_recordings_the_promoted_or_latest_is_named(box: Box, version: str) -> None:
    if version == "1.0":
        box.row3("promote", "v1.0", code=0)
    copy(box, "1.0")
    error = box.row3("investigate", "rye", code=3).errors[0]
    assert f"the nearest is recordings/bread/extract-v{version}.jsonl:" in error
    assert f"first difference in promptDigest: it is for extract-v{version}, which has a different text" in error
    assert f"recordings/bread/extract-v{version}.jsonl:" in " ".join(box.row3(code=3).out.split())


def test_the_same_version_is_nearest(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "You read", "You study")
    error = box.row3("investigate", "rye", code=3).errors[0]
    assert "recordings/bread/extract-v1.1.jsonl:" in error
    assert "first difference in promptDigest: the prompt's text has changed since" in error


FILE = f"recordings/{SUITE}/extract-v1.1.jsonl"
OLD = f"recordings/{SUITE}/extract-v1.0.jsonl"


@pytest.fixture
def promoted(tmp_path: Path) -> Box:
    made = tiny(tmp_path / "project")
    made.row3("promote", "v1.0", code=0)
    return made


def lines(promoted: Box, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in promoted.read(name).splitlines()]


def write(promoted: Box, name: str, values: list[dict[str, Any]]) -> None:
    promoted.write(name, "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values))


def with_digests_of(promoted: Box, wanted: str, given: str) -> None:
    """Put the lines of one version's file in the place of the other's, with the digests of these."""
    digests = {line["caseId"]: line["digest"] for line in lines(promoted, wanted)}
    write(promoted, wanted, [line | {"digest": digests[line["caseId"]]} for line in lines(promoted, given)])


def of_another_model(line: dict[str, Any]) -> None:
    line["request"]["model"] = "baker-9"


def of_another_seed(line: dict[str, Any]) -> None:
    line["request"]["seed"] = 7


def refused(promoted: Box, says: str, line: int = 1) -> None:
    place = f"{FILE}:{line}"
    for command in (("--compare",), ("--mode", "replay"), ("investigate", "oven")):
        done = promoted.row3(*command, code=2)
        assert f"{place}: the line does not match its digest: {says}" in done.err
    found = promoted.row3("recordings", "verify", code=2)
    assert f"{place}: error [other-request] the line does not match its digest" in found.out


def test_another_prompts_lines_under_this_ones_digests_are_refused(promoted: Box) -> None:
    promoted.row3("--compare", code=0)
    with_digests_of(promoted, FILE, OLD)
    refused(promoted, "extract-v1.0 asks something else about `oven`")


def test_renaming_a_lines_prompt_does_not_hide_its_origin(promoted: Box) -> None:
    with_digests_of(promoted, FILE, OLD)
    write(promoted, FILE, [line | {"prompt": "extract-v0.9"} for line in lines(promoted, FILE)])
    refused(promoted, "extract-v0.9 asks something else about `oven`")


def test_a_line_of_another_case_is_refused(promoted: Box) -> None:
    held = lines(promoted, FILE)
    first, yeast = held[0], next(line for line in held if line["caseId"] == "yeast")
    write(promoted, FILE, [yeast | {"digest": first["digest"]}, *held[1:]])
    refused(promoted, "extract-v1.1 asks something else about `yeast`")


@pytest.mark.parametrize(("edit", "field"), [(of_another_model, "model"), (of_another_seed, "seed")])
def test_a_line_whose_parameters_do_not_match_its_digest_is_refused(
    promoted: Box, edit: Callable[[dict[str, Any]], None], field: str
) -> None:
    held = lines(promoted, FILE)
    edit(held[0])
    write(promoted, FILE, held)
    refused(promoted, f"its `{field}` is ")


def test_old_lines_answer_a_copied_prompt_and_a_renamed_case(promoted: Box) -> None:
    promoted.replace("prompts/extract-v1.1.md", "{% block user %}1.1:", "{% block user %}1.0:")
    promoted.path(FILE).unlink()
    promoted.row3("--compare", code=0)
    promoted.path(f"golden/{SUITE}/rye.gold.json").unlink()
    promoted.case("secale", **CASES["rye"])
    promoted.row3("--mode", "replay", code=0)
    assert "other-request" not in promoted.row3("recordings", "verify").out


def test_old_lines_answer_a_prompt_with_a_new_description(promoted: Box) -> None:
    promoted.replace("prompts/extract-v1.1.md", "Finds what", "Tells what")
    promoted.row3("--compare", code=0)
    assert "other-request" not in promoted.row3("recordings", "verify").out


def test_a_line_of_a_deleted_prompt_counts_as_a_copy(promoted: Box) -> None:
    promoted.prompt("1.2")
    promoted.record("1.2", {case_id: flawless(case) for case_id, case in CASES.items()})
    promoted.replace("prompts/extract-v1.2.md", "1.2: {{", "1.1: {{")
    promoted.path(f"recordings/{SUITE}/extract-v1.2.jsonl").unlink()
    promoted.row3("--compare", code=0)
    promoted.path("prompts/extract-v1.1.md").unlink()
    promoted.row3("--compare", code=0)
