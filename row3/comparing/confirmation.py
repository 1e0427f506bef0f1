"""Confirm a block that may be noise by further answers of both sides: recorded ones, else asked for (docs/gate.md)."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from row3.comparing.context import recorded_by, rolling_of
from row3.comparing.sources import Gate, Ruling, Scored, open_gate
from row3.domain.judgements import Code, Judgement, Reason, Verdict
from row3.domain.numbers import money
from row3.domain.prompts import Lineup
from row3.domain.requests import RECORDED_ONLY
from row3.domain.scores import Spent
from row3.domain.words import count
from row3.errors import Row3Error
from row3.gate.drift import Drift, drift_between
from row3.gate.judging import blocks_for_good, unconfirmed
from row3.gate.policy import GatePolicy, PolicyName
from row3.gate.results import Confirmation, Run
from row3.gate.scores import Context, Scores
from row3.project.base import read_again
from row3.project.project import Project
from row3.running.budget import prices_of
from row3.running.case_results import Packing
from row3.running.collect import usage_of, with_usage
from row3.running.evaluate import Asking, More
from row3.running.lineup import line_up
from row3.running.run_options import make_asking
from row3.running.session import Session
from row3.running.suite_run import run_suite

if TYPE_CHECKING:
    from row3.running.estimate import Estimate

STEP = 2
"""Further answers, a case and side, from one look at the scores to the next."""


@dataclass(frozen=True, slots=True)
class Part:
    """A lineup that the gate judges: the candidate's, or the head's promoted versions."""

    session: Session
    lineup: Lineup | None
    first: Scored
    """By the answers of the comparison itself."""
    scored: Scored
    """By these and the further answers."""
    scores: Sequence[Scores]

    @property
    def may_be_cleared(self) -> bool:
        """Whether it blocks although more answers could clear it."""
        return any(unconfirmed(each) for each in self.scores if not each.unchanged)


class Judged(NamedTuple):
    """What the gate judged, and how."""

    parts: Sequence[Part]
    """The candidate first."""
    context: Context
    judgement: Judgement
    drift: Drift | None = None
    """How the base's further answers differ from its earlier ones beyond noise; then they alone are judged."""

    @property
    def extended(self) -> list[Part]:
        """The parts that need further answers of both sides; none if only a rolling mean does."""
        return [part for part in self.parts if part.may_be_cleared]


