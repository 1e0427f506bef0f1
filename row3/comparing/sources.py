"""The parts of a comparison: the base's rules, its answers, and the changes of the criteria."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from row3.comparing.base_side import BaseSide, promoted_lineup, side_of_baseline, side_of_lineup
from row3.comparing.baseline import read_baseline
from row3.comparing.comparison import Comparer
from row3.domain.judgements import CriteriaChange
from row3.domain.prompts import Lineup
from row3.domain.runs import BaseHeader, Manifest
from row3.domain.scores import CaseScore
from row3.gate.drift import Drift, drift_between
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.results import Run
from row3.gate.scores import Scores
from row3.project.criteria import changed_criteria, in_force
from row3.project.project import Project
from row3.project.recordings import RecordingIndex, open_changed
from row3.project.suites import Suite
from row3.running.budget import prices_of
from row3.running.evaluate import NO_MORE, Asking, More
from row3.running.lineup import line_up
from row3.running.replay import open_recordings
from row3.running.run_options import check_cases, make_asking
from row3.running.session import Session
from row3.running.suite_run import run_suite

if TYPE_CHECKING:
    from row3.running.interleaved import Interleaving


class Scored(NamedTuple):
    """A lineup's run, compared with the base."""

    run: Run
    base: BaseHeader
    drift: Drift | None
    """How far the base's answers have drifted, if it was asked again."""
    comparer: Comparer
    """The comparison by the base's criteria."""
    after: Comparer | None = None
    """The comparison by the head's criteria; None if they are the base's."""

    def scores(self, by_base: GatePolicy, by_head: GatePolicy, *, confirmed: int = 0) -> list[Scores]:
        """Return what the gate judges, by the base's policy and by the head's if their criteria differ."""
        after = self.after
        head = [] if after is None else [replace(after.scores(by_head, confirmed=confirmed), by_head=True)]
        return [self.comparer.scores(by_base, confirmed=confirmed), *head]

    @property
    def comparers(self) -> list[Comparer]:
        """The comparisons by either criteria."""
        return [self.comparer, *([] if self.after is None else [self.after])]


class Ruling(NamedTuple):
    """The criteria that score the answers."""

    suite: Suite
    judge: Project
    more: More = NO_MORE
    """Further answers to the cases that both sides answer."""


