"""Listing, verifying and pruning recordings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from row3.commands.recordings.upkeep import list_recordings, prune, verify
from row3.domain.prompts import PromptRef, Version
from row3.domain.requests import digest_text
from row3.errors import InvalidFile
from row3.project.documents import dump_line
from row3.project.project import Project, open_project
from row3.project.prompts import read_prompt
from row3.project.tree import WorkTree
from row3.running.stages import Overrides
from tests.two_stages import (
    BOTH,
    CONCEPTS,
    LINKS,
    file_of,
    imported,
    replayed,
    response,
    rules,
    suite_of,
    two_stages,
    write_case,
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two cases, two versions of the first prompt, one of the second; nothing recorded."""
    return two_stages(tmp_path)


def test_the_list_says_what_is_used_and_what_is_stale(project: Project) -> None:
    imported(project, *BOTH)
    write_case(project.root, "a", "Rye is a cereal, and so is wheat.")
    summaries = {one.prompt: one for one in list_recordings(project, suite_of(project))}
    first, second = summaries["decompose-v1.1"], summaries["map-v1.0"]
    assert (first.count, first.cases, first.models) == (2, {"a", "b"}, {"m"})
    assert (first.candidate, first.promoted, first.stale) == (1, 0, 1)
    assert first.bytes == file_of(project, "decompose-v1.1").stat().st_size
    # The second stage of case a is not reached any more: its first stage would have to be asked again.
    assert (second.candidate, second.stale) == (1, 1)


def _promote(project: Project, name: str, version: str) -> None:
    digest = read_prompt(WorkTree(project.root), PromptRef(name, Version(*map(int, version.split("."))))).digest
    entry = {"version": f"v{version}", "digest": digest, "date": "2026-11-20"}
    text = json.dumps({"schemaVersion": 1, "prompts": {name: entry}})
    (project.root / "prompts/promoted.json").write_text(text, encoding="utf-8")


def test_promoted_counts_only_promoted_versions(project: Project) -> None:
    imported(project, response("a", "map", LINKS), response("a", "decompose", CONCEPTS))
    told = [finding.message for finding in verify(project, suite_of(project))]
    assert told == ["no recording of decompose-v1.1 (candidate) for b"]
    _promote(project, "decompose", "1.0")
    project = open_project(project.root)
    told = [finding.message for finding in verify(project, suite_of(project))]
    assert told == [
        "no recording of decompose-v1.0 (promoted) for a",
        "no recording of decompose-v1.0 (promoted) for b",
        "no recording of decompose-v1.1 (candidate) for b",
    ]
    _promote(project, "decompose", "1.1")
    project = open_project(project.root)
    counts = {one.prompt: (one.promoted, one.candidate) for one in list_recordings(project, suite_of(project))}
    assert counts == {"decompose-v1.1": (1, 1), "map-v1.0": (0, 1)}


def test_verify_accepts_imported_recordings(project: Project) -> None:
    imported(project, *BOTH)
    assert verify(project, suite_of(project)) == []


def test_verify_names_an_edited_answer_a_second_answer_and_a_wrong_order(project: Project) -> None:
    imported(project, *BOTH)
    path = file_of(project, "map-v1.0")
    a, b = path.read_text().splitlines()
    path.write_text(f"{b}\n{a}\n{a.replace('IS_A', 'CAUSES')}\n")
    found = verify(project, suite_of(project))
    places = {finding.rule: finding.where for finding in found}
    assert places == {
        "edited-answer": "recordings/bread/map-v1.0.jsonl:3",
        "two-answers": "recordings/bread/map-v1.0.jsonl:3",
        "unsorted": "recordings/bread/map-v1.0.jsonl:2",
    }
    path.write_text(f"{a}\n{a}\n{b}\n")
    assert rules(project) == ["twice"]


