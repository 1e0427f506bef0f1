"""Published figures on preferences, recomputed by what `row3 judge calibrate` and kind `outcome` compute with.

The figures quoted here were read at these commits:

- LLMBar (MIT): github.com/princeton-nlp/LLMBar, 900616b, `Dataset/**/evaluators/**/statistics.json`
- PandaLM (Apache 2.0): github.com/WeOpenML/PandaLM, 3871806, `README.md`, section "Test data"
- AlpacaEval (Apache 2.0): github.com/tatsu-lab/alpaca_eval, cd543a1,
  `src/alpaca_eval/leaderboards/data_AlpacaEval/alpaca_eval_gpt4_leaderboard.csv`

None of their data is kept here. Tests from single rows read checkouts of the three in the folder that
`ROW3_PUBLISHED_DATA` names, and are skipped without it.
"""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score

from row3.domain.judges import Agreement, Opinion, Winner
from row3.gate.agreement import kappa
from row3.gate.calibration import PLACES, Labelled, compare_labelled, warranty
from row3.gate.intervals import mean_interval
from row3.kinds.base import Rules
from row3.kinds.outcome.judgement import rule
from row3.kinds.outcome.model import AnswerOut, Grades, Judgement, Outcome, OutcomeCase
from row3.kinds.outcome.score import KIND
from row3.metrics.aggregate import Aggregate
from tests.rows import every_row
from tests.scoring import score_by

BETTER, WORSE = Grades(2, 2, 0, 2), Grades(1, 1, 0, 2)
SIDES: dict[int, Winner] = {0: "tie", 1: "baseline", 2: "full"}
"""Published verdicts: 1 and 2 are the better response, 0 is a tie."""


def judged(winner: Winner) -> Judgement:
    """Return a judgement that this side wins."""
    baseline = BETTER if winner == "baseline" else WORSE
    return Judgement(baseline, BETTER if winner == "full" else WORSE, None)


def calibrated(people: Sequence[Winner], verdicts: Sequence[Sequence[Winner]]) -> Agreement:
    """Return the calibration of a judge's verdicts, one for each order of the answers."""
    rulings = [rule([[judged(each) for each in orders]]) for orders in verdicts]
    labels = [
        Labelled(str(at), "", Opinion(100, True, person), Opinion(100, True, ruling.winner or "tie"), 0, None)
        for at, (person, ruling) in enumerate(zip(people, rulings, strict=True))
    ]
    return warranty(labels, [each.flipped for each in rulings]).figures


class OrdersRow(NamedTuple):
    """A `statistics.json`: how often an evaluator is right in an order, in both, and says the same in both."""

    where: str
    pairs: int
    first: int
    second: int
    both: int
    equal: int


ORDERS = (
    OrdersRow("Natural/GPT-4/Vanilla", 100, 95, 96, 93, 95),
    OrdersRow("Natural/LLaMA2/CoT", 100, 72, 79, 59, 67),
    OrdersRow("Neighbor/GPT-4/Vanilla", 134, 104, 107, 101, 125),
    OrdersRow("Neighbor/ChatGPT/Vanilla", 134, 30, 22, 7, 96),
    OrdersRow("GPTOut/LLaMA2/CoT", 47, 21, 21, 6, 17),
    OrdersRow("Manual/GPT-4/Vanilla", 46, 35, 39, 33, 38),
)


@every_row("row", ORDERS)
def test_a_judge_is_right_if_both_orders_are_and_flips_if_they_differ(row: OrdersRow) -> None:
    right: Winner = "full"
    wrong: Winner = "baseline"
    only_first, only_second = row.first - row.both, row.second - row.both
    neither = row.pairs - row.both - only_first - only_second
    verdicts = [
        *[(right, right)] * row.both,
        *[(right, wrong)] * only_first,
        *[(wrong, right)] * only_second,
        *[(wrong, wrong)] * neither,
    ]
    found = calibrated([right] * row.pairs, verdicts)
    assert found.winner_accuracy is not None and found.position_bias is not None
    assert found.winner_accuracy.value == pytest.approx(row.both / row.pairs)
    assert 1 - found.position_bias.value == pytest.approx(row.equal / row.pairs)