@dataclass
class Gate:
    """The parts of a comparison."""

    session: Session
    base: Project | None
    suite: Suite
    """The base's rules, with the head's pipeline, provider and system."""
    manifest: Manifest | None
    side: BaseSide
    head: Project
    """The change."""
    index: RecordingIndex
    """The candidate's answers, with the base's as fallback."""
    base_index: RecordingIndex | None = None
    """The base's answers, with the head's as fallback; None if the work tree's own baseline judges."""
    changes: list[CriteriaChange] = field(default_factory=list)
    """Changes of the criteria; if there are any, the candidate is judged by both."""
    interleaving: Interleaving | None = None
    """How the base is asked in the same run; None for its recorded answers."""

    @cached_property
    def promoted(self) -> Lineup:
        """The versions that the head promotes."""
        session = self.session
        return promoted_lineup(session.project, session.suite, self.head.manifest(session.suite.name))

    def rulings(self, session: Session, first: Scored | None = None, more: More = NO_MORE) -> list[Ruling]:
        """Return the base's criteria, and the head's if they differ; `first` has the cases that `more` is for."""
        found = [Ruling(self.suite, self.base or self.head)]
        if self.base is not None and self.changes:
            found.append(Ruling(session.command.applied(session.suite), self.head))
        if first is None:
            return found
        cases = (frozenset(comparer.compared_ids()) for comparer in first.comparers)
        return [each._replace(more=replace(more, cases=own)) for each, own in zip(found, cases, strict=True)]

    def score(self, session: Session, lineup: Lineup | None = None, rulings: Sequence[Ruling] = ()) -> Scored:
        """Run a lineup and compare it with the base, by the base's criteria and by the head's if they differ."""
        lineup = lineup or line_up(session.project, self.suite, role="candidate", named=session.options.named)
        runs, comparers, header, drift = [], [], self.side.header, None
        for suite, judge, more in rulings or self.rulings(session):
            side = self.side.with_more(more) if more.answers and self.interleaving is None else self.side
            header = (
                side.header
                if self.interleaving is None
                else replace(header, repeats=self.side.header.repeats + more.answers)
            )
            comparer, cache = self._comparer(judge, suite), None if session.options.page else session.scores(suite)
            run = run_suite(
                replace(session, options=replace(session.options, more=more)),
                lineup=lineup,
                suite=suite,
                judge=judge,
                index=self.index,
                interleaving=self.interleaving,
                before=replace(side.judged_by(suite, cache), shared=self._is_base(session, lineup)).score,
                take=comparer.take,
            )
            # Too many missing grades fail a case only at the end of the run.
            comparer.failed = list(dict.fromkeys((*comparer.failed, *run.failed)))
            if self.interleaving is not None and self.interleaving.substitute is None:
                drift = self._drift(comparer, suite)
            runs.append(run)
            comparers.append(comparer)
        problems = [problem for run in runs for problem in run.problems]
        return Scored(replace(runs[0], problems=problems), header, drift, *comparers)

    def scores_then(self, suite: Suite, judge: Project, case_ids: Collection[str]) -> dict[str, CaseScore]:
        """Return the scores of the base's recorded or saved answers to these cases."""
        side = self.side.judged_by(suite, None)
        scores = {stored.id: side.score(stored) for stored in judge.cases_of(suite, frozenset(case_ids))}
        return {case_id: score for case_id, score in scores.items() if score is not None}

    def _drift(self, comparer: Comparer, suite: Suite) -> Drift:
        """Return how far the base's current answers have drifted from its saved ones.

        Also tells the comparer how the candidate's metrics differ from the saved ones, so that a fall of both sides
        together is seen.
        """
        again, kind, saved = comparer.asked_again or {}, suite.kind, Pairs(suite.kind)
        then = self.scores_then(suite, self.head, again)
        for case_id in comparer.compared_ids():
            if case_id in then and then[case_id].status != "failed":
                now = again[case_id][1]
                saved.add(then[case_id].metrics, now.metrics, source=now.source)
        changes = compare_metrics(*saved.means(), kind.metrics, suite.policy, saved, primary=kind.primary)
        comparer.saved = {change.key: change for change in changes}
        return drift_between(then, {case_id: score for case_id, (score, _) in again.items()}, kind, suite.policy)

    def further(self, suite: Suite, more: More) -> Asking | None:
        """Return the base's further requests; None if nobody can ask it again."""
        if self.interleaving is not None:
            return replace(self.interleaving.baseline, more=more)
        return None if self.side.fixed else self.side.judged_by(suite, None).with_more(more).asking

    def _comparer(self, judge: Project, suite: Suite) -> Comparer:
        """Return a comparer that knows which are in quarantine."""
        active = in_force(self.session.project, suite, judge).active
        watched = frozenset(change.case_id for change in self.changes)
        cost = prices_of(self.session.project, self.session.suite, known_models=True).usd
        saved = self.manifest.cases if self.base is None and self.manifest is not None else None
        comparer = Comparer(suite, watched, {entry.case_id: entry.until for entry in active}, cost, saved)
        comparer.asked_again = None if self.interleaving is None else {}
        return comparer

    def _is_base(self, session: Session, lineup: Lineup) -> bool:
        """Return whether the lineup asks what the base asks, gets the same answers and is scored by the same rules."""
        changed = self.base_index is None or len(self.base_index) > 0 or bool(self.changes)
        if changed or session.mode != "replay" or self.suite.rules.semantic is not None:
            return False
        own, its = make_asking(self.suite, lineup, session.options), self.side.asking
        return (lineup.steps, own.parameters, own.repeats) == (its.lineup.steps, its.parameters, its.repeats)


def open_gate(session: Session, base: Project | None) -> Gate:
    """Return the parts of a comparison. Raises `InvalidFile` without a baseline, `UsageError`."""
    project, own = session.project, session.suite
    check_cases(project, own, session.options)
    head = open_recordings(project, own)
    if base is None:
        baseline = read_baseline(project, own)
        side = side_of_baseline(project, own, baseline, head)
        gate = Gate(session, None, own, baseline, side, project, head)
        if session.mode in ("live", "record"):
            from row3.comparing.drift import interleaving_of  # replay needs no provider

            gate.interleaving = interleaving_of(session, baseline)
        return gate
    theirs = base.suite(own.name, own.tier)
    rules = replace(
        theirs,
        pipeline=own.pipeline,
        provider=own.provider,
        system=own.system,
        arms=own.arms,
        flag=own.flag,
        given=own.given,
    )
    head.fallback = changed = open_changed(base.tree, project.tree, own.name)
    before = replace(changed, fallback=head, asks_differently=head.asks_differently, _embeddings={})
    manifest = base.manifest(own.name)
    side = side_of_lineup(theirs, promoted_lineup(base, theirs, manifest), before, manifest)
    changes = changed_criteria(base, theirs, project, own)
    return Gate(session, base, session.command.applied(rules), manifest, side, project, head, before, changes)
