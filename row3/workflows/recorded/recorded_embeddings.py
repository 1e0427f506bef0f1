"""Looking after recorded embeddings: what `row3 recordings list | verify | prune` say of them."""

from __future__ import annotations

from collections.abc import Iterator

from row3.domain.embeddings import embedding_digest
from row3.errors import Row3Error
from row3.store import embeddings
from row3.store.cases import name_of, read_cases
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.tree import Tree
from row3.workflows.pipeline.meanings import file_of, recorded_vectors
from row3.workflows.recorded.recorded_scores import RecordedScores
from row3.workflows.recorded.recording_findings import FileSummary, RecordingFinding, broken_line


def summaries(project: Project, suite: Suite) -> list[FileSummary]:
    """What is embedded, by file and model; stale is what another model than the suite's made. Raises `InvalidFile`."""
    found: dict[tuple[str, str], FileSummary] = {}
    for row in embeddings.rows(project.tree, suite.name):
        model = row.embedding.model
        file = row.where.rpartition(":")[0]
        summary = found.setdefault((row.path, model), FileSummary(file, f"embeddings {model}"))
        summary.count += 1
        summary.bytes += len(row.line.encode()) + 1
        summary.stale += not _used(row.path, model, suite)
    return list(found.values())


def _used(path: str, model: str, suite: Suite) -> bool:
    rule = suite.rules.semantic
    return rule is not None and rule.model == model and path == embeddings.file_for(suite.name, model)


def verify_lines(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    """What is wrong with the lines themselves."""
    for path in embeddings.files(project.tree, suite.name):
        yield from _verify_file(project.tree, path, suite)


def _verify_file(tree: Tree, path: str, suite: Suite) -> Iterator[RecordingFinding]:
    held: dict[str, tuple[str, str]] = {}
    before = ("", "", "")
    for where, line in embeddings.lines(tree, path):
        try:
            embedding = embeddings.from_line(line, where=where)
            embedding.vector(where)
        except Row3Error as error:
            yield broken_line(error, where)
            continue
        if embedding_digest(embedding.model, embedding.text) != embedding.digest:
            what = "the line was edited (its digest does not match model and text)"
            yield RecordingFinding("error", "edited-answer", what, where)
        first = held.setdefault(embedding.digest, (embedding.packed, where))
        if first[1] != where:
            if first[0] == embedding.packed:
                yield RecordingFinding("warning", "twice", f"the same embedding is also in {first[1]}", where)
            else:
                what = f"the same text has another embedding in {first[1]}; the first one counts"
                yield RecordingFinding("warning", "two-answers", what, where)
        key = (embedding.model, embedding.text, embedding.digest)
        if before > key:
            what = f"out of order; `row3 recordings prune{suite.flag}` sorts the file"
            yield RecordingFinding("warning", "unsorted", what, where)
        before = key
        if not _used(path, embedding.model, suite):
            own = embeddings.file_for(suite.name, embedding.model)
            why = "by which the suite does not match" if path == own else f"which is read from {name_of(own)} only"
            what = f"of {embedding.model}, {why}; `row3 recordings prune{suite.flag}` removes it"
            yield RecordingFinding("warning", "stale", what, where)


def verify_use(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    """The texts that a replay of recorded answers asks for and that have no embedding. Raises `InvalidFile`."""
    rule = suite.rules.semantic
    if rule is None:
        return
    lost: dict[str, None] = {}
    answers = RecordedScores(project, suite, vectors=recorded_vectors(project, suite, lost))
    for stored in read_cases(project.tree, suite.golden, suite.kind):
        lost.clear()
        for _ in answers.scores(stored):
            pass
        if lost:
            more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
            what = f"no embedding of `{min(lost)}`{more}, which an answer to {stored.id} asks for"
            yield RecordingFinding("warning", "missing", what, file_of(suite, project))


def prune(project: Project, suite: Suite, *, dry_run: bool) -> tuple[dict[str, int], int]:
    """Remove the embeddings of other models than the suite's or in no file of theirs, and what stands twice.

    The rest is sorted. Texts that no recorded answer asks for stay: outputs made elsewhere may.
    Returns how many lines were removed, by file, and how many were kept. Raises `InvalidFile`, `EnvironmentFault`.
    """
    kept: dict[str, dict[str, str]] = {}
    removed: dict[str, int] = {}
    for row in embeddings.rows(project.tree, suite.name):
        lines = kept.setdefault(row.path, {})
        if _used(row.path, row.embedding.model, suite) and row.embedding.digest not in lines:
            lines[row.embedding.digest] = row.line
        else:
            file = row.where.rpartition(":")[0]
            removed[file] = removed.get(file, 0) + 1
    if not dry_run:
        for path, lines in kept.items():
            embeddings.write(project.root / path, lines)
    return removed, sum(map(len, kept.values()))
