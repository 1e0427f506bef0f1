"""The verdict in a word and in a line, and what to do next. The texts are plain and safe to print."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from row3.domain import numbers
from row3.domain.judgements import Code, Judgement, Verdict
from row3.domain.printable import plain, visible
from row3.domain.requests import RECORDED_ONLY
from row3.gate.policy import exceeds
from row3.gate.results import Comparison, Run
from row3.reports.case_changes import count_line
from row3.reports.document import Span, Tone
from row3.reports.reason_text import METRICS, further
from row3.reports.sentences import candidates, formerly_promoted, title_of
from row3.reports.spans import TONES
from row3.reports.terminal import VERDICT_MARKS

SCORES = METRICS.union((Code.UNCONFIRMED, Code.CASE_BROKE, Code.CRITICAL_BROKE, Code.QUARANTINED_FELL))
"""Codes that answers cause, so investigating a case helps; their subjects are metrics and cases of both sides."""


class VerdictLabel(NamedTuple):
    """Word, mark and tone of a verdict."""

    word: str
    mark: str
    tone: Tone

    @property
    def span(self) -> Span:
        """Mark and word."""
        return Span(f"{self.mark} {self.word}", self.tone)


def judgement_label(judgement: Judgement, *, informational: bool = False, incomplete: bool = False) -> VerdictLabel:
    """Return `PROCEED`, `INVESTIGATE`, `BLOCK`, `APPROVED (was: block)` or `INCOMPLETE`, with mark and tone."""
    verdict = judgement.verdict
    if incomplete or not judgement.complete:
        return VerdictLabel("INCOMPLETE", "?", "bad")
    if judgement.approval is not None:
        return VerdictLabel(f"APPROVED (was: {verdict.word})", VERDICT_MARKS[Verdict.PROCEED], "good")
    if informational and verdict is Verdict.BLOCK:
        return VerdictLabel("BLOCK, informational", VERDICT_MARKS[Verdict.INVESTIGATE], "warning")
    return VerdictLabel(verdict.word.upper(), VERDICT_MARKS[verdict], TONES[verdict])


def verdict_label(comparison: Comparison) -> VerdictLabel:
    """Return the label of a comparison's verdict."""
    run = comparison.run
    informational = run.suite.policy.informational
    return judgement_label(comparison.judgement, informational=informational, incomplete=bool(run.failed))


def summary(comparison: Comparison) -> str:
    """Return the primary metric, how it moved over how many cases, and how the cases moved."""
    run = comparison.run
    if run.failed:
        return f"{len(run.failed):,} of {numbers.count(run.cases, 'case')} without {run.without}"
    change = comparison.primary_change
    if change is None or change.current is None:
        return count_line(comparison.moves)
    moved = "" if change.delta is None else f" ({numbers.points(change.delta)} points, n = {change.cases:,})"
    title = title_of(comparison.run.suite, change.key)
    return f"{title} {numbers.percent(change.current)}{moved} · {count_line(comparison.moves)}"


def approval_line(comparison: Comparison) -> str:
    """Return who approved, when and why; empty without an approval."""
    approval = comparison.approval
    if approval is None:
        return ""
    return f"approved by {approval.by}, {numbers.moment(plain(approval.at))} UTC: {approval.reason}"


def behind_line(commits: int, ref: str) -> str:
    """Return how far HEAD is behind the base's ref, and what to do about it."""
    some = numbers.count(commits, f"commit of {ref} that changes", f"commits of {ref} that change")
    other = f"compare with the fork point: --against {ref}..."
    return f"HEAD lacks {some} row3's files: merge or rebase first, or {other}"


def model_flag(run: Run) -> str:
    """Return `--model MODEL` for a command if the recordings do not name a model that can be asked."""
    by_hand = {"", RECORDED_ONLY} & set(run.header.model.split(", "))
    return " --model MODEL" if run.suite.prompted and by_hand else ""


