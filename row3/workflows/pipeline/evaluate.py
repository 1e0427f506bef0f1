"""One case through the pipeline: render, ask, read, hand on, score.

`steps` yields requests and is sent answers; a `Walk` gets these from an `Answerer`. So replay (no waiting) and live
(many at once) share one piece of code.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from msgspec import structs

from row3.domain.prompts import Lineup, Prompt
from row3.domain.requests import Answer, NoAnswer, Request, digest_head, digest_json, digest_of
from row3.domain.scores import CaseScore
from row3.domain.secrets import HIDDEN
from row3.errors import InvalidFile
from row3.gate.pairs import align_metrics
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.base import Kind
from row3.metrics.aggregate import Tallies, mean_and_spread
from row3.store.cases import StoredCase
from row3.store.saved_runs import ScoreCache
from row3.store.suites import Suite
from row3.workflows.pipeline.asks import Given, Question, scored
from row3.workflows.pipeline.results import Spent, Transcript, spent_on
from row3.workflows.pipeline.stages import Parameters, answer_schema, request_texts


@dataclass(slots=True)
class Asking:
    """How a suite's cases are turned into requests."""

    suite: Suite
    lineup: Lineup
    parameters: Mapping[str, Parameters]
    """By prompt name; by `arm/name` where an arm has its own model."""
    repeats: int = 1
    scores: ScoreCache | None = None
    """Scores that are known already, where nobody asks for explanations."""
    schemas: dict[str, tuple[Mapping[str, Any], str]] = field(default_factory=dict)
    """Schema and its digest, by name of the output."""
    _begun: dict[tuple[str, int, str], tuple[Request, bytes]] = field(default_factory=dict)
    """By prompt digest, repeat and arm, what all requests have in common, and how their digests' input begins."""

    def request(
        self, prompt: Prompt, case_id: str, variables: Mapping[str, Any], repeat: int, arm: str = ""
    ) -> Request:
        """Return the exact request for one case and prompt; raises `InvalidFile` for a template that fails."""
        key = prompt.digest, repeat, arm
        if key not in self._begun:
            self._begun[key] = self._begin(prompt, repeat, arm)
        begun, head = self._begun[key]
        try:
            system, user = request_texts(prompt, variables)
        except InvalidFile as error:
            raise InvalidFile(f"case {case_id}: {error.what}", where=error.where, fix=error.fix) from None
        digest = digest_of(head, system, user)
        return begun._replace(case_id=case_id, system=system, user=user, variables=variables, digest=digest)

    @property
    def models(self) -> list[str]:
        """Models that the prompts ask."""
        return [each.model for each in self.parameters.values()]

    def parameters_of(self, prompt: str, arm: str = "") -> Parameters:
        """Return what a prompt's requests are sent with."""
        return self.parameters.get(f"{arm}/{prompt}") or self.parameters[prompt]

    def asked(self) -> list[tuple[str, str]]:
        """Return which models are asked, each with who answers: an arm's name, or nothing."""
        return [(self.parameters_of(prompt.ref.name, arm).model, arm) for arm, prompt in self.lineup.steps]

    def _begin(self, prompt: Prompt, repeat: int, arm: str) -> tuple[Request, bytes]:
        if prompt.output not in self.schemas:
            made = answer_schema(prompt, self.suite.kind, self.suite.rules)
            self.schemas[prompt.output] = made, digest_json(made)
        schema, schema_digest = self.schemas[prompt.output]
        p = self.parameters_of(prompt.ref.name, arm)
        sent: dict[str, Any] = {
            "model": p.model,
            "temperature": p.temperature,
            "seed": p.seed,
            "max_tokens": p.max_tokens,
            "schema_digest": schema_digest,
            "repeat": repeat,
        }
        begun = Request(
            **sent,
            case_id="",
            prompt=str(prompt.ref),
            system="",
            user="",
            schema_name=prompt.output,
            schema=schema,
            prompt_digest=prompt.digest,
            variables={},
            digest="",
            by=arm,
        )
        return begun, digest_head(**sent)


Steps = Generator[Question, Given, CaseScore]
"""Yields a request and is sent its answer, or texts and is sent their vectors; a `NoAnswer` to either."""


class Answerer(Protocol):
    """Where answers and vectors come from: recordings, or a provider."""

    async def answer(self, question: Question) -> Given: ...


