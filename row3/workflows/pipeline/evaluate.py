"""One case through the pipeline: render, ask, read, hand on, score.

Written as a generator that yields requests and is sent answers, so that replay (no waiting) and live (many at once)
share one piece of code.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from row3.domain.embeddings import EmbeddingRequest, Vectors
from row3.domain.prompts import Prompt
from row3.domain.requests import Answer, NoAnswer, Request, digest_head, digest_json, digest_of
from row3.domain.scores import CaseScore
from row3.errors import UsageError
from row3.gate.silence import side_by_side
from row3.kinds.base import Kind, Unusable
from row3.metrics.aggregate import mean_and_spread
from row3.metrics.tallies import Tallies
from row3.store.cases import StoredCase
from row3.store.config import ProviderConfig
from row3.store.suites import Suite
from row3.workflows.pipeline.lineup import Lineup
from row3.workflows.pipeline.meanings import scored
from row3.workflows.pipeline.systems import stage_text
from row3.workflows.pipeline.templates import render


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says of the model; stronger than `row3.toml` and the prompt."""

    model: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a prompt's requests are sent with."""

    model: str
    temperature: float | None
    seed: int | None
    max_tokens: int | None

    def as_json(self) -> dict[str, Any]:
        """As files spell them."""
        return {
            "model": self.model,
            "temperature": self.temperature,
            "seed": self.seed,
            "maxTokens": self.max_tokens,
        }


def parameters_of(prompt: Prompt, provider: ProviderConfig, overrides: Overrides) -> Parameters:
    """Front matter, then `row3.toml`, then flags: the later the stronger. Raises `UsageError` without a model."""

    if prompt.stage is not None:
        if overrides != Overrides():
            raise UsageError(
                f"a suite that is answered by `{prompt.stage.type}` has no model and no parameters of one",
                where="--model, --temperature, --seed, --max-tokens",
                fix="Leave them out",
            )
        return Parameters(prompt.stage.type, None, None, None)

    def strongest(key: str) -> Any:
        for source in (getattr(overrides, key), getattr(provider, key), prompt.parameters.get(key)):
            if source is not None:
                return source
        return None

    model = strongest("model")
    if model is None:
        raise UsageError(
            "no model is named",
            where="row3.toml field provider.model",
            fix="Set it there, in the prompt, or with --model",
        )
    return Parameters(model, strongest("temperature"), strongest("seed"), strongest("max_tokens"))


class _Told(NamedTuple):
    """What all requests of a prompt and repeat have in common."""

    prompt: Prompt
    ref: str
    parameters: Parameters
    schema: Mapping[str, Any]
    schema_digest: str
    head: bytes
    """Of the digest."""


@dataclass(slots=True)
class Asking:
    """How a suite's cases are turned into requests."""

    suite: Suite
    lineup: Lineup
    parameters: Mapping[str, Parameters]
    """By prompt name."""
    repeats: int = 1
    schemas: dict[str, tuple[Mapping[str, Any], str]] = field(default_factory=dict)
    """With its digest, by name of the output."""
    _told: dict[tuple[int, int], _Told] = field(default_factory=dict)
    """By the prompt's identity, which its being kept here makes lasting, and repeat."""

    def request(self, prompt: Prompt, case_id: str, variables: Mapping[str, Any], repeat: int) -> Request:
        """The exact request for one case and prompt; raises `InvalidFile` for a template that fails."""
        told = self._told.get((id(prompt), repeat))
        if told is None:
            told = self._told[id(prompt), repeat] = self._tell(prompt, repeat)
        system, user = render(prompt, variables) if prompt.stage is None else ("", stage_text(prompt, variables))
        p = told.parameters
        return Request(
            case_id,
            told.ref,
            repeat,
            p.model,
            p.temperature,
            p.seed,
            p.max_tokens,
            system,
            user,
            prompt.output,
            told.schema,
            told.schema_digest,
            prompt.digest,
            variables,
            digest_of(told.head, system, user),
        )

    def _tell(self, prompt: Prompt, repeat: int) -> _Told:
        if prompt.output not in self.schemas:
            # A system is told no schema, so none is part of the question.
            made = self.suite.kind.schema(prompt.output, self.suite.rules) if prompt.stage is None else {}
            self.schemas[prompt.output] = made, digest_json(made)
        schema, schema_digest = self.schemas[prompt.output]
        p = self.parameters[prompt.ref.name]
        head = digest_head(
            model=p.model,
            temperature=p.temperature,
            seed=p.seed,
            max_tokens=p.max_tokens,
            schema_digest=schema_digest,
            repeat=repeat,
        )
        return _Told(prompt, str(prompt.ref), p, schema, schema_digest, head)


