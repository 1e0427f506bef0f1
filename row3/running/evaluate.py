"""Run one case through the pipeline: render, ask, parse, pass on, score; replay and live share this code."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Protocol

from row3.domain.prompts import Lineup, Prompt
from row3.domain.requests import Answer, NoAnswer, Request
from row3.domain.scores import CaseScore, Spent
from row3.domain.secrets import HIDDEN
from row3.errors import InvalidFile
from row3.gate.pairs import align_metrics
from row3.kinds.answers import Parsed, Unusable, read_json
from row3.kinds.base import Kind
from row3.kinds.checks.compiled import schema_misfit
from row3.metrics.aggregate import Tallies, mean_and_spread
from row3.project.cases import StoredCase
from row3.project.saved_runs import ScoreCache
from row3.project.suites import Suite
from row3.running.asks import Given, Question, scored
from row3.running.case_results import Transcript, spent_on
from row3.running.stages import Parameters, answer_schema, begin_request, fill_request


@dataclass(frozen=True, slots=True)
class More:
    """Further answers to some cases, which confirm a block."""

    answers: int = 0
    """How many, a case."""
    cases: frozenset[str] = frozenset()
    alone: bool = False
    """Whether they stand without the earlier answers."""


NO_MORE: Final = More()


@dataclass(slots=True)
class Asking:
    """Turns a suite's cases into requests."""

    suite: Suite
    lineup: Lineup
    parameters: Mapping[str, Parameters]
    """By prompt name, or by `arm/name` if an arm has its own model."""
    repeats: int = 1
    scores: ScoreCache | None = None
    """Cached scores; None for runs that need explanations."""
    schemas: dict[str, tuple[Mapping[str, Any], str]] = field(default_factory=dict)
    """Schema and digest, by output name or by the digest of a prompt's own schema."""
    more: More = NO_MORE
    _begun: dict[tuple[str, int, str], tuple[Request, bytes]] = field(default_factory=dict)
    """By prompt digest, repeat and arm: the fields all requests share, and the head of their digests."""

    def request(
        self, prompt: Prompt, case_id: str, variables: Mapping[str, Any], repeat: int, arm: str = ""
    ) -> Request:
        """Return the exact request for one case and prompt; raises `InvalidFile` for a template that fails."""
        key = prompt.digest, repeat, arm
        if key not in self._begun:
            asked = prompt.output if prompt.schema is None else prompt.schema.digest
            if asked not in self.schemas:
                self.schemas[asked] = answer_schema(prompt, self.suite.kind, self.suite.rules)
            parameters = self.parameters_of(prompt.ref.name, arm)
            self._begun[key] = begin_request(prompt, parameters, repeat, *self.schemas[asked], by=arm)
        try:
            return fill_request(self._begun[key], prompt, case_id, variables)
        except InvalidFile as error:
            raise InvalidFile(f"case {case_id}: {error.what}", where=error.where, fix=error.fix) from None

    def repeats_of(self, case_id: str) -> range:
        """Return the numbers of a case's repeats."""
        if case_id not in self.more.cases:
            return range(self.repeats)
        return range(self.repeats if self.more.alone else 0, self.repeats + self.more.answers)

    @property
    def most_repeats(self) -> int:
        """The most repeats that a case has."""
        return len(self.repeats_of(next(iter(self.more.cases), "")))

    def passes(self, repeats: int) -> int | None:
        """Return how many of a case's repeats must pass; further repeats demand the same share of them."""
        passes = self.suite.rules.passes
        if passes is None or repeats == self.repeats:
            return passes
        return math.ceil(min(passes, self.repeats) * repeats / self.repeats) if self.repeats > 1 else None

    @property
    def models(self) -> list[str]:
        """The model of each prompt."""
        return [each.model for each in self.parameters.values()]

    def parameters_of(self, prompt: str, arm: str = "") -> Parameters:
        """Return the parameters of a prompt's requests."""
        return self.parameters.get(f"{arm}/{prompt}") or self.parameters[prompt]

    def arm_models(self) -> list[tuple[str, str]]:
        """Return the model of each stage with the name of its arm; empty without arms."""
        return [(self.parameters_of(prompt.ref.name, arm).model, arm) for arm, prompt in self.lineup.steps]


LONGEST_MISFIT = 200
"""Characters shown of how an answer does not fit a schema."""
Steps = Generator[Question, Given, CaseScore]
"""Yields requests and texts to embed; is sent answers, vectors, or a `NoAnswer`; returns the score."""
Beside = Callable[..., Awaitable[Any]]
"""Calls a function in another thread."""


class Answerer(Protocol):
    """Source of answers and vectors: recordings, or a provider."""

    async def answer(self, question: Question) -> Given: ...


