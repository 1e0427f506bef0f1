"""Ask the baseline's prompts and the candidates in one run, so that a drifting provider affects both alike.

One worker asks both sides of a case, taking turns request by request. The side that begins alternates from case to case
and from round to round. Repeats are rounds over all cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from row3.domain.scores import CaseScore, Spent
from row3.errors import UsageError
from row3.project.cases import StoredCase
from row3.running.answering import LiveAnswerer, SavedAnswers
from row3.running.case_results import Transcript
from row3.running.concurrency import ask_ahead, asked_ahead, many
from row3.running.evaluate import Asking, Beside, Walk, average, one_repeat
from row3.running.live import LiveRun, lacks_grade


@dataclass(slots=True)
class CaseAnswers:
    """One side's answers to one case so far."""

    scores: list[CaseScore] = field(default_factory=list)
    transcript: Transcript = field(default_factory=Transcript)
    """Requests and answers of all complete rounds."""

    def take(self, walk: Walk) -> None:
        """Add a complete round."""
        assert walk.score is not None
        self.scores.append(walk.score)
        self.transcript = walk.transcript

    def score(self, asking: Asking) -> CaseScore:
        """Return the score of all rounds together."""
        if len(self.scores) == 1:
            return self.scores[0]
        return self.transcript.onto(average(asking.suite.kind, self.scores, asking.passes(len(self.scores))))


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


