"""Recordings that a change takes away though the baseline rests on them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from row3.domain.verdicts import Reason, Verdict
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.recordings import Recording
from row3.store.saved_runs import SavedRun
from row3.workflows.against.at_ref import Base, Judging, listed
from row3.workflows.against.recording_drift import gone_since, recorded_at
from row3.workflows.comparing.rescore import Rescorer, StoredCases


def deleted_reasons(project: Project, judging: Judging, base: Base | None, baseline: SavedRun) -> list[Reason]:
    """What to investigate where the answers that the base's baseline was made of are there no more.

    Once these cases or the scorer change they cannot be scored again, and are held to what the baseline says of them. A
    new baseline brings its own answers, and of a case that asks otherwise from now on the old ones serve nobody.

    Raises `InvalidFile`.
    """
    if base is None or judging.new_baseline:
        return []
    gone: dict[str, list[Recording]] = {}
    for recording in gone_since(project, judging.suite, base):
        if recording.case_id not in judging.asked_no_more:
            gone.setdefault(recording.case_id, []).append(recording)
    cases, suite = StoredCases(judging.project, judging.suite), judging.suite
    there = Rescorer(project, suite, baseline.header, partial(recorded_at, project, suite, base))
    here = Rescorer(project, suite, baseline.header)
    lost = []
    for case_id in sorted(gone):
        before = baseline.record(case_id)
        with suppress(KeyError):  # a case that the base has no more: nobody scores it again
            stored = partial(_itself, cases(case_id))
            if before is not None and there(before, stored) is not None and here(before, stored) is None:
                lost.append(case_id)
    if not lost:
        return []
    prompts = sorted({recording.prompt for case_id in lost for recording in gone[case_id]})
    what = (
        f"recorded answers that the baseline of suite {suite.name} rests on are gone since {judging.label} "
        f"({', '.join(prompts)}): {listed(lost)}; they are needed until `row3 --baseline{suite.flag}` makes another"
    )
    return [Reason(Verdict.INVESTIGATE, what, cause="recordings")]


def _itself(case: StoredCase) -> StoredCase:
    return case
