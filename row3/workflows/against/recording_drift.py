"""Recordings that drifted: another answer stands under the same request than the one that was judged before.

A strict replay repeats what was recorded, so another answer to the same request is either a new recording, which row3
dates when it makes it, or somebody's edit. The first is said; the second blocks. The date is a trace and no signature:
who edits the answer, its digest and the date is not found by this, only by the reader of the diff.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from row3.domain.requests import digest_text
from row3.domain.verdicts import Reason, Verdict
from row3.store.outputs import lines_of
from row3.store.project import Project
from row3.store.recordings import Recording, RecordingIndex, from_line, open_index, recording_files
from row3.store.run_records import RunHeader
from row3.store.suites import Suite
from row3.store.tree import WorkTree
from row3.workflows.against.at_ref import Base
from row3.workflows.against.embedding_drift import other_vectors

NAMED = 4
"""Recordings that a reason names before it only counts."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A request whose recorded answer is another than before."""

    case_id: str
    prompt: str
    again: bool
    """It was recorded later than what it takes the place of."""
    where: str = ""
    """File and line of the answer that stands there now."""
    what: str = "another answer"

    def __str__(self) -> str:
        return f"{self.case_id} ({self.prompt})" if self.prompt else self.case_id


def since_baseline(project: Project, suite: Suite, baseline: RunHeader, cases: Sequence[str]) -> list[Replaced]:
    """Of cases whose replayed answers are not the baseline's, which were recorded again after it was made.

    Raises `InvalidFile` for a broken line.
    """
    if not cases:
        return []
    index = open_index(project.tree, suite.name)
    prompts = {f"{name}-{version}" for name, version in baseline.prompts.items()}
    found = []
    for case_id in cases:
        dates = [recording.recorded_at for recording in index.of_case(case_id) if recording.prompt in prompts]
        found.append(Replaced(case_id, "", again=max(dates, default="") > baseline.at))
    return found


def since_base(project: Project, suite: Suite, base: Base) -> list[Replaced]:
    """The suite's requests that have another answer here than at the base, and the texts with another vector.

    A line of embeddings has no date, so nothing tells a vector that was made again from one that was edited.

    Raises `InvalidFile` for a broken line.
    """
    return [*_other_answers(project, suite, base), *_other_vectors(project, suite, base)]


def _other_vectors(project: Project, suite: Suite, base: Base) -> Iterator[Replaced]:
    for row in other_vectors(project, suite, base):
        text, model = row.embedding.text, row.embedding.model
        yield Replaced(f"embedding of `{text}`", model, again=False, where=row.where, what="another vector")


def _other_answers(project: Project, suite: Suite, base: Base) -> list[Replaced]:
    old = _answers(base.project.root, suite.name)
    if not old:
        return []
    index = open_index(project.tree, suite.name)
    found = []
    for digest, before in old.items():
        now = index.first(digest) if digest in index else None
        if now is not None and digest_text(now.answer.text) != digest_text(before.answer.text):
            again = now.recorded_at > before.recorded_at
            found.append(Replaced(now.case_id, now.prompt, again, index.place(digest)))
    return found


def gone_since(project: Project, suite: Suite, base: Base) -> Iterator[Recording]:
    """The recordings of the base whose requests have no answer here. Raises `InvalidFile` for a broken line."""
    old = _answers(base.project.root, suite.name)
    if old:
        index = open_index(project.tree, suite.name)
        yield from (recording for digest, recording in old.items() if digest not in index)


def recorded_at(project: Project, suite: Suite, base: Base) -> RecordingIndex:
    """The recordings as they were at the base, by which its baseline was scored: a change may have taken some away.

    Raises `InvalidFile` for a broken line.
    """
    index = RecordingIndex(project.tree, suite.name)
    for tree in (base.project.tree, project.tree):
        for name in recording_files(tree, suite.name):
            if tree is not project.tree or not base.differs(name):
                there = tree is not project.tree
                index.add_file(tree.on_disk(name) or b"", f"{name} at {base.ref.label}" if there else name)
    return index


def _answers(root: Path, suite: str) -> Mapping[str, Recording]:
    """The recordings that were laid out of the base: those of the files that the change touches."""
    found: dict[str, Recording] = {}
    for path in recording_files(WorkTree(root), suite):
        where = f"{path} at the base"
        for line in lines_of(root / path, where=where):
            recording = from_line(line.raw, where=f"{where}:{line.number}")
            found.setdefault(recording.digest, recording)
    return found


def edited_reasons(replaced: Iterable[Replaced], since: str) -> list[Reason]:
    """A block for answers that changed without being recorded again."""
    edited = [str(each) for each in replaced if not each.again]
    if not edited:
        return []
    what = f"recordings changed since {since} without being recorded again: {_listed(edited)}"
    return [Reason(Verdict.BLOCK, what, cause="recordings")]


def again_text(replaced: Iterable[Replaced], since: str) -> str:
    """What to say of answers that were recorded again; nothing where there are none."""
    again = [str(each) for each in replaced if each.again]
    return f"recorded again since {since}, with other answers: {_listed(again)}" if again else ""


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"
