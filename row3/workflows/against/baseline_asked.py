"""Whether a baseline is of what the project asks: a later comparison believes what its header says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from row3.domain.tiers import tier_of
from row3.domain.verdicts import Verdict
from row3.errors import Row3Error
from row3.gate.comparison import judge_move, worse_by
from row3.metrics.aggregate import Aggregate
from row3.store.project import Project
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite, make_suite
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking


def other_than_asked(project: Project, suite: Suite, before: SavedRun, new: SavedRun) -> Iterator[str]:
    """What a new baseline is, in the place of what `row3 --baseline` would make here; each can follow "it is".

    A run that the change's own prompts and parameters give is compared with the base in any case. Figures of another
    model, of other parameters or of more answers a case are not those of that run, so they are held to the baseline
    `before` themselves: answers that fell would else judge what comes next.
    """
    own, header, old = make_suite(project.config, suite.name, suite.tier), new.header, before.header
    for name, value, wanted in (
        ("suite", header.suite, suite.name),
        ("kind", header.kind, suite.kind.name),
        ("mode", tier_of(header.mode), suite.tier),
    ):
        if value != wanted:
            yield f"of {name} `{value}`, and this is `{wanted}`"
    try:
        lineup = line_up(project, own, role="promoted")
        asked = {name: each.as_json() for name, each in make_asking(own, lineup, RunOptions()).parameters.items()}
    except Row3Error as error:
        yield f"of what cannot be asked here: {error}"
        return
    versions = lineup.versions()
    for name in dict.fromkeys([*header.prompts, *versions]):
        told, current = header.prompts.get(name, "no version"), versions.get(name, "none")
        if told != current:
            standing = "promoted" if name in lineup.promoted and own.system is None else "what runs"
            yield f"of {name} {told}, and {current} is {standing}"
    if header.parameters not in (asked, old.parameters):
        yield f"of other parameters than the project's: {_difference(header.parameters, asked)}"
    if header.parameters != asked or header.repeats != 1:
        yield from (f"of worse answers: {what}" for what in _fallen(suite, before, new))


def _difference(told: Mapping[str, Mapping[str, Any]], asked: Mapping[str, Mapping[str, Any]]) -> str:
    for name, values in asked.items():
        for key in dict.fromkeys([*values, *told.get(name, {})]):
            one, other = told.get(name, {}).get(key), values.get(key)
            if one != other:
                return f"{name} {key} {one}, where {other} is asked"
    return "of prompts that are not asked"


def _fallen(suite: Suite, before: SavedRun, new: SavedRun) -> Iterator[str]:
    """The gated metrics that are worse than before by more than their limits, over the cases that are as they were."""
    old, now = Aggregate(), Aggregate()
    for record in new.records():
        was = before.record(record.id)
        if was is not None and (was.digest == record.digest or was.content == record.content != ""):
            old.add(was.metrics, {})
            now.add(record.metrics, {})
    means, values, policy = old.means(), now.means(), suite.policy
    for metric in suite.kind.metrics:
        key = metric.key
        if key in policy.metrics and key in means and key in values:
            lost = worse_by(means[key], values[key], higher_is_better=metric.higher_is_better, unit=policy.unit)
            if judge_move(lost, policy, limit=policy.limit(key)) is Verdict.BLOCK:
                yield f"{metric.title} {means[key]:.1%} → {values[key]:.1%}"
