"""Issues for CI: reasons, cases and lint findings with their files; the findings as text and as JSON."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from row3.domain.findings import LintReport
from row3.domain.judgements import Code, Reason, Verdict
from row3.domain.printable import plain
from row3.gate.results import Comparison, Run, SuiteResult, SuitesReport
from row3.reports.case_changes import Outcome, outcomes
from row3.reports.findings import lint_summary
from row3.reports.reason_text import Ground, grounds_of
from row3.reports.sentences import candidates, declines_line, fail_zones, title_of
from row3.reports.suites import counted, headword, problem_of
from row3.reports.verdict_text import SCORES, approval_line, behind_line, summary, verdict_label

Level = Literal["error", "warning", "notice"]
Severity = Literal["info", "minor", "major", "critical", "blocker"]
MOST_OF_A_LEVEL = 10
"""GitHub shows at most this many of each level per step."""
FIRST_LINE = 1
MANIFEST = "baselines/{}.json"
FILES = {
    Code.LOCK_BROKEN: "prompts/promoted.json",
    Code.HISTORY_REMOVED: "metrics-history.json",
    Code.DECLINING: "metrics-history.json",
    Code.BASELINE_DIFFERS: MANIFEST,
    Code.PARTIAL: MANIFEST,
    Code.NO_CASE: MANIFEST,
}
"""The file to look into, by reason; `{}` is the suite."""


class Places(NamedTuple):
    """Paths of a project, relative to the root of its repository."""

    inside: str = ""
    """The project's folder in the repository, empty or ending in a slash."""
    golden: Callable[[str], str] = "golden/{}".format
    """A suite's folder of golden cases, relative to the project."""
    found: Callable[[str, str], str] | None = None
    """Case files by suite and id, for folders with subfolders."""

    def case(self, suite: str, case_id: str) -> str:
        """Return the file of a case, relative to the project."""
        return self.found(suite, case_id) if self.found else f"{self.golden(suite)}/{case_id}.gold.json"


HERE = Places()
"""The project is the repository, with default folders."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue and its file."""

    level: Level
    check: str
    """`gate/block`, `case/regressed`, `lint/no-aliases`."""
    title: str
    text: str
    severity: Severity
    path: str = ""
    """Relative to the project; empty for none."""
    line: int = 0
    about: str = ""
    """Identifies the issue across runs; figures in the text change."""


def run_issues(
    run: Run, comparison: Comparison | None = None, *, declines: int = 0, name: str = "row3", places: Places = HERE
) -> list[Issue]:
    """Return the reasons of a comparison, or the warnings of a run, and its cases; `name` begins each title."""
    found: list[Issue] = []
    named: set[str] = set()
    if comparison is not None:
        if comparison.behind and comparison.against:
            found.append(_behind(comparison.behind, comparison.against, name))
        for ground in grounds_of(comparison):
            named |= {reason.subject for reason in ground.reasons if reason.code in (*SCORES, Code.NO_ANSWER)}
            found.append(_reason(comparison, ground, name, places))
    else:
        if failing := fail_zones(run):
            text = f"{', '.join(failing)} (row3 --compare{run.suite.flags('row3 --compare')} judges)"
            found.append(Issue("warning", "gate/fail-zone", f"{name}: fail zone", text, "major", about=run.suite.name))
        if text := declines_line(declines, run):
            found.append(Issue("warning", "gate/declining", f"{name}: declining", text, "major", about=run.suite.name))
    stopped = comparison is None or comparison.approval is None
    cases = (_case(run, outcome, name, places, stopped=stopped) for outcome in outcomes(run, comparison))
    return [*found, *(issue for issue in cases if issue is not None and issue.about not in named)]


def suites_issues(report: SuitesReport, places: Places = HERE) -> list[Issue]:
    """Return the issues of several suites."""
    found = [] if report.behind is None else [_behind(*report.behind, "row3")]
    return [*found, *(issue for result in report.results for issue in _of_suite(result, places))]


def _of_suite(result: SuiteResult, places: Places) -> Iterator[Issue]:
    name, run = f"row3 {result.suite}", result.run
    if run is not None:
        issues = run_issues(run, result.comparison, declines=result.declines, name=name, places=places)
        yield from (issue for issue in issues if issue.check != "gate/behind")
        return
    level: Level = "error" if result.exit_code else "warning"
    severity: Severity = "blocker" if result.exit_code else "info"
    title = f"{name}: {'not judged' if result.standing == 'none' else result.standing}"
    file = MANIFEST.format(result.suite)
    yield Issue(level, "gate/not-judged", title, problem_of(result), severity, file, FIRST_LINE, result.suite)


def lint_issues(report: LintReport) -> list[Issue]:
    """Return the findings of `row3 lint` at their lines."""
    return [
        Issue(
            each.level,
            f"lint/{each.rule}",
            f"row3 lint: {each.rule}",
            f"{each.field}: {each.message}" if each.field else each.message,
            "critical" if each.level == "error" else "minor",
            each.file,
            each.line,
            each.field,
        )
        for each in report.findings
    ]


def github_text(issues: Iterable[Issue], last: Issue | None = None, places: Places = HERE) -> str:
    """Return workflow commands, errors first and ten of each level at most; `last` ends them as a notice."""
    lines: list[str] = []
    issues = list(issues)
    for level in ("error", "warning"):
        shown = [issue for issue in issues if issue.level == level]
        gate = [issue for issue in shown if not issue.check.startswith("case/")]
        lines += [_command(issue, places) for issue in (*gate, *[i for i in shown if i not in gate][:MOST_OF_A_LEVEL])]
    return "".join(f"{line}\n" for line in [*lines, *([_command(last, places)] if last else [])])


