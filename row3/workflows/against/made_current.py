"""Prompt versions that a change makes the current ones, judged though a newer draft is what runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from row3.domain.verdicts import Reason, Verdict
from row3.reports.move_text import move_text
from row3.store.prompts import read_promoted
from row3.store.suites import Suite
from row3.workflows.against.at_ref import Judging, unjudged_reasons
from row3.workflows.against.own_cases import after_change, replayed
from row3.workflows.comparing.compare import Comparer
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import Run, RunOptions
from row3.workflows.running import run_suite
from row3.workflows.session import Session

AS_PROMOTED = re.compile(r"^as promoted \(.*?\): ")
"""How the grounds below begin."""


def made_current_reasons(
    session: Session, suite: Suite, judging: Judging, run: Run, comparer: Callable[[], Comparer]
) -> list[Reason]:
    """Why what a change promotes may not be: by the gate's word on these versions, where the run was of others.

    A gate that looked at the newest drafts alone would let any version become current behind a harmless draft, and any
    answers of the current one become the baseline.
    """
    lineup = line_up(session.project, session.suite, role="promoted")
    before = read_promoted(judging.project.tree)
    moved = [
        f"{name} {version}"
        for name, version in lineup.promoted.items()
        if name not in before or before[name].version != version
    ]
    if not (moved or judging.new_baseline) or lineup.versions() == run.lineup.versions():
        return []
    given = session.options
    options = RunOptions("replay", given.overrides, given.repeats, given.jobs, given.case, given.only)
    also = comparer()
    after = after_change(session, judging, also.baseline) if moved else None
    if after is not None:
        also.beside = after.take
    current = run_suite(
        replace(session, options=options),
        suite=suite,
        files=judging.files,
        comparer=also,
        lineup=lineup,
        may_lack=judging.asked_no_more,
    )
    also.leave_out(current.left_out)
    if not moved:
        return _of_worse_answers(also, current, partial=given.partial)
    as_promoted = f"as promoted ({', '.join(moved)})"
    if current.collected.failed:
        return [Reason(Verdict.BLOCK, f"{as_promoted}: cases without a recorded answer", cause="locks")]
    only_here = [case_id for case_id in current.left_out if case_id not in run.left_out]
    judged = also.finish(current, (), against=None, partial=given.partial, own=lambda **_: "")
    found = [reason for reason in judged.reasons if reason.cause in ("answers", "texts")]
    if after is not None:
        found += after.reasons(replayed(session, judging, current), also, current, lambda: False)
    return [
        Reason(reason.verdict, f"{as_promoted}: {reason.text}", reason.metric, reason.case_id, cause="locks")
        for reason in (*found, *unjudged_reasons(only_here, judging.label))
    ]


def _of_worse_answers(also: Comparer, current: Run, *, partial: bool) -> list[Reason]:
    """Why a new baseline of the same versions may not be: their answers fell, in whatever zone they were before."""
    judged = also.finish(current, (), against=None, partial=partial, own=lambda **_: "")
    kind, policy = current.suite.kind, current.suite.policy
    titled = {metric.key: metric for metric in kind.metrics}
    fell = {move_text(c, titled[c.key], policy) for c in judged.metrics if c.verdict is not Verdict.PROCEED}
    versions = ", ".join(f"{name} {version}" for name, version in current.lineup.versions().items())
    return [
        Reason(reason.verdict, f"the new baseline is of worse answers ({versions}): {reason.text}", cause="baseline")
        for reason in judged.reasons
        if reason.text in fell or (reason.verdict is Verdict.BLOCK and reason.case_id in also.critical)
    ]


def of_version_alone(ground: str) -> str:
    """The ground as it stands where nothing but the promoted versions runs."""
    return AS_PROMOTED.sub("", ground, count=1)
