"""`row3 judge label`: recorded answers in a random order, blind to the judge's word, each label kept at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from row3.domain.judges import Winner
from row3.domain.prompts import Prompt
from row3.domain.requests import digest_text
from row3.errors import InvalidFile
from row3.store.files import read_bytes
from row3.store.labels import Label, add_label, parse_labels
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.transaction import writing
from row3.workflows.judging.judged_answers import JudgedAnswer, judge_of, judged_answers


@dataclass(slots=True)
class Labelling:
    """The answers that wait for a label."""

    project: Project
    suite: Suite
    path: Path
    where: str
    """The file's name in messages."""
    open: list[JudgedAnswer] = field(default_factory=list)
    """In the order of the digests, which is as good as a draw and always the same."""
    labelled: int = 0
    """Answers with a label, those of earlier sessions included."""
    say: Callable[[str], None] = lambda _: None

    @classmethod
    def begin(cls, project: Project, suite: Suite, path: Path, *, where: str, say: Callable[[str], None]) -> Labelling:
        """Find the answers without a label. Raises `InvalidFile`, `UsageError`."""
        there = parse_labels(read_bytes(path, where=where), where=where) if path.exists() else []
        known = {label.key for label in there if label.suite == suite.name}
        answers = sorted(judged_answers(project, suite).values(), key=lambda answer: answer.key[::-1])
        if not answers:
            fix = f"Record some with `row3 --mode record{suite.flag}`"
            raise InvalidFile("no recorded answer is graded by a rubric", where=f"suite {suite.name}", fix=fix)
        waiting = [answer for answer in answers if answer.key not in known]
        return cls(project, suite, path, where, waiting, len(answers) - len(waiting), say)

    def rubric(self, answer: JudgedAnswer) -> Prompt:
        """Return the rubric that an answer is graded by."""
        return judge_of(self.suite).rubrics[answer.graded.rubric]

    def swapped(self, answer: JudgedAnswer) -> bool:
        """Return whether the answer of `full` is shown first; as good as a draw and always the same."""
        return int(digest_text(f"order {answer.graded.digest}")[:2], 16) % 2 == 1

    def keep(self, answer: JudgedAnswer, *, grade: float | None, winner: Winner | None, passes: bool | None) -> None:
        """Write a label to the file. Raises `EnvironmentFault`."""
        rubric, digest = answer.key
        label = Label(
            suite=self.suite.name,
            rubric=rubric,
            case_id=answer.case_id,
            answer_digest=digest,
            grade=grade,
            winner=winner,
            passes=passes,
        )
        with writing(self.project.local, say=self.say):
            add_label(self.path, label, where=self.where)
        self.labelled += 1