class Steps:
    """The steps after a comparison, with commands for its suite, prompts and answers; `folder` leads to the project."""

    def __init__(self, comparison: Comparison, folder: str = "") -> None:
        self.folder = folder
        self.comparison, self.run, self.suite = comparison, comparison.run, comparison.run.suite
        self.deciding = [each for each in comparison.reasons if each.verdict is comparison.verdict]
        self.codes = {each.code for each in self.deciding}
        self.against = f" --against {visible(comparison.against)}" if comparison.against else ""

    def command(self, command: str, *said: str) -> str:
        """Return a command with its options; `said` as in `JudgedSuite.flags`."""
        return visible(f"{command}{self.suite.flags(command, *said)}")

    def all(self) -> list[str]:
        """Return the next steps; none after a promotion, which lists the files it wrote."""
        comparison, verdict = self.comparison, self.comparison.verdict
        promoting = self.run.header.action == "promotion"
        if comparison.behind and comparison.against and (comparison.blocked or not comparison.complete):
            return [behind_line(comparison.behind, visible(comparison.against))]
        if not comparison.complete:
            return self._answer()
        if comparison.blocked:
            return self._blocked(promoting=promoting)
        if promoting:
            return []
        last = self._promote()
        if comparison.approval is not None:
            kept = "commit metrics-history.json and CHANGELOG.md: they hold the approval."
            return [*last, kept] if comparison.in_git else last
        if verdict is Verdict.BLOCK:
            return ["nothing to do: this gate is informational and blocks nothing.", *last]
        if verdict is Verdict.INVESTIGATE:
            if Code.PARTIAL in self.codes:
                return [*self._explain(), f"{self.command('row3 --compare')} with all the cases."]
            record = "record why this is acceptable: --approve REASON."
            return [*self._explain(), *(f"{each}." for each in self.remedies()), *(last or [record])]
        if comparison.asking:
            shown = f"{self.command('row3 --compare')} --against {visible(comparison.asking)} shows it"
            last = [*last, f"criteria were removed or loosened, so the hook may ask for an approval: {shown}."]
        return last or (["commit."] if comparison.in_git else [])

    def _answer(self) -> list[str]:
        if self.run.header.mode != "replay":
            first = "" if self.suite.prompted else "start or fix the system, then "
            return [f"{first}run it again with --continue, which asks only for what is missing."]
        model = model_flag(self.run)
        ask = f"{self.command('row3 --compare', 'mode')} --mode auto{self.against}{model} asks for the missing answers."
        return [ask]

    def _blocked(self, *, promoting: bool) -> list[str]:
        again = self.command("row3 --compare") + self.against
        prompt = ["fix the prompt"] if self.suite.prompted else ["fix the system", "raise its `version` in row3.toml"]
        others = self.remedies()
        cause = self._other_cause() or prompt
        fix = f"{', '.join([*(cause if self.codes & SCORES or not others else []), *others])} and run"
        if any(reason.code is Code.PARTIAL for reason in self.comparison.reasons):
            return [*self._explain(), f"{fix} {again} with all the cases."]
        if promoting:
            waiting = candidates(self.run)
            again = " ".join([self.command("row3 promote", *waiting), *waiting])
        command, known = self.confirming(), self.comparison.confirmation
        if command and known is not None:
            command = f"{command} asks up to {further(known.most - known.answers)}, to confirm the block."
        last = f"{fix} {again} again, or accept it with --approve REASON."
        return [*filter(None, [command]), *self._explain(), last]

    def confirming(self) -> str:
        """Return the command that asks for more answers; empty if these cannot clear the whole block."""
        known = self.comparison.confirmation
        doubtful = {each.subject for each in self.deciding if each.code is Code.UNCONFIRMED}
        return "" if known is None or any(each.subject not in doubtful for each in self.deciding) else known.command

    def _other_cause(self) -> list[str]:
        """Return what to do if not the prompt but the provider or the model explains the scores."""
        comparison, codes = self.comparison, {each.code for each in self.comparison.reasons}
        drifted = comparison.saved and comparison.drift is not None and comparison.drift.state == "moved"
        same = self.suite.prompted and self.run.header.prompt_digests == comparison.baseline.prompt_digests
        other_model = same and codes & {Code.MODEL_CHANGED, Code.SERVED_MODEL_CHANGED}
        if not (Code.PROVIDER_MOVED in codes or drifted or other_model):
            return []
        mode = "live" if self.suite.tier == "live" else "record"
        save = f"{self.command('row3 --baseline', 'mode')} --mode {mode}"
        if all(each.of_figure for each in self.deciding):
            return [f"choose a cheaper setting, raise the limit in row3.toml or record the baseline again ({save})"]
        return [f"record the baseline again ({save}) or choose another model"]

    def remedies(self) -> list[str]:
        """Return a phrase for each reason that answers do not cause."""
        criteria = {
            "case": ("the golden cases", self.suite.golden),
            "rule": ("row3.toml", "row3.toml"),
            "suite": ("the suite", "row3.toml"),
            "baseline": ("the baseline", "baselines"),
            "quarantine": ("the quarantine", self.suite.golden),
        }
        touched = {(each.code, each.subject.partition(" ")[0]) for each in self.deciding}
        found = [
            f"restore {name}"
            for kind, (name, _) in criteria.items()
            if {(Code.CRITERIA_REMOVED, kind), (Code.CRITERIA_LOOSENED, kind)} & touched
        ]
        found += [
            f"check that {name} had to change{self._diff(path)}"
            for kind, (name, path) in criteria.items()
            if (Code.CRITERIA_CHANGED, kind) in touched
        ]
        auto = f"{self.command('row3 --compare', 'mode')} --mode auto"
        known = {
            Code.RECORDED_AGAIN: f"check that these answers were meant to be recorded again{self._diff('recordings')}",
            Code.INCOMPARABLE: f"record the promoted version's answers to the new texts ({auto})"
            if self.run.lineup.promoted
            else f"save a new baseline ({self.command('row3 --baseline')})",
            Code.BASELINE_DIFFERS: f"save the baseline again ({self.command('row3 --baseline')})",
            Code.LOCK_BROKEN: "restore prompts/promoted.json and the prompts it lists",
            Code.NO_CASE: "add golden cases",
            Code.HISTORY_REMOVED: "restore metrics-history.json",
            Code.DECLINING: f"look at the declining runs ({self.command('row3 trend')})",
        }
        return [*found, *(text for code, text in known.items() if code in self.codes)]

    def _explain(self) -> list[str]:
        """Return the command that explains the worst case, if answers are the cause."""
        case_id = worst_case(self.comparison)
        return [f"{self.command('row3 investigate')} {plain(case_id)}"] if case_id else []

    def _diff(self, path: str) -> str:
        """Return the git command that shows how files changed since the base; empty outside git."""
        if not self.comparison.in_git:
            return ""
        since = f" {visible(self.comparison.against)} --" if self.comparison.against else ""
        return f" (git diff{since} {visible(shlex.quote(self.folder + path))})"

    def _promote(self) -> list[str]:
        waiting = candidates(self.run)
        drafts = set(waiting) - formerly_promoted(self.run)
        policy = self.suite.policy  # a promotion blocks by its limits alone
        gated = [change for change in self.comparison.metrics if change.key in policy.metrics]
        beyond = any(exceeds(change.worse_by, change.limit) for change in gated) and not policy.informational
        reason = ["--approve REASON"] if self.comparison.fell or beyond else []
        return [" ".join([self.command("row3 promote", *waiting), *waiting, *reason])] if drafts else []


def worst_case(comparison: Comparison) -> str | None:
    """Return the case that fell most: in the primary metric, else in a metric that a reason names.

    None if the verdict has other reasons than answers.
    """
    deciding = [each for each in comparison.reasons if each.verdict is comparison.verdict and not each.of_figure]
    reasons = [each for each in deciding if each.code in SCORES]
    if not reasons:
        return None
    worst = min((c for c in comparison.cases if c.move in ("regressed", "broke")), key=lambda c: c.delta, default=None)
    if worst is not None:
        return worst.case_id
    metrics = {metric.key: metric for metric in comparison.run.suite.kind.metrics}
    for reason in reasons:
        if reason.subject not in metrics:
            return reason.subject
        metric = metrics[reason.subject]
        drops = {case.case_id: metric.drop(0.0, case.deltas.get(metric.key, 0.0)) for case in comparison.cases}
        fell = max(drops, key=drops.__getitem__, default=None)
        if fell is not None and drops[fell] > 0:
            return fell
    return None
