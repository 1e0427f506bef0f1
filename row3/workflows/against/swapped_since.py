"""Names of edited cases held to the baseline's: two spellings that are each one with a third may be two things."""

from __future__ import annotations

from row3.domain.verdicts import Reason, Verdict
from row3.store.cases import read_case
from row3.store.golden import name_of
from row3.store.project import Project
from row3.store.saved_runs import SavedRun
from row3.workflows.against.at_ref import Base, Judging, listed
from row3.workflows.against.record_cases import RecordCases
from row3.workflows.comparing.rescore import StoredCases


def swapped_since_reasons(own: Project, judging: Judging, baseline: SavedRun, base: Base | None) -> list[Reason]:
    """The ground against a name that is one with the base's, which is one with the baseline's, and not with that.

    Else a name could be swapped for another thing's by two changes, over a spelling between them.
    """
    if base is None:
        return []
    kind, there = judging.suite.kind, StoredCases(judging.project, judging.suite)
    find = RecordCases(judging.project, judging.suite, base)
    swapped = []
    for path in judging.edited:
        new = read_case(own.tree, path, kind)
        record = baseline.record(new.id)
        try:
            old = there(new.id)
        except KeyError:  # a file that was given another id, which blocks
            continue
        if record is None or record.digest == old.digest:
            continue  # the base's is the baseline's, and was looked at
        was = find(record, exactly=True)
        if was is not None and kind.swaps_a_name(was.case, new.case) and not kind.swaps_a_name(was.case, old.case):
            swapped.append(name_of(path))
    if not swapped:
        return []
    what = f"golden cases with a name that is another one than in the baseline: {listed(swapped)}"
    return [Reason(Verdict.BLOCK, what, cause="cases")]
