"""The parts of a comparison: the judging side, the base's answers, and the changes of the criteria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from row3.domain.judgements import CriteriaChange
from row3.domain.manifests import Manifest
from row3.domain.prompts import Lineup
from row3.gate.inventory import inventory
from row3.gate.results import Run
from row3.store.cases import CaseFiles, case_files
from row3.store.recordings import RecordingIndex, open_changed
from row3.store.snapshot import Snapshot
from row3.store.suites import Suite, read_suite
from row3.workflows.comparing.baseline import read_baseline, with_live_answers
from row3.workflows.comparing.comparer import Comparer
from row3.workflows.comparing.sides import BaseSide, promoted_lineup, side_of_base, side_of_baseline
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.results import CaseResult
from row3.workflows.quarantine import in_force
from row3.workflows.running import run_suite
from row3.workflows.session import Session

if TYPE_CHECKING:
    from row3.workflows.asking.interleaved import Interleaving


class Scored(NamedTuple):
    """A lineup run beside the base."""

    run: Run
    comparer: Comparer
    """By the base's criteria."""
    after: Comparer | None = None
    """By the head's criteria, where these differ."""


@dataclass
class Gate:
    """The parts of a comparison."""

    session: Session
    base: Snapshot | None
    suite: Suite
    """The base's rules, with what answers as the head has it."""
    manifest: Manifest | None
    side: BaseSide
    head: Snapshot
    """The change's own."""
    index: RecordingIndex
    """The candidate's answers, with the base's as fallback."""
    base_index: RecordingIndex | None = None
    """The base's answers and the files that differ at the head; None if the work tree judges itself."""
    changes: list[CriteriaChange] = field(default_factory=list)
    """Changes of the criteria; if there are any, both criteria judge the candidate."""
    interleaving: Interleaving | None = None
    """Asks the base's side in the same run."""

    @cached_property
    def promoted(self) -> Lineup:
        """The versions that the head promotes."""
        session = self.session
        return promoted_lineup(session.project, session.suite, self.head.manifest(session.suite.name))

    def score(self, session: Session, lineup: Lineup | None = None) -> Scored:
        """Run a lineup beside the base by its criteria, and by the head's where they differ; what is alike once."""
        place, own, results = self.base or self.head, session.suite, list[CaseResult]()
        files, comparer = self._cases(place, self.suite)

        def take(result: CaseResult) -> None:
            comparer.take(result)
            if self.changes:
                results.append(result._replace(detail=None))

        run = self._run(session, lineup, self.suite, files, take)
        _note_failed(comparer, run)
        if self.base is None or not self.changes:
            return Scored(run, comparer)
        judged = session.gate.applied(own)
        files, after = self._cases(self.head, judged)
        if _scores_alike(self.suite, own):
            there = self.head.changed_cases(own, self.base)
            files = files._replace(paths=[each.where for each in there.values() if session.options.wants(each.id)])
            changed = self.base.changed_cases(self.suite, self.head)
            for result in results:
                if result.case_id not in changed:
                    after.take(result)
        if files.paths:
            again = self._run(session, lineup, judged, files, after.take)
            if not _scores_alike(self.suite, own):
                _note_failed(after, again)
        return Scored(run, comparer, after)

    def _cases(self, place: Snapshot, suite: Suite) -> tuple[CaseFiles, Comparer]:
        """Return the cases at a place, and a comparer that knows their quarantine."""
        tree = place.project.tree
        active = in_force(self.session.project, suite, CaseFiles(tree, [])).active
        watched = frozenset(change.case_id for change in self.changes)
        comparer = Comparer(suite, watched, {entry.case_id: entry.until for entry in active})
        comparer.asked_again = None if self.interleaving is None else {}
        return CaseFiles(tree, case_files(tree, suite.golden)), comparer

    def _run(
        self,
        session: Session,
        lineup: Lineup | None,
        suite: Suite,
        files: CaseFiles,
        take: Callable[[CaseResult], None],
    ) -> Run:
        before = self.side.judged_by(suite, None if session.options.page else session.scores(suite)).score
        return run_suite(
            session,
            suite=suite,
            lineup=lineup,
            files=files,
            index=self.index,
            before=before,
            interleaving=self.interleaving,
            take=take,
        )


def _note_failed(comparer: Comparer, run: Run) -> None:
    """Add the cases that failed only when all were seen: too many of them have no grade."""
    comparer.failed += [case_id for case_id in run.failed if case_id not in comparer.failed]


def _scores_alike(one: Suite, other: Suite) -> bool:
    """Return whether both score an answer alike, so that they differ in limits at most."""
    return one.kind is other.kind and replace(one.rules, thresholds={}) == replace(other.rules, thresholds={})


def open_gate(session: Session, base: Snapshot | None) -> Gate:
    """Return the parts of a comparison. Raises `InvalidFile` without a baseline, `UsageError`."""
    project, own = session.project, session.suite
    mine, head = Snapshot(project), open_recordings(project, own)
    if base is None:
        baseline = read_baseline(project, own)
        side = side_of_baseline(project, own, baseline, with_live_answers(project, own, baseline, head))
        gate = Gate(session, None, own, baseline, side, mine, head)
        if session.mode in ("live", "record"):
            from row3.workflows.comparing.live import interleaving_of  # a replay does without the provider

            gate.interleaving = interleaving_of(session, baseline)
        return gate
    there = read_suite(base.project, own.name, own.tier)
    rules = replace(
        there, pipeline=own.pipeline, provider=own.provider, system=own.system, flag=own.flag, given=own.given
    )
    head.fallback = open_changed(base.project.tree, project.tree, own.name)
    before = open_changed(base.project.tree, project.tree, own.name)
    before.fallback, before.asks_otherwise = head, head.asks_otherwise
    manifest = base.manifest(own.name)
    side = side_of_base(base.project, there, manifest, before)
    changes = inventory(
        base.criteria(there, mine), mine.criteria(own, base), base.demands(there, mine), mine.demands(own, base)
    )
    return Gate(session, base, session.gate.applied(rules), manifest, side, mine, head, before, changes)
