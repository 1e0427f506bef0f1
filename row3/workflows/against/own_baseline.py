"""The baseline as the project has it: whether it may judge what comes later."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from row3.domain.verdicts import Reason, Verdict
from row3.store.project import Project
from row3.store.quarantine import read_quarantine
from row3.store.run_records import RunHeader
from row3.store.saved_runs import SavedRun, read_run
from row3.store.suites import Suite, make_suite
from row3.workflows.against.at_ref import Base
from row3.workflows.against.baseline_header import header_reasons
from row3.workflows.against.new_baseline import baseline_reasons, new_baseline_reasons


def own_baseline_reasons(
    project: Project,
    suite: Suite,
    before: SavedRun | None,
    base: Base | None,
    *,
    verify: bool,
    brought: bool,
    uncompared: Collection[str] = (),
) -> list[Reason]:
    """What is wrong about the baseline's figures; one that nobody brings may be of live answers, without recordings.

    `before` is the one that a change puts another in the place of, with which the cases `uncompared` could not be
    compared; a suite that the base does not have is `brought` with one. Of the base's own, which hook and CI take as it
    is, it is told and no ground of a block: what is approved would not be what they see. Raises `InvalidFile`.
    """
    if before is not None:
        found = new_baseline_reasons(project, suite, before, base, uncompared=uncompared)
        return [*found, *_header_reasons(project, suite, before.header)]
    if not verify or suite.tier != "replay":
        return []
    found = baseline_reasons(project, suite, base, new=brought)
    if brought:
        found += _header_reasons(project, suite, None)
        # Who approves it has no base and is told of it so: an approval holds for these words.
        found = [replace(reason, text=reason.text.replace("the new baseline", "the baseline")) for reason in found]
    return found if base is None else [replace(reason, verdict=Verdict.INVESTIGATE) for reason in found]


def _header_reasons(project: Project, suite: Suite, before: RunHeader | None) -> list[Reason]:
    new = read_run(project.tree, project.baseline(suite.name))
    resting = [entry.case_id for entry in read_quarantine(project.tree, suite.golden)]
    return header_reasons(make_suite(project.config, suite.name, suite.tier), before, new.header, resting)
