"""What `row3 lint` says of files beside golden cases: recordings, judgements and the quarantine.

Files of one JSON object a line are looked at line by line, so that one broken line hides no other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from row3.domain.requests import digest_text
from row3.errors import InvalidFile, Row3Error
from row3.store import embeddings, positions, quarantine, reviewed
from row3.store.files import decode, open_file, refuse_conflicts
from row3.store.project import Project
from row3.store.recording_lines import Recording, from_line
from row3.store.suites import Suite
from row3.workflows.linting.lint_findings import Findings, near_miss
from row3.workflows.quarantine import in_force

MOST = 20
"""Findings of one file: one that holds something else altogether would give as many as it has lines."""
Read = Callable[..., Any]
"""Reads a text; `where` names its file and line."""


def lint_judgements(project: Project, suite: Suite, findings: Findings, ids: Collection[str] | None) -> None:
    """Check both files; `ids` are those of the suite's cases, None where not all of them are known."""
    _quarantine(project, suite, findings, ids)
    path = project.root / suite.golden / reviewed.FILE
    if not path.exists():
        return
    where = f"{suite.golden}/{reviewed.FILE}"
    findings.files += 1
    left = MOST
    for number, line in _lines(path, where, reviewed.from_line):
        if isinstance(line, Row3Error):
            findings.unusable(line, where)
        elif ids is not None and line.case_id not in ids:
            what = f"case `{line.case_id}` does not exist, so this judges nothing{near_miss(line.case_id, sorted(ids))}"
            findings.add("warning", "unknown-case", where, what, field="caseId", line=number)
        else:
            continue
        left -= 1
        if not left:
            break


def _quarantine(project: Project, suite: Suite, findings: Findings, ids: Collection[str] | None) -> None:
    where = f"{suite.golden}/{quarantine.FILE}"
    if not project.tree.exists(where):
        return
    if findings.attempt(where, partial(in_force, project, suite)) is None or ids is None:
        return
    text = findings.text(where)
    strange = [
        entry.case_id for entry in quarantine.read_quarantine(project.tree, suite.golden) if entry.case_id not in ids
    ]
    for case_id in islice(strange, MOST):
        cure = f"`row3 flaky release{suite.flag} {case_id}`"
        what = f"case `{case_id}` does not exist: {cure}{near_miss(case_id, sorted(ids))}"
        line = positions.line_of_text(text, "case", case_id)
        findings.add("warning", "unknown-case", where, what, field="case", line=line)


def lint_recordings(project: Project, suite: Suite, findings: Findings) -> None:
    """Check each file in the order in which a replay reads them."""
    first: dict[str, tuple[str, str]] = {}
    for where in project.tree.files(project.recordings(suite.name)):
        if not where.endswith(".jsonl"):
            continue
        path, vectors = project.root / where, embeddings.is_embeddings(where)
        told = len(findings)
        for number, line in _lines(path, where, embeddings.from_line if vectors else from_line):
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


def _lines(path: Path, where: str, read: Read) -> Iterator[tuple[int, Any]]:
    """The number of each line that is not empty, with what it holds or the `Row3Error` that says what is wrong."""
    try:
        with open_file(path, where=where) as file:
            for number, raw in enumerate(file, 1):
                place = f"{where}:{number}"
                try:
                    text = decode(raw, where=place)
                    refuse_conflicts(text, where=place)
                    if text.strip():
                        yield number, read(text, where=place)
                except Row3Error as error:
                    yield number, InvalidFile(error.what, where=place, fix=error.fix)
    except InvalidFile as error:
        yield 1, error
    except OSError as error:
        yield 1, InvalidFile(f"cannot be read ({error.strerror})", where=where)
