"""The scorecard on a terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from row3.domain.scores import Usage
from row3.reports.headline import first_line
from row3.reports.scorecard_table import scorecard_table
from row3.reports.style import cells

ANSI = re.compile(r"\x1b\[[0-9;]*m")
USAGE = Usage(30, 30, 41205, 38000, None, 1.2, 4.84, 2)


def test_a_scorecard_shows_everything_in_its_place(run: Any, make: Any) -> None:
    run = replace(
        run,
        usage=USAGE,
        collected=make.Collected(skipped={"recall": {"no concepts expected": 1}}),
        notes=["ozone: code fence removed"],
    )
    assert scorecard_table(run, declines=3) == SCORECARD


def test_the_first_line_says_what_runs_and_what_is_promoted() -> None:
    versions = {"decompose-concepts": "v1.1", "map-ontology": "v1.0", "third": "v1.0"}
    promoted = {"decompose-concepts": "v1.0", "map-ontology": "v1.0"}
    assert first_line("decomposition", versions, promoted, "reference-llm", "replay") == (
        "decomposition · decompose-concepts v1.1 (candidate; promoted v1.0) → map-ontology v1.0 (promoted) → "
        "third v1.0 (candidate; none promoted) · reference-llm · replay"
    )


def test_the_first_line_of_outputs_made_elsewhere_says_that_nothing_ran() -> None:
    told = "kitchen · outputs made elsewhere; no prompt was run"
    assert first_line("kitchen", {}, {}, "outputs made elsewhere", "outputs") == told


def test_colour_changes_nothing_but_the_colour(run: Any) -> None:
    assert ANSI.sub("", scorecard_table(run, colour=True)) == scorecard_table(run)
    assert "\x1b" not in scorecard_table(run)


def test_fail_zones_are_named_and_not_judged(make: Any) -> None:
    run = make.run({"a": {"recall": 0.5, "overall": 0.8}})
    assert scorecard_table(run).endswith("✗ fail zone: Concept recall — row3 --compare judges\n")


def test_a_value_just_below_a_limit_does_not_look_as_if_it_were_on_it(make: Any) -> None:
    run = make.run({"a": {"recall": 0.59996, "overall": 0.8}})
    assert "Concept recall  59.996%  ✗ fail" in scorecard_table(run)


def test_bad_answers_and_failed_cases_are_listed_with_their_problem(run: Any, make: Any) -> None:
    rows = [replace(run.rows[0], status="failed", metrics={}, zones={}), replace(run.rows[1], status="bad_answer")]
    run = replace(
        run,
        rows=rows,
        collected=make.Collected(failed=["bank-runs"], bad=["ozone"]),
        problems=[("bank-runs", "timed out"), ("ozone", "no JSON in it")],
    )
    text = scorecard_table(run)
    assert "? 1 case without an answer: the run is incomplete, nothing counts as 0\n  bank-runs  timed out\n" in text
    assert "✗ 1 case with a bad answer: 0 on every metric\n  ozone  no JSON in it\n" in text
    assert text.count("bank-runs") == 1
    assert re.search(r"^✗ ozone +60.0 +bad answer: 0 on every metric$", text, re.MULTILINE)


def test_it_is_80_columns_wide_with_long_ids_many_cases_and_repeats(make: Any) -> None:
    metrics = {"recall": 1.0, "hallucinationRate": 0.0, "overall": 1.0, "duplicateRate": 1.0}
    run = make.run({f"a-case-with-quite-a-long-name-{i:05}": metrics for i in range(1200)})
    run = replace(run, header=replace(run.header, repeats=3), rows=[replace(row, spread=0.021) for row in run.rows])
    text = scorecard_table(run)
    assert max(map(cells, text.split("\n"))) <= 80
    assert "a-case-with-quite-a-long-…  " in text
    assert "  and 1,170 more (-v shows all)\n" in text
    assert scorecard_table(run, verbose=True).count("2.1") == 1200


def test_the_worst_cases_come_first(make: Any) -> None:
    run = make.run({f"case{i}": {"overall": value} for i, value in enumerate((0.9, 0.3, 0.7))})
    assert re.findall(r"case\d", scorecard_table(run)) == ["case1", "case2", "case0"]


def test_what_a_case_is_called_cannot_steer_the_terminal(make: Any) -> None:
    run = make.run({"a\x1b[2Jb\u202ec\r\nd\x9b31m\x1b]0;title\x07": {"overall": 0.9}})
    text = scorecard_table(run)
    assert "★ abc d " in text
    assert all(line.isprintable() for line in text.split("\n"))


def usage_lines(run: Any, *usage: Any) -> list[str]:
    text = scorecard_table(replace(run, usage=Usage(*usage)))
    return [line for line in text.split("\n") if re.match(r"\d+ request|recorded|[\d,]+ tokens|tokens|latency", line)]


def test_cost_is_unknown_zero_or_an_amount(run: Any) -> None:
    assert usage_lines(run, 2, 0, 10, 5, None, 1.0, 2.0) == [
        "2 requests",
        "10 tokens in · 5 out · cost unknown (no price for reference-llm)",
        "latency p50 1.0 s · p95 2.0 s",
    ]
    assert usage_lines(run, 2, 0, 10, 5, 0.0, 0.84, 75.0) == [
        "2 requests",
        "10 tokens in · 5 out · cost $0.00",
        "latency p50 840 ms · p95 1 min 15 s",
    ]
    assert usage_lines(run, 2, 1, 10, 5, 0.0123, 1.0, 2.0) == [
        "2 requests, 1 replayed",
        "10 tokens in · 5 out · cost $0.0123 with the replayed answers",
        "latency p50 1.0 s · p95 2.0 s",
    ]
    assert usage_lines(run, 2, 2) == [
        "2 requests, all replayed: nothing spent now",
        "recorded: tokens, cost and latency unknown",
    ]
    assert usage_lines(run) == []


SCORECARD = """\
metric              value  zone        minimum  target  excellent  n
────────────────────────────────────────────────────────────────────
Concept recall      70.0%  ✓ pass         ≥60%    ≥70%       ≥85%  2
Hallucination rate   5.0%  ! marginal      ≤5%     ≤2%         0%  2
Overall             70.0%  ! marginal     ≥65%    ≥75%       ≥85%  2

