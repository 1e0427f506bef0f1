"""The base's side of a comparison: the promoted versions of a commit, or the answers of a baseline's manifest."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from row3.comparing.baseline import read_baseline, with_live_answers
from row3.comparing.comparison import REPLACED
from row3.domain.asks import EmbeddingRequest
from row3.domain.judges import NOT_RECORDED
from row3.domain.prompts import Lineup, Prompt, PromptRef, parse_version
from row3.domain.requests import JUDGE, RECORDED_ONLY, NoAnswer, Request, digest_text, input_digest
from row3.domain.runs import BaseHeader, Manifest
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile
from row3.project.cases import StoredCase
from row3.project.project import Project
from row3.project.recordings import RecordingIndex
from row3.project.saved_runs import ScoreCache
from row3.project.suites import Suite
from row3.running.asks import Given, Question
from row3.running.evaluate import Answerer, Asking, More, replay_case
from row3.running.lineup import arm_steps, line_up
from row3.running.meanings import recorded
from row3.running.replay import Recorded, open_recordings
from row3.running.run_options import RunOptions, make_asking
from row3.running.stages import parameters_from

NOT_ASKED = "the baseline's request for this case was different"


@dataclass(frozen=True, slots=True)
class BaseSide:
    """The base's answers, which can be scored by any criteria."""

    header: BaseHeader
    asking: Asking
    answerer: Answerer
    manifest: Manifest | None = None
    """The baseline's manifest, which limits the side to its own cases; None for a commit."""
    shared: bool = False
    """Whether the candidate's requests and their answers are the base's, so that its scores are the base's too."""
    project: Project | None = None
    """Where the baseline's prompts are read from; None for a commit, whose lineup has their texts."""

    def score(self, stored: StoredCase, candidate: CaseScore | None = None) -> CaseScore | None:
        """Return the score of the base's answer, `failed` if it is missing; None for a case the base does not have."""
        if self.shared and candidate is not None and candidate.status != "failed":
            return candidate
        if self.manifest is not None and stored.id not in self.manifest.cases:
            return None
        return replay_case(self.asking, stored, self.answerer)

    @property
    def fixed(self) -> bool:
        """Whether nobody can ask it again: answers made by hand, and those of a system as it was."""
        return RECORDED_ONLY in self.asking.models or self.asking.suite.system is not None

    def with_more(self, more: More) -> BaseSide:
        """Return the side with further answers, if it can have any. Raises `InvalidFile` if its prompts were edited."""
        if self.fixed:
            return self
        lineup, manifest = self.asking.lineup, self.manifest
        if self.project is not None and manifest is not None:
            lineup = baseline_lineup(self.project, self.asking.suite, manifest)
        asking = replace(self.asking, lineup=lineup, more=more)
        return replace(self, asking=asking, header=replace(self.header, repeats=asking.most_repeats))

    def judged_by(self, suite: Suite, scores: ScoreCache | None) -> BaseSide:
        """Return the same answers under the rules of another suite, with its cached scores."""
        return replace(self, asking=replace(self.asking, suite=suite, scores=scores))


def promoted_lineup(project: Project, suite: Suite, manifest: Manifest | None) -> Lineup:
    """Return the promoted versions, else the manifest's, else the highest. Raises as `line_up`."""
    pinned: dict[str, str] = {}
    if manifest is not None and suite.system is None:
        promoted, available = project.promoted, project.versions
        pinned = {
            name: version
            for name, version in manifest.versions.items()
            if name not in promoted and version in map(str, available.get(name, ()))
        }
    return line_up(project, suite, role="promoted", pinned=pinned)


def baseline_lineup(project: Project, suite: Suite, baseline: Manifest) -> Lineup:
    """Return the baseline's prompts. Raises `InvalidFile` if one is gone or was edited."""
    lineup = line_up(project, suite, role="promoted", pinned=baseline.versions)
    if lineup.digests() != (known := baseline.prompt_digests):
        edited = [each for each in lineup.prompts if each.digest != known.get(each.ref.name)]
        files = [f"{each.path} or {each.schema.path}" if each.schema else each.path for each in edited] or ["prompts/"]
        what = "the baseline's prompts were edited after it was saved, so row3 cannot compare with it"
        fix = f"Restore them from git, or save a new baseline with `row3 --baseline{suite.flags('row3 --baseline')}`"
        raise InvalidFile(what, where=", ".join(files), fix=fix)
    return lineup


def side_of_baseline(project: Project, suite: Suite, manifest: Manifest, index: RecordingIndex) -> BaseSide:
    """Return the side of a baseline, which answers cases whose requests are unchanged.

    A version 1 manifest lists no requests, so its prompts render them. Raises `InvalidFile` if a prompt was edited.
    """
    index = with_live_answers(project, suite, manifest, index)
    if manifest.version > 1:
        stages = tuple(_stage(name, manifest, suite.kind.outputs) for name in manifest.prompts)
        lineup = Lineup(stages, {}, arms=arm_steps(suite, manifest.prompts))
        asking: Asking = _ManifestAsking(suite, lineup, _parameters(manifest), manifest.repeats, manifest=manifest)
        return BaseSide(_header(asking, manifest), asking, _ManifestAnswers(index, manifest), manifest, project=project)
    lineup = baseline_lineup(project, suite, manifest)
    asking = Asking(suite, lineup, _parameters(manifest), manifest.repeats)
    return BaseSide(_header(asking, manifest), asking, Recorded(index, lineup), manifest)


