"""`row3 --compare`: candidates beside the base, by the base's criteria and by the head's, judged (docs/gate.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final, Literal

from msgspec import structs

from row3.domain.prompts import Lineup
from row3.domain.verdicts import Verdict
from row3.gate.judging import Scores, Side, judge
from row3.gate.policy import GatePolicy
from row3.gate.power import sensitivity
from row3.gate.results import Comparison, Run
from row3.store.cases import CaseFiles, case_files, read_cases
from row3.store.project import Project
from row3.store.recordings import open_index
from row3.store.snapshot import Snapshot
from row3.store.suites import Suite, make_suite
from row3.workflows.comparing.approvals import find_approval, stale_approval
from row3.workflows.comparing.comparer import Comparer, effect_of
from row3.workflows.comparing.context import context_of
from row3.workflows.comparing.gate import Gate, Scored, open_gate
from row3.workflows.comparing.promotions import promotion_of
from row3.workflows.comparing.prompt_texts import copies_of, diffs_of
from row3.workflows.comparing.sides import BaseSide, promoted_lineup
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking
from row3.workflows.quarantine import in_force
from row3.workflows.session import Session

MOST_LINTED = 50
"""New or edited cases that are linted: each takes as long as scoring several answers."""
POLICIES_AFTER_ROUNDS: Final[tuple[Literal["evidence", "paired"], ...]] = ("evidence", "paired")


def beside_baseline(session: Session) -> tuple[Scored, BaseSide]:
    """Run the candidates beside the baseline's answers, for what judges nothing. Raises as `compare`."""
    gate = open_gate(session, None)
    files, comparer = _by(gate, gate.suite, session.project)
    return gate.score(session, None, gate.suite, files, comparer), gate.side


def compare(
    session: Session,
    *,
    base: Snapshot | None = None,
    lineup: Lineup | None = None,
    policy: Callable[[GatePolicy], GatePolicy] = lambda policy: policy,
    pages: bool = False,
) -> Comparison:
    """Run the candidates, score them beside the base's answers, judge.

    Args:
        base: what judges, recorded answers only; without one, the work tree's own baseline does. A base that has no
            baseline of the suite leaves the change's own to judge it.
        lineup: the prompts that run instead of the candidates.
        policy: how falls are judged instead of as the suite says.
        pages: the run's details are what a page shows of each case.

    Raises `InvalidFile`, `UsageError`, `ProviderStopped`.
    """
    added = "" if base is None or base.judges(session.suite.name) else _added(session, base)
    if base is not None and not added:
        session = session.replaying()
    if pages:
        from row3.workflows.comparing.case_pages import CasePages

        session.options = replace(session.options, page=CasePages(session.suite))
    gate = open_gate(session, None if added else base)
    suite = gate.suite
    files, comparer = _by(gate, suite, session.project if gate.base is None else gate.base.project)
    comparer.asked_again = None if gate.interleaving is None else {}
    scored = gate.score(session, lineup, suite, files, comparer)
    run = scored.run
    if gate.interleaving is not None:  # what waits for the answers of its last round has some of the rounds before
        comparer.failed += [case_id for case_id in gate.interleaving.unfinished if case_id not in comparer.failed]
    if not session.options.partial and gate.manifest is not None and gate.base is None:
        seen = {*comparer.requests, *comparer.failed}
        comparer.leave_out([case_id for case_id in gate.manifest.cases if case_id not in seen])
    context, judged = context_of(gate, run, comparer, added), policy(suite.policy)
    after = _by_head(gate, scored, lineup)
    own_policy, again = policy(session.suite.policy), bool(context.recorded_again)
    candidate = Side(
        _after_rounds(gate, comparer, comparer.scores(judged)),
        None if after is None else after.scores(own_policy),
        unchanged=not again and _as_at_base(gate, run, comparer),
    )
    promoted = _promoted(gate, run, again=again)
    sides = [candidate]
    if promoted is not None:
        own = promoted[1]
        sides.append(Side(promoted[0].scores(judged), None if own is None else own.scores(own_policy)))
    comparers = (comparer, after, *(promoted or ()))
    history = session.history()
    judgement = judge(
        suite.name,
        gate.changes,
        sides,
        structs.replace(context, promotion=promotion_of(gate, run, comparer, after, added=bool(added))),
        effect=partial(effect_of, comparer, after),
        answers=[answer for each in comparers if each is not None for answer in each.answers],
        approvals=partial(find_approval, history, base),
        stale=partial(stale_approval, history, base, suite.name),
    )
    kind, drift, adaptive = suite.kind, None, None
    if gate.interleaving is not None:
        from row3.workflows.comparing.live import drift_since

        drift, adaptive = drift_since(session.project, gate.side, comparer, suite), gate.interleaving.standing
    saved = gate.interleaving is None and suite.system is None and _asks_now(session, run)
    blocks = judgement.complete and judgement.verdict is Verdict.BLOCK
    if saved and blocks and gate.base is None and comparer.latest:
        from row3.workflows.comparing.drift import drift_by_sample

        run, drift = drift_by_sample(session, gate.side, run, list(comparer.latest))
    return Comparison(
        run=run,
        baseline=replace(gate.side.header, metrics=comparer.pairs.means()[0]),
        against=None if base is None else base.label,
        metrics=list(sides[0].by_base.changes),
        cases=comparer.largest(),
        moves=comparer.moves,
        judgement=judgement,
        compared=comparer.compared,
        declines=context.declines,
        sensitivity=sensitivity(comparer.pairs, kind.primary, judged, primary=kind.primary),
        approval=judgement.approval,
        prompt_diffs=diffs_of(gate, run.lineup),
        copies=copies_of(session.project, run.lineup),
        tallies=comparer.tallies,
        interleaved=gate.interleaving is not None,
        saved=saved,
        drift=drift,
        adaptive=adaptive,
        behind=0 if base is None else base.behind,
        wrong_cases=_wrong_cases(gate, base, comparer),
        own_baseline=bool(added),
    )


