"""`row3 promote`: gate a prompt version, then make it the current one, with its evidence, as one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from row3.domain.prompts import Prompt, PromptRef
from row3.domain.verdicts import Reason, Verdict
from row3.errors import UsageError
from row3.gate.verdicts import Evidence, judge
from row3.gate.zones import SLACK
from row3.store import prompts as prompt_store
from row3.store.changelog import FILE as CHANGELOG
from row3.store.changelog import read_changelog
from row3.store.history import FILE as HISTORY
from row3.store.history import Approval, history_text, parse_history, read_history
from row3.store.locks import writing
from row3.store.project import Project, Suite
from row3.store.transaction import commit
from row3.workflows.baseline import baseline_files
from row3.workflows.compare import Comparison
from row3.workflows.evidence import approved_before, declining_runs, evidence_digest, own_files
from row3.workflows.gating import compare
from row3.workflows.lineup import Lineup, line_up, resolve_version
from row3.workflows.run_suite import Run, with_action
from row3.workflows.running import run_suite
from row3.workflows.session import Session, entry_of, incomplete, make_approval, repository_state, save_log
from row3.workflows.trend import chart_files

NOTABLE = 0.02
"""Change of a case's composite from which the changelog mentions it."""
SIGNIFICANT = 0.05
NOTED_CASES = 5


@dataclass(slots=True)
class PromotionResult:
    """What `row3 promote` did, or would do."""

    ref: PromptRef
    run: Run
    comparison: Comparison | None
    """None for a first promotion, which has no baseline to be compared with."""
    verdict: Verdict
    reasons: tuple[Reason, ...]
    approval: Approval | None
    promoted: tuple[str, ...]
    """References of all prompts that became current."""
    files: tuple[str, ...]
    """What was written, or would be."""
    dry_run: bool
    entry: str
    """The changelog entry."""
    commit: str | None = None
    tag: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def done(self) -> bool:
        """The version was promoted."""
        return not self.dry_run and (self.verdict is not Verdict.BLOCK or self.approval is not None)


class AlreadyDone(Exception):  # noqa: N818 - nothing went wrong
    """The promotion had been decided before it was cut off, and opening the project finished it."""

    def __init__(self, name: str, files: tuple[str, ...]) -> None:
        super().__init__(name)
        self.name, self.files = name, files


def promote(
    session: Session,
    version: str,
    *,
    approve: str | None = None,
    dry_run: bool = False,
    make_commit: bool = False,
    make_tag: bool = False,
) -> PromotionResult:
    """Gate VERSION and, if it passes, make it the current one.

    Runs the named version with the other prompts as promoted, applies the gate, and writes lock, baseline, changelog,
    history and charts as one transaction. Nothing is written on a block without approval.

    Raises `InvalidFile`, `UsageError`, `RunIncomplete`, `EnvironmentFault`.
    """
    if session.options.partial:
        raise UsageError("a part of the cases is no gate", where="--case", fix="Promote with all of them")
    project, suite = session.project, session.suite
    ref = resolve_version(project, suite, version)
    promoted = prompt_store.read_promoted(project.root)
    current = promoted.get(ref.name)
    if current is not None and current.version == str(ref.version):
        if prompt_store.PROMOTED in session.recovered:
            raise AlreadyDone(f"{ref.name} {ref.version}", session.recovered)
        raise UsageError(f"{ref.name} {ref.version} is promoted already", where="VERSION", fix="See `row3 history`")
    lineup = line_up(project, suite, role="promoted", named=(str(ref), *session.named))
    run, comparison, verdict, reasons = _judged(session, lineup)
    if not run.complete:
        raise incomplete(run, "and nothing is promoted")
    approval = _approval(session, verdict, comparison, run, approve)
    allowed = verdict is not Verdict.BLOCK or approval is not None
    state = repository_state(project)
    run = with_action(run, "promotion", commit=state[0], dirty=state[1])
    if comparison is not None:
        comparison.run = run
    newly = [prompt for prompt in lineup.prompts if _is_new(prompt, promoted)]
    result = PromotionResult(
        ref, run, comparison, verdict, reasons, approval, tuple(str(p.ref) for p in newly), (), dry_run, ""
    )
    result.entry = changelog_text_for(project, result, current.version if current is not None else None)
    if dry_run or not allowed:
        result.files = _planned(suite) if allowed else ()
        return result
    if not session.may_write:
        raise UsageError(
            "a promotion writes tracked files", where="CI", fix="Promote on a developer's machine and commit it"
        )
    with writing(project.local, say=session.say):
        now = prompt_store.read_promoted(project.root).get(ref.name)
        if now is not None and now.version == str(ref.version):  # somebody else was quicker
            raise AlreadyDone(f"{ref.name} {ref.version}", ())
        # Charts are drawn from the history with the new entry in it, so they belong to the same transaction.
        files = _files(session, result, newly)
        commit(project.root, project.local, files)
    result.files = tuple(files)
    save_log(session, run)
    if make_commit or make_tag:
        _commit_and_tag(project, result, make_commit=make_commit, make_tag=make_tag)
    return result


