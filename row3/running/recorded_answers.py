"""Replay and score every recorded answer to a case, by any version of the prompts."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from row3.domain.asks import EmbeddingRequest, Vectors, finish
from row3.domain.judges import NOT_RECORDED
from row3.domain.prompts import Lineup, Prompt
from row3.domain.requests import Answer, NoAnswer, Request, changed_keys, digest_text
from row3.domain.runs import Header
from row3.domain.scores import CaseScore
from row3.domain.words import spoken
from row3.errors import InvalidFile, UsageError
from row3.project.cases import StoredCase
from row3.project.project import Project
from row3.project.recordings import RecordingIndex
from row3.project.suites import Suite
from row3.running.asks import Given, Question, scored
from row3.running.case_results import ANSWERS_DIGITS
from row3.running.evaluate import Answers, Asking
from row3.running.lineup import line_up
from row3.running.meanings import recorded_vectors
from row3.running.replay import open_recordings
from row3.running.stages import Overrides, Parameters, parameters_from, parameters_of, versions_of

Variant = tuple[Prompt, Asking]
"""A version of a stage with one set of parameters."""
DIGITS = 8
"""Digits shown of a prompt's digest, to distinguish texts of one version."""


class Step(NamedTuple):
    """A stage with a recorded answer."""

    prompt: Prompt
    asking: Asking
    request: Request


class Path(NamedTuple):
    """A sequence of recorded answers to a case, through one version of each stage so far."""

    answers: Answers
    steps: tuple[Step, ...] = ()


class CompleteAnswer(NamedTuple):
    """The answers of all stages to a case, or up to an unusable one."""

    steps: tuple[Step, ...]
    texts: tuple[str, ...]
    output: Any
    """Combined by the kind; None if an answer is unusable."""
    bad: str = ""
    """Why the last answer is unusable."""


Find = Callable[[Request], Answer | None]
Stages = Mapping[str, Sequence[Sequence[Variant]]]
"""Variants of each stage in order, by arm; the key is empty without arms."""


def complete_answers(stages: Stages, stored: StoredCase, repeat: int, find: Find) -> Iterator[CompleteAnswer]:
    """Yield every complete recorded answer to a case. Raises as `recorded_paths`."""
    begun: list[tuple[Path, ...]] = [()]
    for arm, own in stages.items():
        paths = recorded_paths(own, stored, repeat, find, arm)
        ended = [path for path in paths if path.answers.bad or len(path.steps) == len(own)]
        combinations = [(*before, path) for before in begun for path in ended]
        begun = []
        for combination in combinations:
            steps = tuple(step for path in combination for step in path.steps)
            if len({step.prompt.ref for step in steps}) > len({step.prompt.ref.name for step in steps}):
                continue  # both arms must use the same version of a prompt
            texts = tuple(text for path in combination for text in path.answers.texts)
            outputs = {name: path.answers.outputs for name, path in zip(stages, combination, strict=False)}
            if bad := combination[-1].answers.bad:
                yield CompleteAnswer(steps, texts, None, bad)
            elif len(combination) == len(stages):
                kind = steps[0].asking.suite.kind
                yield CompleteAnswer(steps, texts, kind.combine(outputs if arm else outputs[arm]))
            else:
                begun.append(combination)


def recorded_paths(
    stages: Sequence[Sequence[Variant]], stored: StoredCase, repeat: int, find: Find, arm: str = ""
) -> Iterator[Path]:
    """Yield every path of a case through the stages, once per answer on it; `find` looks answers up.

    Raises `InvalidFile` for a template of the first stage that fails, and what `find` raises.
    """
    if not stages or not stages[0]:
        return
    paths = [Path(Answers(stored.case.variables()))]
    for number, stage in enumerate(stages):
        longer: list[Path] = []
        for path in paths:
            for prompt, asking in stage:
                try:
                    request = asking.request(prompt, stored.id, path.answers.variables, repeat, arm)
                except InvalidFile:
                    if number == 0:
                        raise
                    continue  # needs a variable that this version of an earlier prompt does not give
                answer = find(request)
                if answer is not None:
                    answers = path.answers.after(asking.suite, prompt, answer)
                    after = Path(answers, (*path.steps, Step(prompt, asking, request)))
                    yield after
                    longer += [] if answers.bad else [after]
        paths = longer


