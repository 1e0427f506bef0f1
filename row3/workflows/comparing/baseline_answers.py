"""What the baseline's prompts answered, read again from the recordings; nothing is scored."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from row3.errors import InvalidFile, Row3Error
from row3.kinds.base import Parsed
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.recordings import RecordingIndex
from row3.store.run_records import CaseRecord, RunHeader
from row3.store.suites import Suite
from row3.workflows.comparing.rescore import Recorded
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.results import ANSWERS_DIGITS
from row3.workflows.pipeline.stages import Parameters


def asked_as_then(project: Project, suite: Suite, header: RunHeader) -> bool:
    """Whether what a baseline's prompts asked can still be asked, so that its recorded answers are found."""
    with suppress(Row3Error):
        return line_up(project, suite, role="promoted", pinned=header.prompts).digests() == header.prompt_digests
    return False


class Given(NamedTuple):
    """The baseline's answer to a case; of several repeats the first."""

    output: Any = None
    raw: str = ""
    """The text of an answer that could not be read."""
    problem: str = ""
    """Why it could not be read, or why there is none to show."""


class _Said(NamedTuple):
    output: Any
    texts: list[str]
    bad: str


@dataclass
class BaselineAnswers:
    """Finds the recorded answers that a baseline was made of."""

    suite: Suite
    header: RunHeader
    problem: str = ""
    """Why no answer at all can be read."""
    _asking: Asking | None = None
    _index: RecordingIndex = field(default_factory=RecordingIndex)

    @classmethod
    def open(
        cls, project: Project, suite: Suite, header: RunHeader, recorded: Recorded | None = None
    ) -> BaselineAnswers:
        """Open the recordings; a baseline whose prompts are gone or were changed has a `problem` and no answers.

        `recorded` are the recordings that hold the old answers, where they are not the project's own.
        """
        found = cls(suite, header)
        try:
            lineup = line_up(project, suite, role="promoted", pinned=header.prompts)
            if lineup.digests() != header.prompt_digests:
                found.problem = "the baseline's prompts are not as they were"
                return found
            parameters = {
                name: Parameters(p["model"], p.get("temperature"), p.get("seed"), p.get("maxTokens"))
                for name, p in header.parameters.items()
            }
            found._asking = Asking(suite, lineup, parameters, header.repeats)
            found._index = open_recordings(project, suite) if recorded is None else recorded()
        except (Row3Error, KeyError) as error:
            found.problem = f"the baseline's prompts cannot be run again: {error}"
        return found

    def of(self, stored: StoredCase, before: CaseRecord) -> Given:
        """The answer to one case, where it is recorded and is the one that the baseline was made of."""
        first = self._first(stored, before)
        if isinstance(first, str):
            return Given(problem=first)
        return Given(first.output, first.texts[-1] if first.bad else "", first.bad)

    def has(self, stored: StoredCase, before: CaseRecord) -> bool:
        """Whether there is such an answer, readable or not, so that it can be scored again."""
        return not isinstance(self._first(stored, before), str)

    def _first(self, stored: StoredCase, before: CaseRecord) -> _Said | str:
        """What was said first of the repeats; else why it cannot be had."""
        if self._asking is None:
            return self.problem
        try:
            said = [self._repeat(self._asking, stored, repeat) for repeat in range(self._asking.repeats)]
        except InvalidFile as error:
            return str(error)
        there = [each for each in said if each is not None]
        if len(there) < len(said):
            return "the baseline's answer is not recorded"
        texts = "".join(text for each in there for text in each.texts)
        digest = hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()[:ANSWERS_DIGITS]
        if before.said and digest != before.said:
            return "another answer than the baseline's is recorded now"
        return there[0]

    def _repeat(self, asking: Asking, stored: StoredCase, repeat: int) -> _Said | None:
        """One pass through the pipeline; None where a stage is not recorded."""
        kind = self.suite.kind
        variables, outputs, texts = kind.variables(stored.case), {}, []
        for prompt in asking.lineup.prompts:
            request = asking.request(prompt, stored.id, variables, repeat)
            answer = self._index.answer(request)
            if answer is None:
                return None
            texts.append(answer.text)
            parsed = kind.parse(prompt.output, texts[-1])
            if not isinstance(parsed, Parsed):
                return _Said(None, texts, f"{prompt.ref}: {parsed.reason}")
            outputs[prompt.output] = parsed.value
            variables = {**variables, **kind.context(prompt.output, parsed.value)}
        return _Said(kind.combine(outputs), texts, "")
