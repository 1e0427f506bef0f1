"""A comparison on a terminal and as Markdown."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from row3.domain.judgements import CaseChange, Code, Interval, MetricChange, Reason, Verdict
from row3.domain.printable import cells
from row3.pytest_plugin.suite_results import gate_text
from row3.reports.comparison import brief_comparison, comparison_document, comparison_page, ground_text, reason_lines
from row3.reports.document import Document
from row3.reports.markdown import markdown_text
from row3.reports.reason_text import Ground
from row3.reports.terminal import PLAIN, Style, terminal_text
from tests.reports.conftest import SOME
from tests.rows import every_row

ANSI = re.compile(r"\x1b\[[0-9;]*m")
NOTE, INVESTIGATE, BLOCK = Verdict


def shown(comparison: Any, *, style: Style = PLAIN, verbose: bool = False) -> str:
    return terminal_text(comparison_document(comparison, verbose=verbose, headed=False), style)


def test_a_comparison_on_one_screen(comparison: Any) -> None:
    assert shown(comparison) == COMPARISON


def test_colour_changes_nothing_but_the_colour(comparison: Any) -> None:
    for verbose in (False, True):
        plain, painted = (shown(comparison, style=Style(colour), verbose=verbose) for colour in (False, True))
        assert ANSI.sub("", painted) == plain


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize(("cases", "most"), [(5, 35), (15, 40), (200, 40)])
def test_however_many_cases_and_reasons_a_page_fits_on_a_screen(make: Any, cases: int, most: int, width: int) -> None:
    lost = {"missedConcepts": ("Halons", "ozone layer"), "missedRelationships": ("Halons IS_A Gas",)}
    run = make.run({f"case-{i}": {"recall": 0.7, "hallucinationRate": 0.0, "overall": 0.7} for i in range(cases)})
    changes = [CaseChange(f"case-{i}", "regressed", -0.1, lost=lost) for i in range(cases)]
    reasons = [Reason(Code.RECORDED_AGAIN, INVESTIGATE, f"case-{i}") for i in range(15)]
    reasons += [Reason(Code.CRITERIA_ADDED, NOTE, f"case new-{i}") for i in range(12)]
    reasons.insert(0, Reason(Code.WORSE, BLOCK, "overall", {"before": 0.8, "after": 0.7}))
    style = Style(width=width)
    text = terminal_text(comparison_page(make.judged(make.comparison(run, changes), *reasons), style), style)
    lines = text.splitlines()
    assert len(lines) + 3 <= most  # what runs stands above, in two lines, and an empty one
    assert max(map(cells, lines)) <= width
    assert lines[0].startswith("✗ BLOCK  ")
    assert "\nWhy\n✗ block: Overall " in text
    assert "▼ case-0 −10.0: lost: Halons, ozone layer" in text
    assert re.search(r"and \d+ more \(-v shows all\)", text)


def test_a_page_says_what_moved_for_the_better_and_for_the_worse(comparison: Any) -> None:
    text = terminal_text(comparison_page(comparison))
    assert "▼ ozone −10.0: canary extracted: Kyoto Protocol; lost: Halons, ozone layer; 1 r…\n" in text
    assert "▲ bank-runs +5.0: found: banks\n" in text
    assert "✗ block: " in text
    assert "Next: row3 investigate ozone\n" in text


def test_an_approved_block_says_by_whom(comparison: Any, make: Any) -> None:
    text = shown(make.judged(comparison, *comparison.reasons, approved=True))
    assert text.startswith(
        "✓ APPROVED (was: block)  Overall 70.0% (−2.0 points, n = 2) · 1 improved · 1\n  regressed\n"
        "approved by Ann, 2026-01-29 11:00 UTC: known gap\n"
    )


def test_an_incomplete_run_is_not_judged(comparison: Any, make: Any) -> None:
    run = replace(comparison.run, failed=["ozone"], problems=[("ozone", "timed out")])
    text = shown(replace(comparison, run=run))
    assert text.startswith("? INCOMPLETE  1 of 2 cases without an answer\n")
    assert "- ozone: timed out\n" in text


def test_what_differs_comes_from_the_headers(comparison: Any) -> None:
    base = replace(
        comparison.baseline,
        model="other",
        repeats=3,
        parameters={"map-ontology": {"temperature": 0.7, "model": "x"}},
        prompts=dict(reversed(comparison.baseline.prompts.items())),
    )
    header = replace(comparison.run.header, parameters={"map-ontology": {"temperature": 0, "model": "y"}})
    changed = replace(comparison, baseline=base, run=replace(comparison.run, header=header))
    text = " ".join(shown(replace(changed, prompt_diffs={})).split())
    for part in (
        "decompose-concepts v1.0 → v1.1 ",
        "pipeline order was map-ontology → decompose-concepts, is decompose-concepts → map-ontology",
        "model other → reference-llm",
        "map-ontology temperature 0.7 → 0 ",
        "repeats 3 → 1",
        "1 recorded answer per case (3 at the base)",
    ):
        assert part in text, part


def test_a_text_that_changed_under_one_version_and_nothing_at_all(comparison: Any) -> None:
    header = replace(comparison.run.header, prompt_digests={"map-ontology": "a"})
    base = replace(header, prompt_digests={"map-ontology": "b"})
    edited = replace(comparison, run=replace(comparison.run, header=header), baseline=base)
    assert "map-ontology  v1.0, same version, different text\n" in shown(edited)
    same = replace(edited, baseline=header, prompt_diffs={})
    assert "changed   nothing but the answers\n" in shown(same)


def test_facts_that_a_reader_has_to_know(comparison: Any) -> None:
    special = replace(comparison, against="main", own_baseline=True, behind=1, compared=1)
    text = " ".join(shown(special).split())
    for part in (
        "from git main",
        "new suite main has no baseline for it, so its own baseline judges",
        "compared 1 of 2 cases",
        "HEAD lacks 1 commit of main that changes row3's files",
    ):
        assert part in text, part
    asked = shown(replace(comparison, interleaved=True))
    assert "provider changes cancel out" in " ".join(asked.split())


def test_a_companion_has_a_row_where_it_decides_or_all_are_wanted(make: Any, comparison: Any) -> None:
    assert "  1 companion metric (-v shows all)\n" in shown(comparison)
    assert "Duplicate rate" not in shown(comparison)
    assert "Duplicate rate" in shown(comparison, verbose=True)
    assert "Duplicate rate" in shown(make.judged(comparison, Reason(Code.CANARY, BLOCK, "duplicateRate")))


def test_regressions_come_before_improvements_however_small_they_are(make: Any) -> None:
    names = [f"case{i:02}" for i in range(14)]
    run = make.run({name: {"overall": 0.8} for name in names})
    changes = [CaseChange(name, "improved", 0.5) for name in names[:12]]
    changes += [CaseChange(name, "regressed", -0.01) for name in names[12:]]
    text = shown(make.comparison(run, changes))
    assert "Cases: 12 improved · 2 regressed\n" in text
    assert "\n▼ case12 −1.0: regressed\n▼ case13 −1.0: regressed\n▲ case00 +50.0: improved\n" in text
    assert "\n  and 10 more (-v shows all)\n" in text
    assert "more" not in shown(make.comparison(run, changes), verbose=True).partition("Cases: ")[2]


def test_metrics_that_moved_within_noise_are_one_note(make: Any, comparison: Any) -> None:
    def noted(noise: str = "within", **falls: float) -> list[str]:
        moved = [
            replace(each, delta=falls.get(each.key, 0.0), worse_by=-100 * falls.get(each.key, 0.0), noise=noise)
            for each in comparison.metrics
        ]
        text = shown(replace(make.judged(comparison), metrics=moved))
        return [line for line in text.splitlines() if "within noise" in line]

    both = "· note: 2 other metrics moved within noise: Concept recall −2.1, Hallucination"
    assert noted(recall=-0.021, hallucinationRate=-0.014, overall=-0.04) == [both]
    assert noted(recall=-0.01) == ["· note: 1 other metric moved within noise: Concept recall −1.0"]
    assert noted(recall=-0.009, overall=-0.04) == []
    assert noted(recall=0.05) == []
    assert noted("beyond", recall=-0.05) == []
    assert noted(duplicateRate=-0.04) == []
    assert noted(duplicateRate=-0.06) == ["· note: 1 other metric moved within noise: Duplicate rate −6.0"]


def test_every_move_is_in_words(make: Any) -> None:
    run = make.run({"a": {"overall": 0.8}, "b": {"overall": 0.0}, "c": {"overall": 0.5}})
    changes = [
        CaseChange("b", "broke", -0.7, lost={"missedConcepts": ("x", "y")}),
        CaseChange("gone", "removed", 0.0),
        CaseChange("a", "fixed", 0.8),
        CaseChange("c", "new", 0.0),
        CaseChange("d", "not comparable", 0.0, note="the case itself changed"),
    ]
    told = replace(make.comparison(run, changes), run=replace(run, problems=[("b", "no JSON")]))
    brief = terminal_text(comparison_document(told, most=10)).partition("Cases: ")[2].split("\n\n")[0].split("\n")
    assert brief == [
        "1 fixed · 1 broke · 1 removed · 1 new · 1 not comparable", "▼ b −70.0: all lost: 2 concepts",
        "▼ gone: removed", "▲ a +80.0: fixed", "· c: new", "· d: the case itself changed",
    ]  # fmt: skip
    text = shown(told, verbose=True)
    lines = [" ".join(line.split()) for line in text.partition("Cases: ")[2].split("\n\n")[0].split("\n")]
    assert lines[3:] == [
        "▼ b 70.0 bad answer −70.0", "no JSON", "− all lost: 2 concepts", "▼ gone removed",
        "▲ a bad answer 80.0 +80.0", "· c new 50.0", "· d not comparable", "the case itself changed",
    ]  # fmt: skip


def test_a_case_that_fell_in_another_metric_is_shown(comparison: Any, make: Any) -> None:
    cases = [CaseChange("ozone", "unchanged", 0.0, {"recall": -0.3})]
    text = shown(make.judged(replace(comparison, cases=cases), Reason(Code.WORSE, BLOCK, "recall")))
    assert "▼ ozone Concept recall −30.0: worse\n" in text
    quiet = make.judged(replace(comparison, cases=cases), Reason(Code.PARTIAL, INVESTIGATE))
    assert "▼ ozone" not in shown(quiet)


@pytest.mark.parametrize("verbose", [False, True])
def test_no_line_is_wider_than_80_columns(make: Any, comparison: Any, verbose: bool) -> None:
    labels = tuple(f"a rather long label of a concept number {i}, 概念" for i in range(30))
    lost = {"missedConcepts": labels, "missedRelationships": labels, "wrongRelationships": labels}
    run = make.run({f"a-case-with-quite-a-long-name-{i:05}": {"overall": 1.0} for i in range(300)})
    changes = [CaseChange(row.case_id, "regressed", -0.5, lost=lost) for row in run.rows]
    assert max(map(cells, shown(make.comparison(run, changes), verbose=verbose).split("\n"))) <= 80
    fallen = Interval(-1.0, -1.0, -1.0, 0.95, 0.0001, 0.0, 1.0, 5)
    metrics = [MetricChange(each.key, 1.0, 0.0, -1.0, 100.0, BLOCK, 5, fallen, fallen) for each in comparison.metrics]
    text = shown(replace(comparison, metrics=metrics), verbose=verbose)
    assert "−100.0…−100.0" in text
    assert max(map(cells, text.split("\n"))) <= 80


def test_markdown_has_the_verdict_in_its_heading_and_unfolds_the_rest(comparison: Any) -> None:
    text = markdown_text(comparison_document(comparison, folded=True))
    assert text.startswith("### ✗ BLOCK · row3 · decomposition\n\n**Overall 70.0% (−2.0 points, n = 2)")
    for title in ("All metrics", "All cases that moved", "Text of decompose-concepts"):
        assert f"<details><summary>{title}</summary>" in text
    assert "```diff\n@@ -1 +1 @@\n-List them.\n+List all of them.\n```" in text
    assert "<details>" not in markdown_text(comparison_document(comparison))


def test_short_forms(comparison: Any) -> None:
    brief, gate = terminal_text(Document(brief_comparison(comparison))), gate_text(comparison)
    assert brief.startswith("✗ BLOCK  Overall 70.0%")
    assert gate.startswith("BLOCK: Overall 70.0% (−2.0 points, n = 2) · 1 improved · 1 regressed\n")
    for text in (brief, gate):
        assert "✗ block: Concept recall went from 76.0% to 70.0% (−6.0 points)\n" in text
        assert "Next: row3 investigate ozone\n" in text
    assert "Hallucination rate" in brief
    assert "Hallucination rate" not in gate
    assert "decomposition · decompose-concepts v1.1" in gate


COMPARISON = """\
✗ BLOCK  Overall 70.0% (−2.0 points, n = 2) · 1 improved · 1 regressed
baseline            decompose-concepts v1.0 → map-ontology v1.0 · reference-llm
                    · 2026-01-29 10:15 UTC
