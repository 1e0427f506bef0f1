"""Estimate what a live run would send and cost, without sending anything: `--dry-run`.

The first stage is rendered exactly, and so are later stages if the answers before them are recorded. Otherwise their
size is estimated from the case's input, its expectations, and the prompt's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from row3.domain.asks import Ask, EmbeddingRequest, FunctionRequest, Spending, UsageRequest, finish
from row3.domain.judges import JudgeRequest
from row3.domain.prompts import Lineup, Prompt
from row3.domain.requests import JUDGE, NoAnswer, Request
from row3.kinds.demands import demands_of, expected_in
from row3.project.cases import StoredCase
from row3.project.project import Project
from row3.project.recording_lines import Recording
from row3.project.recordings import RecordingIndex, open_index
from row3.project.suites import Suite
from row3.providers.guarded import check_request
from row3.running.asks import judge_request
from row3.running.budget import Prices, estimate_sent, estimate_tokens, prices_of
from row3.running.evaluate import Answers, Asking
from row3.running.provider_access import batch_chats, check_provider, guard_of, missing_access
from row3.running.run_options import RunOptions, check_cases, make_asking

if TYPE_CHECKING:
    from row3.running.interleaved import Interleaving

UNKNOWN = "not known yet"
"""Placeholder for an unknown answer in a judge's requests."""
GRADE_TOKENS = 150
"""Tokens assumed for a grade that is not recorded."""
NO_GRADE = NoAnswer("not recorded")
NOTHING_KNOWN: Mapping[type, Any] = {
    EmbeddingRequest: {},
    FunctionRequest: NO_GRADE,
    UsageRequest: Spending(None, None),
}
"""Assumed answers to everything but judges, none of which is part of the estimate."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One request of a run."""

    case_id: str
    prompt: str
    repeat: int
    model: str
    recorded: bool
    """Whether a recording answers it, so that nothing is sent."""
    exact: bool
    """Whether the text is rendered exactly or is itself an estimate."""
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    """None if the model has no price: unknown, not zero."""
    request: Request | None = None
    """The request as it would be sent; None if not known yet, or if a recording answers it."""


@dataclass(slots=True)
class Estimate:
    """All requests of a live run, with their totals."""

    suite: str
    mode: str
    prompts: Mapping[str, str]
    requests: list[Planned] = field(default_factory=list)
    exposed: list[str] = field(default_factory=list)
    """Plain http addresses of other machines."""
    missing: str = ""
    """Setting that is missing before anything can be sent; empty if none is known to be."""
    again: int = 0
    """Number of requests of the baseline's prompts, which a live comparison asks again."""
    batched: bool = False
    """Whether requests go in batches."""
    more: Estimate | None = None
    """The requests that confirming a block may add at most; None if this command asks none."""

    @property
    def to_send(self) -> list[Planned]:
        """Requests without a recording."""
        return [request for request in self.requests if not request.recorded]

    @property
    def example(self) -> Request | None:
        """The first request to send that is known in full."""
        return next((each.request for each in self.requests if each.request is not None), None)

    @property
    def recorded(self) -> int:
        """Number of requests with a recording."""
        return sum(request.recorded for request in self.requests)

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the requests to send."""
        return sum(request.prompt_tokens for request in self.to_send)

    @property
    def completion_tokens(self) -> int:
        """Tokens of the expected answers."""
        return sum(request.completion_tokens for request in self.to_send)

    @property
    def cost_usd(self) -> float | None:
        """US dollars; None if a request's model has no price, 0 if there is nothing to send."""
        return None if self.unpriced else sum(request.cost_usd or 0.0 for request in self.to_send)

    @property
    def unpriced(self) -> list[str]:
        """Models without a price among the requests to send."""
        return sorted({request.model for request in self.to_send if request.cost_usd is None})


def estimate(
    project: Project, suite: Suite, lineup: Lineup, options: RunOptions, *, before: Interleaving | None = None
) -> Estimate:
    """Return the requests that a run would send, and those of the baseline's prompts if it asks them too (`before`).

    Recordings answer in modes `replay` and `auto`; in `live` and `record` they only give the length of answers. Raises
    `InvalidFile`, `UsageError`.
    """
    mode = options.mode or project.config.mode
    exposed = check_provider(project, suite)
    check_cases(project, suite, options)
    asking = make_asking(suite, lineup, options)
    prices = prices_of(project, suite, known_models=True)
    index = open_index(project.tree, suite.name)
    judged = set[str]()
    planner = _Planner(asking, index, prices, mode in ("replay", "auto"), judged)
    plan = Estimate(suite.name, mode, lineup.versions(), exposed=exposed, batched=bool(batch_chats(project, suite)))
    for stored in project.cases_of(suite, options.only):
        for repeat in range(options.repeats):
            planner.case(stored, repeat, plan)
            if before is not None and before.has_case(stored.id):
                number = len(plan.requests)
                _Planner(before.baseline, index, prices, False, judged).case(stored, repeat, plan)
                plan.again += len(plan.requests) - number
    asked = {each.prompt.rpartition("-v")[0] for each in plan.to_send}
    grades = suite.rules.judge is not None and asked <= suite.rules.judge.rubrics.keys()
    plan.missing = missing_access(project, suite, judge=grades) if plan.to_send else ""
    guard = guard_of(project)
    for request in filter(None, (each.request for each in plan.to_send)):
        check_request(request, guard)
    return plan


