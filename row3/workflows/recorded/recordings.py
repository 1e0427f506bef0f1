"""Looking after recordings and the embeddings in their folder: list, verify and prune.

What is stale is found by asking again (`used_recordings`). A recording that none of these requests meets can never be
replayed. An embedding is stale where the suite matches by another model, or reads another file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from row3.domain.embeddings import embedding_digest
from row3.domain.findings import FileSummary, Level, RecordingFinding
from row3.domain.requests import digest_text
from row3.errors import Row3Error
from row3.kinds.answers import Unusable
from row3.store import embeddings
from row3.store.cases import name_of, read_cases
from row3.store.json_lines import decoded, lines_in
from row3.store.project import Project
from row3.store.recording_lines import Recording, from_line, recording_files, write_files
from row3.store.recordings import open_changed, open_index
from row3.store.suites import Suite
from row3.store.transaction import writing
from row3.workflows.pipeline.evaluate import read_answer
from row3.workflows.pipeline.lineup import Role, line_up
from row3.workflows.pipeline.meanings import recorded_vectors
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.stages import readable_versions
from row3.workflows.recorded.recorded_answers import RecordedAnswers
from row3.workflows.recorded.used_recordings import UsedRecordings, lineup_use
from row3.workflows.snapshots import find_base

ROLES: tuple[Role, ...] = ("promoted", "candidate")


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning removed, or would remove."""

    removed: dict[str, int]
    """Lines by file."""
    kept: int


class _Row(NamedTuple):
    path: str
    where: str
    raw: bytes

    @property
    def line(self) -> str:
        return decoded(self.raw, self.where).strip()

    def read(self) -> Recording | embeddings.Embedding:
        """Return what the line holds; raises `InvalidFile`."""
        if embeddings.is_embeddings(self.path):
            return embeddings.from_line(self.line, where=self.where)
        return from_line(self.raw, where=self.where)


def _rows(project: Project, suite: Suite) -> Iterator[_Row]:
    tree = project.tree
    for path in [*recording_files(tree, suite.name), *embeddings.files(tree, suite.name)]:
        for _, number, raw in lines_in(tree, path):
            yield _Row(path, f"{tree.place(path)}:{number}", raw)


def _matched_by(suite: Suite, path: str, embedding: embeddings.Embedding) -> bool:
    """Whether the suite matches by this embedding."""
    rule, own = suite.rules.semantic, embeddings.file_for(suite.name, embedding.model)
    return rule is not None and rule.model == embedding.model and path == own


def list_recordings(project: Project, suite: Suite) -> list[FileSummary]:
    """Return what is recorded, by file and prompt, and what of it is used or stale. Raises `InvalidFile`."""
    index = open_index(project.tree, suite.name)
    reached = UsedRecordings(project, suite, index).digests(any_model=True)
    promoted, candidate = (lineup_use(project, suite, role, index)[0] for role in ROLES)
    current = _promoted(project, suite)
    summaries: dict[tuple[str, str], FileSummary] = {}
    for row in _rows(project, suite):
        held = row.read()
        title = held.prompt if isinstance(held, Recording) else f"embeddings {held.model}"
        summary = summaries.setdefault((row.path, title), FileSummary(project.tree.place(row.path), title))
        summary.count += 1
        summary.bytes += len(row.raw)
        if isinstance(held, Recording):
            summary.cases.add(held.case_id)
            summary.models.add(str(held.request.get("model")))
            summary.promoted += held.digest in promoted and held.prompt in current
            summary.candidate += held.digest in candidate
            summary.stale += held.digest not in reached
        else:
            summary.stale += not _matched_by(suite, row.path, held)
    return list(summaries.values())


def verify(project: Project, suite: Suite, *, against: str | None = None) -> list[RecordingFinding]:
    """Return everything that is wrong with the suite's recordings; with `against`, a git ref, answers that differ there
    too.

    Raises `InvalidFile` for other broken files, `UsageError` for an unknown ref; broken recordings are findings.
    """
    findings = list(_verify_lines(project, suite))
    if any(finding.rule == "broken-line" for finding in findings):
        what = "skipped the check for stale and missing recordings: fix the broken lines first"
        return [*findings, RecordingFinding("warning", "not-checked", what, f"recordings/{suite.name}/")]
    if against is not None:
        findings += _verify_replaced(project, suite, against)
    return [*findings, *_verify_use(project, suite), *_verify_embeddings(project, suite)]


