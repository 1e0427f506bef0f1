"""`row3 --compare`: candidates beside the base, by the base's criteria and by the head's, judged (docs/gate.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from row3.domain.criteria import CriteriaChange
from row3.domain.scores import CaseScore
from row3.domain.verdicts import Compared
from row3.errors import UsageError
from row3.gate.comparison import Found
from row3.gate.inventory import inventory
from row3.gate.judging import Context, Effect, Side, judge
from row3.gate.policy import GatePolicy
from row3.gate.sensitivity import sensitivity
from row3.gate.zones import SLACK
from row3.store.cases import StoredCase, case_files
from row3.store.manifests import Manifest
from row3.store.project import Project
from row3.store.recordings import RecordingIndex, open_changed
from row3.store.snapshot import Snapshot
from row3.store.suites import Suite, make_suite
from row3.workflows.comparing.approvals import find_approval
from row3.workflows.comparing.baseline import read_baseline
from row3.workflows.comparing.comparer import Comparer, compare_answers
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.context import context_of
from row3.workflows.comparing.promotions import promotion_of
from row3.workflows.comparing.prompt_texts import copies_of, diffs_of
from row3.workflows.comparing.sides import BaseSide, side_of_base, side_of_baseline
from row3.workflows.history.quarantine import in_force
from row3.workflows.pipeline.lineup import Lineup, line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.results import CaseResult
from row3.workflows.pipeline.run_suite import Run, RunOptions, make_asking
from row3.workflows.running import Cases, run_suite
from row3.workflows.session import Session


@dataclass(frozen=True, slots=True)
class Recordings:
    """Recorded answers: the candidate's are looked up at the head first, the base's at the base."""

    head: RecordingIndex
    base: RecordingIndex | None = None
    """Of the files that the head has otherwise; None where the work tree judges itself."""

    @property
    def candidate(self) -> RecordingIndex:
        """Return what the candidate is answered from."""
        return self.head if self.base is None else self.head.then(self.base)

    @property
    def before(self) -> RecordingIndex:
        """Return what the base is answered from."""
        return self.head if self.base is None else self.base.then(self.head)


@dataclass(frozen=True, slots=True)
class Scored:
    """A lineup run over cases, beside the base."""

    run: Run
    comparer: Comparer
    results: list[CaseResult]
    """Kept where the other side's criteria may share them."""


@dataclass
class Gate:
    """What a comparison is made of: who judges, who answers on the base's side, what the change did to the criteria."""

    session: Session
    base: Snapshot | None
    suite: Suite
    """The base's rules, with what answers as the head has it."""
    manifest: Manifest | None
    side: BaseSide
    recordings: Recordings
    changes: list[CriteriaChange] = field(default_factory=list)

    @property
    def head(self) -> Snapshot:
        """Return the change's own snapshot."""
        return Snapshot(self.session.project)

    @property
    def judged_twice(self) -> bool:
        """The head's criteria are others than the base's, so the change is judged by both."""
        return bool(self.changes)

    def score(self, session: Session, lineup: Lineup | None, suite: Suite, cases: Cases, comparer: Comparer) -> Scored:
        """Run a lineup over cases under a suite's rules, beside the base's answers under the same rules."""
        side = self.side.judged_by(suite)
        known = {} if self.manifest is None or self.base is not None else self.manifest.cases

        def compare(stored: StoredCase, score: CaseScore, found: Found) -> Compared | None:
            answered = side.score(stored)
            if answered is None:
                return None
            edited = stored.id in known and known[stored.id].digest != stored.digest
            return compare_answers(suite.kind, score, found, answered, edited=edited)

        results: list[CaseResult] = []

        def take(result: CaseResult) -> None:
            comparer.take(result)
            if self.judged_twice:
                results.append(result._replace(detail=None))

        run = run_suite(
            session,
            suite=suite,
            lineup=lineup,
            cases=cases,
            index=self.recordings.candidate,
            compare=compare,
            take=take,
        )
        return Scored(run, comparer, results)


