"""`row3 judge` where two answers are compared: blind to whose they are, in an order of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.judged import PairServer, two_arms
from tests.projects import Box, copy_of

LABELS = "calibrations/two.labels.jsonl"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    server = PairServer()
    yield two_arms(Box(tmp_path_factory.mktemp("two") / "project"), server)
    server.stop()


box = copy_of("recorded")


def orders(said: str) -> dict[str, str]:
    """Which model's answer was shown first, by case."""
    found = re.findall(r"· (q\d) ·.*?first answer\n(.*?)second answer", said, re.DOTALL)
    return {case: "full" if "large-model" in shown else "baseline" for case, shown in found}


def test_two_answers_are_labelled_blind_in_an_order_of_their_own(box: Box) -> None:
    seen = box.row3("judge", "label", stdin="s" * 10, code=0).err
    first = orders(seen)
    assert len(first) == 10 and set(first.values()) == {"full", "baseline"}
    assert "baseline" not in seen.replace("judge-outcome", "").partition("· q")[2].replace("baseline.answer", "")
    assert orders(box.row3("judge", "label", stdin="s" * 10, code=0).err) == first
    assert not box.path(LABELS).exists()


def label(box: Box) -> None:
    """Say of every answer of the large model that it is better and passes, but of q1 and q2."""
    first = orders(box.row3("judge", "label", stdin="s" * 10).err)
    order = re.findall(r"· (q\d) ·", box.row3("judge", "label", stdin="s" * 10).err)
    keys = ""
    for case in order:
        ahead = first[case] == "full"
        if case == "q1":
            keys += "tff"
        elif case == "q2":
            keys += ("2" if ahead else "1") + ("fp" if ahead else "pf")
        else:
            keys += ("1" if ahead else "2") + ("pf" if ahead else "fp")
    box.row3("judge", "label", stdin=keys, code=0)


def test_a_judge_of_two_is_measured_by_winner_and_pass(box: Box) -> None:
    label(box)
    lines = {line["caseId"]: line for line in map(json.loads, box.read(LABELS).splitlines())}
    assert (lines["q1"]["winner"], lines["q1"]["passes"]) == ("tie", False)
    assert (lines["q2"]["winner"], lines["q2"]["passes"]) == ("baseline", False)
    assert (lines["q3"]["winner"], lines["q3"]["passes"]) == ("full", True)
    [report] = box.row3("judge", "calibrate", LABELS, "--format", "json", code=0).json["rubrics"]
    found = report["warranty"]["figures"]
    # two of ten flip and are ties; the judge is wrong on q1 and q2 besides
    assert found["positionBias"]["value"] == 0.2 and found["positionBias"]["count"] == 10
    assert found["winnerAccuracy"]["value"] == 0.6
    assert found["accuracy"]["value"] == 0.6
    assert {each["caseId"] for each in report["warranty"]["disagreements"]} == {"q0", "q1", "q2", "q5"}
    assert report["warranty"]["disagreements"][0]["caseId"] == "q2"
    kept = json.loads(box.read("calibrations/two.json"))["rubrics"]["judge-outcome"]
    assert kept["winnerKappa"]["value"] < 0.6


def test_a_judge_of_two_that_is_calibrated_corrects_the_pass_rate(box: Box) -> None:
    label(box)
    box.row3("judge", "calibrate", LABELS, code=0)
    out = box.row3(code=0).out
    assert "judge-outcome" in out.partition("judged rate")[2]
    assert "too few labels, or too little agreement with people (kappa)" in " ".join(out.split())
    result = box.row3("--format", "json", code=0).json
    value = result["judges"]["judge-outcome"]
    assert value["warranted"] is False and value["raw"]["count"] == 10
    # The judge lets `full` win in 6 of the 8 pairs where a person does, and in both of the others: worse than chance.
    assert value["wins"]["raw"]["value"] == result["metrics"]["valueWinRate"] == 0.8
    assert value["wins"]["corrected"] is None