class Walk:
    """Takes a case through the pipeline, one question a step, until it has a score."""

    def __init__(self, steps: Steps, answerer: Answerer, transcript: Transcript | None = None) -> None:
        """Begin a case; `transcript` continues that of earlier rounds."""
        self._steps, self._answerer = steps, answerer
        self.transcript = transcript or Transcript()
        self.score: CaseScore | None = None
        self._question: Question | None = None
        self._advance(None)

    async def step(self, beside: Beside | None = None) -> bool:
        """Ask the next question and advance, `beside` the event loop if given; return False if there is none."""
        if (question := self._question) is None:
            return False
        given = await self._answerer.answer(question)
        if isinstance(question, Request):
            assert isinstance(given, Answer | NoAnswer)
            self.transcript.add(question, given)
        await beside(self._advance, given) if beside else self._advance(given)
        return True

    async def to_end(self, beside: Beside | None = None) -> CaseScore:
        """Ask the remaining questions and return the score."""
        while await self.step(beside):
            pass
        assert self.score is not None
        return self.score

    def _advance(self, given: Given | None) -> None:
        try:
            self._question = next(self._steps) if given is None else self._steps.send(given)
        except StopIteration as end:
            self._question, self.score = None, self.transcript.onto(end.value)


class FixedAnswers(NamedTuple):
    """Answers questions from a list, in order."""

    answers: Iterator[Given]

    async def answer(self, question: Question) -> Given:
        """Return the next answer, whatever the question."""
        return next(self.answers)


def replay_case(asking: Asking, stored: StoredCase, answerer: Answerer) -> CaseScore:
    """Score one case without an event loop; the answerer must not wait. Raises what it raises."""
    walk = Walk(steps(asking, stored), answerer)
    try:
        walk.to_end().send(None)
    except StopIteration as end:
        score: CaseScore = end.value
        return score
    raise RuntimeError("the answerer waited during a replay")


async def answers_to(asking: Asking, stored: StoredCase, answerer: Answerer) -> list[Given]:
    """Ask about one case without scoring it; return the answers in order, for `FixedAnswers`."""
    given: list[Given] = []
    for repeat in asking.repeats_of(stored.id):
        asked = ask_pipeline(asking, stored, repeat)
        given.append(await answerer.answer(next(asked)))
        with contextlib.suppress(StopIteration):
            for _ in asking.lineup.steps[1:]:  # the last answer is read only to be scored
                given.append(await answerer.answer(asked.send(given[-1])))
        if isinstance(given[-1], NoAnswer):
            break
    return given


def steps(asking: Asking, stored: StoredCase) -> Steps:
    """Ask all repeats of one case and return its score."""
    scores = []
    for repeat in asking.repeats_of(stored.id):
        score = yield from one_repeat(asking, stored, repeat)
        if score.status == "failed":
            return score
        scores.append(score)
    return scores[0] if len(scores) == 1 else average(asking.suite.kind, scores, asking.passes(len(scores)))


def read_answer(suite: Suite, prompt: Prompt, answer: Answer) -> Parsed | Unusable:
    """Return an answer as the suite's kind parses it, if it fits the prompt's schema.

    A refusal, a filter and an empty reply are bad in every kind.
    """
    if answer.fault:
        return Unusable(answer.fault)
    if prompt.schema is not None:
        found = read_json(answer.text)
        if isinstance(found, Unusable):
            return found
        if misfit := schema_misfit(prompt.schema.schema, found.value):
            short = " ".join(misfit.split())[:LONGEST_MISFIT]
            return Unusable(f"the answer does not fit {prompt.schema.path}: {short}")
    read: Parsed | Unusable = suite.kind.outputs[prompt.output].read(answer.text, suite.rules.fields)
    return read


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to one case so far, prompt by prompt."""

    variables: Mapping[str, Any]
    """Variables of the next prompt's template."""
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """Parsed answers, by output name."""
    texts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    bad: str = ""
    """Why the last answer is unusable, which ends the pipeline."""

    def after(self, suite: Suite, prompt: Prompt, answer: Answer) -> Answers:
        """Return a copy with one more answer."""
        caveats = ["cut off by the token limit"] if answer.finish_reason == "length" else []
        caveats += ["a key in the answer is hidden"] if HIDDEN in answer.text else []
        parsed = read_answer(suite, prompt, answer)
        texts = (*self.texts, answer.text)
        if isinstance(parsed, Unusable):
            bad = f"{prompt.ref}: {parsed.reason}" + (f" ({'; '.join(caveats)})" if caveats else "")
            return replace(self, texts=texts, bad=bad)
        notes = (*self.notes, *(f"{prompt.ref}: {note}" for note in (*caveats, *parsed.repairs)))
        variables = {**self.variables, **parsed.value.context(prompt.output)}
        return Answers(variables, {**self.outputs, prompt.output: parsed.value}, texts, notes)


