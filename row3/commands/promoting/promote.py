"""`row3 promote`: gate a prompt version, then make it the current one, with its evidence, as one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from row3.charting.trend_chart import trend_chart
from row3.commands.compare import note
from row3.commands.promoting.rubrics import judge_rubric
from row3.commands.trend import chart_name, marked_points
from row3.comparing.approvals import accepted_fall, check_approval, new_approvals, sign
from row3.comparing.baseline import baseline_files
from row3.comparing.compare import compare
from row3.comparing.lessons import note_lessons
from row3.domain.judgements import Code, Judgement, Verdict
from row3.domain.prompts import Lineup, Prompt, PromptRef, names_of, parse_reference
from row3.domain.runs import Approval
from row3.domain.scores import SLACK
from row3.domain.words import count
from row3.errors import EnvironmentFault, InvalidFile, Row3Error, UsageError
from row3.gate.judging import judge
from row3.gate.results import Comparison, Run
from row3.gate.scores import Context, Scores
from row3.project import prompts as prompt_store
from row3.project.base import repository_of, repository_state, work_base
from row3.project.changelog import MetricRow, changelog_entry, insert_entry, is_written, merged_entry, mixed_entries
from row3.project.criteria import loosened
from row3.project.git.forks import inside_of
from row3.project.history import FILE as HISTORY
from row3.project.history import history_text, parse_history
from row3.project.places import CHANGELOG
from row3.project.project import Project, has_baseline, read_changelog
from row3.project.transaction import commit, writing
from row3.running.collect import now
from row3.running.lineup import line_up, named_rubric, resolve_version
from row3.running.run_options import RunOptions, with_action
from row3.running.session import Session, entry_of, incomplete, save_log, scored_by
from row3.running.suite_run import declining_runs, run_suite


@dataclass(slots=True)
class PromotionResult:
    """The result of `row3 promote`, or of its dry run."""

    refs: tuple[PromptRef, ...]
    """The versions that become current, in the order of the pipeline."""
    run: Run
    comparison: Comparison | None
    """None for a first promotion, which has no baseline."""
    judgement: Judgement
    approval: Approval | None
    dry_run: bool
    files: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    """A changelog entry for each of `refs`."""
    commit: str | None = None
    notes: list[str] = field(default_factory=list)
    refused: bool = False


def promote(
    session: Session,
    versions: Sequence[str],
    *,
    approve: str | None = None,
    ask: Callable[[str], str] | None = None,
    dry_run: bool = False,
    make_commit: bool = False,
) -> PromotionResult:
    """Judge versions by the limits of policy `fixed`, the other prompts as candidates, and promote all that pass.

    The other candidates become current too, because the baseline holds their answers. An approval promotes blocked
    versions too; a fall that does not block needs one, whose reason `ask` returns. Locks, baseline, changelog, history
    and charts are one transaction.
    """
    check_approval(approve, may_write=session.command.may_write, gate_flags=str(session.command.gate))
    if session.options.partial:
        raise UsageError("a promotion needs all cases", where="--case", fix="Leave it out")
    project, suite = session.project, session.suite
    if loosened(project.suite(suite.name, suite.tier), suite):
        what = "options may only tighten a promotion's rules, which row3.toml sets"
        raise UsageError(what, where=str(session.command.gate), fix="Leave these out, or set them in row3.toml")
    newly, lineup = _promotable(session, versions)
    run, comparison, judgement = judge_rubric(session, newly[0]) if lineup is None else _judged(session, lineup)
    if not judgement.complete:
        raise incomplete(run, "so nothing is promoted")
    approval = judgement.approval
    if approve is not None and judgement.verdict is not Verdict.PROCEED:
        approval = sign(project, approve, approval)
    refused = judgement.verdict is Verdict.BLOCK and approval is None and not suite.policy.informational
    refs = tuple(prompt.ref for prompt in newly)
    if not (refused or dry_run):
        if not session.command.may_write:
            what = "a promotion writes tracked files"
            raise UsageError(what, where="CI", fix="Promote on a developer's machine and commit it")
        approval = approval or accepted_fall(project, comparison, refs, ask)
    state = repository_state(project)
    run = with_action(run, "promotion", commit=state[0], dirty=state[1])
    if comparison is not None:
        comparison.run, comparison.judgement = run, replace(comparison.judgement, approval=approval)
    result = PromotionResult(refs, run, comparison, judgement, approval, dry_run, refused=refused)
    result.entries = tuple(promotion_entry(result, prompt, project) for prompt in newly)
    if refused:
        note_lessons(project, session.command, session.say, [] if comparison is None else [comparison])
        return result
    if dry_run:
        before, new = read_changelog(project), zip(refs, result.entries, strict=True)
        result.entries = tuple(merged_entry(before, entry, str(ref.version), ref.name) for ref, entry in new)
        result.files = tuple(promotion_files(session, result, newly))
        return result
    with writing(project.root, say=session.say):
        session = replace(session, project=project.on_disk())
        if all(_is_current(session.project, ref) for ref in refs):  # another process was quicker
            raise AlreadyDone(names_of(refs))
        files = promotion_files(session, result, newly)
        commit(project.root, files)
    result.files = tuple(files)
    now_promoted = {prompt.ref.name: str(prompt.ref.version) for prompt in newly}
    run.lineup = replace(run.lineup, promoted={**run.lineup.promoted, **now_promoted})
    save_log(session.project, run, session.say)
    result.notes += [] if approval is None else _sign_for_hook(session, judgement, approval)
    if make_commit:
        commit_promotion(project, result)
    return result


def _promotable(session: Session, versions: Sequence[str]) -> tuple[list[Prompt], Lineup | None]:
    """Return the prompts that become current, and the lineup that is judged; None for a rubric.

    Raises if the versions are promoted already, or one has a broken changelog entry.
    """
    project, suite = session.project, session.suite
    newly = [rubric for text in versions if (rubric := named_rubric(project, text)) is not None]
    lineup, refs = None, [each.ref for each in newly]
    if newly and len(versions) > 1:
        raise UsageError("a rubric is promoted alone", where="VERSION", fix="Promote one after the other")
    if not newly:
        refs = _meant(session, versions)
        where = "VERSION or --prompt" if session.options.named else "VERSION"
        lineup = line_up(project, suite, role="candidate", named=(*map(str, refs), *session.options.named), where=where)
        newly = [each for each in lineup.prompts if each.stage is None and not _is_current(project, each.ref)]
    if all(_is_current(project, ref) for ref in refs):
        if prompt_store.PROMOTED in session.state.recovered:
            raise AlreadyDone(names_of(refs), session.state.recovered)
        what = f"{names_of(refs)} {'is' if len(refs) == 1 else 'are'} promoted already"
        raise UsageError(what, where="VERSION", fix=f"See `row3 history{suite.flag}`")
    if others := [prompt.ref for prompt in newly if prompt.ref not in refs]:
        session.say(f"judged together, so this also promotes {names_of(others)}; --prompt chooses other versions")
    for entry in mixed_entries(read_changelog(project)):
        if any(entry.concerns(str(prompt.ref.version), prompt.ref.name) for prompt in newly):
            raise InvalidFile(entry.problem, where=f"{CHANGELOG}:{entry.line}", fix="Then promote again")
    return newly, lineup


def _meant(session: Session, versions: Sequence[str]) -> list[PromptRef]:
    """Return the versions to promote. A bare `v1.1` means the candidates of that version.

    If no candidate has it, it means every prompt that has it, to go back.
    """
    project = session.project
    highest = {name: PromptRef(name, known[-1]) for name, known in project.versions.items()}
    named = (parse_reference(text.removeprefix("prompts/")) for text in session.options.named)
    candidates = highest | {ref.name: ref for ref in named if ref is not None}
    refs: list[PromptRef] = []
    for text in versions:
        found = resolve_version(project, session.suite, text)
        waiting = [ref for ref in found if not _is_current(project, ref)]
        refs += [ref for ref in waiting if candidates[ref.name] == ref] or waiting or found
    return refs


def _is_current(project: Project, ref: PromptRef) -> bool:
    return ref.name in project.promoted and project.promoted[ref.name].version == str(ref.version)


def _judged(session: Session, lineup: Lineup) -> tuple[Run, Comparison | None, Judgement]:
    """Return the lineup's run, its comparison and the judgement; a first promotion is judged by its zones alone."""
    suite = session.suite
    if has_baseline(session.project, suite):
        comparison = compare(session, lineup=lineup, policy="fixed")  # STANDARDS 5.2
        return comparison.run, comparison, comparison.judgement
    run = run_suite(session, lineup=lineup)
    scores = Scores(
        policy=suite.policy,
        metrics=suite.kind.metrics,
        thresholds=suite.rules.thresholds,
        after=run.header.metrics,
        cases=run.cases - len(run.failed),
        failed=run.failed,
    )
    context = Context(decline=declining_runs(session.project.history, run, suite).from_runs(suite.policy.declines))
    answers = [str([run.header.prompt_digests, run.header.metrics])]
    approvals = new_approvals(session.project.history, None, suite.name)
    return run, None, judge(suite.name, (), [scores], context, answers=answers, approvals=approvals)