def test_conflicting_answers_stop_a_replay_but_not_list_and_verify(project: Project) -> None:
    imported(project, *BOTH)
    path = file_of(project, "map-v1.0")
    a = path.read_text().splitlines()[0]
    value = json.loads(a)
    value["response"]["text"] = value["response"]["text"].replace("IS_A", "CAUSES")
    value["answerDigest"] = digest_text(value["response"]["text"])
    file_of(project, "zzz").write_text(dump_line(value) + "\n")
    with pytest.raises(InvalidFile, match=r"bread/map-v1.0.jsonl:1: the same request .*bread/zzz.jsonl:1. Remove one"):
        replayed(project)
    assert rules(project) == ["two-answers"]
    assert len(list_recordings(project, suite_of(project))) == 3
    assert prune(project, suite_of(project), dry_run=True).removed == {}
    file_of(project, "zzz").write_text(a + "\n")
    assert replayed(project).complete


def test_verify_lists_every_broken_line_instead_of_stopping(project: Project) -> None:
    imported(project, *BOTH)
    path = file_of(project, "map-v1.0")
    lines = path.read_text().splitlines()
    path.write_bytes(f"{lines[0][:-9]}\n{lines[1]}\n<<<<<<< HEAD\n".encode() + b"\xff\n")
    found = verify(project, suite_of(project))
    assert [finding.rule for finding in found] == ["broken-line"] * 3 + ["not-checked"]
    assert all(finding.where not in finding.message for finding in found)
    assert re.search(r" \(column [1-9][0-9]+\)\. Correct the file", found[0].message)


def test_verify_reports_missing_recordings_and_other_models(project: Project) -> None:
    imported(project, *BOTH, overrides=Overrides(model="other"))
    assert rules(project) == ["missing"] * 2 + ["other-parameters"] * 4
    assert {finding.level for finding in verify(project, suite_of(project))} == {"warning"}


def test_prune_removes_only_stale_recordings(project: Project) -> None:
    imported(project, *BOTH)
    imported(project, *BOTH, overrides=Overrides(model="other"))
    imported(project, response("a", "decompose-v1.0", CONCEPTS), named=("decompose-v1.0",))
    before = {path: path.read_bytes() for path in (project.root / "recordings/bread").iterdir()}
    assert prune(project, suite_of(project)).removed == {}
    assert {path: path.read_bytes() for path in (project.root / "recordings/bread").iterdir()} == before
    write_case(project.root, "a", "Rye is a cereal, and so is wheat.")
    dry = prune(project, suite_of(project), dry_run=True)
    assert {path: path.read_bytes() for path in (project.root / "recordings/bread").iterdir()} == before
    done = prune(project, suite_of(project))
    assert (
        dry.removed
        == done.removed
        == {
            "recordings/bread/decompose-v1.0.jsonl": 1,
            "recordings/bread/decompose-v1.1.jsonl": 2,
            "recordings/bread/map-v1.0.jsonl": 2,
        }
    )
    assert done.kept == 4
    assert not file_of(project, "decompose-v1.0").exists()
    assert replayed(project).failed == ["a"]


def test_prune_keeps_recordings_of_existing_prompts_outside_the_pipeline(project: Project) -> None:
    imported(project, *BOTH)
    (project.root / "row3.toml").write_text('[provider]\nmodel = "m"\n[suites.bread]\npipeline = ["decompose"]\n')
    narrowed = open_project(project.root)
    assert prune(narrowed, suite_of(narrowed)).removed == {}
    (project.root / "prompts/map-v1.0.md").unlink()
    narrowed = open_project(project.root)
    assert prune(narrowed, suite_of(narrowed)).removed == {"recordings/bread/map-v1.0.jsonl": 2}


def test_prune_changes_nothing_if_a_line_is_broken(project: Project) -> None:
    imported(project, *BOTH)
    path = file_of(project, "map-v1.0")
    path.write_text(path.read_text() + "{\n")
    before = path.read_bytes()
    with pytest.raises(InvalidFile, match=r"map-v1.0.jsonl:3"):
        prune(project, suite_of(project))
    assert path.read_bytes() == before
