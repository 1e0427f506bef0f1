"""The verdict in a word, in a line, and what to do about it. Plain text, already safe."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import get_args

from row3.domain.requests import RECORDED_ONLY
from row3.domain.verdicts import Cause, Reason, Verdict
from row3.reports import numbers
from row3.reports.cases.case_changes import count_line
from row3.reports.headline import candidates, taken_back, title_of
from row3.reports.hooks.behind import catch_up
from row3.reports.model import ComparisonView, RunView, SuiteView
from row3.reports.style import plain, visible


def verdict_word(comparison: ComparisonView) -> str:
    """`PROCEED`, `INVESTIGATE`, `BLOCK`, `BLOCK, approved` or `INCOMPLETE`."""
    if comparison.run.collected.failed:
        return "INCOMPLETE"
    return comparison.verdict.word.upper() + ("" if comparison.approval is None else ", approved")


def looks_like(comparison: ComparisonView) -> Verdict:
    """The verdict whose mark and colour it has: a block that was approved stops nothing, and is to be looked at."""
    return comparison.verdict if comparison.approval is None else min(comparison.verdict, Verdict.INVESTIGATE)


def summary(comparison: ComparisonView) -> str:
    """The composite, how it moved, over how many cases, and how these moved."""
    failed = comparison.run.collected.failed
    if failed:
        return f"{len(failed):,} of {numbers.count(comparison.run.cases, 'case')} without an answer"
    primary = comparison.run.suite.kind.primary
    change = next((change for change in comparison.metrics if change.key == primary), None)
    if change is None or change.current is None:
        return count_line(comparison.moves)
    moved = "" if change.delta is None else f" ({numbers.points(change.delta)} points, n = {change.cases:,})"
    title = title_of(comparison.run.suite, primary)
    return f"{title} {numbers.percent(change.current)}{moved} · {count_line(comparison.moves)}"


def what_next(comparison: ComparisonView, *, named: bool = False) -> list[str]:
    """What to do, a sentence or command a line; nothing after a promotion, which says itself what it wrote.

    The commands name their suite where it is not the default one; with `named` always, as they must where several are
    told of.
    """
    return _what_next(comparison, _Typed(comparison.run.suite, named=named))


class _Typed:
    """Commands as they are to be typed, to be about the suite, prompts and answers that the output is about."""

    def __init__(self, suite: SuiteView, *, named: bool) -> None:
        self._suite, self._named = suite, f" --suite {suite.name}" if named and not suite.flag else ""

    def __call__(self, command: str, *said: str) -> str:
        """A command with what it has to be given beside what it says itself, as `SuiteView.flags` takes it."""
        return visible(f"{command}{self._named}{self._suite.flags(command, *said)}")

    def fill(self, text: str) -> str:
        """A sentence in which such commands stand: `row3 --compare{flag} --mode auto`."""
        return _COMMAND.sub(lambda found: self(found[1], *_OPTION.findall(found[2])) + found[2], text)


_COMMAND = re.compile(r"(row3(?: -{0,2}[a-z]+)*)\{flag\}((?: --[a-z-]+(?: [A-Za-z]+)?)*)")
_OPTION = re.compile(r"--([a-z-]+)")


def _what_next(comparison: ComparisonView, typed: _Typed) -> list[str]:
    run, waiting = comparison.run, candidates(comparison.run)
    if comparison.behind and comparison.against and (run.collected.failed or comparison.blocked):
        return _numbered(catch_up(comparison.behind, comparison.against, typed("row3 --compare")))
    promoting = run.header.action == "promotion"
    proposed = [] if promoting else [name for name in waiting if name not in taken_back(run)]
    promote = _promote(proposed, comparison, typed)
    if run.collected.failed:
        if run.header.mode == "replay":
            model = model_flag(run)
            ask = typed.fill(f"Next: row3 --compare{{flag}} --mode auto{model} asks for what is not recorded.")
            return [ask, *([typed.fill(ANSWER_ELSEWHERE)] if model else [])]
        return ["Next: give the same command again; it goes on from the answers that are there."]
    if comparison.blocked:
        compare = typed("row3 --compare") + (f" --against {visible(comparison.against)}" if comparison.against else "")
        if any(reason.cause == "part" for reason in comparison.reasons):  # no gate, so there is nothing to approve
            return _steps(comparison, typed, f"{{}} and run {compare} with all the cases.")
        if promoting and "locks" in _causes(comparison):  # an older version: to go back is a decision, no fault
            back = f"{typed('row3 promote', waiting[0])} {waiting[0]} --approve REASON goes back."
            return _numbered([*_look(comparison, typed), back])
        again = f"{typed('row3 promote', waiting[0])} {waiting[0]}" if promoting else compare
        return _steps(comparison, typed, f"{{}} and run {again} again; or, if it has to be, --approve REASON.")
    if promoting:
        return []
    if comparison.verdict is Verdict.BLOCK and comparison.approval is None:
        return ["This gate is informational: it reports, and blocks nothing.", *_last(promote, comparison)]
    if comparison.verdict is Verdict.BLOCK:
        return _approved(promote, comparison)
    if comparison.verdict is Verdict.INVESTIGATE:
        if "part" in _causes(comparison):
            return _numbered([*_look(comparison, typed), f"{typed('row3 --compare')} with all the cases."])
        return _steps(comparison, typed, promote or _accepted(comparison, typed))
    return _last(promote, comparison)


def _last(promote: str, comparison: ComparisonView) -> list[str]:
    """The one step that is left; none where there is nothing to promote and no git to commit to."""
    return _numbered([promote] if promote else ["commit."] if comparison.in_git else [])


def _approved(promote: str, comparison: ComparisonView) -> list[str]:
    """What is to be done with an approval."""
    if not comparison.in_git:
        return _last(promote, comparison)
    kept = "commit metrics-history.json and CHANGELOG.md too: the approval stands there."
    if comparison.against is None and set(_causes(comparison)) - {"answers"}:
        kept += " Hook and CI judge by the commit before; what they show besides is approved with --against."
    return _numbered([promote, kept] if promote else [kept])


def _accepted(comparison: ComparisonView, typed: _Typed) -> str:
    """How what was looked at becomes what is right from now on."""
    committed = ", and commit" if comparison.in_git else ""
    if _causes(comparison) == ["cases"]:  # the prompts answer as before: it is the measure that is another
        if comparison.new_baseline:
            return "commit: the baseline of this change takes them as they are now."
        return f"{typed('row3 --baseline')} takes them as they are now{committed}."
    return f"write down why it is acceptable{committed}."


def model_flag(run: RunView) -> str:
    """What a command that asks has to name: a model, where the recordings are of none that a provider serves."""
    return " --model MODEL" if run.suite.system is None and run.header.model in ("", RECORDED_ONLY) else ""


def _promote(proposed: list[str], comparison: ComparisonView, typed: _Typed) -> str:
    """How the first version that says something new is promoted; where there is none, what is to be edited."""
    new = [name for name in proposed if name not in comparison.copies]
    if new:
        return f"{typed('row3 promote', new[0])} {new[0]}"
    return f"edit prompts/{proposed[0]}.md; there is nothing new to promote." if proposed else ""


ANSWER_ELSEWHERE = (
    "Or answer it elsewhere: row3{flag} --dry-run --mode auto --format json has the requests, and row3 recordings "
    "import{flag} FILE takes the answers."
)
CURES: Mapping[Cause, str] = {
    "answers": "mend the prompt",
    "unrecorded": "record the answers (row3 --compare{flag} --mode auto)",
    "unjudged": "have the old text answered (recordings/ from git, or --mode auto before the case is edited)",
    "recordings": "restore recordings/ from git, or record them again (--mode record)",
    "lost": "make the baseline of the answers that are there (row3 --baseline{flag})",
    "cases": "put the golden cases back",
    "texts": "put the golden cases back, or make the baseline of them (row3 --baseline{flag})",
    "rules": "put the settings in row3.toml back",
    "locks": "put prompts/promoted.json back and the prompts that it names",
    "baseline": "put the baseline back from git, or make one that follows from its recordings (row3 --baseline{flag})",
    "stale": "have a change of its own with row3 --baseline{flag} merged first",
}
"""What undoes a block, by its cause; `{flag}` is where a command is given what `_Typed` knows."""
LOOKS: Mapping[Cause, str] = {
    "recordings": "see that the answers were meant to be recorded again (git diff{since} recordings)",
    "lost": "row3 --baseline{flag} in this change, for all who come after",
    "cases": "see that the golden cases were meant to change (git diff{since} {golden})",
    "texts": "row3 --baseline{flag} with the golden cases as they are, for all who come after",
    "rules": "see that row3.toml was meant to change (git diff{since} row3.toml)",
    "baseline": "row3 recordings verify{flag}",
    "stale": "row3 --baseline{flag} in a change of its own, for all who come after",
    "history": "row3 trend{flag} draws the runs that decline",
}
"""What to look at before going on, by the cause of an investigation; answers have a case to look into."""


def _steps(comparison: ComparisonView, typed: _Typed, last: str) -> list[str]:
    """Look, then act: `last`, with the cures in its place of `{}`."""
    causes = _causes(comparison)
    steps = _look(comparison, typed)
    if comparison.verdict is Verdict.INVESTIGATE:
        steps += [_filled(LOOKS[cause], comparison, typed) for cause in causes if cause in LOOKS]
    cures = CURES if comparison.run.suite.system is None else {**CURES, "answers": "mend the system"}
    cured = ", ".join(cures[cause] for cause in causes if cause in cures) or cures["answers"]
    last = last.replace("{}", typed.fill(cured))
    return _numbered([*steps, last])


def _filled(look: str, comparison: ComparisonView, typed: _Typed) -> str:
    """What to look at, seen from where the baseline was made: what is committed already is in no plain `git diff`."""
    if not comparison.in_git:
        look = look.partition(" (git diff")[0]
    since = f" {visible(comparison.since)} --" if comparison.since else ""
    golden = visible(comparison.run.suite.golden) if since else "golden"
    return typed.fill(look).replace("{since}", since).replace("{golden}", golden)


def _numbered(steps: list[str]) -> list[str]:
    return [f"{'Then' if i else 'Next'}: {step}" for i, step in enumerate(steps)]


def _causes(comparison: ComparisonView) -> list[Cause]:
    """The causes of the reasons that make the verdict, in a fixed order."""
    there = {reason.cause for reason in comparison.reasons if reason.verdict >= comparison.verdict}
    return [cause for cause in get_args(Cause) if cause in there]


def _look(comparison: ComparisonView, typed: _Typed) -> list[str]:
    """The case that fell most; else the first that a reason names. Only where answers are the cause."""
    own = [r for r in comparison.reasons if r.verdict >= comparison.verdict and r.cause == "answers"]
    if not own:
        return []
    worst = min((c for c in comparison.cases if c.move in ("regressed", "broke")), key=lambda c: c.delta, default=None)
    case_id = worst.case_id if worst else next((r.case_id for r in own if r.case_id), None) or _fell_in(comparison, own)
    return [f"{typed('row3 investigate')} {plain(case_id)}"] if case_id else []


def _fell_in(comparison: ComparisonView, reasons: Sequence[Reason]) -> str | None:
    """The case that fell most in a metric that a reason names: the composite may not weigh it."""
    higher = {metric.key: metric.higher_is_better for metric in comparison.run.suite.kind.metrics}
    for key in (reason.metric for reason in reasons if reason.metric in higher):
        sign = 1 if higher[key] else -1
        worst = min(comparison.cases, key=lambda case: sign * case.deltas.get(key, 0.0), default=None)
        if worst is not None and sign * worst.deltas.get(key, 0.0) < 0:
            return worst.case_id
    return None
