"""What is known of each case's score: every recorded answer, and the saved runs of today's cases and scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from row3.errors import InvalidFile
from row3.metrics.composite import overall
from row3.store.other_suites import cases_of
from row3.store.project import Project
from row3.store.saved_runs import CaseRecord, RunHeader, SavedRun, latest_runs, read_log
from row3.store.suites import Suite
from row3.workflows.recorded.recorded_scores import RecordedScores, Replayed, Setting, setting_of
from row3.workflows.score import MODE as ELSEWHERE

ASKED = ("live", "record")
"""Modes that ask for every answer anew, so that each run says something new, even by saying the same."""


class Past(NamedTuple):
    """One case in a saved run."""

    at: str
    mode: str
    value: float
    """Of the composite; the mean over the run's repeats."""
    said: str
    """Digest of the answers."""
    repeats: int
    spread: float | None


@dataclass(slots=True)
class Seen:
    """One case under one setting."""

    recorded: dict[int, tuple[float, str]] = field(default_factory=dict)
    """By repeat: the composite, and the digest of the answers."""
    runs: list[Past] = field(default_factory=list)
    """Oldest first."""

    def values(self) -> list[float]:
        """Of the recorded answers, in the order of their repeats."""
        return [value for _, (value, _) in sorted(self.recorded.items())]

    def single_runs(self) -> list[float]:
        """Of runs that asked once, oldest first; a replay of an answer that is there already is none."""
        here = self.recorded.get(0)
        counted: set[str] = set()
        values = []
        for run in self.runs:
            replayed = run.said in counted or (here is not None and run.said == here[1])
            if run.repeats == 1 and (run.mode in ASKED or not replayed):
                values.append(run.value)
                counted.add(run.said)
        # A recording that none of these runs made is older than the logs that were kept.
        return values if here is None or here[1] in counted else [here[0], *values]

    def live_repeats(self) -> list[Past]:
        """Runs that asked several times and kept no recording, only means and spreads."""
        return [run for run in self.runs if run.repeats > 1 and run.mode == "live" and run.spread is not None]


@dataclass(slots=True)
class History:
    """A suite's cases under every setting that is recorded or was run."""

    cases: list[str] = field(default_factory=list)
    settings: dict[Setting, dict[str, Seen]] = field(default_factory=dict)
    runs: int = 0
    """Saved runs that were read."""
    other_scorer: int = 0
    """Saved runs left out, since another version of the scorer made them."""

    def seen(self, setting: Setting, case_id: str) -> Seen:
        """The place of a case under a setting, made where there is none yet."""
        return self.settings.setdefault(setting, {}).setdefault(case_id, Seen())


def gather(project: Project, suite: Suite, *, named: Sequence[str] = (), case: str | None = None) -> History:
    """Read and score all that is recorded, and the saved runs beside it.

    Args:
        named: prompt references of which no other version counts.
        case: a pattern; only the cases whose id fits.
    Raises `InvalidFile` for a broken file, `UsageError` for a prompt or case that does not exist.
    """
    history = History()
    primary = suite.kind.primary
    recorded = RecordedScores(project, suite, named)
    cut_off: list[tuple[str, Replayed]] = []
    digests: dict[str, str] = {}
    for stored in cases_of(project, suite, case):
        history.cases.append(stored.id)
        digests[stored.id] = stored.digest
        for answer in recorded.scores(stored):
            if answer.score.status == "bad_answer":
                cut_off.append((stored.id, answer))
            elif primary in answer.score.metrics:
                seen = history.seen(answer.setting, stored.id)
                seen.recorded[answer.repeat] = (answer.score.metrics[primary], answer.said)
    whole = list(history.settings)
    for case_id, answer in cut_off:
        # It ends every pipeline that begins so; where none is known, it stands for itself.
        for setting in [each for each in whole if _begins(each, answer.setting)] or [answer.setting]:
            history.seen(setting, case_id).recorded[answer.repeat] = (answer.score.metrics[primary], answer.said)
    wanted = _pinned(named)
    for run in saved_runs(project, suite):
        header = run.header
        if header.scorer != suite.kind.signature(suite.rules):
            history.other_scorer += 1
            continue
        if any(wanted.get(name, version) != version for name, version in header.prompts.items()):
            continue
        history.runs += 1
        _take(history, run, suite, digests)
    return history


def _begins(whole: Setting, part: Setting) -> bool:
    n = len(part.prompts)
    return whole.prompts[:n] == part.prompts and whole.parameters[:n] == part.parameters


def _pinned(named: Sequence[str]) -> dict[str, str]:
    """Version by prompt name."""
    parts = (text.removeprefix("prompts/").removesuffix(".md").rpartition("-v") for text in named)
    return {name: f"v{version}" for name, _, version in parts}


def saved_runs(project: Project, suite: Suite) -> list[SavedRun]:
    """Return the run logs of the suite, oldest first. Raises `InvalidFile`."""
    found = []
    for path in latest_runs(project.local / "runs"):
        where = path.relative_to(project.root).as_posix()
        try:
            run = read_log(path, where=where)
        except InvalidFile as error:
            raise InvalidFile(error.what, where=error.where, fix=f"Delete {where}") from None
        header = run.header
        if (header.suite, header.kind) == (suite.name, suite.kind.name) and header.mode != ELSEWHERE:
            found.append(run)
    return sorted(found, key=lambda run: (run.header.at, run.header.run_id))


def _take(history: History, run: SavedRun, suite: Suite, digests: dict[str, str]) -> None:
    setting = setting_of(run.header)
    for case_id, digest in digests.items():
        record = run.record(case_id)
        if record is None or record.status == "failed":
            continue
        if record.digest != digest:
            continue  # it was another case then
        value = _value(record, run.header, suite)
        if value is not None:
            past = Past(
                run.header.at,
                run.header.mode,
                value,
                record.said,
                run.header.repeats,
                record.spread.get(suite.kind.primary),
            )
            history.seen(setting, case_id).runs.append(past)


def _value(record: CaseRecord, header: RunHeader, suite: Suite) -> float | None:
    """The composite by today's weights."""
    primary = suite.kind.primary
    weights = dict(suite.rules.weights)
    if record.status != "scored" or not weights or dict(header.weights) == weights:
        return record.metrics.get(primary)
    parts = {key: value for key, value in record.metrics.items() if key != primary}
    return overall(parts, suite.rules.weights)
