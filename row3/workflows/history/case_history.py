"""What is known of each case's score: every recorded answer, scored as the case stands now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from row3.store.other_suites import cases_of
from row3.store.project import Project
from row3.store.suites import Suite
from row3.workflows.recorded.recorded_scores import RecordedScores, Replayed, Setting

Recorded = dict[int, tuple[float, str]]
"""One case under one setting: by repeat, the composite and the digest of the answers."""


@dataclass(slots=True)
class History:
    """A suite's cases under every setting that is recorded."""

    cases: list[str] = field(default_factory=list)
    settings: dict[Setting, dict[str, Recorded]] = field(default_factory=dict)

    def add(self, setting: Setting, case_id: str, answer: Replayed, value: float) -> None:
        """Take in one answer."""
        answers = self.settings.setdefault(setting, {}).setdefault(case_id, {})
        answers[answer.repeat] = (value, answer.said)


def gather(project: Project, suite: Suite, *, named: Sequence[str] = (), case: str | None = None) -> History:
    """Read and score all that is recorded.

    Args:
        named: prompt references of which no other version counts.
        case: a pattern; only the cases whose id fits.
    Raises `InvalidFile` for a broken file, `UsageError` for a prompt or case that does not exist.
    """
    history = History()
    primary = suite.kind.primary
    recorded = RecordedScores(project, suite, named)
    bad: list[tuple[str, Replayed]] = []
    for stored in cases_of(project, suite, case):
        history.cases.append(stored.id)
        for answer in recorded.scores(stored):
            if answer.score.status == "bad_answer":
                bad.append((stored.id, answer))
            elif primary in answer.score.metrics:
                history.add(answer.setting, stored.id, answer, answer.score.metrics[primary])
    whole = list(history.settings)
    for case_id, answer in bad:
        # It ends every pipeline that begins so; where none is known, it stands for itself.
        for setting in [each for each in whole if _begins(each, answer.setting)] or [answer.setting]:
            history.add(setting, case_id, answer, answer.score.metrics[primary])
    return history


def _begins(whole: Setting, part: Setting) -> bool:
    n = len(part.prompts)
    return whole.prompts[:n] == part.prompts and whole.parameters[:n] == part.parameters
