"""What the recordings say of a case: every answer that any version of the prompts gave, replayed stage by stage."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from row3.domain.prompts import Prompt, PromptRef
from row3.errors import InvalidFile, UsageError
from row3.kinds.base import Parsed
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.recordings import RecordingIndex
from row3.store.suites import Suite
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.lineup import Lineup, line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.stages import Overrides, Parameters, parameters_of, versions_of


@dataclass(slots=True)
class RecordedConcepts:
    """One recorded answer with concepts, whatever the later stages made of it."""

    output: Any
    """As the kind combines a run's outputs."""
    versions: dict[str, list[str]] = field(default_factory=dict)
    """By prompt name: the versions that the answer is one of. A copy of a prompt shares its answers."""


@dataclass(slots=True)
class Recorded:
    """All recorded answers of one case."""

    concepts: list[RecordedConcepts]
    ends: set[str]
    """Ends of the relationships, as they were written."""


class _Given(NamedTuple):
    """The recording that gave a run's concepts."""

    digest: str
    ref: PromptRef
    output: Any


class _State(NamedTuple):
    variables: Mapping[str, Any]
    given: _Given | None


class RecordedRuns:
    """Replays every version of every prompt of a suite, under every model and parameter that is recorded."""

    def __init__(self, project: Project, suite: Suite, named: Sequence[str] = ()) -> None:
        """Open the recordings.

        Args:
            named: references of prompts of which no other version counts.
        Raises `InvalidFile`, `UsageError`.
        """
        self._suite = suite
        self._index: RecordingIndex = open_recordings(project, suite)
        lineup = line_up(project, suite, role="candidate", named=named)
        pinned = {prompt.ref.name for prompt in _named(lineup, named)}
        used, self._repeats = self._seen()
        schemas: dict[str, Any] = {}
        self._stages: list[list[tuple[Prompt, Asking]]] = []
        for candidate in lineup.prompts:
            name = candidate.ref.name
            prompts = [candidate] if name in pinned else self._versions(project, name)
            self._stages.append(
                [
                    (prompt, Asking(suite, Lineup((prompt,), {}, {}), {name: parameters}, schemas=schemas))
                    for prompt in prompts
                    for parameters in _parameters(prompt, suite, used.get(name, set()))
                ]
            )
        giving = [i for i, stage in enumerate(self._stages) if any(self._gives_concepts(prompt) for prompt, _ in stage)]
        self._last_giving = max(giving, default=-1)

    def _seen(self) -> tuple[dict[str, set[Parameters]], list[int]]:
        """By prompt name, the parameters that were recorded; and the repeats."""
        used: dict[str, set[Parameters]] = {}
        repeats = {0}
        for recording in self._index.all():
            asked = recording.request
            found = Parameters(
                asked.get("model", ""), asked.get("temperature"), asked.get("seed"), asked.get("maxTokens")
            )
            with contextlib.suppress(TypeError):  # edited to a list or an object: no parameter of any request
                used.setdefault(recording.prompt.rpartition("-v")[0], set()).add(found)
            repeats.add(recording.repeat)
        return used, sorted(repeats)

    def of(self, stored: StoredCase) -> Recorded:
        """All recorded answers of a case; raises `InvalidFile` for a broken recording or template."""
        found: dict[str, RecordedConcepts] = {}
        ends: set[str] = set()
        for repeat in self._repeats:
            for given in self._walk(stored, repeat, ends):
                answer = found.setdefault(given.digest, RecordedConcepts(given.output))
                versions = answer.versions.setdefault(given.ref.name, [])
                if str(given.ref.version) not in versions:
                    versions.append(str(given.ref.version))
        return Recorded(list(found.values()), ends)

    def _walk(self, stored: StoredCase, repeat: int, ends: set[str]) -> Iterator[_Given]:
        """What each path through the versions gave as concepts; gathers the ends of the relationships on its way."""
        states = [_State(self._suite.kind.variables(stored.case), None)]
        for number, stage in enumerate(self._stages):
            states = [after for state in states for after in self._answers(state, stage, stored, repeat, ends)]
            if number == self._last_giving:
                yield from (state.given for state in states if state.given is not None)

    def _answers(
        self, state: _State, stage: Sequence[tuple[Prompt, Asking]], stored: StoredCase, repeat: int, ends: set[str]
    ) -> Iterator[_State]:
        kind = self._suite.kind
        for prompt, asking in stage:
            try:
                request = asking.request(prompt, stored.id, state.variables, repeat)
            except InvalidFile:
                if stage is self._stages[0]:
                    raise
                continue  # it needs what this version of an earlier prompt does not give
            answer = self._index.answer(request)
            if answer is None:
                continue
            parsed = kind.parse(prompt.output, answer.text)
            if not isinstance(parsed, Parsed):
                continue
            for link in getattr(parsed.value, "relationships", ()):
                ends.update((link.source, link.target))
            given = state.given
            if self._gives_concepts(prompt):
                given = _Given(request.digest, prompt.ref, kind.combine({prompt.output: parsed.value}))
            yield _State({**state.variables, **kind.context(prompt.output, parsed.value)}, given)

    def _versions(self, project: Project, name: str) -> list[Prompt]:
        return versions_of(project, self._suite, name, (recording.prompt for recording in self._index.all()))

    def _gives_concepts(self, prompt: Prompt) -> bool:
        return "concepts" in self._suite.kind.outputs[prompt.output].model_fields


def _named(lineup: Lineup, named: Sequence[str]) -> list[Prompt]:
    """Of the prompts of a lineup, those that were named."""
    wanted = {text.removeprefix("prompts/").removesuffix(".md") for text in named}
    return [prompt for prompt in lineup.prompts if str(prompt.ref) in wanted]


def _parameters(prompt: Prompt, suite: Suite, used: set[Parameters]) -> list[Parameters]:
    found = set(used)
    with contextlib.suppress(UsageError):  # no model is named today; what is recorded still has one
        found.add(parameters_of(prompt, suite.provider, Overrides()))
    return sorted(found, key=repr)
