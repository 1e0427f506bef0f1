"""Promotions, baselines, locks and recordings: what the next change starts from is judged as the candidate is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from row3.domain.requests import digest_text
from tests.journeys import BASELINE, GOOD, LOCKS, POOR, draft, judged, merge, settings, signed
from tests.projects import CASES, SUITE, Box, tiny

RECORDED = f"recordings/{SUITE}/extract-v1.1.jsonl"
DIFFERS = "block baseline_differs baseline"


def lock(box: Box, version: str, name: str = "extract") -> None:
    """Make a version the current one by hand, with no gate."""
    value = json.loads(box.read(LOCKS))
    entry = value["prompts"].get(name, {})
    locked = entry.get("locked", {}) | ({entry["version"]: entry["digest"]} if entry else {})
    digest = digest_text(box.read(f"prompts/{name}-v{version}.md"))
    value["prompts"][name] = {"version": f"v{version}", "digest": digest, "date": "2026-01-01", "locked": locked}
    box.write(LOCKS, json.dumps(value, indent=1) + "\n")


def edit_baseline(box: Box, edit: Callable[[dict[str, Any]], object]) -> None:
    value = json.loads(box.read(BASELINE))
    edit(value)
    box.write(BASELINE, json.dumps(value, indent=1) + "\n")


class TestPromotion:
    def test_the_whole_way(self, work: Box) -> None:
        draft(work, "1.2", GOOD)
        assert judged(work, code=0).reasons == {"note recorded"}
        merge(work, "a draft")
        work.row3("promote", "v1.2", "--commit", code=0)
        assert judged(work, code=0).reasons == set()
        merge(work)
        assert judged(work, code=0).reasons == set()

    def test_a_worse_version_behind_a_harmless_draft(self, work: Box) -> None:
        draft(work, "1.2", POOR)
        draft(work, "1.3", GOOD)
        assert judged(work, code=0).reasons == {"note recorded"}, "a version that nobody runs or promotes"
        lock(work, "1.2")
        assert judged(work, code=1).reasons >= {"block worse overall", "block entered_fail_zone recall", DIFFERS}

    def test_one_without_answers(self, work: Box) -> None:
        work.prompt("1.2")
        draft(work, "1.3", GOOD)
        lock(work, "1.2")
        assert judged(work, code=3).reasons >= {f"block no_answer {case_id}" for case_id in CASES}

    def test_one_that_is_a_draft_of_the_base(self, work: Box) -> None:
        draft(work, "1.2", POOR)
        signed(work)
        merge(work)
        lock(work, "1.2")
        assert judged(work, code=1).reasons >= {"block worse overall", DIFFERS}

    def test_a_lock_without_its_baseline(self, work: Box) -> None:
        draft(work, "1.2", GOOD)
        lock(work, "1.2")
        assert judged(work, code=1).reasons == {DIFFERS, "note recorded"}
        work.row3("--baseline", code=0)
        assert judged(work, code=0).reasons == {"note recorded"}

    def test_to_go_back_to_a_worse_version(self, work: Box) -> None:
        work.row3("promote", "v1.0", code=1)
        lock(work, "1.0")
        work.row3("--baseline", code=0)
        assert "block worse overall" in judged(work, code=1).reasons
        work.git("checkout", "-q", "--", ".")
        work.row3("promote", "v1.0", "--approve", "v1.1 is slow", code=0)
        told = judged(work, code=0)
        assert told.reasons >= {"note approved", "block worse overall"}


class TestLocks:
    @pytest.mark.parametrize("version", ["1.0", "1.1"])
    def test_a_promoted_version_is_edited_in_place(self, work: Box, version: str) -> None:
        work.write(f"prompts/extract-v{version}.md", work.read(f"prompts/extract-v{version}.md") + "more\n")
        done = work.row3("--compare", "--against", "main", code=2, CI="1")
        assert f"extract v{version} is promoted and was edited in place" in done.err
        table = json.loads(work.read(LOCKS))
        entry, digest = table["prompts"]["extract"], digest_text(work.read(f"prompts/extract-v{version}.md"))
        entry |= {"digest": digest} if version == "1.1" else {"locked": {"v1.0": digest}}
        work.write(LOCKS, json.dumps(table))
        told = judged(work)
        assert told.code in (1, 3)
        assert f"block lock_broken extract-v{version}" in told.reasons

    def test_files_and_locks_that_go(self, work: Box) -> None:
        text = work.read("prompts/extract-v1.0.md")
        work.path("prompts/extract-v1.0.md").unlink()
        assert judged(work, code=1).reasons == {"block lock_broken extract-v1.0"}
        assert "note approved" in signed(work).reasons
        work.path(LOCKS).unlink()
        assert judged(work, code=1).reasons >= {"block lock_broken extract-v1.1", "note approval_stale"}
        work.write("prompts/extract-v1.0.md", text)
        work.git("checkout", "-q", "--", LOCKS)
        assert judged(work, code=0).reasons == set()

    def test_those_of_a_prompt_that_no_suite_asks(self, work: Box) -> None:
        settings(work, f'[suites.{SUITE}]\npipeline = ["extract"]\n')
        work.prompt("1.0", "spare")
        lock(work, "1.0", "spare")
        merge(work)
        work.path("prompts/spare-v1.0.md").unlink()
        assert judged(work, code=1).reasons == {"block lock_broken spare-v1.0"}
        work.git("add", "-A")
        assert "spare-v1.0" in work.row3("hook", "run", "pre-commit", code=1).err

    def test_a_prompt_that_leaves_the_pipeline_keeps_its_locks(self, work: Box) -> None:
        text = work.read("prompts/extract-v1.1.md").replace("name: extract", "name: finder")
        work.write("prompts/finder-v1.1.md", text)
        settings(work, f'[suites.{SUITE}]\npipeline = ["finder"]\n')
        assert "block lock_broken extract-v1.1" not in judged(work, code=0).reasons
        for version in ("1.0", "1.1"):
            work.path(f"prompts/extract-v{version}.md").unlink()
        broken = {"block lock_broken extract-v1.0", "block lock_broken extract-v1.1"}
        assert judged(work, code=1).reasons >= broken


class TestBaseline:
    def test_it_may_be_made_anew(self, work: Box) -> None:
        work.row3("--baseline", code=0)
        assert judged(work, code=0).reasons == set()

    def test_it_cannot_go(self, work: Box) -> None:
        work.path(BASELINE).unlink()
        assert judged(work, code=1).reasons == {"block criteria_removed baseline"}

    @pytest.mark.parametrize(
        "edit",
        [
            lambda value: value["cases"].pop(),
            lambda value: value["cases"][0].update(answers=["0" * 64]),
            lambda value: value["cases"][0].update(requests=[], answers=[]),
            lambda value: value.update(model="baker-9"),
            lambda value: value.update(repeats=2),
        ],
    )
    def test_nothing_in_it_is_written_by_hand(self, work: Box, edit: Callable[[dict[str, Any]], object]) -> None:
        edit_baseline(work, edit)
        assert DIFFERS in judged(work).reasons

    def test_its_summary_is_for_people(self, work: Box) -> None:
        edit_baseline(work, lambda value: value["summary"].update(overall=0.1))
        assert judged(work, code=0).reasons == set()
        draft(work, "1.2", POOR)
        assert "block worse overall" in judged(work, code=1).reasons
        assert "block worse overall" in judged(work, against=None, code=1).reasons

    def test_one_of_before_the_last_promotion(self, work: Box) -> None:
        work.write(BASELINE, work.git("show", f"HEAD~1:{BASELINE}").out)
        assert judged(work, code=1).reasons == {DIFFERS}

    def test_one_of_another_model(self, work: Box) -> None:
        lines = "".join(
            json.dumps({"caseId": name, "prompt": "extract-v1.1", "response": json.dumps(POOR[name])}) + "\n"
            for name in CASES
        )
        file = work.root.parent / "answers.jsonl"
        file.write_text(lines, encoding="utf-8")
        work.row3("recordings", "import", str(file), "--model", "tiny-llm", code=0)
        work.row3("--baseline", "--model", "tiny-llm", code=0)
        assert judged(work, code=1).reasons == {DIFFERS}

    def test_one_of_more_and_worse_answers(self, work: Box) -> None:
        work.record("1.1", POOR, repeat=1)
        work.row3("--baseline", "--repeats", "2", code=0)
        assert "block worse overall" in judged(work, code=1).reasons
        work.record("1.1", GOOD, repeat=1)
        work.row3("--baseline", "--repeats", "2", code=0)
        assert judged(work, code=0).reasons == set()

    def test_one_that_judges_a_worse_prompt_which_it_is_made_of(self, work: Box) -> None:
        draft(work, "1.2", POOR)
        for name in (BASELINE, LOCKS):
            work.path(name).unlink()
        work.row3("--baseline", code=0)
        assert judged(work, code=1).reasons >= {"block worse overall", "block lock_broken extract-v1.1"}

    def test_a_first_one_judges_itself(self, tmp_path: Path) -> None:
        box = tiny(tmp_path / "project")
        box.init()
        box.git("checkout", "-q", "-b", "work")
        assert "Save one with `row3 --baseline`" in box.row3("--compare", "--against", "main", code=2, CI="1").err
        box.row3("promote", "v1.0", code=0)
        assert judged(box, code=0).reasons == {"note criteria_added baseline"}
        edit_baseline(box, lambda value: value["cases"].pop())
        assert DIFFERS in judged(box, code=1).reasons

    def test_where_nothing_is_promoted_its_versions_are(self, tmp_path: Path) -> None:
        box = tiny(tmp_path / "project")
        box.row3("--baseline", code=0)
        box.init()
        box.git("checkout", "-q", "-b", "work")
        waiting = box.path("prompts/extract-v1.1.md")
        waiting.rename(box.root.parent / "away.md")
        box.row3("--baseline", code=0)
        (box.root.parent / "away.md").rename(waiting)
        assert "block worse overall" in judged(box, code=1).reasons, "v1.0 in the place of v1.1"
        box.git("checkout", "-q", "--", ".")
        box.replace("prompts/extract-v1.1.md", "about bread", "of bread")
        box.record("1.1", GOOD)
        assert judged(box, code=0).reasons == {"note recorded"}, "a draft is edited freely"

    def test_one_of_version_1_is_read_and_the_next_is_of_version_2(self, work: Box) -> None:
        value = json.loads(work.read(BASELINE))
        old = {key: value[key] for key in ("suite", "kind", "runId", "at", "model", "parameters", "repeats")}
        old |= {"schemaVersion": 1, "mode": "replay", "metrics": {"overall": 0.1}}
        old["prompts"] = {name: prompt["version"] for name, prompt in value["prompts"].items()}
        old["promptDigests"] = {name: prompt["digest"] for name, prompt in value["prompts"].items()}
        old["cases"] = [{key: case[key] for key in ("id", "digest", "input")} for case in value["cases"]]
        work.write(BASELINE, json.dumps(old))
        merge(work, "as it was saved long ago")
        for against in ("main", None):
            assert judged(work, against=against, code=0).reasons == set()
        draft(work, "1.2", POOR)
        for against in ("main", None):
            assert "block worse overall" in judged(work, against=against, code=1).reasons
        work.git("stash", "-q", "-u")
        work.row3("--baseline", code=0)
        assert json.loads(work.read(BASELINE))["schemaVersion"] == 2
        assert judged(work, code=0).reasons == set()
