"""The baseline's prompts and the candidates asked in one run, case by case, so that a provider that moves cancels out.

Each case is asked on both sides by one worker, request by request in turn; which side begins alternates from case to
case and from round to round, so that neither is always the later one. Repeats are rounds over all cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from row3.domain.scores import CaseScore
from row3.errors import UsageError
from row3.gate.adaptive import Margin, Progress, assess
from row3.store.cases import StoredCase
from row3.store.suites import Suite
from row3.workflows.asking.answering import Asked, Kept
from row3.workflows.asking.live import LiveRun, many
from row3.workflows.pipeline.evaluate import Asking, Walk, average, one_repeat
from row3.workflows.pipeline.results import CaseResult, Packing, Spent, Transcript


@dataclass(slots=True)
class Side:
    """One side's answers to one case so far."""

    scores: list[CaseScore] = field(default_factory=list)
    rounds: list[list[str]] = field(default_factory=list)
    """Digests of its answers, by round."""
    transcript: Transcript = field(default_factory=Transcript)
    """All complete rounds."""

    def take(self, walk: Walk) -> None:
        """Take in a complete round."""
        assert walk.score is not None
        self.scores.append(walk.score)
        self.rounds.append(walk.transcript.answers[len(self.transcript.answers) :])
        self.transcript = walk.transcript

    def score(self, suite: Suite) -> CaseScore:
        """Of all rounds."""
        return self.scores[0] if len(self.scores) == 1 else average(suite.kind, self.scores, suite.rules.passes)


@dataclass(slots=True)
class Pair:
    """One case with both its sides; `before` is None for a case that the baseline does not have."""

    stored: StoredCase
    place: int
    now: Side
    before: Side | None
    spent: list[Spent] = field(default_factory=list)
    problem: str = ""
    """Why the latest round that asked it has no answer."""


@dataclass(frozen=True, slots=True)
class Adaptive:
    """When to ask another round: see `row3.gate.adaptive`."""

    most: int
    margin: Margin
    primary: str
    uncounted: frozenset[str] = frozenset()
    """Cases in quarantine."""
    silent: bool = True
    """An answer without the metric says nothing where nothing is to be found; else it could not be measured."""


@dataclass(slots=True)
class Interleaving:
    """The base's side of a comparison that asks both sides in one run, and what came of it."""

    again: Asking
    has: Callable[[str], bool]
    """Whether the base has a case of that id."""
    adaptive: Adaptive | None = None
    stand_in: str | None = None
    """The model that is asked where the baseline's is not served, so that nothing is told of a drift."""
    rounds: int = 0
    progress: Progress | None = None
    unfinished: dict[str, str] = field(default_factory=dict)
    """Cases that have answers, but not to their last round, and why."""

    def results(self, live: LiveRun) -> list[CaseResult]:
        """All cases, answered on both sides and compared.

        Raises `ProviderStopped` where the provider refuses everything; every answer so far is kept. Raises
        `UsageError` as `LiveRun.results`, and where the baseline's model is none of the provider's.
        """
        live.check_models(self.again, live.asking)
        pairs = [
            Pair(stored, place, Side(), Side() if self.has(stored.id) else None)
            for place, stored in enumerate(live.cases())
        ]
        # The two sides are kept apart, or equal prompts would get equal answers. The baseline's answers of now are
        # never recorded: a replay of its prompts gives those that it was made of. Old answers are no match for new.
        project, name, replaces = live.session.project, live.asking.suite.name, live.mode == "record"
        say = live.session.say
        before = Kept.open(project, name, f"{live.mode}-before", models=self.again.models, say=say)
        now = Kept.open(project, name, f"{live.mode}-now", replaces=replaces, models=live.asking.models, say=say)
        ask = partial(self._ask_all, live, pairs)
        live.ask([before, now], ask, record=now if replaces else None, embeddings=False)
        return [self._packed(live, pair) for pair in pairs]

    async def _ask_all(self, live: LiveRun, pairs: Sequence[Pair], answerers: Sequence[Asked]) -> bool:
        """Round after round, until there is no reason for another; whether every case has all its answers."""
        adaptive = self.adaptive
        most = live.asking.repeats if adaptive is None else adaptive.most
        live.observer.began(len(pairs) * most if adaptive is None else None)
        for number in range(most):
            asked = [pair for pair in pairs if not pair.problem]
            if number and adaptive is not None:
                asked = _counting(asked, adaptive)
            await many(asked, partial(self._ask, live, answerers, number), jobs=live.jobs)
            self.rounds = number + 1
            if adaptive is not None and any(pair.problem for pair in pairs):
                self.rounds = max(1, number)  # the last one is not over
                break
            if adaptive is not None:
                self.progress = _assess(_counting(pairs, adaptive), adaptive, self.rounds)
                if self.progress.stop is not None:
                    break
        return not any(pair.problem for pair in pairs)

    async def _ask(self, live: LiveRun, answerers: Sequence[Asked], number: int, pair: Pair) -> None:
        """One round of one case: both sides in turn, request by request."""
        before, now = answerers
        walks = {"now": Walk(one_repeat(live.asking, pair.stored, number), now, pair.now.transcript.copy())}
        sides = {"now": pair.now}
        if pair.before is not None:
            asked = one_repeat(self.again, pair.stored, number)
            walks["before"] = Walk(asked, before, pair.before.transcript.copy())
            sides["before"] = pair.before
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
        for name, side in sides.items():
            pair.spent += walks[name].transcript.spent[len(side.transcript.spent) :]
            if not pair.problem:
                side.take(walks[name])
        score = walks["now"].score
        if pair.problem or score is None:
            score = CaseScore(pair.stored.id, "failed", {}, problem=pair.problem)
        live.observer.finished(Packing(live.asking.suite)(pair.stored, score))

    def _packed(self, live: LiveRun, pair: Pair) -> CaseResult:
        suite, stored, spent = live.asking.suite, pair.stored, tuple(pair.spent)
        if not pair.now.scores:
            score = CaseScore(stored.id, "failed", {}, problem=pair.problem)
            return replace(live.packing, before=None)(stored, score)._replace(spent=spent)
        if pair.problem:
            self.unfinished[stored.id] = pair.problem
        base = None if pair.before is None else (pair.before.score(suite), pair.before.transcript)
        packing = replace(live.packing, before=lambda _: base)
        return packing(stored, pair.now.score(suite), pair.now.transcript)._replace(spent=spent)


def _counting(pairs: Sequence[Pair], adaptive: Adaptive) -> list[Pair]:
    """Pairs that can change the verdict: asked on both sides, with the metric, and not in quarantine."""
    return [
        pair
        for pair in pairs
        if pair.before is not None
        and pair.stored.id not in adaptive.uncounted
        and (any if adaptive.silent else all)(
            adaptive.primary in score.metrics for score in (*pair.before.scores, *pair.now.scores)
        )
    ]


def _assess(counting: Sequence[Pair], adaptive: Adaptive, rounds: int) -> Progress:
    sides = [(pair.before, pair.now) for pair in counting if pair.before is not None]
    # An answer that lacks the metric says nothing where nothing is to be found, and is right.
    values = [[[score.metrics.get(adaptive.primary, 1.0) for score in side.scores] for side in both] for both in sides]
    differences = [
        [adaptive.margin.difference(before[number], now[number]) for before, now in values] for number in range(rounds)
    ]
    again = [said != side.rounds[0] for both in sides for side in both for said in side.rounds[1:]]
    return assess(differences, adaptive.margin, most=adaptive.most, repeated=len(again), changed=sum(again))


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
