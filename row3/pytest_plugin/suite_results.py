"""Judge every case of a suite, and the gate, as plain values that processes can exchange."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from row3.commands.all_suites import prompts_of
from row3.commands.code_guard import guard_of
from row3.commands.compare import gate
from row3.comparing.baseline import no_baseline
from row3.domain.judgements import CaseChange, Code, Verdict
from row3.domain.printable import plain
from row3.domain.scores import zones_of
from row3.errors import Row3Error
from row3.gate.results import Comparison, Run
from row3.project.config import Mode
from row3.project.project import has_baseline
from row3.pytest_plugin.case_text import case_text, score_text
from row3.reports.case_changes import Outcome, outcomes
from row3.reports.comparison import next_note, reason_blocks
from row3.reports.document import Document, Note
from row3.reports.reason_text import grounds_of, reason_text, words_of
from row3.reports.sentences import what_runs
from row3.reports.terminal import PLAIN, terminal_text
from row3.reports.verdict_text import approval_line, summary, verdict_label
from row3.running.run_options import RunOptions
from row3.running.session import CommandOptions, begin, open_session
from row3.running.stages import Overrides
from row3.running.suite_run import run_suite

Judged = Literal["passed", "failed", "skipped", "error"]


@dataclass(frozen=True, slots=True)
class Flags:
    """Options of the runs, as on the command line."""

    against: str | None = None
    mode: Mode | None = None
    model: str | None = None
    prompts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """The judgement of one case, or of the suite's gate."""

    outcome: Judged
    """`error` if it cannot be judged, such as a case without an answer."""
    shown: str
    """Score and zone, or verdict, to show next to the name."""
    text: str
    """Why it failed, wrapped to 80 columns; the first line is a summary."""
    value: float | None = None
    """The composite, a fraction."""
    zone: str = ""
    delta: float | None = None
    """Change of the composite since the baseline, a fraction."""


@dataclass(frozen=True, slots=True)
class JudgedSuite:
    """Judgements of the cases that ran, by id, and of the gate."""

    cases: dict[str, JudgedCase] = field(default_factory=dict)
    gate: JudgedCase | None = None
    """None if only part of the suite ran."""
    error: str = ""
    """Why the suite could not run."""

    def as_json(self) -> str:
        """Return it as text, for another process."""
        return TypeAdapter(JudgedSuite).dump_json(self).decode()


def judged_from_json(text: str) -> JudgedSuite:
    """Parse the text of `as_json`."""
    return TypeAdapter(JudgedSuite).validate_json(text)


def judge_suite(root: Path, name: str, flags: Flags, only: frozenset[str] | None = None) -> JudgedSuite:
    """Run a suite, or `only` some cases, as `row3 --compare` does, without writing tracked files; judge cases and gate.

    Without a baseline the cases still run, and the gate is an error. Errors of project or provider are not raised.
    """
    try:
        options = RunOptions(mode=flags.mode, overrides=Overrides(flags.model), explain=True, only=only)
        silent = CommandOptions(may_write=False)
        session = open_session(root, name, options, silent, guard=guard_of(os.environ, against=flags.against))
        options = replace(session.options, named=prompts_of(session.suite, flags.prompts))
        session = begin(session.project, session.suite, options, silent, session.state)
        if flags.against is None and not has_baseline(session.project, session.suite):
            missing = JudgedCase("error", "no baseline", _wrapped(no_baseline(session.project, session.suite)))
            return JudgedSuite(dict(_cases(run_suite(session), None)), None if only is not None else missing)
        comparison = gate(session, against=flags.against)
        judged = dict(_cases(comparison.run, comparison))
        return JudgedSuite(judged, None if only is not None else _gate(comparison))
    except Row3Error as error:
        return JudgedSuite(error=_wrapped(error))


def _wrapped(error: Row3Error) -> str:
    return "\n".join(PLAIN.wrap(plain(str(error)), then="  "))


def _cases(run: Run, comparison: Comparison | None) -> Iterator[tuple[str, JudgedCase]]:
    suite = run.suite
    blocking: dict[str, list[str]] = {}
    for reason in () if comparison is None else comparison.reasons:
        if comparison is not None and reason.code is Code.CRITICAL_BROKE and reason.verdict is Verdict.BLOCK:
            blocking.setdefault(reason.subject, []).append(reason_text(reason, words_of(comparison)))
    resting = {entry.case_id: entry for entry in run.quarantine.active}
    found = list(outcomes(run, comparison))  # reads all of `run.details` before it is read again
    for outcome, line in zip(found, run.details, strict=True):
        case = json.loads(line)
        change = _change(case, suite.kind.primary) if comparison is not None else None
        zone = zones_of(case["metrics"], suite.kind.metrics, suite.rules.thresholds).get(suite.kind.primary)
        why, judged = _judged(outcome, informational=suite.policy.informational, named=outcome.case_id in blocking)
        text = ""
        if judged in ("failed", "error"):
            text = case_text(
                suite,
                outcome.case_id,
                outcome.status,
                case["metrics"],
                change,
                why=why,
                problem=outcome.problem,
                raw=case.get("raw", "") if outcome.status == "bad_answer" else "",
                reasons=blocking.get(outcome.case_id, ()),
                advice=judged == "failed",
            )
        if judged == "failed" and comparison is not None and comparison.approval is not None:
            judged, text = "passed", f"{text.splitlines()[0]}; {plain(approval_line(comparison))}"
        if judged != "error" and (entry := resting.get(outcome.case_id)) is not None:
            judged, text = "skipped", f"in quarantine until {entry.until}, not counted: {plain(entry.reason)}"
        delta = outcome.delta if outcome.move in ("improved", "unchanged", "regressed", "broke", "fixed") else None
        shown, word = score_text(outcome.value, zone) or "no answer", "" if zone is None else zone.word
        yield outcome.case_id, JudgedCase(judged, shown, text, outcome.value, word, delta)


def _judged(outcome: Outcome, *, informational: bool, named: bool) -> tuple[str, Judged]:
    """Return why a case fails, in a word or two, and its judgement; an informational gate fails nothing."""
    if outcome.status == "failed":
        return outcome.fault, "error"
    if informational:
        return "", "passed"
    why = outcome.fault or ("blocks the gate" if named else "")
    return why, "failed" if why else "passed"


def _change(case: dict[str, Any], primary: str) -> CaseChange:
    gained, lost = [{key: tuple(items) for key, items in case.get(name, {}).items()} for name in ("gained", "lost")]
    deltas = case["deltas"]
    return CaseChange(case["id"], case.get("change", "new"), deltas.get(primary, 0.0), deltas, gained, lost)


def _gate(comparison: Comparison) -> JudgedCase:
    complete, shown = comparison.complete, verdict_label(comparison)
    judged: Judged = "error" if not complete else "failed" if comparison.blocked else "passed"
    change = comparison.primary_change
    return JudgedCase(
        judged,
        f"{shown.mark} {shown.word.lower()}",
        gate_text(comparison),
        None if change is None else change.current,
        "",
        None if change is None else change.delta,
    )


def gate_text(comparison: Comparison) -> str:
    """Return the text of the gate's own test; its first line is the summary."""
    runs = Note([what_runs(comparison.run, comparison.run.suite.name)])
    document = Document([runs, *reason_blocks(grounds_of(comparison)), next_note(comparison)])
    verdict = f"{verdict_label(comparison).word}: {summary(comparison)}"
    first = "; ".join(filter(None, (verdict, approval_line(comparison))))
    return f"{plain(first)}\n{terminal_text(document)}".rstrip("\n")