class Walk:
    """A case on its way through the pipeline: asks one question a step, until it has a score."""

    def __init__(self, asked: Steps, answerer: Answerer, transcript: Transcript | None = None) -> None:
        self._steps, self._answerer = asked, answerer
        self.transcript = Transcript() if transcript is None else transcript
        """Continues what went before."""
        self.score: CaseScore | None = None
        self._question: Question | None = None
        self._advance(None)

    async def step(self) -> bool:
        """Ask the next question; False where none was left."""
        question = self._question
        if question is None:
            return False
        given = await self._answerer.answer(question)
        if isinstance(question, Request):
            assert isinstance(given, Answer | NoAnswer)
            self.transcript.add(question, given)
        self._advance(given)
        return True

    async def to_end(self) -> CaseScore:
        """Ask all that is left, and return the score."""
        while await self.step():
            pass
        assert self.score is not None
        return self.score

    def _advance(self, given: Given | None) -> None:
        try:
            self._question = next(self._steps) if given is None else self._steps.send(given)
        except StopIteration as end:
            self._question, self.score = None, end.value


@dataclass(frozen=True, slots=True)
class Dictated:
    """An answerer that gives the answers it was given, in their order."""

    answers: Iterator[Given]

    async def answer(self, question: Question) -> Given:
        """The next answer, whatever is asked."""
        return next(self.answers)


def replay_case(asking: Asking, stored: StoredCase, answerer: Answerer) -> tuple[CaseScore, Transcript]:
    """Score one case by answers that are there, without an event loop; raises what the answerer raises."""
    walk = Walk(steps(asking, stored), answerer)
    try:
        walk.to_end().send(None)
    except StopIteration as end:
        return end.value, walk.transcript
    raise RuntimeError("a recorded answer was waited for")


async def answers_to(asking: Asking, stored: StoredCase, answerer: Answerer) -> list[Given]:
    """Ask all that the pipeline asks about one case, without scoring it, as `Dictated` gives it to `replay_case`."""
    given: list[Given] = []
    for repeat in range(asking.repeats):
        asked = answered(asking, stored, repeat)
        with contextlib.suppress(StopIteration):
            question = next(asked)
            while True:
                given.append(await answerer.answer(question))
                question = asked.send(given[-1])
        if given and isinstance(given[-1], NoAnswer):
            break
    return given


def steps(asking: Asking, stored: StoredCase) -> Steps:
    """All repeats of one case; yields requests, is sent answers, returns the score."""
    scores = []
    for repeat in range(asking.repeats):
        score = yield from one_repeat(asking, stored, repeat)
        if score.status == "failed":
            return score
        scores.append(score)
    return scores[0] if len(scores) == 1 else average(asking.suite.kind, scores, asking.suite.rules.passes)


def read_answer(suite: Suite, output: str, answer: Answer) -> Parsed | Unusable:
    """Return an answer as the suite's kind reads it; one that is empty or was filtered cannot be used in any kind."""
    if answer.filtered:
        return Unusable("stopped by the content filter")
    if not answer.text.strip():
        return Unusable("the answer is empty")
    return suite.kind.parse(output, answer.text, suite.rules.fields)


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to one case so far, prompt by prompt."""

    variables: Mapping[str, Any]
    """What the next prompt's template is given."""
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """By name, as the kind parsed them."""
    texts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    bad: str = ""
    """Why the last answer cannot be used, which ends the pipeline."""

    def after(self, suite: Suite, prompt: Prompt, answer: Answer) -> Answers:
        """Return them with one more answer."""
        kind = suite.kind
        told = ["cut off by the token limit"] if answer.finish_reason == "length" else []
        told += ["a key in the answer is hidden"] if HIDDEN in answer.text else []
        parsed = read_answer(suite, prompt.output, answer)
        texts = (*self.texts, answer.text)
        if isinstance(parsed, Unusable):
            bad = f"{prompt.ref}: {parsed.reason}" + (f" ({'; '.join(told)})" if told else "")
            return replace(self, texts=texts, bad=bad)
        notes = (*self.notes, *(f"{prompt.ref}: {note}" for note in (*told, *parsed.repairs)))
        variables = {**self.variables, **kind.context(prompt.output, parsed.value)}
        return Answers(variables, {**self.outputs, prompt.output: parsed.value}, texts, notes)


@dataclass(frozen=True, slots=True)
class Read:
    """The answers to one repeat of a case, read."""

    output: Any
    texts: tuple[str, ...]
    notes: tuple[str, ...]
    spent: list[Spent]