def _sign_for_hook(session: Session, shown: Judgement, approval: Approval) -> list[str]:
    """Record the approval for the hook's comparison too, unless that blocks for more reasons; return notes on it."""
    project = session.project.on_disk()
    try:
        base = work_base(project)
        if base is None or not base.judges(session.suite.name):
            return []
        options = RunOptions(mode="replay", jobs=session.options.jobs)
        comparison = compare(replace(session, project=project, options=options), base=base)
    except Row3Error as error:
        return [f"the approval could not be recorded for the hook: {error}"]
    if comparison.judgement.approval is not None or comparison.verdict is not Verdict.BLOCK:
        return []
    known = {reason.key for reason in shown.reasons}
    blocks = [each for each in comparison.reasons if each.verdict is Verdict.BLOCK and each.code != Code.UNCONFIRMED]
    more = [each for each in blocks if each.key not in known]
    if more:
        listed = ", ".join(f"{each.code} {each.subject}".strip() for each in more)
        return [f"the hook will need its own approval, since it blocks for more reasons: {listed}"]
    comparison.judgement = replace(comparison.judgement, approval=approval)
    note(project, session.command, session.say, [comparison])
    return ["hook and CI accept the approval too"]


FELL, ROSE = 0.01, 0.02
"""Fall (STANDARDS 4.3) and rise of a case's composite from which the changelog mentions the case."""
LARGE = 0.05
"""Change from which the changelog calls it large."""
NOTED_RISES = 5


