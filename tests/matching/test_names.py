from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.matching.assignment import MOST_COMPARED
from row3.matching.compare import PERSON_STEP, SCORES, TYPO, compare
from row3.matching.names import NameIndex, NameMatch, match_names
from row3.matching.normalise import normalise
from row3.matching.scorers import EXACT, SCORERS, Named, NameRule
from row3.matching.scorers import similarity as scored
from row3.matching.text.quotes import SourceText
from tests.rows import every_row
from tests.strategies import kindred_names

CORRECT = ("exact", "alias", "fuzzy")
EDGE = 1e-9


def matched(
    extracted: Sequence[str], expected: Sequence[Named], canaries: Sequence[str] = (), rule: NameRule | None = None
) -> list[NameMatch]:
    return match_names(extracted, NameIndex(expected, canaries, rule or NameRule()))


def states(extracted: Sequence[str], *labels: str, canaries: Sequence[str] = ()) -> list[str]:
    return [match.state for match in matched(extracted, [Named(label, ()) for label in labels], canaries)]


def similarity(name: str, forms: Sequence[str]) -> float:
    """Return the similarity of a name to the most similar form, matching or not."""
    return max((scored(normalise(name), normalise(form), "levenshtein") for form in forms), default=0.0)


def worth(name: str, forms: Sequence[str]) -> float:
    """Return the score of the best form, comparing all without look-up; 0 for no match."""
    pairs = [compare(name, form) for form in forms if normalise(name) and normalise(form)]
    return max((pair.score for pair in pairs if pair.same), default=0.0)


def best_worth(rows: Sequence[dict[int, float]], groups: Sequence[int]) -> tuple[int, float]:
    """Return the most pairs, then the highest sum, of all partial injective assignments with one row of each group."""

    def all_worths(at: int, used: frozenset[int], spent: frozenset[int]) -> Iterator[tuple[int, float]]:
        if at == len(rows):
            yield 0, 0.0
            return
        yield from all_worths(at + 1, used, spent)
        for column, score in rows[at].items():
            if column not in used and groups[at] not in spent:
                for count, total in all_worths(at + 1, used | {column}, spent | {groups[at]}):
                    yield count + 1, total + score

    return max(all_worths(0, frozenset(), frozenset()))


def owner(name: str, expected: Sequence[Named]) -> int:
    """Return the expected name whose label, or else alias, a name equals; -1 for none."""
    key = normalise(name)
    labels = [at for at, one in enumerate(expected) if normalise(one.label) == key]
    aliases = [at for at, one in enumerate(expected) if key in map(normalise, one.aliases)]
    return (*labels, *aliases, -1)[0] if key else -1


def one_name(names: Sequence[str], rows: Sequence[dict[int, float]], at: int, other: int) -> bool:
    """Return whether two extracted names match each other better than any expected name but one nearest to both."""
    tops = [[column for column, score in rows[row].items() if score == max(rows[row].values())] for row in (at, other)]
    near = tops[0][0] if tops[0] == tops[1] and len(tops[0]) == 1 else -1
    rivals = [score for row in (at, other) for column, score in rows[row].items() if column != near]
    shared = rows[at].keys() & rows[other].keys()
    return bool(shared) and worth(names[at], [names[other]]) > max(rivals, default=0.0) + EDGE


def groups_of(names: Sequence[str], rows: Sequence[dict[int, float]]) -> list[int]:
    """Return a number for each name: equal for names that are one, directly or through others."""
    groups = list(range(len(names)))
    for at, other in itertools.combinations(range(len(names)), 2):
        if one_name(names, rows, at, other):
            groups = [groups[at] if group == groups[other] else group for group in groups]
    return groups


