"""Whether a baseline can be trusted: whole, of the promoted prompts, and what its recordings give."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial

from row3.domain.verdicts import Reason, Verdict
from row3.gate.zones import SLACK
from row3.metrics.aggregate import Aggregate
from row3.store.cases import StoredCase, ids_of
from row3.store.project import Project
from row3.store.run_records import CaseRecord
from row3.store.saved_runs import SavedRun, read_run
from row3.store.suites import Suite, make_suite
from row3.workflows.against.at_ref import Base, listed
from row3.workflows.against.baseline_asked import other_than_asked
from row3.workflows.against.lowered_bar import LoweredBar
from row3.workflows.against.record_cases import RecordCases
from row3.workflows.comparing.baseline import with_case
from row3.workflows.comparing.rescore import Rescorer
from row3.workflows.history.quarantine import in_force


def new_baseline_reasons(
    project: Project, suite: Suite, before: SavedRun, base: Base | None, *, uncompared: Collection[str]
) -> list[Reason]:
    """What is wrong about the baseline that a change brings in the place of the one `before`.

    It judges whatever comes later, so it has to hold each case that the one before held and that is still there, be
    what `row3 --baseline` makes today, and follow from recordings. The cases `uncompared` could not be compared
    with that one. Raises as `baseline_reasons`.
    """
    new = _read(project, suite)
    reasons = [_blocks(f"the new baseline is {what}") for what in other_than_asked(project, suite, before, new)]
    resting = {entry.case_id for entry in in_force(project if base is None else base.project, suite).active}
    reasons += LoweredBar(project, suite, before, new, resting=resting, uncompared=uncompared).reasons()
    return [*_lacking(project, suite, before, new), *reasons, *baseline_reasons(project, suite, base, new=True)]


def _lacking(project: Project, suite: Suite, before: SavedRun, new: SavedRun) -> list[Reason]:
    """Cases that nothing would judge any more, by their ids, and by how many they are: ids can be given anew."""
    own, had, has = set(ids_of(project.tree, suite.golden)), set(before.ids()), set(new.ids())
    if gone := sorted(had & own - has):
        return [_blocks(f"the new baseline lacks cases that the one before has: {listed(gone)}")]
    count = len(has & own)
    if count < min(len(had), len(own)):
        return [_blocks(f"the new baseline has {count} of the suite's {len(own)} cases, and the one before {len(had)}")]
    return []


def baseline_reasons(project: Project, suite: Suite, base: Base | None, *, new: bool) -> list[Reason]:
    """Whether a baseline follows from the recordings that are there.

    Each figure is held to the golden case that it was made of. A `new` one that they cannot tell it of blocks. One that
    was there before is weighed as when it was made: that other weights hold now is a ground of its own. Where its case
    is another now, the comparison scores it again and does not use its figures, so that there is nothing to check.

    Raises `InvalidFile` for a baseline or golden case that cannot be read.
    """
    baseline = _read(project, suite)
    own = make_suite(project.config, suite.name, suite.tier)
    rules = own.rules if new else replace(own.rules, weights=baseline.header.weights)
    rescorer = Rescorer(project, replace(own, pipeline=suite.pipeline, rules=rules), baseline.header)
    case_of = RecordCases(project, own, base)
    name = "the new baseline" if new else "the baseline"
    unchecked, of_others, wrong, total = [], [], [], Aggregate()
    quarantined = baseline.header.resting
    for before in baseline.records():
        if before.id not in quarantined:
            total.add(before.metrics, {})
        case = case_of(before, exactly=new)
        again = None if case is None else rescorer(before, partial(_itself, case))
        if case is None:
            of_others.append(before.id)
        elif again is None:
            unchecked.append(before.id)
        elif _differ(before, again) or (new and _tells_otherwise(before, again, case, own)):
            wrong.append(before.id)
    means, told = total.means(), baseline.header.metrics
    if wrong or means.keys() != told.keys() or any(abs(means[key] - told[key]) > SLACK for key in told):
        which = listed(wrong) or "its means are others"
        return [_blocks(f"{name} does not follow from its recordings: {which}")]
    if not new:
        return []
    elsewhere = "its golden cases are neither as they are here nor in the history of the base"
    grounds = ("answers of it are not recorded", unchecked), (elsewhere, of_others)
    return [_blocks(f"{name} cannot be checked, since {why}: {listed(names)}") for why, names in grounds if names]


def _read(project: Project, suite: Suite) -> SavedRun:
    return read_run(project.tree, project.baseline(suite.name))


def _itself(case: StoredCase) -> StoredCase:
    return case


def _differ(before: CaseRecord, again: CaseRecord) -> bool:
    old, new = before.metrics, again.metrics
    return old.keys() != new.keys() or any(abs(new[key] - value) > SLACK for key, value in old.items())


def _tells_otherwise(before: CaseRecord, again: CaseRecord, case: StoredCase, suite: Suite) -> bool:
    """Whether what a later comparison takes from the record, beside its figures, is not what its answer gives."""
    full = with_case(again, case, suite.kind)._replace(metrics=before.metrics)
    spreads = before.spread.keys() == full.spread.keys() and all(
        abs(full.spread[key] - value) <= SLACK for key, value in before.spread.items()
    )
    return not spreads or before._replace(spread={}) != full._replace(spread={})


def _blocks(what: str) -> Reason:
    return Reason(Verdict.BLOCK, what, cause="baseline")
