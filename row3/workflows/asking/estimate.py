"""What a live run would send, and what it may cost: `--dry-run`. Nothing is sent.

The first stage is rendered exactly. A later stage depends on answers: where they are recorded it is rendered exactly
too; else its size is estimated from the case's input, what the case expects, and the prompt's own text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from row3.domain.asks import Ask, FunctionRequest, Spending, UsageRequest, finish
from row3.domain.embeddings import EmbeddingRequest
from row3.domain.estimates import Estimate, Planned
from row3.domain.judges import JudgeRequest
from row3.domain.prompts import Lineup, Prompt
from row3.domain.requests import JUDGE, NoAnswer, Request
from row3.kinds.answers import Parsed
from row3.kinds.cases import expected_in
from row3.providers.guarded import check_request
from row3.store.cases import StoredCase, read_cases
from row3.store.project import Project
from row3.store.recording_lines import Recording
from row3.store.recordings import RecordingIndex, open_index
from row3.store.suites import Suite
from row3.workflows.pipeline.asks import judge_request
from row3.workflows.pipeline.budget import Prices, estimate_tokens, prices_of
from row3.workflows.pipeline.evaluate import Answers, Asking
from row3.workflows.pipeline.providers import check_provider, endpoint_of, guard_of, missing_access
from row3.workflows.pipeline.run_suite import RunOptions, make_asking

UNKNOWN = "not known yet"
"""An answer, where a judge's requests are counted before there is one."""
GRADE_TOKENS = 150
"""Tokens of a judge's answer, where none of it is recorded."""
NO_GRADE = NoAnswer("not recorded")
NOTHING_KNOWN: Mapping[type, Any] = {
    EmbeddingRequest: {},
    FunctionRequest: NO_GRADE,
    UsageRequest: Spending(None, None),
}
"""What all others are taken to answer: they cost nothing that is counted here."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What a live comparison asks beside the candidates: the baseline's prompts, for the cases that it has."""

    asking: Asking
    cases: Collection[str]
    rounds: int = 1


def estimate(
    project: Project, suite: Suite, lineup: Lineup, options: RunOptions, *, beside: Beside | None = None
) -> Estimate:
    """Plan a run without running it.

    Recordings answer in the modes `replay` and `auto`; in `live` and `record` every request would be sent, and
    recordings only tell how long answers are. Raises `InvalidFile`, `UsageError`.
    """
    mode = options.mode or project.config.mode
    exposed = check_provider(project, suite)  # a run that could not be sent is not worth planning
    asking = make_asking(suite, lineup, options)
    prices = prices_of(project, suite)
    index = open_index(project.tree, suite.name)
    judged = set[str]()
    planner = _Planner(asking, index, prices, mode in ("replay", "auto"), judged)
    plan = Estimate(suite.name, mode, lineup.versions(), exposed=exposed)
    for stored in read_cases(project.tree, suite.golden, suite.kind):
        if not options.wants(stored.id):
            continue
        for repeat in range(options.repeats):
            planner.case(stored, repeat, plan)
            if beside is not None and stored.id in beside.cases:
                before = len(plan.requests)
                _Planner(beside.asking, index, prices, False, judged).case(stored, repeat, plan)
                plan.again += len(plan.requests) - before
    plan.missing = missing_access(suite, endpoint_of(project, suite)) if plan.to_send else ""
    plan.rounds = 1 if beside is None else beside.rounds
    guard = guard_of(project)
    for request in filter(None, (each.request for each in plan.to_send)):
        check_request(request, guard)
    return plan


