"""Two answers to one case of which one invents where nothing is to be found, and the other says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from row3.gate.comparison import compare_case
from row3.gate.pairs import Pairs
from row3.gate.silence import both_sides
from row3.kinds import all_kinds
from row3.kinds.answers import Parsed
from row3.kinds.base import Kind, Rules
from tests.memory import ITEMS, SEED, document
from tests.scoring import case_of, score_by

KINDS = all_kinds()

CASES: dict[str, dict[str, Any]] = {
    "events": document("m1"),
    "entities": document("m1"),
    "graph": SEED | {"expected_not_connected": ["m3"]},
}
NOTHING = {"expected_events": [], "expected_entities": [], "expected_connections": []}
INVENTED: dict[str, list[dict[str, Any]]] = {
    "events": [{"category": "Decision", "description": "The board left", "actor": "Nobody Known"}] * 2,
    "entities": [{"name": "Ghost Corp", "type": "ORG", "mentions": []}],
    "graph": [{"document_id": "m7"}],
}


def scored(kind: Kind, items: list[dict[str, Any]] | None, *, quiet: bool = True) -> Mapping[str, float]:
    """The metrics of an answer, None for one that cannot be used, to a case in which nothing is to be found."""
    case = CASES[kind.name]
    if quiet:
        case = case | {key: value for key, value in NOTHING.items() if key in case}
    model, rules = case_of(kind.case_model, case), Rules()
    if items is None:
        return kind.bad_answer(model, "no JSON", "", rules).metrics
    read = kind.read_output({ITEMS[kind.name]: items})
    assert isinstance(read, Parsed)
    return score_by(kind, model, read.value, rules).metrics


@pytest.mark.parametrize("name", list(INVENTED))
class TestOneIsSilent:
    def test_an_invention_is_a_fall_from_flawless(self, name: str) -> None:
        kind = KINDS[name]
        silent, other = scored(kind, []), scored(kind, INVENTED[name])
        assert kind.primary not in silent
        before, after = both_sides(kind, silent, other)
        assert (before[kind.primary], after) == (1.0, other)
        assert before.keys() == other.keys()
        assert all(before[key] == silent[key] for key in silent)
        assert both_sides(kind, other, silent) == (other, before)

    def test_a_bad_answer_is_one_too(self, name: str) -> None:
        kind = KINDS[name]
        before, after = both_sides(kind, scored(kind, []), scored(kind, None))
        assert (before[kind.primary], after[kind.primary]) == (1.0, 0.0)

    def test_two_silent_answers_have_nothing_to_compare(self, name: str) -> None:
        kind = KINDS[name]
        silent = scored(kind, [])
        assert both_sides(kind, silent, silent) == (silent, silent)

    def test_an_empty_answer_is_not_flawless_where_something_is_to_be_found(self, name: str) -> None:
        kind = KINDS[name]
        empty, other = scored(kind, [], quiet=False), scored(kind, INVENTED[name], quiet=False)
        assert both_sides(kind, empty, other) == (empty, other)

    def test_nor_beside_an_answer_to_another_text_that_asks_for_something(self, name: str) -> None:
        kind = KINDS[name]
        silent, other = scored(kind, []), scored(kind, INVENTED[name], quiet=False)
        assert both_sides(kind, silent, other) == (silent, other)

    def test_the_case_is_regressed_and_its_pair_counts(self, name: str) -> None:
        kind = KINDS[name]
        silent, other = scored(kind, []), scored(kind, INVENTED[name])
        change = compare_case("c", ("scored", silent, {}), ("scored", other, {}), kind=kind)
        assert (change.move, change.delta, change.deltas[kind.primary]) == ("regressed", -1.0, -1.0)
        back = compare_case("c", ("scored", other, {}), ("scored", silent, {}), kind=kind)
        assert (back.move, back.delta) == ("improved", 1.0)
        pairs = Pairs(kind)
        pairs.add(silent, other)
        pairs.add(silent, silent)
        assert pairs.counts()[kind.primary] == 1
        assert [side[kind.primary] for side in pairs.means()] == [1.0, 0.0]


def test_a_kind_that_skips_by_the_case_alone_is_left_as_it_is() -> None:
    before, after = {"recall": 1.0}, {"recall": 1.0, "mrr": 0.5}
    assert both_sides(KINDS["retrieval"], before, after) == (before, after)