class WinRow(NamedTuple):
    """A row of the leaderboard; rate and error in percent. A win is one over the baseline."""

    model: str
    rate: float
    error: float
    won: int
    lost: int
    drawn: int


WINS = (
    WinRow("gpt4_1106_preview", 97.69900497512438, 0.5104849118311993, 783, 16, 5),
    WinRow("claude-2", 91.35572139303484, 0.9897323784630048, 734, 69, 1),
    WinRow("guanaco-65b", 71.80124223602485, 1.586912361158523, 578, 227, 0),
    WinRow("falcon-7b-instruct", 45.71428571428572, 1.7524717060805597, 366, 435, 4),
    WinRow("alpaca-7b", 26.459627329192543, 1.535711469748, 205, 584, 16),
)


def assert_wins(winners: Iterable[Winner], row: WinRow) -> None:
    """Score judgements made elsewhere as kind `outcome` does: wins and half of the ties are the published rate."""
    case, silent = OutcomeCase(id="c", question="q"), AnswerOut(answer="a")
    total, values = Aggregate(), []
    for winner in winners:
        baseline = 2 if winner == "baseline" else 1
        full = 2 if winner == "full" else 1
        sides = {"baseline": baseline, "full": full}
        grades = {
            side: {"correctness": mark, "completeness": mark, "evidence": 0, "hallucination": 2}
            for side, mark in sides.items()
        }
        score = score_by(KIND, case, Outcome(silent, silent, grades), Rules())
        total.add(score.metrics, score.counts)
        values.append(score.metrics["valueWinRate"] + score.metrics["ties"] / 2)
    means = total.means()
    assert 100 * (means["valueWinRate"] + means["ties"] / 2) == pytest.approx(row.rate, abs=1e-9)
    assert means["valueWinRate"] == pytest.approx(row.won / len(values))
    interval = mean_interval(values)
    assert interval is not None
    assert 100 * interval.standard_error == pytest.approx(row.error, abs=1e-9)


@every_row("row", WINS)
def test_win_rates_equal_the_leaderboards(row: WinRow) -> None:
    sides: tuple[tuple[Winner, int], ...] = (("full", row.won), ("baseline", row.lost), ("tie", row.drawn))
    assert_wins([winner for winner, times in sides for _ in range(times)], row)


def checkout(name: str) -> Path:
    """Return a published repository; the test is skipped without it."""
    root = Path(os.environ.get("ROW3_PUBLISHED_DATA", "")) / name
    if "ROW3_PUBLISHED_DATA" not in os.environ or not root.is_dir():
        pytest.skip(f"set ROW3_PUBLISHED_DATA to a folder with a checkout of {name}")
    return root


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_every_published_figure_of_llmbar_is_recomputed_from_its_rows() -> None:
    paths = sorted(checkout("LLMBar").glob("Dataset/**/statistics.json"))
    assert len(paths) == 499
    for path in paths:
        published, rows = read(path), read(path.with_name("result.json"))
        said = [
            (each["label"], *(each["results"][-1][f"swap = {swapped}"]["winner"] for swapped in (False, True)))
            for each in rows
        ]
        # An unreadable verdict is a failed judgement in row3, so there is no ruling.
        readable = [(int(label), int(first), int(second)) for label, first, second in said if first and second]
        people = [SIDES[label] for label, _, _ in readable]
        found = calibrated(people, [(SIDES[first], SIDES[second]) for _, first, second in readable])
        assert found.winner_accuracy is not None and found.position_bias is not None
        both = round(found.winner_accuracy.value * len(readable))
        assert published["correct_both"].startswith(f"{both} / {len(rows)} "), path
        if len(readable) == len(rows):
            equal = round((1 - found.position_bias.value) * len(rows))
            assert published["equal"].startswith(f"{equal} / {len(rows)} "), path
        # Their evaluate.py reads verdict "2", and none, as 0, but leaves the labels at 1 and 2: what is printed as the
        # kappa with the labels never sees an agreement on 2. Between the orders both sides are read alike.
        labels = [float(label) for label, _, _ in said]
        first, second = ([float(each[order] == "1") for each in said] for order in (1, 2))
        assert kappa(first, labels).value == pytest.approx(published["kappa_False"], abs=1e-9), path
        assert kappa(second, labels).value == pytest.approx(published["kappa_True"], abs=1e-9), path
        assert kappa(first, second).value == pytest.approx(published["kappa_agreement"], abs=1e-9), path


