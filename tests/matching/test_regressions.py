"""Matches that were once wrong or never ended."""

from __future__ import annotations

import pytest

from row3.domain.matches import Triple
from row3.domain.predicates import Predicates
from row3.kinds.extraction.explain import end_resolver
from row3.kinds.extraction.relationships import RelationshipIndex
from row3.matching.names import NameIndex, match_names
from row3.matching.normalise import normalise
from row3.matching.scorers import Named, NameRule, similarity
from row3.matching.text.quotes import SourceText
from tests.rows import every_row


def test_threshold_itself():
    name, slips = "carbon dioxide cycle", "crabon dioxdie cylce"  # three edits in twenty: exactly 0.85
    assert similarity(name, slips, "levenshtein") == pytest.approx(0.85)
    index = NameIndex([Named(name, ())], [], NameRule())
    assert match_names([slips], index)[0].state == "fuzzy"
    assert index.resolve(slips) == (0, True)
    assert match_names([slips], NameIndex([], [name], NameRule()))[0].state == "canary"
    above = NameIndex([Named(name, ())], [], NameRule(threshold=0.8501))
    assert match_names([slips], above)[0].state == "unmatched"


@every_row("names", [["machine learning"] * 5000, [f"machine learning {i % 10}" for i in range(5000)]])
def test_a_runaway_answer_ends(names):
    index = NameIndex([Named("Machine learning", ["ML"]), Named("Machine learning 1", [])], [], NameRule())
    states = [match.state for match in match_names(names, index)]
    assert len(states) == 5000
    assert sum(state in ("exact", "alias", "fuzzy") for state in states) <= 2


def test_quote_parts_are_whole_words():
    text = SourceText("The cartography of machines")
    assert not text.contains_quote("art … mach")
    assert not text.contains_quote("art..")
    assert text.contains_quote("cartography … machines")


def test_minus_and_acute():
    assert normalise("−5 °C") == normalise("-5 °C")
    assert normalise("it´s") == normalise("it's")


def test_combining_marks_are_composed_after_folding():
    assert normalise("e\u200d\u0301") == normalise("\u00e9")


def test_a_forbidden_end_that_is_no_concept_takes_the_fuzzy_rule():
    index = NameIndex([Named("Alpha", ())], [], NameRule())
    forbidden = Triple("Alpha", "CAUSES", "Quantum entanglement")
    links = RelationshipIndex(
        [], [forbidden], end_resolver(index, ["Alpha", "Quantum entanglement"], NameRule()), Predicates()
    )
    (match,), _ = links.match([Triple("Alpha", "CAUSES", "Quantum entanglements")])
    assert (match.state, match.expected) == ("forbidden", forbidden)


@every_row("wrong", ["Zed", "Beta"])
def test_a_symmetric_relationship_with_one_wrong_end_is_that_in_any_order(wrong):
    index = NameIndex([Named(name, ()) for name in ("Beta", "Gamma", "Alpha", "Zed")], [], NameRule())
    links = RelationshipIndex([(Triple("Gamma", "RELATES_TO", "Alpha"), True)], [], index.resolve, Predicates())
    (match,), _ = links.match([Triple("Gamma", "RELATES_TO", wrong)])
    assert match.state == "wrong-end"


def test_a_pair_of_inverses_listed_both_ways_is_one_pair():
    both = Predicates((("owns", "owned_by"), ("owned_by", "owns")))
    assert both.canonical("owns")[0] == both.canonical("owned_by")[0]
    assert both.canonical("owns")[1] != both.canonical("owned_by")[1]
