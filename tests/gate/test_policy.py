"""Limits of single metrics: the grammar, and what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.errors import UsageError
from row3.gate.policy import SHAPE, GatePolicy, parse_limits

METRICS = ("recall", "precision", "f1", "provenanceCoverage", "hallucinationRate", "overall", "relationshipRecall")
WHERE = "--fail"


def parsed(text: str) -> dict[str, float]:
    return parse_limits(text, METRICS, where=WHERE, also={})


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("overall:5", {"overall": 5.0}),
        ("overall:5,recall:3,hallucination:0", {"overall": 5.0, "recall": 3.0, "hallucinationRate": 0.0}),
        (" overall : 2.5 , recall:1e1 ", {"overall": 2.5, "recall": 10.0}),
        ("OVERALL:5,hallucinationrate:1", {"overall": 5.0, "hallucinationRate": 1.0}),
        ("rec:3", {"recall": 3.0}),
        ("rel:3", {"relationshipRecall": 3.0}),
        ("f:3", {"f1": 3.0}),
    ],
)
def test_limits_are_parsed(text: str, limits: dict[str, float]) -> None:
    assert parsed(text) == limits


def test_an_exact_name_wins_over_longer_ones() -> None:
    assert parse_limits("recall:3", ("recallAtTen", "recall"), where=WHERE, also={}) == {"recall": 3.0}


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        ("", "`` is not a limit", SHAPE),
        ("overall", "`overall` is not a limit", SHAPE),
        (":5", "`:5` is not a limit", SHAPE),
        ("overall:5,", "`` is not a limit", SHAPE),
        ("overall:", "`` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:-1", "`-1` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:inf", "`inf` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:nan", "`nan` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:5%", "`5%` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:5:6", "`5:6` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:+5", "`+5` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:1_0", "`1_0` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:٣", "`٣` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:100.5", "`100.5` is not a limit for overall", "Use a number from 0 to 100"),
        ("p:3", "`p` could be precision or provenanceCoverage", "Write more of the name"),
        ("rec:3,recall:4", "`recall` has two limits", "Keep one of them"),
        ("recal:3", "`recal` is not a metric of this kind", "Did you mean `recall`?"),
        (
            "relationshiprecal:3",
            "`relationshiprecal` is not a metric of this kind",
            "Did you mean `relationshipRecall`?",
        ),
        ("overal1:3", "`overal1` is not a metric of this kind", "Did you mean `overall`?"),
        ("zzz:3", "`zzz` is not a metric of this kind", f"Metrics: {', '.join(METRICS)}"),
    ],
)
def test_invalid_limits_are_refused(text: str, what: str, fix: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed(text)
    assert (caught.value.what, caught.value.where, caught.value.fix) == (what, WHERE, fix)


@given(st.dictionaries(st.sampled_from(METRICS), st.floats(0, 100), min_size=1))
def test_written_limits_are_read_back(limits: dict[str, float]) -> None:
    assert parsed(",".join(f"{key}:{limit!r}" for key, limit in limits.items())) == limits


def test_a_metric_without_its_own_limit_has_the_gates() -> None:
    policy = GatePolicy(block=4.0, limits={"recall": 0.0})
    assert (policy.limit("recall"), policy.limit("overall")) == (0.0, 4.0)


def test_other_names_are_accepted() -> None:
    also = {"entity_recall": "recall", "type_accuracy": "typeAccuracy", "entity_f1": "f1"}
    text, keys = "entity_recall:3,Type_Accuracy:4", ["recall", "relationshipAccuracy", "typeAccuracy"]
    assert parse_limits(text, keys, where="--fail", also=also) == {"recall": 3.0, "typeAccuracy": 4.0}
    with pytest.raises(UsageError):
        parse_limits("entity_f1:3", keys, where="--fail", also=also)
