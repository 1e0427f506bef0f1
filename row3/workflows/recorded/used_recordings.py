"""What today's requests can find among the recordings: asked again, every version over every case, stage by stage."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, get_args

from row3.domain.counts import marked
from row3.domain.requests import Request
from row3.domain.tiers import Tier
from row3.errors import InvalidFile, Row3Error
from row3.store.cases import StoredCase, read_cases
from row3.store.project import Project
from row3.store.recordings import Recording, RecordingIndex, other_field
from row3.store.snapshot import Snapshot
from row3.store.suites import Suite, make_suite
from row3.workflows.pipeline.lineup import Role, line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking
from row3.workflows.pipeline.stages import readable_versions, versions_of
from row3.workflows.recorded.recorded_runs import recorded_paths, recorded_settings, variants
from row3.workflows.snapshots import work_base

ACCOUNT = ("model", "temperature", "seed", "maxTokens", "repeat", "schemaDigest", "inputDigest", "promptDigest")


class UsedRecordings:
    """Which recordings the prompts that exist can ask for, with today's cases."""

    def __init__(self, project: Project, suite: Suite, index: RecordingIndex) -> None:
        self._project, self._suite, self._index = project, suite, index
        self._used, self._repeats = recorded_settings(index)
        recorded = {recording.prompt for recording in index.all()}
        names = [prompt.ref.name for prompt in line_up(project, suite, role="candidate").prompts]
        self._stages = [versions_of(project, suite, name, recorded) for name in names]
        others = (prompt for prompt in readable_versions(project, suite, recorded) if prompt.ref.name not in names)
        self._outside = [prompt for prompt in others if prompt.output in suite.kind.outputs]
        """Prompts of no pipeline today that are still there: what they can ask is kept."""
        self._asked: dict[tuple[Any, ...], Request] = {}
        self._by_digest: dict[str, Request] = {}

    def digests(self, *, any_model: bool) -> set[str]:
        """Digests of the recordings that any version of any prompt asks for.

        Args:
            any_model: also under every model and parameter found in the recordings, not today's only, about the cases
                by which the hook would judge, and what the baselines name.
        Raises `InvalidFile`.
        """
        used = self._used if any_model else {}
        stages = [variants(self._suite, prompts, used) for prompts in self._stages]
        outside = variants(self._suite, self._outside, used)
        reached: set[str] = set()

        def find(request: Request) -> str | None:
            self._asked[_account(request.fields())] = self._by_digest[request.digest] = request
            recording = self._index.first(request.digest)
            if recording is None:
                return None
            reached.add(request.digest)
            return recording.answer.text

        kind = self._suite.kind
        cases = read_cases(self._project.tree, self._suite.golden, kind)
        for stored in chain(cases, self._of_base()) if any_model else cases:
            for repeat in self._repeats:
                states = [kind.variables(stored.case)]
                states += [dict(path.variables) for path in recorded_paths(stages, stored, repeat, find)]
                for prompt, asking in outside:
                    for state in states:
                        with contextlib.suppress(InvalidFile):  # it needs what this pipeline does not give
                            find(asking.request(prompt, stored.id, state, repeat))
        return reached | self._of_baselines() if any_model else reached

    def _of_base(self) -> Iterator[StoredCase]:
        """The cases of the commit by which the hook would judge, as far as they were edited or removed since."""
        with contextlib.suppress(Row3Error):  # what the hook would say of it is said there
            base = work_base(self._project)
            if base is not None and base.has_cases(self._suite.name):
                there = make_suite(base.project.config, self._suite.name)
                yield from base.changed_cases(there, Snapshot(self._project)).values()

    def _of_baselines(self) -> set[str]:
        """Requests that the baselines were made of and that are recorded."""
        head = Snapshot(self._project)
        found = [head.manifest(self._suite.name, tier) for tier in get_args(Tier)]
        asked = (case.requests for manifest in found if manifest is not None for case in manifest.cases.values())
        return {digest for requests in asked for digest in requests if digest in self._index}

    def of_another(self, recording: Recording) -> str:
        """How a recording shows that it is of another request than its digest says; "" where nothing shows it.

        Prompt, input and parameters decide what is rendered: from what a line says of them its digest is known, as far
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


def _account(fields: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a line says of its request, as far as the digest follows from it."""
    return tuple(fields.get(key) for key in ACCOUNT)


def lineup_use(project: Project, suite: Suite, role: Role, index: RecordingIndex) -> tuple[set[str], list[Request]]:
    """Digests that a replay of the role's prompts uses, and the requests that it misses."""
    asking = make_asking(suite, line_up(project, suite, role=role), RunOptions())
    stages = [[(prompt, asking)] for prompt in asking.lineup.prompts]
    used: set[str] = set()
    missing: list[Request] = []

    def find(request: Request) -> str | None:
        recording = index.first(request.digest)
        if recording is None:
            missing.append(request)
            return None
        used.add(request.digest)
        return recording.answer.text

    for stored in read_cases(project.tree, suite.golden, suite.kind):
        for _ in recorded_paths(stages, stored, 0, find):
            pass
    return used, missing
