"""Every complete recorded answer of a case with its score: each version of each prompt, each repeat."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from row3.domain.prompts import Prompt
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile
from row3.kinds.base import Parsed
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.run_records import RunHeader
from row3.store.suites import Suite
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.meanings import with_recorded
from row3.workflows.pipeline.results import ANSWERS_DIGITS
from row3.workflows.pipeline.stages import Parameters
from row3.workflows.recorded.recorded_runs import RecordedRuns


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


def setting_of(header: RunHeader) -> Setting:
    """The setting of a saved run."""
    given = header.parameters
    return Setting(
        tuple((name, version, header.prompt_digests.get(name, "")) for name, version in header.prompts.items()),
        tuple(
            Parameters(p.get("model", ""), p.get("temperature"), p.get("seed"), p.get("maxTokens"))
            for p in (given.get(name, {}) for name in header.prompts)
        ),
    )


def setting_of_asking(asking: Asking) -> Setting:
    """The setting of a run to come."""
    prompts = asking.lineup.prompts
    return Setting(
        tuple((prompt.ref.name, str(prompt.ref.version), prompt.digest) for prompt in prompts),
        tuple(asking.parameters[prompt.ref.name] for prompt in prompts),
    )


class Replayed(NamedTuple):
    """One answer of a pipeline, scored by the case as it stands."""

    setting: Setting
    """Only of the prompts up to a bad answer, which ends the pipeline."""
    repeat: int
    said: str
    """Digest of the answers' texts, as a saved run keeps it."""
    score: CaseScore


class _Path(NamedTuple):
    """A part of the pipeline that was answered."""

    variables: Mapping[str, Any]
    outputs: Mapping[str, Any]
    setting: Setting
    texts: tuple[str, ...] = ()
    bad: str = ""
    """Why the last answer cannot be used."""


class RecordedScores(RecordedRuns):
    """Replays as `RecordedRuns` does, to the end of the pipeline, bad answers included.

    What is matched by meaning is, as far as embeddings are recorded.
    """

    def __init__(self, project: Project, suite: Suite, named: Sequence[str] = ()) -> None:
        super().__init__(project, suite if suite.rules.similarity else with_recorded(suite, project), named)

    def scores(self, stored: StoredCase) -> Iterator[Replayed]:
        """All complete answers of a case; raises `InvalidFile` for a broken recording or template."""
        kind, rules = self._suite.kind, self._suite.rules
        for repeat in self._repeats:
            for path in self._paths(stored, repeat):
                if path.bad:
                    score = kind.bad_answer(stored.case, path.bad, path.texts[-1], rules)
                else:
                    score = kind.score(stored.case, kind.combine(path.outputs), rules)
                texts = "".join(path.texts).encode("utf-8", "surrogatepass")
                yield Replayed(path.setting, repeat, hashlib.sha256(texts).hexdigest()[:ANSWERS_DIGITS], score)

    def _paths(self, stored: StoredCase, repeat: int) -> Iterator[_Path]:
        paths = [_Path(self._suite.kind.variables(stored.case), {}, Setting((), ()))]
        for number, stage in enumerate(self._stages):
            longer = [
                after
                for path in paths
                for prompt, asking in stage
                if (after := self._after(path, prompt, asking, stored, repeat, first=number == 0)) is not None
            ]
            yield from (path for path in longer if path.bad)
            paths = [path for path in longer if not path.bad]
        yield from paths

    def _after(
        self, path: _Path, prompt: Prompt, asking: Asking, stored: StoredCase, repeat: int, *, first: bool
    ) -> _Path | None:
        """The path with the answer of one more prompt; None where there is none."""
        try:
            request = asking.request(prompt, stored.id, path.variables, repeat)
        except InvalidFile:
            if first:
                raise
            return None  # it needs what this version of an earlier prompt does not give
        answer = self._index.answer(request)
        if answer is None:
            return None
        text = answer.text
        parsed = self._suite.kind.parse(prompt.output, text)
        one = setting_of_asking(asking)
        setting = Setting(path.setting.prompts + one.prompts, path.setting.parameters + one.parameters)
        if not isinstance(parsed, Parsed):
            return _Path(path.variables, path.outputs, setting, (*path.texts, text), f"{prompt.ref}: {parsed.reason}")
        return _Path(
            {**path.variables, **self._suite.kind.context(prompt.output, parsed.value)},
            {**path.outputs, prompt.output: parsed.value},
            setting,
            (*path.texts, text),
        )