@dataclass(slots=True)
class Confirming:
    """The further answers to one comparison."""

    session: Session
    """In the mode of the command."""
    gate: Gate
    base: Project | None
    policies: tuple[GatePolicy, GatePolicy]
    """The base's and the head's."""
    judge: Callable[[Sequence[Part], Context], Judgement]
    policy: PolicyName | None = None
    """The policy that judges instead of the configured one."""
    answers: int = 0
    missing: int = 0
    stopped: str = ""
    can_ask: bool = False
    """Whether a provider serves the models of both sides."""
    spent: list[Spent] = field(default_factory=list)
    """What this command asked."""

    def confirm(self, first: Judged) -> tuple[Judged, Confirmation | None]:
        """Judge with further answers as long as these could lift the block; no confirmation if none is needed."""
        if not self._may_be_cleared(first):
            return first, None
        most = max(policy.confirm for policy in self.policies)
        found = first
        while self._may_be_cleared(found) and self.answers < most:
            more = More(min(self.answers + STEP, most))
            try:
                looked = self._look(first, found, more)
            except Row3Error as error:  # the block stands, and no answer is lost
                self.stopped, looked = str(error), None
            if looked is None:
                break
            found, self.answers, self.missing, self.stopped = looked, more.answers, 0, ""
        if self.missing and self.spent and self.gate.interleaving is None:
            self.missing = len(self._plan(found, more).to_send)
        command = self._command(first, most) if looked is None and self.can_ask else ""
        asked = len(self.spent)
        return self._with_usage(found), Confirmation(most, self.answers, asked, self.missing, self.stopped, command)

    def _may_be_cleared(self, found: Judged) -> bool:
        """Return whether further answers could lift the block: no approval does, and nothing else blocks."""
        scores = [each for part in found.parts for each in part.scores if not each.unchanged]
        drops = {reason.subject for reason in found.context.rolling if reason.code is Code.UNCONFIRMED}
        decided = not found.judgement.complete or found.judgement.approval is not None
        if decided or any(map(blocks_for_good, scores)) or not (drops or found.extended):
            return False
        parts = [replace(part, scores=[replace(each, unchanged=True) for each in part.scores]) for part in found.parts]
        rolling = [reason for reason in found.context.rolling if reason.subject not in drops]
        return self.judge(parts, replace(found.context, rolling=rolling)).verdict is not Verdict.BLOCK

    def _look(self, first: Judged, found: Judged, more: More) -> Judged | None:
        """Return the judgement with these further answers, asking for those that are missing if the command may.

        None if some are still missing.
        """
        asks = self.gate.interleaving
        if asks is None and self.session.mode == "live":
            self.stopped = "a live comparison with the saved baseline asks only one side"
            self.can_ask = not self.session.command.live.interleave
            return None
        if asks is None and (looked := self._judged(first, found, more)) is not None:
            return looked
        plan = self._plan(found, more)
        self.missing = len(plan.to_send)
        self.can_ask = not any(each.model == RECORDED_ONLY for each in plan.to_send)
        if not self.can_ask:
            self.stopped = f"no provider serves `{RECORDED_ONLY}`, the model of recordings made by hand"
        if not self.can_ask or not may_ask(self.session, interleaved=asks is not None):
            return None
        price = "" if plan.cost_usd is None else f", about {money(plan.cost_usd)}"
        if self.missing:
            self.session.say(f"{count(self.missing, 'more request')}{price}, to confirm the block")
        if asks is None:
            self._ask(found, more)
            self.base = None if self.base is None else read_again(self.base)
            self.gate = open_gate(self.session.replaying(), self.base)
            return self._judged(first, found, more)
        earlier = len(asks.asked)
        try:
            return self._judged(first, found, more)
        finally:
            self.stopped = next(iter(asks.problems.values()), "")
            self.spent += asks.asked[earlier:]
            self.missing -= len(asks.asked[earlier:])

    def _judged(self, first: Judged, found: Judged, more: More) -> Judged | None:
        """Judge with these further answers; None if one is missing."""
        parts, drift = list(found.parts), None
        for place, part in enumerate(parts):
            if part.may_be_cleared:
                scored, moved = self._scored(part, more)
                if scored is None:
                    return None
                drift = drift or moved
                scores = scored.scores(*self.policies, confirmed=more.answers)
                scores = [replace(new, once=old) for new, old in zip(scores, first.parts[place].scores, strict=True)]
                parts[place] = replace(part, scored=scored, scores=scores)
        run = parts[0].scored.run
        if not found.extended:
            ruling = self.gate.rulings(parts[0].session, parts[0].first, more)[0]
            session = self._replaying(parts[0].session)
            run = run_suite(
                replace(session, options=replace(session.options, more=ruling.more)),
                lineup=parts[0].lineup,
                suite=ruling.suite,
                judge=ruling.judge,
                index=self.gate.index,
                interleaving=self.gate.interleaving,
            )
            if run.failed:
                return None
        rolling = _rolling(self.gate, run, first.context.rolling, more.answers)
        recorded, provider = recorded_by(self.gate, parts[0].scored.comparer), None if drift is None else drift.change
        context = replace(first.context, rolling=rolling, provider_moved=provider, recorded=recorded)
        return Judged(parts, context, self.judge(parts, context), drift)

    def _scored(self, part: Part, more: More) -> tuple[Scored | None, Drift | None]:
        """Return a part with these further answers, None if one is missing, and how the base's moved, if they did."""
        rulings = self.gate.rulings(part.session, part.first, more)
        asks, session = self.gate.interleaving, self._replaying(part.session)
        if asks is not None:
            asks.baseline = replace(asks.baseline, more=rulings[0].more)
        scored = self.gate.score(session, part.lineup, rulings)
        if scored.run.failed or any(
            new.compared_ids() != old.compared_ids()
            for new, old in zip(scored.comparers, part.first.comparers, strict=True)
        ):
            return None, None
        if asks is not None:
            answers = [*part.scored.run.answers, *scored.run.answers]
            return scored._replace(run=replace(scored.run, answers=answers)), None
        drift = None if self.gate.side.fixed else self._drift(rulings[0])
        if drift is None or drift.state != "moved":
            return scored, None
        alone = self.gate.rulings(part.session, part.first, replace(more, alone=True))
        return self.gate.score(session, part.lineup, alone), drift

    def _replaying(self, session: Session) -> Session:
        """Return the session that finds the further answers: recorded, or those of the interleaved run."""
        return session.replaying() if self.gate.interleaving is None else session

    def _drift(self, ruling: Ruling) -> Drift:
        """Return how far the base's further answers drifted from its earlier ones."""
        suite, judge, more = ruling
        further = replace(self.gate, side=self.gate.side.with_more(replace(more, alone=True)))
        then, now = (each.scores_then(suite, judge, more.cases) for each in (self.gate, further))
        return drift_between(then, now, suite.kind, suite.policy)

    def _sides(self, found: Judged, more: More) -> Iterator[tuple[Ruling, Asking, Asking | None]]:
        """Yield what the candidate and the base are asked further; a rolling mean and a fixed base are not asked.

        Parts and criteria may share requests.
        """
        for part in found.extended or found.parts[:1]:
            for ruling in self.gate.rulings(part.session, part.first, replace(more, alone=True)):
                options = replace(part.session.options, more=ruling.more)
                now = make_asking(ruling.suite, part.scored.run.lineup, options)
                before = self.gate.further(ruling.suite, ruling.more) if found.extended else None
                yield ruling, now, before

    def _plan(self, found: Judged, more: More) -> Estimate:
        """Return the further requests, without those that were answered."""
        from row3.running.estimate import estimate_more  # few comparisons confirm a block

        sides = list(self._sides(found, more))
        askings = [(each, ruling.judge) for ruling, *both in sides for each in both if each is not None]
        project, suite, recorded = self.session.project, self.gate.suite, self.gate.interleaving is None
        return estimate_more(project, suite, askings, self.gate.index, since=self.answers, replays=recorded)

    def _ask(self, found: Judged, more: More) -> None:
        """Ask both sides, interleaved, for what is not recorded, and record it. Raises as `LiveRun.results`."""
        from row3.running.interleaved import Interleaving  # replay needs no provider
        from row3.running.live import LiveRun

        for ruling, now, before in self._sides(found, more):
            options = replace(self.session.options, only=ruling.more.cases)
            live = replace(
                LiveRun.of(self.session, now),
                mode="auto",
                judge=ruling.judge,
                options=options,
                packing=Packing(ruling.suite),
            )
            incomplete = self.session.state.incomplete
            both = Interleaving(before or now, (frozenset() if before is None else ruling.more.cases).__contains__)
            try:
                both.results(live)
            finally:
                self.spent += both.asked
                self.session.state.incomplete = incomplete  # what has an answer is recorded
            self.stopped = self.stopped or next(iter(both.problems.values()), "")

    def _with_usage(self, found: Judged) -> Judged:
        """Return the judgement with the candidate's run as that of the comparison: its id, mode and usage."""
        part, header = found.parts[0], found.parts[0].first.run.header
        project, suite = self.session.project, self.session.suite
        run = replace(
            part.scored.run,
            header=part.scored.run.header.replace(mode=header.mode, run_id=header.run_id, at=header.at),
            usage=part.first.run.usage,
        )
        run = with_usage(run, usage_of(self.spent, prices_of(project, suite, known_models=bool(self.spent)).usd))
        candidate = replace(part, scored=part.scored._replace(run=run))
        return found._replace(parts=[candidate, *found.parts[1:]])

    def _command(self, first: Judged, most: int) -> str:
        """Return the command that asks for the further answers, or goes on asking."""
        session, part = self.session, first.parts[0]
        said, live = ["mode", "confirm", "no-interleave"], session.mode == "live"
        more = [f"--mode {'live' if live else 'auto'}", f"--confirm {most}"]
        more += ["--continue"] if live and self.stopped else []
        more += [] if self.base is None else [f"--against {shlex.quote(self.base.label)}"]
        if self.policy is not None:
            said.append("policy")
            more.append(f"--policy {self.policy}")
        candidates = line_up(session.project, session.suite, role="candidate", named=session.options.named)
        if part.lineup is not None and part.lineup.digests() != candidates.digests():
            said.append("prompt")
            more += [f"--prompt {prompt.ref}" for prompt in part.lineup.prompts]
        return " ".join(["row3 --compare", *more]) + session.suite.flags("row3 --compare", *said)


