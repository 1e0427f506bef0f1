"""What a live run would send, and what it may cost: `--dry-run`. Nothing is sent.

The first stage is rendered exactly. A later stage depends on answers: where they are recorded it is rendered exactly
too; else its size is estimated from the case's input, what the case expects, and the prompt's own text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from row3.domain.estimates import Estimate, Planned
from row3.domain.prompts import Lineup, Prompt
from row3.kinds.base import expected_in
from row3.store.cases import StoredCase, read_cases
from row3.store.config import PriceConfig
from row3.store.other_suites import no_case_fits
from row3.store.project import Project
from row3.store.recording_lines import Recording
from row3.store.recordings import RecordingIndex, open_index
from row3.store.suites import Suite
from row3.workflows.pipeline.budget import cost_usd, estimate_tokens, price_table
from row3.workflows.pipeline.evaluate import Answers, Asking
from row3.workflows.pipeline.providers import check_provider
from row3.workflows.pipeline.run_suite import RunOptions, make_asking


@dataclass(frozen=True, slots=True)
class Beside:
    """What a live comparison asks beside the candidates: the baseline's prompts, for the cases that it has."""

    asking: Asking
    cases: Collection[str]
    rounds: int = 1


def estimate(
    project: Project,
    suite: Suite,
    lineup: Lineup,
    options: RunOptions,
    *,
    beside: Beside | None = None,
) -> Estimate:
    """Plan a run without running it.

    Recordings answer in the modes `replay` and `auto`; in `live` and `record` every request would be sent, and
    recordings only tell how long answers are. Raises `InvalidFile`, `UsageError`.
    """
    mode = options.mode or project.config.mode
    check_provider(project, suite)  # a run that could not be sent is not worth planning
    asking = make_asking(suite, lineup, options)
    prices = price_table(project, [suite])
    index = open_index(project.tree, suite.name)
    planner = _Planner(asking, index, prices, mode in ("replay", "auto"))
    plan = Estimate(suite.name, mode, lineup.versions())
    wanted, any_wanted = options.wants, False
    for stored in read_cases(project.tree, suite.golden, suite.kind):
        if not wanted(stored.id):
            continue
        any_wanted = True
        for repeat in range(options.repeats):
            planner.case(stored, repeat, plan)
            if beside is not None and stored.id in beside.cases:
                before = len(plan.requests)
                _Planner(beside.asking, index, prices, False).case(stored, repeat, plan)
                plan.again += len(plan.requests) - before
    if not any_wanted and options.case is not None:
        raise no_case_fits(project, suite, options.case)
    plan.rounds = 1 if beside is None else beside.rounds
    return plan


@dataclass(slots=True)
class _Planner:
    asking: Asking
    index: RecordingIndex
    prices: Mapping[str, PriceConfig]
    replays: bool

    def case(self, stored: StoredCase, repeat: int, plan: Estimate) -> None:
        """Add the requests of one case and repeat."""
        kind = self.asking.suite.kind
        held = {recording.digest: recording for recording in self.index.of_case(stored.id)}
        answers: Answers | None = Answers(kind.variables(stored.case))
        handed_on = 0
        for prompt in self.asking.lineup.prompts:
            parameters = self.asking.parameters[prompt.ref.name]
            request = self.asking.request(prompt, stored.id, answers.variables, repeat) if answers else None
            recording = held.get(request.digest) if request is not None else None
            replayed = self.replays and recording is not None
            if request is not None:
                sent = estimate_tokens(request.system) + estimate_tokens(request.user)
            else:
                sent = self._size_of_input(prompt, stored) + handed_on
            answered = self._size_of_answer(prompt, stored, recording, list(held.values()), parameters.max_tokens)
            cost = 0.0 if replayed else cost_usd(parameters.model, sent, answered, self.prices)
            plan.requests.append(
                Planned(
                    case_id=stored.id,
                    prompt=str(prompt.ref),
                    repeat=repeat,
                    model=parameters.model,
                    recorded=replayed,
                    exact=request is not None,
                    prompt_tokens=sent,
                    completion_tokens=answered,
                    cost_usd=cost,
                    request=None if replayed else request,
                )
            )
            handed_on += answered
            answers = answers.after(kind, prompt, recording.answer) if answers and recording else None
            if answers is not None and answers.bad:
                answers = None

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
