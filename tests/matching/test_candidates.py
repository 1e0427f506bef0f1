"""The search for candidates finds every pair that `compare` matches."""

from __future__ import annotations

import random

from benchmarks.matching import PAIRS, read_pairs
from row3.matching.candidates import likely_runs
from row3.matching.compare import compare
from row3.matching.names import NameIndex
from row3.matching.scorers import Named, NameRule
from row3.matching.variant.acronyms import NO_ACRONYMS
from tests.rows import every_row

SIZE = 40
"""Number of names in a case."""


def mutated(name: str, chance: random.Random) -> str:
    at = chance.randrange(len(name))
    ways = (
        name[:at] + name[at + 1 :],
        name[:at] + chance.choice("aest -") + name[at:],
        name.replace(" ", "-", 1),
        name.replace(" ", "", 1),
        f"the {name}",
        f"{name}s",
        name.upper(),
        name.title(),
        " ".join(reversed(name.split())),
    )
    return chance.choice(ways)


@every_row("seed", range(12))
def test_candidates_include_every_match(seed: int) -> None:
    chance = random.Random(seed)
    pairs = read_pairs(*PAIRS)
    pairs = chance.sample([pair for pair in pairs if not pair.get("context") and not pair.get("person")], SIZE)
    expected = [pair["a"] for pair in pairs]
    asked = [form for name in (*expected, *(pair["b"] for pair in pairs)) for form in (name, mutated(name, chance))]
    matcher = NameIndex([Named(name, ()) for name in expected], (), NameRule()).matcher
    found = lost = 0
    for name in filter(str.strip, asked):
        edges = matcher.matches(name).edges
        for position, other in enumerate(expected):
            if compare(name, other, acronyms=NO_ACRONYMS).same:
                found += 1
                lost += position not in edges
    assert found > SIZE
    assert lost == 0


@every_row(
    ("one", "other"),
    [
        ("Mao Tse-tung", "Mao Zedong"),
        ("USA", "United States of America"),
        ("by-products", "byproduct"),
        ("on-line", "online"),
        ("sceptics", "skeptic"),
        ("e-mail", "emails"),
    ],
)
def test_words_with_different_skeletons_are_found(one: str, other: str) -> None:
    for name, expected in ((one, other), (other, one)):
        assert NameIndex([Named(expected, ()), Named("tea", ())], (), NameRule()).resolve(name) == (0, True)


def test_the_quick_test_of_a_run_of_words_keeps_every_match() -> None:
    pairs = [(pair[one], pair[other]) for pair in read_pairs(*PAIRS) for one, other in (("a", "b"), ("b", "a"))]
    pairs = [pair for pair in pairs if compare(*pair).same]
    assert [pair for pair in pairs if not likely_runs(pair[:1], pair[1])] == []


@every_row("name", ["\u0301", "\u0301 fire", "fire \u0301", "..."])
def test_a_mark_without_its_letter_is_searched_in_time(name: str) -> None:
    for expected in ([], [Named("fire", ())]):
        index = NameIndex(expected, ["..."], NameRule())
        assert index.matcher.matches(name).edges.keys() <= {0}


@every_row(
    ("one", "other"),
    [
        ("Python (programming language)", "Python"),
        ("Mercury (chemical element)", "mercury"),
        ("mold growth", "moldgrowth"),
        ("planet Mars", "Mars"),
        ("government of the Netherlands", "Dutch government"),
        ("invoices not paid", "unpaid invoices"),
        ("coffee w/o sugar", "coffee without sugar"),
    ],
)
def test_a_name_with_more_words_is_found_either_way(one: str, other: str) -> None:
    for name, expected in ((one, other), (other, one)):
        assert NameIndex([Named("tea", ()), Named(expected, ())], (), NameRule()).resolve(name) == (1, True)
