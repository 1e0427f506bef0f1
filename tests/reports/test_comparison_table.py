"""A comparison on a terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from row3.domain.changes import MetricChange
from row3.domain.intervals import Interval
from row3.domain.verdicts import CaseChange, Verdict
from row3.reports.comparison_table import comparison_table
from row3.reports.style import cells

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def tail(comparison: Any) -> str:
    return comparison_table(comparison).split("─" * 80 + "\n")[-1]


def test_a_comparison_ends_with_the_verdict(comparison: Any) -> None:
    assert comparison_table(comparison) == COMPARISON


def test_colour_changes_nothing_but_the_colour(comparison: Any) -> None:
    assert ANSI.sub("", comparison_table(comparison, colour=True)) == comparison_table(comparison)


def test_proceed_names_the_promotion(comparison: Any) -> None:
    text = tail(replace(comparison, verdict=Verdict.PROCEED, reasons=()))
    assert text == (
        "✓ PROCEED  Overall 70.0% (−2.0 points, n = 2) · 1 improved · 1 regressed\n"
        "  Next: row3 promote decompose-concepts-v1.1\n"
    )


def test_investigate_names_the_case_and_then_the_promotion(comparison: Any, make: Any) -> None:
    text = tail(replace(comparison, verdict=Verdict.INVESTIGATE))
    assert text.endswith("  Next: row3 investigate ozone\n  Then: row3 promote decompose-concepts-v1.1\n")
    nothing = replace(comparison.run, lineup=make.Lineup(comparison.run.header.prompts))
    text = tail(replace(comparison, verdict=Verdict.PROCEED, run=nothing))
    assert text.endswith("  Next: commit.\n")


def test_an_approved_block_says_by_whom(comparison: Any, make: Any) -> None:
    first, *rest = tail(replace(comparison, approval=make.Approval(reason="known\x1b[1m gap"))).split("\n")
    assert first.startswith("! BLOCK, approved  ")
    assert rest == [
        "  approved by Ann, 2026-01-29 11:00 UTC: known gap",
        "  Next: row3 promote decompose-concepts-v1.1",
        "  Then: commit metrics-history.json and CHANGELOG.md too: the approval stands",
        "  there.",
        "",
    ]


def test_an_incomplete_run_is_not_judged(comparison: Any, make: Any) -> None:
    run = replace(comparison.run, collected=make.Collected(failed=["ozone"]), problems=[("ozone", "timed out")])
    assert tail(replace(comparison, run=run)).startswith("? INCOMPLETE  1 of 2 cases without an answer\n")


def test_every_regression_is_named_even_beyond_the_first_cases(make: Any) -> None:
    names = [f"case{i:02}" for i in range(14)]
    run = make.run({name: {"overall": 0.8} for name in names})
    changes = [CaseChange(name, "improved", 0.5) for name in names[:12]]
    changes += [CaseChange(name, "regressed", -0.01) for name in names[12:]]
    text = comparison_table(make.comparison(run, changes))
    assert "Cases  12 improved · 2 regressed\n" in text
    assert "  ▼ also worse (-v shows why): case12 −1.0, case13 −1.0\n  and 4 more (-v shows them)\n" in text
    assert "more" not in comparison_table(make.comparison(run, changes), verbose=True)


def test_every_move_is_in_words(make: Any) -> None:
    run = make.run({"a": {"overall": 0.8}, "b": {"overall": 0.0}, "c": {"overall": 0.5}})
    changes = [
        CaseChange("b", "broke", -0.7),
        CaseChange("gone", "removed", 0.0),
        CaseChange("a", "fixed", 0.8),
        CaseChange("c", "new", 0.0),
        CaseChange("d", "not comparable", 0.0, note="the case itself changed"),
    ]
    text = comparison_table(make.comparison(run, changes))
    lines = [line.rstrip() for line in text.split("Cases  ")[1].split("\n\n")[0].split("\n")]
    assert lines == [
        "1 fixed · 1 broke · 1 removed · 1 new · 1 not comparable",
        "  ▼ b                            −70.0   70.0 → 0.0 bad answer",
        "  ▼ gone                                 removed",
        "  ▲ a                            +80.0   0.0 → 80.0 was a bad answer",
        "  · c                                    new, 50.0",
        "  · d                                    not comparable",
        "      the case itself changed",
    ]


def test_it_is_80_columns_wide_whatever_the_labels_are(make: Any) -> None:
    labels = tuple(f"a rather long label of a concept number {i}, 概念" for i in range(30))
    lost = {"missedConcepts": labels, "missedRelationships": labels, "wrongRelationships": labels}
    run = make.run({f"a-case-with-quite-a-long-name-{i:05}": {"overall": 1.0} for i in range(1000)})
    changes = [CaseChange(row.case_id, "regressed", -0.5, lost=lost) for row in run.rows]
    diff = "@@ -1 +1 @@\n-" + "x" * 300 + " old\n+" + "x" * 300 + " new"
    comparison = make.comparison(run, changes, prompt_diffs={"p": diff}, differs=["y " * 90])
    text = comparison_table(comparison, colour=False)
    assert max(map(cells, text.split("\n"))) <= 80
    assert "    -…xxxxxxxxxxxxxxxx old\n    +…xxxxxxxxxxxxxxxx new\n" not in text
    assert re.search(r"-…x+ old\n    \+…x+ new\n", text)


def test_it_is_80_columns_wide_whatever_the_figures_are(comparison: Any) -> None:
    kind = comparison.run.suite.kind
    kind = replace(kind, metrics=tuple(replace(metric, title="Relationship accuracies") for metric in kind.metrics))
    run = replace(comparison.run, suite=replace(comparison.run.suite, kind=kind))
    fallen = Interval(-1.0, -1.0, -1.0, 0.95, 0.0001, 0.0, 1.0, 5)
    changes = [MetricChange(each.key, 1.0, 0.0, -1.0, 100.0, Verdict.BLOCK, 5, fallen) for each in kind.metrics]
    changes[1] = replace(changes[1], baseline=0.0, current=1.0, delta=1.0)
    text = comparison_table(replace(comparison, run=run, metrics=changes), colour=False)
    assert "−100.0…−100.0" in text
    assert max(map(cells, text.split("\n"))) <= 80


def test_labels_cannot_steer_the_terminal(make: Any) -> None:
    run = make.run({"a": {"overall": 0.5}})
    change = CaseChange("a", "regressed", -0.1, lost={"missedConcepts": ("x\x1b[31my\u202e\n\rz",)})
    comparison = make.comparison(run, [change], prompt_diffs={"p\x07": "+a\x1b[2Jb\tc"}, against="main\x1b[1m")
    text = comparison_table(comparison, verbose=True)
    assert "− lost: xy z" in text
    assert "    +ab    c\n" in text
    assert all(line.isprintable() for line in text.split("\n"))


COMPARISON = """\
Baseline  decompose-concepts v1.0 → map-ontology v1.0 · reference-llm ·
          2026-01-29 10:15 UTC