def _judged(session: Session, lineup: Lineup) -> tuple[Run, Comparison | None, Verdict, tuple[Reason, ...]]:
    """The candidate's run and the gate's word on it; a first promotion is judged by its zones alone."""
    if session.project.baseline(session.suite.name).is_file():
        comparison = compare(session, lineup=lineup)
        return comparison.run, comparison, comparison.verdict, comparison.reasons
    run = run_suite(session, lineup=lineup)
    verdict, reasons = judge(
        Evidence(
            metrics=session.suite.kind.metrics,
            changes=(),
            values=run.header.metrics,
            zones=run.zones,
            policy=session.suite.policy,
            cases=run.cases,
            failed=run.collected.failed,
            declines=declining_runs(read_history(session.project.root), run, session.suite),
        )
    )
    return run, None, verdict, reasons


def _approval(
    session: Session, verdict: Verdict, comparison: Comparison | None, run: Run, reason: str | None
) -> Approval | None:
    if verdict is not Verdict.BLOCK:
        return None
    if reason is not None:
        return make_approval(session, reason)
    if comparison is not None:
        return comparison.approval
    return approved_before(
        read_history(session.project.root), evidence_digest(run, "", own_files(session.project, session.suite))
    )


def _is_new(prompt: Prompt, promoted: dict[str, prompt_store.Promotion]) -> bool:
    entry = promoted.get(prompt.ref.name)
    return entry is None or entry.version != str(prompt.ref.version)


def _planned(suite: Suite) -> tuple[str, ...]:
    charts = (f"charts/{suite.name}-trend.svg", f"charts/{suite.name}-trend.png")
    return (prompt_store.PROMOTED, f"baselines/{suite.name}.json", CHANGELOG, HISTORY, *charts)


def _files(session: Session, result: PromotionResult, newly: Sequence[Prompt]) -> dict[str, bytes]:
    from row3.reports.changelog_insert import insert_entry

    project, suite, run = session.project, session.suite, result.run
    today = datetime.now(UTC).date().isoformat()
    table = prompt_store.read_promoted(project.root)
    for prompt in newly:
        before = table.get(prompt.ref.name)
        locked = {} if before is None else before.locked | {before.version: before.digest}
        table[prompt.ref.name] = prompt_store.Promotion(
            version=str(prompt.ref.version), digest=prompt.digest, date=today, locked=locked
        )
    files = {prompt_store.PROMOTED: prompt_store.promoted_text(table).encode()}
    files |= baseline_files(project, suite, run)
    changelog = read_changelog(project)
    files[CHANGELOG] = insert_entry(changelog, result.entry, str(result.ref.version), result.ref.name).encode()
    entry = entry_of(run, result.comparison, result.approval)
    if result.comparison is None:
        entry = entry.model_copy(update={"verdict": result.verdict.word, "reasons": [r.text for r in result.reasons]})
    history = history_text(project.root, entry)
    files[HISTORY] = history.encode()
    files |= chart_files(suite, parse_history(history), weekly=False)
    return files


