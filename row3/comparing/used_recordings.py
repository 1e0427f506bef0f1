"""Find the recordings in use: render every prompt version for every case, stage by stage, and look each request up."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import get_args

from row3.domain.asks import finish
from row3.domain.requests import Answer, NoAnswer, Request
from row3.domain.runs import Tier
from row3.errors import InvalidFile, Row3Error
from row3.project.base import work_base
from row3.project.cases import StoredCase
from row3.project.criteria import changed_cases
from row3.project.project import Project
from row3.project.recordings import RecordingIndex
from row3.project.suites import Suite
from row3.running.asks import Given, Question, scored
from row3.running.lineup import Role, line_up
from row3.running.recorded_answers import (
    Find,
    Stages,
    Variant,
    complete_answers,
    recorded_paths,
    recorded_settings,
    stages_of,
    variants,
)
from row3.running.run_options import RunOptions, make_asking
from row3.running.stages import readable_versions


class UsedRecordings:
    """The recordings that existing prompts can ask for with the current cases."""

    def __init__(self, project: Project, suite: Suite, index: RecordingIndex) -> None:
        self._project, self._suite, self._index = project, suite, index
        self._used, self._repeats = recorded_settings(index)
        recorded = {recording.prompt for recording in index.all()}
        names = [prompt.ref.name for prompt in line_up(project, suite, role="candidate").prompts]
        readable = list(readable_versions(project, suite, recorded))
        others = (prompt for prompt in readable if prompt.ref.name not in names)
        self._outside = [prompt for prompt in others if prompt.output in suite.kind.outputs]
        """Prompts outside the current pipelines; their recordings count as used too."""
        self._rubrics = [prompt for prompt in readable if prompt.output in suite.kind.judgeable.rubrics]
        self.contradictions: dict[str, str] = {}
        """Why a recording belongs to another request, by digest, for those found so far."""

    def digests(self, *, any_model: bool) -> set[str]:
        """Return the digests of the recordings that any version of any prompt asks for.

        Args:
            any_model: include every recorded model and parameter, the cases of the hook's base, and the requests of
                the baselines.
        Raises `InvalidFile`.
        """
        used = self._used if any_model else {}
        stages = stages_of(self._project, self._suite, self._index, used, ())
        judging = list(self._judging(any_model=any_model))
        outside = variants(self._suite, self._outside, used)
        reached: set[str] = set()

        def find(request: Request) -> Answer | None:
            recording = self._index.first(request.digest)
            if recording is None:
                return None
            reached.add(request.digest)
            if contradiction := self._index.contradiction(recording, request):
                self.contradictions[request.digest] = contradiction
            return recording.answer

        cases = self._project.cases_of(self._suite)
        for stored in chain(cases, self._changed_base_cases()) if any_model else cases:
            for repeat in self._repeats:
                states = [stored.case.variables()]
                for arm, own in stages.items():
                    paths = recorded_paths(own, stored, repeat, find, arm)
                    states += [dict(path.answers.variables) for path in paths]
                for suite in judging if self._suite.rules.judge is not None else ():
                    find_grades(suite, stages, stored, repeat, find)
                for prompt, asking in outside:
                    for state in states:
                        with contextlib.suppress(InvalidFile):  # needs a variable that this pipeline lacks
                            find(asking.request(prompt, stored.id, state, repeat))
        return reached | self._baseline_requests() if any_model else reached

    def _judging(self, *, any_model: bool) -> Iterator[Suite]:
        """Yield the suite with each version of its rubrics, and with `any_model` all recorded models and votes."""
        judge = self._suite.rules.judge
        if judge is None:
            return
        names = {rubric.ref.name for rubric in self._rubrics}
        models = {each.model for name in names for each in self._used.get(name, ()) if any_model}
        votes = max(judge.votes, *(repeat + 1 for repeat in self._repeats if any_model), 1)
        for rubric in self._rubrics:
            rubrics = {**judge.rubrics, rubric.ref.name: rubric}
            asked = replace(judge, models=tuple({*judge.models, *models}), votes=votes, rubrics=rubrics)
            yield replace(self._suite, rules=replace(self._suite.rules, judge=asked))

    def _changed_base_cases(self) -> Iterator[StoredCase]:
        """Yield the cases of the hook's base that were edited or removed since."""
        with contextlib.suppress(Row3Error):  # the hook reports it
            base = work_base(self._project)
            if base is not None and base.has_cases(self._suite.name):
                theirs = base.settings(self._suite.name, "replay")
                yield from changed_cases(base, theirs, self._project, self._suite)

    def _baseline_requests(self) -> set[str]:
        """Return the digests of the baselines' recorded requests."""
        found = [self._project.manifest(self._suite.name, tier) for tier in get_args(Tier)]
        asked = (case.requests for manifest in found if manifest is not None for case in manifest.cases.values())
        return {digest for requests in asked for digest in requests if digest in self._index}


def lineup_use(project: Project, suite: Suite, role: Role, index: RecordingIndex) -> tuple[set[str], list[Request]]:
    """Return the digests that a replay of the role's prompts uses, and the requests that have no recording."""
    asking = make_asking(suite, line_up(project, suite, role=role), RunOptions())
    stages: dict[str, list[list[Variant]]] = {}
    for arm, prompt in asking.lineup.steps:
        stages.setdefault(arm, []).append([(prompt, asking)])
    used: set[str] = set()
    missing: list[Request] = []

    def find(request: Request) -> Answer | None:
        recording = index.first(request.digest)
        if recording is None:
            missing.append(request)
            return None
        used.add(request.digest)
        return recording.answer

    for stored in project.cases_of(suite):
        if suite.rules.judge is not None:
            find_grades(suite, stages, stored, 0, find)
            continue
        for arm, own in stages.items():
            for _ in recorded_paths(own, stored, 0, find, arm):
                pass
    return used, missing


def find_grades(suite: Suite, stages: Stages, stored: StoredCase, repeat: int, find: Find) -> None:
    """Look up the judge's grades of each recorded answer to a case."""

    def given(question: Question) -> Given:
        return (find(question) or NoAnswer("not recorded")) if isinstance(question, Request) else {}

    without_code = replace(suite, project=None)  # runs no scorers; only the judge's requests matter
    for complete in complete_answers(stages, stored, repeat, find):
        if not complete.bad:
            finish(scored(without_code, stored, complete.output), given)
