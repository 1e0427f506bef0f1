"""`--format codequality`: findings as GitLab's merge requests show them.

One JSON array; each entry has `description`, `check_name`, `fingerprint`, `severity`, `location.path` and
`location.lines.begin`, as GitLab documents its Code Quality report.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from row3.domain.verdicts import Cause, Reason, Verdict
from row3.reports import numbers
from row3.reports.cases.case_outcomes import Outcome, outcomes
from row3.reports.findings import LintReport
from row3.reports.headline import candidates, title_of
from row3.reports.model import ComparisonView, RunView
from row3.reports.places import HERE, Places
from row3.reports.style import plain

Severity = Literal["info", "minor", "major", "critical", "blocker"]
FILES: dict[Cause, str] = {
    "rules": "row3.toml",
    "locks": "prompts/promoted.json",
    "history": "metrics-history.json",
}
"""The file that a reason speaks of, by its cause; the others depend on suite and run."""
FIRST_LINE = 1
"""A case and a prompt are judged as a whole."""


@dataclass(frozen=True, slots=True)
class _Found:
    check: str
    severity: Severity
    what: str
    path: str
    about: str
    """What stays the same from run to run: figures do not."""
    line: int = FIRST_LINE


def codequality_json(run: RunView, comparison: ComparisonView | None = None, places: Places = HERE) -> str:
    """The reasons of the verdict, and every case that broke or fell by more than the limit."""
    return _array(_of_comparison(run, comparison, places), places)


def suites_codequality(
    ran: Sequence[tuple[RunView, ComparisonView | None]],
    unusable: Sequence[tuple[str, str]] = (),
    places: Places = HERE,
) -> str:
    """Several suites in one report.

    Args:
        ran: each run, with its comparison where it was compared.
        unusable: suites that could not be judged, each with the reason.
    """
    found = [each for run, one in ran for each in _of_comparison(run, one, places)]
    found += [
        _Found("gate/not-judged", "blocker", f"{name}: {why}", f"baselines/{name}.json", name) for name, why in unusable
    ]
    return _array(found, places)


def lint_codequality(report: LintReport, places: Places = HERE) -> str:
    """The findings of `row3 lint` at their lines."""
    found = (
        _Found(
            f"lint/{each.rule}",
            "critical" if each.level == "error" else "minor",
            f"{each.field}: {each.message}" if each.field else each.message,
            each.file,
            each.field,
            each.line,
        )
        for each in report.findings
    )
    return _array(found, places)


def _of_comparison(run: RunView, comparison: ComparisonView | None, places: Places) -> Iterator[_Found]:
    named = set()
    for reason in () if comparison is None else comparison.reasons:
        assert comparison is not None
        named.add(reason.case_id)
        severity: Severity = "major"
        if reason.verdict is Verdict.BLOCK:
            severity = "blocker" if comparison.blocked else "minor"
        about = f"{run.suite.name} {reason.case_id or reason.metric or reason.cause}"
        path = _file_of(reason, run, places)
        yield _Found(f"gate/{reason.verdict.word}", severity, reason.text, path, about)
    for outcome in outcomes(run, comparison):
        if outcome.case_id not in named and (found := _case(run, outcome, places)) is not None:
            yield found


def _case(run: RunView, outcome: Outcome, places: Places) -> _Found | None:
    path = places.case(run.suite.name, outcome.case_id)
    if outcome.status == "failed":
        return _Found("case/no-answer", "blocker", f"{outcome.case_id}: {outcome.problem}", path, outcome.case_id)
    if outcome.status == "bad_answer":
        return _Found("case/bad-answer", "critical", f"{outcome.case_id}: {outcome.problem}", path, outcome.case_id)
    if outcome.regressed and outcome.delta is not None and outcome.value is not None:
        title = title_of(run.suite, run.suite.kind.primary)
        moved = f"{title} {numbers.percent(outcome.value)} ({numbers.points(outcome.delta)} points)"
        return _Found("case/regressed", "major", f"{outcome.case_id}: {moved}", path, outcome.case_id)
    return None


def _file_of(reason: Reason, run: RunView, places: Places) -> str:
    """The file that a person would look into first."""
    suite = run.suite.name
    if reason.case_id is not None:
        return places.case(suite, reason.case_id)
    if reason.cause in FILES:
        return FILES[reason.cause]
    if reason.cause == "answers" and run.suite.system is not None:
        return "row3.toml"  # where it stands what answers
    if reason.cause == "answers":
        waiting = candidates(run) or [f"{name}-{version}" for name, version in run.header.prompts.items()]
        return f"prompts/{waiting[0]}.md" if waiting else "row3.toml"
    return f"baselines/{suite}.json"


def _array(found: Iterable[_Found], places: Places) -> str:
    seen: Counter[str] = Counter()
    entries = []
    for each in found:
        path = plain(f"{places.inside}{each.path}")
        identity = f"{each.check}\n{path}\n{plain(each.about)}"
        seen[identity] += 1  # GitLab shows one entry of a fingerprint
        fingerprint = hashlib.sha256(f"{identity}\n{seen[identity]}".encode("utf-8", "replace")).hexdigest()
        entries.append(
            {
                "description": plain(each.what) or each.check,
                "check_name": f"row3/{each.check}",
                "fingerprint": fingerprint,
                "severity": each.severity,
                "location": {"path": path, "lines": {"begin": max(FIRST_LINE, each.line)}},
            }
        )
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"
