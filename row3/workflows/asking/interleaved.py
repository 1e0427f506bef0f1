"""The baseline's prompts and the candidates asked in one run, case by case, so that a provider that moves cancels out.

Each case is asked on both sides by one worker, request by request in turn; which side begins alternates from case to
case and from round to round, so that neither is always the later one. Repeats are rounds over all cases.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

from row3.domain.counts import count
from row3.domain.scores import CaseScore
from row3.errors import UsageError
from row3.gate.adaptive import Margin, Standing, stand
from row3.kinds.base import Kind
from row3.store.cases import StoredCase
from row3.store.run_records import CaseRecord, parse_record
from row3.store.saved_runs import SavedRun
from row3.workflows.asking.asking_live import Answers, Walk, many
from row3.workflows.asking.endpoints import open_provider
from row3.workflows.asking.live import LiveRun
from row3.workflows.asking.live_journal import LASTS_H, Kept
from row3.workflows.comparing.compare_case import CaseComparer
from row3.workflows.pipeline.evaluate import Asking, average, one_repeat
from row3.workflows.pipeline.meanings import open_meanings
from row3.workflows.pipeline.results import CaseResult, Compare, Packing, Spent, Transcript


@dataclass(slots=True)
class Side:
    """What one side has said to one case so far."""

    scores: list[CaseScore] = field(default_factory=list)
    rounds: list[list[str]] = field(default_factory=list)
    """Digests of its answers, by round."""
    transcript: Transcript = field(default_factory=Transcript)
    """All rounds but those without an answer."""

    def take(self, walk: Walk, score: CaseScore) -> None:
        """Take in a round."""
        self.scores.append(score)
        self.rounds.append(walk.transcript.answers[len(self.transcript.answers) :])
        self.transcript = walk.transcript

    def score(self, kind: Kind) -> CaseScore:
        """Of all rounds."""
        return self.scores[0] if len(self.scores) == 1 else average(kind, self.scores)


@dataclass(slots=True)
class Pair:
    """One case with both its sides; `before` is None for a case that the baseline does not have."""

    stored: StoredCase
    place: int
    now: Side
    before: Side | None
    spent: list[Spent] = field(default_factory=list)
    problem: str = ""
    """Why it has no answer in the latest round that asked it."""


@dataclass(frozen=True, slots=True)
class Adaptive:
    """When to ask another round: see `row3.gate.adaptive`."""

    most: int
    margin: Margin
    primary: str
    uncounted: frozenset[str] = frozenset()
    """Cases in quarantine."""


@dataclass(slots=True)
class InterleavedRun:
    """A live run of both sides."""

    live: LiveRun
    again: Asking
    baseline: SavedRun
    comparer: CaseComparer
    adaptive: Adaptive | None = None
    rounds: int = 0
    standing: Standing | None = None
    unfinished: dict[str, str] = field(default_factory=dict)
    """Cases that have answers, but not to their last round, and why."""

    def results(self) -> list[CaseResult]:
        """All cases, answered on both sides and compared.

        Raises `ProviderStopped` where the provider refuses everything; every answer that came is kept. Raises
        `UsageError` as `LiveRun.results`, and where the baseline's model is none of the provider's.
        """
        import asyncio

        live = self.live
        if live.budget is not None:
            sides = (self.again, live.asking)
            live.budget.check(each.model for side in sides for each in side.parameters.values())
        pairs = [self._pair(place, stored) for place, stored in enumerate(live.cases())]
        # The two sides are kept apart, or equal prompts would get equal answers. What the baseline's prompts answer
        # now is never recorded: a replay of them is what the baseline was made of.
        # Nor are answers of long ago set beside answers of today.
        replaces = live.mode == "record"
        now = Kept.open(live.project, live.suite.name, f"{live.mode}-now", replaces=replaces, lasts_h=LASTS_H)
        before = Kept.open(live.project, live.suite.name, f"{live.mode}-before", lasts_h=LASTS_H)
        if waiting := now.waiting + before.waiting:
            live.say(f"going on with {count(waiting, 'answer')} that an interrupted run left")
        provider = open_provider(live.project, live.suite)
        meanings = open_meanings(live.project, live.suite, recordings=False)
        answers = [
            Answers(provider, kept.known, kept.keep, live.observer, live.cost, live.budget, meanings)
            for kept in (before, now)
        ]
        most = live.asking.repeats if self.adaptive is None else self.adaptive.most
        asking = self._asked(pairs, answers[0], answers[1], most)
        complete = False
        try:
            asyncio.run(asking)
            complete = not any(pair.problem for pair in pairs)
        finally:
            live.observer.ended()
            if not complete:
                now.close()
                before.close()
            if live.mode == "record":
                now.record(live.say)
                if meanings is not None:
                    meanings.record(live.project, live.say)
        live.tell_refused(provider)
        if complete:
            live.end(now, before)
        return [self._packed(pair) for pair in pairs]

    def _pair(self, place: int, stored: StoredCase) -> Pair:
        known = self.baseline.record(stored.id) is not None
        return Pair(stored, place, Side(), Side() if known else None)

    async def _asked(self, pairs: list[Pair], before: Answers, now: Answers, most: int) -> None:
        """Round after round, until there is no reason for another."""
        try:
            self.live.observer.began(len(pairs) * most if self.adaptive is None else None)
            for number in range(most):
                asked = [pair for pair in pairs if not pair.problem]
                if number and self.adaptive is not None:
                    asked = self._counting(asked)
                await many(asked, partial(self._ask, before=before, now=now, number=number), jobs=self.live.jobs)
                self.rounds = number + 1
                if self.adaptive is not None:
                    if any(pair.problem for pair in pairs):
                        self.rounds = max(1, number)  # the last one is not over
                        return
                    if self._over(pairs, most):
                        return
        finally:
            await now.close()

    async def _ask(self, pair: Pair, *, before: Answers, now: Answers, number: int) -> None:
        """One round of one case: both sides in turn, request by request."""
        walks = {"now": Walk(one_repeat(self.live.asking, pair.stored, number), now, pair.now.transcript.copy())}
        if pair.before is not None:
            steps = one_repeat(self.again, pair.stored, number)
            walks["before"] = Walk(steps, before, pair.before.transcript.copy())
        order = ["before", "now"] if (pair.place + number) % 2 == 0 else ["now", "before"]
        going = [name for name in order if name in walks]
        while going and not pair.problem:
            for name in list(going):
                if not await _step(walks[name], baseline=name == "before"):
                    going.remove(name)
                score = walks[name].score
                if score is not None and score.status == "failed":
                    pair.problem = score.problem if name == "now" else f"the baseline's prompts: {score.problem}"
                    break
        for name, side in (("now", pair.now), ("before", pair.before)):
            if side is not None:
                pair.spent += walks[name].transcript.spent[len(side.transcript.spent) :]
        score = walks["now"].score
        if pair.problem or score is None:
            score = CaseScore(pair.stored.id, "failed", {}, problem=pair.problem)
        else:
            for name, side in (("now", pair.now), ("before", pair.before)):
                if side is not None and (own := walks[name].score) is not None:
                    side.take(walks[name], own)
        self.live.observer.finished(Packing(self.live.suite)(pair.stored, score))

    def _counting(self, pairs: list[Pair]) -> list[Pair]:
        """Pairs that can change the verdict: asked on both sides, with the metric, and not in quarantine."""
        assert self.adaptive is not None
        key, uncounted = self.adaptive.primary, self.adaptive.uncounted
        return [
            pair
            for pair in pairs
            if pair.before is not None
            and pair.stored.id not in uncounted
            and any(key in score.metrics for score in (*pair.now.scores, *pair.before.scores))
        ]

    def _over(self, pairs: list[Pair], most: int) -> bool:
        adaptive = self.adaptive
        assert adaptive is not None
        counting = self._counting(pairs)
        values = [
            [
                # An answer that lacks it says nothing where nothing is to be found, and is right.
                [score.metrics.get(adaptive.primary, 1.0) for score in side.scores]
                for side in (pair.before, pair.now)
                if side is not None
            ]
            for pair in counting
        ]
        rounds = [
            [adaptive.margin.difference(before[number], now[number]) for before, now in values]
            for number in range(self.rounds)
        ]
        sides = [side for pair in counting for side in (pair.before, pair.now) if side is not None]
        changed = sum(said != side.rounds[0] for side in sides for said in side.rounds[1:])
        repeated = sum(len(side.rounds) - 1 for side in sides)
        self.standing = stand(rounds, adaptive.margin, most=most, repeated=repeated, changed=changed)
        return self.standing.stop is not None

    def _packed(self, pair: Pair) -> CaseResult:
        live, stored = self.live, pair.stored
        if not pair.now.scores:
            score = CaseScore(stored.id, "failed", {}, problem=pair.problem)
            return live.packing(stored, score)._replace(spent=tuple(pair.spent))
        if pair.problem:
            self.unfinished[stored.id] = pair.problem
        packing = live.packing
        if pair.before is not None:
            line = Packing(live.suite)(stored, pair.before.score(live.suite.kind), pair.before.transcript).line
            record = parse_record(line, where=stored.id)
            packing = replace(packing, compare=self._compare(record, len(pair.before.scores)))
        packed = packing(stored, pair.now.score(live.suite.kind), pair.now.transcript)
        return packed._replace(spent=tuple(pair.spent))

    def _compare(self, again: CaseRecord, repeats: int) -> Compare:
        return lambda record: self.comparer.against(record, again, repeats)


async def _step(walk: Walk, *, baseline: bool) -> bool:
    try:
        return await walk.step()
    except UsageError as error:
        if not baseline:
            raise
        raise UsageError(
            f"the baseline's prompts cannot be asked: {error.what}",
            where=error.where,
            fix=f"{error.fix}; or with --no-interleave, which compares with the baseline as it was saved",
        ) from None