@st.composite
def cases(draw: st.DrawFn, *, shared: bool = False) -> tuple[list[str], list[Named], list[str]]:
    """Draw extracted names, expected names with aliases, and canaries; many match several others."""
    forms = draw(kindred_names(9))
    if not shared:
        forms = list({normalise(form): form for form in forms}.values())
    expected: list[Named] = []
    while forms and len(expected) < 5:
        count = draw(st.integers(1, 3))
        expected.append(Named(forms[0], forms[1:count]))
        forms = forms[count:]
    return draw(kindred_names(5)), expected, draw(kindred_names(3))


def assert_optimal(extracted: list[str], expected: list[Named], canaries: list[str], result: list[NameMatch]) -> None:
    truth = [[worth(name, (n.label, *n.aliases)) for n in expected] for name in extracted]
    to_canary = [worth(name, canaries) for name in extracted]
    is_canary = [c > max(line, default=0.0) + EDGE for c, line in zip(to_canary, truth, strict=True)]
    rows = [
        {} if forbidden else {j: s for j, s in enumerate(line) if s > 0.0}
        for line, forbidden in zip(truth, is_canary, strict=True)
    ]
    owners = [owner(name, expected) for name in extracted]
    rows = [{at: 1.0} if at >= 0 else row for at, row in zip(owners, rows, strict=True)]
    groups = groups_of(extracted, rows)
    # What is one name with an equal one stands for that one only.
    for group in set(groups):
        own = {at for at, found in zip(owners, groups, strict=True) if found == group} - {-1}
        if own:
            rows = [
                {column: score for column, score in row.items() if column in own} if found == group else row
                for row, found in zip(rows, groups, strict=True)
            ]
    assert len(result) == len(extracted)
    assert [match.state == "canary" for match in result] == is_canary
    pairs = [(i, match) for i, match in enumerate(result) if match.state in CORRECT]
    assert len({match.position for _, match in pairs}) == len(pairs), "an expected name is matched twice"
    assert len({groups[i] for i, _ in pairs}) == len(pairs), "one name is matched twice"
    for i, match in pairs:
        assert match.score == pytest.approx(truth[i][match.position], abs=1e-9)
    count, total = best_worth(rows, groups)
    assert len(pairs) == count
    assert sum(match.score for _, match in pairs) == pytest.approx(total, abs=1e-9)
    for i, (name, match) in enumerate(zip(extracted, result, strict=True)):
        assert (match.state == "duplicate") == (bool(rows[i]) and (i, match) not in pairs)
        if match.state == "unmatched":
            nearest = max((similarity(name, (n.label, *n.aliases)) for n in expected), default=0.0)
            assert match.score == pytest.approx(nearest, abs=1e-9)
        if match.state == "canary":
            assert match.score == pytest.approx(to_canary[i], abs=1e-9)
            assert worth(name, [canaries[match.position]]) == pytest.approx(match.score, abs=1e-9)


@given(cases())
@settings(max_examples=200, deadline=None)
def test_the_whole_matching_is_optimal_over_all_compared_pairs(
    case: tuple[list[str], list[Named], list[str]],
) -> None:
    extracted, expected, canaries = case
    result = matched(extracted, expected, canaries)
    assert_optimal(extracted, expected, canaries, result)
    for name, match in zip(extracted, result, strict=True):
        if match.state in CORRECT:
            label, aliases = expected[match.position].label, expected[match.position].aliases
            is_label = normalise(name) == normalise(label)
            is_alias = normalise(name) in map(normalise, aliases)
            assert match.state == ("exact" if is_label else "alias" if is_alias else "fuzzy")
            assert bool(match.how) == (match.state == "fuzzy")


@given(cases(shared=True))
@settings(max_examples=80, deadline=None)
def test_it_stays_optimal_where_two_expected_names_share_a_form(case: tuple[list[str], list[Named], list[str]]) -> None:
    assert_optimal(*case, matched(*case))


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_the_order_of_the_output_does_not_change_the_counts(
    case: tuple[list[str], list[Named], list[str]], chance: random.Random
) -> None:
    extracted, expected, canaries = case
    shuffled = chance.sample(extracted, len(extracted))
    before, after = matched(extracted, expected, canaries), matched(shuffled, expected, canaries)

    def tally(result: list[NameMatch]) -> Counter[str]:
        return Counter("correct" if match.state in CORRECT else match.state for match in result)

    assert tally(before) == tally(after)


