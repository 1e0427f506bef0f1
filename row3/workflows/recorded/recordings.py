"""Looking after recordings: list, verify and prune.

What is stale is found by asking again (`used_recordings`). A recording that none of these requests meets can never be
replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from row3.domain.requests import digest_text
from row3.errors import InvalidFile, Row3Error
from row3.kinds.answers import Unusable
from row3.store.locks import writing
from row3.store.outputs import lines_of
from row3.store.project import Project
from row3.store.recordings import Recording, from_line, open_changed, open_index, recording_files, write_files
from row3.store.suites import Suite
from row3.workflows.pipeline.lineup import Role, line_up
from row3.workflows.pipeline.stages import readable_versions
from row3.workflows.recorded import recorded_embeddings
from row3.workflows.recorded.recording_findings import FileSummary, RecordingFinding, broken_line
from row3.workflows.recorded.used_recordings import UsedRecordings, lineup_use
from row3.workflows.snapshots import find_base

ROLES: tuple[Role, ...] = ("promoted", "candidate")


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning removed, or would remove."""

    removed: dict[str, int]
    """Lines by file."""
    kept: int
    dry_run: bool

    @property
    def count(self) -> int:
        """How many recordings in all."""
        return sum(self.removed.values())


class _Row(NamedTuple):
    file: str
    where: str
    raw: bytes


def _rows(project: Project, suite: Suite) -> Iterator[_Row]:
    for name in recording_files(project.tree, suite.name):
        for line in lines_of(project.root / name, where=name):
            yield _Row(name, f"{name}:{line.number}", line.raw)


def _recording(row: _Row) -> Recording:
    try:
        text = row.raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidFile("the line is not UTF-8", where=row.where, fix="Restore the file from git") from None
    return from_line(text.rstrip("\r\n"), where=row.where)


def list_recordings(project: Project, suite: Suite) -> list[FileSummary]:
    """What is recorded, by file and prompt, and what of it is used or stale. Raises `InvalidFile`."""
    index = open_index(project.tree, suite.name)
    reached = UsedRecordings(project, suite, index).digests(any_model=True)
    promoted, candidate = (lineup_use(project, suite, role, index)[0] for role in ROLES)
    current = _promoted(project, suite)
    summaries: dict[tuple[str, str], FileSummary] = {}
    for row in _rows(project, suite):
        recording = _recording(row)
        file = row.where.rpartition(":")[0]
        summary = summaries.setdefault((file, recording.prompt), FileSummary(file, recording.prompt))
        summary.count += 1
        summary.bytes += len(row.raw)
        summary.cases.add(recording.case_id)
        summary.models.add(str(recording.request.get("model")))
        summary.promoted += recording.digest in promoted and recording.prompt in current
        summary.candidate += recording.digest in candidate
        summary.stale += recording.digest not in reached
    return [*summaries.values(), *recorded_embeddings.summaries(project, suite)]


def verify(project: Project, suite: Suite, *, against: str | None = None) -> list[RecordingFinding]:
    """Everything that is wrong with the suite's recordings; an empty list where all is well.

    Args:
        against: a git ref; answers that are others there are told of too.
    Raises `InvalidFile` for a broken prompt, golden case or configuration, `UsageError` for an unknown ref; broken
    recordings are findings.
    """
    findings = [*_verify_lines(project, suite), *recorded_embeddings.verify_lines(project, suite)]
    if any(finding.rule == "broken-line" for finding in findings):
        what = "skipped the check for stale and missing recordings: fix the broken lines first"
        return [*findings, RecordingFinding("warning", "not-checked", what, f"recordings/{suite.name}/")]
    if against is not None:
        findings += _verify_replaced(project, suite, against)
    return [*findings, *_verify_use(project, suite), *recorded_embeddings.verify_use(project, suite)]


def _verify_replaced(project: Project, suite: Suite, against: str) -> Iterator[RecordingFinding]:
    there = open_changed(find_base(project, against).project.tree, project.tree, suite.name)
    here = open_index(project.tree, suite.name)
    for before in there.all():
        now = here.first(before.digest) if before.digest in here else None
        if now is not None and now.answer.text != before.answer.text:
            what = f"{now.case_id}: another answer than at {against}"
            yield RecordingFinding("warning", "recorded-again", what, here.place(before.digest))


