"""How the items of a run matched, as lines of a scorecard, of a comparison, of Markdown and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from row3.reports.comparison_table import comparison_table
from row3.reports.markdowns.markdown import markdown_report
from row3.reports.scorecard_table import scorecard_table

from row3.reports.match_counts import counts_block, counts_markdown, moved_block, tally_json
from row3.reports.result_json import result_json
from row3.reports.style import PLAIN, Style, cells

TALLY: dict[str, dict[str, int]] = {
    "concepts": {"exact": 370, "alias": 4, "unmatched": 3},
    "relationships": {
        "wrong-predicate": 10,
        "exact": 560,
        "inverse": 3,
        "fuzzy": 20,
        "reversed": 4,
        "wrong-end": 9,
        "unmatched": 6,
    },
    "wrongPredicates": {"IS_A\tCAUSES": 2, "CAUSES\tPRECEDES": 6, "REQUIRES\tCAUSES": 1, "REQUIRES\tPRECEDES": 1},
    "unknownPredicates": {"PART_OF": 1, "INFLUENCES": 4, "RELATED_TO": 1},
    "types": {"exact": 300, "normalised": 70, "wrong": 4, "missing": 1},
    "normalisedTypes": {"Commitments\tCommitment": 70},
    "wrongTypes": {"Decision\tCommitment": 4},
}
BLOCK = """\
Concepts       377 extracted: 370 exact · 4 alias · 3 unmatched
Types          375 matched: 300 exact · 70 normalised
               (Commitments for Commitment 70) · 4 wrong
               (Decision for Commitment 4) · 1 not given
