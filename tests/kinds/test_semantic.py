"""Semantic matching, with toy similarities in place of a model."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.asks import LOCAL_MODEL, SemanticRule
from row3.kinds.passages import exclusive
from row3.kinds.semantic import (
    LONGEST,
    MARGIN,
    Candidate,
    Unmatched,
    description_difference,
    difference_of,
    near,
    text_of,
)
from row3.matching.assignment import assign
from tests.rows import every_row


class Toy:
    """Similarities by pair of texts: 1 for equal texts, 0 for pairs not listed."""

    def __init__(self, pairs: Mapping[tuple[str, str], float]) -> None:
        self.pairs = {**pairs, **{(b, a): score for (a, b), score in pairs.items()}}
        self.asked: list[tuple[str, str]] = []

    def __call__(self, one: str, other: str) -> float:
        self.asked.append((one, other))
        return 1.0 if one == other else self.pairs.get((one, other), 0.0)


def match(
    items: Sequence[str],
    expected: Sequence[Sequence[str]],
    toy: Toy,
    rivals: Sequence[str] = (),
    rejected: Collection[tuple[int, int]] = (),
) -> object:
    missed = [Candidate(place, names) for place, names in enumerate(expected)]
    left = Unmatched(dict(enumerate(items)), missed, rivals, difference_of, lambda *pair: pair not in rejected)
    edges = near(left, 0.8, toy)
    return {item: (place, edges[item][place]) for item, place in assign(edges).items()}


HEART = {("heart attack", "myocardial infarction"): 0.9}
CARS = {("electric cars", "electric vehicles"): 0.91, ("cars", "vehicles"): 0.88}


def test_names_as_similar_as_the_threshold_match() -> None:
    assert match(["heart attack"], [["myocardial infarction"]], Toy(HEART)) == {0: (0, 0.9)}
    assert match(["heart attack"], [["myocardial infarction"]], Toy({next(iter(HEART)): 0.8})) == {0: (0, 0.8)}
    assert match(["heart attack"], [["myocardial infarction"]], Toy({next(iter(HEART)): 0.7999})) == {}


def test_aliases_match_too_and_the_most_similar_form_counts() -> None:
    toy = Toy({**HEART, ("heart attack", "coronary thrombosis"): 0.85})
    names = ["coronary thrombosis", "myocardial infarction"]
    assert match(["heart attack"], [names], toy) == {0: (0, 0.9)}


def test_the_differing_words_must_be_similar_themselves() -> None:
    assert match(["electric cars"], [["electric vehicles"]], Toy(CARS)) == {0: (0, 0.91)}
    far = Toy({("bank credibility", "bank transparency"): 0.95, ("credibility", "transparency"): 0.8 - MARGIN - 0.01})
    assert match(["bank credibility"], [["bank transparency"]], far) == {}
    assert far.asked[1:] == [("credibility", "transparency")]


@every_row("rival", ["cardiac arrest", "Cardiac Arrest"])
def test_an_item_more_similar_to_a_canary_or_a_found_concept_stays_unmatched(rival: str) -> None:
    near = Toy({**HEART, ("heart attack", "cardiac arrest"): 0.93})
    assert match(["heart attack"], [["myocardial infarction"]], near, [rival]) == {}
    far = Toy({**HEART, ("heart attack", "cardiac arrest"): 0.9})
    assert match(["heart attack"], [["myocardial infarction"]], far, [rival]) == {0: (0, 0.9)}


def test_matching_is_one_to_one_and_optimal() -> None:
    # The first item is most like the concept that the second one needs.
    items, expected = ["blaze", "conflagration"], [["fire"], ["burning"]]
    pairs = {("blaze", "fire"): 0.95, ("blaze", "burning"): 0.85, ("conflagration", "fire"): 0.9}
    assert match(items, expected, Toy(pairs)) == {0: (1, 0.85), 1: (0, 0.9)}


def test_a_second_item_for_one_concept_stays_unmatched() -> None:
    toy = Toy({("blaze", "fire"): 0.9, ("conflagration", "fire"): 0.95})
    assert match(["blaze", "conflagration"], [["fire"]], toy) == {1: (0, 0.95)}


def test_a_rejected_concept_is_not_matched() -> None:
    missed = [["kidney"], ["myocardial infarction"]]
    assert match(["heart attack"], missed, Toy(HEART), rejected=[(0, 1)]) == {}
    assert match(["heart attack"], missed, Toy(HEART), rejected=[(0, 0)]) == {0: (1, 0.9)}


def test_nothing_is_requested_if_there_is_nothing_to_match() -> None:
    toy = Toy({})
    assert match([], [["fire"]], toy) == match(["fire"], [], toy) == match(["…"], [["fire"]], toy) == {}
    assert toy.asked == []
    assert match(["blaze"], [["fire"]], toy, ["water"]) == {}
    assert toy.asked == [("blaze", "fire")]  # neither parts nor rivals


@every_row(
    ("one", "other"),
    [
        ("World War I", "World War II"),
        ("Python 2", "Python 3"),
        ("4%", "four per cent"),
        ("GDP growth of 2%", "GDP growth of 3%"),
        ("GDP growth of -2%", "economic growth of 2%"),
        ("point source pollution", "nonpoint source pollution"),
        ("war without end", "war"),
        ("North Korea", "South Korea"),
        ("northern hemisphere", "southern hemispheres"),
        ("aggregate supply", "aggregate demand"),
        ("overfitting", "underfitting"),
        ("carbon dioxide", "carbon monoxide"),
        ("Mangrove planting", "Mangrove clearing"),
        ("data science", "data scientist"),
        ("vaccine", "vaccination"),
        ("pâté", "pate"),
        ("résumé", "resume"),
        ("spectacles", "spectacle"),
        ("FBI agent", "CIA agent"),
        ("influenza A", "influenza B"),
        ("Andrew Jackson", "Andrew Johnson"),
        ("Portland, Maine", "Portland, Oregon"),
        ("Bank of England", "Bank of Ireland"),
        ("inflation targeting", "strict inflation targeting"),
        ("machine learning", "machine learning model"),
        ("The Police", "police"),
        ("A implies B", "B implies A"),
        ("Chlorofluorocarbons", "hydrochlorofluorocarbons"),
    ],
)
def test_names_that_never_match_however_similar_their_embeddings(one: str, other: str) -> None:
    assert difference_of(one, other).reason
    assert difference_of(other, one).reason
    everything = dict.fromkeys(permutations([text_of(one), text_of(other)], 2), 1.0)
    assert match([one], [[other]], Toy(everything)) == {}


@every_row(
    ("one", "other", "parts"),
    [
        ("kidney failure", "Renal failure", ("kidney", "renal")),
        ("electric cars", "electric vehicles", ("cars", "vehicles")),
        ("heart attack", "myocardial infarction", ("heart attack", "myocardial infarction")),
        ("run on the bank", "bank run", ("", "")),
        ("deposit insurance scheme", "deposit insurance", ("scheme", "")),
        ("Voter participation", "voter turnout", ("participation", "turnout")),
    ],
)
def test_names_that_may_match(one: str, other: str, parts: tuple[str, str]) -> None:
    assert difference_of(one, other) == ("", *parts)
    assert difference_of(other, one) == ("", *reversed(parts))


def test_contrasts_hold_in_any_number_and_spelling() -> None:
    assert exclusive("buyers", "seller")
    assert exclusive("defence", "attacks")
    assert not exclusive("north", "north sea")
    assert not exclusive("power", "energies")


@given(st.text(), st.text())
def test_the_difference_of_any_texts_is_symmetric(one: str, other: str) -> None:
    there, back = difference_of(one, other), difference_of(other, one)
    assert bool(there.reason) == bool(back.reason)
    toy = Toy({(text_of(one), text_of(other)): 1.0})
    assert match([one], [[other]], toy) in ({}, {0: (0, 1.0)})


@every_row(
    ("one", "other", "reason"),
    [
        ("Open the northern office", "Start work at the southern branch", "opposites"),
        ("Install agents everywhere", "Uninstall it on each machine", "opposites"),
        ("Write to Telvox about it", "Send Norvik a letter", "different names"),
        ("Write to Telvox about it", "Send Telvox a letter", ""),
        ("Launch on April 1st", "Go live on 1 April", ""),  # values are compared by other rules
        ("Ingrid has the last word", "Ingrid Solheim decides in the end", ""),
    ],
)
def test_descriptions_of_two_acts_differ_by_opposites_or_names(one: str, other: str, reason: str) -> None:
    assert description_difference(one, other) == description_difference(other, one) == (reason, "", "")


def test_only_names_are_embedded() -> None:
    assert text_of("Heart  ATTACK!") == "heart attack"
    assert text_of("…") == text_of("") == text_of("\ud800") == text_of("x" * (LONGEST + 1)) == ""


def test_the_signature_is_one_word_with_all_settings() -> None:
    assert SemanticRule(LOCAL_MODEL).signature() == "semantic/1=local/all-minilm-l6-v2>=0.8"
    assert SemanticRule("nomic: embed", 0.75).signature() == "semantic/1=nomic__embed>=0.75"


@every_row("imported", ["row3.running.score", "row3.running.suite_run", "row3.running.session"])
def test_a_suite_without_semantic_matching_does_not_import_it(imported: str) -> None:
    import subprocess

    code = (
        f"import sys, row3.kinds, row3.project.project, {imported}\n"
        "mine = ('kinds.semantic', 'providers.minilm')\n"
        "loaded = {'asyncio', 'numpy', 'openai', *(f'row3.{name}' for name in mine)} & sys.modules.keys()\n"
        "sys.exit(str(loaded) if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