def side_of_lineup(suite: Suite, lineup: Lineup, index: RecordingIndex, manifest: Manifest | None = None) -> BaseSide:
    """Return the recorded answers of a lineup under the suite's settings, with the manifest's repeats or one."""
    asking = make_asking(suite, lineup, RunOptions(repeats=1 if manifest is None else manifest.repeats))
    return BaseSide(_header(asking, manifest), asking, Recorded(index, lineup))


def baseline_side(project: Project, suite: Suite) -> BaseSide:
    """Return the side of the project's own baseline. Raises `InvalidFile` without one."""
    return side_of_baseline(project, suite, read_baseline(project, suite), open_recordings(project, suite))


def prompt_diffs(place: Project, header: BaseHeader, lineup: Lineup) -> dict[str, str]:
    """Return the unified diff of each prompt whose text differs from the base's, if the base's file still exists."""
    found = {}
    for prompt in lineup.prompts:
        name = prompt.ref.name
        version, digest = parse_version(header.prompts.get(name, "")), header.prompt_digests.get(name)
        if version is None or digest == prompt.digest:
            continue
        with suppress(InvalidFile):
            old = place.prompt(PromptRef(name, version))
            if old.digest == digest:
                found[name] = text_diff(old.text, prompt.text, str(old.ref), str(prompt.ref))
    return found


def text_diff(before: str, after: str, old: str, new: str) -> str:
    """Return the unified diff of two prompt texts."""
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm="", n=2))


def _header(asking: Asking, manifest: Manifest | None) -> BaseHeader:
    models = list(dict.fromkeys(each.model for each in asking.parameters.values()))
    return BaseHeader(
        prompts=asking.lineup.versions(),
        prompt_digests=asking.lineup.digests(),
        model=", ".join(models),
        parameters={name: each.as_json() for name, each in asking.parameters.items()},
        repeats=asking.repeats,
        mode="live" if manifest is not None and manifest.tier == "live" else "replay",
        at="" if manifest is None else manifest.at,
        run_id="" if manifest is None else manifest.run_id,
        omitted=None if manifest is None else manifest.omitted,
    )


def _parameters(manifest: Manifest) -> dict[str, Any]:
    return {name: parameters_from(each) for name, each in manifest.parameters.items()}


def _stage(name: str, manifest: Manifest, outputs: Collection[str]) -> Prompt:
    """Return a stage of the manifest as a prompt without text: enough to read its answers."""
    entry = manifest.prompts[name]
    version = parse_version(entry.version)
    what = f"field `prompts.{name}.version`: `{entry.version}` is not a version" if version is None else ""
    if entry.output not in outputs:
        what = f"field `prompts.{name}.output`: `{entry.output}` is not an output of the suite's kind"
    if version is None or what:
        raise InvalidFile(what, where=f"baselines/{manifest.suite}.json", fix="Restore the file from git")
    return Prompt(PromptRef(name, version), "", entry.output, {}, "", entry.digest, "", f"prompts/{name}")


@dataclass(slots=True)
class _ManifestAsking(Asking):
    """Builds the manifest's requests without the prompts' texts."""

    manifest: Manifest | None = None

    def request(
        self, prompt: Prompt, case_id: str, variables: Mapping[str, Any], repeat: int, arm: str = ""
    ) -> Request:
        """Return a request with the manifest's digest and nothing to send; the digest is empty if the input changed.

        Further repeats, which the manifest does not have, are rendered.
        """
        assert self.manifest is not None
        if repeat >= self.manifest.repeats:
            return Asking.request(self, prompt, case_id, variables, repeat, arm)
        case, steps = self.manifest.cases[case_id], [(arm, each.ref.name) for arm, each in self.lineup.steps]
        stage = steps.index((arm, prompt.ref.name))
        place = repeat * len(steps) + stage
        asked = place < len(case.requests) and (stage > 0 or input_digest(variables) == case.input)
        given = self.parameters[prompt.ref.name]
        digest = case.requests[place] if asked else ""
        rest = given.max_tokens, (), prompt.output, dict[str, Any](), "", prompt.digest, variables, digest, arm
        request = Request(case_id, str(prompt.ref), repeat, given.model, given.temperature, given.seed, *rest)
        return request._replace(extra=given.extra)


@dataclass(frozen=True, slots=True)
class _ManifestAnswers:
    """Recorded answers that match the baseline's digests."""

    index: RecordingIndex
    manifest: Manifest

    async def answer(self, question: Question) -> Given:
        """Return the answer to a request of the manifest, or why it is missing."""
        if isinstance(question, EmbeddingRequest):
            return recorded(question, self.index.embeddings(question.model))
        case = self.manifest.cases[question.case_id]
        further = question.by != JUDGE and question.repeat >= self.manifest.repeats
        if further or (question.by == JUDGE and question.digest not in case.requests):  # the rubric or judge changed
            return self.index.answer(question) or NoAnswer(NOT_RECORDED)
        if not question.digest:
            return NoAnswer(NOT_ASKED)
        answer = self.index.answer(question.digest)
        if answer is None:
            return NoAnswer("the baseline's answer is not recorded", "Restore its recordings from git")
        if digest_text(answer.said) != case.answers[case.requests.index(question.digest)]:
            return NoAnswer(REPLACED)
        return answer
