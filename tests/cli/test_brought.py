"""What a change brings beside its answers: a version that becomes current, a baseline, what it takes away."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.projects import CASES, CONFIG, SUITE, Box, Done, clean_env, flawless, run, worse

BASELINE = f"baselines/{SUITE}.json"


def against(box: Box, code: int | None = None, ref: str = "main") -> Done:
    return box.row3("--compare", "--against", ref, code=code)


def said(done: Done) -> str:
    return " ".join(done.out.split())


def edit_baseline(box: Box, edit: Callable[[dict[str, Any]], None]) -> None:
    value = json.loads(box.read(BASELINE))
    edit(value)
    for key in value["metrics"]:
        found = [case["metrics"][key] for case in value["cases"] if key in case["metrics"]]
        value["metrics"][key] = sum(found) / len(found)
        value["denominators"][key] = len(found)
    box.write(BASELINE, json.dumps(value, indent=1) + "\n")


@pytest.fixture
def branch(box: Box) -> Box:
    box.git("checkout", "-q", "-b", "work")
    return box


class TestVersions:
    def promote_by_hand(self, box: Box, version: str) -> None:
        digest = json.loads(box.read("prompts/promoted.json"))
        entry = digest["extract"] if "extract" in digest else digest["prompts"]["extract"]
        entry["locked"] = entry.get("locked", {}) | {entry["version"]: entry["digest"]}
        entry["version"] = f"v{version}"
        entry["digest"] = hashlib.sha256(box.path(f"prompts/extract-v{version}.md").read_bytes()).hexdigest()
        box.write("prompts/promoted.json", json.dumps(digest, indent=1) + "\n")

    def test_a_worse_version_does_not_become_current_behind_a_harmless_draft(self, branch: Box) -> None:
        worse(branch, "1.2")
        branch.prompt("1.3")
        branch.record("1.3", {case_id: flawless(case) for case_id, case in CASES.items()})
        assert "PROCEED" in against(branch, 0).out, "a draft blocks nothing"
        self.promote_by_hand(branch, "1.2")
        done = against(branch, 1)
        assert "as promoted (extract v1.2): Concept recall is worse by" in said(done)
        assert "put prompts/promoted.json back" in said(done)

    def test_a_better_one_does(self, branch: Box) -> None:
        branch.prompt("1.2")
        branch.record("1.2", {case_id: flawless(case) for case_id, case in CASES.items()})
        self.promote_by_hand(branch, "1.1")
        assert "PROCEED" in against(branch, 0).out

    def test_one_without_answers_does_not(self, branch: Box) -> None:
        branch.prompt("1.2")
        branch.prompt("1.3")
        branch.record("1.3", {case_id: flawless(case) for case_id, case in CASES.items()})
        self.promote_by_hand(branch, "1.2")
        assert "as promoted (extract v1.2): cases without a recorded answer" in said(against(branch, 1))


class TestBaselines:
    def test_one_without_some_of_the_cases(self, branch: Box) -> None:
        edit_baseline(branch, lambda value: value.update(cases=value["cases"][:1]))
        assert "the new baseline lacks cases that the one before has" in said(against(branch, 1))

    def test_one_without_a_metric(self, branch: Box) -> None:
        def strip(value: dict[str, Any]) -> None:
            for part in (value, *value["cases"]):
                del part["metrics"]["recall"]

        edit_baseline(branch, strip)
        assert "the new baseline does not follow from its recordings" in said(against(branch, 1))

    def test_one_whose_answers_are_recorded_nowhere(self, branch: Box) -> None:
        def lower(value: dict[str, Any]) -> None:
            for case in value["cases"]:
                case["answers"] = "0" * 16
                case["metrics"] |= {"recall": 0.3, "overall": 0.3}

        edit_baseline(branch, lower)
        assert "the new baseline cannot be checked" in said(against(branch, 1))

    def test_one_of_before_the_last_promotion(self, box: Box) -> None:
        old = box.read(BASELINE)
        box.row3("promote", "v1.1", code=0)
        box.commit("promote")
        box.write(BASELINE, old)
        assert "the new baseline is of extract v1.0, and v1.1 is promoted" in said(against(box, 1, "HEAD"))

    @pytest.mark.parametrize(
        ("part", "change", "told"),
        [
            ("thresholds", {"recall": {}}, "of other thresholds than the project's: recall.minimum none, where 0."),
            ("weights", {"recall": 0.1}, "of other weights than the project's: recall 0.1, where 0.25 is set"),
            ("gate", {"block": 90}, "of another gate than the project's: block 90, where 5.0 is set"),
            ("gate", {"metrics": ["overall"]}, "of another gate than the project's: metrics overall, where "),
            ("gate", {"informational": True}, "of another gate than the project's: informational True, where none"),
            ("model", "baker-9", "of model `baker-9`, and its parameters are of `baker-1`"),
        ],
    )
    def test_one_with_a_header_that_the_project_does_not_give(
        self, branch: Box, part: str, change: Any, told: str
    ) -> None:
        def forge(value: dict[str, Any]) -> None:
            value[part] = change if isinstance(change, str) else value[part] | change

        edit_baseline(branch, forge)
        assert f"the new baseline is {told}" in said(against(branch, 1))

    def test_rules_of_one_command_are_none_of_the_baseline_that_it_makes(self, branch: Box) -> None:
        before = json.loads(branch.read(BASELINE))["gate"]
        branch.row3("promote", "v1.1", "--fail", "recall:3", code=0)
        assert json.loads(branch.read(BASELINE))["gate"] == before
        against(branch, 0)

    def test_one_that_is_made_anew_passes(self, branch: Box) -> None:
        branch.row3("--baseline", code=0)
        against(branch, 0)

    def test_a_case_that_is_new_at_the_base_need_not_be_in_it(self, branch: Box) -> None:
        new = CASES["rye"] | {"sourceText": "Rye is a cereal. Salt slows the proofing of every dough."}
        branch.row3("--baseline", code=0)
        branch.case("crumb", **new)
        for version in ("1.0", "1.1"):
            branch.record(version, {"crumb": flawless(new)})
        against(branch, 0)


def test_recordings_of_the_baseline_cannot_be_taken_away_to_hide_a_fall(box: Box) -> None:
    # As after an update of row3: the baseline's answers are scored again.
    box.write(BASELINE, re.sub(r'"scorer": "extraction/\d+', '"scorer": "extraction/1', box.read(BASELINE)))
    box.commit("an older scorer")
    box.git("checkout", "-q", "-b", "work")
    worse(box)
    assert "Overall is worse by" in said(against(box, 1))
    box.path(f"recordings/{SUITE}/extract-v1.0.jsonl").unlink()
    assert "Overall is worse by" in said(against(box, 1))


LOOSER = f"[suites.{SUITE}.gate]\nblock = 6\n"


def test_rules_that_the_protected_branch_changed_itself_do_not_block_its_merge(box: Box) -> None:
    box.git("checkout", "-q", "-b", "work")
    box.prompt("1.2")
    box.record("1.2", {case_id: flawless(case) for case_id, case in CASES.items()})
    box.commit("a draft")
    box.git("checkout", "-q", "main")
    box.write("row3.toml", CONFIG + LOOSER)
    box.row3("--baseline", code=0)
    box.commit("a softer limit, agreed")
    box.row3("hook", "install", code=0)
    box.git("checkout", "-q", "work")
    box.git("merge", "--no-ff", "--no-edit", "main", code=0)
    box.git("reset", "-q", "--hard", "HEAD~1")
    box.git("merge", "--no-ff", "--no-commit", "main", code=0)
    box.git("commit", "-q", "-m", "concluded by hand", code=0)


def test_rules_that_the_merged_branch_softens_do(box: Box) -> None:
    box.row3("hook", "install", code=0)
    box.git("checkout", "-q", "-b", "work")
    box.write("row3.toml", CONFIG + LOOSER)
    box.commit("softer")
    box.git("checkout", "-q", "main")
    assert "asks for less" in " ".join(box.git("merge", "--no-ff", "--no-edit", "work", code=1).err.split())


def test_a_forced_push_that_takes_a_promotion_back_is_judged(box: Box, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    run("git", "clone", "-q", "--bare", str(box.root), str(remote), cwd=tmp_path, env=clean_env(tmp_path))
    box.git("remote", "add", "origin", str(remote))
    box.row3("promote", "v1.1", code=0)
    box.commit("promote")
    box.git("push", "-q", "origin", "main")
    box.row3("hook", "install", code=0)
    box.git("reset", "-q", "--hard", "HEAD~1")
    assert "row3 stops this push" in box.git("push", "-f", "origin", "main", code=1).err
    box.git("push", "-f", "origin", "HEAD:elsewhere", code=0)
