"""Shards of a run, joined, are the run: the same result and the same saved run, byte by byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.runs import Shard, parse_shard
from row3.errors import InvalidFile, UsageError
from row3.gate.results import Run, ran
from row3.project.project import Project, open_project, pick_suite
from row3.project.saved_runs import run_bytes
from row3.reports.formats import result_text
from row3.running.run_options import RunOptions
from row3.running.score import score_outputs
from row3.running.session import open_session, save_log
from row3.running.shards import merge_shards
from row3.running.suite_run import run_suite
from tests.projects import CASES, SUITE, Box, flawless, shipped

RYE = CASES["rye"]
OUTPUTS: tuple[dict[str, Any], ...] = (
    {"output": flawless(RYE)},
    {"output": {"concepts": flawless(RYE)["concepts"][:1], "relationships": []}},
    {"output": {"concepts": [{"label": "gluten lattice theory"}, {"label": "Rye"}, {"label": "rye"}]}},
    {"output": "not JSON \ud83e"},  # half a surrogate pair
    {"output": {"concepts": "none"}},
    {"error": "timed out"},
    {},
)
"""What a case's line holds; the last stands for no line."""


@given(st.lists(st.sampled_from(range(len(OUTPUTS))), min_size=1, max_size=9), st.integers(1, 12), st.booleans())
def test_the_shards_of_outputs_make_one_run(
    tmp_path_factory: pytest.TempPathFactory, picks: list[int], of: int, source: bool
) -> None:
    box = Box(tmp_path_factory.mktemp("shards"))
    lines = []
    for place, pick in enumerate(picks):
        case_id = f"case-{place}"
        case = {"id": case_id, **RYE} | ({"source": f"book {place % 2}"} if source else {})
        draft = place > 0 and pick == 1
        box.write(f"golden/{SUITE}/{case_id}.gold.json", json.dumps(case | ({"draft": True} if draft else {})))
        if OUTPUTS[pick] and not draft:
            lines.append(json.dumps({"caseId": case_id, **OUTPUTS[pick]}))
    outputs = box.write("outputs.jsonl", "\n".join([*lines, ""]))
    if not lines:
        return
    project = open_project(box.root)
    suite = pick_suite(project, None)

    def run(shard: Shard | None = None) -> Run:
        return score_outputs(project, suite, outputs, RunOptions(explain=True, shard=shard))

    assert_one(project, run(), [run(Shard(number=number, of=of)) for number in range(1, of + 1)])


def assert_one(project: Project, whole: Run, parts: list[Run]) -> None:
    """Assert that the parts, saved and joined in any order, are the whole in every format and as a saved run."""
    assert sum(part.cases for part in parts) == whole.cases
    for part in parts:
        save_log(project, part, print)
    saved = sorted((project.local / "shards").iterdir())
    merged = merge_shards(project, [str(path) for path in reversed(saved)])
    merged.header = merged.header.replace(run_id=whole.header.run_id, at=whole.header.at)
    assert b"".join(run_bytes(merged.header, merged.records)) == b"".join(run_bytes(whole.header, whole.records))
    for form in ("table", "json", "markdown", "junit", "github", "codequality"):
        assert shown(merged, form) == shown(whole, form), form


def shown(run: Run, form: str) -> bytes:
    text = result_text(ran(run), form, verbose=True)
    return text.encode("utf-8", "replace") if isinstance(text, str) else b"".join(text)


@pytest.mark.parametrize("of", [1, 2, 4, 20])
@pytest.mark.parametrize("suite", ["decomposition", "entities", "retrieval", "graph", "outcome", "memory-operations"])
def test_the_shards_of_a_replay_make_one_run(tmp_path: Path, calm_env: None, suite: str, of: int) -> None:
    box = shipped(tmp_path / "project")
    session = open_session(box.root, suite, RunOptions(mode="replay", explain=True))

    def run(shard: Shard | None = None) -> Run:
        options = RunOptions(mode="replay", explain=True, shard=shard)
        return run_suite(open_session(box.root, suite, options))

    assert_one(session.project, run(), [run(Shard(number=number, of=of)) for number in range(1, of + 1)])


@given(st.integers(0, 200), st.integers(1, 60))
def test_parts_are_even_and_leave_nothing_out(count: int, of: int) -> None:
    items = list(range(count))
    parts = [Shard(number=number, of=of).part(items) for number in range(1, of + 1)]
    assert [item for part in parts for item in part] == items
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize(
    "text", ["9/8", "0/8", "3/0", "a/b", "3", "", "3/", "/8", "3/8/1", "-1/8", "1.5/8", " 3/8", "³/8"]
)
def test_what_is_no_shard(text: str) -> None:
    assert parse_shard(text) is None


def test_what_is_a_shard() -> None:
    assert parse_shard("3/8") == Shard(number=3, of=8)


