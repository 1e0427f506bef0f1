"""Score single outputs against golden cases, for tests of a user's own system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from row3.comparing.base_side import baseline_side
from row3.domain import numbers
from row3.domain.scores import CaseScore, zones_of
from row3.errors import InvalidFile, UsageError
from row3.project.cases import StoredCase
from row3.project.chosen_cases import case_hint
from row3.project.outputs import Output
from row3.project.project import Project, has_baseline, open_project, pick_suite
from row3.project.root import find_root
from row3.project.suites import Suite
from row3.pytest_plugin.case_text import case_text
from row3.running.case_results import Before, Packing
from row3.running.meanings import vector_source
from row3.running.provider_access import guard_of
from row3.running.score import Scoring


@dataclass(frozen=True, slots=True, repr=False)
class CaseScorecard:
    """The score of one output on one golden case; printed, it shows what was missed.

    >>> score = row3_score("decomposition", "bank-runs", output)   # doctest: +SKIP
    >>> assert score.zone in ("pass", "excellent"), str(score)     # doctest: +SKIP
    >>> assert not score.regressed, str(score)                     # doctest: +SKIP
    """

    case_id: str
    status: str
    """`scored`, or `bad_answer` for an unusable output, which scores 0 on every metric."""
    metrics: Mapping[str, float]
    """Unrounded fractions in [0, 1], by key; metrics that do not apply are left out."""
    zones: Mapping[str, str]
    """`fail`, `marginal`, `pass` or `excellent`, by metric."""
    primary: str
    """Key of the composite."""
    delta: float | None
    """Change of the composite against the baseline, a fraction; None without a baseline for the case."""
    regressed: bool
    """Whether it is worse than the baseline by more than the gate's limit, or no longer usable."""
    shortfall: Mapping[str, tuple[str, ...]]
    """Missed items (lists that begin with `missed`) and extra ones."""
    problem: str
    text: str

    @property
    def value(self) -> float | None:
        """The composite, a fraction; 0 for a bad answer, None if it does not apply."""
        return self.metrics.get(self.primary)

    @property
    def zone(self) -> str:
        """The composite's zone; empty without thresholds."""
        return self.zones.get(self.primary, "")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        moved = "" if self.delta is None else f" {numbers.points(self.delta)}"
        worth = "unknown" if self.value is None else numbers.percent(self.value)
        return f"<row3 score {self.case_id} {worth} {self.zone}{moved}>"


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
    """A suite of golden cases that scores outputs of the user's system one by one; reads cases and baseline once."""

    def __init__(self, project: Project, suite: Suite) -> None:
        self.project, self.suite = project, suite
        self.name, self.kind = suite.name, suite.kind.name

    @property
    def cases(self) -> list[GoldenCaseView]:
        """The golden cases, in file order. Raises `InvalidFile`."""
        return [GoldenCaseView(each.id, each.case.variables(), each.case, self) for each in self._stored.values()]

    @cached_property
    def _stored(self) -> dict[str, StoredCase]:
        return {stored.id: stored for stored in self.project.cases_of(self.suite)}

    @cached_property
    def _before(self) -> Before | None:
        return baseline_side(self.project, self.suite).score if has_baseline(self.project, self.suite) else None

    def score(self, case_id: str, output: Any) -> CaseScorecard:
        """Score a case's output: plain values, a pydantic model, or the text of an answer.

        An unreadable output is a bad answer and scores 0 on every metric. Raises `UsageError` for an unknown case and
        for an output that is not JSON, `InvalidFile` for invalid project files.
        """
        if (stored := self._stored.get(case_id)) is None:
            see, how = "See the ids with `row3 -v`", "`suite={!r}`".format
            fix = case_hint(self.project, self.suite.name, case_id, self._stored, otherwise=see, how=how)
            raise UsageError(f"there is no golden case `{case_id}`", where=f"suite {self.suite.name}", fix=fix)
        outputs = {case_id: Output(case_id, as_json(output), "", "the output")}
        with vector_source(self.project, self.suite, self.project.config.mode) as vectors:
            packing, guard = Packing(self.suite, before=self._before), guard_of(self.project)
            scoring = Scoring(self.suite, outputs.get, vectors, guard=guard)
            return self._card(packing(stored, scoring(stored)))

    def _card(self, score: CaseScore) -> CaseScorecard:
        suite = self.suite
        change = score.change
        if change is not None and change.move not in ("improved", "unchanged", "regressed", "broke", "fixed"):
            change = None
        zones = zones_of(score.metrics, suite.kind.metrics, suite.rules.thresholds)
        metric, now = suite.kind.primary_metric, score.metrics.get(suite.kind.primary, 0.0)
        regressed = change is not None and (
            change.move == "broke" or suite.policy.beyond_limit(metric, now - change.delta, now)
        )
        return CaseScorecard(
            case_id=score.case_id,
            status=score.status,
            metrics=dict(score.metrics),
            zones={key: zone.word for key, zone in zones.items()},
            primary=suite.kind.primary,
            delta=None if change is None else change.delta,
            regressed=regressed,
            shortfall=score.found or {},
            problem=score.problem,
            text=case_text(
                suite,
                score.case_id,
                score.status,
                score.metrics,
                change,
                why="bad answer" if score.status == "bad_answer" else "regressed" if regressed else "",
                problem=score.problem,
                shortfall=score.found or {},
            ),
        )


def as_json(output: Any) -> Any:
    """Return an output, which may be a pydantic model, as a JSON value. Raises `UsageError` if that is impossible."""
    dump = getattr(output, "model_dump", None)
    value = dump(mode="json", by_alias=True) if callable(dump) else output
    if isinstance(value, str):
        return value
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        fix = "Give the text of an answer, plain values, or a pydantic model"
        raise UsageError(f"it cannot be written as JSON: {error}", where="the output", fix=fix) from None


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
    return SuiteScorer(project, pick_suite(project, name))
