"""Ask the baseline's prompts and the candidates in one run, so that a drifting provider affects both alike.

One worker asks both sides of a case, taking turns request by request. The side that begins alternates from case to case
and from round to round. Repeats are rounds over all cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from row3.domain.progress import Spent
from row3.domain.scores import CaseScore
from row3.errors import UsageError
from row3.gate.adaptive import Margin, Progress, assess
from row3.project.cases import StoredCase
from row3.project.suites import Suite
from row3.running.answering import LiveAnswerer, SavedAnswers
from row3.running.case_results import Transcript
from row3.running.evaluate import Asking, Walk, average, one_repeat
from row3.running.live import LiveRun, lacks_grade, many


@dataclass(slots=True)
class CaseAnswers:
    """One side's answers to one case so far."""

    scores: list[CaseScore] = field(default_factory=list)
    rounds: list[list[str]] = field(default_factory=list)
    """Digests of the answers, by round."""
    transcript: Transcript = field(default_factory=Transcript)
    """Requests and answers of all complete rounds."""

    def take(self, walk: Walk) -> None:
        """Add a complete round."""
        assert walk.score is not None
        self.scores.append(walk.score)
        self.rounds.append(walk.transcript.answers[len(self.transcript.answers) :])
        self.transcript = walk.transcript

    def score(self, suite: Suite) -> CaseScore:
        """Return the score of all rounds together."""
        if len(self.scores) == 1:
            return self.scores[0]
        return self.transcript.onto(average(suite.kind, self.scores, suite.rules.passes))


@dataclass(slots=True)
class Pair:
    """Both sides of one case; `before` is None if the baseline lacks the case."""

    stored: StoredCase
    place: int
    now: CaseAnswers
    before: CaseAnswers | None
    spent: list[Spent] = field(default_factory=list)
    problem: str = ""
    """Why the latest round got no answer."""


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Settings that decide whether to ask another round; see `row3.gate.adaptive`."""

    most: int
    margin: Margin
    primary: str
    uncounted: frozenset[str] = frozenset()
    """Ids of quarantined cases."""
    silent: bool = True
    """Whether an answer without the metric is a rightly empty one; if not, the metric could not be measured."""


@dataclass(slots=True)
class Interleaving:
    """A comparison that asks both sides in one run: the baseline's requests, and the progress."""

    baseline: Asking
    has_case: Callable[[str], bool]
    """Returns whether the baseline has the case with that id."""
    adaptive: Adaptive | None = None
    substitute: str | None = None
    """Model asked instead of one that no provider serves; then drift is not reported."""
    rounds: int = 0
    progress: Progress | None = None
    unfinished: dict[str, str] = field(default_factory=dict)
    """Why a case has no answer to its last round, by id of cases with earlier answers."""

    def results(self, live: LiveRun) -> list[CaseScore]:
        """Return the results of all cases, answered on both sides and compared.

        Raises `ProviderStopped` and `UsageError` as `LiveRun.results`, also for the baseline's model.
        """
        live.check_models(self.baseline, live.asking)
        pairs = [
            Pair(stored, place, CaseAnswers(), CaseAnswers() if self.has_case(stored.id) else None)
            for place, stored in enumerate(live.cases())
        ]
        # The sides have separate journals, or equal prompts would share answers. The baseline's new answers are never
        # recorded, as a replay must give the baseline's own.
        replaces = live.mode == "record"
        before = SavedAnswers.open(live.session, f"{live.mode}-before", models=self.baseline.models)
        # What is recorded is shared with all other runs that record.
        now = SavedAnswers.open(
            live.session, "record" if replaces else "live-now", replaces=replaces, models=live.asking.models
        )
        ask = partial(self._ask_all, live, pairs)
        live.ask([before, now], ask, record=now if replaces else None, embeddings=False)
        return [self._packed(live, pair) for pair in pairs]

    async def _ask_all(self, live: LiveRun, pairs: Sequence[Pair], answerers: Sequence[LiveAnswerer]) -> bool:
        """Ask rounds until no other is needed; return whether every case has all its answers."""
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
                self.rounds = max(1, number)  # this round is incomplete
                break
            if adaptive is not None:
                self.progress = _assess(_counting(pairs, adaptive), adaptive, self.rounds)
                if self.progress.stop is not None:
                    break
        sides = [side for pair in pairs for side in (pair.before, pair.now) if side is not None]
        ungraded = any(lacks_grade(score) for side in sides for score in side.scores)
        return not ungraded and not any(pair.problem for pair in pairs)

    async def _ask(self, live: LiveRun, answerers: Sequence[LiveAnswerer], number: int, pair: Pair) -> None:
        sides = {"now": pair.now} if pair.before is None else {"before": pair.before, "now": pair.now}
        requests = {"before": (self.baseline, answerers[0]), "now": (live.asking, answerers[1])}
        walks: dict[str, Walk] = {}
        for name, side in sides.items():
            asking, answerer = requests[name]
            walks[name] = Walk(one_repeat(asking, pair.stored, number), answerer, side.transcript.copy())
        going = list(sides if (pair.place + number) % 2 == 0 else reversed(sides))
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
        live.observer.finished(score.case_id, score.status, score.problem)

    def _packed(self, live: LiveRun, pair: Pair) -> CaseScore:
        suite, stored, spent = live.asking.suite, pair.stored, tuple(pair.spent)
        if not pair.now.scores:
            score = CaseScore(stored.id, "failed", {}, problem=pair.problem)
            return replace(live.packing, before=None)(stored, score)._replace(asked=spent)
        if pair.problem:
            self.unfinished[stored.id] = pair.problem
        base = None if pair.before is None else pair.before.score(suite)
        packing = replace(live.packing, before=lambda _: base)
        return packing(stored, pair.now.score(suite))._replace(asked=spent)


def _counting(pairs: Sequence[Pair], adaptive: Adaptive) -> list[Pair]:
    """Return the pairs that can change the verdict: with both sides and the metric, not in quarantine."""
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
    # A rightly empty answer lacks the metric and is flawless.
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
        what = f"the baseline's prompts cannot be asked: {error.what}"
        fix = f"{error.fix}; or compare with the saved baseline: --no-interleave"
        raise UsageError(what, where=error.where, fix=fix) from None
