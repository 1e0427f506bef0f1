"""The parts of a comparison: the base's rules, its answers, and the changes of the criteria."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from row3.comparing.base_side import BaseSide, promoted_lineup, side_of_baseline, side_of_lineup
from row3.comparing.baseline import read_baseline
from row3.comparing.comparison import Comparer
from row3.domain.judgements import CriteriaChange
from row3.domain.manifests import Manifest
from row3.domain.prompts import Lineup
from row3.gate.judging import Scores
from row3.gate.policy import GatePolicy
from row3.gate.results import Run
from row3.project.criteria import changed_criteria, in_force
from row3.project.project import Project
from row3.project.recordings import RecordingIndex, open_changed
from row3.project.suites import Suite
from row3.running.budget import prices_of
from row3.running.case_results import Before
from row3.running.replay import open_recordings
from row3.running.run_options import check_cases
from row3.running.session import Session
from row3.running.suite_run import run_suite

if TYPE_CHECKING:
    from row3.running.interleaved import Interleaving


class Scored(NamedTuple):
    """A lineup's run, compared with the base."""

    run: Run
    comparer: Comparer
    """The comparison by the base's criteria."""
    after: Comparer | None = None
    """The comparison by the head's criteria; None if they are the base's."""

    def scores(self, by_base: GatePolicy, by_head: GatePolicy) -> list[Scores]:
        """Return what the gate judges, by the base's policy and by the head's if their criteria differ."""
        head = [] if self.after is None else [replace(self.after.scores(by_head), by_head=True)]
        return [self.comparer.scores(by_base), *head]


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

    def score(self, session: Session, lineup: Lineup | None = None) -> Scored:
        """Run a lineup and compare it with the base, by the base's criteria and by the head's if they differ."""
        judge = self.base or self.head
        comparer = self._comparer(judge, self.suite)
        answered = partial(run_suite, session, lineup=lineup, index=self.index, interleaving=self.interleaving)
        run = answered(suite=self.suite, judge=judge, before=self._before(session, self.suite), take=comparer.take)
        comparer.add_failed(run.failed)  # too many missing grades fail a case only at the end of the run
        if self.base is None or not self.changes:
            return Scored(run, comparer)
        judged = session.command.gate.applied(session.suite)
        after = self._comparer(self.head, judged)
        own = answered(suite=judged, judge=self.head, before=self._before(session, judged), take=after.take)
        after.add_failed(own.failed)
        return Scored(replace(run, problems=[*run.problems, *own.problems]), comparer, after)

    def _comparer(self, judge: Project, suite: Suite) -> Comparer:
        """Return a comparer that knows which are in quarantine."""
        active = in_force(self.session.project, suite, judge).active
        watched = frozenset(change.case_id for change in self.changes)
        project = self.session.project
        cost = prices_of(project, self.session.suite, known_models=True).usd
        comparer = Comparer(suite, watched, {entry.case_id: entry.until for entry in active}, cost)
        comparer.asked_again = None if self.interleaving is None else {}
        return comparer

    def _before(self, session: Session, suite: Suite) -> Before:
        return self.side.judged_by(suite, None if session.options.page else session.scores(suite)).score


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
    return Gate(session, base, session.command.gate.applied(rules), manifest, side, project, head, before, changes)