def answered(asking: Asking, stored: StoredCase, repeat: int) -> Generator[Request, Given, Read | CaseScore]:
    """Ask the pipeline about one case; returns its score where there is no answer, or one that cannot be used."""
    kind, rules = asking.suite.kind, asking.suite.rules
    begun = Answers(kind.variables(stored.case))
    answers, arms = begun, dict.fromkeys(kind.arms, begun)
    spent: list[Spent] = []
    for arm, prompt in asking.lineup.steps:
        answers = arms[arm] if arm else answers
        request = asking.request(prompt, stored.id, answers.variables, repeat, arm)
        answer = yield request
        if isinstance(answer, NoAnswer):
            return CaseScore(stored.id, "failed", {}, problem=f"{prompt.ref}: {answer}")
        assert isinstance(answer, Answer)
        spent.append(spent_on(request, answer))
        answers = answers.after(asking.suite, prompt, answer)
        if answers.bad:
            return kind.bad_answer(stored.case, answers.bad, answer.text, rules)
        if arm:
            arms[arm] = answers
    output = kind.combine({arm: each.outputs for arm, each in arms.items()} if arms else answers.outputs)
    texts = tuple(text for each in (arms.values() if arms else (answers,)) for text in each.texts)
    notes = tuple(note for each in (arms.values() if arms else (answers,)) for note in each.notes)
    return Read(output, texts, notes, spent)


def one_repeat(asking: Asking, stored: StoredCase, repeat: int) -> Steps:
    """One repeat of one case; yields requests, is sent answers, returns the score."""
    kind, rules = asking.suite.kind, asking.suite.rules
    read = yield from answered(asking, stored, repeat)
    if isinstance(read, CaseScore):
        return read
    known = None if asking.scores is None else asking.scores.get(stored.digest, read.texts)
    if known is None:
        known = yield from scored(asking.suite, stored, read.output, read.spent)
        # A score that others had a part in is not told by case and answers alone.
        if asking.scores is not None and known.status == "scored" and not kind.asks(stored.case, rules):
            asking.scores.put(stored.digest, read.texts, structs.replace(known, found=kind.shortfall(known)))
    return structs.replace(known, notes=read.notes, output=read.output)


def average(kind: Kind, scores: list[CaseScore], passes: int | None = None) -> CaseScore:
    """Repeats of a case as one: means, spreads, summed counts, and the explanation of the repeat nearest the mean.

    An unusable answer counts with its zeros, and a rightly silent one as flawless beside one that invents.
    """
    metrics = align_metrics(kind, [score.metrics for score in scores])
    keys = [key for key in metrics[0] if all(key in values for values in metrics)]
    summary = {key: mean_and_spread([values[key] for values in metrics]) for key in keys}
    means = {key: mean for key, (mean, _) in summary.items()}
    if passes is not None and "casesPassed" in means:
        means["casesPassed"] = float(sum(values["casesPassed"] >= 1.0 for values in metrics) >= passes)

    def away(number: int) -> tuple[bool, float]:
        return scores[number].status != "scored", sum(abs(metrics[number][key] - means[key]) for key in keys)

    middle = scores[min(range(len(scores)), key=away)]
    counts: dict[str, tuple[int, int]] = {}
    for score in scores:
        for key, (part, whole) in score.counts.items():
            held = counts.get(key, (0, 0))
            counts[key] = (held[0] + part, held[1] + whole)
    tally = Tallies()
    for score in scores:
        tally.add(score.tally)
    unusable = [score for score in scores if score.status == "bad_answer"]
    notes = list(dict.fromkeys(note for score in scores for note in score.notes))
    silent = sum(score.metrics is not values for score, values in zip(scores, metrics, strict=True))
    if silent and (invent := len(scores) - silent - len(unusable)):
        notes.append(f"{invent} of {len(scores)} repeats say something where nothing is to be found")
    if unusable and len(unusable) < len(scores):
        notes.append(f"{len(unusable)} of {len(scores)} repeats gave a bad answer: {unusable[0].problem}")
    return CaseScore(
        case_id=middle.case_id,
        status="bad_answer" if len(unusable) == len(scores) else "scored",
        metrics=means,
        skipped={key: why for score in scores for key, why in score.skipped.items() if key not in means},
        counts=counts,
        explanation=middle.explanation,
        problem=unusable[0].problem if len(unusable) == len(scores) else "",
        raw=unusable[0].raw if len(unusable) == len(scores) else "",
        notes=tuple(notes),
        spread={key: spread for key, (_, spread) in summary.items()},
        repeats=len(scores),
        tally=tally,
        found=middle.found,
        output=middle.output,
    )
