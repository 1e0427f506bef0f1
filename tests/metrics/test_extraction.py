"""The worked examples of STANDARDS, section 1, by their numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.matches import ConceptMatch, Expectation, ExpectedRelationship, Explanation, RelationshipMatch, Triple
from row3.metrics.extraction import concept_counts, relationship_counts, values

TRIPLE = Triple("a", "CAUSES", "b")


def concepts(
    expected: int = 0, *, quotes: dict[str, int] | None = None, grounded: int = 0, **counts: int
) -> Explanation:
    """An explanation with so many concepts of each state; quotes by state, the rest missing."""
    states = [state for state, count in counts.items() for _ in range(count)]
    quoted = [quote for quote, count in (quotes or {}).items() for _ in range(count)]
    quoted += ["missing"] * (len(states) - len(quoted))
    return Explanation(
        tuple(
            ConceptMatch("x", state, None, 0.0, quote, i < grounded)
            for i, (state, quote) in enumerate(zip(states, quoted, strict=True))
        ),  # type: ignore[arg-type]
        tuple(Expectation("x", True, None, None, 0.0) for _ in range(expected)),
        (),
        (),
    )


def relationships(expected: int = 0, **counts: int) -> Explanation:
    states = [state.replace("_", "-") for state, count in counts.items() for _ in range(count)]
    return Explanation(
        (),
        (),
        tuple(RelationshipMatch(TRIPLE, state, None) for state in states),  # type: ignore[arg-type]
        tuple(ExpectedRelationship(TRIPLE, True, None) for _ in range(expected)),
    )


def test_1_1_precision_16_of_20() -> None:
    assert values(concept_counts(concepts(25, exact=10, alias=6, unmatched=4)))["precision"] == pytest.approx(0.80)


def test_1_2_recall_18_of_25() -> None:
    assert values(concept_counts(concepts(25, exact=12, alias=4, fuzzy=2)))["recall"] == pytest.approx(0.72)


def test_1_3_f1_of_080_and_072() -> None:
    # 36 of 45 extracted are right (0.80), of 50 expected (0.72).
    metrics = values(concept_counts(concepts(50, exact=36, unmatched=9)))
    assert (metrics["precision"], metrics["recall"]) == (pytest.approx(0.80), pytest.approx(0.72))
    assert metrics["f1"] == pytest.approx(0.758, abs=5e-4)
    assert metrics["f1"] == pytest.approx(2 * 0.80 * 0.72 / 1.52)


def test_1_4_relationship_accuracy_28_of_40() -> None:
    counts = relationship_counts(
        relationships(35, exact=20, inverse=4, fuzzy=3, inverse_fuzzy=1, reversed=5, wrong_predicate=4, unmatched=3)
    )
    assert counts["relationshipAccuracy"] == (28, 40)
    assert values(counts)["relationshipAccuracy"] == pytest.approx(0.70)
    assert values(counts)["relationshipRecall"] == pytest.approx(0.80)


def test_1_5_provenance_18_of_20() -> None:
    metrics = values(concept_counts(concepts(25, exact=20, quotes={"verified": 12, "unverified": 6})))
    assert metrics["provenanceCoverage"] == pytest.approx(0.90)
    assert metrics["provenanceVerified"] == pytest.approx(0.60)


def test_1_6_hallucination_1_of_20() -> None:
    assert values(concept_counts(concepts(25, exact=19, canary=1)))["hallucinationRate"] == pytest.approx(0.05)


def test_appendix_a() -> None:
    # Four extracted, three of them among five expected: one by its label, two by an alias.
    metrics = values(concept_counts(concepts(5, exact=1, alias=2, unmatched=1)))
    assert metrics["precision"] == 3 / 4
    assert metrics["recall"] == 3 / 5


def test_duplicates_are_left_out_of_precision_and_reported() -> None:
    counts = concept_counts(concepts(10, exact=4, duplicate=3, unmatched=1))
    assert counts["precision"] == (4, 5)
    assert counts["recall"] == (4, 10)
    assert counts["duplicateRate"] == (3, 8)


def test_ungrounded_is_neither_expected_nor_in_the_text() -> None:
    assert concept_counts(concepts(5, exact=3, unmatched=2, grounded=4))["ungroundedRate"] == (1, 5)


def test_a_repeated_relationship_is_not_correct_twice() -> None:
    counts = relationship_counts(relationships(2, exact=1, duplicate=1, forbidden=2))
    assert counts == {"relationshipAccuracy": (1, 4), "relationshipRecall": (1, 2), "forbiddenRelationshipRate": (2, 4)}


def test_an_empty_extraction_is_zero_everywhere() -> None:
    empty = concepts(5)
    metrics = values(concept_counts(empty) | relationship_counts(relationships(3)))
    assert set(metrics.values()) == {0.0}
    assert {
        "recall", "precision", "f1", "relationshipAccuracy", "provenanceCoverage", "hallucinationRate",
    } <= metrics.keys()  # fmt: skip


def test_skipped_metrics_have_no_value_and_f1_needs_both() -> None:
    counts = concept_counts(concepts(5, exact=2))
    assert "recall" not in values(counts, ("recall",))
    assert "f1" not in values(counts, ("recall",))
    assert "f1" not in values(counts, ("precision",))
    assert "f1" in values(counts)


NUMBER = st.integers(0, 30)


@given(NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, st.data())
@settings(deadline=None)
def test_every_metric_is_a_fraction(
    exact: int, alias: int, fuzzy: int, duplicate: int, canary: int, unmatched: int, data: st.DataObject
) -> None:
    correct = exact + alias + fuzzy
    expected = correct + data.draw(NUMBER)
    total = correct + (duplicate if correct else 0) + canary + unmatched
    explanation = concepts(
        expected,
        grounded=data.draw(st.integers(0, total)),
        quotes={"verified": data.draw(st.integers(0, total))},
        exact=exact,
        alias=alias,
        fuzzy=fuzzy,
        duplicate=duplicate if correct else 0,
        canary=canary,
        unmatched=unmatched,
    )
    for key, value in values(concept_counts(explanation)).items():
        assert not math.isnan(value), key
        assert 0.0 <= value <= 1.0, key