def recorded_settings(index: RecordingIndex) -> tuple[dict[str, set[Parameters]], list[int]]:
    """Return the recorded parameters by prompt name, and the recorded repeats."""
    used: dict[str, set[Parameters]] = {}
    repeats = {0}
    for recording in index.all():
        with contextlib.suppress(TypeError):  # edited to an unhashable value, which no request has
            used.setdefault(recording.prompt.rpartition("-v")[0], set()).add(parameters_from(recording.request))
        repeats.add(recording.repeat)
    return used, sorted(repeats)


def variants(suite: Suite, prompts: Iterable[Prompt], used: Mapping[str, Iterable[Parameters]]) -> list[Variant]:
    """Return the versions of a stage, with the `used` parameters (by prompt name) and the current ones."""
    found: list[Variant] = []
    schemas: dict[str, Any] = {}
    for prompt in prompts:
        name = prompt.ref.name
        parameters = set(used.get(name, ()))
        with contextlib.suppress(UsageError):  # no current model; recordings still have theirs
            parameters.add(parameters_of(prompt, suite.provider, Overrides()))
        lineup = Lineup((prompt,), {})
        found += [
            (prompt, Asking(suite, lineup, {name: each}, schemas=schemas)) for each in sorted(parameters, key=repr)
        ]
    return found


def stages_of(
    project: Project,
    suite: Suite,
    index: RecordingIndex,
    used: Mapping[str, Iterable[Parameters]],
    named: Sequence[str],
) -> dict[str, list[list[Variant]]]:
    """Return the variants of each stage, by arm; a prompt in `named` has no other version."""
    wanted = {text.removeprefix("prompts/").removesuffix(".md") for text in named}
    recorded = {recording.prompt for recording in index.all()}
    found: dict[str, list[list[Variant]]] = {}
    for arm, candidate in line_up(project, suite, role="candidate", named=named).steps:
        own = suite if not suite.arms else suite.arms[arm]
        own = replace(own, system=None) if candidate.stage is None else own
        pinned = str(candidate.ref) in wanted
        prompts = [candidate] if pinned else versions_of(project, own, candidate.ref.name, recorded)
        found.setdefault(arm, []).append(variants(own, prompts, used))
    return found


class Setting(NamedTuple):
    """Prompt versions with text, model and parameters, in pipeline order: all that makes a request but the case."""

    prompts: tuple[tuple[str, str, str], ...]
    """Name, version and digest of each."""
    parameters: tuple[Parameters, ...]

    @property
    def title(self) -> str:
        """For example `decompose-concepts v1.0 → map-ontology v1.0 · reference-llm`."""
        models = ", ".join(dict.fromkeys(each.model for each in self.parameters))
        prompts = dict.fromkeys(f"{name} {version}" for name, version, _ in self.prompts)
        return f"{' → '.join(prompts)} · {models}"


def setting_of(header: Header) -> Setting:
    """Return the setting of a run."""
    return Setting(
        tuple((name, version, header.prompt_digests.get(name, "")) for name, version in header.prompts.items()),
        tuple(parameters_from(header.parameters.get(name, {})) for name in header.prompts),
    )


def setting_of_asking(asking: Asking) -> Setting:
    """Return the setting of a run that will use this `asking`."""
    return _setting([(prompt, asking.parameters_of(prompt.ref.name, arm)) for arm, prompt in asking.lineup.steps])


def _setting(stages: Sequence[tuple[Prompt, Parameters]]) -> Setting:
    return Setting(
        tuple((prompt.ref.name, str(prompt.ref.version), prompt.digest) for prompt, _ in stages),
        tuple(parameters for _, parameters in stages),
    )


def titles_of(settings: Sequence[Setting]) -> list[str]:
    """Return the title of each setting; equal titles get the parameters and texts that differ."""
    alike = Counter(setting.title for setting in settings)
    return [
        " · ".join([setting.title, *(_differences(setting, settings) if alike[setting.title] > 1 else ())])
        for setting in settings
    ]


