"""A project of several suites: one that is better, one that regresses, one that is broken, one without its answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from row3.commands.recordings.import_responses import import_responses
from row3.project.project import open_project, pick_suite
from row3.running.run_options import RunOptions
from tests.projects import CASES, PROMPT, Box, first, flawless

SUITES = ("broken", "good", "incomplete", "worse")
GENERAL = 'mode = "replay"\n\n[provider]\nmodel = "baker-1"\n'
FOUND = {"good": (3, 4), "worse": (4, 2), "incomplete": (3, 4), "broken": (3, 4)}
"""Concepts of four that v1.0 and v1.1 of a suite's prompt find."""


def several(root: Path) -> Box:
    """Four suites of three cases, each with a prompt of its own, all of them whole; not in git yet."""
    box = Box(root)
    box.write("row3.toml", GENERAL + "".join(f'\n[suites.{s}]\npipeline = ["find-{s}"]\n' for s in SUITES))
    for suite in SUITES:
        for case_id, case in CASES.items():
            box.write(f"golden/{suite}/{case_id}.gold.json", json.dumps({"id": case_id} | case, indent=1) + "\n")
        for version, concepts in zip(("1.0", "1.1"), FOUND[suite], strict=True):
            name = f"find-{suite}"
            box.write(f"prompts/{name}-v{version}.md", PROMPT.format(name=name, version=version))
            record(box, suite, version, {case_id: first(flawless(case), concepts) for case_id, case in CASES.items()})
    return box


def record(box: Box, suite: str, version: str, answers: Mapping[str, Any]) -> None:
    """Make recordings of a version of a suite's prompt."""
    prompt = f"find-{suite}-v{version}"
    lines = [{"caseId": id_, "prompt": prompt, "response": json.dumps(each)} for id_, each in answers.items()]
    file = box.root.parent / f"responses-{box.root.name}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    project = open_project(box.root)
    import_responses(project, pick_suite(project, suite), file, named=(prompt,), options=RunOptions())
    file.unlink()


def with_baselines(root: Path) -> Box:
    """The same in git, with a baseline of v1.0 for every suite."""
    box = several(root)
    box.init()
    waiting = [box.path(f"prompts/find-{suite}-v1.1.md") for suite in SUITES]
    for path in waiting:
        path.rename(path.with_suffix(".away"))
    box.row3("--baseline", "--all", code=0)
    for path in waiting:
        path.with_suffix(".away").rename(path)
    box.commit("baselines")
    return box


def spoil(box: Box) -> None:
    """Break one suite's case, and take a recording from another."""
    box.write("golden/broken/rye.gold.json", "{")
    name = "recordings/incomplete/find-incomplete-v1.1.jsonl"
    box.write(name, "".join(box.read(name).splitlines(keepends=True)[1:]))