def _rolling(gate: Gate, run: Run, first: Sequence[Reason], answers: int) -> tuple[Reason, ...]:
    """Return the reasons of the rolling mean with further answers, with a note on each drop that these cleared."""
    found = tuple(rolling_of(gate, run, answers))
    drops = {each.subject for each in found if each.code is Code.ROLLING_DROP and each.verdict is Verdict.BLOCK}
    once = {each.subject: each.figures for each in first if each.code is Code.ROLLING_DROP}
    cleared = [each.subject for each in first if each.code is Code.UNCONFIRMED and each.subject not in drops]
    notes = []
    for key in cleared:
        before, now = once[key]["before"], run.header.metrics.get(key)
        figures = {"answers": answers, "once": (before, once[key]["after"]), "before": before, "after": now}
        notes.append(Reason(Code.CLEARED, Verdict.PROCEED, key, figures))
    return (*found, *notes)


def may_ask(session: Session, *, interleaved: bool) -> bool:
    """Return whether the command may ask for more answers than it was called for."""
    live = session.command.live
    if session.mode == "auto":
        return live.confirm is not None or live.max_cost is not None
    return session.mode == "record" or interleaved


def planned_confirmation(session: Session) -> Estimate | None:
    """Return the requests that confirming a block may add at most; None if the command would not ask them.

    Raises `InvalidFile`, `UsageError`.
    """
    from row3.running.estimate import estimate_more

    suite, gate = session.suite, open_gate(session, None)
    asks = gate.interleaving
    if not suite.policy.confirm or not may_ask(session, interleaved=asks is not None):
        return None
    assert gate.manifest is not None
    more = More(suite.policy.confirm, frozenset(filter(session.options.wants, gate.manifest.cases)), alone=True)
    lineup = line_up(session.project, suite, role="candidate", named=session.options.named)
    now = make_asking(suite, lineup, replace(session.options, more=more))
    askings = [(each, session.project) for each in (now, gate.further(suite, more)) if each is not None]
    return estimate_more(session.project, suite, askings, gate.index, since=0, replays=asks is None)