def test_rates_have_an_interval_and_wins_are_corrected(box: Box) -> None:
    label(box)
    lines = [json.loads(line) for line in box.read(LABELS).splitlines()]
    for line in lines:  # a person who sees what the judge sees
        tie = line["caseId"] in ("q0", "q5")
        line |= {"winner": "tie" if tie else "full", "passes": not tie}
    box.write(LABELS, "".join(json.dumps(line) + "\n" for line in lines))
    said = box.row3("judge", "calibrate", LABELS, code=0).out
    assert "Full wins: sensitivity  100.0% (67.6…100.0, n 8)" in said
    result = box.row3("--format", "json", code=0).json
    # By hand: Wilson's interval of 8 of 10, (.8 + .19207 ∓ 1.95996 √(.016 + .0096037)) / 1.38415.
    wins = {
        "low": pytest.approx(0.49016, abs=1e-5),
        "high": pytest.approx(0.94332, abs=1e-5),
        "level": 0.95,
        "units": 10,
    }
    assert result["intervals"]["valueWinRate"] == wins
    assert result["matchCounts"]["labelledWinners"] == {"full full": 8, "tie tie": 2}
    corrected = result["judges"]["judge-outcome"]["wins"]["corrected"]
    assert (corrected["value"], corrected["high"]) == (0.8, 1.0)
    assert corrected["low"] == pytest.approx(0.8 - 0.37169, abs=1e-5)
    out = box.row3(code=0).out
    assert re.search(r"Value win rate +80\.0% +49\.0…94\.3 ", out)
    assert re.search(
        r"judge-outcome wins\s+80\.0% \(49\.0…94\.3\), n 10 +80\.0% \(42\.8…100\.0\) +10 +Rogan–Gladen", out
    )
    assert max(map(len, out.splitlines()[1:])) <= 80
    assert "| **Value win rate** | **80.0%** | 49.0…94.3 |" in box.row3("--format", "markdown", code=0).out


JUDGE = '[suites.two.judge]\nuncalibrated = "block"\n'
HELD = "no block, as the judge is uncalibrated: Value win rate"


@pytest.mark.parametrize("block", [True, False])
def test_a_judge_without_labels_blocks_where_the_suite_says_so(box: Box, block: bool) -> None:
    if block:
        box.write("row3.toml", box.read("row3.toml") + JUDGE)
    box.row3("--baseline", code=0)
    box.replace("row3.toml", '"large-model"', '"made-up"')
    done = box.row3("--compare", "--mode", "record", "--format", "json", code=int(block)).json
    assert (done["deltas"]["valueWinRate"], done["deltas"]["hallucinationRate"]) == (-0.8, 1)
    assert done["verdict"] == ("block" if block else "investigate")
    worse = {each["subject"]: each for each in done["reasons"] if each["code"] == "worse"}
    for key in ("valueWinRate", "hallucinationRate", "passRate"):
        assert worse[key]["verdict"] == done["verdict"]
        assert worse[key]["figures"].get("uncalibrated", False) is not block
    assert (HELD in box.row3("--compare").out) is not block
    assert box.row3("--compare", "--fail", "hallucination:0").code == int(block)


def test_an_uncalibrated_judge_that_may_no_longer_block_is_a_loosened_rule(box: Box) -> None:
    text = box.read("row3.toml")
    box.write("row3.toml", text + JUDGE)
    box.row3("--baseline", code=0)
    box.init()
    box.git("checkout", "-q", "-b", "work")
    for looser in (text, text + JUDGE.replace("block", "investigate")):
        box.write("row3.toml", looser)
        done = box.row3("--compare", "--against", "main", "--format", "json", code=1).json
        assert ("criteria_loosened", "rule judge.uncalibrated") in {(e["code"], e["subject"]) for e in done["reasons"]}
    box.git("commit", "-qam", "loosened")
    box.write("row3.toml", text + JUDGE)
    done = box.row3("--compare", "--against", "work", "--format", "json", code=0).json
    assert ("criteria_tightened", "rule judge.uncalibrated") in {(e["code"], e["subject"]) for e in done["reasons"]}


def test_a_critical_case_that_only_an_uncalibrated_judge_saw_fall_does_not_block(box: Box) -> None:
    box.replace("golden/two/q1.gold.json", '"id"', '"critical": true, "id"')
    box.row3("--baseline", code=0)
    box.replace("row3.toml", '"large-model"', '"made-up"')
    done = box.row3("--compare", "--mode", "record", "--format", "json", code=0).json
    (found,) = [each for each in done["reasons"] if each["code"] == "critical_broke"]
    assert (found["verdict"], found["figures"]) == ("investigate", {"uncalibrated": True})


def test_two_judges_are_compared_on_the_winner(box: Box) -> None:
    label(box)
    box.replace("row3.toml", '"judge-1"', '"judge-2"')  # a judge that prefers what it reads first, so that all are ties
    box.row3("--mode", "auto", code=0)
    done = box.row3("judge", "compare", "judge-1", "judge-2", code=0)
    # Judge 1 finds the winner of q3, q4, q6 to q9; judge 2 that of q1, the only tie.
    assert "Accuracy on the winner differs by −50.0 points; McNemar's exact p .125 (6 labels only judge-1" in " ".join(
        done.out.split()
    )
    found = box.row3("judge", "compare", "judge-1", "judge-2", "--format", "json", code=0).json
    assert (found["of"], found["onlyRight"], found["accuracyDifference"]) == ("winner", [6, 1], -0.5)
