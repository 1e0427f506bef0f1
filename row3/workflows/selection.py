"""`--only failing|changed`: a part of the cases, chosen from the last run or the baseline; no gate."""

from __future__ import annotations

from typing import Literal

from row3.domain.metrics import Zone
from row3.errors import InvalidFile
from row3.gate.zones import zones_of
from row3.store.cases import read_cases
from row3.store.project import Project
from row3.store.saved_runs import latest_runs, read_log
from row3.store.suites import Suite
from row3.workflows.comparing.baseline import read_baseline
from row3.workflows.score import MODE

Part = Literal["failing", "changed"]


def pick_cases(project: Project, suite: Suite, part: Part) -> frozenset[str]:
    """Return the ids of the cases that fail in the last run, or are new or changed. Raises `InvalidFile` for none."""
    if part == "changed":
        known = read_baseline(project, suite).cases
        found = [
            stored.id
            for stored in read_cases(project.tree, suite.golden, suite.kind)
            if stored.id not in known or known[stored.id].digest != stored.digest
        ]
    else:
        found = _failing(project, suite)
    if not found:
        raise InvalidFile(f"no case is {part}", where=f"suite {suite.name}", fix="Leave --only out to run all")
    return frozenset(found)


def _failing(project: Project, suite: Suite) -> list[str]:
    """The cases with a failure in the newest run log of the suite's prompts."""
    for path in latest_runs(project.local / "runs"):
        run = read_log(path)
        if run.header.suite == suite.name and run.header.mode != MODE:  # outputs of elsewhere say nothing of prompts
            metrics, thresholds = suite.kind.metrics, suite.rules.thresholds
            zones = {record.id: zones_of(record.metrics, metrics, thresholds).values() for record in run.cases.values()}
            return [each.id for each in run.cases.values() if each.status != "scored" or Zone.FAIL in zones[each.id]]
    raise InvalidFile("there is no run yet", where=".row3/runs", fix=f"Run `row3{suite.flag}` first")
