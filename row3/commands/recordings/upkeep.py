"""List, verify and prune recordings, and the embeddings in their folder.

A recording is stale if no current request finds it (`used_recordings`); then it can never be replayed. An embedding is
stale if the suite matches by another model or reads another file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from row3.comparing.used_recordings import UsedRecordings, lineup_use
from row3.domain.asks import embedding_digest
from row3.domain.findings import Level
from row3.domain.requests import digest_text
from row3.errors import Row3Error
from row3.kinds.answers import Unusable
from row3.project import embeddings
from row3.project.base import find_base
from row3.project.cases import name_of
from row3.project.json_lines import decode_line, lines_in
from row3.project.parquet import PARQUET
from row3.project.project import Project
from row3.project.recording_lines import Recording, from_line, recording_files, write_files
from row3.project.recordings import open_changed, open_index
from row3.project.suites import Suite
from row3.project.transaction import writing
from row3.running.evaluate import read_answer
from row3.running.lineup import Role, line_up
from row3.running.meanings import recorded_vectors
from row3.running.recorded_answers import RecordedAnswers
from row3.running.replay import open_recordings
from row3.running.stages import readable_versions

ROLES: tuple[Role, ...] = ("promoted", "candidate")


@dataclass(frozen=True, slots=True)
class RecordingFinding:
    """A problem with the recordings, or a remark about them."""

    level: Level
    rule: str
    message: str
    where: str


@dataclass(slots=True)
class FileSummary:
    """Counts of a recordings file for one prompt, or an embeddings file for one model."""

    file: str
    prompt: str
    count: int = 0
    bytes: int = 0
    cases: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    promoted: int = 0
    """Recordings that a replay of the promoted prompts uses; 0 if this prompt has no promoted version."""
    candidate: int = 0
    """Recordings that a replay of the candidates uses."""
    stale: int = 0
    """Lines that no current request uses."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """Numbers of lines that pruning removed (or would remove) and kept."""

    removed: dict[str, int]
    """By file."""
    kept: int


class _Row(NamedTuple):
    path: str
    where: str
    raw: bytes

    @property
    def line(self) -> str:
        return decode_line(self.raw, self.where).strip()

    def read(self) -> Recording | embeddings.Embedding:
        """Parse the line; raises `InvalidFile`."""
        if embeddings.is_embeddings(self.path):
            return embeddings.from_line(self.line, where=self.where)
        return from_line(self.raw, where=self.where)


def _rows(project: Project, suite: Suite) -> Iterator[_Row]:
    tree = project.tree
    for path in [*recording_files(tree, suite.name), *embeddings.files(tree, suite.name)]:
        for spot, raw in lines_in(tree, path):
            yield _Row(path, spot.place, raw)


def _matched_by(suite: Suite, path: str, embedding: embeddings.Embedding) -> bool:
    """Return whether the suite uses this embedding."""
    rule, own = suite.rules.semantic, embeddings.file_for(suite.name, embedding.model)
    return rule is not None and rule.model == embedding.model and path == own


def list_recordings(project: Project, suite: Suite) -> list[FileSummary]:
    """Return counts of recordings, used and stale ones, by file and prompt. Raises `InvalidFile`."""
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
    """Return all problems of a suite's recordings, and answers that differ from those at the git ref `against`.

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
    recorded = (name_of(path).rpartition(".")[0] for path in recording_files(project.tree, suite.name))
    prompts = readable_versions(project, suite, recorded)
    asked = {str(prompt.ref): prompt for prompt in prompts if prompt.output in suite.kind.outputs}
    before: tuple[str, tuple[Any, ...]] = "", ()
    for row in _rows(project, suite):
        try:
            held = row.read()
            if isinstance(held, Recording):
                said = held.answer.said
                key: tuple[Any, ...] = held.case_id, held.prompt, held.repeat, held.digest
                right = held.answer_digest == digest_text(held.answer.text)
                edited = "" if right else "the recorded answer was edited (its digest does not match)"
                double: tuple[Level, str] = "error", "remove one of the two lines"
            else:
                held.vector(row.where)
                said, key = held.packed, held.sort_key
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
            what = f"{place} has a different answer to the same request; {double[1]}"
            yield RecordingFinding(double[0], "two-answers", what, row.where)
        if isinstance(held, Recording):
            prompt = asked.get(held.prompt)
            parsed = None if prompt is None else read_answer(suite, prompt, held.answer)
            if isinstance(parsed, Unusable):
                yield RecordingFinding("warning", "bad-answer", f"{held.case_id}: {parsed.reason}", row.where)
        elif not _matched_by(suite, row.path, held):
            own = embeddings.file_for(suite.name, held.model)
            why = "the suite does not match by" if row.path == own else f"row3 reads only from {name_of(own)}"
            what = f"of {held.model}, which {why}; `row3 recordings prune{suite.flag}` removes it"
            yield RecordingFinding("warning", "stale", what, row.where)
        if before[0] == row.path and before[1] > key and not row.path.endswith(PARQUET):
            what = f"out of order; `row3 recordings prune{suite.flag}` sorts the file"
            yield RecordingFinding("warning", "unsorted", what, row.where)
        before = row.path, key


