"""Whether a recording is of the request that its digest names, as far as prompts and cases of today can tell.

A line names its prompt and its case. These may be others than those of the request that finds it, as long as they ask
the same: a copy of a prompt, a version that differs in its description, a case under another name.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from row3.domain.prompts import Prompt, PromptRef, parse_reference
from row3.domain.requests import Request, digest_json
from row3.errors import InvalidFile
from row3.store import prompts as prompt_store
from row3.store.cases import case_files, read_case
from row3.store.project import Project
from row3.store.recordings import Recording, RecordingIndex, open_index
from row3.store.suites import Suite
from row3.workflows.pipeline.systems import stage_prompt, stage_text
from row3.workflows.pipeline.templates import render


def open_recordings(project: Project, suite: Suite, journals: Iterable[Path] = ()) -> RecordingIndex:
    """The recordings of a suite, to be replayed: one that was taken over from another prompt or case is refused.

    Raises as `open_index`.
    """
    index = open_index(project.tree, suite.name, journals)
    index.asks_otherwise = OwnRequests(project, suite).ask_otherwise
    return index


class OwnRequests:
    """What recordings asked by their own account: the prompts and cases that they name, rendered again."""

    def __init__(self, project: Project, suite: Suite) -> None:
        self._project, self._suite = project, suite
        self._prompts: dict[str, Prompt] | None = None
        self._inputs: dict[str, Mapping[str, Any]] | None = None

    def ask_otherwise(self, recording: Recording, request: Request) -> bool:
        """Whether prompt and case that the recording names ask something else than the request.

        False where this cannot be told: a prompt or an input that is no longer here as it was recorded.
        """
        prompt = self._prompt(recording, request)
        variables = self._variables(recording, request)
        if prompt is None or variables is None:
            return False
        try:
            asked = render(prompt, variables) if prompt.stage is None else ("", stage_text(prompt, variables))
        except InvalidFile:  # it needs what this input does not give, so this was never asked
            return True
        return asked != (request.system, request.user)

    def _prompt(self, recording: Recording, request: Request) -> Prompt | None:
        """The prompt whose digest the recording keeps; None where it is gone or was edited."""
        digest = str(recording.request.get("promptDigest", request.prompt_digest))
        if self._suite.system is None:
            return self._versions().get(digest)
        for name in (request.prompt, recording.prompt):
            ref = parse_reference(name)
            stage = None if ref is None else stage_prompt(self._project, self._suite, ref.version)
            if stage is not None and stage.digest == digest:
                return stage
        return None

    def _versions(self) -> dict[str, Prompt]:
        """All versions of all prompts by their digests: a line may name another than the one it was made of."""
        if self._prompts is None:
            self._prompts = {}
            for name, versions in prompt_store.versions(self._project.tree).items():
                for version in versions:
                    with contextlib.suppress(InvalidFile):  # one that nobody asks for may be broken
                        prompt = prompt_store.read_prompt(self._project.tree, PromptRef(name, version))
                        self._prompts[prompt.digest] = prompt
        return self._prompts

    def _variables(self, recording: Recording, request: Request) -> Mapping[str, Any] | None:
        """What the recording's template was given; None where that is an input that is not here."""
        digest = recording.request.get("inputDigest", request.input_digest)
        if digest == request.input_digest:
            return request.variables
        return self._cases_inputs().get(str(digest))

    def _cases_inputs(self) -> dict[str, Mapping[str, Any]]:
        """The inputs of all cases, by their digests."""
        if self._inputs is None:
            kind = self._suite.kind
            stored = (
                read_case(self._project.tree, path, kind) for path in case_files(self._project.tree, self._suite.golden)
            )
            inputs = (kind.variables(each.case) for each in stored)
            self._inputs = {digest_json(each): each for each in inputs}
        return self._inputs