class ParsedAnswers(NamedTuple):
    """The parsed answers of one repeat of a case."""

    output: Any
    texts: tuple[str, ...]
    notes: tuple[str, ...]
    spent: list[Spent]


def ask_pipeline(
    asking: Asking, stored: StoredCase, repeat: int
) -> Generator[Request, Given, ParsedAnswers | CaseScore]:
    """Ask every prompt about one case; return its score if an answer is missing or unusable."""
    kind, rules = asking.suite.kind, asking.suite.rules
    arms = dict.fromkeys(kind.arms or ("",), Answers(stored.case.variables()))
    spent: list[Spent] = []
    for arm, prompt in asking.lineup.steps:
        request = asking.request(prompt, stored.id, arms[arm].variables, repeat, arm)
        answer = yield request
        if isinstance(answer, NoAnswer):
            return CaseScore(stored.id, "failed", {}, problem=f"{prompt.ref}: {answer}")
        assert isinstance(answer, Answer)
        spent.append(spent_on(request, answer))
        arms[arm] = arms[arm].after(asking.suite, prompt, answer)
        if arms[arm].bad:
            return kind.bad_answer(stored.case, arms[arm].bad, answer.text, rules)
    outputs = {arm: each.outputs for arm, each in arms.items()}
    texts = tuple(text for each in arms.values() for text in each.texts)
    notes = tuple(note for each in arms.values() for note in each.notes)
    return ParsedAnswers(kind.combine(outputs if kind.arms else outputs[""]), texts, notes, spent)


def one_repeat(asking: Asking, stored: StoredCase, repeat: int) -> Steps:
    """Ask one repeat of one case and return its score."""
    kind, rules = asking.suite.kind, asking.suite.rules
    read = yield from ask_pipeline(asking, stored, repeat)
    if isinstance(read, CaseScore):
        return read
    known = None if asking.scores is None else asking.scores.get(stored.digest, read.texts)
    if known is None:
        known = yield from scored(asking.suite, stored, read.output, read.spent)
        # A score that also depends on a judge, a scorer or the clock is not cached.
        if asking.scores is not None and known.status == "scored" and not kind.judgeable.asks(stored.case, rules):
            asking.scores.put(stored.digest, read.texts, known._replace(found=kind.shortfall(known)))
    return known._replace(notes=read.notes, output=read.output)


def average(kind: Kind, scores: list[CaseScore], passes: int | None = None) -> CaseScore:
    """Return the repeats of a case as one score: means, spreads, summed counts, the explanation nearest the mean.

    An unusable answer counts with its zeros, and more than half of them break the case; a rightly empty answer counts
    as flawless if another repeat invents.
    """
    metrics = align_metrics(kind, [score.metrics for score in scores])
    keys = [key for key in metrics[0] if all(key in values for values in metrics)]
    summary = {key: mean_and_spread([values[key] for values in metrics]) for key in keys}
    means = {key: mean for key, (mean, _) in summary.items()}
    if passes is not None and "casesPassed" in means:
        means["casesPassed"] = float(sum(values["casesPassed"] >= 1.0 for values in metrics) >= passes)

    unusable = [score for score in scores if score.status == "bad_answer"]
    broken = 2 * len(unusable) > len(scores)

    def distance(number: int) -> tuple[bool, float]:
        other = (scores[number].status == "bad_answer") != broken
        return other, sum(abs(metrics[number][key] - means[key]) for key in keys)

    middle = scores[min(range(len(scores)), key=distance)]
    counts: dict[str, tuple[int, int]] = {}
    tally = Tallies()
    for score in scores:
        tally.add(score.tally)
        for key, (part, whole) in score.counts.items():
            parts, wholes = counts.get(key, (0, 0))
            counts[key] = (parts + part, wholes + whole)
    notes = list(dict.fromkeys(note for score in scores for note in score.notes))
    silent = sum(score.metrics is not values for score, values in zip(scores, metrics, strict=True))
    if silent and (invent := len(scores) - silent - len(unusable)):
        notes.append(f"{invent} of {len(scores)} repeats give items although the case expects none")
    if 0 < len(unusable) < len(scores):
        notes.append(f"{len(unusable)} of {len(scores)} repeats gave a bad answer: {unusable[0].problem}")
    return CaseScore(
        case_id=middle.case_id,
        status="bad_answer" if broken else "scored",
        metrics=means,
        skipped={key: why for score in scores for key, why in score.skipped.items() if key not in means},
        counts=counts,
        explanation=middle.explanation,
        problem=unusable[0].problem if broken else "",
        raw=unusable[0].raw if broken else "",
        notes=tuple(notes),
        spread={key: spread for key, (_, spread) in summary.items()},
        repeats=len(scores),
        tally=tally,
        found=middle.found,
        output=middle.output,
    )
