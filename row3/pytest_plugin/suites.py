"""What the fixtures hand to somebody's own tests: a suite, its cases, and scores of outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from row3.errors import InvalidFile
from row3.store.project import find_root, open_project
from row3.store.suites import pick_suite
from row3.workflows.score_case import CaseScorecard, CaseScorer


@dataclass(frozen=True)
class GoldenCaseView:
    """One golden case as a test needs it."""

    id: str
    input: dict[str, Any]
    """What a prompt's template sees of it, such as `source_text`: never its expectations."""
    case: Any = field(repr=False)
    """The whole golden case, expectations and all; its type is the kind's case model."""
    suite: SuiteScorer = field(repr=False)

    def score(self, output: Any) -> CaseScorecard:
        """Score an output by this case; see `SuiteScorer.score`."""
        return self.suite.score(self.id, output)


class SuiteScorer:
    """A suite of golden cases, for scoring outputs of somebody's own system one by one."""

    def __init__(self, scorer: CaseScorer) -> None:
        self._scorer = scorer
        self.name, self.kind = scorer.suite.name, scorer.suite.kind.name

    @property
    def cases(self) -> list[GoldenCaseView]:
        """The golden cases, in the order of their files. Raises `InvalidFile`."""
        kind, found = self._scorer.suite.kind, self._scorer.cases.values()
        return [GoldenCaseView(each.id, kind.variables(each.case), each.case, self) for each in found]

    def score(self, case_id: str, output: Any) -> CaseScorecard:
        """Score an output of a case: plain values, a pydantic model, or the text of an answer.

        An output that cannot be read is a bad answer: it is 0 on every metric. Raises `UsageError` for an unknown
        case and for an output that is no JSON, `InvalidFile` for project files that cannot be used.
        """
        return self._scorer.score(case_id, output)


def suite_beside(test_file: Path, rootpath: Path, name: str | None) -> SuiteScorer:
    """The suite of the project around a test's file, else of the one around pytest's root folder.

    Raises `InvalidFile` where there is no project, `UsageError` for an unknown suite.
    """
    try:
        root = find_root(test_file.parent)
    except InvalidFile:
        root = find_root(rootpath)
    return _suite(root, name)


@lru_cache(maxsize=16)
def _suite(root: Path, name: str | None) -> SuiteScorer:
    """Read once a process: golden cases and baselines do not change under a test run."""
    project = open_project(root)
    return SuiteScorer(CaseScorer(project, pick_suite(project, name)))
