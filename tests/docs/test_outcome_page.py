"""The figures of the shipped outcome suites, on the pages that tell them, are those of recordings and baselines."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from row3.kinds.outcome.model import OutcomeCase
from row3.matching.text.quotes import SourceText
from tests.projects import clean_env
from tests.runner import run_row3

ROOT = Path(__file__).parents[2]
ARMS = {
    "baseline": "outcome/recall-baseline-v1.1",
    "graph": "outcome/recall-full-v1.1",
    "any": "outcome-lines/recall-lines-v1.0",
}


def text_of(page: str) -> str:
    return " ".join((ROOT / page).read_text("utf-8").split())


def cells(*values: object) -> str:
    return " | ".join(map(str, values))


@cache
def cases() -> list[OutcomeCase]:
    return [
        OutcomeCase.model_validate_json(path.read_bytes()) for path in sorted((ROOT / "golden/outcome").glob("*.json"))
    ]


@cache
def found(arm: str) -> dict[str, list[tuple[str, str]]]:
    """The passages that an arm found, by case: document and text."""
    lines = (ROOT / f"recordings/{ARMS[arm]}.jsonl").read_text("utf-8").splitlines()
    return {line["caseId"]: passages(json.loads(line["response"]["text"])) for line in map(json.loads, lines)}


def passages(answer: dict[str, Any]) -> list[tuple[str, str]]:
    hits = [(hit["id"], hit["text"]) for hit in answer["results"]]
    return hits + [(line["document_id"], line["text"]) for line in answer.get("sentences", [])]


@cache
def facts(arm: str) -> dict[str, list[bool]]:
    """Of each case, which required facts have their evidence in what an arm found."""
    return {
        case.id: [
            all(
                any(
                    doc == evidence.doc and SourceText(text).contains_quote(evidence.quote_contains)
                    for evidence in alternatives
                    for doc, text in found(arm)[case.id]
                )
                for alternatives in fact.needed
            )
            for fact in case.required_facts
        ]
        for case in cases()
    }


def share(arm: str, least: int) -> str:
    told = [each for case in facts(arm).values() if len(case) >= least for each in case]
    return f"{100 * fmean(told):.1f}"


def more(arm: str) -> int:
    return sum(sum(facts(arm)[case]) > sum(told) for case, told in facts("baseline").items())


def test_the_page_counts_the_facts_that_each_arm_finds() -> None:
    page = text_of("docs/outcome.md")
    words = [fmean(sum(len(text.split()) for _, text in case) for case in found(arm).values()) for arm in ARMS]
    large = sum(len(case.required_facts) >= 4 for case in cases())
    total = sum(len(case.required_facts) for case in cases())
    assert f"| {len(cases())} questions, {total} facts |" in page
    assert f"| words found, mean | {cells(*(f'{mean:.0f}' for mean in words))} |" in page
    assert f"| facts found with evidence, % | {cells(*(share(arm, 1) for arm in ARMS))} |" in page
    assert f"| of {large} questions with four facts or more, % | {cells(*(share(arm, 4) for arm in ARMS))} |" in page
    assert f"| questions with more facts than the baseline | | {more('graph')} | {more('any')} |" in page


def test_what_can_be_won_is_told_wherever_the_suite_is() -> None:
    ceiling = f"{100 * more('graph') / len(cases()):.1f}%"
    assert f"{more('graph')} of {len(cases())} questions ({ceiling})" in text_of("README.md")
    assert f"{more('graph')} of {len(cases())} cases ({ceiling})" in text_of("docs/what-was-tried.md")


def test_the_page_says_how_many_wins_are_wins_by_facts(tmp_path: Path) -> None:
    args = ("--suite", "outcome", "--mode", "replay", "--format", "json")
    run = [case["metrics"] for case in run_row3(args, cwd=ROOT, env=clean_env(tmp_path)).json["cases"]]
    won = [case for case in run if case["valueWinRate"]]
    proven = [case for case in run if case["moreFactsProven"]]
    both = [case for case in won if case["moreFactsProven"]]
    lacking = sum(not all(told) for told in facts("baseline").values())
    page = text_of("docs/outcome.md")
    assert f"In {len(both)} of its {len(won)} wins its answer proves more facts" in page
    assert (
        f"as in {len(proven)} questions ({100 * len(proven) / len(run):.1f}%); the other {len(won) - len(both)}" in page
    )
    assert f"For {lacking} questions ({100 * lacking / len(run):.1f}%) the baseline's hits lack a fact" in page


def test_the_page_has_the_rates_of_the_baselines() -> None:
    page, rows = text_of("docs/outcome.md"), {}
    for suite in ("outcome", "outcome-lines"):
        rows[suite] = json.loads((ROOT / f"baselines/{suite}.json").read_bytes())["summary"]
    graph, lines = rows.values()
    for title, key in (("passed", "passRate"), ("evidence", "evidenceRate")):
        assert f"| {title}, % | | {cells(*(f'{100 * each[key]:.1f}' for each in (graph, lines)))} |" in page
    rates = [graph["baselineHallucinationRate"], graph["hallucinationRate"], lines["hallucinationRate"]]
    assert f"| hallucination, % | {cells(*(f'{100 * rate:.1f}' for rate in rates))} |" in page
    won = [round(each["valueWinRate"] * len(cases())) for each in (graph, lines)]
    ties = [round(each["ties"] * len(cases())) for each in (graph, lines)]
    assert [*map(int.__add__, won, ties)] == [len(cases())] * 2
    assert f"| won | 0 | {cells(*won)} |" in page
    assert f"wins {100 * graph['valueWinRate']:.1f}%, ties {100 * graph['ties']:.1f}% and never loses" in page


def test_the_table_of_what_was_tried_has_the_figures_of_the_baselines() -> None:
    page = text_of("docs/what-was-tried.md")
    for suite, title, key in (
        ("decomposition", "overall", "overall"),
        ("events", "F1", "f1"),
        ("entities", "F1", "entity_f1"),
        ("memory-operations", "pass rate", "passRate"),
        ("retrieval", "MRR", "mrr"),
        ("retrieval", "NDCG@10", "ndcg_at_10"),
        ("graph", "precision", "connection_precision"),
        ("outcome", "value win rate", "valueWinRate"),
    ):
        summary = json.loads((ROOT / f"baselines/{suite}.json").read_bytes())["summary"]
        (row,) = [line for line in page.split("| `") if line.startswith(f"{suite}`, {title} ")]
        assert row.split("|")[3].strip(" *") == f"{100 * summary[key]:.1f}", row
