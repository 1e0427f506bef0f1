"""What today's requests can find among the recordings: asked again, every version over every case, stage by stage."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from row3.domain.prompts import Prompt
from row3.domain.requests import Request, digest_text
from row3.domain.spoken import marked
from row3.errors import InvalidFile, UsageError
from row3.kinds.base import Parsed, Unusable
from row3.store.cases import StoredCase, read_cases
from row3.store.project import Project
from row3.store.recordings import Recording, RecordingIndex, other_field
from row3.store.suites import Suite
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.lineup import Lineup, Role, line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking
from row3.workflows.pipeline.stages import Overrides, Parameters, parameters_of, readable_versions, versions_of

ACCOUNT = ("model", "temperature", "seed", "maxTokens", "repeat", "schemaDigest", "inputDigest", "promptDigest")


class Reach:
    """Which recordings the prompts that exist can ask for, with today's cases."""

    def __init__(self, project: Project, suite: Suite, index: RecordingIndex) -> None:
        self._project, self._suite, self._index = project, suite, index
        self._used: dict[str, set[Parameters]] = {}
        self._stages: list[list[Prompt]]
        self._outside: list[Prompt]
        self._repeats = {0}
        self._asked: dict[tuple[Any, ...], Request] = {}
        self._by_digest: dict[str, Request] = {}
        for recording in index.all():
            asked = recording.request
            model, temperature = asked.get("model", ""), asked.get("temperature")
            used = Parameters(model, temperature, asked.get("seed"), asked.get("maxTokens"))
            with contextlib.suppress(TypeError):  # edited to a list or an object: no parameter of any request
                self._used.setdefault(recording.prompt, set()).add(used)
            self._repeats.add(recording.repeat)
        self._stages = [self._versions(name) for name in _pipeline(project, suite)]
        inside = {prompt.ref.name for stage in self._stages for prompt in stage}
        others = (prompt for prompt in readable_versions(project, suite, self._used) if prompt.ref.name not in inside)
        self._outside = [prompt for prompt in others if prompt.output in suite.kind.outputs]

    def _versions(self, name: str) -> list[Prompt]:
        return versions_of(self._project, self._suite, name, self._used)

    def _parameters(self, prompt: Prompt, *, any_model: bool) -> list[Parameters]:
        found = set(self._used.get(str(prompt.ref), ())) if any_model else set()
        with contextlib.suppress(UsageError):  # no model is named today; what is recorded still has one
            found.add(parameters_of(prompt, self._suite.provider, Overrides()))
        return sorted(found, key=repr)

    def digests(self, *, any_model: bool) -> set[str]:
        """Digests of the recordings that any version of any prompt asks for.

        Args:
            any_model: also under every model and parameter found in the recordings, not today's only.
        Raises `InvalidFile`.
        """
        reached: set[str] = set()
        for stored in read_cases(self._project.tree, self._suite.golden, self._suite.kind):
            for repeat in self._repeats:
                self._case(stored, repeat, reached, any_model=any_model)
        return reached

    def of_another(self, recording: Recording) -> str:
        """How a recording shows that it is of another request than its digest says; "" where nothing shows it.

        Prompt, input and parameters decide what is rendered: by what a line says of them its digest is known, as far
        as `digests` has met them.
        """
        there = self._by_digest.get(recording.digest)
        other = None if there is None else other_field(recording, there)
        if other is not None:
            return f"its `{other[0]}` is {marked(other[1])}, that of its digest is {marked(other[2])}"
        try:
            own = self._asked.get(_account({**recording.request, "repeat": recording.repeat}))
        except TypeError:  # edited to a list or an object
            return "a field of its request has the wrong type"
        if own is not None and own.digest != recording.digest:
            return f"{own.prompt} asks something else about `{own.case_id}` with its parameters"
        return ""

    def _case(self, stored: StoredCase, repeat: int, reached: set[str], *, any_model: bool) -> None:
        states: list[dict[str, Any]] = [self._suite.kind.variables(stored.case)]
        everything = list(states)
        for stage in self._stages:
            following: dict[str, dict[str, Any]] = {}
            for state in states:
                for prompt in stage:
                    for request in self._requests(prompt, stored, state, repeat, any_model=any_model):
                        recording = self._index.first(request.digest)
                        if recording is None:
                            continue
                        reached.add(request.digest)
                        parsed = self._suite.kind.parse(prompt.output, recording.answer.text)
                        if isinstance(parsed, Parsed):
                            context = self._suite.kind.context(prompt.output, parsed.value)
                            following[f"{request.input_digest} {digest_text(repr(context))}"] = {**state, **context}
            states = list(following.values())
            everything += states
        for prompt in self._outside:  # of no pipeline today, but still there: keep what it can ask
            for state in everything:
                try:
                    asked = list(self._requests(prompt, stored, state, repeat, any_model=any_model))
                except InvalidFile:  # it needs what this pipeline does not give
                    continue
                reached.update(request.digest for request in asked if request.digest in self._index)

    def _requests(
        self, prompt: Prompt, stored: StoredCase, state: dict[str, Any], repeat: int, *, any_model: bool
    ) -> Iterator[Request]:
        for parameters in self._parameters(prompt, any_model=any_model):
            asking = Asking(self._suite, Lineup((prompt,), {}, {}), {prompt.ref.name: parameters})
            request = asking.request(prompt, stored.id, state, repeat)
            self._asked[_account(request.fields())] = self._by_digest[request.digest] = request
            yield request


def _account(fields: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a line says of its request, as far as the digest follows from it."""
    return tuple(fields.get(key) for key in ACCOUNT)


def _pipeline(project: Project, suite: Suite) -> list[str]:
    return [prompt.ref.name for prompt in line_up(project, suite, role="candidate").prompts]


def lineup_use(project: Project, suite: Suite, role: Role, index: RecordingIndex) -> tuple[set[str], list[Request]]:
    """Digests that a replay of the role's prompts uses, and the requests that it misses."""
    asking = make_asking(suite, line_up(project, suite, role=role), RunOptions())
    used: set[str] = set()
    missing: list[Request] = []
    for stored in read_cases(project.tree, suite.golden, suite.kind):
        variables = suite.kind.variables(stored.case)
        for prompt in asking.lineup.prompts:
            request = asking.request(prompt, stored.id, variables, 0)
            recording = index.first(request.digest)
            if recording is None:
                missing.append(request)
                break
            used.add(request.digest)
            parsed = suite.kind.parse(prompt.output, recording.answer.text)
            if isinstance(parsed, Unusable):
                break
            variables = {**variables, **suite.kind.context(prompt.output, parsed.value)}
    return used, missing