@given(cases())
@settings(max_examples=50, deadline=None)
def test_the_same_input_gives_the_same_answer(case: tuple[list[str], list[Named], list[str]]) -> None:
    assert matched(*case) == matched(*case)


def test_exact_alias_fuzzy_unmatched() -> None:
    expected = [
        Named("Machine Learning", ["ML"]),
        Named("Neural network", ["NN", "neural net"]),
        Named("Overfitting", []),
    ]
    assert matched(["MACHINE-LEARNING", "nn", "Over-fitting", "tea"], expected)[:3] == [
        NameMatch("exact", 0, 1.0),
        NameMatch("alias", 1, 1.0),
        NameMatch("fuzzy", 2, SCORES["form"], "form"),
    ]
    assert matched(["tea"], expected)[0].state == "unmatched"


def test_an_unmatched_item_names_its_nearest() -> None:
    result = matched(["gradient decay"], [Named("Overfitting", []), Named("Gradient descent", [])])
    assert result == [NameMatch("unmatched", 1, pytest.approx(similarity("gradient decay", ["gradient descent"])))]


def test_an_unmatched_item_gives_the_reason() -> None:
    (match,) = matched(["Unsupervised learning"], [Named("Supervised learning", ())])
    assert (match.state, match.score) == ("unmatched", pytest.approx(19 / 21))
    assert "unsupervised" in match.why_not


@every_row("name", ["John D. Smith", "J. Smith", "Smith, John", "Dr. John Smith", "J. D. Smith"])
def test_experiments_john_d_smith(name: str) -> None:
    assert states(["John Smith"], "John Smith") == states(["JOHN SMITH"], "John Smith") == ["exact"]
    score = pytest.approx(SCORES["person"], abs=1.01 * PERSON_STEP)
    assert matched([name], [Named("John Smith", ())]) == [NameMatch("fuzzy", 0, score, "person")]
    assert states([name], "Jane Brown", "Robert Smith") == ["unmatched"]


@every_row(
    ("name", "state"),
    [
        ("Plurality voting (first past the post)", "fuzzy"),
        ("Plurality Voting (also First-Past-The-Post, FPTP)", "fuzzy"),
        ("FPTP (plurality voting)", "fuzzy"),
        ("Plurality voting (single transferable vote)", "unmatched"),
        ("Plurality voting (FPTP, single transferable vote)", "unmatched"),
        ("Plurality voting (in Britain)", "unmatched"),
    ],
)
def test_a_name_with_its_alias_in_parentheses(name: str, state: str) -> None:
    expected = [Named("Single transferable vote", ["STV"]), Named("Plurality voting", ["first past the post", "FPTP"])]
    (match,) = matched([name], expected)
    assert match.state == state
    assert state == "unmatched" or match == NameMatch("fuzzy", 1, SCORES["variant"], "variant")


