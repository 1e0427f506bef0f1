"""What a promotion did, or would do, the files that it writes, and their commit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from row3.domain.counts import count
from row3.domain.prompts import Prompt, PromptRef
from row3.errors import EnvironmentFault, InvalidFile
from row3.gate.outcomes import PromotionResult
from row3.gate.zones import SLACK
from row3.reports.changelog import changelog_entry, insert_entry, mixed_entries
from row3.store import prompts as prompt_store
from row3.store.history import FILE as HISTORY
from row3.store.history import history_text, parse_history
from row3.store.project import CHANGELOG, Project, read_changelog
from row3.workflows.comparing.baseline import baseline_files
from row3.workflows.history.trend import chart_files, chart_name
from row3.workflows.session import Session, entry_of
from row3.workflows.snapshots import inside_of

NOTABLE = 0.02
"""Change of a case's composite from which the changelog mentions it."""
LARGE = 0.05
NOTED_CASES = 5


class AlreadyDone(Exception):  # noqa: N818 - nothing went wrong
    """The version had been promoted before; `files` are those that opening the project put in place."""

    def __init__(self, name: str, files: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        self.name, self.files = name, files

    @property
    def text(self) -> str:
        """What to show: the files of an interrupted promotion, if that was finished now."""
        if not self.files:
            return f"{self.name} is promoted: nothing is left to do."
        listed = "".join(f"\n  {file}" for file in self.files)
        return f"{self.name} is promoted: the interrupted promotion was finished. Commit these files together.{listed}"


def promotion_entry(project: Project, result: PromotionResult) -> str:
    """Return the entry of STANDARDS 5.3: what changed, the metric deltas, the notable cases."""

    comparison, run, approval = result.comparison, result.run, result.approval
    baseline = comparison.baseline.metrics if comparison is not None else {}
    before = comparison.baseline.prompts.get(result.ref.name) if comparison is not None else None
    rows = [
        (
            (title := metric.title.removeprefix("Concept "))[:1].upper() + title[1:],  # F1, MRR and NDCG stay
            baseline.get(metric.key),
            run.header.metrics[metric.key],
            metric.higher_is_better,
        )
        for metric in result.run.suite.kind.metrics
        if not metric.companion and metric.key in run.header.metrics
    ]
    description = prompt_store.read_prompt(project.tree, result.ref).description
    others = [name for name in result.promoted if name != str(result.ref)]
    return changelog_entry(
        version=str(result.ref.version),
        date=datetime.now(UTC).date().isoformat(),
        prompt=result.ref.name,
        changes=[description] if description else [],
        rows=rows,
        baseline_version=None if before == str(result.ref.version) else before,
        notes=[*_notes(result), *(f"Promoted with it: {name}" for name in others)],
        approval="" if approval is None else f"{approval.reason} ({approval.by}, {approval.at})",
    )


def _notes(result: PromotionResult) -> list[str]:
    run = result.run
    notes = [f"{run.cases} golden cases, model {run.header.model}, verdict {result.verdict.word}"]
    if result.comparison is None:
        return [*notes, "First promotion: no earlier baseline to compare with"]
    moves: list[str] = []
    for change in result.comparison.cases:
        file, size = f"{change.case_id}.gold.json", "Large" if abs(change.delta) >= LARGE else "Small"
        points = f"({100 * change.delta:+.1f} points"
        if change.move == "broke":
            moves.append(f"{file} broke: its answer cannot be used")
        elif change.delta >= NOTABLE - SLACK:
            moves.append(f"{size} improvement on {file} {points})")
        elif change.delta <= -NOTABLE + SLACK:
            moves.append(f"{size} regression on {file} {points}, investigate)")
    notes += moves[:NOTED_CASES]
    if len(moves) > NOTED_CASES:
        more = count(len(moves) - NOTED_CASES, "more case")
        notes.append(f"and {more} that moved by {100 * NOTABLE:g} points or more")
    return notes


def check_entry(project: Project, ref: PromptRef) -> None:
    """Raise `InvalidFile` where the changelog's entry for a version is about another prompt too."""

    for entry in mixed_entries(read_changelog(project)):
        if entry.concerns(str(ref.version), ref.name):
            raise InvalidFile(entry.problem, where=f"{CHANGELOG}:{entry.line}", fix="Then promote again")


def promotion_files(session: Session, result: PromotionResult, newly: Sequence[Prompt]) -> dict[str, bytes]:
    """Return the new contents of every file that a promotion writes; a dry run draws no charts."""

    project, suite, run = session.project, session.suite, result.run
    today = datetime.now(UTC).date().isoformat()
    table = prompt_store.read_promoted(project.tree)
    for prompt in newly:
        before = table.get(prompt.ref.name)
        locked = {} if before is None else before.locked | {before.version: before.digest}
        table[prompt.ref.name] = prompt_store.Promotion(
            version=str(prompt.ref.version), digest=prompt.digest, date=today, locked=locked
        )
    files = {prompt_store.PROMOTED: prompt_store.promoted_text(table).encode()}
    files |= baseline_files(project, suite, run, session.answers)
    changelog = read_changelog(project)
    files[CHANGELOG] = insert_entry(changelog, result.entry, str(result.ref.version), result.ref.name).encode()
    history = history_text(project.tree, entry_of(run, result.judgement, result.approval))
    files[HISTORY] = history.encode()
    if result.dry_run:
        return files | dict.fromkeys((f"{chart_name(suite)}.svg", f"{chart_name(suite)}.png"), b"")
    return files | chart_files(suite, parse_history(history), weekly=False)


def commit_promotion(project: Project, result: PromotionResult) -> None:
    """Commit what a promotion wrote, with the prompts and recordings that it rests on."""
    from row3.vcs.repository import Repository

    repository = Repository.find(project.root)
    if repository is None:
        result.notes.append("no git repository: nothing was committed")
        return
    name, suite = f"{result.ref.name} {result.ref.version}", result.run.suite.name
    recorded = [f"recordings/{suite}/{prompt.ref}.jsonl" for prompt in result.run.lineup.prompts]
    files = [*result.files, *(f"prompts/{ref}.md" for ref in result.promoted)]
    files += [file for file in recorded if (project.root / file).is_file()]
    inside = inside_of(repository, project.root)
    try:
        message = f"Promote {name}\n\n{result.verdict.word}: see {CHANGELOG}"
        result.commit = repository.commit([inside + file for file in files], message)
    except EnvironmentFault as refused:
        fix = f"The promotion of {name} is written, and no commit has it yet: correct that, then run `git commit`"
        raise EnvironmentFault(refused.what, where=refused.where, fix=fix) from None