What changed
  prompt decompose-concepts: v1.0 → v1.1

  decompose-concepts
    @@ -1 +1 @@
    -List them.
    +List all of them.

metric              before    now  points   95% interval     p  zone  gate
──────────────────────────────────────────────────────────────────────────
Concept recall       72.0%  70.0%   −2.0 ▼     −7.1…+3.1  .044  ✓     ·
Hallucination rate    7.0%   5.0%   −2.0 ▲     −7.1…+3.1  .044  !     ·
Overall              72.0%  70.0%   −2.0 ▼     −7.1…+3.1  .044  !     ·

Duplicate rate        4.5%   2.5%   −2.0 ▲     −7.1…+3.1  .044

▲ better  ▼ worse; ★ excellent ✓ pass ! marginal ✗ fail
percentage points; paired intervals; n = 2 cases that both runs have
How small a drop can be seen is unknown: fewer than two independent cases say
nothing of the spread.

Cases  1 improved · 1 regressed
  ▼ ozone                        −10.0   70.0 → 60.0
      + no longer unexpected: Gas
      − lost: Halons, ozone layer
      − canary extracted: Kyoto Protocol
      − 1 relationship lost: Halons IS_A Gas
  ▲ bank-runs                     +5.0   75.0 → 80.0
      + found: banks

Why
  ✗ block        Concept recall is worse by 6.0 points (more than 5)
  ! investigate  ozone is odd

────────────────────────────────────────────────────────────────────────────────
✗ BLOCK  Overall 70.0% (−2.0 points, n = 2) · 1 improved · 1 regressed
  Next: row3 investigate ozone
  Then: mend the prompt and run row3 --compare again; or, if it has to be,
  --approve REASON.
"""
