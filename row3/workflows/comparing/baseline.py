"""`row3 --baseline`: run the promoted prompts and keep the run that later ones are compared to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from row3.domain.requests import digest_json
from row3.domain.tiers import tier_of
from row3.errors import InvalidFile, Row3Error, UsageError
from row3.kinds.base import Kind
from row3.store.cases import StoredCase, content_digest, demands
from row3.store.history import FILE as HISTORY
from row3.store.history import history_text, read_history
from row3.store.locks import writing
from row3.store.project import Project
from row3.store.run_records import CaseRecord, RunHeader, parse_record
from row3.store.saved_runs import MAX_BYTES, SavedRun, parse_run, read_run, run_bytes
from row3.store.suites import Suite, baseline_tier, make_suite
from row3.store.transaction import commit
from row3.workflows.comparing.evidence import declining_runs
from row3.workflows.comparing.rescore import StoredCases
from row3.workflows.pipeline.run_header import OF_THE_DAY, rules_of
from row3.workflows.pipeline.run_suite import Run, with_action
from row3.workflows.running import Announced, run_suite
from row3.workflows.session import Session, entry_of, incomplete, repository_state, save_log


def save_baseline(session: Session) -> Announced:
    """Run the promoted prompts and save the run as the baseline.

    Raises `RunIncomplete` where a case has no answer, `UsageError` for a part of the cases or where no file may be
    written.
    """
    if session.options.partial:
        raise UsageError("a part of the cases is no baseline", where="--case/--only", fix="Run all of them")
    run = run_suite(session, role="promoted")
    if not run.complete:
        raise incomplete(run, "it does not become a baseline")
    state = repository_state(session.project)
    run = with_action(run, "baseline", commit=state[0], dirty=state[1])
    history = read_history(session.project.tree)
    declines = declining_runs(history, run, session.suite)
    if session.may_write:
        project = session.project
        with writing(project.local, say=session.say):
            files = baseline_files(project, session.suite, run)
            files[HISTORY] = history_text(project.tree, entry_of(run)).encode()
            commit(project.root, project.local, files)
    save_log(session, run)
    return Announced(run, declines)


def with_case(record: CaseRecord, stored: StoredCase, kind: Kind) -> CaseRecord:
    """The record with what a later comparison has to know of its case."""
    return record._replace(
        content=content_digest(stored.case),
        demands=demands(kind, stored.case),
        input=digest_json(kind.variables(stored.case)),
    )


def archived(suite: str, run_id: str) -> str:
    """Where a baseline goes when the next one takes its place."""
    return f"baselines/archive/{suite}-{run_id}.json"


def baseline_files(project: Project, suite: Suite, run: Run) -> dict[str, bytes]:
    """The new baseline, and the old one under its own name in the archive.

    Later comparisons are held to its rules, so they are the project's, without what the command line said of one run.
    """
    files: dict[str, bytes] = {}
    current = project.baseline(suite.name, suite.tier)
    if project.tree.exists(current):
        old = read_run(project.tree, current)
        files[archived(suite.name, old.header.run_id)] = project.tree.read(current, limit=MAX_BYTES)
    stored = StoredCases(project, suite)

    def lines() -> Iterable[bytes]:
        for line in run.records:
            record = parse_record(line, where="the run")
            yield with_case(record, stored(record.id), suite.kind).line()

    rules = rules_of(make_suite(project.config, suite.name, suite.tier))
    gate = rules.gate | {key: run.header.gate[key] for key in OF_THE_DAY if key in run.header.gate}
    header = run.header.model_copy(update={"schema_": "../schemas/baseline.schema.json", "gate": gate})
    files[current] = b"".join(run_bytes(header, lines()))
    return files


def mixed_tiers(suite: Suite, baseline: RunHeader) -> str:
    """What to say where live answers are compared with a baseline of recorded ones, or the reverse; else nothing."""
    there = tier_of(baseline.mode)
    if there == suite.tier:
        return ""
    if suite.tier == "live":
        make = f"`row3 --baseline{suite.flags('row3 --baseline', 'mode')} --mode live` makes a live one"
        return f"tier: compared with the baseline of recorded answers ({make})"
    make = f"`row3 --baseline{suite.flags('row3 --baseline')}` makes one of recorded answers"
    return f"tier: the baseline holds live answers, these are recorded ({make})"


def read_baseline(project: Project, suite: Suite, *, against: str | None = None) -> SavedRun:
    """The baseline that the suite is compared with; raises `InvalidFile` that says how to make one."""
    path = project.baseline(suite.name, baseline_tier(project, suite))
    where = path + (f" at {against}" if against else "")
    if (project.root / path).is_dir():
        raise InvalidFile("a folder stands where the baseline should", where=where, fix="Move it away")
    if not project.tree.exists(path):
        fix = f"make one with `row3 --baseline{suite.flags('row3 --baseline')}`, and commit it"
        back = None if against else _restored_by(project, path)
        if back is not None:
            fix = f"the one that was deleted is in git, and `{back}` restores it; or {fix}"
        raise InvalidFile("there is no baseline to compare with", where=where, fix=fix)
    run = parse_run(project.tree.read(path, limit=MAX_BYTES), where=where)
    if run.header.kind != suite.kind.name:
        raise InvalidFile(
            f"the baseline is of kind `{run.header.kind}`, the suite of kind `{suite.kind.name}`",
            where=where,
            fix=f"Make a new one with `row3 --baseline{suite.flags('row3 --baseline')}`",
        )
    if path != project.baseline(suite.name) and tier_of(run.header.mode) != "live":
        raise InvalidFile(
            f"the baseline of the live tier holds a run in mode `{run.header.mode}`",
            where=where,
            fix=f"Make one with `row3 --baseline{suite.flags('row3 --baseline', 'mode')} --mode live`",
        )
    return run


def _restored_by(project: Project, file: str) -> str | None:
    """The command that brings back a file of the project as the last commit that had it has it; None for none."""
    from row3.vcs.repository import Repository

    with contextlib.suppress(Row3Error):  # what git cannot tell is not needed to make a new one
        repository = Repository.find(project.root)
        name = "" if repository is None else repository.relative(project.root / file)
        changed = None if repository is None else next(repository.commits_of(name), None)
        if repository is not None and changed is not None:
            last = changed if repository.has(changed, name) else f"{changed}^"
            if repository.has(last, name):
                at = "HEAD" if last == changed else f"{changed[:10]}^"
                return f"git checkout {at} -- {file}"
    return None