def open_gate(session: Session, base: Snapshot | None) -> Gate:
    """Return what a comparison rests on. Raises `InvalidFile` where there is no baseline, `UsageError`."""
    project, own = session.project, session.suite
    head = open_recordings(project, own)
    if base is None:
        manifest = read_baseline(project, own)
        return Gate(session, None, own, manifest, side_of_baseline(project, own, manifest, head), Recordings(head))
    there = make_suite(base.project.config, own.name, own.tier)
    rules = replace(
        there, pipeline=own.pipeline, provider=own.provider, system=own.system, flag=own.flag, given=own.given
    )
    recordings = Recordings(head, open_changed(base.project, project, own.name))
    manifest, mine = base.manifest(own.name), Snapshot(project)
    side = side_of_base(base.project, there, manifest, recordings.before)
    changes = inventory(
        base.criteria(there, mine), mine.criteria(own, base), base.demands(there, mine), mine.demands(own, base)
    )
    return Gate(session, base, session.gate.applied(rules), manifest, side, recordings, changes)


def compare(
    session: Session,
    *,
    base: Snapshot | None = None,
    lineup: Lineup | None = None,
    policy: Callable[[GatePolicy], GatePolicy] = lambda policy: policy,
) -> Comparison:
    """Run the candidates, score them beside the base's answers, judge.

    Args:
        base: what judges; without one, the work tree's own baseline does. A base that has no baseline of the suite
            leaves the change's own to judge it.
        lineup: the prompts that run instead of the candidates.
        policy: how falls are judged instead of as the suite says.

    Raises `InvalidFile`, `UsageError`, `ProviderStopped`.
    """
    if base is not None and not base.judges(session.suite.name):
        comparison = compare(session, lineup=lineup, policy=policy)
        comparison.own_baseline = True
        return comparison
    if base is not None and session.mode == "live":
        raise UsageError("--against judges recorded answers", where="--mode", fix="Use --mode replay, record or auto")
    gate = open_gate(session, base)
    suite = gate.suite
    scored = gate.score(session, lineup, suite, *_by(gate, suite, session.project if base is None else base.project))
    run, comparer = scored.run, scored.comparer
    if not session.options.partial and gate.manifest is not None and base is None:
        comparer.leave_out([case_id for case_id in gate.manifest.cases if case_id not in comparer.requests])
    context, judged = context_of(gate, run, comparer), policy(suite.policy)
    after = _by_head(gate, scored, lineup)
    own_policy = policy(session.suite.policy)
    sides = [
        Side(
            comparer.scores(judged),
            None if after is None else after.scores(own_policy),
            unchanged=_as_at_base(gate, run, again=bool(context.recorded_again)),
        ),
        *_promoted(gate, run, judged, own_policy, again=bool(context.recorded_again)),
    ]
    judgement = judge(
        suite.name,
        gate.changes,
        sides,
        replace(context, promotion=promotion_of(gate, run, comparer, after)),
        effect=partial(_effect, comparer, after),
        answers=comparer.answers,
        approvals=partial(find_approval, session.history(), base),
    )
    kind = suite.kind
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
        sensitivity=sensitivity(comparer.pairs, kind.primary, judged, wanted=judged.limit(kind.primary) / 100),
        approval=judgement.approval,
        prompt_diffs=diffs_of(gate, run.lineup),
        copies=copies_of(session.project, run.lineup),
        tallies=comparer.tallies,
        behind=0 if base is None else base.behind,
    )


def _by(gate: Gate, suite: Suite, project: Project, files: list[str] | None = None) -> tuple[Cases, Comparer]:
    """The cases of a project and a comparer that knows which of them are in quarantine there."""
    active = in_force(project, suite).active
    watched = frozenset(change.case_id for change in gate.changes)
    return Cases(project, files), Comparer(suite, watched, {entry.case_id: entry.until for entry in active})