Relationships  612 extracted: 560 exact · 3 inverse · 20 fuzzy ·
               10 wrong predicate (CAUSES for PRECEDES 6, IS_A for CAUSES 2,
               REQUIRES for CAUSES 1, 1 other) · 4 reversed ·
               9 with one wrong end · 6 nowhere near
               unknown predicates: INFLUENCES 4 · PART_OF 1 ·
               RELATED_TO 1 (near RELATES_TO)"""
BEFORE = {
    "concepts": {"exact": 370, "alias": 4, "unmatched": 3},
    "relationships": {"exact": 540, "wrong-predicate": 14, "inverse": 3, "fuzzy": 20, "wrong-end": 9, "unmatched": 6},
    "wrongPredicates": {"CAUSES\tPRECEDES": 9, "IS_A\tCAUSES": 2, "IS_A\tREQUIRES": 3},
    "unknownPredicates": {"INFLUENCES": 4, "PARTS": 2},
    "types": {"exact": 300, "normalised": 70, "wrong": 4, "missing": 1},
    "normalisedTypes": {"Commitments\tCommitment": 70},
    "wrongTypes": {"Decision\tCommitment": 4},
}
MOVED = """\
How the items matched, before → now
  Relationships  592 → 612 extracted: exact 540 → 560 · wrong predicate 14 → 10
                 (CAUSES for PRECEDES 9 → 6, IS_A for REQUIRES 3 → 0,
                 REQUIRES for CAUSES 0 → 1, 1 other pair) · reversed 0 → 4
                 unknown predicates: PARTS 2 → 0 · PART_OF 0 → 1 ·
                 RELATED_TO 0 → 1 (near RELATES_TO)"""


def tallied(run: Any, make: Any, tally: Any = TALLY) -> Any:
    return replace(run, collected=make.Collected(tally=tally))


def test_a_scorecard_says_how_items_matched(run: Any, make: Any) -> None:
    run = tallied(run, make)
    assert "\n".join(counts_block(run, PLAIN)) == BLOCK
    assert f"\n\n{BLOCK}\n\n" in scorecard_table(run)


def test_all_names_are_shown_where_asked(run: Any, make: Any) -> None:
    text = " ".join("\n".join(counts_block(tallied(run, make), PLAIN, verbose=True)).split())
    assert "REQUIRES for CAUSES 1, REQUIRES for PRECEDES 1) ·" in text
    assert "1 other" not in text


def test_only_what_moved_is_shown_of_a_comparison(comparison: Any) -> None:
    assert "\n".join(moved_block(replace(comparison, tallies=(BEFORE, TALLY)), PLAIN)) == MOVED
    assert moved_block(replace(comparison, tallies=(TALLY, TALLY)), PLAIN) == []
    assert moved_block(comparison, PLAIN) == []


def test_a_run_that_counted_nothing_has_no_block(run: Any, make: Any) -> None:
    assert counts_block(run, PLAIN) == []
    assert counts_block(tallied(run, make, {"concepts": {}, "relationships": {}}), PLAIN) == []
    assert counts_markdown(run) == []


def test_repeats_are_told(run: Any, make: Any) -> None:
    run = replace(tallied(run, make, {"concepts": {"exact": 9}}), header=replace(run.header, repeats=3))
    assert counts_block(run, PLAIN) == ["Concepts  9 extracted in 3 repeats: 9 exact"]


def test_a_state_that_is_not_known_here_is_shown_as_it_is(run: Any, make: Any) -> None:
    run = tallied(run, make, {"concepts": {"exact": 1, "telepathic": 2}})
    assert counts_block(run, PLAIN) == ["Concepts  3 extracted: 1 exact · 2 telepathic"]


def test_markdown_unfolds_them(run: Any, comparison: Any, make: Any) -> None:
    text = markdown_report(tallied(run, make))
    assert "<details><summary>How the items matched</summary>\n\n- Concepts: 377 extracted: 370 exact · 4 alias" in text
    assert "10 wrong predicate (CAUSES for PRECEDES 6, IS\\_A for CAUSES 2, REQUIRES for CAUSES 1, 1 other) ·" in text
    assert "- unknown predicates: INFLUENCES 4 · PART\\_OF 1 · RELATED\\_TO 1 (near RELATES\\_TO)\n" in text
    moved = replace(comparison, run=tallied(comparison.run, make), tallies=(BEFORE, TALLY))
    text = markdown_report(moved.run, moved)
    assert "- Concepts: 377 extracted: 370 exact" in text
    assert "\n\nMoved, over the cases that both runs have:\n\n- Relationships: 592 → 612 extracted: " in text


def test_json_names_pairs_and_near_misses(run: Any, comparison: Any, make: Any) -> None:
    run = tallied(run, make)
    value = json.loads(b"".join(result_json(run)))
    counts = value["matchCounts"]
    assert counts["concepts"] == TALLY["concepts"]
    assert counts["wrongPredicates"][0] == {"said": "CAUSES", "expected": "PRECEDES", "count": 6}
    assert counts["unknownPredicates"] == [
        {"said": "INFLUENCES", "count": 4, "nearest": None},
        {"said": "PART_OF", "count": 1, "nearest": None},
        {"said": "RELATED_TO", "count": 1, "nearest": "RELATES_TO"},
    ]
    assert "matchMoves" not in value
    moved = replace(comparison, tallies=(BEFORE, TALLY))
    value = json.loads(b"".join(result_json(run, moved)))
    assert value["matchMoves"]["current"] == counts
    assert value["matchMoves"]["baseline"]["relationships"] == BEFORE["relationships"]
    assert "matchCounts" not in json.loads(b"".join(result_json(comparison.run, comparison)))


def test_entity_metrics_are_there_where_types_are(make: Any) -> None:
    run = make.run({"a": {"recall": 0.5, "overall": 0.8}})
    assert "entityMetrics" not in json.loads(b"".join(result_json(run)))
    typed = {**run.header.metrics, "precision": 0.25, "typeAccuracy": 0.75}
    run = replace(run, header=replace(run.header, metrics=typed))
    value = json.loads(b"".join(result_json(run)))
    assert value["entityMetrics"] == {"entity_precision": 0.25, "entity_recall": 0.5, "type_accuracy": 0.75}


def test_an_empty_name_is_still_something_to_read(run: Any, make: Any) -> None:
    tally = {"relationships": {"wrong-predicate": 2}, "wrongPredicates": {"\tCAUSES": 2}, "unknownPredicates": {"": 2}}
    text = " ".join(" ".join(counts_block(tallied(run, make, tally), PLAIN)).split())
    assert "2 wrong predicate (nothing for CAUSES 2) unknown predicates: nothing 2" in text


NAMES = st.text(max_size=120) | st.sampled_from(("CAUSES", "a b", "\x1b[2J", "\u202e", "wide 漢字" * 9, "x" * 90))
COUNTS = st.dictionaries(st.builds(lambda a, b: f"{a}\t{b}", NAMES, NAMES) | NAMES, st.integers(1, 10**7), max_size=6)
STATES = st.dictionaries(st.sampled_from(("exact", "wrong-predicate", "reversed", "wrong")), st.integers(1, 10**7))
TALLIES = st.fixed_dictionaries(
    {"concepts": STATES, "relationships": STATES, "types": STATES},
    optional={"wrongPredicates": COUNTS, "unknownPredicates": COUNTS, "wrongTypes": COUNTS},
)


@given(TALLIES, TALLIES, st.sampled_from((80, 100)))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_said_fits_the_terminal_and_steers_nothing(
    comparison: Any, make: Any, before: Any, after: Any, width: int
) -> None:
    run, style = tallied(comparison.run, make, after), Style(False, width)
    moved = replace(comparison, run=run, tallies=(before, after))
    for line in (*counts_block(run, style), *moved_block(moved, style)):
        assert cells(line) <= width
        assert line.isprintable()
    for line in counts_markdown(run, moved):
        assert line.isprintable() or "\u200b" in line
    json.dumps(tally_json(after, ("CAUSES",)))


def test_the_comparison_shows_the_block_or_leaves_it_to_markdown(comparison: Any) -> None:
    """`comparison_table` may place it where it likes; it stays within 80 columns with it."""
    text = comparison_table(replace(comparison, tallies=(BEFORE, TALLY)))
    assert max(map(cells, text.split("\n"))) <= 80
