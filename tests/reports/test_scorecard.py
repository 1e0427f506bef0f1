"""The scorecard of a run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from row3.domain.printable import cells
from row3.domain.scores import Usage
from row3.gate.results import ran
from row3.reports.formats import result_text
from row3.reports.scorecard import NAMED_ITEMS, brief_scorecard, scorecard_document
from row3.reports.sentences import what_runs
from row3.reports.terminal import PLAIN, Style, terminal_text

ANSI = re.compile(r"\x1b\[[0-9;]*m")
USAGE = Usage(30, 30, 41205, 38000, None, 1.2, 4.84, 2)


def shown(run: Any, *, style: Style = PLAIN, declines: int = 0, verbose: bool = False) -> str:
    return terminal_text(scorecard_document(run, declines=declines, verbose=verbose, headed=False), style)


def test_a_scorecard_shows_everything_in_its_place(run: Any) -> None:
    skipped = {"recall": {"no concepts expected": 1}}
    run = replace(run, usage=USAGE, skipped=skipped, notes=["ozone: code fence removed"])
    assert shown(run, declines=3) == SCORECARD


def test_the_first_line_says_what_runs_and_what_is_promoted(run: Any) -> None:
    versions = {"decompose-concepts": "v1.1", "map-ontology": "v1.0", "third": "v1.0"}
    three = replace(run, header=replace(run.header, prompts=versions))
    assert what_runs(three, "decomposition") == (
        "decomposition · decompose-concepts v1.1 (candidate; promoted v1.0) → map-ontology v1.0 (promoted) → "
        "third v1.0 (candidate; none promoted) · reference-llm · replay"
    )
    elsewhere = replace(run, header=replace(run.header, prompts={}, model="outputs made elsewhere", mode="outputs"))
    assert what_runs(elsewhere, "kitchen") == "kitchen · outputs made elsewhere; no prompt was run"
    assert str(result_text(ran(run))).startswith(
        "decomposition · decompose-concepts v1.1 (candidate; promoted v1.0) → "
    )


def test_colour_changes_nothing_but_the_colour(run: Any) -> None:
    assert ANSI.sub("", shown(run, style=Style(colour=True))) == shown(run)
    assert "\x1b" not in shown(run)


def test_fail_zones_are_named_and_not_judged(make: Any) -> None:
    run = make.run({"a": {"recall": 0.59996, "overall": 0.8}})
    assert shown(run).endswith("✗ fail zone: Concept recall (row3 --compare judges)\n")
    assert "Concept recall  59.996%  ✗ fail" in shown(run)
    assert terminal_text(brief_scorecard(run)).endswith("(row3 --compare judges)\n")


def test_the_highest_overall_is_explained(make: Any) -> None:
    limit = "85.0% is the highest Overall: the positive weights sum to 0.85"

    def weighted(overall: float) -> Any:
        run = make.run({"a": {"recall": 1.0, "overall": overall}})
        rules = replace(run.suite.rules, weights={"recall": 0.5, "precision": 0.35, "hallucinationRate": -0.15})
        return replace(run, suite=replace(run.suite, rules=rules))

    assert limit in shown(weighted(0.85))
    assert limit in shown(weighted(0.84))  # a case in it may be flawless
    assert "highest" not in shown(make.run({"a": {"recall": 1.0}}))


def test_bad_answers_and_failed_cases_are_listed_with_their_problem(run: Any) -> None:
    rows = [run.rows[0]._replace(status="failed", metrics={}), run.rows[1]._replace(status="bad_answer")]
    problems = [("bank-runs", "timed out"), ("ozone", "no JSON in it")]
    text = shown(replace(run, rows=rows, failed=["bank-runs"], bad=["ozone"], problems=problems))
    assert "? 1 case without an answer: the run is incomplete; they do not count as 0\n- bank-runs: timed out\n" in text
    assert "✗ 1 case with a bad answer: 0 on every metric\n- ozone: no JSON in it\n" in text
    assert text.count("bank-runs") == 1
    assert re.search(r"^✗ ozone bad answer +60.0$", text, re.MULTILINE)


def test_cases_with_one_problem_are_named_under_it_once(run: Any, make: Any) -> None:
    def why(line: int) -> str:
        return f"x-v1.1: no recording; the nearest is recordings/d/x-v1.1.jsonl:{line}, the prompt is another"

    ids = [f"case-{number}" for number in range(13)]
    problems = [*((each, why(line)) for line, each in enumerate(ids, 1)), ("odd", "timed out")]
    run = replace(run, failed=[*ids, "odd"], problems=problems)
    text = " ".join(shown(run).split())
    assert text.count("no recording") == 1
    assert "(the same: case-1, case-2," in text
    assert "case-10 and 2 more) - odd: timed out" in text
    assert shown(run, verbose=True).count("no recording") == 13


def test_many_cases_with_long_ids_and_repeats(make: Any) -> None:
    metrics = {"recall": 1.0, "hallucinationRate": 0.0, "overall": 1.0, "duplicateRate": 1.0}
    run = make.run({f"a-case-with-quite-a-long-name-{i:05}": metrics for i in range(1200)})
    run = replace(
        run, header=replace(run.header, repeats=3), rows=[row._replace(spread={"overall": 0.021}) for row in run.rows]
    )
    assert max(map(cells, shown(run).split("\n"))) <= 80
    assert "  and 1,170 more (-v shows all)\n" in shown(run)
    assert shown(run, verbose=True).count("2.1") == 1200


def test_the_worst_cases_come_first(make: Any) -> None:
    run = make.run({f"case{i}": {"overall": value} for i, value in enumerate((0.9, 0.3, 0.7))})
    assert re.findall(r"case\d", shown(run)) == ["case1", "case2", "case0"]


def usage(run: Any, *usage: Any) -> str:
    return " ".join(shown(replace(run, usage=Usage(*usage))).partition("\n2 requests")[2].split())


def test_cost_is_unknown_zero_or_an_amount(run: Any) -> None:
    assert usage(run, 2, 0, 10, 5, None, 1.0, 2.0) == (
        "· 10 tokens in · 5 out · cost unknown (no price for reference-llm) · latency p50 1.0 s · p95 2.0 s"
    )
    assert usage(run, 2, 0, 10, 5, 0.0, 0.84, 75.0).endswith("· cost $0.00 · latency p50 840 ms · p95 1 min 15 s")
    assert "2 out" not in usage(run, 2, 1, 10, 5, 0.0123, 1.0, 2.0)
    assert "cost $0.0123 with the replayed answers" in usage(run, 2, 1, 10, 5, 0.0123, 1.0, 2.0)
    lacking = shown(replace(run, usage=Usage(2, 0, 10, 5, None, 1.0, 2.0, uncounted=1)))
    assert "cost unknown (1 answer without token counts)" in " ".join(lacking.split())
    assert usage(run, 2, 2) == ", all replayed: nothing spent now · recorded: tokens, cost and latency unknown"


def with_found(run: Any, **found: dict[str, list[str]]) -> Any:
    records = [
        json.dumps({"id": row.case_id, "found": found.get(row.case_id.replace("-", "_"), {})}).encode()
        for row in run.rows
    ]
    return replace(run, records=records)


def test_each_case_names_what_it_missed_where_that_is_wanted(run: Any) -> None:
    run = with_found(
        run, ozone={"missedConcepts": ["CFCs"], "canaries": ["x\x1b[1m"]}, bank_runs={"wrongConcepts": ["y"]}
    )
    assert "CFCs" not in shown(run)
    text = shown(run, verbose=True).partition("What was missed or wrong\n")[2]
    assert text.startswith("ozone\n- missed concepts: CFCs\n- canary extracted: x\n\nbank-runs\n- unexpected: y\n")
    assert "What was missed" not in shown(with_found(run), verbose=True)


def test_a_list_that_never_ends_is_cut(run: Any) -> None:
    text = shown(with_found(run, ozone={"missedEntities": ["item " * 90_000] * (NAMED_ITEMS + 7)}), verbose=True)
    assert "and 7 more" in text
    assert len(text) < 10_000
    assert max(map(cells, text.split("\n"))) <= 80


SCORECARD = """\
metric              value  zone        minimum  target  excellent  n
────────────────────────────────────────────────────────────────────
Concept recall      70.0%  ✓ pass         ≥60%    ≥70%       ≥85%  2
Hallucination rate   5.0%  ! marginal      ≤5%     ≤2%         0%  2
Overall             70.0%  ! marginal     ≥65%    ≥75%       ≥85%  2

companions      value  n
────────────────────────
Duplicate rate   2.5%  2

skipped: Concept recall: 1 case (no concepts expected)

case, worst first  overall  recall  halluc.
───────────────────────────────────────────
✗ ozone               60.0  ✗ 50.0   ✗ 10.0
✓ bank-runs           80.0    90.0      0.0

30 requests, all replayed: nothing spent now · recorded: 41,205 tokens in ·
  38,000 out · cost unknown (no price for reference-llm) · latency p50 1.2 s ·
  p95 4.8 s · 2 answers cut off by the token limit
1 note on answers (-v shows them)

▼ 3 consecutive declining runs of Overall (row3 trend shows them)
"""
