"""Honest changes of cases and rules: none is blocked without need, and what is eased lets no worse prompt through."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest

from tests.projects import CASES, SUITE, Box, Done, worse

BASELINE = f"baselines/{SUITE}.json"
STRICTER = {"expectedConcepts": [*CASES["rye"]["expectedConcepts"], {"label": "dough"}]}
"""No recorded answer has it, so that every score of the case moves."""


def against(box: Box, code: int | None = None, ref: str = "main") -> Done:
    return box.row3("--compare", "--against", ref, code=code)


def said(done: Done) -> str:
    return " ".join(f"{done.out} {done.err}".split())


def no_relationship(box: Box) -> None:
    box.case("rye", expectedRelationships=CASES["rye"]["expectedRelationships"][:1])


def edit_records(box: Box, edit: Callable[[dict[str, Any]], None]) -> None:
    """Alter each record of the baseline, and the means with them."""
    value = json.loads(box.read(BASELINE))
    for record in value["cases"]:
        edit(record)
    for key in value["metrics"]:
        found = [record["metrics"][key] for record in value["cases"]]
        value["metrics"][key] = sum(found) / len(found)
    box.write(BASELINE, json.dumps(value, indent=1) + "\n")


def lower(record: dict[str, Any]) -> None:
    record["metrics"] |= {"recall": 0.1, "f1": 0.1, "overall": 0.1}


def of_another_case(record: dict[str, Any]) -> None:
    lower(record)
    record |= {"digest": "0" * 64, "content": "0" * 64}


@pytest.fixture
def branch(box: Box) -> Box:
    box.git("checkout", "-q", "-b", "work")
    return box


class TestTheBaselineOfOtherCases:
    """What a golden case of today cannot tell of a baseline that was made of another one."""

    def test_one_approval_as_the_hook_prints_it_ends_the_block(self, box: Box) -> None:
        box.row3("hook", "install", code=0)
        no_relationship(box)
        box.git("add", "-A")
        blocked = box.git("commit", "-m", "x", code=1).err
        accept = next(line for line in blocked.splitlines() if "--approve REASON" in line)
        box.row3(*shlex.split(accept.partition(":")[2])[1:], code=0)
        box.git("add", "metrics-history.json", "CHANGELOG.md")
        assert "BLOCK, approved" in box.git("commit", "-m", "x", code=0).err

    def test_a_stricter_case_stops_no_promotion(self, box: Box) -> None:
        box.case("rye", **STRICTER)
        box.row3("promote", "v1.1", code=0)

    def test_a_forged_record_is_found_beside_it(self, box: Box) -> None:
        box.case("rye", **STRICTER)
        edit_records(box, lambda record: lower(record) if record["id"] != "rye" else None)
        done = box.row3("promote", "v1.1", code=1)
        assert "the baseline does not follow from its recordings: oven, yeast" in said(done)

    def test_figures_of_another_case_are_not_what_is_compared_with(self, box: Box) -> None:
        edit_records(box, of_another_case)
        worse(box)
        assert "Concept recall is worse by 25.0 points" in said(box.row3("promote", "v1.2", code=1))

    def test_a_change_brings_no_figures_of_cases_that_nobody_knows(self, branch: Box) -> None:
        edit_records(branch, of_another_case)
        done = against(branch, 1)
        assert "the new baseline cannot be checked, since its golden cases are neither here nor in git" in said(done)

    def test_nor_of_cases_that_it_made_up_and_took_back(self, branch: Box) -> None:
        branch.case("rye", **STRICTER)
        branch.row3("--baseline", code=0)
        branch.commit("stricter")
        branch.case("rye")
        branch.commit("as it was")
        assert "neither here nor in git: rye" in said(against(branch, 1))

    def test_but_those_of_a_case_that_the_base_has_changed_since(self, branch: Box) -> None:
        branch.row3("--baseline", code=0)
        branch.commit("a new baseline")
        branch.git("checkout", "-q", "main")
        branch.case("rye", **STRICTER)
        branch.commit("stricter")
        branch.git("checkout", "-q", "work")
        branch.git("merge", "-q", "--no-edit", "main")
        against(branch, 0)
        edit_records(branch, lower)
        assert "the new baseline does not follow from its recordings: oven, rye, yeast" in said(against(branch, 1))
