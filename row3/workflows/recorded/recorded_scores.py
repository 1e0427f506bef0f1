"""Every complete recorded answer of a case with its score: each version of each prompt, each repeat."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from row3.domain.counts import spoken
from row3.domain.embeddings import Ask, Vectors, finish
from row3.domain.prompts import Prompt
from row3.domain.scores import CaseScore
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.suites import Suite
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.meanings import recorded_vectors
from row3.workflows.pipeline.results import ANSWERS_DIGITS
from row3.workflows.pipeline.stages import Parameters, parameters_from
from row3.workflows.recorded.recorded_runs import RecordedRuns, Step


class Setting(NamedTuple):
    """Prompts with their text, model and parameters, in pipeline order: what asks the same question again."""

    prompts: tuple[tuple[str, str, str], ...]
    """Name, version and digest of each."""
    parameters: tuple[Parameters, ...]

    @property
    def title(self) -> str:
        """`decompose-concepts v1.0 → map-ontology v1.0 · reference-llm`."""
        models = ", ".join(dict.fromkeys(each.model for each in self.parameters))
        return f"{' → '.join(f'{name} {version}' for name, version, _ in self.prompts)} · {models}"


class HeaderView(Protocol):
    """Prompts and parameters of a run."""

    @property
    def prompts(self) -> Mapping[str, str]: ...
    @property
    def prompt_digests(self) -> Mapping[str, str]: ...
    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]: ...


def setting_of(header: HeaderView) -> Setting:
    """The setting of a run."""
    given = header.parameters
    return Setting(
        tuple((name, version, header.prompt_digests.get(name, "")) for name, version in header.prompts.items()),
        tuple(parameters_from(given.get(name, {})) for name in header.prompts),
    )


def setting_of_asking(asking: Asking) -> Setting:
    """The setting of a run to come."""
    return _setting((prompt, asking.parameters[prompt.ref.name]) for prompt in asking.lineup.prompts)


def setting_of_steps(steps: Iterable[Step]) -> Setting:
    """The setting of recorded answers."""
    return _setting((step.prompt, step.asking.parameters[step.prompt.ref.name]) for step in steps)


def _setting(stages: Iterable[tuple[Prompt, Parameters]]) -> Setting:
    stages = list(stages)
    return Setting(
        tuple((prompt.ref.name, str(prompt.ref.version), prompt.digest) for prompt, _ in stages),
        tuple(parameters for _, parameters in stages),
    )


class Replayed(NamedTuple):
    """One answer of a pipeline, scored by the case as it stands."""

    setting: Setting
    """Only of the prompts up to a bad answer, which ends the pipeline."""
    repeat: int
    said: str
    """Digest of the answers' texts, as a saved run keeps it."""
    score: CaseScore


class RecordedScores(RecordedRuns):
    """Replays as `RecordedRuns` does, to the end of the pipeline, bad answers included.

    What is matched by meaning is, as far as embeddings are recorded.
    """

    def __init__(
        self, project: Project, suite: Suite, named: Sequence[str] = (), vectors: Callable[[Ask], Vectors] | None = None
    ) -> None:
        super().__init__(project, suite, named)
        self._vectors = vectors or recorded_vectors(project, suite)

    def scores(self, stored: StoredCase) -> Iterator[Replayed]:
        """All complete answers of a case; raises `InvalidFile` for a broken recording or template."""
        kind, rules = self._suite.kind, self._suite.rules
        for repeat in self._repeats:
            for path in self._paths(stored, repeat):
                texts = [step.text for step in path.steps]
                if path.bad:
                    score = kind.bad_answer(stored.case, path.bad, texts[-1], rules)
                elif len(texts) == len(self._stages):
                    score = finish(kind.score(stored.case, kind.combine(path.outputs), rules), self._vectors)
                else:
                    continue
                said = hashlib.sha256("".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:ANSWERS_DIGITS]
                yield Replayed(setting_of_steps(path.steps), repeat, said, score)


DIGITS = 8
"""Of a prompt's digest, that tell one text of a version from another."""


def titles_of(settings: Sequence[Setting]) -> list[str]:
    """The title of each; where several have the same one, with the parameters and texts that they do not share."""
    alike = Counter(setting.title for setting in settings)
    return [
        " · ".join([setting.title, *(_differences(setting, settings) if alike[setting.title] > 1 else ())])
        for setting in settings
    ]


def _differences(setting: Setting, settings: Sequence[Setting]) -> Iterator[str]:
    """What is this setting's alone among those of its title: `map-ontology maxTokens 400`, `text 5f2a91c0`."""
    others = [other for other in settings if other.title == setting.title and other != setting]
    several = len(setting.prompts) > 1
    for i, (name, _, digest) in enumerate(setting.prompts):
        whose = f"{name} " if several else ""
        own = setting.parameters[i].as_json()
        for key, value in own.items():
            if any(other.parameters[i].as_json()[key] != value for other in others):
                yield f"{whose}{key} {spoken(value)}"
        if any(other.prompts[i][2] != digest for other in others):
            yield f"{whose}text {digest[:DIGITS] or 'unknown'}"
