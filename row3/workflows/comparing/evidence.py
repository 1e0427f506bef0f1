"""What a verdict rests on: the evidence's digest, the approval given for it, and the runs that declined before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import get_args

from row3.domain.requests import digest_json, digest_text
from row3.domain.tiers import Tier, tier_of
from row3.domain.verdicts import Reason, Verdict
from row3.errors import Row3Error
from row3.gate.trend import consecutive_declines
from row3.store.cases import case_files
from row3.store.golden import name_of
from row3.store.history import Approval, HistoryEntry
from row3.store.project import Project
from row3.store.prompts import PROMOTED
from row3.store.quarantine import FILE as QUARANTINE
from row3.store.recordings import MAX_BYTES
from row3.store.run_records import RunHeader
from row3.store.suites import Suite, make_suite
from row3.workflows.pipeline.run_header import rules_of
from row3.workflows.pipeline.run_suite import Run


def own_files(project: Project, suite: Suite, *, recordings: bool = False, beside: str | None = None) -> str:
    """Digest of cases, rules of both tiers, baselines and locks as the change itself has them, whatever judges it.

    With `recordings` of these too: where one of them is a ground of the verdict, no other may take its place. So with
    a suite `beside` this one that a ground brings.
    """
    tiers = [rules_of(make_suite(project.config, suite.name, tier)) for tier in get_args(Tier)]
    rules = [[each.thresholds, each.weights, each.gate] for each in tiers]
    folder = project.golden(suite.name)
    tree = project.tree
    cases = [(name_of(path), digest_text(tree.read(path))) for path in case_files(tree, folder)]
    files = [PROMOTED, *(project.baseline(suite.name, tier) for tier in get_args(Tier))]
    if recordings:
        files += [path for path in tree.files(project.recordings(suite.name)) if path.endswith(".jsonl")]
    found = [(name_of(path), digest_text(tree.read(path, limit=MAX_BYTES))) for path in files if tree.exists(path)]
    more = [] if beside is None else [unjudged_files(project, beside)]
    return digest_json([cases, suite.tier, rules, project.config.suite, found, *more])


def unjudged_files(project: Project, suite: str) -> str:
    """The same of a suite that nothing judges before it is approved of, with its quarantine; "" for a broken one."""
    resting = f"{project.golden(suite)}/{QUARANTINE}"
    try:  # what is broken is told when the suite is judged
        files = own_files(project, make_suite(project.config, suite))
    except Row3Error:
        return ""
    return digest_json([files, digest_text(project.tree.read(resting)) if project.tree.exists(resting) else None])


def evidence_digest(
    run: Run, baseline_id: str, reasons: Iterable[Reason], own: Callable[..., str], *, against: str | None = None
) -> str:
    """What a verdict rests on: an approval holds for exactly this, and for nothing that was changed afterwards.

    Nor for what its giver was not shown: a comparison with a git ref sees grounds that the one with the baseline of
    the work tree does not (a lock, a recording or a baseline that was rewritten), so the grounds are part of it, word
    for word: one of the same cause could stand for something worse. Only the name of the commit that judges is left
    out, since the hook names it otherwise than CI.
    """
    blocking = [reason for reason in reasons if reason.verdict is Verdict.BLOCK]
    causes = {reason.cause for reason in blocking}
    header = run.header
    return digest_json(
        {
            "prompts": header.prompt_digests,
            "parameters": header.parameters,
            "scorer": header.scorer,
            "baseline": baseline_id,
            "suite": run.suite.name,
            "grounds": sorted(_without_name(reason.text, against) for reason in blocking),
            "own": own(recordings="recordings" in causes),
            "metrics": {key: round(value, 9) for key, value in header.metrics.items()},
            **({"leftOut": sorted(run.left_out)} if run.left_out else {}),
        }
    )[:16]


def _without_name(ground: str, against: str | None) -> str:
    if against is None:
        return ground
    return re.sub(rf"\b(at|since|of) {re.escape(against)}(?![\w/-])", r"\1 the base", ground)


def approved_before(history: Iterable[HistoryEntry], evidence: str) -> Approval | None:
    """The newest approval in the history that was given for this very evidence.

    By its own time, since a run that only met it may be noted after a newer one; of one second, the later entry's.
    """
    given = [entry.approval for entry in history if entry.approval is not None and entry.evidence == evidence]
    return max(reversed(given), key=lambda approval: approval.at, default=None)


def declining_runs(history: list[HistoryEntry], run: Run | None, suite: Suite) -> int:
    """Consecutive declining runs of the composite in the suite's tier, the present one (if any) last.

    The same evidence run twice is one run: looking again is no decline and no recovery.
    """
    primary = suite.kind.primary
    values: list[tuple[str, float]] = []
    for entry in [
        e for e in history if e.suite == suite.name and tier_of(e.mode) == suite.tier and primary in e.metrics
    ]:
        key = digest_json([entry.prompts, entry.model, entry.metrics])
        if not values or values[-1][0] != key:
            values.append((key, entry.metrics[primary]))
    if run is not None and primary in run.header.metrics:
        key = digest_json([run.header.prompts, run.header.model, run.header.metrics])
        if not values or values[-1][0] != key:
            values.append((key, run.header.metrics[primary]))
    return consecutive_declines([value for _, value in values])


def same_requests(before: RunHeader, now: RunHeader) -> bool:
    """Whether a run asks what the baseline asked, as far as prompts and parameters say."""
    return (
        before.prompt_digests == now.prompt_digests
        and before.parameters == now.parameters
        and before.repeats == now.repeats
    )