Duplicate rate       2.5%                                          2

skipped  Concept recall: 1 case (no concepts expected)

  case, worst first  overall  recall  halluc.
──────────────────────────────────────────────
✗ ozone                 60.0    50.0✗    10.0✗
✓ bank-runs             80.0    90.0      0.0

30 requests, all replayed: nothing spent now
recorded: 41,205 tokens in · 38,000 out · cost unknown (no price for
reference-llm)
latency p50 1.2 s · p95 4.8 s · 2 answers cut off by the token limit
1 note on answers (-v shows them)

▼ 3 consecutive declining runs of Overall — row3 trend draws them
"""


def test_cases_with_one_reason_are_named_under_it_once(run: Any, make: Any) -> None:
    def why(line: int) -> str:
        return f"x-v1.1: no recording; the nearest is recordings/d/x-v1.1.jsonl:{line}, the prompt is another"

    ids = [f"case-{number}" for number in range(13)]
    problems = [*((each, why(line)) for line, each in enumerate(ids, 1)), ("odd", "timed out")]
    run = replace(run, collected=make.Collected(failed=[*ids, "odd"]), problems=problems)
    text = scorecard_table(run)
    assert text.count("no recording") == 1
    assert "jsonl:1" in text and "jsonl:2" not in text
    assert re.search(r"the same: case-1, case-2,[\s\S]* case-10\s+and 2 more\n  odd  timed out", text)
    assert scorecard_table(run, verbose=True).count("no recording") == 13
