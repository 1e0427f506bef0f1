"""The comparator of gate, diff, promotion and drift: adds up how a candidate's cases compare with the base's."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from row3.domain.judgements import CaseChange, CriteriaChange, Judgement, MetricChange
from row3.domain.runs import BaseHeader, ManifestCase
from row3.domain.scores import SLACK, CaseScore, Cost, Zone, zone_of
from row3.gate.comparison import by_size, fall_p
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs, align_metrics
from row3.gate.policy import ALPHA_FALL, Figures, GatePolicy
from row3.gate.power import sensitivity
from row3.gate.results import Comparison, Run
from row3.gate.scores import Effect, Scores
from row3.metrics.aggregate import Aggregate, Tallies
from row3.project.json_lines import Keys
from row3.project.suites import Suite
from row3.running.case_results import total
from row3.running.collect import Spool

KEPT_CHANGES = 200
"""Case changes kept for the report; the rest are only counted."""
REPLACED = "the recorded answer differs from the baseline's"
COMPANION_WEIGHT = 1e-12
"""Rank of a drop outside the composite: below any change of the composite."""


def omitted_change(before: Iterable[str], now: Iterable[str]) -> tuple[str, str] | None:
    """Return the parameters that two sides were asked without, as words; None if they are the same."""
    sides = ", ".join(sorted(before)) or "none", ", ".join(sorted(now)) or "none"
    return None if sides[0] == sides[1] else sides


@dataclass(slots=True)
class Comparer:
    """Takes results one by one; keeps in memory only how the metrics moved and the largest changes."""

    suite: Suite
    watched: frozenset[str] = frozenset()
    """Cases whose metrics are kept for both sides, to show the effect of changed criteria."""
    resting: Mapping[str, str] = field(default_factory=dict)
    """End of the quarantine, by case id."""
    cost: Cost = lambda *_: None
    saved_cases: Mapping[str, ManifestCase] | None = None
    """The cases of the baseline that judges; None for a commit."""
    pairs: Pairs = field(init=False)
    figures: Figures = field(default_factory=Figures)
    """Cost, tokens and latency of the cases that both sides answer."""
    moves: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    incomparable: list[str] = field(default_factory=list)
    broke: list[str] = field(default_factory=list)
    critical: dict[str, float | None] = field(default_factory=dict)
    """Critical cases with the p-value of a fall, as in `Scores`."""
    quarantined: list[str] = field(default_factory=list)
    counted: int = 0
    """Cases outside quarantine."""
    compared: int = 0
    """Number of cases outside quarantine that both sides answer."""
    taken: Keys = field(default_factory=Keys)
    """All cases."""
    kept: dict[str, tuple[Mapping[str, float] | None, Mapping[str, float]]] = field(default_factory=dict)
    """Metrics of the base and the candidate for the `watched` cases."""
    tallies: tuple[Tallies, Tallies] = field(default_factory=lambda: (Tallies(), Tallies()))
    asked_again: dict[str, tuple[CaseScore, CaseScore]] | None = None
    """Scores of the base's current answers and of the candidate's, by case id; None if the base is not asked again."""
    saved: Mapping[str, MetricChange] = field(default_factory=dict)
    """How the candidate's metrics differ from the base's saved answers, if the base is asked again."""
    replaced: list[str] = field(default_factory=list)
    """Cases whose recorded answer differs from the baseline's."""
    served: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))
    """Models that served the base and the candidate."""
    omitted: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))
    """Parameters that the base and the candidate were asked without."""
    aggregate: Aggregate = field(default_factory=Aggregate)
    """The candidate's metrics over all cases outside quarantine."""
    golden: dict[str, list[str]] = field(default_factory=lambda: {"edited": [], "new": []})
    """Cases that differ from `saved_cases`, or are not among them."""
    _asked: Spool = field(default_factory=Spool)
    """Lines with the id of a case that the candidate answers, whether it is compared, and both sides' digests."""
    _heap: list[tuple[float, int, CaseChange]] = field(default_factory=list)
    """Changes by weight; a serial number breaks ties."""

    def __post_init__(self) -> None:
        self.pairs = Pairs(self.suite.kind)

    def take(self, score: CaseScore) -> None:
        """Add one case."""
        case_id, before = score.case_id, score.before
        change = score.change or CaseChange(case_id, "new", 0.0)
        resting = case_id in self.resting
        self.counted += not resting
        self.taken.append(case_id)
        if self.saved_cases is not None:
            self._note_golden(score, self.saved_cases.get(case_id))
        if score.status == "failed":
            self.failed.append(case_id)
            self._keep(change._replace(move="failed"))
            return
        self.served[1].update(score.served)
        self.omitted[1].update(score.omitted)
        compared = score.base is not None and not resting
        self.compared += compared
        theirs = ((), ()) if before is None else (before.requests, before.answers)
        asked = case_id, compared, score.all_requests, theirs[0], score.all_answers, theirs[1]
        self._asked.add(json.dumps(asked).encode())
        if before is not None:
            self.served[0].update(before.served)
            self.omitted[0].update(before.omitted)
            if self.asked_again is not None:
                self.asked_again[case_id] = before, score._replace(before=None, line=b"", detail=None)
        if case_id in self.watched:
            self.kept[case_id] = None if score.base is None else score.base.metrics, score.metrics
        if not resting:
            self.aggregate.add(score.metrics, {})
        if score.base is not None:
            self._judge_case(score, score.base, change, resting=resting)
        elif before is not None:
            self.replaced += [case_id] if REPLACED in before.problem else []
            self.incomparable += [] if resting else [case_id]
        if resting:
            change = change._replace(note=f"in quarantine until {self.resting[case_id]}: not counted")
        self._keep(change)

    def _note_golden(self, score: CaseScore, saved: ManifestCase | None) -> None:
        asked = () if score.before is None or score.status == "failed" else score.before.requests
        if saved is None:
            self.golden["new"].append(score.case_id)
        elif saved.digest != score.digest or "" in asked:  # "" for another input, such as an edited picture
            self.golden["edited"].append(score.case_id)

    def compared_ids(self) -> list[str]:
        """Return the ids of the compared cases."""
        return [case_id for case_id, compared, *_ in map(json.loads, self._asked) if compared]

    def requests(self) -> Iterator[list[Any]]:
        """Yield each answered case's id, and the digests of the candidate's and of the base's requests."""
        return ([case_id, asked, before] for case_id, _, asked, before, *_ in map(json.loads, self._asked))

    def answers(self) -> Iterator[list[Any]]:
        """Yield each answered case's id, and the digests of the candidate's and of the base's answers."""
        return ([case_id, said, before] for case_id, *_, said, before in map(json.loads, self._asked))

    def _judge_case(self, score: CaseScore, base: CaseScore, change: CaseChange, *, resting: bool) -> None:
        broke, case_id = change.move == "broke", score.case_id
        drop = self._drop_beyond(score, base)
        if resting:
            p = None if drop is None else self._noise(drop, score, base)
            fell = broke or (drop is not None and (p is None or p <= ALPHA_FALL))
            self.quarantined += [case_id] if fell else []
            return
        self.broke += [case_id] if broke else []
        if score.critical:
            self.critical[case_id] = 0.0 if broke else 1.0 if drop is None else self._noise(drop, score, base)
        repeats, spreads = (base.repeats, score.repeats), (base.spread, score.spread)
        same = base.all_answers == score.all_answers
        self.pairs.add(base.metrics, score.metrics, source=score.source, repeats=repeats, spreads=spreads, same=same)
        self.figures.add(self._figures(base), self._figures(score))
        if base.tally and score.tally and base.repeats == score.repeats:
            self.tallies[0].add(base.tally)
            self.tallies[1].add(score.tally)

    def _drop_beyond(self, score: CaseScore, base: CaseScore) -> float | None:
        """Return the case's drop by the primary metric, a fraction, if it is beyond the limit or into the fail zone."""
        kind, policy, metric = self.suite.kind, self.suite.policy, self.suite.kind.primary_metric
        old, new = (side.get(metric.key) for side in align_metrics(kind, (base.metrics, score.metrics)))
        if old is None or new is None:
            return None
        limits = self.suite.rules.thresholds.get(metric.key)
        enters = (
            limits is not None
            and limits.blocking
            and zone_of(new, limits, higher_is_better=metric.higher_is_better) is Zone.FAIL
            and zone_of(old, limits, higher_is_better=metric.higher_is_better) is not Zone.FAIL
        )
        return metric.drop(old, new) if enters or policy.beyond_limit(metric, old, new) else None

    def _noise(self, drop: float, score: CaseScore, base: CaseScore) -> float | None:
        """Return the p-value of a case's drop by the noise of its answers; None if no side was asked twice."""
        key = self.suite.kind.primary
        return fall_p(drop, base.spread.get(key, 0.0), base.repeats, score.spread.get(key, 0.0), score.repeats)

    def _figures(self, score: CaseScore) -> dict[str, float]:
        """Return what one answer to the case takes, without grades, as far as known."""
        spent = [each for each in score.spent if not each.judge]
        sums = {
            "cost": total([each.usd(self.cost) for each in spent]),
            "tokens": total([each.tokens for each in spent]),
            "latency": total([each.latency_s for each in spent]),
        }
        return {key: value / score.repeats for key, value in sums.items() if value is not None}

    def add_removed(self, case_ids: Iterable[str]) -> None:
        """Add cases that only the base has."""
        for case_id in case_ids:
            self._keep(CaseChange(case_id, "removed", 0.0))

    def _keep(self, change: CaseChange) -> None:
        self.moves[change.move] += 1
        weight = 2.0 if change.move in ("broke", "failed") else abs(change.delta)
        if change.move == "unchanged":
            metrics = {metric.key: metric for metric in self.suite.kind.metrics}
            drops = (metrics[key].drop(0.0, delta) for key, delta in change.deltas.items())
            weight = COMPANION_WEIGHT * max(drops, default=0.0)
            if weight <= COMPANION_WEIGHT * SLACK:
                return
        heapq.heappush(self._heap, (weight, self.moves.total(), change))
        if len(self._heap) > KEPT_CHANGES:
            heapq.heappop(self._heap)

    def largest(self) -> list[CaseChange]:
        """Return the largest changes, most important first."""
        return by_size(change for _, _, change in self._heap)

    def scores(self, policy: GatePolicy | None = None, *, confirmed: int = 0) -> Scores:
        """Return what the gate judges, over the cases both sides answer; a new metric has no base value.

        `confirmed`: how many answers a case and side were asked to confirm a block.
        """
        kind, judged = self.suite.kind, policy or self.suite.policy
        before, after = self.pairs.means()
        after = {**self.aggregate.means(), **after}
        return Scores(
            policy=judged,
            metrics=kind.metrics,
            thresholds=self.suite.rules.thresholds,
            changes=compare_metrics(
                before, after, kind.metrics, judged, self.pairs, primary=kind.primary, confirmed=confirmed
            ),
            figures=self.figures.changes(judged.figures),
            before=before,
            after=after,
            saved=self.saved,
            cases=self.counted,
            failed=self.failed,
            incomparable=self.incomparable,
            broke=self.broke,
            critical=self.critical,
            confirmed=confirmed,
            quarantined=self.quarantined,
            primary=kind.primary,
        )

    def comparison(self, run: Run, base: BaseHeader, scores: Scores, judgement: Judgement) -> Comparison:
        """Return the comparison with the base, as judged by these scores."""
        metric = self.suite.kind.primary_metric
        return Comparison(
            run=run,
            baseline=replace(base, metrics=self.pairs.means()[0]),
            metrics=list(scores.changes),
            cases=self.largest(),
            moves=self.moves,
            judgement=judgement,
            compared=self.compared,
            sensitivity=sensitivity(self.pairs, metric, scores.policy, primary=metric.key),
            tallies=self.tallies,
            figures=scores.figures,
        )


def effect_of(before: Comparer, after: Comparer | None, change: CriteriaChange) -> Effect | None:
    """Return the effect of a change of the criteria on the primary metric of the same answers; None if unknown."""
    if after is None:
        return None
    old, new = (each.kept.get(change.case_id) if change.case_id else each.pairs.means() for each in (before, after))
    if old is None or new is None:
        return None
    kind, policy = before.suite.kind, before.suite.policy
    signs = {m.key: 1 if m.higher_is_better else -1 for m in kind.metrics if m.key in (*policy.metrics, kind.primary)}
    figures, raises = {}, False
    for name, one, other in zip(("base", "candidate"), old, new, strict=True):
        if one is None or other is None:
            continue
        if kind.primary in one and kind.primary in other:
            figures[name] = one[kind.primary], other[kind.primary]
        raises |= any(signs[key] * (other[key] - one[key]) > SLACK for key in signs if key in one and key in other)
    return Effect(figures, raises=raises and bool(change.case_id or change.effect == "added"))
