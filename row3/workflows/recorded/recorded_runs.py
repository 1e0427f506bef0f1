"""What the recordings say of a case: every answer that any version of the prompts gave, replayed stage by stage."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from row3.domain.prompts import Lineup, Prompt
from row3.domain.requests import Request
from row3.errors import InvalidFile, UsageError
from row3.kinds.answers import Parsed
from row3.kinds.base import Kind
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.recordings import RecordingIndex
from row3.store.suites import Suite
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.stages import Overrides, Parameters, parameters_from, parameters_of, versions_of

Variant = tuple[Prompt, Asking]
"""A version of a stage, with one set of parameters that it is asked with."""


class Step(NamedTuple):
    """A stage that is answered."""

    prompt: Prompt
    asking: Asking
    request: Request
    text: str
    value: Any
    """As the kind parsed it; None where it cannot be used."""


class Path(NamedTuple):
    """A way through the pipeline, as far as it is recorded."""

    variables: Mapping[str, Any]
    outputs: Mapping[str, Any]
    steps: tuple[Step, ...] = ()
    bad: str = ""
    """Why the last answer cannot be used."""

    def after(self, kind: Kind, prompt: Prompt, asking: Asking, request: Request, text: str) -> Path:
        """The path with one more answer."""
        parsed = kind.parse(prompt.output, text)
        if not isinstance(parsed, Parsed):
            steps = (*self.steps, Step(prompt, asking, request, text, None))
            return self._replace(steps=steps, bad=f"{prompt.ref}: {parsed.reason}")
        return Path(
            {**self.variables, **kind.context(prompt.output, parsed.value)},
            {**self.outputs, prompt.output: parsed.value},
            (*self.steps, Step(prompt, asking, request, text, parsed.value)),
        )


def recorded_paths(
    stages: Sequence[Sequence[Variant]],
    stored: StoredCase,
    repeat: int,
    find: Callable[[Request], str | None],
) -> Iterator[Path]:
    """Every way of a case through the stages, each again after every answer; `find` gives the text of an answer.

    Raises `InvalidFile` for a template of the first stage that fails, and what `find` raises.
    """
    kind = stages[0][0][1].suite.kind if stages and stages[0] else None
    if kind is None:
        return
    paths = [Path(kind.variables(stored.case), {})]
    for number, stage in enumerate(stages):
        longer: list[Path] = []
        for path in paths:
            for prompt, asking in stage:
                try:
                    request = asking.request(prompt, stored.id, path.variables, repeat)
                except InvalidFile:
                    if number == 0:
                        raise
                    continue  # it needs what this version of an earlier prompt does not give
                text = find(request)
                if text is not None:
                    after = path.after(kind, prompt, asking, request, text)
                    yield after
                    longer += [after] if not after.bad else []
        paths = longer


def recorded_settings(index: RecordingIndex) -> tuple[dict[str, set[Parameters]], list[int]]:
    """Recorded parameters by prompt name, and the recorded repeats."""
    used: dict[str, set[Parameters]] = {}
    repeats = {0}
    for recording in index.all():
        with contextlib.suppress(TypeError):  # edited to a list or an object: no parameter of any request
            name = recording.prompt.rpartition("-v")[0]
            used.setdefault(name, set()).add(parameters_from(recording.request))
        repeats.add(recording.repeat)
    return used, sorted(repeats)


def variants(suite: Suite, prompts: Iterable[Prompt], used: Mapping[str, Iterable[Parameters]]) -> list[Variant]:
    """The versions of a stage under the given parameters by prompt name, and under today's."""
    found: list[Variant] = []
    schemas: dict[str, Any] = {}
    for prompt in prompts:
        name = prompt.ref.name
        parameters = set(used.get(name, ()))
        with contextlib.suppress(UsageError):  # no model is named today; what is recorded still has one
            parameters.add(parameters_of(prompt, suite.provider, Overrides()))
        lineup = Lineup((prompt,), {})
        found += [
            (prompt, Asking(suite, lineup, {name: each}, schemas=schemas)) for each in sorted(parameters, key=repr)
        ]
    return found


@dataclass(slots=True)
class RecordedConcepts:
    """One recorded answer with concepts, whatever the later stages made of it."""

    output: Any
    """As the kind combines a run's outputs."""
    versions: dict[str, list[str]] = field(default_factory=dict)
    """By prompt name: the versions that gave the answer. A copy of a prompt shares its answers."""


@dataclass(slots=True)
class Recorded:
    """All recorded answers of one case."""

    concepts: list[RecordedConcepts]
    ends: set[str]
    """Ends of the relationships, as they were written."""


class RecordedRuns:
    """Replays every version of every prompt of a suite, under every model and parameter that is recorded."""

    def __init__(self, project: Project, suite: Suite, named: Sequence[str] = ()) -> None:
        """Open the recordings.

        Args:
            named: references of prompts of which no other version counts.
        Raises `InvalidFile`, `UsageError`.
        """
        self._suite = suite
        self._index = open_recordings(project, suite)
        used, self._repeats = recorded_settings(self._index)
        wanted = {text.removeprefix("prompts/").removesuffix(".md") for text in named}
        self._stages: list[list[Variant]] = []
        for candidate in line_up(project, suite, role="candidate", named=named).prompts:
            recorded = (recording.prompt for recording in self._index.all())
            pinned = str(candidate.ref) in wanted
            prompts = [candidate] if pinned else versions_of(project, suite, candidate.ref.name, recorded)
            self._stages.append(variants(suite, prompts, used))
        giving = [i for i, stage in enumerate(self._stages) if any(self._gives_concepts(prompt) for prompt, _ in stage)]
        self._last_giving = max(giving, default=-1)

    def of(self, stored: StoredCase) -> Recorded:
        """All recorded answers of a case; raises `InvalidFile` for a broken recording or template."""
        kind = self._suite.kind
        found: dict[str, RecordedConcepts] = {}
        ends: set[str] = set()
        for path in (path for repeat in self._repeats for path in self._paths(stored, repeat)):
            if path.bad:
                continue
            for link in getattr(path.steps[-1].value, "relationships", ()):
                ends.update((link.source, link.target))
            giving = [step for step in path.steps if self._gives_concepts(step.prompt)]
            if len(path.steps) != self._last_giving + 1 or not giving:
                continue
            prompt, request = giving[-1].prompt, giving[-1].request
            answer = found.get(request.digest)
            if answer is None:
                output = kind.combine({prompt.output: giving[-1].value})
                answer = found[request.digest] = RecordedConcepts(output)
            versions = answer.versions.setdefault(prompt.ref.name, [])
            if str(prompt.ref.version) not in versions:
                versions.append(str(prompt.ref.version))
        return Recorded(list(found.values()), ends)

    def _paths(self, stored: StoredCase, repeat: int) -> Iterator[Path]:
        return recorded_paths(self._stages, stored, repeat, self._text)

    def _text(self, request: Request) -> str | None:
        answer = self._index.answer(request)
        return None if answer is None else answer.text

    def _gives_concepts(self, prompt: Prompt) -> bool:
        return "concepts" in self._suite.kind.outputs[prompt.output].__struct_fields__
