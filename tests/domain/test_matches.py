from __future__ import annotations

from typing import get_args

from row3.domain.matches import CORRECT, CORRECT_RELATIONSHIP, ConceptState, RelationshipState, Triple


def test_a_triple_reads_as_a_sentence() -> None:
    assert str(Triple("Climate change", "CAUSES", "drought")) == "Climate change CAUSES drought"


def test_correct_states_are_states() -> None:
    assert set(get_args(ConceptState)) > CORRECT == {"exact", "alias", "fuzzy", "semantic"}
    assert set(get_args(RelationshipState)) > CORRECT_RELATIONSHIP == {"exact", "inverse", "fuzzy", "inverse-fuzzy"}