def _by_head(gate: Gate, scored: Scored, lineup: Lineup | None, session: Session | None = None) -> Comparer | None:
    """The same lineup by the head's criteria; what both criteria score alike is not scored again."""
    if gate.base is None or not gate.judged_twice:
        return None
    session = session or gate.session
    own, project = gate.session.suite, gate.session.project
    judged = gate.session.gate.applied(own)
    if _scores_alike(gate.suite, own):
        changed = gate.base.changed_cases(gate.suite, gate.head)
        cases, comparer = _by(gate, judged, project, gate.head.changed_files(own.name, gate.base))
        for result in scored.results:
            if result.case_id not in changed:
                comparer.take(result)
    else:
        cases, comparer = _by(gate, judged, project, case_files(project.tree, project.golden(own.name)))
    if cases.files:
        gate.score(session, lineup, judged, cases, comparer)
    return comparer


def _scores_alike(one: Suite, other: Suite) -> bool:
    """Both give the same answer the same scores: they differ in limits at most."""
    same = replace(one.rules, thresholds={}) == replace(other.rules, thresholds={})
    return same and one.kind is other.kind


def _as_at_base(gate: Gate, run: Run, *, again: bool) -> bool:
    """The candidate is a draft that the base has too, with the same settings and answers."""
    if gate.base is None or again or gate.session.named or run.suite.system is not None:
        return False
    if run.lineup.digests() == gate.side.header.prompt_digests:
        return False  # nothing is drafted; both sides are the same
    there = make_suite(gate.base.project.config, run.suite.name)
    draft = line_up(gate.base.project, there, role="candidate")
    asking = make_asking(there, draft, RunOptions(repeats=run.header.repeats))
    parameters = {name: each.as_json() for name, each in asking.parameters.items()}
    return draft.digests() == run.lineup.digests() and parameters == run.header.parameters


def _promoted(gate: Gate, run: Run, judged: GatePolicy, own: GatePolicy, *, again: bool) -> Iterator[Side]:
    """What the head promotes, where it is neither the candidate nor what the base promotes."""
    session = gate.session
    if gate.base is None or run.suite.system is not None:
        return
    lineup = line_up(session.project, session.suite, role="promoted")
    asking = make_asking(session.suite, lineup, RunOptions(repeats=gate.side.header.repeats))
    runs = lineup.digests(), {name: each.as_json() for name, each in asking.parameters.items()}
    header = gate.side.header
    if runs == (run.lineup.digests(), run.header.parameters):
        return
    if not again and runs == (header.prompt_digests, header.parameters):
        return
    options = RunOptions(mode="replay", jobs=session.options.jobs, repeats=header.repeats)
    alone = replace(session, options=options, named=(), may_write=False)
    scored = gate.score(alone, lineup, gate.suite, *_by(gate, gate.suite, gate.base.project))
    after = _by_head(gate, scored, lineup, alone)
    yield Side(scored.comparer.scores(judged), None if after is None else after.scores(own))


def _effect(before: Comparer, after: Comparer | None, change: CriteriaChange) -> Effect | None:
    """What a change of the criteria does to the scores of the same answers; None where that is not known."""
    if after is None:
        return None
    key = before.suite.kind.primary
    if not change.case_id:
        old, new = before.pairs.means(), after.pairs.means()
        return Effect(_figures(key, old, new), raises=False)
    one, other = before.kept.get(change.case_id), after.kept.get(change.case_id)
    if one is None or other is None:
        return None
    sides = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    raised = any(_raises(before, metric.key, a, b) for a, b in sides for metric in before.suite.kind.metrics)
    return Effect(_figures(key, one, other), raises=raised)


def _raises(comparer: Comparer, key: str, before: Mapping[str, float], after: Mapping[str, float]) -> bool:
    metric = next(metric for metric in comparer.suite.kind.metrics if metric.key == key)
    gated = key in comparer.suite.policy.metrics or key == comparer.suite.kind.primary
    if not gated or key not in before or key not in after:
        return False
    better = after[key] - before[key] if metric.higher_is_better else before[key] - after[key]
    return better > SLACK


Both = tuple[Mapping[str, float] | None, Mapping[str, float]]


def _figures(key: str, old: Both, new: Both) -> dict[str, tuple[float, float]]:
    """The primary metric by the old and by the new criteria, of the base's and of the candidate's answers."""
    found = {}
    for name, before, after in zip(("base", "candidate"), old, new, strict=True):
        if before is not None and after is not None and key in before and key in after:
            found[name] = before[key], after[key]
    return found
