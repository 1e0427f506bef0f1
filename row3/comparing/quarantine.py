"""Put cases into quarantine and release them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from row3.comparing.approvals import check_reason, sign
from row3.domain.quarantine import LONGEST_DAYS, Quarantined, complaint, room, split
from row3.domain.words import part
from row3.errors import UsageError
from row3.project.chosen_cases import case_hint
from row3.project.quarantine import FILE, MOST, today, write_quarantine
from row3.project.transaction import writing
from row3.running.session import Session


@dataclass(frozen=True, slots=True)
class Changed:
    """A change of a suite's quarantine."""

    entry: Quarantined
    before: Quarantined | None
    """The case's previous entry."""
    file: str
    left: int
    """Number of cases in quarantine now."""


def quarantine(session: Session, case_id: str, *, until: str, reason: str, on: date | None = None) -> Changed:
    """Put a case into quarantine until a day, or move the end of its quarantine. Raises `UsageError`, `InvalidFile`."""
    on = on or today()
    _refuse_in_ci(session)
    end = _end(until, on)
    check_reason(reason, where="--reason", write="what makes the case flaky, and who fixes it")
    project, suite = session.project, session.suite
    folder = project.golden(suite.name)
    ids = project.cases.entries(folder)
    if case_id not in ids:
        see = f"See the ids with `row3 flaky{suite.flag}`"
        hint = case_hint(project, suite.name, case_id, ids, otherwise=see)
        raise UsageError(f"case `{case_id}` does not exist", where=f"{folder}/", fix=hint)
    signed = sign(project, reason)
    with writing(project.root, say=session.say):
        entries = {entry.case_id: entry for entry in project.on_disk().quarantine(folder)}
        active = {entry.case_id for entry in split(entries.values(), on)[0]}
        before = entries.get(case_id)
        since = before.since if before is not None and case_id in active else on.isoformat()
        if wrong := complaint(date.fromisoformat(since), end):
            latest = date.fromisoformat(since) + timedelta(days=LONGEST_DAYS)
            raise UsageError(wrong, where="--until", fix=f"Name a day up to {latest}, and fix the case by then")
        if len(active | {case_id}) > room(len(ids)):
            what = f"{part(len(active), len(ids), 'case', 'is', 'are')} in quarantine already; {MOST}"
            fix = f"Release one with `row3 flaky release{suite.flag} CASE`, or add cases"
            raise UsageError(what, where=f"suite {suite.name}", fix=fix)
        entry = Quarantined(case_id, since, end.isoformat(), signed.reason, signed.by)
        write_quarantine(project.root, folder, [*(entries | {case_id: entry}).values()])
    return Changed(entry, before, f"{folder}/{FILE}", len(active | {case_id}))


def release(session: Session, case_id: str, *, on: date | None = None) -> Changed:
    """Release a case from quarantine, so that it counts from the next run. Raises `UsageError` if it is not in it."""
    _refuse_in_ci(session)
    project, folder = session.project, session.project.golden(session.suite.name)
    with writing(project.root, say=session.say):
        entries = {entry.case_id: entry for entry in project.on_disk().quarantine(folder)}
        if case_id not in entries:
            hint = f"In quarantine: {', '.join(entries) or 'none'}"
            if case_id not in project.cases.entries(folder):
                hint = case_hint(project, session.suite.name, case_id, entries, otherwise=hint)
            raise UsageError(f"case `{case_id}` is not in quarantine", where=f"{folder}/{FILE}", fix=hint)
        entry = entries.pop(case_id)
        write_quarantine(project.root, folder, entries.values())
    return Changed(entry, entry, f"{folder}/{FILE}", len(split(entries.values(), on or today())[0]))


def _refuse_in_ci(session: Session) -> None:
    if not session.command.may_write:
        what = f"golden/<suite>/{FILE} is not written in CI"
        raise UsageError(what, where="row3 flaky", fix="Run it on a developer's machine and commit the file")


def _end(text: str, on: date) -> date:
    """Return the day that --until names. Raises `UsageError` if it is not a date in the future."""
    try:
        end = date.fromisoformat(text.strip())
    except ValueError:
        end = None
    if end is None or str(end) != text.strip():
        raise UsageError(f"`{text}` is not a date", where="--until", fix=f"Write it like {on + timedelta(14)}")
    if end <= on:
        raise UsageError(f"{end} is not after today, {on}", where="--until", fix="Name a later day")
    return end
