"""How the items of a run matched: in a scorecard, in a comparison and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from row3.domain.printable import cells
from row3.gate.results import judged, ran
from row3.metrics.aggregate import Seen, tally_json
from row3.reports.comparison import comparison_document
from row3.reports.document import Document, Facts
from row3.reports.markdown import markdown_text
from row3.reports.match_counts import bounds_lines, moved_counts, run_counts
from row3.reports.result_json import result_json
from row3.reports.scorecard import scorecard_document
from row3.reports.terminal import PLAIN, Style, terminal_text

TALLY: dict[str, dict[str, int]] = {
    "concepts": {"exact": 370, "alias": 4, "unmatched": 3},
    "relationships": {
        "wrong-predicate": 10, "exact": 560, "inverse": 3, "fuzzy": 20, "reversed": 4, "wrong-end": 9,
        "unmatched": 6,
    },
    "wrongPredicates": {"IS_A\tCAUSES": 2, "CAUSES\tPRECEDES": 6, "REQUIRES\tCAUSES": 1, "REQUIRES\tPRECEDES": 1},
    "unknownPredicates": {"PART_OF": 1, "INFLUENCES": 4, "RELATED_TO": 1},
    "types": {"exact": 300, "normalised": 70, "wrong": 4, "missing": 1},
    "normalisedTypes": {"Commitments\tCommitment": 70},
    "wrongTypes": {"Decision\tCommitment": 4},
}  # fmt: skip
BLOCK = """\
Concepts            377 extracted: 370 exact · 4 alias · 3 unmatched
Types               375 matched: 300 exact · 70 normalised (Commitments for
                    Commitment 70) · 4 wrong (Decision for Commitment 4) · 1 not
                    given
Relationships       612 extracted: 560 exact · 3 inverse · 20 fuzzy · 10 wrong
                    predicate (CAUSES for PRECEDES 6, IS_A for CAUSES 2,
                    REQUIRES for CAUSES 1, 1 more) · 4 reversed · 9 with one
                    wrong end · 6 nowhere near
Unknown predicates  INFLUENCES 4 · PART_OF 1 · RELATED_TO 1 (near RELATES_TO)
"""
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
Relationships moved  592 → 612 extracted: exact 540 → 560 · wrong predicate 14 →
                     10 (CAUSES for PRECEDES 9 → 6, IS_A for REQUIRES 3 → 0,
                     REQUIRES for CAUSES 0 → 1, 1 more) · reversed 0 → 4
Unknown predicates   PARTS 2 → 0 · PART_OF 0 → 1 · RELATED_TO 0 → 1 (near
                     RELATES_TO)
"""


def tallied(run: Any, make: Any, tally: Any = TALLY) -> Any:
    return replace(run, tally=tally)


def drawn(block: Facts, style: Style = PLAIN) -> str:
    return terminal_text(Document([block]), style)


def test_a_scorecard_says_how_items_matched(run: Any, make: Any) -> None:
    run = tallied(run, make)
    assert drawn(run_counts(run)) == BLOCK
    assert f"\n\n{BLOCK}\n" in terminal_text(scorecard_document(run))


def test_all_names_are_shown_where_asked(run: Any, make: Any) -> None:
    text = " ".join(drawn(run_counts(tallied(run, make), every=True)).split())
    assert "REQUIRES for CAUSES 1, REQUIRES for PRECEDES 1) ·" in text
    assert "1 more" not in text


def test_only_what_moved_is_shown_of_a_comparison(comparison: Any) -> None:
    assert drawn(moved_counts(replace(comparison, tallies=(BEFORE, TALLY)))) == MOVED
    assert not moved_counts(replace(comparison, tallies=(TALLY, TALLY))).rows
    assert not moved_counts(comparison).rows


def test_a_run_that_counted_nothing_has_no_lines(run: Any, make: Any) -> None:
    assert not run_counts(run).rows
    assert not run_counts(tallied(run, make, {"concepts": {}, "relationships": {}})).rows


def test_repeats_and_unknown_states_are_told(run: Any, make: Any) -> None:
    repeated = replace(tallied(run, make, {"concepts": {"exact": 9}}), header=replace(run.header, repeats=3))
    assert run_counts(repeated).rows == [("Concepts", "9 extracted in 3 repeats: 9 exact")]
    run = tallied(run, make, {"concepts": {"exact": 1, "telepathic": 2}})
    assert run_counts(run).rows == [("Concepts", "3 extracted: 1 exact · 2 telepathic")]


def test_a_comparison_unfolds_them(comparison: Any, make: Any) -> None:
    moved = replace(comparison, run=tallied(comparison.run, make), tallies=(BEFORE, TALLY))
    text = markdown_text(comparison_document(moved, folded=True))
    assert "<details><summary>How the items matched</summary>\n\n**Concepts**: 377 extracted: 370 exact" in text
    assert "**Relationships moved**: 592 → 612 extracted: " in text
    assert "Relationships" not in terminal_text(comparison_document(moved))


def test_json_names_pairs_and_near_misses(run: Any, comparison: Any, make: Any) -> None:
    run = tallied(run, make)
    value = json.loads(b"".join(result_json(ran(run))))
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
    value = json.loads(b"".join(result_json(judged(moved))))
    assert value["matchMoves"]["current"] == counts
    assert value["matchMoves"]["baseline"]["relationships"] == BEFORE["relationships"]
    assert "matchCounts" not in json.loads(b"".join(result_json(judged(comparison))))


def test_an_empty_name_is_still_something_to_read(run: Any, make: Any) -> None:
    tally = {"relationships": {"wrong-predicate": 2}, "wrongPredicates": {"\tCAUSES": 2}, "unknownPredicates": {"": 2}}
    text = " ".join(drawn(run_counts(tallied(run, make, tally))).split())
    assert "2 wrong predicate (nothing for CAUSES 2) Unknown predicates nothing 2" in text


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
    for line in (drawn(run_counts(run), style) + drawn(moved_counts(moved), style)).split("\n"):
        assert cells(line) <= width
        assert line.isprintable()
    json.dumps(tally_json(after, ("CAUSES",)))


@pytest.mark.parametrize(
    ("seen", "line"),
    [
        ((0, 15, 0, 15), "canaries in 0 of 15 cases: at most 18.1% of cases have any, at 95%"),
        ((4, 5, 4, 5), "canaries in 4 of 5 cases: at most 99.0% of cases have any, at 95%"),
        ((5, 5, 5, 5), "canaries in 5 of 5 cases"),
        ((1, 1, 1, 1), "canaries in 1 of 1 case"),
        (
            (3, 15, 1, 5),
            "canaries in 3 of 15 cases (1 of 5 sources): at most 65.7% of sources have any, at 95%",
        ),
    ],
)
def test_the_bound_is_left_out_where_every_case_has_some(
    comparison: Any, make: Any, seen: tuple[int, int, int, int], line: str
) -> None:
    run = replace(comparison.run, seen_in={"hallucinationRate": Seen(*seen)})
    assert bounds_lines(run) == [line]