@pytest.mark.slow
def test_agreement_of_pandalms_annotators() -> None:
    root = checkout("PandaLM") / "data"
    rows = read(root / "testset-v1.json")
    annotators = [[SIDES[int(row[f"annotator{number}"])] for row in rows] for number in (1, 2, 3)]
    for one, other, published in ((0, 1, 0.85), (0, 2, 0.88), (1, 2, 0.86)):
        found = calibrated(annotators[one], [[each] for each in annotators[other]])
        assert found.winner_kappa is not None
        assert round(found.winner_kappa.value, 2) == published
        places = [[PLACES[each] for each in annotators[which]] for which in (one, other)]
        assert found.winner_kappa.value == pytest.approx(cohen_kappa_score(*places))
        assert found.weighted_kappa.value == pytest.approx(cohen_kappa_score(*places, weights="quadratic"))

    # The majority of three votes decides.
    majority = [rule([[judged(each)] for each in votes]).winner or "tie" for votes in zip(*annotators, strict=True)]
    assert Counter(majority) == {"tie": 105, "baseline": 422, "full": 472}

    results = read(root / "pandalm-7b-testset-v1.json")
    judge = [SIDES[int(row["pandalm_result"])] for row in results]
    found = calibrated(majority, [[each] for each in judge])
    assert found.winner_accuracy is not None and found.winner_kappa is not None
    assert found.winner_accuracy.value == pytest.approx(accuracy_score(majority, judge))
    assert found.winner_kappa.value == pytest.approx(cohen_kappa_score(majority, judge))

    # Their GPT-3.5 says "Tie", or nothing readable, in words.
    said = [str(row["gpt_result"]) for row in read(root / "gpt-3.5-turbo-testset-v1.json")]
    other: list[Winner] = [SIDES[int(each)] if each.isdigit() else "tie" for each in said]
    sides = [
        [
            Labelled("c", "", Opinion(100, True, person), Opinion(100, True, verdict), 0, None)
            for person, verdict in zip(majority, verdicts, strict=True)
        ]
        for verdicts in (judge, other)
    ]
    compared = compare_labelled("s", "r", ("pandalm", "gpt"), (sides[0], sides[1]))
    assert compared.only_right == (111, 154)


@pytest.mark.slow
def test_every_win_rate_of_alpaca_eval_is_recomputed_from_its_rows() -> None:
    root = checkout("alpaca_eval")
    board = root / "src/alpaca_eval/leaderboards/data_AlpacaEval/alpaca_eval_gpt4_leaderboard.csv"
    with board.open(encoding="utf-8", newline="") as lines:
        rows = {row[""]: row for row in csv.DictReader(lines)}
    found = 0
    for path in sorted(root.glob("results/*/alpaca_eval_gpt4/annotations.json")):
        row = rows.get(path.parts[-3])
        if row is None:
            continue
        preferences = [each["preference"] for each in read(path) if each["preference"] is not None]
        # 1.5 and 0 are draws, 1 is the baseline's
        winners: list[Winner] = ["tie" if each in (0, 1.5) else SIDES[int(each)] for each in preferences]
        assert_wins(
            winners,
            WinRow(
                path.parts[-3],
                float(row["win_rate"]),
                float(row["standard_error"]),
                int(row["n_wins"]),
                int(row["n_wins_base"]),
                int(row["n_draws"]),
            ),
        )
        found += 1
    assert found >= 50
