"""`row3 --compare`: judge candidates against the base, by the base's criteria and the head's (docs/gate.md)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal

from msgspec import structs

from row3.domain.prompts import Lineup
from row3.domain.requests import RECORDED_ONLY
from row3.domain.runs import BaseHeader, RunHeader
from row3.domain.verdicts import Verdict
from row3.gate.judging import Scores, Side, judge
from row3.gate.policy import PolicyName
from row3.gate.power import sensitivity
from row3.gate.results import Comparison, Run
from row3.store.recordings import open_index
from row3.store.snapshot import Snapshot
from row3.store.suites import Suite, read_suite
from row3.workflows.approvals import new_approvals
from row3.workflows.comparing.comparer import Comparer, effect_of
from row3.workflows.comparing.context import context_of
from row3.workflows.comparing.gate import Gate, Scored, open_gate
from row3.workflows.comparing.sides import prompt_diffs
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking
from row3.workflows.session import Session

POLICIES_AFTER_ROUNDS: Final[tuple[Literal["evidence", "paired"], ...]] = ("evidence", "paired")


def compare(
    session: Session,
    *,
    base: Snapshot | None = None,
    lineup: Lineup | None = None,
    policy: PolicyName | None = None,
    pages: bool = False,
) -> Comparison:
    """Run the candidates, or a `lineup`, score them beside the base's answers, judge, by `policy` if given.

    A base judges by recorded answers; without one, or where it has no baseline of the suite, the work tree's own
    judges. With `pages` the run's details are what a page shows. Raises `InvalidFile`, `UsageError`, `ProviderStopped`.
    """
    name, added = session.suite.name, ""
    if base is not None and not base.judges(name):
        added = "baseline" if base.has_cases(name) else f"suite {name}"
    if base is not None and not added:
        session = session.replaying()
    if pages:
        from row3.workflows.comparing.case_pages import CasePages

        session.options = replace(session.options, page=CasePages(session.suite))
    gate = open_gate(session, None if added else base)
    suite = gate.suite
    run, comparer, after = gate.score(session, lineup)
    if gate.interleaving is not None:  # cases without their last round still have earlier ones
        comparer.failed += [case_id for case_id in gate.interleaving.unfinished if case_id not in comparer.failed]
    if not session.options.partial and gate.manifest is not None and gate.base is None:
        seen = {*comparer.requests, *comparer.failed}
        comparer.leave_out([case_id for case_id in gate.manifest.cases if case_id not in seen])
    context = context_of(gate, run, comparer, after, added)
    judged, own_policy = (replace(each.policy, policy=policy or each.policy.policy) for each in (suite, session.suite))
    again = bool(context.recorded_again)
    candidate = Side(
        _after_rounds(gate, comparer, comparer.scores(judged)),
        None if after is None else after.scores(own_policy),
        unchanged=not again and _as_at_base(gate, run, comparer),
    )
    sides = [candidate]
    tried = [(comparer, after)]
    if (promoted := _promoted(gate, run, again=again)) is not None:
        by_base, by_head = promoted.comparer, promoted.after
        sides.append(Side(by_base.scores(judged), None if by_head is None else by_head.scores(own_policy)))
        tried.append((by_base, by_head))
    judgement = judge(
        suite.name,
        gate.changes,
        sides,
        context,
        effect=partial(effect_of, comparer, after),
        answers=[answer for pair in tried for each in pair if each is not None for answer in each.answers],
        approvals=new_approvals(session.history(), base, suite.name),
        brought=base is not None,
    )
    kind, drift, adaptive = suite.kind, None, None
    if gate.interleaving is not None:
        from row3.workflows.comparing.live import drift_since

        adaptive = gate.interleaving.progress
        if gate.interleaving.stand_in is None:
            drift = drift_since(session.project, gate.side, comparer, suite)
    asked_now = run.usage.requests - (run.usage.replayed if session.mode == "auto" else 0)
    saved = gate.interleaving is None and suite.system is None and session.mode != "replay" and asked_now > 0
    blocks = judgement.complete and judgement.verdict is Verdict.BLOCK
    if saved and blocks and gate.base is None and comparer.latest:
        from row3.workflows.comparing.live import drift_by_sample

        run, drift = drift_by_sample(session, gate.side, run, list(comparer.latest))
    return Comparison(
        run=run,
        baseline=replace(_asked_header(gate), metrics=comparer.pairs.means()[0]),
        against=None if base is None else base.label,
        metrics=list(sides[0].by_base.changes),
        cases=comparer.largest(),
        moves=comparer.moves,
        judgement=judgement,
        compared=comparer.compared,
        declines=context.declines,
        sensitivity=sensitivity(comparer.pairs, kind.primary, judged, primary=kind.primary),
        approval=judgement.approval,
        prompt_diffs=prompt_diffs((gate.base or gate.head).project, gate.side.header, run.lineup),
        tallies=comparer.tallies,
        interleaved=gate.interleaving is not None,
        saved=saved,
        drift=drift,
        adaptive=adaptive,
        behind=0 if base is None else base.behind,
        own_baseline=bool(added),
    )


def _asked_header(gate: Gate) -> BaseHeader:
    """Return the base's header, with the model asked instead if its own is not served."""
    header, stand_in = gate.side.header, None if gate.interleaving is None else gate.interleaving.stand_in
    return header if stand_in is None else replace(header, model=header.model.replace(RECORDED_ONLY, stand_in))


