"""What `row3 lint` says of a suite's recordings: lines that cannot be read, and those that a replay would refuse."""

from __future__ import annotations

from row3.domain.requests import digest_text
from row3.errors import Row3Error
from row3.store import embeddings
from row3.store.project import Project
from row3.store.recording_lines import Recording, from_line
from row3.store.suites import Suite
from row3.workflows.linting.lint_findings import Findings
from row3.workflows.linting.lint_lines import read_lines

MOST = 20
"""Findings of one recordings file: one that is no recordings file at all would give as many as it has lines."""


def lint_recordings(project: Project, suite: Suite, findings: Findings) -> None:
    """Check each file in the order in which a replay reads them."""
    first: dict[str, tuple[str, str]] = {}
    for where in project.tree.files(project.recordings(suite.name)):
        if not where.endswith(".jsonl"):
            continue
        path, vectors = project.root / where, embeddings.is_embeddings(where)
        told = len(findings)
        for number, line in read_lines(path, where, embeddings.from_line if vectors else from_line):
            if isinstance(line, Row3Error):
                findings.unusable(line, where)
            elif not vectors:
                _answer(line, f"{where}:{number}", first, findings)
            if len(findings) - told >= MOST:
                break
        findings.files += 1


def _answer(line: Recording, place: str, first: dict[str, tuple[str, str]], findings: Findings) -> None:
    """Whether it is the answer that was recorded, and the only one to its request; `first` has those before."""
    where, _, number = place.rpartition(":")
    answer = digest_text(line.answer.text)
    if line.answer_digest not in ("", answer):
        what = (
            "the recorded answer was edited: it does not fit its digest. Restore the line from git, or record it anew"
        )
        findings.add("error", "edited-answer", where, what, field="answerDigest", line=int(number))
    held = first.setdefault(line.digest, (answer, place))
    if held[0] != answer:
        what = f"the same request has another answer in {held[1]}. Keep one of the two lines and remove the other"
        findings.add("error", "two-answers", where, what, field="digest", line=int(number))
