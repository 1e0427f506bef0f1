"""The baseline's old answers scored again, by today's scorer and the cases as they stand today."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from row3.errors import InvalidFile, Row3Error
from row3.store.cases import StoredCase, content_digest, read_case
from row3.store.golden import golden_files
from row3.store.project import Project
from row3.store.recordings import RecordingIndex
from row3.store.run_records import CaseRecord, RunHeader, parse_record
from row3.store.suites import Suite
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import Replay, open_recordings
from row3.workflows.pipeline.results import CaseResult, Packing
from row3.workflows.pipeline.stages import Parameters

Recorded = Callable[[], RecordingIndex]
"""Opens the recordings, when something has to be scored again."""


class Rescorer:
    """Scores the baseline's old answers again, by today's scorer and a case as it stands today."""

    def __init__(self, project: Project, suite: Suite, header: RunHeader, recorded: Recorded | None = None) -> None:
        """`recorded` are the recordings that hold the old answers, where they are not the project's own."""
        self._project, self._suite, self._header = project, suite, header
        self._recorded = recorded or (lambda: open_recordings(project, suite))
        self._replay: Replay | None = None
        self.problem = ""

    def __call__(self, before: CaseRecord, result_path: Callable[[], Any]) -> CaseRecord | None:
        """The record of the baseline's answer to a stored case; None where it cannot be had.

        What is recorded today under the same request may be another answer; then it is not the baseline's.
        """
        replay = self._prepared()
        if replay is None:
            return None
        result: CaseResult = replay(result_path())
        record = parse_record(result.line, where=before.id)
        other = before.said and record.said != before.said
        return None if result.status == "failed" or other else record

    def _prepared(self) -> Replay | None:
        if self._replay is None and not self.problem:
            try:
                self._replay = self._prepare()
            except Row3Error as error:
                self.problem = str(error)
        return self._replay

    def _prepare(self) -> Replay:
        header = self._header
        lineup = line_up(self._project, self._suite, role="promoted", pinned=header.prompts)
        if lineup.digests() != header.prompt_digests:
            raise InvalidFile(
                "the baseline's prompts are not as they were", where="prompts/", fix="Restore them from git"
            )
        parameters = {
            name: Parameters(p["model"], p.get("temperature"), p.get("seed"), p.get("maxTokens"))
            for name, p in header.parameters.items()
        }
        asking = Asking(self._suite, lineup, parameters, header.repeats)
        return Replay(asking, self._recorded(), Packing(self._suite))


def made_of(record: CaseRecord, stored: StoredCase) -> bool:
    """Whether a record is of this very case, as far as its score goes: of another one its figures say nothing."""
    return record.digest == stored.digest or (record.content != "" and record.content == content_digest(stored.case))


class StoredCases:
    """Finds a case's file by its id, for the few that a comparison has to look at again."""

    def __init__(self, project: Project, suite: Suite) -> None:
        self._project, self._suite = project, suite
        self._paths: dict[str, Any] = {}

    def __call__(self, case_id: str) -> Any:
        """The stored case; raises `InvalidFile`, and `KeyError` where there is none."""
        folder = self._project.golden(self._suite.name)
        likely = f"{folder}/{case_id}.gold.json"
        tree = self._project.tree
        if tree.exists(likely):
            stored = read_case(tree, likely, self._suite.kind)
            if stored.id == case_id:
                return stored
        if not self._paths:
            for path in golden_files(tree, folder):
                self._paths[read_case(tree, path, self._suite.kind).id] = path
        return read_case(tree, self._paths[case_id], self._suite.kind)