def _asks_now(session: Session, run: Run) -> bool:
    """The provider was asked in this run; what an interrupted live run left was asked for too."""
    usage = run.usage
    return session.mode != "replay" and usage.requests > (usage.replayed if session.mode == "auto" else 0)


def _added(session: Session, base: Snapshot) -> str:
    """What the change brings where the base cannot judge the suite."""
    return "baseline" if base.has_cases(session.suite.name) else f"suite {session.suite.name}"


def _after_rounds(gate: Gate, comparer: Comparer, scores: Scores) -> Scores:
    """After an adaptive comparison nothing blocks that may be noise, whatever the policy."""
    standing = None if gate.interleaving is None else gate.interleaving.standing
    if standing is None:
        return scores
    from row3.gate.adaptive import judged as judged_after

    kind, policy = gate.suite.kind, scores.policy
    by_evidence, by_interval = (comparer.scores(replace(policy, policy=each)).changes for each in POLICIES_AFTER_ROUNDS)
    others = by_interval if policy.policy == "paired" else by_evidence
    changes = [
        judged_after(standing, fixed, paired, policy) if own.key == kind.primary else own
        for own, fixed, paired in zip(others, by_evidence, by_interval, strict=True)
    ]
    return structs.replace(scores, changes=changes)


def _wrong_cases(gate: Gate, base: Snapshot | None, comparer: Comparer) -> list[str]:
    """Files of new or edited golden cases in which lint has errors by the rules for a single case."""
    suite, tree = gate.session.suite, gate.session.project.tree
    if base is not None:
        cases = list(Snapshot(gate.session.project).changed_cases(suite, base).values())
    elif comparer.edited:
        edited = frozenset(comparer.edited)
        cases = [stored for stored in read_cases(tree, suite.golden, suite.kind) if stored.id in edited]
    else:
        return []
    if not cases:
        return []
    from row3.workflows.linting.lint_findings import at_level

    return [
        stored.where
        for stored in islice(cases, MOST_LINTED)
        if any(level == "error" for level, _ in at_level(suite, suite.kind.lint(stored.case, suite.rules)))
    ]