def _after_rounds(gate: Gate, comparer: Comparer, scores: Scores) -> Scores:
    """After an adaptive comparison, whatever may be noise does not block, under any policy."""
    progress = None if gate.interleaving is None else gate.interleaving.progress
    if progress is None:
        return scores
    from row3.gate.adaptive import judge_rounds

    kind, policy = gate.suite.kind, scores.policy
    by_evidence, by_interval = (comparer.scores(replace(policy, policy=each)).changes for each in POLICIES_AFTER_ROUNDS)
    others = by_interval if policy.policy == "paired" else by_evidence
    changes = [
        judge_rounds(progress, fixed, paired, policy) if own.key == kind.primary else own
        for own, fixed, paired in zip(others, by_evidence, by_interval, strict=True)
    ]
    return structs.replace(scores, changes=changes)


def _as_at_base(gate: Gate, run: Run, comparer: Comparer) -> bool:
    """Return whether the base has the same draft, settings and answers, and it is not promoted here."""
    if gate.base is None or gate.session.named or not run.suite.prompted:
        return False
    if run.lineup.digests() in (gate.side.header.prompt_digests, gate.promoted.digests()):
        return False
    there = read_suite(gate.base.project, run.suite.name)
    draft = line_up(gate.base.project, there, role="candidate")
    if _asked(there, draft, run.header.repeats) != _asked_by(run.header):
        return False
    answered = open_index(gate.base.project.tree, run.suite.name)
    return all(digest in answered for asked, _ in comparer.requests.values() for digest in asked)


def _promoted(gate: Gate, run: Run, *, again: bool) -> Scored | None:
    """Score what the head promotes by both criteria, unless it is the candidate or the base's promotion."""
    session, header = gate.session, gate.side.header
    if gate.base is None or not run.suite.prompted:
        return None
    manifest = gate.head.manifest(session.suite.name)
    repeats = header.repeats if manifest is None else manifest.repeats
    asked = _asked(session.suite, gate.promoted, repeats)
    if asked == _asked_by(run.header) or (not again and asked == _asked_by(header)):
        return None
    options = RunOptions(mode="replay", jobs=session.options.jobs, repeats=repeats)
    alone = replace(session, options=options, named=(), may_write=False)
    return gate.score(alone, gate.promoted)


def _asked(suite: Suite, lineup: Lineup, repeats: int) -> tuple[Any, ...]:
    """Return what a lineup asks: prompts, parameters and repeats."""
    asking = make_asking(suite, lineup, RunOptions(repeats=repeats))
    return lineup.digests(), {name: each.as_json() for name, each in asking.parameters.items()}, repeats


def _asked_by(header: RunHeader | BaseHeader) -> tuple[Any, ...]:
    return header.prompt_digests, header.parameters, header.repeats