def _verify_lines(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    answers: dict[str, tuple[str, str]] = {}
    outputs = _outputs_by_prompt(project, suite)
    before: tuple[str, tuple[str, str, int, str]] | None = None
    for row in _rows(project, suite):
        try:
            recording = _recording(row)
        except Row3Error as error:
            yield broken_line(error, row.where)
            continue
        digest = digest_text(recording.answer.text)
        if recording.answer_digest != digest:
            what = "the recorded answer was edited (its digest does not match)"
            yield RecordingFinding("error", "edited-answer", what, row.where)
        held = answers.setdefault(recording.digest, (digest, row.where))
        if held[1] != row.where:
            if held[0] == digest:
                yield RecordingFinding("warning", "twice", f"the same recording is also in {held[1]}", row.where)
            else:
                what = f"the same request has another answer in {held[1]}; keep one of the two lines"
                yield RecordingFinding("error", "two-answers", what, row.where)
        output = outputs.get(recording.prompt)
        parsed = suite.kind.parse(output, recording.answer.text) if output is not None else None
        if isinstance(parsed, Unusable):
            yield RecordingFinding("warning", "bad-answer", f"{recording.case_id}: {parsed.reason}", row.where)
        key = (row.file, (recording.case_id, recording.prompt, recording.repeat, recording.digest))
        if before is not None and before[0] == key[0] and before[1] > key[1]:
            what = f"out of order; `row3 recordings prune{suite.flag}` sorts the file"
            yield RecordingFinding("warning", "unsorted", what, row.where)
        before = key


def _outputs_by_prompt(project: Project, suite: Suite) -> dict[str, str]:
    recorded = (path.rpartition("/")[2].removesuffix(".jsonl") for path in recording_files(project.tree, suite.name))
    prompts = readable_versions(project, suite, recorded)
    return {str(prompt.ref): prompt.output for prompt in prompts if prompt.output in suite.kind.outputs}


def _verify_use(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    index = open_index(project.tree, suite.name)
    used = UsedRecordings(project, suite, index)
    today, ever = used.digests(any_model=False), used.digests(any_model=True)
    for digest in index.digests():
        found = index.first(digest)
        another = "" if found is None else used.of_another(found)
        if another:
            what = f"the line is of another request than its digest says: {another}; restore it from git, or remove it"
            yield RecordingFinding("error", "other-request", what, index.place(digest))
        elif digest not in ever:
            what = f"no prompt version asks for it with today's cases; `row3 recordings prune{suite.flag}` removes it"
            yield RecordingFinding("warning", "stale", what, index.place(digest))
        elif digest not in today:
            what = "of another model or other parameters than today's; used only when they are asked for"
            yield RecordingFinding("warning", "other-parameters", what, index.place(digest))
    told: set[str] = set()
    current = _promoted(project, suite)
    for role in ROLES:
        for request in lineup_use(project, suite, role, index)[1]:
            if request.digest not in told:
                told.add(request.digest)
                standing = "promoted" if request.prompt in current else "candidate"
                what = f"no recording of {request.prompt} ({standing}) for {request.case_id}"
                yield RecordingFinding("warning", "missing", what, f"recordings/{suite.name}/{request.prompt}.jsonl")


def _promoted(project: Project, suite: Suite) -> set[str]:
    """The versions that are promoted: where none is, the highest stands in for it, and is a candidate all the same."""
    promoted = line_up(project, suite, role="promoted").promoted
    return {f"{name}-{version}" for name, version in promoted.items()}


def prune(project: Project, suite: Suite, *, dry_run: bool = False) -> Pruned:
    """Remove stale recordings: those that no version of any prompt asks for, under any model that is recorded.

    Each file is replaced as a whole, under the write lock. Raises `InvalidFile` for a broken line (and then
    nothing has changed), `EnvironmentFault`.
    """
    if dry_run:
        return _prune(project, suite, dry_run=True)
    with writing(project.local):
        return _prune(project, suite, dry_run=False)


def _prune(project: Project, suite: Suite, *, dry_run: bool) -> Pruned:
    index = open_index(project.tree, suite.name)
    reached = UsedRecordings(project, suite, index).digests(any_model=True)
    lines: dict[str, list[str]] = {}
    removed: dict[str, int] = {}
    for row in _rows(project, suite):
        kept = lines.setdefault(row.file, [])
        if _recording(row).digest in reached:
            kept.append(row.raw.decode("utf-8").strip())
        else:
            name = row.where.rpartition(":")[0]
            removed[name] = removed.get(name, 0) + 1
    if not dry_run:
        write_files({project.root / name: kept for name, kept in lines.items()})
    others, still = recorded_embeddings.prune(project, suite, dry_run=dry_run)
    return Pruned(removed | others, sum(map(len, lines.values())) + still, dry_run)