def estimate_more(
    project: Project,
    suite: Suite,
    askings: Iterable[tuple[Asking, Project]],
    index: RecordingIndex,
    *,
    since: int,
    replays: bool,
) -> Estimate:
    """Return the further requests of these askings about the cases of a project, each after its first `since` repeats.

    `replays`: recordings answer, and identical requests have one answer.
    """
    plan, prices, judged = Estimate(suite.name, "", {}), prices_of(project, suite, known_models=True), set[str]()
    for asking, judge in askings:
        planner = _Planner(asking, index, prices, replays, judged)
        for stored in judge.cases_of(asking.suite, asking.more.cases):
            for repeat in asking.repeats_of(stored.id)[since:]:
                planner.case(stored, repeat, plan)
    if replays:
        known = {each.request.digest: each for each in plan.requests if each.request is not None}
        plan.requests = [*known.values(), *(each for each in plan.requests if each.request is None)]
    return plan


@dataclass(slots=True)
class _Planner:
    asking: Asking
    index: RecordingIndex
    prices: Prices
    replays: bool
    judged: set[str]
    """Digests of the judge's requests so far, as each is sent once."""

    def case(self, stored: StoredCase, repeat: int, plan: Estimate) -> None:
        """Add the requests of one repeat of a case to the plan."""
        kind = self.asking.suite.kind
        held = {recording.digest: recording for recording in self.index.of_case(stored.id)}
        known: dict[str, Answers | None]
        known = dict.fromkeys(kind.arms or ("",), Answers(stored.case.variables()))
        handed_on = dict.fromkeys(known, 0)
        for arm, prompt in self.asking.lineup.steps:
            answers, parameters = known[arm], self.asking.parameters_of(prompt.ref.name, arm)
            request = self.asking.request(prompt, stored.id, answers.variables, repeat, arm) if answers else None
            recording = held.get(request.digest) if request is not None else None
            if request is not None:
                sent = estimate_sent(request)
            else:
                given = (prompt.body, *map(str, stored.case.variables().values()))
                sent = sum(map(estimate_tokens, given)) + handed_on[arm]
            answered = self._size_of_answer(prompt, stored, recording, list(held.values()), parameters.max_tokens)
            replayed = self.replays and recording is not None
            sizes = {"model": parameters.model, "prompt_tokens": sent, "completion_tokens": answered}
            plan.requests.append(self._planned(stored, prompt, repeat, arm, request, recorded=replayed, **sizes))
            handed_on[arm] += answered
            answers = answers.after(self.asking.suite, prompt, recording.answer) if answers and recording else None
            known[arm] = None if answers is not None and answers.bad else answers
        if self.asking.suite.rules.judge is not None:
            self._judge(stored, repeat, known, sum(handed_on.values()), plan)

    def _judge(
        self, stored: StoredCase, repeat: int, known: Mapping[str, Answers | None], answered: int, plan: Estimate
    ) -> None:
        """Add the judge's requests about the answers, or about a placeholder if they are unknown."""
        suite, kind = self.asking.suite, self.asking.suite.kind
        outputs: dict[str, Mapping[str, Any]] = {
            arm: answers.outputs for arm, answers in known.items() if answers is not None
        }
        exact = len(outputs) == len(known)
        if not exact:
            outputs = {arm: {kind.whole: kind.outputs[kind.whole].unknown(UNKNOWN)} for arm in known}
        output = kind.combine(outputs if kind.arms else outputs[""])

        def answer(ask: Ask) -> Any:
            if not isinstance(ask, JudgeRequest):
                return NOTHING_KNOWN[type(ask)]
            request = judge_request(suite, ask, stored.id)
            recording = self.index.first(request.digest) if exact else None
            if exact and request.digest in self.judged:
                return NO_GRADE if recording is None else recording.answer
            self.judged.add(request.digest)
            sent = estimate_sent(request) + (0 if exact else answered)
            said = GRADE_TOKENS if recording is None else estimate_tokens(recording.answer.text)
            replayed = self.replays and recording is not None
            assert suite.rules.judge is not None
            rubric, asked = suite.rules.judge.rubrics[ask.rubric], request if exact else None
            sizes = {"model": request.model, "prompt_tokens": sent, "completion_tokens": said}
            plan.requests.append(self._planned(stored, rubric, repeat, JUDGE, asked, recorded=replayed, **sizes))
            return NO_GRADE if recording is None else recording.answer

        finish(kind.score(stored.case, output, suite.rules), answer)

    def _planned(
        self,
        stored: StoredCase,
        prompt: Prompt,
        repeat: int,
        by: str,
        request: Request | None,
        *,
        recorded: bool,
        **sizes: Any,
    ) -> Planned:
        return Planned(
            case_id=stored.id,
            prompt=str(prompt.ref),
            repeat=repeat,
            recorded=recorded,
            exact=request is not None,
            cost_usd=0.0 if recorded else self.prices.usd(**sizes, by=by),
            request=None if recorded else request,
            **sizes,
        )

    def _size_of_answer(
        self, prompt: Prompt, stored: StoredCase, own: Recording | None, held: list[Recording], limit: int | None
    ) -> int:
        """Return tokens: of the recorded answer, else of other versions' answers, else of the expectations."""
        same = [own] if own is not None else [r for r in held if r.prompt.rpartition("-v")[0] == prompt.ref.name]
        if same:
            sizes = [r.answer.completion_tokens or estimate_tokens(r.answer.text) for r in same]
            size = round(sum(sizes) / len(sizes))
        else:
            demands = demands_of(stored.case, self.asking.suite.kind.expected(stored.case))
            size = estimate_tokens("\n".join(expected_in(demands)))
        return size if limit is None else min(size, limit)