Question = Request | EmbeddingRequest
Given = Answer | NoAnswer | Vectors
Steps = Generator[Question, Given, CaseScore]
"""Answers are sent to requests, vectors to texts that are to be embedded, and to both why there is nothing."""


def steps(asking: Asking, stored: StoredCase) -> Steps:
    """All repeats of one case; yields requests, is sent answers, returns the score."""
    scores = []
    for repeat in range(asking.repeats):
        score = yield from one_repeat(asking, stored, repeat)
        if score.status == "failed":
            return score
        scores.append(score)
    return scores[0] if len(scores) == 1 else average(asking.suite.kind, scores)


def one_repeat(asking: Asking, stored: StoredCase, repeat: int) -> Steps:
    """One repeat of one case; yields requests, is sent answers, returns the score."""
    kind, rules = asking.suite.kind, asking.suite.rules
    variables = kind.variables(stored.case)
    outputs: dict[str, Any] = {}
    notes: list[str] = []
    prompts = asking.lineup.prompts
    for number, prompt in enumerate(prompts, 1):
        answer = yield asking.request(prompt, stored.id, variables, repeat)
        if isinstance(answer, NoAnswer):
            problem = f"{prompt.ref}: {answer.error}" + (f". {answer.fix}" if answer.fix else "")
            return CaseScore(stored.id, "failed", {}, problem=problem)
        assert isinstance(answer, Answer)
        cut = answer.finish_reason == "length"
        if cut:
            notes.append(f"{prompt.ref}: cut off by the token limit")
        parsed = kind.parse(prompt.output, answer.text)
        if isinstance(parsed, Unusable):
            reason = f"{prompt.ref}: {parsed.reason}" + (" (cut off by the token limit)" if cut else "")
            return kind.bad_answer(stored.case, reason, answer.text, rules)
        notes += [f"{prompt.ref}: {repair}" for repair in parsed.repairs]
        outputs[prompt.output] = parsed.value
        if number < len(prompts):  # nobody is told of the last output
            variables = {**variables, **kind.context(prompt.output, parsed.value)}
    output = kind.combine(outputs)
    score = yield from scored(kind, stored.case, output, rules)
    return replace(score, notes=tuple(notes), output=output)


def average(kind: Kind, scores: list[CaseScore]) -> CaseScore:
    """Repeats of a case as one: means, spreads, summed counts; the explanation is that of the repeat nearest the mean.

    A repeat whose answer could not be used counts with its zeros; the case is a bad answer only where all are. One that
    rightly says nothing counts as flawless beside one that invents.
    """
    metrics = side_by_side(kind, [score.metrics for score in scores])
    keys = [key for key in metrics[0] if all(key in values for values in metrics)]
    summary = {key: mean_and_spread([values[key] for values in metrics]) for key in keys}
    means = {key: mean for key, (mean, _) in summary.items()}

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
        output=middle.output,
    )


def dump(value: Any) -> bytes:
    """Compact JSON; lone surrogates, which a model can write, as escapes."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), allow_nan=False, separators=(",", ":")).encode()