@every_row(
    ("labels", "extracted", "states_of"),
    [
        ("John Adams|John Quincy Adams", "John Adams|John Adams", "exact duplicate"),
        ("John Adams|John Quincy Adams", "John Quincy Adams|J. Q. Adams", "exact duplicate"),
        ("John Adams|John Quincy Adams", "J. Q. Adams|John Q. Adams", "fuzzy duplicate"),
        ("John Adams|John Quincy Adams", "John Adams|J. Q. Adams", "exact fuzzy"),
        ("John Adams|John Quincy Adams", "J. Adams|J. Q. Adams", "fuzzy fuzzy"),
        ("Albany|Albany, Georgia", "Albany|ALBANY", "exact duplicate"),
        ("Albany|Albany, Georgia", "Albany|Albany, GA", "exact fuzzy"),
        ("Audi|Audi AG", "Audi|Audi", "exact duplicate"),
        ("Audi|Audi AG", "Audi|Audi A.G.|AUDI", "exact fuzzy duplicate"),
        ("UK|United Kingdom", "UK|UK", "exact duplicate"),
        ("UK|United Kingdom", "U.K.|UK", "duplicate exact"),
        ("A. Smith|Anna Smith", "A. Smith|A. Smith", "exact duplicate"),
        ("A. Smith|Anna Smith", "Anna Smith|Smith, Anna", "exact duplicate"),
        ("John Smith|James Smith|Jane Smith", "J. Smith|J. Smith|J. Smith", "fuzzy duplicate duplicate"),
        ("John Smith|James Smith|Jane Smith", "J. Smith|Smith, J.|Mr. J. Smith", "fuzzy duplicate duplicate"),
        ("John Smith|James Smith", "John Smith|J. Smith", "exact fuzzy"),  # as near to James as to John
        ("heat pumps|heat pump", "heatpump|heatpump", "fuzzy duplicate"),
        ("photosynthesis rate|photosynthesis rates", "photosynthesys rate|photosynthesys rate", "fuzzy duplicate"),
    ],
)  # fmt: skip
def test_one_thing_said_twice_is_one_thing(labels: str, extracted: str, states_of: str) -> None:
    names, wanted = extracted.split("|"), states_of.split()
    assert states(names, *labels.split("|")) == wanted
    # The order of equal or kindred names may decide which of them is the duplicate, not how many there are.
    assert Counter(states(names[::-1], *labels.split("|")[::-1])) == Counter(wanted)


def test_a_flood_of_spellings_claims_one_concept_for_each_that_is_nearest() -> None:
    labels = ("photosynthesis pathway regulation", "photosynthesis pathway regulations")
    doubled = [[word[:at] + word[at - 1 :] for at in range(2, len(word) - 1)] for word in labels[0].split()]
    flood = list(map(" ".join, itertools.product(*doubled)))
    assert len(flood) > MOST_COMPARED
    found = states(flood, *labels)
    assert found.count("fuzzy") == 1
    assert found.count("duplicate") == len(flood) - 1


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_a_repeated_name_raises_neither_recall_nor_precision(
    case: tuple[list[str], list[Named], list[str]], chance: random.Random
) -> None:
    extracted, expected, canaries = case
    before = matched(extracted, expected, canaries)
    again = [*extracted, *chance.choices(extracted, k=3)] if extracted else []
    after = matched(again, expected, canaries)
    correct = [sum(match.state in CORRECT for match in result) for result in (before, after)]
    counted = [sum(match.state != "duplicate" for match in result) for result in (before, after)]
    assert correct[0] == correct[1]
    assert counted[0] <= counted[1]


def test_a_settled_match_stands() -> None:
    assert states(["John Smith", "John D. Smith"], "John Smith", "J. A. Brown") == ["exact", "duplicate"]
    assert states(["John D. Smith", "John Smith"], "John Smith", "J. A. Brown") == ["duplicate", "exact"]
    # The newcomer may only be the first, which another name equals.
    names = ["John Smith", "J. A. Smith", "Jane Smith"]
    assert states([*names, "John D. Smith"], *names, "J. M. Smith") == ["exact"] * 3 + ["duplicate"]


@every_row("second", ["Machine learning", "MACHINE LEARNING", "ML", "machine-learning", "machine laerning"])
def test_a_second_item_for_the_same_concept_is_a_duplicate(second: str) -> None:
    result = matched(["machine learning", second], [Named("Machine learning", ["ML"]), Named("Overfitting", [])])
    assert sorted(match.state in CORRECT for match in result) == [False, True]
    assert [match.state for match in result].count("duplicate") == 1
    assert {match.position for match in result} == {0}


