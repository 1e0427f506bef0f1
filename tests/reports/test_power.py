"""`row3 power` in words: everything within the width, and what is not known said so."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

from row3.domain.numbers import drop_points
from row3.domain.printable import cells
from row3.gate.pairs import DifferenceVariance, Pairs
from row3.gate.policy import GatePolicy, PolicyName
from row3.gate.power import ErrorRates, Finding, Needed, PowerReport, Sensitivity, sensitivity
from row3.reports.power import power_document, power_json, sensitivity_sentence, times
from row3.reports.terminal import PLAIN, Style, terminal_text
from tests.reports.conftest import OVERALL, RATE, RECALL
from tests.rows import every_row

SETTINGS = ("p v1.0 · m", "p v1.1 · m")
LIMIT = GatePolicy(metrics=("overall", "recall", "hallucinationRate"))


def pairs(n: int = 15, *, repeats: int = 1, scale: float = 0.05, source: str | None = None) -> Pairs:
    made = Pairs()
    spreads = dict.fromkeys(("overall", "recall"), 0.03) if repeats > 1 else {}
    for i in range(n):
        before = {"overall": 0.7, "recall": 0.6, "hallucinationRate": 0.0}
        after = {
            "overall": 0.7 + scale * math.sin(5 * i),
            "recall": 0.6 + scale * math.cos(3 * i),
            "hallucinationRate": 0.0,
        }
        label = None if source is None else f"{source}{i // 3}"
        made.add(before, after, repeats=(repeats, repeats), spreads=(spreads, spreads), source=label)
    return made


def report(made: Pairs, *, policy: GatePolicy = LIMIT, detect: float | None = None, **more: object) -> PowerReport:
    plans = tuple((m, sensitivity(made, m, policy, detect=detect)) for m in (OVERALL, RECALL, RATE))
    return replace(PowerReport("decomposition", SETTINGS, (1, 1), policy, plans), **more)  # type: ignore[arg-type]


def power_text(found: PowerReport, style: Style = PLAIN) -> str:
    return terminal_text(power_document(found), style)


@every_row("width", [60, 80, 132])
@every_row("policy", ["fixed", "paired"])
@every_row("repeats", [1, 3])
def test_it_fits(width: int, policy: str, repeats: int) -> None:
    shown = power_text(report(pairs(repeats=repeats), policy=replace(LIMIT, policy=policy)), Style(width=width))
    longest = max(cells(line) for line in shown.split("\n") if "─" not in line or width >= 80)
    assert longest <= max(width, 80)


def test_one_answer_each_says_how_to_find_out_about_repeats() -> None:
    text = " ".join(power_text(report(pairs())).split())
    assert "Overall: 15 cases with this much spread detect a drop of" in text
    assert "The effect of repeats (?): both sides asked every case once." in text
    assert "row3 --repeats 3 --mode record" in text
    assert "?: unknown, as no case moved" in text


RATES = (ErrorRates(15, 1, 0.2, 0.04, 0.95, 0.9), ErrorRates(15, 2, 0.1, 0.02, 0.98, 0.97))


def test_how_often_the_gate_errs_for_this_suite() -> None:
    text = power_text(report(pairs(), rates=RATES))
    assert re.search(r"15 cases +20% +4% +95% +90%\n15 cases asked 2 times +10% +2% +98% +97%\n", text)
    words = " ".join(text.split())
    assert "From this suite's own answers (repeats, confirmations, saved runs), drawn again." in words
    assert "Confirmed: after up to 4 more answers a case and side." in words
    assert power_json(report(pairs(), rates=RATES))["errorRates"] == {
        "nearest": "",
        "plans": [
            dict(
                zip(
                    ("cases", "repeats", "falseOnce", "falseConfirmed", "foundOnce", "foundConfirmed"),
                    each,
                    strict=True,
                )
            )
            for each in RATES
        ],
    }


def test_how_often_the_gate_errs_for_the_nearest_suite() -> None:
    words = " ".join(power_text(report(pairs(), rates=RATES, nearest="nearly flawless")).split())
    assert (
        "No setting has two answers to every case. From the simulated suite most like this one: nearly flawless."
        in words
    )
    unknown = " ".join(power_text(report(pairs())).split())
    assert "How often the gate errs under `evidence`: no setting has two answers to every case." in unknown


def test_impossible_sizes_are_not_recommended() -> None:
    wild = report(pairs(3, scale=0.4), policy=replace(LIMIT, policy="paired"))
    text, value = power_text(wild), power_json(wild)["metrics"]["overall"]
    assert re.search(r"Overall +none +10 ", text)
    assert "all moved alike" not in text
    assert (value["smallestDrop"], value["wantedDrop"]) == (None, 0.1)
    calm = power_json(report(pairs(2, scale=0.01)))["metrics"]["overall"]
    assert calm["casesNeeded"] == {"count": 5}
    most = power_json(report(pairs(repeats=3, scale=0.6), detect=0.0501))["metrics"]["overall"]
    assert most["casesNeeded"] == most["repeatsNeeded"] == {"count": None, "why": "never"}
    assert power_json(report(pairs(), policy=replace(LIMIT, block=80.0)))["metrics"]["overall"]["wantedDrop"] == 1.0


@every_row("policy", ["fixed", "evidence", "paired"])
def test_detected_is_what_the_policy_blocks(policy: PolicyName) -> None:
    shown = " ".join(power_text(report(pairs(), policy=replace(LIMIT, policy=policy), detect=0.05)).split())
    assert f"Detected: the policy `{policy}` blocks it" in shown
    assert "plan for a larger one, such as --detect 10" in shown


def test_no_spread_is_no_promise() -> None:
    text = " ".join(power_text(report(pairs(scale=0.0))).split())
    assert "the smallest drop that 15 cases detect is unknown" in text
    assert "Compare two versions that differ." in text


def test_too_few_cases() -> None:
    text = power_text(report(pairs(1)))
    assert "takes two independent cases" in " ".join(text.split())
    assert "Add golden cases." in text


def test_a_metric_that_applies_to_no_case_says_why() -> None:
    one = report(pairs())
    plans = ((OVERALL, one.plans[0][1]), (RECALL, None))
    why = {"recall": "the case expects no concepts"}
    text = power_text(replace(one, plans=plans, skipped=why))
    assert "Concept recall does not apply: the case expects no concepts.\n" in text
    assert "too few cases" not in text
    assert "too few cases" in power_text(replace(one, plans=plans))


def test_few_cases_detect_nothing_reliably() -> None:
    text = power_text(report(pairs(4, scale=0.4), policy=replace(LIMIT, policy="paired")))
    assert "4 cases with this much spread are too few to detect any drop reliably;" in " ".join(text.split())
    assert not [number for number in re.findall(r"\d+\.\d", text) if float(number) > 100.0]


def test_clusters_are_worth_less() -> None:
    assert "15 cases are worth 5." in " ".join(power_text(report(pairs(source="book"))).split())


def test_json_is_fractions_and_says_why() -> None:
    value = json.loads(json.dumps(power_json(report(pairs()))))
    assert (value["schemaVersion"], value["policy"], value["source"]["repeats"]) == (1, "evidence", [1, 1])
    overall = value["metrics"]["overall"]
    assert 0 < overall["smallestDrop"] < 0.2
    assert overall["wantedDrop"] == 0.1
    assert overall["repeatsNeeded"] == {"count": None, "why": "unknown"}
    assert overall["casesNeeded"]["count"] > 1
    assert value["metrics"]["hallucinationRate"]["smallestDrop"] is None
    assert power_json(report(pairs(1)))["metrics"]["overall"] is None


UNKNOWN, NEVER, ELEVEN = Needed(None, "unknown"), Needed(None, "never"), Needed(11)
SPREAD = "with this much spread"


def said(
    *,
    smallest_drop: float | None = 0.12,
    wanted: float = 0.1,
    cases: Needed = ELEVEN,
    repeats: Needed = UNKNOWN,
    k: float = 1.0,
    n: int = 15,
) -> str:
    variance = DifferenceVariance(0.01, n - 1.0, n, k)
    seen = Sensitivity("overall", variance, Finding(0.05), smallest_drop, wanted, cases, repeats, True)
    return sensitivity_sentence(seen, "Overall")


@every_row(
    ("sentence", "words"),
    [
        (said(smallest_drop=0.07), f"Overall: 15 cases {SPREAD} detect a drop of 7.0 points."),
        (
            said(cases=Needed(58), repeats=Needed(4)),
            f"Overall: 15 cases {SPREAD} detect a drop of 12.0 points; 58 cases or 4 repeats would detect 10.",
        ),
        (
            said(cases=NEVER, repeats=Needed(7), k=3.0),
            f"Overall: 15 cases asked 3 times {SPREAD} detect a drop of 12.0 points; 7 repeats would detect 10.",
        ),
        (
            said(wanted=0.05, cases=NEVER, repeats=NEVER),
            f"Overall: 15 cases {SPREAD} detect a drop of 12.0 points; no number of cases would detect 5.",
        ),
        (
            said(smallest_drop=2.924, cases=Needed(583), n=2),
            f"Overall: 2 cases {SPREAD} are too few to detect any drop reliably; 583 cases would detect 10.",
        ),
        (
            said(smallest_drop=None, cases=Needed(40)),
            f"Overall: 15 cases {SPREAD} are too few to detect any drop reliably; 40 cases would detect 10.",
        ),
        (
            said(smallest_drop=None, cases=UNKNOWN),
            "Overall: the smallest drop that 15 cases detect is unknown, as no case moved.",
        ),
        (
            sensitivity_sentence(None, "Rate", what="rise"),
            "Rate: the smallest rise detected is unknown: that takes two independent cases.",
        ),
    ],
)
def test_the_sentence(sentence: str, words: str) -> None:
    assert sentence == words


def test_repeats_that_are_there_already_are_nothing_to_buy() -> None:
    assert "repeat" not in said(repeats=Needed(3), k=3.0)
    assert "11 cases or 4 repeats would" in said(repeats=Needed(4), k=3.0)


def test_thousands() -> None:
    assert "1,204 cases would detect 10" in said(cases=Needed(1204))


@every_row(("drop", "text"), [(0.04, "4.0"), (0.1234, "12.3"), (0.0006, "0.1"), (0.0002, "0.02")])
def test_points_keep_the_digits_that_matter(drop: float, text: str) -> None:
    assert drop_points(drop) == text


@every_row(("k", "text"), [(1.0, ""), (3.0000000000000004, " asked 3 times"), (1.5, " asked about 1.5 times")])
def test_times(k: float, text: str) -> None:
    assert times(k) == text
