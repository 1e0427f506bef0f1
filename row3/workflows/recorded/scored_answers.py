"""One case beside all its recorded answers, each scored by the case as it stands today."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.embeddings import finish, no_vectors
from row3.domain.matches import Explanation
from row3.kinds.extraction.model import GoldenCase
from row3.matching.names import NameRule
from row3.store.cases import StoredCase
from row3.store.files import decode, read_bytes
from row3.store.positions import lines_of
from row3.store.project import Project
from row3.store.suites import Suite
from row3.workflows.recorded.recorded_runs import Recorded


class ScoredAnswers:
    """The answers of a case, what the scorer explained of each, and what each missed."""

    def __init__(self, project: Project, suite: Suite, stored: StoredCase, recorded: Recorded) -> None:
        self.stored, self.recorded = stored, recorded
        self.case: GoldenCase = stored.case
        self.rule: NameRule = suite.rules.names
        self.names: list[list[str]] = [[one.label, *one.aliases] for one in self.case.expected_concepts]
        """Label and aliases of every expected concept."""
        scoring = [suite.kind.score(stored.case, answer.output, suite.rules) for answer in recorded.concepts]
        scores = [finish(one, no_vectors) for one in scoring]
        self.explained: list[Explanation] = [score.explanation for score in scores]
        self.missed: list[set[int]] = [
            {i for i, one in enumerate(each.expected_concepts) if one.found_by is None} for each in self.explained
        ]
        """Positions of the expected concepts that each answer missed."""
        self._path = project.root / stored.where

    def lines(self, paths: Sequence[tuple[str | int, ...]]) -> list[int]:
        """On which line of the case's file each field stands. Raises `InvalidFile`."""
        where = self.stored.where
        found = lines_of(decode(read_bytes(self._path, where=where), where=where), paths)
        return [found[path] for path in paths]