class AlreadyDone(Exception):  # noqa: N818 - nothing went wrong
    """The version is promoted already; `files` were written by finishing an interrupted promotion."""

    def __init__(self, name: str, files: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        self.name, self.files = name, files

    @property
    def text(self) -> str:
        """The message to show."""
        if not self.files:
            return f"{self.name} is promoted: nothing left to do."
        listed = "".join(f"\n  {file}" for file in self.files)
        return f"{self.name} is promoted: row3 finished the interrupted promotion. Commit these files together.{listed}"


def promotion_entry(result: PromotionResult, prompt: Prompt, project: Project) -> str:
    """Return a prompt's entry of STANDARDS 5.3: what changed, the metric deltas, the notable cases."""
    comparison, run, approval, promoted = result.comparison, result.run, result.approval, project.promoted
    baseline = comparison.baseline.metrics if comparison is not None else {}
    name, version = prompt.ref.name, str(prompt.ref.version)
    before = None if comparison is None else comparison.baseline.prompts.get(name)
    if prompt.is_rubric and name in promoted:
        before = promoted[name].version
    earlier = [each for each in project.history if each.action == "promotion" and each.suite == run.suite.name]
    since = [each.at[:10] for each in earlier[-1:] if each.scored != scored_by(run)]
    rescored = [f"Golden cases or scorer changed since {day}" for day in since]
    changed = f"Text changed since {promoted[name].version}" if name in promoted else "First promoted version"
    significant = set() if comparison is None else {each.key for each in comparison.metrics if each.significant}
    rows = [
        MetricRow(
            (title := metric.title.removeprefix("Concept "))[:1].upper() + title[1:],  # keeps F1, MRR and NDCG
            baseline.get(metric.key),
            run.header.metrics[metric.key],
            metric.higher_is_better,
            metric.key in significant,
        )
        for metric in result.run.suite.kind.metrics
        if not metric.companion and metric.key in run.header.metrics
    ]
    return changelog_entry(
        version=version,
        date=now()[:10],
        prompt=name,
        changes=[prompt.description if is_written(prompt.description) else changed],
        rows=rows,
        baseline_version=None if before == version else before,
        notes=[*_notes(result), *rescored, *(f"Promoted with it: {ref}" for ref in result.refs if ref != prompt.ref)],
        approval="" if approval is None else f"{approval.reason} ({approval.by}, {approval.at})",
    )


def _notes(result: PromotionResult) -> list[str]:
    """Return the changelog's notes: the run, and the cases that changed most."""
    run, verdict = result.run, result.judgement.verdict
    notes = [f"{run.cases} golden cases, model {run.header.model}, verdict {verdict.word}"]
    if result.comparison is None:
        return [*notes, "First promotion: no earlier baseline to compare with"]
    rises: list[str] = []
    rest = Counter(result.comparison.moves)  # those that are not kept, as so many moved
    for change in result.comparison.cases:
        rest[change.move] -= 1
        file, size = f"{change.case_id}.gold.json", "Large" if abs(change.delta) >= LARGE else "Small"
        if change.move == "broke":
            notes.append(f"{file} broke: its answer cannot be used")
        elif change.delta >= ROSE - SLACK:
            rises.append(f"{size} improvement on {file} ({100 * change.delta:+.1f} points)")
        elif change.delta <= -FELL + SLACK:
            notes.append(f"{size} regression on {file} ({100 * change.delta:+.1f} points, investigate)")
    if fallen := rest["broke"] + rest["regressed"]:
        notes.append(f"and {count(fallen, 'more case')} that fell by no more than those above")
    if left := max(len(rises) - NOTED_RISES, 0) + rest["improved"]:
        rises[NOTED_RISES:] = [f"and {count(left, 'more case')} that improved by no more than those above"]
    return notes + rises


def promotion_files(session: Session, result: PromotionResult, newly: Sequence[Prompt]) -> dict[str, bytes]:
    """Return the new content of every file that a promotion writes; a dry run draws no chart."""
    project, suite, comparison = session.project, session.suite, result.comparison
    once = result.run if comparison is None or comparison.once is None else comparison.once
    once = with_action(once, "promotion", commit=result.run.header.commit, dirty=result.run.header.dirty)
    today = now()[:10]
    table = dict(project.promoted)
    for prompt in newly:
        before = table.get(prompt.ref.name)
        locked = {} if before is None else before.locked | {before.version: before.digest}
        table[prompt.ref.name] = prompt_store.Promotion(
            version=str(prompt.ref.version), digest=prompt.digest, date=today, locked=locked
        )
    files = {prompt_store.PROMOTED: prompt_store.promoted_text(table).encode()}
    if has_baseline(project, suite) or not all(prompt.is_rubric for prompt in newly):
        files |= baseline_files(project, suite, once)
    changelog = files[CHANGELOG].decode() if CHANGELOG in files else read_changelog(project)
    for ref, entry in reversed(list(zip(result.refs, result.entries, strict=True))):  # the first one ends up on top
        changelog = insert_entry(changelog, entry, str(ref.version), ref.name)
    files[CHANGELOG] = changelog.encode()
    history = history_text(project.tree, entry_of(result.run, result.judgement, result.approval))
    files[HISTORY] = history.encode()
    chart = b"" if result.dry_run else trend_chart(marked_points(suite, parse_history(history)), suite)
    return files | {chart_name(suite): chart}


def commit_promotion(project: Project, result: PromotionResult) -> None:
    """Commit the files of a promotion, with the prompts and recordings behind it."""
    repository = repository_of(project)
    if repository is None:
        result.notes.append("no git repository: nothing was committed")
        return
    name, suite = names_of(result.refs), result.run.suite.name
    asked = dict.fromkeys([*(prompt.ref for prompt in result.run.lineup.prompts), *result.refs])
    recorded = [f"recordings/{suite}/{ref}.jsonl" for ref in asked]
    schemas = [prompt.schema.path for prompt in result.run.lineup.prompts if prompt.schema is not None]
    files = [*result.files, *(f"prompts/{ref}.md" for ref in result.refs), *dict.fromkeys(schemas)]
    files += [file for file in recorded if project.tree.exists(file)]
    try:
        message = f"Promote {name}\n\n{result.judgement.verdict.word}: see {CHANGELOG}"
        result.commit = repository.commit([inside_of(repository, project.root) + file for file in files], message)
    except EnvironmentFault as refused:
        fix = f"The promotion of {name} is written but not committed: correct that, then run `git commit`"
        raise EnvironmentFault(refused.what, where=refused.where, fix=fix) from None
