"""Labels: a person's grades of recorded answers, one JSON object per line, in the order they were given.

The last line about an answer counts, so a further line corrects a grade.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from row3.domain.judges import Graded, Opinion, Winner
from row3.domain.models import CamelModel
from row3.errors import InvalidFile
from row3.project.documents import dump_line
from row3.project.files import decode, read_bytes, write_atomic
from row3.project.json_lines import parse_models

SCHEMA_VERSION = 1
SHAPE = (
    'Write lines like {"schemaVersion": 1, "suite": …, "rubric": …, "caseId": …, "answerDigest": …, "grade": 75}, '
    "or for two answers `winner` and `passes`"
)


class Label(CamelModel):
    """A person's grade of one answer; or, for two answers, the winner and whether the full one passes."""

    schema_version: int = SCHEMA_VERSION
    suite: str
    rubric: str
    case_id: str
    answer_digest: str
    """SHA-256 of everything the rubric shows of the answer."""
    grade: Annotated[float, Field(ge=0, le=100)] | None = None
    winner: Winner | None = None
    passes: bool | None = None
    """Whether the answer of `full` passes."""

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if (self.grade is None) == (self.winner is None) or (self.winner is None) != (self.passes is None):
            raise ValueError("a label has a `grade`, or a `winner` and `passes`")
        return self

    @property
    def key(self) -> tuple[str, str]:
        """Rubric and answer digest."""
        return self.rubric, self.answer_digest

    @property
    def points(self) -> float:
        """The grade; 100 or 0 for an answer that passes or fails."""
        return 100.0 * bool(self.passes) if self.grade is None else self.grade

    def opinion(self, graded: Graded) -> Opinion:
        """Return the label as an opinion on a graded answer."""
        return Opinion(self.points, self.points >= 100 * graded.passes_from - 1e-9, self.winner)


def labels_path(suite: str) -> str:
    """Return the path of a suite's labels."""
    return f"calibrations/{suite}.labels.jsonl"


def parse_labels(raw: bytes, *, where: str) -> list[Label]:
    """Return the last label of each answer in a file. Raises `InvalidFile`."""
    labels = parse_models(decode(raw, where=where), Label, SCHEMA_VERSION, where=where, fix=SHAPE)
    return list({(label.suite, *label.key): label for label in labels}.values())


def read_labels(path: Path, suite: str, *, where: str) -> list[Label]:
    """Return a suite's labels in a file. Raises `InvalidFile`, also if there are none."""
    own = [label for label in parse_labels(read_bytes(path, where=where), where=where) if label.suite == suite]
    if not own:
        fix = f"Make some with `row3 judge label --suite {suite}`, or name another suite"
        raise InvalidFile(f"the file has no labels of suite `{suite}`", where=where, fix=fix)
    return own


def add_label(path: Path, label: Label, *, where: str) -> None:
    """Append a label by replacing the file, so that a kill cannot leave half a line. Raises as reading."""
    content = read_bytes(path, where=where) if path.exists() else b""
    if content and not content.endswith(b"\n"):
        content += b"\n"
    line = dump_line({"schemaVersion": SCHEMA_VERSION, **label.plain()})
    write_atomic(path, content + f"{line}\n".encode(), where=where)
