"""Calibration of a judge by labels: agreement, biases, comparison of two judges, and corrected pass rates.

A label is a person's grade of an answer that the judge has graded too. Grades are 0 to 100.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import correlation, fmean, variance
from typing import Literal, NamedTuple

from row3.domain.judges import Agreement, Coefficient, JudgeRules, Opinion, Rate, Winner
from row3.domain.scores import Tally
from row3.gate.agreement import Z, agreement, kappa, prediction_powered, rate, rogan_gladen, wilson
from row3.kinds.judging import JUDGED, LABELLED, LABELLED_WINNERS, WINNERS

PLACES: dict[Winner | None, float] = {"baseline": 0.0, "tie": 50.0, "full": 100.0}
"""Winners as grades, with a tie in the middle."""
FEWEST_COVERED = 20
"""Fewest labelled answers of a run for which its own labels, not the calibration, correct its rate."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer that a person and the judge have graded."""

    case_id: str
    digest: str
    person: Opinion
    judge: Opinion
    length: int
    own_family: bool | None
    """Whether a model of the judge's family wrote the answer; None if unknown."""
    answer: str = ""

    @property
    def error(self) -> float:
        """The judge's grade minus the person's, -100 to 100."""
        if self.person.winner is not None and self.judge.winner is not None:
            return PLACES[self.judge.winner] - PLACES[self.person.winner]
        return self.judge.grade - self.person.grade

    @property
    def agrees(self) -> bool:
        """Whether both pass the answer or both fail it."""
        return self.person.passes == self.judge.passes

    @property
    def right(self) -> bool:
        """Whether judge and person agree on the winner of two answers, else on whether the answer passes."""
        two = self.person.winner is not None and self.judge.winner is not None
        return self.person.winner == self.judge.winner if two else self.agrees

    @property
    def disagreement(self) -> float:
        """Sort key: different verdicts first, then the difference of grades."""
        return 1000.0 * (not self.agrees) + abs(self.error)


@dataclass(frozen=True, slots=True)
class Warranty:
    """A judge's agreement with people's labels, and its disagreements."""

    figures: Agreement
    disagreements: Sequence[Labelled]
    """Worst first."""


def warranty(labels: Sequence[Labelled], flips: Sequence[bool] = ()) -> Warranty:
    """Return a judge's agreement with one or more labels.

    Args:
        flips: for each judgement of two answers, labelled or not, whether it changes with their order.
    """
    pairwise = all(each.person.winner is not None and each.judge.winner is not None for each in labels)
    sides = [(each.person, each.judge) for each in labels]
    by_side = zip(*sides, strict=True)
    person, judge = ([PLACES[each.winner] if pairwise else each.grade for each in side] for side in by_side)
    errors = [each.error for each in labels]
    own, others = ([each.error for each in labels if each.own_family is family] for family in (True, False))
    apart = sorted((each for each in labels if each.error or not each.agrees), key=lambda each: -each.disagreement)
    figures = agreement(person, judge, passes=[(one.passes, other.passes) for one, other in sides]).replace(
        winner_accuracy=rate(sum(map(float.__eq__, person, judge)), len(labels)) if pairwise else None,
        winner_kappa=kappa(person, judge) if pairwise else None,
        win_sensitivity=_winners_found(sides, full=True) if pairwise else None,
        win_specificity=_winners_found(sides, full=False) if pairwise else None,
        position_bias=rate(sum(flips), len(flips)),
        length_bias=spearman(errors, [float(each.length) for each in labels]),
        self_preference=difference(own, others),
    )
    return Warranty(figures, apart)


def _winners_found(sides: Sequence[tuple[Opinion, Opinion]], *, full: bool) -> Rate | None:
    """Return how often the judge agrees with a person that `full` wins, or that it does not."""
    found = [judge.winner == "full" for person, judge in sides if (person.winner == "full") is full]
    return rate(found.count(full), len(found))


