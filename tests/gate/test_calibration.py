"""A judge's agreement with labels, checked against SciPy and scikit-learn; corrected rates, by simulation."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, spearmanr
from sklearn.metrics import accuracy_score, cohen_kappa_score, recall_score

from row3.domain.judges import Agreement, Coefficient, JudgeRules, Opinion, Rate, Winner, model_family
from row3.gate.agreement import rate
from row3.gate.calibration import Labelled, compare_labelled, corrected_rates, difference, mcnemar, spearman, warranty
from row3.kinds.judging import JUDGED, LABELLED, LABELLED_WINNERS, WINNERS
from tests.rows import every_row

PERSON = (100, 75, 75, 25, 0, 100, 50, 75, 0, 25, 100, 50)
JUDGE = (90, 80, 60, 25, 10, 100, 70, 75, 20, 75, 95, 40)
LENGTHS = (400, 300, 120, 90, 80, 500, 330, 200, 70, 410, 350, 100)


def labelled(person: float, judge: float, length: int = 0, family: bool | None = None) -> Labelled:
    return Labelled(f"c{length}", "", Opinion(person, person >= 70), Opinion(judge, judge >= 70), length, family)


def two(person: Winner, judge: Winner, passes: bool = True) -> Labelled:
    return Labelled("c", "", Opinion(100, True, person), Opinion(100 * passes, passes, judge), 0, None)


def test_agreement_with_made_up_labels_equals_scikit_learn_and_scipy() -> None:
    found = warranty([labelled(*each) for each in zip(PERSON, JUDGE, LENGTHS, strict=True)])
    truth, said = [each >= 70 for each in PERSON], [each >= 70 for each in JUDGE]
    assert found.figures.labels == 12
    assert found.figures.accuracy.value == accuracy_score(truth, said) == 9 / 12
    assert found.figures.sensitivity is not None and found.figures.specificity is not None
    assert found.figures.sensitivity.value == recall_score(truth, said)
    assert found.figures.specificity.value == recall_score(truth, said, pos_label=False)
    assert found.figures.kappa.value == pytest.approx(cohen_kappa_score(truth, said))
    # every grade from 0 to 100 is a class, so that scikit-learn's weights by position are weights by grade
    every = list(range(101))
    weighted = cohen_kappa_score(PERSON, JUDGE, labels=every, weights="quadratic")
    assert found.figures.weighted_kappa.value == pytest.approx(weighted)
    assert found.figures.length_bias is not None
    errors = [judge - person for person, judge in zip(PERSON, JUDGE, strict=True)]
    assert found.figures.length_bias.value == pytest.approx(spearmanr(errors, LENGTHS).statistic)
    assert (
        found.figures.winner_kappa is None
        and found.figures.position_bias is None
        and found.figures.self_preference is None
    )


def test_disagreements_come_worst_first() -> None:
    found = warranty([labelled(100, 95, 1), labelled(100, 40, 2), labelled(60, 75, 3), labelled(50, 50, 4)])
    assert [each.case_id for each in found.disagreements] == ["c2", "c3", "c1"]


def test_pairwise_labels_compare_winners_with_ties_in_the_middle() -> None:
    pairs: list[tuple[Winner, Winner]] = [("full", "full"), ("full", "tie"), ("baseline", "full"), ("tie", "tie")]
    found = warranty([two(*each) for each in pairs], [True, False, False, False, False])
    person, judge = zip(*pairs, strict=True)
    assert found.figures.winner_accuracy is not None and found.figures.winner_accuracy.value == 0.5
    assert found.figures.winner_kappa is not None
    assert found.figures.winner_kappa.value == pytest.approx(cohen_kappa_score(person, judge))
    order = {"baseline": 0, "tie": 1, "full": 2}
    weighted = cohen_kappa_score([order[w] for w in person], [order[w] for w in judge], weights="quadratic")
    assert found.figures.weighted_kappa.value == pytest.approx(weighted)
    flips = binomtest(1, 5).proportion_ci(method="wilson")
    assert found.figures.position_bias is not None
    assert (found.figures.position_bias.low, found.figures.position_bias.high) == (
        pytest.approx(flips.low),
        pytest.approx(flips.high),
    )
    assert found.disagreements[0].person.winner == "baseline"
    # A person prefers `full` twice and the judge agrees once; it also prefers `full` in one of the other two.
    assert found.figures.win_sensitivity == rate(1, 2) and found.figures.win_specificity == rate(1, 2)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9)), min_size=4, max_size=40))
def test_spearman_equals_scipys(pairs: list[tuple[int, int]]) -> None:
    one, other = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    found = spearman(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found is None
    else:
        assert found is not None
        assert found.value == pytest.approx(spearmanr(one, other).statistic, abs=1e-9)
        assert -1 <= found.low <= found.value <= found.high <= 1


def test_two_judges_of_two_answers_are_compared_by_the_winner() -> None:
    """On 999 pairs PandaLM-7B is right in 667 and GPT-3.5 in 710, of which only one is right in 111 and in 154."""
    counts: dict[tuple[Winner, Winner, Winner], int] = {
        ("tie", "tie", "tie"): 556,
        ("baseline", "baseline", "tie"): 111,
        ("tie", "baseline", "tie"): 154,
        ("full", "tie", "baseline"): 178,
    }
    sides = [
        [two(each[0], each[judge], passes=False) for each, times in counts.items() for _ in range(times)]
        for judge in (1, 2)
    ]
    found = compare_labelled("s", "r", ("pandalm", "gpt"), (sides[0], sides[1]))
    assert (found.of, found.only_right) == ("winner", (111, 154))
    accuracies = [each.figures.winner_accuracy for each in found.warranties]
    assert [round(each.value, 4) for each in accuracies if each] == [0.6677, 0.7107]
    assert found.p_value == pytest.approx(binomtest(111, 265).pvalue)
    assert found.p_value == pytest.approx(0.0097, abs=5e-5)


labels_of_two = st.tuples(*[st.tuples(st.sampled_from(("baseline", "tie", "full")), st.booleans())] * 3)


@given(st.lists(labels_of_two, min_size=1, max_size=30), st.booleans())
def test_the_tested_accuracy_is_the_shown_one(labels: list[Any], pairs: bool) -> None:
    """The difference that is tested is that of the accuracies shown for what is tested."""

    def opinion(side: tuple[Winner, bool]) -> Opinion:
        return Opinion(100.0 * side[1], side[1], side[0] if pairs else None)

    one, other = (
        [Labelled("c", "", opinion(each[0]), opinion(each[judge]), 0, None) for each in labels] for judge in (1, 2)
    )
    found = compare_labelled("s", "r", ("a", "b"), (one, other))
    figures = [each.figures for each in found.warranties]
    shown = [each.winner_accuracy if pairs else each.accuracy for each in figures]
    assert found.of == ("winner" if pairs else "passes")
    assert shown[0] is not None and shown[1] is not None
    assert found.accuracy_difference == pytest.approx(shown[1].value - shown[0].value)
    assert found.p_value == mcnemar(*found.only_right)


def test_self_preference_is_the_difference_of_the_mean_errors() -> None:
    own = [labelled(50, 50 + error, 1, True) for error in (10, 20, 30)]
    others = [labelled(50, 50 + error, 1, False) for error in (-10, 0, 10, 0)]
    found = warranty([*own, *others, labelled(0, 100, 1)]).figures.self_preference
    assert found is not None and found.value == pytest.approx(20)
    half = norm.ppf(0.975) * (100 / 3 + (200 / 3) / 4) ** 0.5
    assert found.high - found.value == pytest.approx(half)
    assert difference([1.0], [1.0, 2.0]) is None


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_equals_scipys_exact_binomial_test(one: int, other: int) -> None:
    wanted = binomtest(one, one + other).pvalue if one + other else 1.0
    assert mcnemar(one, other) == pytest.approx(wanted)


@every_row(
    ("names", "family"),
    [
        (("gpt-4.1", "gpt-4.1-mini", "gpt-5-nano"), "gpt"),
        (("anthropic/claude-haiku-4-5", "claude-3-opus", "claude-sonnet-4"), "claude"),
        (("gemini-2.5-flash",), "gemini"),
        (("mistral-large", "mistral-small-2503"), "mistral"),
        (("reference-llm",), "reference-llm"),
        (("4o-mini",), "4o-mini"),
        (("prometheus-7b",), "prometheus"),
    ],
)
def test_model_families(names: tuple[str, ...], family: str) -> None:
    assert {model_family(name) for name in names} == {family}


def rules(sensitivity: Rate | None, specificity: Rate | None) -> JudgeRules:
    known = Agreement(
        labels=100,
        accuracy=Rate(0.9, 0, 1, 100),
        sensitivity=sensitivity,
        specificity=specificity,
        kappa=Coefficient(0.8, 0, 1),
        weighted_kappa=Coefficient(0.8, 0, 1),
    )
    return JudgeRules(("m",), 1, 0.0, {}, calibrated={"help": known})


def test_without_labels_of_the_run_the_calibration_corrects_the_rate() -> None:
    judge = rules(Rate(0.90, 0, 1, 50), Rate(0.85, 0, 1, 50))
    [found] = corrected_rates({JUDGED: {"help passed": 78, "help failed": 22, "other passed": 9}}, judge)
    assert found.raw.value == 0.78 and found.method == "rogan-gladen" and found.labels == 100
    assert found.corrected is not None and found.corrected.value == pytest.approx(0.84)


def test_a_judge_without_specificity_gives_no_corrected_rate() -> None:
    [found] = corrected_rates({JUDGED: {"help passed": 8, "help failed": 2}}, rules(Rate(0.9, 0, 1, 50), None))
    assert found.corrected is None


def test_wins_are_corrected_by_the_errors_on_the_winner() -> None:
    """By hand: 8 of 10 won, sensitivity 8/8, specificity 2/2, so that θ = .8.

    Agresti and Coull's shares are 10/14, 10/12 and 4/6, so the variance is .20408/10 + .64 · .13889/8 +
    .04 · .22222/2 = .035964, and 1.95996 times its root is .37169.
    """
    judge = rules(rate(9, 10), None)
    known = judge.calibrated["help"].replace(
        winner_kappa=Coefficient(1, 0, 1),
        win_sensitivity=rate(8, 8),
        win_specificity=rate(2, 2),
    )
    judge = replace(judge, calibrated={"help": known})
    tally = {JUDGED: {"help passed": 6, "help failed": 4}, WINNERS: {"full": 8, "tie": 2}}
    wins, passes = corrected_rates(tally, judge)
    assert (wins.of, wins.raw, passes.of, passes.corrected) == ("wins", rate(8, 10), "passes", None)
    assert wins.corrected is not None and wins.corrected.value == 0.8
    assert (wins.corrected.low, wins.corrected.high) == (pytest.approx(0.8 - 0.37169, abs=1e-5), 1.0)
    elsewhere = tally | {WINNERS: {"full": 9, "tie": 2}}
    assert [found.of for found in corrected_rates(elsewhere, judge)] == ["passes"]


def test_repeats_are_not_counted_as_cases() -> None:
    judge = rules(Rate(0.90, 0, 1, 50), Rate(0.85, 0, 1, 50))
    [found] = corrected_rates({JUDGED: {"help passed": 25, "help failed": 5}}, judge, 3)
    # By hand: Wilson's interval of 5/6 with n = 10 is (.83333 + .19207 ∓ .30041) / 1.38415
    assert (found.raw.value, found.raw.count) == (25 / 30, 10)
    assert (found.raw.low, found.raw.high) == (pytest.approx(0.52379, abs=1e-5), pytest.approx(0.95786, abs=1e-5))


def test_labels_of_the_run_correct_it_and_cover_the_truth() -> None:
    """A judge of sensitivity .9 and specificity .6, better here than its calibration says; 40 of 200 are labelled."""
    rng, covered = random.Random(11), 0
    judge = rules(rate(50, 50), rate(50, 50))
    for _ in range(300):
        tally: dict[str, dict[str, int]] = {JUDGED: {}, LABELLED: {}}
        for number in range(200):
            good = rng.random() < 0.5
            said = rng.random() < (0.9 if good else 0.4)
            word = f"help {'passed' if said else 'failed'}"
            tally[JUDGED][word] = tally[JUDGED].get(word, 0) + 1
            if number < 40:
                both = f"{word} {'passed' if good else 'failed'}"
                tally[LABELLED][both] = tally[LABELLED].get(both, 0) + 1
        [found] = corrected_rates(tally, judge)
        assert found.method == "prediction-powered" and found.labels == 40 and found.corrected is not None
        covered += found.corrected.low <= 0.5 <= found.corrected.high
    assert 0.91 <= covered / 300 <= 0.99


def test_agreeing_labels_leave_a_doubt() -> None:
    """By hand: of 30 more answers 30 pass, so the half width is 1.95996 √(32/34 · 2/34 / 30 + 1 / 22²) = .12258."""
    tally = {JUDGED: {"help passed": 50}, LABELLED: {"help passed passed": 20}}
    [found] = corrected_rates(tally, rules(rate(20, 20), None))
    assert found.method == "prediction-powered" and found.corrected is not None
    assert (found.corrected.value, found.corrected.high) == (1.0, 1.0)
    assert found.corrected.low == pytest.approx(1 - 0.12258, abs=1e-5)


def compares(known: JudgeRules) -> JudgeRules:
    """The same calibration of a judge of two answers."""
    agreement = known.calibrated["help"].replace(winner_kappa=Coefficient(1, 0, 1))
    return replace(known, calibrated={"help": agreement})


@given(st.data(), st.integers(1, 3))
def test_wins_are_corrected_by_the_runs_labels_as_passes_are(data: st.DataObject, repeats: int) -> None:
    """The same counts give the same rate, whether they are of passes or of wins; no interval is a point."""
    both = {(one, other): data.draw(st.integers(0, 15)) for one in (True, False) for other in (True, False)}
    more = {said: data.draw(st.integers(0, 60)) for said in (True, False)}
    said = {each: (both[each, True] + both[each, False] + more[each]) * repeats for each in (True, False)}
    words, sides = {True: "passed", False: "failed"}, {True: "full", False: "tie"}
    tally = {
        JUDGED: {f"help {words[each]}": times for each, times in said.items()},
        LABELLED: {f"help {words[one]} {words[other]}": times * repeats for (one, other), times in both.items()},
        WINNERS: {sides[each]: times for each, times in said.items()},
        LABELLED_WINNERS: {f"{sides[one]} {sides[other]}": times * repeats for (one, other), times in both.items()},
    }
    found = list(corrected_rates(tally, compares(rules(rate(9, 10), rate(8, 10))), repeats))
    if not any(said.values()):
        assert not found
        return
    wins, passes = found
    labels = sum(both.values())
    assert (wins.of, wins.raw) == ("wins", passes.raw)
    if labels < 20:
        assert wins.corrected is None and passes.method == "rogan-gladen"
    else:
        assert wins == passes._replace(of="wins")
        assert wins.method == ("prediction-powered" if sum(more.values()) >= labels else "labels")
    for each in found:
        assert each.corrected is None or each.corrected.low < each.corrected.high


def test_labels_of_most_answers_give_the_rate_themselves() -> None:
    tally = {
        JUDGED: {"help passed": 20, "help failed": 10},
        LABELLED: {"help passed passed": 15, "help passed failed": 5, "help failed failed": 5},
    }
    [found] = corrected_rates(tally, rules(rate(50, 50), rate(50, 50)))
    assert found.method == "labels" and found.corrected == rate(15, 25)