def _verify_lines(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    held_at: dict[str, tuple[str, str]] = {}
    recorded = (name_of(path).removesuffix(".jsonl") for path in recording_files(project.tree, suite.name))
    prompts = readable_versions(project, suite, recorded)
    outputs = {str(prompt.ref): prompt.output for prompt in prompts if prompt.output in suite.kind.outputs}
    before: tuple[str, tuple[Any, ...]] = "", ()
    for row in _rows(project, suite):
        try:
            held = row.read()
            if isinstance(held, Recording):
                said = held.answer.said
                key: tuple[Any, ...] = held.case_id, held.prompt, held.repeat, held.digest
                right = held.answer_digest == digest_text(held.answer.text)
                edited = "" if right else "the recorded answer was edited (its digest does not match)"
                double: tuple[Level, str] = "error", "keep one of the two lines"
            else:
                held.vector(row.where)
                said, key = held.packed, held.place
                right = embedding_digest(held.model, held.text) == held.digest
                edited = "" if right else "the line was edited (its digest does not match model and text)"
                double = "warning", "the first one counts"
        except Row3Error as error:
            yield _broken_line(error, row.where)
            continue
        if edited:
            yield RecordingFinding("error", "edited-answer", edited, row.where)
        first, place = held_at.setdefault(held.digest, (said, row.where))
        if place != row.where and first == said:
            yield RecordingFinding("warning", "twice", f"the same line is also in {place}", row.where)
        elif place != row.where:
            what = f"the same request has another answer in {place}; {double[1]}"
            yield RecordingFinding(double[0], "two-answers", what, row.where)
        if isinstance(held, Recording):
            output = outputs.get(held.prompt)
            parsed = None if output is None else read_answer(suite, output, held.answer)
            if isinstance(parsed, Unusable):
                yield RecordingFinding("warning", "bad-answer", f"{held.case_id}: {parsed.reason}", row.where)
        elif not _matched_by(suite, row.path, held):
            own = embeddings.file_for(suite.name, held.model)
            why = "by which the suite does not match" if row.path == own else f"which is read from {name_of(own)} only"
            what = f"of {held.model}, {why}; `row3 recordings prune{suite.flag}` removes it"
            yield RecordingFinding("warning", "stale", what, row.where)
        if before[0] == row.path and before[1] > key:
            what = f"out of order; `row3 recordings prune{suite.flag}` sorts the file"
            yield RecordingFinding("warning", "unsorted", what, row.where)
        before = row.path, key


def _broken_line(error: Row3Error, where: str) -> RecordingFinding:
    """The finding of a line that cannot be read: what is wrong and what to do, as `where` names the place already."""
    column = error.where.removeprefix(where).rpartition(":")[2]
    what = f"{error.what} (column {column})" if column.isdecimal() else error.what
    return RecordingFinding("error", "broken-line", f"{what}. {error.fix}" if error.fix else what, where)


def _verify_replaced(project: Project, suite: Suite, against: str) -> Iterator[RecordingFinding]:
    there = open_changed(find_base(project, against).project.tree, project.tree, suite.name)
    here = open_index(project.tree, suite.name)
    for before in there.all():
        now = here.first(before.digest)
        if now is not None and now.answer.said != before.answer.said:
            what = f"{now.case_id}: another answer than at {against}"
            yield RecordingFinding("warning", "recorded-again", what, here.place(before.digest))


def _verify_use(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    index = open_recordings(project, suite)
    used = UsedRecordings(project, suite, index)
    today, ever = used.digests(any_model=False), used.digests(any_model=True)
    for digest in index.digests():
        if digest in used.contradictions:
            what = f"{used.contradictions[digest]}; restore it from git, or remove it"
            yield RecordingFinding("error", "other-request", what, index.place(digest))
        elif digest not in ever:
            what = f"no prompt version asks for it with today's cases; `row3 recordings prune{suite.flag}` removes it"
            yield RecordingFinding("warning", "stale", what, index.place(digest))
        elif digest not in today:
            what = "of another model or other parameters than today's; used only when they are asked for"
            yield RecordingFinding("warning", "other-parameters", what, index.place(digest))
    current = _promoted(project, suite)
    missing = {request.digest: request for role in ROLES for request in lineup_use(project, suite, role, index)[1]}
    for request in missing.values():
        standing = "promoted" if request.prompt in current else "candidate"
        what = f"no recording of {request.prompt} ({standing}) for {request.case_id}"
        yield RecordingFinding("warning", "missing", what, f"recordings/{suite.name}/{request.prompt}.jsonl")


def _promoted(project: Project, suite: Suite) -> set[str]:
    """References of the promoted versions; the highest one that runs in place of a promoted one is a candidate."""
    promoted = line_up(project, suite, role="promoted").promoted
    return {f"{name}-{version}" for name, version in promoted.items()}


def _verify_embeddings(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    """The texts that a replay of recorded answers asks for and that have no embedding. Raises `InvalidFile`."""
    if suite.rules.semantic is None:
        return
    lost: dict[str, None] = {}
    without_code = replace(suite, project=None)  # only which texts have an embedding matters here
    answers = RecordedAnswers(project, without_code, vectors=recorded_vectors(project, suite, lost))
    for stored in read_cases(project.tree, suite.golden, suite.kind):
        lost.clear()
        for _ in answers.scores(stored):
            pass
        if lost:
            more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
            what = f"no embedding of `{min(lost)}`{more}, which an answer to {stored.id} asks for"
            where = embeddings.file_for(suite.name, suite.rules.semantic.model)
            yield RecordingFinding("warning", "missing", what, where)


def prune(project: Project, suite: Suite, *, dry_run: bool = False) -> Pruned:
    """Remove stale recordings and embeddings, and embeddings that stand twice; sort the rest. Embeddings of texts that
    no recorded answer asks for stay: other outputs may ask. Raises `InvalidFile`, and then nothing has changed,
    `EnvironmentFault`.
    """
    with nullcontext() if dry_run else writing(project.local):
        return _prune(project, suite, dry_run=dry_run)


def _prune(project: Project, suite: Suite, *, dry_run: bool) -> Pruned:
    reached = UsedRecordings(project, suite, open_index(project.tree, suite.name)).digests(any_model=True)
    answers: dict[str, list[str]] = {}
    vectors: dict[str, dict[str, str]] = {}
    removed: dict[str, int] = {}
    for row in _rows(project, suite):
        held = row.read()
        if isinstance(held, Recording):
            kept = answers.setdefault(row.path, [])
            keep = held.digest in reached
            kept += [row.line] if keep else []
        else:
            by_digest = vectors.setdefault(row.path, {})
            keep = _matched_by(suite, row.path, held) and held.digest not in by_digest
            by_digest |= {held.digest: row.line} if keep else {}
        if not keep:
            file = project.tree.place(row.path)
            removed[file] = removed.get(file, 0) + 1
    if not dry_run:
        write_files({project.at(name): kept for name, kept in answers.items()})
        for path, lines in vectors.items():
            embeddings.write(project.at(path), lines)
    return Pruned(removed, sum(map(len, [*answers.values(), *vectors.values()])))
