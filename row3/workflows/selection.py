"""`--only failing|regressed|changed`: a part of the cases, chosen from the last run or the baseline; no gate."""

from __future__ import annotations

from typing import Literal

from row3.domain.metrics import Zone
from row3.errors import InvalidFile
from row3.gate.zones import SLACK, zones_of
from row3.store.cases import read_cases
from row3.store.project import Project
from row3.store.saved_runs import SavedRun, latest_runs, read_log
from row3.store.suites import Suite
from row3.workflows.comparing.baseline import read_baseline
from row3.workflows.comparing.sides import baseline_side
from row3.workflows.score import MODE

Part = Literal["failing", "regressed", "changed"]


def pick_cases(project: Project, suite: Suite, part: Part) -> frozenset[str]:
    """Ids of the cases that are failing in the last run, regressed in it against the baseline, or new or
    changed since the baseline.

    Raises `InvalidFile` where there is no run or baseline to choose by, or nothing to choose.
    """
    if part == "changed":
        known = read_baseline(project, suite).cases
        found = [
            stored.id
            for stored in read_cases(project.tree, suite.golden, suite.kind)
            if stored.id not in known or known[stored.id].digest != stored.digest
        ]
    else:
        last = last_run(project, suite)
        found = _failing(last, suite) if part == "failing" else _regressed(project, suite, last)
    if not found:
        raise InvalidFile(f"no case is {part}", where=f"suite {suite.name}", fix="Leave --only out to run all")
    return frozenset(found)


def last_run(project: Project, suite: Suite) -> SavedRun:
    """The newest run log of the suite's prompts; raises `InvalidFile` where there is none."""
    for path in latest_runs(project.local / "runs"):
        run = read_log(path)
        if run.header.suite == suite.name and run.header.mode != MODE:  # outputs of elsewhere say nothing of prompts
            return run
    raise InvalidFile("there is no run yet", where=".row3/runs", fix=f"Run `row3{suite.flag}` first")


def _failing(run: SavedRun, suite: Suite) -> list[str]:
    found = []
    for record in run.cases.values():
        zones = zones_of(record.metrics, suite.kind.metrics, suite.rules.thresholds)
        if record.status != "scored" or Zone.FAIL in zones.values():
            found.append(record.id)
    return found


def _regressed(project: Project, suite: Suite, run: SavedRun) -> list[str]:
    key, side = suite.kind.primary, baseline_side(project, suite)
    found = []
    for stored in read_cases(project.tree, suite.golden, suite.kind):
        record, answered = run.cases.get(stored.id), side.score(stored)
        if record is None or answered is None or answered[0].status == "failed":
            continue
        if record.metrics.get(key, 0.0) < answered[0].metrics.get(key, 0.0) - SLACK:
            found.append(stored.id)
    return found