def _by(gate: Gate, suite: Suite, project: Project, paths: list[str] | None = None) -> tuple[CaseFiles, Comparer]:
    """The cases of a project, all unless given, and a comparer that knows which of them are in quarantine there."""
    files = CaseFiles(project.tree, case_files(project.tree, suite.golden) if paths is None else paths)
    active = in_force(gate.session.project, suite, CaseFiles(project.tree, [])).active
    watched = frozenset(change.case_id for change in gate.changes)
    resting = {entry.case_id: entry.until for entry in active}
    known = {} if gate.base is not None or gate.manifest is None else gate.manifest.cases
    return files, Comparer(suite, watched, resting, known)


def _by_head(gate: Gate, scored: Scored, lineup: Lineup | None, session: Session | None = None) -> Comparer | None:
    """The same lineup by the head's criteria; what both criteria score alike is not scored again."""
    if gate.base is None or not gate.judged_twice:
        return None
    session = session or gate.session
    own, project = gate.session.suite, gate.session.project
    judged = gate.session.gate.applied(own)
    if _scores_alike(gate.suite, own):
        changed = gate.base.changed_cases(gate.suite, gate.head)
        files, comparer = _by(gate, judged, project, gate.head.changed_files(own.name, gate.base))
        for result in scored.results:
            if result.case_id not in changed:
                comparer.take(result)
    else:
        files, comparer = _by(gate, judged, project)
    if files.paths:
        gate.score(session, lineup, judged, files, comparer)
    return comparer


def _scores_alike(one: Suite, other: Suite) -> bool:
    """Both give the same answer the same scores: they differ in limits at most."""
    return one.kind is other.kind and replace(one.rules, thresholds={}) == replace(other.rules, thresholds={})


def _as_at_base(gate: Gate, run: Run, comparer: Comparer) -> bool:
    """The candidate is a draft that the base has too, with its settings and answers, and is not promoted here."""
    if gate.base is None or gate.session.named or not run.suite.prompted:
        return False
    promoted = promoted_lineup(gate.session.project, gate.session.suite, gate.head.manifest(run.suite.name))
    if run.lineup.digests() in (gate.side.header.prompt_digests, promoted.digests()):
        return False
    there = make_suite(gate.base.project.config, run.suite.name)
    draft = line_up(gate.base.project, there, role="candidate")
    asking = make_asking(there, draft, RunOptions(repeats=run.header.repeats))
    parameters = {name: each.as_json() for name, each in asking.parameters.items()}
    if (draft.digests(), parameters) != (run.lineup.digests(), run.header.parameters):
        return False
    answered = open_index(gate.base.project.tree, run.suite.name)
    return all(digest in answered for asked, _ in comparer.requests.values() for digest in asked)


def _promoted(gate: Gate, run: Run, *, again: bool) -> tuple[Comparer, Comparer | None] | None:
    """What the head promotes by both criteria, where it is neither the candidate nor what the base promotes."""
    session, header = gate.session, gate.side.header
    if gate.base is None or not run.suite.prompted:
        return None
    manifest = gate.head.manifest(session.suite.name)
    repeats = header.repeats if manifest is None else manifest.repeats
    lineup = promoted_lineup(session.project, session.suite, manifest)
    asking = make_asking(session.suite, lineup, RunOptions(repeats=repeats))
    runs = lineup.digests(), {name: each.as_json() for name, each in asking.parameters.items()}, repeats
    if runs == (run.lineup.digests(), run.header.parameters, run.header.repeats):
        return None
    if not again and runs == (header.prompt_digests, header.parameters, header.repeats):
        return None
    options = RunOptions(mode="replay", jobs=session.options.jobs, repeats=repeats)
    alone = replace(session, options=options, named=(), may_write=False)
    scored = gate.score(alone, lineup, gate.suite, *_by(gate, gate.suite, gate.base.project))
    return scored.comparer, _by_head(gate, scored, lineup, alone)