@dataclass(slots=True)
class _Planner:
    asking: Asking
    index: RecordingIndex
    prices: Prices
    replays: bool
    judged: set[str]
    """Requests of a judge that are planned: the same answer is judged once."""

    def case(self, stored: StoredCase, repeat: int, plan: Estimate) -> None:
        """Add the requests of one case and repeat."""
        kind = self.asking.suite.kind
        held = {recording.digest: recording for recording in self.index.of_case(stored.id)}
        known: dict[str, Answers | None]
        known = dict.fromkeys(kind.arms or ("",), Answers(kind.variables(stored.case)))
        handed_on = dict.fromkeys(known, 0)
        for arm, prompt in self.asking.lineup.steps:
            answers, parameters = known[arm], self.asking.parameters_of(prompt.ref.name, arm)
            request = self.asking.request(prompt, stored.id, answers.variables, repeat, arm) if answers else None
            recording = held.get(request.digest) if request is not None else None
            if request is not None:
                sent = estimate_tokens(request.system) + estimate_tokens(request.user)
            else:
                sent = self._size_of_input(prompt, stored) + handed_on[arm]
            answered = self._size_of_answer(prompt, stored, recording, list(held.values()), parameters.max_tokens)
            replayed = self.replays and recording is not None
            sizes = {"model": parameters.model, "prompt_tokens": sent, "completion_tokens": answered}
            planned = self._planned(stored, prompt, repeat, arm, request=request, recorded=replayed, **sizes)
            plan.requests.append(planned)
            handed_on[arm] += answered
            answers = answers.after(self.asking.suite, prompt, recording.answer) if answers and recording else None
            known[arm] = None if answers is not None and answers.bad else answers
        if self.asking.suite.rules.judge is not None:
            self._judge(stored, repeat, known, sum(handed_on.values()), plan)

    def _judge(
        self, stored: StoredCase, repeat: int, known: Mapping[str, Answers | None], answered: int, plan: Estimate
    ) -> None:
        """Add what a judge is asked about the answers, or about some answer where they are not known yet."""
        suite, kind = self.asking.suite, self.asking.suite.kind
        outputs: dict[str, Mapping[str, Any]] = {
            arm: answers.outputs for arm, answers in known.items() if answers is not None
        }
        exact = len(outputs) == len(known)
        if not exact:
            unknown = kind.parse(kind.whole, UNKNOWN)
            assert isinstance(unknown, Parsed)
            outputs = {arm: {kind.whole: unknown.value} for arm in known}
        output = kind.combine(outputs if kind.arms else outputs[""])

        def answer(ask: Ask) -> Any:
            if not isinstance(ask, JudgeRequest):
                return NOTHING_KNOWN[type(ask)]
            request = judge_request(suite, ask, stored.id)
            recording = self.index.first(request.digest) if exact else None
            if exact and request.digest in self.judged:
                return NO_GRADE if recording is None else recording.answer
            self.judged.add(request.digest)
            sent = estimate_tokens(request.system) + estimate_tokens(request.user) + (0 if exact else answered)
            said = GRADE_TOKENS if recording is None else estimate_tokens(recording.answer.text)
            replayed = self.replays and recording is not None
            assert suite.rules.judge is not None  # who asks it has one
            rubric, asked = suite.rules.judge.rubrics[ask.rubric], request if exact else None
            sizes = {"model": request.model, "prompt_tokens": sent, "completion_tokens": said}
            planned = self._planned(stored, rubric, repeat, JUDGE, request=asked, recorded=replayed, **sizes)
            plan.requests.append(planned)
            return NO_GRADE if recording is None else recording.answer

        finish(kind.score(stored.case, output, suite.rules), answer)

    def _planned(
        self,
        stored: StoredCase,
        prompt: Prompt,
        repeat: int,
        by: str,
        *,
        request: Request | None,
        recorded: bool,
        **sizes: Any,
    ) -> Planned:
        cost = 0.0 if recorded else self.prices.usd(**sizes, by=by)
        return Planned(
            case_id=stored.id,
            prompt=str(prompt.ref),
            repeat=repeat,
            recorded=recorded,
            exact=request is not None,
            cost_usd=cost,
            request=None if recorded else request,
            **sizes,
        )

    def _size_of_input(self, prompt: Prompt, stored: StoredCase) -> int:
        given = self.asking.suite.kind.variables(stored.case)
        return estimate_tokens(prompt.body) + sum(estimate_tokens(str(value)) for value in given.values())

    def _size_of_answer(
        self, prompt: Prompt, stored: StoredCase, own: Recording | None, held: list[Recording], limit: int | None
    ) -> int:
        """As long as the recorded answer, else as those of this prompt's other versions, else as what is expected."""
        same = [own] if own is not None else [r for r in held if r.prompt.rpartition("-v")[0] == prompt.ref.name]
        if same:
            sizes = [r.answer.completion_tokens or estimate_tokens(r.answer.text) for r in same]
            size = round(sum(sizes) / len(sizes))
        else:
            size = estimate_tokens("\n".join(expected_in(self.asking.suite.kind.demands(stored.case))))
        return size if limit is None else min(size, limit)