def test_the_score_of_a_slip_is_edits_over_the_longer_length() -> None:
    descent, cycle = Named("gradient descent", ()), Named("carbon dioxide cycle", ())
    assert matched(["gradient decsent"], [descent]) == [NameMatch("fuzzy", 0, pytest.approx(15 / 16), "spelling")]
    assert matched(["crabon dioxdie cycle"], [cycle]) == [NameMatch("fuzzy", 0, pytest.approx(18 / 20), "spelling")]
    other = matched(["carbon monoxide cycle"], [cycle])[0]
    assert (other.state, other.position, other.score) == ("unmatched", 0, pytest.approx(18 / 21))
    assert matched(["cyber dioxin cycles"], [cycle])[0].state == "unmatched"


def test_a_slip_scores_below_every_rule() -> None:
    name = "decentralised institutional arrangements"
    assert matched(["decetnralised institutional arrangements"], [Named(name, ())])[0].score == TYPO
    assert min(SCORES.values()) - PERSON_STEP > TYPO


def test_exact_matches_only_equal_names() -> None:
    expected = [Named("gradient descent", ("steepest descent", "GD")), Named("overfitting", ())]
    given = ["Gradient  Descent", "steepest descent", "gradient descents", "overfitting (over-fitting)", "tea", "teas"]
    found = matched(given, expected, ["tea"], NameRule(EXACT, 0.5))
    assert [match.state for match in found] == ["exact", "duplicate", *["unmatched"] * 2, "canary", "unmatched"]
    assert found[2].position == 0
    assert 0.9 < found[2].score < 1.0


PLAIN = NameRule(plain=True)


@every_row(
    ("name", "expected", "state"),
    [
        ("ABSORPTION!", Named("absorption", ()), "exact"),
        ("adsorption", Named("absorption", ()), "fuzzy"),  # two words, but nine letters in ten
        ("John D. Smith", Named("John Smith", ()), "unmatched"),  # 10 letters of 12, below 0.85
        ("Robert Schuman", Named("Robert Schumann", ()), "fuzzy"),
        ("-5 degrees", Named("5 degrees", ()), "exact"),
        ("5 kilometres", Named("5 km", ()), "unmatched"),
        ("Smith, John", Named("John Smith", ()), "unmatched"),
        ("Thames, River", Named("River Thames", ()), "unmatched"),
        ("machine learning (ML)", Named("machine learning", ()), "unmatched"),
        ("m.l.", Named("machine learning", ("M L",)), "alias"),
        ("seson", Named("season", ()), "unmatched"),  # 5 of 6 letters
        ("New York City Counsil", Named("New York City Council", ()), "fuzzy"),
    ],
)
def test_plain_rules_are_equality_and_similarity(name: str, expected: Named, state: str) -> None:
    assert matched([name], [expected], rule=PLAIN)[0].state == state


@given(st.text("abcde 5-.", max_size=8), st.text("abcde 5-.", max_size=8), st.sampled_from(sorted(SCORERS)))
def test_plain_rules_say_what_the_scorer_says(one: str, other: str, scorer: str) -> None:
    key, key2 = normalise(one), normalise(other)
    similar = scorer != EXACT and scored(key, key2, scorer) >= 0.6 - 1e-9
    hit = NameIndex([Named(other, ())], (), NameRule(scorer, 0.6, plain=True)).resolve(one)
    assert (hit is not None) == (bool(key) and (key == key2 or similar))


def test_by_plain_rules_only_an_equal_name_is_a_canary_of_a_similar_one() -> None:
    rule = NameRule("token-set", plain=True)
    found = matched(["gradient flow theory"], [Named("gradient flow", ())], ["Gradient flow theory"], rule)
    assert found[0].state == "canary"