def _differences(setting: Setting, settings: Sequence[Setting]) -> Iterator[str]:
    """Yield how a setting differs from others with its title: `map-ontology maxTokens 400`, `text 5f2a91c0`."""
    others = [other for other in settings if other.title == setting.title and other != setting]
    several = len(setting.prompts) > 1
    for i, (name, _, digest) in enumerate(setting.prompts):
        whose = f"{name} " if several else ""
        own = setting.parameters[i].as_json()
        for key in changed_keys(own, *(other.parameters[i].as_json() for other in others)):
            yield f"{whose}{key} {spoken(own.get(key))}"
        if any(other.prompts[i][2] != digest for other in others):
            yield f"{whose}text {digest[:DIGITS] or 'unknown'}"


class Replayed(NamedTuple):
    """One recorded answer of a pipeline, scored by the current case."""

    setting: Setting
    """Covers only the prompts up to an unusable answer."""
    repeat: int
    said: str
    """Digest of the answers' texts, as in a saved run."""
    score: CaseScore


@dataclass(slots=True)
class RecordedConcepts:
    """A recorded answer with concepts, whatever later stages answered."""

    output: Any
    """Combined by the kind."""
    versions: dict[str, list[str]] = field(default_factory=dict)
    """Versions that gave the answer, by prompt name; identical prompts share answers."""


class RecordedAnswers:
    """Replays every version of a suite's prompts, under every recorded model and parameter."""

    def __init__(
        self,
        project: Project,
        suite: Suite,
        named: Sequence[str] = (),
        vectors: Callable[[EmbeddingRequest], Vectors] | None = None,
    ) -> None:
        """Open the recordings.

        Args:
            named: references of prompts whose other versions are ignored.
            vectors: source of embeddings; the recorded ones unless given.
        Raises `InvalidFile`, `UsageError`.
        """
        self._suite, self._vectors = suite, vectors or recorded_vectors(project, suite)
        self._index = open_recordings(project, suite)
        used, self._repeats = recorded_settings(self._index)
        self._stages = stages_of(project, suite, self._index, used, named)

    def scores(self, stored: StoredCase) -> Iterator[Replayed]:
        """Yield all complete answers to a case, scored, unusable ones included.

        Raises `InvalidFile` for a broken recording or template.
        """
        kind, rules = self._suite.kind, self._suite.rules
        for repeat in self._repeats:
            for steps, texts, output, bad in complete_answers(self._stages, stored, repeat, self._index.answer):
                if bad:
                    score = kind.bad_answer(stored.case, bad, texts[-1], rules)
                else:
                    score = finish(scored(self._suite, stored, output), self._answer)
                said = digest_text("".join(texts))[:ANSWERS_DIGITS]
                setting = _setting([(prompt, asking.parameters_of(prompt.ref.name)) for prompt, asking, _ in steps])
                yield Replayed(setting, repeat, said, score)

    def _answer(self, question: Question) -> Given:
        if isinstance(question, EmbeddingRequest):
            return self._vectors(question)
        return self._index.answer(question) or NoAnswer(NOT_RECORDED)

    def items(self, stored: StoredCase) -> list[RecordedConcepts]:
        """Return the recorded answers with concepts. Raises `InvalidFile` for a broken recording or template."""
        kind = self._suite.kind
        stages = self._stages.get("", [])
        last_stage = max(
            (i for i, stage in enumerate(stages) if any(self._has_concepts(p) for p, _ in stage)), default=-1
        )
        found: dict[str, RecordedConcepts] = {}
        paths = (recorded_paths(stages, stored, repeat, self._index.answer) for repeat in self._repeats)
        for answers, steps in chain.from_iterable(paths):
            if answers.bad:
                continue
            last = [step for step in steps if self._has_concepts(step.prompt)][-1:]
            if len(steps) != last_stage + 1 or not last:
                continue
            prompt, _, request = last[0]
            if request.digest not in found:
                found[request.digest] = RecordedConcepts(kind.combine({prompt.output: answers.outputs[prompt.output]}))
            versions = found[request.digest].versions.setdefault(prompt.ref.name, [])
            if str(prompt.ref.version) not in versions:
                versions.append(str(prompt.ref.version))
        return list(found.values())

    def _has_concepts(self, prompt: Prompt) -> bool:
        return "concepts" in self._suite.kind.outputs[prompt.output].model_fields