@dataclass(slots=True)
class Interleaving:
    """A comparison that asks both sides in one run: the baseline's requests, and the answers so far.

    Called again with more repeats, it asks only for those.
    """

    baseline: Asking
    has_case: Callable[[str], bool]
    """Returns whether the baseline has the case with that id."""
    substitute: str | None = None
    """Model asked instead of one that no provider serves; then drift is not reported."""
    pairs: dict[str, Pair] = field(default_factory=dict)
    """By case id."""
    saved: list[SavedAnswers] = field(default_factory=list)
    """The journals of all calls."""
    asked: list[Spent] = field(default_factory=list)
    """Usage of the answers that were asked, not found in a journal or among the recordings."""

    @property
    def problems(self) -> dict[str, str]:
        """Why a case has no answer to its last round, by case id."""
        return {case_id: pair.problem for case_id, pair in self.pairs.items() if pair.problem}

    def results(self, live: LiveRun) -> list[CaseScore]:
        """Return the results of all cases, answered on both sides and compared.

        Raises `ProviderStopped` and `UsageError` as `LiveRun.results`, also for the baseline's model.
        """
        live.check_models(self.baseline, live.asking)
        for place, stored in enumerate(live.cases()):
            before = CaseAnswers() if self.has_case(stored.id) else None
            self.pairs.setdefault(stored.id, Pair(stored, place, CaseAnswers(), before))
        pairs = list(self.pairs.values())
        models = [*self.baseline.models, *live.asking.models]
        if live.mode == "auto":
            # One request has one recorded answer, whichever side asks.
            sides = [SavedAnswers.open(live.session, "record", recordings=True, models=models)]
        else:
            # The sides have separate journals, or equal prompts would share answers. The baseline's new answers are
            # recorded only where they are further repeats, as a replay must give the baseline's own.
            replaces = live.mode == "record"
            theirs = SavedAnswers.open(live.session, f"{live.mode}-before", models=self.baseline.models)
            # What is recorded is shared with all other runs that record.
            kind = "record" if replaces else "live-now"
            sides = [theirs, SavedAnswers.open(live.session, kind, replaces=replaces, models=live.asking.models)]
        confirming = self.substitute is None and live.asking.more.answers > 0
        record = [] if live.mode == "live" else sides if confirming else sides[-1:]
        self.saved += sides
        try:
            live.ask(sides, partial(self._ask_all, live, pairs), record=record, embeddings=live.mode == "auto")
        finally:  # what continues this run needs the answers of its earlier calls too
            complete = all(each.complete for each in self.saved)
            for each in self.saved:
                each.complete = complete
        return [self._packed(live, pair) for pair in pairs]

    async def _ask_all(self, live: LiveRun, pairs: Sequence[Pair], answerers: Sequence[LiveAnswerer]) -> bool:
        """Ask the rounds that the cases lack; return whether every case has all its answers."""
        most = max(live.asking.most_repeats, self.baseline.most_repeats)
        rounds = [[pair for pair in pairs if self._lacking(live, pair, number)] for number in range(most)]
        live.observer.began(sum(map(len, rounds)))
        asks = self._asks(live, answerers)
        early = (
            ask_ahead(asks[name][0], pair.stored, asks[name][0].repeats_of(pair.stored.id)[number], asks[name][1])
            for number, lacking in enumerate(rounds if answerers[0].batched else ())
            for pair in lacking
            for name in self._lacking(live, pair, number)
        )
        async with asked_ahead(early):
            for number, lacking in enumerate(rounds):
                asked = [pair for pair in lacking if not pair.problem]
                await many(asked, partial(self._ask, live, answerers, number), jobs=live.jobs)
        sides = [side for pair in pairs for side in (pair.before, pair.now) if side is not None]
        ungraded = any(lacks_grade(score) for side in sides for score in side.scores)
        return not ungraded and not any(pair.problem for pair in pairs)

    def _lacking(self, live: LiveRun, pair: Pair, number: int) -> dict[str, CaseAnswers]:
        """Return the sides of a case that a round still has to ask."""
        sides = {"before": (self.baseline, pair.before), "now": (live.asking, pair.now)}
        return {
            name: side
            for name, (asking, side) in sides.items()
            if side is not None and len(side.scores) <= number < len(asking.repeats_of(pair.stored.id))
        }

    def _asks(self, live: LiveRun, answerers: Sequence[LiveAnswerer]) -> dict[str, tuple[Asking, LiveAnswerer]]:
        return {"before": (self.baseline, answerers[0]), "now": (live.asking, answerers[-1])}

    async def _ask(self, live: LiveRun, answerers: Sequence[LiveAnswerer], number: int, pair: Pair) -> None:
        sides = self._lacking(live, pair, number)
        requests = self._asks(live, answerers)
        walks: dict[str, Walk] = {}
        for name, side in sides.items():
            asking, answerer = requests[name]
            repeat = asking.repeats_of(pair.stored.id)[number]
            walks[name] = Walk(one_repeat(asking, pair.stored, repeat), answerer, side.transcript.copy())
        going = list(sides if (pair.place + number) % 2 == 0 else reversed(sides))
        while going and not pair.problem:
            for name in list(going):
                if not await _step(walks[name], answerers[0].beside, baseline=name == "before"):
                    going.remove(name)
                score = walks[name].score
                if score is not None and score.status == "failed":
                    pair.problem = score.problem if name == "now" else f"the baseline's prompts: {score.problem}"
                    break
        for name, side in sides.items():
            spent = walks[name].transcript.spent[len(side.transcript.spent) :]
            pair.spent += spent
            self.asked += [each for each in spent if not each.replayed]
            if not pair.problem:
                side.take(walks[name])
        score = pair.now.scores[-1] if pair.now.scores else None
        if pair.problem or score is None:
            score = CaseScore(pair.stored.id, "failed", {}, problem=pair.problem)
        live.observer.finished(score.case_id, score.status, score.problem)

    def _packed(self, live: LiveRun, pair: Pair) -> CaseScore:
        stored, spent = pair.stored, tuple(pair.spent)
        if not pair.now.scores:
            score = CaseScore(stored.id, "failed", {}, problem=pair.problem)
            return replace(live.packing, before=None)(stored, score)._replace(asked=spent)
        base = None if pair.before is None else pair.before.score(self.baseline)
        packing = replace(live.packing, before=lambda *_: base)
        return packing(stored, pair.now.score(live.asking))._replace(asked=spent)


async def _step(walk: Walk, beside: Beside, *, baseline: bool) -> bool:
    try:
        return await walk.step(beside)
    except UsageError as error:
        if not baseline:
            raise
        what = f"the baseline's prompts cannot be asked: {error.what}"
        fix = f"{error.fix}; or compare with the saved baseline: --no-interleave"
        raise UsageError(what, where=error.where, fix=fix) from None