@every_row("scorer", sorted(SCORERS.keys() - {EXACT}))
def test_every_scorer_uses_the_same_scale(scorer: str) -> None:
    expected = [Named("gradient descent", ()), Named("overfitting", ())]
    rule = NameRule(scorer, 0.9)
    found = matched(["gradient descents"], expected, rule=rule)[0]
    assert (found.state, found.position) == ("fuzzy", 0)
    assert 0.9 <= found.score <= 1.0
    assert matched(["tea kettle"], expected, rule=rule)[0].state == "unmatched"
    found = matched(["gradient descents"], expected, ["gradient descents!"], rule)[0]
    assert (found.state, found.position) in (
        ("canary", 0),
        ("fuzzy", 0),
    )


def test_a_threshold_of_one_takes_no_slip_of_spelling() -> None:
    expected = [Named("gradient descent", ["SGD"])]
    names = ("Gradient-Descent", "sgd", "gradient descents", "gradient decsent")
    for threshold, last in ((1.0, "unmatched"), (0.85, "fuzzy")):
        found = [matched([name], expected, rule=NameRule(threshold=threshold))[0] for name in names]
        assert [match.state for match in found] == ["exact", "alias", "fuzzy", last]
        assert found[2].how == "form"  # a plural is the same name at any threshold


class TestCanaries:
    def test_exact_and_fuzzy(self) -> None:
        extracted = ["Neural Osmosis Learning", "neural osmosis learnings", "neural osmsois learning", "tea"]
        canaries = ["Quantum tea", "Neural osmosis learning"]
        result = matched(extracted, [Named("Machine learning", ())], canaries)
        assert result[0] == NameMatch("canary", 1, 1.0)
        assert result[1] == NameMatch("canary", 1, SCORES["form"], "form")
        assert result[2] == NameMatch("canary", 1, TYPO, "spelling")
        assert result[3].state == "unmatched"

    def test_each_time_it_is_extracted(self) -> None:
        assert states(["Fake thing", "fake thing"], "Machine learning", canaries=["Fake thing"]) == ["canary", "canary"]

    def test_an_item_as_close_to_an_expected_name_is_not_a_canary(self) -> None:
        # The joined plural is equally close to both: the expected name wins.
        assert states(["heatpumps"], "heat pump", canaries=["heat pumps"]) == ["fuzzy"]

    def test_an_item_closer_to_an_expected_name_is_not_a_canary(self) -> None:
        assert states(["gradient flow"], "gradient flow", canaries=["gradient flow"]) == ["exact"]
        assert states(["gradient descents"], "gradient descent", canaries=["gradient decsent"]) == ["fuzzy"]

    def test_an_item_closer_to_the_canary_is_a_canary(self) -> None:
        assert states(["heat pumps"], "heat pump", canaries=["heat pumps"]) == ["canary"]
        assert states(["heat pumps", "heat pump"], "heat pump", canaries=["heat pumps"]) == ["canary", "exact"]

    def test_a_canary_similar_to_an_expected_name_is_a_canary(self) -> None:
        assert states(["gradient glow", "gradient flow"], "gradient flow", canaries=["gradient glow"]) == [
            "canary",
            "exact",
        ]

    def test_an_alias_protects_as_the_label_does(self) -> None:
        assert (
            matched(["fake thing"], [Named("Real thing of size", ["Fake thing"])], ["Fake thing"])[0].state == "alias"
        )

    def test_a_second_item_for_a_concept_is_a_duplicate_not_a_canary(self) -> None:
        assert states(["heat pump", "heatpumps"], "heat pump", canaries=["heat pumps"]) == ["exact", "duplicate"]

    def test_a_canary_takes_no_match_from_other_items(self) -> None:
        assert states(["heat pumps", "heatpump"], "heat pump", canaries=["heat pumps"]) == ["canary", "fuzzy"]