def _broken_line(error: Row3Error, where: str) -> RecordingFinding:
    """Return the finding of an unreadable line, whose place is `where`."""
    column = error.where.removeprefix(where).rpartition(":")[2]
    what = f"{error.what} (column {column})" if column.isdecimal() else error.what
    return RecordingFinding("error", "broken-line", f"{what}. {error.fix}" if error.fix else what, where)


def _verify_replaced(project: Project, suite: Suite, against: str) -> Iterator[RecordingFinding]:
    base = open_changed(find_base(project, against).tree, project.tree, suite.name)
    head = open_index(project.tree, suite.name)
    for before in base.all():
        now = head.first(before.digest)
        if now is not None and now.answer.said != before.answer.said:
            what = f"{now.case_id}: the answer differs from that at {against}"
            yield RecordingFinding("warning", "recorded-again", what, head.place(before.digest))


def _verify_use(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    index = open_recordings(project, suite)
    used = UsedRecordings(project, suite, index)
    today, ever = used.digests(any_model=False), used.digests(any_model=True)
    for digest in index.digests():
        if digest in used.contradictions:
            what = f"{used.contradictions[digest]}; restore it from git, or remove it"
            yield RecordingFinding("error", "other-request", what, index.place(digest))
        elif digest not in ever:
            what = f"no prompt version uses it with the current cases; `row3 recordings prune{suite.flag}` removes it"
            yield RecordingFinding("warning", "stale", what, index.place(digest))
        elif digest not in today:
            what = "not of the current model and parameters; used only if they are requested"
            yield RecordingFinding("warning", "other-parameters", what, index.place(digest))
    current = _promoted(project, suite)
    missing = {request.digest: request for role in ROLES for request in lineup_use(project, suite, role, index)[1]}
    for request in missing.values():
        role_name = "promoted" if request.prompt in current else "candidate"
        what = f"no recording of {request.prompt} ({role_name}) for {request.case_id}"
        yield RecordingFinding("warning", "missing", what, f"recordings/{suite.name}/{request.prompt}.jsonl")


def _promoted(project: Project, suite: Suite) -> set[str]:
    """Return references of the promoted versions."""
    return {f"{name}-{version}" for name, version in line_up(project, suite, role="promoted").promoted.items()}


def _verify_embeddings(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    """Yield the texts without an embedding that a replay of recorded answers needs. Raises `InvalidFile`."""
    if suite.rules.semantic is None:
        return
    lost: dict[str, None] = {}
    without_code = replace(suite, project=None)  # runs no scorers; only the embeddings matter
    answers = RecordedAnswers(project, without_code, vectors=recorded_vectors(project, suite, lost))
    for stored in project.cases_of(suite):
        lost.clear()
        for _ in answers.scores(stored):
            pass
        if lost:
            more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
            what = f"no embedding of `{min(lost)}`{more}, which an answer to {stored.id} needs"
            where = embeddings.file_for(suite.name, suite.rules.semantic.model)
            yield RecordingFinding("warning", "missing", what, where)


def prune(project: Project, suite: Suite, *, dry_run: bool = False) -> Pruned:
    """Remove stale recordings and embeddings, and duplicate embeddings; sort the rest.

    Embeddings that no recorded answer needs are kept, as other outputs may. Raises `InvalidFile`, before anything
    changes, and `EnvironmentFault`.
    """
    with nullcontext() if dry_run else writing(project.root):
        reached = UsedRecordings(project, suite, open_index(project.tree, suite.name)).digests(any_model=True)
        answers: dict[str, list[str]] = {}
        vectors: dict[str, dict[str, str]] = {}
        removed = Counter[str]()
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
                removed[project.tree.place(row.path)] += 1
        if not dry_run:
            whole = {name for name in answers if name.endswith(PARQUET) and project.tree.place(name) not in removed}
            write_files({project.at(name): kept for name, kept in answers.items() if name not in whole})
            for path, lines in vectors.items():
                embeddings.write(project.at(path), lines)
        return Pruned(removed, sum(map(len, [*answers.values(), *vectors.values()])))