def spearman(one: Sequence[float], other: Sequence[float]) -> Coefficient | None:
    """Return Spearman's rank correlation, with mean ranks for ties; None if a list is constant or shorter than 4.

    The interval is Fisher's, with the error (1 + r²/2) / (n - 3) of Bonett and Wright 2000, Psychometrika 65, 23-28.
    """
    if len(one) < 4 or len(set(one)) == 1 or len(set(other)) == 1:
        return None
    r = max(-1.0, min(1.0, correlation(_ranks(one), _ranks(other))))
    if abs(r) > 1 - 1e-12:
        return Coefficient(r, r, r)
    half = Z * math.sqrt((1 + r * r / 2) / (len(one) - 3))
    return Coefficient(r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


def _ranks(values: Sequence[float]) -> list[float]:
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    return [fmean(places[value]) for value in values]


def difference(one: Sequence[float], other: Sequence[float]) -> Coefficient | None:
    """Return the difference of two means and its interval (unequal variances); None if a list has fewer than two."""
    if len(one) < 2 or len(other) < 2:
        return None
    value = fmean(one) - fmean(other)
    half = Z * math.sqrt(variance(one) / len(one) + variance(other) / len(other))
    return Coefficient(value, value - half, value + half)


def mcnemar(only_one: int, only_other: int) -> float:
    """Return the exact two-sided p-value of "both judges are right equally often" (McNemar 1947).

    min(1, 2 P(X ≤ min(b, c))), X binomial with b + c trials of probability 1/2.

    Args:
        only_one, only_other: number of labels on which only one judge, or only the other, is right.
    """
    n = only_one + only_other
    tail = sum(math.comb(n, k) for k in range(min(only_one, only_other) + 1))
    return min(1.0, float(2 * tail / 2**n))


class Corrected(NamedTuple):
    """A judged rate of a run, raw and corrected for the judge's errors."""

    rubric: str
    of: Literal["passes", "wins"]
    raw: Rate
    corrected: Rate | None
    """None if the judge is no better than chance, or if all labels pass or all fail."""
    method: Literal["rogan-gladen", "prediction-powered", "labels"]
    labels: int


Of = Literal["passes", "wins"]
SAID: Mapping[Of, tuple[str, str, str]] = {
    "passes": (JUDGED, LABELLED, "passed"),
    "wins": (WINNERS, LABELLED_WINNERS, "full"),
}
"""By rate: the tally groups of what the judge says, and of that beside what the person says, and the word for yes."""


def _covered(rubric: str, of: Of, raw: Rate, pairs: Sequence[tuple[bool, bool]]) -> Corrected:
    """Return a rate corrected by the run's own labels; if they cover most answers, the labels' own rate."""
    rest, yes = raw.count - len(pairs), raw.value * raw.count - sum(judge for _, judge in pairs)
    unlabelled = rate(min(max(yes, 0.0), rest), rest) if rest >= len(pairs) else None
    if unlabelled is None:
        labelled = rate(sum(person for person, _ in pairs), len(pairs))
        return Corrected(rubric, of, raw, labelled, "labels", len(pairs))
    found = prediction_powered(unlabelled, pairs)
    whole = Rate(found.value, found.low, found.high, raw.count)
    return Corrected(rubric, of, raw, whole, "prediction-powered", len(pairs))


def _share(part: int, whole: int, repeats: int) -> Rate:
    """Return a share of the answers, with the interval for their number of cases."""
    n = max(1, round(whole / repeats))
    return Rate(part / whole, *wilson(n * part / whole, n), n)


def _by_calibration(rubric: str, of: Of, raw: Rate, known: Agreement) -> Corrected:
    """Return a rate corrected by the judge's error rates from the calibration."""
    sensitivity, specificity = known.sensitivity, known.specificity
    if of == "wins":
        sensitivity, specificity = known.win_sensitivity, known.win_specificity
    corrected = None if sensitivity is None or specificity is None else rogan_gladen(raw, sensitivity, specificity)
    return Corrected(rubric, of, raw, corrected, "rogan-gladen", known.labels)


def corrected_rates(tally: Tally, judge: JudgeRules, repeats: int = 1) -> Iterator[Corrected]:
    """Yield the pass rate for each calibrated rubric of a run, before it the win rate if it compares two answers.

    If labels cover enough of the run, they correct the rate; otherwise the calibration's sensitivity and specificity
    do. The tally counts all repeats; the repeats of a case weigh as one.
    """
    for rubric, known in judge.calibrated.items():
        judged = sum(_of_rubric(tally, JUDGED, rubric).values())
        compares = known.winner_kappa is not None and sum(_of_rubric(tally, WINNERS, rubric).values()) == judged
        rates: tuple[Of, ...] = ("wins", "passes") if compares else ("passes",)  # all winners are of this rubric
        for of in rates if judged else ():
            said, labelled, word = SAID[of]
            raw = _share(_of_rubric(tally, said, rubric).get(word, 0), judged, repeats)
            pairs: list[tuple[bool, bool]] = []
            for words, times in _of_rubric(tally, labelled, rubric).items():
                mine, theirs = words.split()
                pairs += [(theirs == word, mine == word)] * round(times / repeats)
            enough = len(pairs) >= FEWEST_COVERED
            yield _covered(rubric, of, raw, pairs) if enough else _by_calibration(rubric, of, raw, known)


def _of_rubric(tally: Tally, group: str, rubric: str) -> dict[str, int]:
    """Return a group's counts of one rubric by the words after its name, where the group names rubrics."""
    counts = tally.get(group, {})
    if group in (WINNERS, LABELLED_WINNERS):
        return dict(counts)
    return {label.removeprefix(f"{rubric} "): n for label, n in counts.items() if label.startswith(f"{rubric} ")}


@dataclass(frozen=True, slots=True)
class RubricReport:
    """The agreement of one rubric's judge with the labels."""

    rubric: str
    version: str
    warranty: Warranty
    unmatched: int
    """Labels whose answer is no longer recorded or whose case has changed."""
    ungraded: int
    """Labelled answers without a readable grade."""


@dataclass(slots=True)
class CalibrationReport:
    """The result of `row3 judge calibrate`."""

    suite: str
    judge: str
    """Models and votes."""
    min_kappa: float
    uncalibrated: Literal["investigate", "block"] = "investigate"
    rubrics: list[RubricReport] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Rubrics without a calibration, and why."""
    written: str = ""
    """The written file; empty if none."""


@dataclass(frozen=True, slots=True)
class JudgeComparison:
    """Two judges compared on the labels that both have graded."""

    suite: str
    rubric: str
    names: tuple[str, str]
    warranties: tuple[Warranty, Warranty]
    left_out: tuple[int, int]
    """Labels without a recorded grade, by judge."""
    of: Literal["passes", "winner"]
    """What both are right or wrong on."""
    only_right: tuple[int, int]
    """Labels on which only the first, or only the second, is right."""
    accuracy_difference: float
    """Second minus first."""
    p_value: float
    """McNemar's, exact and two-sided."""


def compare_labelled(
    suite: str,
    rubric: str,
    names: tuple[str, str],
    sides: tuple[Sequence[Labelled], Sequence[Labelled]],
    *,
    flips: tuple[Sequence[bool], Sequence[bool]] = ((), ()),
    left_out: tuple[int, int] = (0, 0),
) -> JudgeComparison:
    """Compare two judges on the same labels, at least one: on the winner where these compare two answers."""
    first, second = (warranty(*each) for each in zip(sides, flips, strict=True))
    right = [(one.right, other.right) for one, other in zip(*sides, strict=True)]
    only = right.count((True, False)), right.count((False, True))
    of: Literal["passes", "winner"] = "passes" if first.figures.winner_accuracy is None else "winner"
    difference = (only[1] - only[0]) / len(right)
    return JudgeComparison(suite, rubric, names, (first, second), left_out, of, only, difference, mcnemar(*only))