class TestWrongShards:
    """Each message names what is wrong, where, and what to do."""

    @pytest.fixture
    def saved(self, small: Box) -> list[Path]:
        for number in (1, 2, 3):
            self.run(small, f"{number}/3")
        return sorted(small.path(".row3/shards").iterdir())

    def run(self, box: Box, shard: str, **options: Any) -> None:
        session = open_session(box.root, None, RunOptions(shard=parse_shard(shard), explain=True, **options))
        save_log(session.project, run_suite(session), print)

    def merge(self, box: Box, *names: object) -> str:
        with pytest.raises((InvalidFile, UsageError)) as caught:
            merge_shards(open_project(box.root), [str(name) for name in names])
        return str(caught.value)

    def test_a_missing_one(self, small: Box, saved: list[Path]) -> None:
        assert "2 of 3 is missing. Run the same command with --shard 2/3" in self.merge(small, saved[0], saved[2])
        assert "1 and 3 of 3 are missing" in self.merge(small, saved[1])

    def test_one_twice(self, small: Box, saved: list[Path]) -> None:
        text = self.merge(small, *saved, saved[0])
        name = f".row3/shards/{saved[0].name}"
        assert f"shard 1/3 is given twice: {name} and {name}. Leave one" in text

    def test_of_another_prompt(self, small: Box, saved: list[Path]) -> None:
        self.run(small, "2/3", named=("extract-v1.0",))
        other = max(small.path(".row3/shards").iterdir())
        text = self.merge(small, saved[0], other, saved[2])
        assert f".row3/shards/{other.name}: shard 2/3 has not the same versions of prompts as shard 1/3 in" in text

    def test_of_another_number_of_shards(self, small: Box, saved: list[Path]) -> None:
        self.run(small, "2/2")
        other = max(small.path(".row3/shards").iterdir())
        assert "has not the same number of shards" in self.merge(small, saved[0], other)

    def test_of_other_cases(self, small: Box, saved: list[Path]) -> None:
        small.case("spelt", **RYE)
        small.record("1.1", {"spelt": flawless(RYE)})
        self.run(small, "3/3")
        other = max(small.path(".row3/shards").iterdir())
        assert "has not the same golden cases" in self.merge(small, *saved[:2], other)

    def test_with_other_limits(self, small: Box, saved: list[Path]) -> None:
        small.write("row3.toml", small.read("row3.toml") + f"\n[suites.{SUITE}.thresholds.overall]\nminimum = 0.5\n")
        assert "the thresholds changed since the shards ran" in self.merge(small, *saved)

    def test_of_an_edited_prompt(self, small: Box, saved: list[Path]) -> None:
        small.replace("prompts/extract-v1.1.md", "about bread", "about rolls")
        assert "the texts of prompts changed since the shards ran" in self.merge(small, *saved)

    def test_a_whole_run_and_other_files(self, small: Box, saved: list[Path]) -> None:
        session = open_session(small.root, None, RunOptions())
        save_log(session.project, run_suite(session), print)
        (whole,) = small.path(".row3/runs").iterdir()
        for path in (whole, small.path("row3.toml"), small.write("empty", ""), small.write("a.json", '{"a": 1}')):
            assert "this is not a saved run with --shard. Name the file" in self.merge(small, path)
        assert "there is no saved shard `2019`. Choose from" in self.merge(small, "2019")

    def test_one_that_is_cut_off_or_edited(self, small: Box, saved: list[Path]) -> None:
        text = saved[0].read_bytes()
        saved[0].write_bytes(text[: text.rindex(b"]}")])
        assert "the file is cut off. Copy it again" in self.merge(small, *saved)
        saved[0].write_bytes(text.replace(b'"scored"', b'"great"'))
        assert "a case of the shard is broken" in self.merge(small, *saved)

    def test_two_cases_of_one_id(self, small: Box) -> None:
        small.case("zwieback", **{**RYE, "id": "rye"})
        for number in (1, 2):
            self.run(small, f"{number}/2")
        names = sorted(small.path(".row3/shards").iterdir())
        assert "the id `rye` is already used by another case" in self.merge(small, *names)


def test_an_output_of_no_case_is_refused_as_in_one_run(small: Box) -> None:
    project = open_project(small.root)
    lines = [json.dumps({"caseId": case_id, "output": {}}) for case_id in (*CASES, "barley")]
    outputs = small.write("outputs.jsonl", "\n".join([*lines, ""]))
    with pytest.raises(InvalidFile, match="`barley` is not a golden case of the suite"):
        score_outputs(project, pick_suite(project, None), outputs, RunOptions(shard=Shard(number=1, of=2)))
    small.write(f"golden/{SUITE}/other-name.gold.json", json.dumps({"id": "barley", **RYE}))
    project = open_project(small.root)
    run = score_outputs(project, pick_suite(project, None), outputs, RunOptions(shard=Shard(number=1, of=2)))
    assert run.cases == 2