decompose-concepts  v1.0 → v1.1, +1 −1 lines

metric              before    now  points  90% interval  zone        gate
─────────────────────────────────────────────────────────────────────────
Concept recall       72.0%  70.0%  −2.0 ▼     −7.1…+3.1  ✓ pass      ✗
Hallucination rate    7.0%   5.0%  −2.0 ▲     −7.1…+3.1  ! marginal
Overall              72.0%  70.0%  −2.0 ▼     −7.1…+3.1  ! marginal
  1 companion metric (-v shows all)

Based on Overall, 2 cases, 1 recorded answer per case on each side; too few
  cases moved to say how small a drop it detects.

Why
✗ block: Concept recall went from 76.0% to 70.0% (−6.0 points)
! investigate: the answer to a case is no longer usable: ozone

Cases: 1 improved · 1 regressed
▼ ozone −10.0: canary extracted: Kyoto Protocol; lost: Halons, ozone layer; 1 r…
▲ bank-runs +5.0: found: banks

Next: row3 investigate ozone
Then: fix the prompt and run row3 --compare again, or accept it with --approve
  REASON.
"""


@every_row(
    ("text", "wanted"),
    [
        ("Overall is worse by 21.8 points; it may be noise (90%: −25.3 to +8.7 points)", "; it may be noise"),
        ("Heuristic checks entered its fail zone: 66.7% (minimum 95%), was 100.0% when saved", ": 66.7% (minimum 95%)"),
    ],
)
def test_a_reason_that_is_too_long_ends_before_what_the_table_has(text: str, wanted: str) -> None:
    assert ground_text(Ground(BLOCK, text, ()), 80)[1].endswith(wanted)
    assert ground_text(Ground(BLOCK, text, ()), 100)[1] == f": {text}"


@pytest.mark.parametrize("code", [Code.ENTERED_FAIL_ZONE, Code.ROLLING_DROP, Code.NO_LONGER_MEASURED])
@pytest.mark.parametrize("moved", Verdict)
@pytest.mark.parametrize("said", [BLOCK, INVESTIGATE])
def test_the_gate_column_has_the_worst_that_the_reasons_say(
    make: Any, comparison: Any, code: Code, moved: Verdict, said: Verdict
) -> None:
    metrics = [replace(each, verdict=moved) for each in comparison.metrics]
    worse = Reason(Code.WORSE, INVESTIGATE, "recall"), Reason(Code.CASE_BROKE, BLOCK, "overall")  # a case of that name
    text = shown(make.judged(replace(comparison, metrics=metrics), Reason(code, said, "recall"), *worse))
    rows = {name: line for line in text.split("\n") for name in ("Concept recall", "Overall") if line.startswith(name)}
    assert rows["Concept recall"].endswith("✗" if said is BLOCK else "!")
    assert rows["Overall"].endswith("marginal")


def test_the_table_shows_the_intervals_that_are_not_widened(comparison: Any) -> None:
    widened = replace(SOME, low=-0.09, high=0.05, level=0.96)
    metrics = [replace(each, interval=widened) if each.key == "recall" else each for each in comparison.metrics]
    text = shown(replace(comparison, metrics=metrics))
    assert "90% interval" in text
    assert text.count("−7.1…+3.1") == 3


def test_what_confirming_found_is_shown_whole_and_never_counted_as_more() -> None:
    block, answers = Reason(Code.WORSE, Verdict.BLOCK, "recall"), Reason(Code.UNCONFIRMED, Verdict.BLOCK, "recall")
    long = "not confirmed, may be noise: Recall; " + "why " * 30
    lines = [Ground(Verdict.BLOCK, "worse", (block,)), Ground(Verdict.BLOCK, long, (answers,))]
    shown = reason_lines([lines[1], lines[0], lines[0], lines[0]], 1, width=80)
    assert "".join(span if isinstance(span, str) else span.text for span in shown[0]).endswith(long)
    assert shown[2] == "  and 2 more"
