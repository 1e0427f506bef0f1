"""Changes of the criteria are found key by key."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.judgements import Criteria, Rule
from row3.gate.inventory import POLICIES, inventory

LOWER, HIGHER = Rule(0.6, "lower"), Rule(5.0, "higher")


def nothing(case_id: str) -> dict[str, str]:
    raise AssertionError(f"the demands of {case_id} were read")


def changes(base: Criteria, head: Criteria, old: dict | None = None, new: dict | None = None) -> list[tuple[str, str]]:
    found = inventory(base, head, lambda case: (old or {})[case], lambda case: (new or {})[case])
    return [(change.effect, change.key) for change in found]


def criteria(**given: object) -> Criteria:
    return Criteria(**{"rules": {}, "cases": {}, **given})  # type: ignore[arg-type]


def test_equal_criteria_have_no_changes_and_read_no_case():
    same = criteria(rules={"gate.block": HIGHER}, cases={"rye": "1"}, quarantine={"rye": "2027-01-01"})
    assert inventory(same, same, nothing, nothing) == []


def test_added_and_removed_cases():
    assert changes(criteria(cases={"rye": "1"}), criteria(cases={"oat": "1"})) == [
        ("added", "case oat"),
        ("removed", "case rye"),
    ]


def test_demands_of_an_edited_case():
    old = {"concept:flour": "a", "concept:yeast": "b", "text": "c"}
    new = {"concept:flour": "a", "canary:gold": "x", "text": "d"}
    assert changes(criteria(cases={"rye": "1"}), criteria(cases={"rye": "2"}), {"rye": old}, {"rye": new}) == [
        ("added", "case rye canary:gold"),
        ("removed", "case rye concept:yeast"),
        ("changed", "case rye text"),
    ]


def test_demands_about_a_concept_are_added_and_removed_with_it():
    concept = {"concept:flour": "a", "quote:concept:flour": "b"}
    edited = {"concept:flour": "x", "quote:concept:flour": "y"}
    for old, new, expected in (
        (concept, {}, [("removed", "case rye concept:flour")]),
        ({}, concept, [("added", "case rye concept:flour")]),
        (concept, {"concept:flour": "a"}, [("removed", "case rye quote:concept:flour")]),
        (concept, edited, [("changed", "case rye concept:flour"), ("changed", "case rye quote:concept:flour")]),
    ):
        found = changes(criteria(cases={"rye": "1"}), criteria(cases={"rye": "2"}), {"rye": old}, {"rye": new})
        assert found == expected


def test_a_canary_that_is_expected_is_loosened_and_one_that_is_not_any_more_tightened():
    armed, disarmed = {"canary:gold": "a"}, {"canary:gold": "a", "disarmed:canary:gold": "yes"}
    for old, new, expected in (
        (armed, disarmed, [("loosened", "case rye disarmed:canary:gold")]),
        (disarmed, armed, [("tightened", "case rye disarmed:canary:gold")]),
        (disarmed, {}, [("removed", "case rye canary:gold")]),
        ({}, disarmed, [("added", "case rye canary:gold")]),
    ):
        assert (
            changes(criteria(cases={"rye": "1"}), criteria(cases={"rye": "2"}), {"rye": old}, {"rye": new}) == expected
        )


def test_a_source_only_differs():
    for old, new in (({}, {"source": "a"}), ({"source": "a"}, {"source": "b"}), ({"source": "a"}, {})):
        found = changes(criteria(cases={"rye": "1"}), criteria(cases={"rye": "2"}), {"rye": old}, {"rye": new})
        assert found == [("changed", "case rye source")]


def test_a_rule_with_an_order_is_loosened_or_tightened():
    for rule, value, effect in (
        (LOWER, 0.5, "loosened"),
        (LOWER, 0.7, "tightened"),
        (HIGHER, 6.0, "loosened"),
        (HIGHER, 4.0, "tightened"),
        (Rule(True, "lower"), False, "loosened"),
        (Rule(False, "higher"), True, "loosened"),
        (Rule("levenshtein"), "jaro", "changed"),
        (Rule(frozenset({"a", "b"}), "fewer"), frozenset({"a"}), "loosened"),
        (Rule(frozenset({"a"}), "fewer"), frozenset({"a", "b"}), "tightened"),
        (Rule(frozenset({"a"}), "fewer"), frozenset({"b"}), "loosened"),
        (Rule(frozenset({"a"}), "fewer"), None, "loosened"),
        (Rule(None, "fewer"), frozenset({"a"}), "tightened"),
        (Rule(frozenset({"a"}), "more"), frozenset({"a", "b"}), "loosened"),
        (Rule(frozenset({"a", "b"}), "more"), frozenset({"a"}), "tightened"),
        (Rule(None, "more"), frozenset({"a"}), "loosened"),
    ):
        head = Rule(value, rule.looser)
        assert changes(criteria(rules={"key": rule}), criteria(rules={"key": head})) == [(effect, "rule key")]


def test_a_removed_rule_is_loosened_and_an_added_one_tightened():
    for rule in (LOWER, HIGHER):
        assert changes(criteria(rules={"key": rule}), criteria()) == [("loosened", "rule key")]
        assert changes(criteria(), criteria(rules={"key": rule})) == [("tightened", "rule key")]


def test_a_longer_quarantine_is_looser():
    short, long = {"rye": "2027-01-01"}, {"rye": "2027-02-01"}
    for before, after, effect in (
        ({}, short, "loosened"),
        (short, long, "loosened"),
        (long, short, "tightened"),
        (short, {}, "tightened"),
    ):
        (change,) = inventory(criteria(quarantine=before), criteria(quarantine=after), nothing, nothing)
        assert (change.effect, change.key) == (effect, "quarantine rye")
        assert (change.before, change.after) == (before.get("rye"), after.get("rye"))


def test_policies_from_lenient_to_strict():
    assert POLICIES == ("paired", "evidence", "fixed")


rules = st.dictionaries(st.sampled_from("abcd"), st.builds(Rule, st.floats(0, 1), st.just("lower")), max_size=4)


@given(rules, rules)
def test_the_reverse_of_a_loosening_is_a_tightening(one, other):
    def by_key(before, after):
        return {c.key: c.effect for c in inventory(criteria(rules=before), criteria(rules=after), nothing, nothing)}

    there, back = by_key(one, other), by_key(other, one)
    assert there.keys() == back.keys()
    opposite = {"loosened": "tightened", "tightened": "loosened"}
    assert all(opposite[there[key]] == back[key] for key in there)