def changelog_text_for(project: Project, result: PromotionResult, before: str | None) -> str:
    """The entry of STANDARDS 5.3: what changed, the metric deltas, the notable cases."""
    from row3.reports.changelog import changelog_entry

    comparison, run, approval = result.comparison, result.run, result.approval
    baseline = comparison.baseline.metrics if comparison is not None else {}
    rows = [
        (
            metric.title.removeprefix("Concept ").capitalize(),
            baseline.get(metric.key),
            run.header.metrics[metric.key],
            metric.higher_is_better,
        )
        for metric in result.run.suite.kind.metrics
        if not metric.companion and metric.key in run.header.metrics
    ]
    described = prompt_store.read_prompt(project.root, result.ref).description
    others = [name for name in result.promoted if name != str(result.ref)]
    return changelog_entry(
        version=str(result.ref.version),
        date=datetime.now(UTC).date().isoformat(),
        prompt=result.ref.name,
        changes=[described] if described else [],
        rows=rows,
        baseline_version=before,
        notes=[*_notes(result), *(f"Promoted with it: {name}" for name in others)],
        approval="" if approval is None else f"{approval.reason} ({approval.by}, {approval.at})",
    )


def _short(title: str) -> str:
    """STANDARDS 5.3 says Recall, not Concept recall."""
    bare = title.removeprefix("Concept ")
    return bare[:1].upper() + bare[1:]


def _notes(result: PromotionResult) -> list[str]:
    run = result.run
    notes = [f"{run.cases} golden cases, model {run.header.model}, verdict {result.verdict.word}"]
    if result.comparison is None:
        notes.append("First promotion: no earlier baseline to compare with")
        return notes
    moves: list[str] = []
    for change in result.comparison.cases:
        file = f"{change.case_id}.gold.json"
        if change.move == "broke":
            moves.append(f"{file} broke: its answer cannot be used")
        elif change.delta >= NOTABLE - SLACK:
            size = "Significant improvement" if change.delta >= SIGNIFICANT else "Improvement"
            moves.append(f"{size} on {file} ({100 * change.delta:+.1f} points)")
        elif change.delta <= -NOTABLE + SLACK:
            size = "Significant regression" if -change.delta >= SIGNIFICANT else "Slight regression"
            moves.append(f"{size} on {file} ({100 * change.delta:+.1f} points, investigate)")
    notes += moves[:NOTED_CASES]
    if len(moves) > NOTED_CASES:
        notes.append(f"and {len(moves) - NOTED_CASES} more cases that moved by {100 * NOTABLE:g} points or more")
    return notes


def _commit_and_tag(project: Project, result: PromotionResult, *, make_commit: bool, make_tag: bool) -> None:
    from row3.vcs.repository import Repository

    repository = Repository.find(project.root)
    if repository is None:
        result.notes.append("no git repository: nothing was committed or tagged")
        return
    prefix = repository.relative(project.root)
    inside = "" if prefix in ("", ".") else f"{prefix}/"
    name = f"{result.ref.name} {result.ref.version}"
    if make_commit:
        paths = [inside + file for file in result.files]
        paths += [f"{inside}prompts/{ref}.md" for ref in result.promoted]
        recordings = f"{inside}recordings/{result.run.suite.name}"
        if (repository.root / recordings).is_dir():
            paths.append(recordings)
        result.commit = repository.commit(paths, f"Promote {name}\n\n{result.verdict.word}: see {CHANGELOG}")
    if make_tag:
        result.tag = str(result.ref)
        repository.tag(result.tag, f"Promote {name}")