class TestNothing:
    def test_no_items(self) -> None:
        assert matched([], [Named("A", ())], ["B"]) == []

    def test_no_expected_names(self) -> None:
        assert matched(["A", "fake"], [], ["fake"]) == [NameMatch("unmatched", -1, 0.0), NameMatch("canary", 0, 1.0)]

    def test_no_expected_names_and_no_canaries(self) -> None:
        assert matched(["A"], []) == [NameMatch("unmatched", -1, 0.0)]

    @every_row("name", ["", "  ", "?!", "…", "\u200b"])
    def test_names_that_normalise_to_nothing_match_nothing(self, name: str) -> None:
        assert (
            matched([name, name], [Named(name, [name]), Named("A", ())], [name])
            == [NameMatch("unmatched", -1, 0.0)] * 2
        )

    def test_an_expected_name_that_normalises_to_nothing_leaves_the_others_alone(self) -> None:
        assert matched(["A"], [Named("?!", ()), Named("A", ["--"])]) == [NameMatch("exact", 1, 1.0)]


class TestResolve:
    INDEX = NameIndex([Named("Machine learning", ["ML"]), Named("Gradient flow", [])], ["Gradient glow"], NameRule())

    @every_row(
        ("name", "end"),
        [
            ("machine-learning", (0, False)),
            ("ml", (0, False)),
            ("machine learnings", (0, True)),
            ("gradient flow", (1, False)),
            ("gradient flows", (1, True)),
            ("gradient glow", None),  # closer to a canary than to a concept
            ("tea", None),
            ("", None),
            ("?!", None),
        ],
    )
    def test_an_end_resolves_by_alias_and_by_the_fuzzy_rule(self, name: str, end: tuple[int, bool] | None) -> None:
        assert self.INDEX.resolve(name) == end

    def test_a_name_stands_for_its_nearest_concept(self) -> None:
        index = NameIndex([Named("photosynthesis pathways", ()), Named("photosynthesis pathway", ())], [], NameRule())
        assert index.resolve("photosynthesys pathway") == (1, True)

    def test_many_ends_may_be_one_concept(self) -> None:
        assert {self.INDEX.resolve(name) for name in ("ML", "Machine Learning", "ml")} == {(0, False)}


def test_a_label_takes_precedence_over_an_alias() -> None:
    index = NameIndex([Named("Deep learning", ["Machine learning"]), Named("Machine learning", ())], [], NameRule())
    assert index.resolve("machine learning") == (1, False)
    assert match_names(["machine learning"], index) == [NameMatch("exact", 1, 1.0)]


@every_row("blank", [" {}", "{} ", "  {}", "{}\n", "\u00a0{}\t"])
@every_row("name", ["turkey", "the said tenant", "Siemens AG", "growth of 5%", "grade A-"])
def test_blanks_around_and_between_words_change_nothing(name: str, blank: str) -> None:
    text = SourceText("Turkey exports turkey. A turkey is a bird; in Turkey it is eaten.")
    expected = [Named(one, ()) for one in ("Turkey", "the tenant", "Siemens", "growth of -5%", "grade A")]
    index = NameIndex(expected, (), NameRule(), text)
    spaced = blank.format(name.replace(" ", "  "))
    plain = match_names([name], index)
    assert match_names([spaced], index) == plain
    turned = NameIndex([Named(blank.format(one.label), ()) for one in expected], (), NameRule(), text)
    assert match_names([name], turned) == plain


@every_row("marks", ["{0}", "{1}{2}", "x{2}", "J{1}n"])
def test_a_flood_of_names_that_are_nearly_equal_takes_time_in_proportion(marks: str) -> None:
    def names(number: int, more: str) -> list[str]:
        pairs = [(chr(97 + n % 26), chr(97 + n // 26 % 26)) for n in range(number)]
        texts = [marks.format(n, *pair) for n, pair in enumerate(pairs)]
        return [f"international federation {text} of widget makers{more}" for text in texts]

    def seconds(number: int) -> float:
        index = NameIndex([Named(name, ()) for name in names(number, "")], (), NameRule())
        begun = time.process_time()
        match_names(names(number, "e"), index)
        return time.process_time() - begun

    seconds(10)  # imports
    assert seconds(700) < 10
