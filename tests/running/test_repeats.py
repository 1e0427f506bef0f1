"""Repeats of a case that expects nothing: some answers invent, others are rightly empty."""

from __future__ import annotations

from typing import Any

import pytest

from row3.domain.models import keys_of
from row3.domain.scores import CaseScore
from row3.kinds import all_kinds
from row3.kinds.answers import Parsed
from row3.kinds.base import Kind, Rules
from row3.running.evaluate import average
from tests.memory import ITEMS, SEED, document
from tests.scoring import case_of, score_by

KINDS = all_kinds()

QUIET: dict[str, dict[str, Any]] = {
    "events": document("m1") | {"expected_events": []},
    "entities": document("m1") | {"expected_entities": []},
    "graph": SEED | {"expected_connections": [], "expected_not_connected": ["m3"]},
}
INVENTED: dict[str, dict[str, Any]] = {
    "events": {"category": "Decision", "description": "The board left", "actor": "Nobody Known"},
    "entities": {"name": "Ghost Corp", "type": "ORG", "mentions": []},
    "graph": {"document_id": "m7"},
}
NOTE = "give items although the case expects none"


def answered(kind: Kind, items: list[dict[str, Any]] | None, **changed: Any) -> CaseScore:
    """An answer's score, of None that of one that cannot be used."""
    fields = keys_of(kind.case_model)
    given = {key: value for key, value in (QUIET[kind.name] | changed).items() if key in fields}
    case = case_of(kind.case_model, given)
    if items is None:
        return kind.bad_answer(case, "no JSON", "", Rules())
    read = kind.read_output({ITEMS[kind.name]: items})
    assert isinstance(read, Parsed)
    return score_by(kind, case, read.value, Rules())


@pytest.mark.parametrize("name", list(QUIET))
class TestNothingIsToBeFound:
    def test_one_invention_in_three_answers_costs_a_third(self, name: str) -> None:
        kind = KINDS[name]
        silent, invents = answered(kind, []), answered(kind, [INVENTED[name]])
        for scores in ([silent, invents, silent], [invents, silent, silent]):
            whole = average(kind, scores)
            assert whole.metrics[kind.primary] == pytest.approx(2 / 3)
            assert whole.spread[kind.primary] == pytest.approx(3**-0.5)
            assert whole.metrics.keys().isdisjoint(whole.skipped)
            assert whole.notes == (f"1 of 3 repeats {NOTE}",)
        assert whole.metrics.keys() == invents.metrics.keys()

    @pytest.mark.parametrize(("unusable", "answers"), [(1, 2), (2, 3), (2, 4), (2, 5), (3, 5), (4, 5), (5, 5)])
    def test_a_case_breaks_if_more_than_half_of_its_answers_are_unusable(
        self, name: str, unusable: int, answers: int
    ) -> None:
        kind = KINDS[name]
        bad, good = answered(kind, None), answered(kind, [])
        whole = average(kind, [bad] * unusable + [good] * (answers - unusable))
        broke = unusable > answers / 2
        assert (whole.status, whole.problem) == (("bad_answer", "no JSON") if broke else ("scored", ""))
        said = f"{unusable} of {answers} repeats gave a bad answer: no JSON"
        assert (said in whole.notes) == (unusable < answers)

    def test_the_explanation_is_that_of_most_answers(self, name: str) -> None:
        kind = KINDS[name]
        silent, invents = answered(kind, []), answered(kind, [INVENTED[name]])
        assert average(kind, [silent, invents, invents]).explanation == invents.explanation
        assert average(kind, [silent, invents, silent]).explanation == silent.explanation

    def test_an_unusable_answer_does_not_count_as_an_invention(self, name: str) -> None:
        kind = KINDS[name]
        whole = average(kind, [answered(kind, []), answered(kind, None)])
        assert whole.metrics[kind.primary] == 0.5
        assert not any(NOTE in note for note in whole.notes)

    def test_if_all_answers_are_empty_the_metric_is_skipped(self, name: str) -> None:
        kind = KINDS[name]
        silent = answered(kind, [])
        whole = average(kind, [silent, silent])
        assert kind.primary not in whole.metrics
        assert whole.skipped == silent.skipped
        assert whole.notes == ()


def test_an_empty_answer_is_not_flawless_if_items_are_expected() -> None:
    kind = KINDS["events"]
    expected = document("m1")["expected_events"]
    empty = answered(kind, [], expected_events=expected)
    found = answered(kind, [INVENTED["events"]], expected_events=expected)
    assert average(kind, [empty, found]).metrics["f1"] == 0.0
