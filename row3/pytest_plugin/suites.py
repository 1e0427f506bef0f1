"""What the fixtures return: a suite, its cases, and scores of outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from row3.errors import InvalidFile
from row3.project.project import find_root, open_project, pick_suite
from row3.pytest_plugin.score_case import CaseScorecard, CaseScorer


@dataclass(frozen=True)
class GoldenCaseView:
    """A golden case, for tests."""

    id: str
    input: dict[str, Any]
    """What a prompt's template sees, such as `source_text`, without expectations."""
    case: Any = field(repr=False)
    """The whole golden case, as the kind's case model."""
    suite: SuiteScorer = field(repr=False)

    def score(self, output: Any) -> CaseScorecard:
        """Score an output against this case; see `SuiteScorer.score`."""
        return self.suite.score(self.id, output)


class SuiteScorer:
    """A suite of golden cases that scores outputs of the user's system one by one."""

    def __init__(self, scorer: CaseScorer) -> None:
        self._scorer = scorer
        self.name, self.kind = scorer.suite.name, scorer.suite.kind.name

    @property
    def cases(self) -> list[GoldenCaseView]:
        """The golden cases, in file order. Raises `InvalidFile`."""
        kind, found = self._scorer.suite.kind, self._scorer.cases.values()
        return [GoldenCaseView(each.id, kind.variables(each.case), each.case, self) for each in found]

    def score(self, case_id: str, output: Any) -> CaseScorecard:
        """Score a case's output: plain values, a pydantic model, or the text of an answer.

        An unreadable output is a bad answer and scores 0 on every metric. Raises `UsageError` for an unknown case and
        for an output that is not JSON, `InvalidFile` for invalid project files.
        """
        return self._scorer.score(case_id, output)


def nearest_suite(test_file: Path, rootpath: Path, name: str | None) -> SuiteScorer:
    """Return a suite of the project around a test's file, else of the project around pytest's root folder.

    Raises `InvalidFile` without a project, `UsageError` for an unknown suite.
    """
    try:
        root = find_root(test_file.parent)
    except InvalidFile:
        root = find_root(rootpath)
    return _suite(root, name)


@lru_cache(maxsize=16)
def _suite(root: Path, name: str | None) -> SuiteScorer:
    """Cached, because golden cases and baselines do not change during a test run."""
    project = open_project(root)
    return SuiteScorer(CaseScorer(project, pick_suite(project, name)))