def run_notice(comparison: Comparison) -> Issue:
    """Return the verdict, to end the commands of one comparison."""
    text = " · ".join(part for part in (summary(comparison), approval_line(comparison)) if part)
    return Issue("notice", "gate/verdict", f"row3: {verdict_label(comparison).word}", text, "info")


def suites_notice(report: SuitesReport) -> Issue:
    """Return the verdict on several suites."""
    word = headword(report)
    return Issue("notice", "gate/verdict", f"row3: {word}" if word else "row3", counted(report), "info")


def lint_notice(report: LintReport) -> Issue:
    """Return how many findings there are."""
    return Issue("notice", "lint", "row3 lint", lint_summary(report), "info")


def codequality_json(issues: Iterable[Issue], places: Places = HERE) -> str:
    """Return the issues with a file for GitLab, which shows one entry per fingerprint."""
    seen: Counter[str] = Counter()
    entries = []
    for each in issues:
        if not each.path or each.severity == "info":
            continue
        path = plain(f"{places.inside}{each.path}")
        identity = f"{each.check}\n{path}\n{plain(each.about)}"
        seen[identity] += 1
        fingerprint = hashlib.sha256(f"{identity}\n{seen[identity]}".encode("utf-8", "replace")).hexdigest()
        entries.append(
            {
                "description": plain(each.text) or each.check,
                "check_name": f"row3/{each.check}",
                "fingerprint": fingerprint,
                "severity": each.severity,
                "location": {"path": path, "lines": {"begin": max(FIRST_LINE, each.line)}},
            }
        )
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


def _behind(commits: int, ref: str, name: str) -> Issue:
    return Issue("warning", "gate/behind", f"{name}: behind", behind_line(commits, ref), "info")


def _reason(comparison: Comparison, ground: Ground, name: str, places: Places) -> Issue:
    run, reason = comparison.run, ground.reasons[0]
    lacks = reason.code is Code.NO_ANSWER
    word = "incomplete" if lacks else "note" if ground.note else ground.verdict.word
    blocks = lacks or (ground.verdict is Verdict.BLOCK and comparison.blocked)
    severity: Severity = "info" if ground.note else "major"
    if ground.verdict is Verdict.BLOCK:
        severity = "blocker" if blocks else "minor"
    level: Level = "error" if blocks else "notice" if ground.note else "warning"
    about = f"{run.suite.name} {reason.code.value} {' '.join(sorted({each.subject for each in ground.reasons}))}"
    path = file_of(reason, run, places)
    return Issue(level, f"gate/{word}", f"{name}: {word}", ground.text, severity, path, FIRST_LINE, about)


def file_of(reason: Reason, run: Run, places: Places = HERE) -> str:
    """Return the file to look into first."""
    kind, _, rest = reason.subject.partition(" ")
    known = {metric.key for metric in run.suite.kind.metrics}
    if reason.code in FILES:
        return FILES[reason.code].format(run.suite.name)
    if reason.code.value.startswith("criteria_"):
        if kind == "case":
            return places.case(run.suite.name, rest.partition(" ")[0])
        if kind == "quarantine":
            return f"{places.golden(run.suite.name)}/quarantine.json"
        return MANIFEST.format(run.suite.name) if kind == "baseline" else "row3.toml"
    if reason.subject and reason.subject not in known and not reason.of_figure:
        return places.case(run.suite.name, reason.subject)
    if not run.suite.prompted:
        return "row3.toml"  # names the system that answers
    waiting = candidates(run) or [f"{name}-{version}" for name, version in run.header.prompts.items()]
    return f"prompts/{waiting[0]}.md" if waiting else "row3.toml"


def _case(run: Run, outcome: Outcome, name: str, places: Places, *, stopped: bool) -> Issue | None:
    path, case_id, word = places.case(run.suite.name, outcome.case_id), outcome.case_id, outcome.fault
    if not word or (word == "regressed" and not stopped):
        return None
    level: Level = "error" if word == "no answer" else "warning"
    severities: dict[str, Severity] = {"no answer": "blocker", "bad answer": "critical", "regressed": "major"}
    about = f"{title_of(run.suite, run.suite.kind.primary)} " if word == "regressed" else ""
    check, text = f"case/{word.replace(' ', '-')}", f"{case_id}: {about}{outcome.detail}"
    return Issue(level, check, f"{name}: {word}", text, severities[word], path, 0, case_id)


def _command(issue: Issue, places: Places) -> str:
    """Return one workflow command, its parts escaped so that they cannot end it or begin another."""
    shown = issue.path and (issue.check.startswith(("case/", "lint/")) or issue.path.endswith(".gold.json"))
    place = f"file={_property(f'{places.inside}{issue.path}')}," if shown else ""
    place += f"line={issue.line}," if shown and issue.line > 0 and issue.check.startswith("lint/") else ""
    return f"::{issue.level} {place}title={_property(issue.title)}::{_data(issue.text)}"


def _data(text: str) -> str:
    lines = "\n".join(plain(line) for line in text.splitlines())
    return lines.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text)).replace(":", "%3A").replace(",", "%2C")
