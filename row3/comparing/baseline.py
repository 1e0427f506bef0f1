"""`row3 --baseline`: run the promoted prompts and save their requests and answers as a manifest."""

from __future__ import annotations

from typing import Literal

from row3.domain.requests import input_digest
from row3.domain.runs import ELSEWHERE, Manifest, ManifestCase, ManifestPrompt
from row3.domain.scores import Zone, zones_of
from row3.errors import InvalidFile, UsageError
from row3.gate.results import Run, SuiteResult, ran
from row3.project.base import repository_state
from row3.project.history import FILE as HISTORY
from row3.project.history import history_text
from row3.project.json_lines import lines_in
from row3.project.manifests import manifest_bytes, parse_manifest
from row3.project.places import CHANGELOG, FILE
from row3.project.project import Project, baseline_tier, read_changelog
from row3.project.recordings import RecordingIndex
from row3.project.saved_runs import latest_runs, parse_record, read_log
from row3.project.suites import Suite
from row3.project.transaction import commit, writing
from row3.running.run_options import with_action
from row3.running.session import Session, entry_of, save_log, scored_by
from row3.running.suite_run import declining_runs, run_suite

ARCHIVE = "baselines/archive"


def save_baseline(session: Session) -> SuiteResult:
    """Run the promoted prompts and save the run as the baseline, unless an answer is missing."""
    if session.options.partial:
        raise UsageError("a baseline needs all cases", where="--case/--tag/--only", fix="Leave these out")
    run = run_suite(session, role="promoted")
    if not run.complete:
        return ran(run)
    project = session.project
    state = repository_state(project)
    run = with_action(run, "baseline", commit=state[0], dirty=state[1])
    declines = declining_runs(project.history, run, session.suite)
    if session.command.may_write:
        with writing(project.root, say=session.say):
            files = baseline_files(project, session.suite, run)
            files[HISTORY] = history_text(project.on_disk().tree, entry_of(run)).encode()
            commit(project.root, files)
    save_log(session.project, run, session.say)
    return ran(run, declines.runs)


def manifest_of(project: Project, run: Run) -> Manifest:
    """Return the manifest of a complete run. Raises `InvalidFile`."""
    header, kind = run.header, run.suite.kind
    inputs = {
        stored.id: input_digest(stored.case.variables())
        for stored in project.cases.read(project.golden(header.suite), kind)
    }
    cases = {}
    for line in run.records:
        record = parse_record(line, where="the run")
        cases[record.id] = ManifestCase(
            record.id, record.digest, inputs[record.id], record.requests, record.answer_digests
        )
    return Manifest(
        suite=header.suite,
        kind=kind.name,
        tier=run.suite.tier,
        run_id=header.run_id,
        at=header.at,
        prompts={
            prompt.ref.name: ManifestPrompt(str(prompt.ref.version), prompt.digest, prompt.output)
            for prompt in run.lineup.prompts
        },
        model=header.model,
        parameters=header.parameters,
        repeats=header.repeats,
        cases=cases,
        commit=header.commit,
        summary=header.metrics,
        omitted=header.omitted,
    )


def baseline_files(project: Project, suite: Suite, run: Run) -> dict[str, bytes]:
    """Return the files of a new baseline: itself, the previous one archived, its answers if it is live, the changelog
    if figures in it are no longer comparable.
    """
    from row3.project.changelog import mark_figures  # a comparison writes no baseline

    promotions = [each for each in project.history if each.action == "promotion" and each.suite == suite.name]
    before = read_changelog(project)
    after = mark_figures(before, promotions, scored_by(run))
    files = {} if after == before else {CHANGELOG: after.encode()}
    path = project.baseline(suite.name, suite.tier)
    if project.tree.exists(path):
        raw = project.tree.read(path, limit=2**30)
        files[f"{ARCHIVE}/{suite.name}-{parse_manifest(raw, where=path).run_id}.json"] = raw
    files[path] = manifest_bytes(manifest_of(project, run))
    if suite.tier == "live":
        files[live_answers(project, suite)] = "".join(f"{line}\n" for line in sorted(run.answers)).encode()
    return files


def live_answers(project: Project, suite: Suite) -> str:
    """Return the file with a live baseline's answers."""
    return project.baseline(suite.name, "live").removesuffix(".json") + ".answers.jsonl"


def with_live_answers(project: Project, suite: Suite, manifest: Manifest, index: RecordingIndex) -> RecordingIndex:
    """Return the recordings, with a live baseline's own answers as fallback."""
    path = live_answers(project, suite)
    if manifest.tier != "live" or not project.tree.exists(path):
        return index
    own = RecordingIndex(project.tree, suite.name)
    own.add(lines_in(project.tree, path))
    own.fallback = index
    return own


def no_baseline(project: Project, suite: Suite) -> InvalidFile:
    """Return the error for a suite without a baseline."""
    where = project.tree.place(project.baseline(suite.name, baseline_tier(project, suite)))
    fix = f"Save one with `row3 --baseline{suite.flags('row3 --baseline')}` and commit it, or restore it from git"
    return InvalidFile("there is no baseline to compare with", where=where, fix=fix)


def read_baseline(project: Project, suite: Suite) -> Manifest:
    """Return the suite's baseline. Raises `InvalidFile` if it is missing, or of another kind or tier."""
    path = project.baseline(suite.name, baseline_tier(project, suite))
    where = project.tree.place(path)
    if not project.tree.exists(path):
        raise no_baseline(project, suite)
    manifest = project.manifest_at(path)
    if manifest.kind != suite.kind.name:
        what = f"the baseline is of kind `{manifest.kind}`, the suite of kind `{suite.kind.name}`"
        fix = f"Save a new one with `row3 --baseline{suite.flags('row3 --baseline')}`"
        if suite.name not in project.config.suites:
            lacking = f"has no [suites.{suite.name}]" if project.tree.exists(FILE) else "is missing"
            what, fix = f"{what}, as {FILE} {lacking}", f"Restore it in {FILE}"
        raise InvalidFile(what, where=where, fix=fix)
    if path != project.baseline(suite.name) and manifest.tier != "live":
        fix = f"Save a live one with `row3 --baseline{suite.flags('row3 --baseline', 'mode')} --mode live`"
        raise InvalidFile("the live tier's baseline contains recorded answers", where=where, fix=fix)
    return manifest


Part = Literal["failing", "changed"]


def pick_cases(project: Project, suite: Suite, part: Part) -> frozenset[str]:
    """Return the ids of the cases that fail in the last run, or differ from the baseline. Raises `InvalidFile`."""
    if part == "changed":
        known = read_baseline(project, suite).cases
        entries = project.cases.entries(suite.golden).values()
        found = [each.id for each in entries if each.id not in known or known[each.id].digest != each.digest]
    else:
        found = _failing(project, suite)
    if not found:
        raise InvalidFile(f"no case is {part}", where=f"suite {suite.name}", fix="Leave --only out to run all")
    return frozenset(found)


def _failing(project: Project, suite: Suite) -> list[str]:
    """Return the ids of cases with a failure in the suite's latest run of prompts (not of `row3 score`)."""
    for path in latest_runs(project.local):
        run = read_log(path)
        if run.header.suite == suite.name and run.header.mode != ELSEWHERE:
            metrics, thresholds = suite.kind.metrics, suite.rules.thresholds
            zones = {record.id: zones_of(record.metrics, metrics, thresholds).values() for record in run.cases.values()}
            return [each.id for each in run.cases.values() if each.status != "scored" or Zone.FAIL in zones[each.id]]
    raise InvalidFile("no saved run yet", where=".row3/runs", fix=f"Run `row3{suite.flag}` first")
