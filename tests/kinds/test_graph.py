"""Kind `graph`: connections by document or event, their paths, and properties of all answers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.misfits import MisfitsError
from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed
from row3.kinds.base import Rules
from row3.kinds.graph import KIND as GRAPH
from row3.kinds.graph import ConnectionOut, ConnectionsOut, GraphCase
from tests.rows import every_row
from tests.scoring import case_of, score_by

RULES = Rules()
METRIC_KEYS = {metric.key for metric in GRAPH.metrics}
KEYS = {metric.key for metric in GRAPH.metrics}
CASE: dict[str, Any] = {
    "id": "g1",
    "seed_document": "seed",
    "seed_text": "the launch",
    "expected_connections": [
        {
            "document_id": "a",
            "connection_reason": "shared_entity",
            "entity": "Alice Chen",
            "aliases": ["AC"],
            "also": ["Acme Foods"],
            "hops": 1,
        },
        {
            "document_id": "b", "connection_reason": "shared_event", "event": "Move the launch from May to June",
            "hops": 1,
        },
        {
            "document_id": "c",
            "connection_reason": "shared_entity",
            "entity": "Project Alpha",
            "hops": 2,
            "via": "a",
        },
    ],
    "expected_not_connected": ["x", "y"],
}  # fmt: skip
PERFECT = [
    {"document_id": "a", "connection_reason": "shared_entity", "entity": "Alice Chen", "hops": 1},
    {"document_id": "b", "connection_reason": "shared_event", "event": "Move the launch from May to June", "hops": 1},
    {"document_id": "c", "connection_reason": "shared_entity", "entity": "Project Alpha", "hops": 2},
]


def score(connections: Any, **fields: Any) -> CaseScore:
    read = GRAPH.read_output({"connections": connections} if isinstance(connections, list) else connections)
    assert isinstance(read, Parsed), read
    return score_by(GRAPH, case_of(GraphCase, CASE | fields), read.value, RULES)


def states(found: CaseScore) -> list[str]:
    return [match.state for match in found.explanation.items]


def test_an_expansion_by_hand() -> None:
    found = score(
        [
            PERFECT[0],
            {"document_id": "b", "connection_reason": "shared_entity", "entity": "Alice Chen"},  # another path
            {"document_id": "x"},  # expected not to be
            {"document_id": "z"},  # nobody judged it
            {"document_id": "a"},  # again
            {"document_id": "seed"},
        ]
    )
    assert states(found) == ["connected", "wrong-path", "not-connected", "not-judged", "duplicate", "seed"]
    assert found.metrics == pytest.approx(
        {
            "connection_precision": 2 / 4,
            "connection_recall": 2 / 3,
            "false_positive_rate": 1 / 2,
            "hop_accuracy": 1 / 2,
            "judged_rate": 3 / 4,
        }
    )
    assert GRAPH.shortfall(found)["missedConnections"] == ("c",)


def test_a_perfect_and_an_empty_expansion() -> None:
    assert score(PERFECT).metrics == {
        "connection_precision": 1.0, "connection_recall": 1.0, "false_positive_rate": 0.0, "hop_accuracy": 1.0,
        "judged_rate": 1.0,
    }  # fmt: skip
    empty = score([])
    assert empty.metrics == {"connection_precision": 0.0, "connection_recall": 0.0, "false_positive_rate": 0.0}
    assert empty.skipped.keys() == {"hop_accuracy", "judged_rate"}


@every_row(
    "item",
    [
        {"event": "Launch moved from May to June", "hops": 1},
        {"id": "evt_7", "description": "Move the launch from May to June"},
        {"id": "evt_7", "document_id": "b", "event": "Moved the launch from May to June"},
        {"documentId": "b", "reason": "shared_event", "narrative": "Move launch from May to June", "hop": 1},
    ],
)
def test_an_event_matches_the_document_it_connects(item: dict[str, Any]) -> None:
    assert states(score([item])) == ["connected"]


def test_an_unexpected_event_without_a_document() -> None:
    found = score([{"id": "a", "description": "Hire two installers"}])
    assert states(found) == ["not-judged"]
    assert found.explanation.items[0].label == "Hire two installers"


@every_row(
    ("item", "state"),
    [
        ({"document_id": "a", "entity": "AC"}, "connected"),
        ({"document_id": "a", "entity": ["Bob", "Alice Chen"]}, "connected"),
        ({"document_id": "a", "entities": [{"name": "Alice Chen"}]}, "connected"),
        ({"document_id": "a", "entity": "Acme Foods"}, "connected"),
        ({"document_id": "a", "entity": "Bob Smith"}, "wrong-path"),
        ({"document_id": "a"}, "wrong-path"),
        ({"document_id": "a", "entity": "Alice Chen", "hops": 2}, "wrong-path"),
        ({"document_id": "c", "entity": "Project Alpha"}, "connected"),
        ({"document_id": "a", "entity": "Alice Chen", "connection_reason": "shared_event"}, "wrong-path"),
        ({"document_id": "b", "event": "Move the launch from May to July"}, "wrong-path"),
        ("a", "wrong-path"),
    ],
)
def test_the_path(item: Any, state: str) -> None:
    assert states(score([item])) == [state]


LABELS = {
    "seed": [("Alice Chen", "AC"), ("Tomasz Wrona", "twrona", "Tom"), ("Tom Berg", "Tom"), ("Rime 4", "the logger")],
    "a": [("Alice Chen", "Alice"), ("Tomasz Wrona", "Tomasz"), ("Orbit",)],
    "b": [("RIME 4", "Rime"), ("Tomasz Wrona", "Tomasz")],
    "c": [("Orbit",)],
}


@every_row(
    ("item", "state"),
    [
        ({"document_id": "a", "entity": "Tomasz Wrona"}, "connected"),
        ({"document_id": "a", "entity": "twrona"}, "connected"),  # a mention of the seed alone
        ({"document_id": "a", "entity": "Tomasz"}, "connected"),  # and of the other document alone
        ({"document_id": "a", "entity": ["Tomasz Wrona", "Orbit"], "connection_reason": "shared_entity"}, "connected"),
        ({"document_id": "a", "entity": "Tom"}, "wrong-path"),  # also Tom Berg, who is in one of them
        ({"document_id": "a", "entity": "Orbit"}, "wrong-path"),
        ({"document_id": "a", "entity": "Rime 4"}, "wrong-path"),
        ({"document_id": "a", "entity": "Tomasz Wrona", "connection_reason": "shared_event"}, "wrong-path"),
        ({"document_id": "a", "entity": "Tomasz Wrona", "hops": 2}, "wrong-path"),
        ({"document_id": "a", "entity": "Acme Foods"}, "connected"),  # `also`, whatever the labels
        ({"document_id": "b", "entity": "the logger", "connection_reason": "shared_entity"}, "connected"),
        ({"document_id": "b", "event": "Move the launch from May to June"}, "connected"),
        ({"document_id": "b", "event": "Hired", "entity": "Rime", "connection_reason": "shared_event"}, "wrong-path"),
        ({"document_id": "c", "entity": "Orbit"}, "wrong-path"),
        ({"document_id": "x", "entity": "Alice Chen"}, "not-connected"),
    ],
)
def test_a_path_over_any_entity_that_both_documents_have(item: Any, state: str) -> None:
    rules = Rules(entities=LABELS)
    found = score_by(GRAPH, case_of(GraphCase, CASE), ConnectionsOut(connections=[ConnectionOut(**item)]), rules)
    assert states(found) == [state]


def test_labels_sign_the_scores() -> None:
    fewer = {**LABELS, "b": []}
    assert len({GRAPH.signature(Rules(entities=each)) for each in ({}, LABELS, fewer)}) == 3


@given(st.permutations(["seed", "a", "b", "c"]), st.data())
def test_labels_never_make_a_right_path_wrong(order: list[str], data: Any) -> None:
    names = st.lists(st.sampled_from([each for document in LABELS.values() for each in document]), unique=True)
    rules = Rules(entities={name: data.draw(names) for name in order})
    case = case_of(GraphCase, CASE)
    read = GRAPH.read_output({"connections": PERFECT})
    assert isinstance(read, Parsed)
    assert score_by(GRAPH, case, read.value, rules).metrics["hop_accuracy"] == 1.0


def test_variables_contain_the_call_and_no_expectation() -> None:
    case = case_of(GraphCase, CASE)
    assert case.variables() == {"seed_document": "seed", "seed_text": "the launch", "depth": 2, "limit": 20}
    bare = case_of(GraphCase, {key: CASE[key] for key in CASE if key != "seed_text"} | {"depth": 1})
    assert bare.variables()["seed_text"] == "seed"


def test_lint() -> None:
    def rules(**fields: Any) -> list[str]:
        return [finding.rule for finding in GRAPH.lint.case(case_of(GraphCase, CASE | fields), RULES)]

    first = CASE["expected_connections"][0]
    assert rules() == []
    assert rules(expected_not_connected=["a"]) == ["contradiction"]
    assert rules(expected_connections=[first, first]) == ["connection-twice"]
    assert rules(seed_document="a") == ["seed"]
    assert rules(expected_not_connected=["seed"]) == ["seed"]
    assert rules(expected_connections=[{"document_id": "a", "connection_reason": "shared_event"}]) == ["no-path"]
    assert rules(expected_connections=[], expected_not_connected=[]) == ["nothing-expected"]


def connected(name: str, seed: str, *to: str, **fields: Any) -> GraphCase:
    """A case that starts from a document and expects connections to others."""
    path = {"connection_reason": "shared_entity", "entity": "Alice Chen"}
    expected = [{"document_id": each, **path, **fields} for each in to]
    unrelated = {"expected_not_connected": ["x"]}
    return case_of(GraphCase, {"id": name, "seed_document": seed, "expected_connections": expected, **unrelated})


@every_row(
    ("cases", "count"),
    [
        ([connected("g1", "email_006", "meeting_015"), connected("g2", "meeting_015", "email_006")], 0),
        ([connected("g1", "email_006", "meeting_015"), connected("g2", "meeting_015", "chat_001")], 1),
        ([connected("g1", "email_006", "meeting_015"), connected("g2", "meeting_015")], 1),
        ([connected("g1", "email_006", "meeting_015"), connected("g2", "chat_001", "chat_002")], 0),  # no seed
        ([connected("g1", "a", "b", one_way="b names a's successor"), connected("g2", "b")], 0),
        ([connected("g1", "a", "b", hops=2), connected("g2", "b")], 1),
        ([connected("g1", "a", "b", hops=3), connected("g2", "b")], 0),  # deeper than the other case looks
        ([connected("g1", "a", "b"), connected("g2", "b", "a"), connected("g3", "b", "c")], 1),
        ([connected("g1", "a", "b", "c"), connected("g2", "b", "c"), connected("g3", "c", "b")], 2),
    ],
)
def test_a_connection_is_expected_from_both_ends(cases: list[GraphCase], count: int) -> None:
    found = [*GRAPH.lint.suite(cases)]
    assert [each.rule for each in found] == ["one-way"] * count
    assert all(each.level == "error" for each in found)


def test_lint_names_both_cases_and_what_to_do() -> None:
    cases = [connected("g007", "meeting_008", "meeting_015"), connected("g010", "meeting_015", "chat_001")]
    assert [each.message for each in GRAPH.lint.suite(cases)] == [
        "`g007` expects `meeting_015`, but `g010`, which starts there, does not expect `meeting_008`: "
        "add it, or say in `g007` why not, in `one_way`"
    ]
    assert [(each.case_id, each.path) for each in GRAPH.lint.suite(cases)] == [("g010", ("expected_connections",))]


@every_row(
    "wrong",
    [
        {"seed_document": ""},
        {"depth": 0},
        {"expected_connections": [{"document_id": "a", "connection_reason": "friends"}]},
        {"expected_connections": [{**CASE["expected_connections"][0], "one_way": " "}]},
        {"expected_connections": [{"document_id": "a", "connection_reason": "shared_event", "hops": 9}]},
        {"connections": []},
    ],
)
def test_a_malformed_case(wrong: dict[str, Any]) -> None:
    with pytest.raises(MisfitsError):
        case_of(GraphCase, CASE | wrong)


items = st.lists(
    st.sampled_from(
        [
            *PERFECT,
            {"document_id": "a"},
            {"id": "b", "hops": 1},
            {"document_id": "x"},
            {"document_id": "z"},
            {"document_id": "seed"},
            {"event": "Hired"},
        ]
    ),
    max_size=10,
)


@given(items, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_every_answer_scores_between_0_and_1_in_any_order(given_items: list[Any], random: Any) -> None:
    found, mixed = score(given_items), score(random.sample(given_items, len(given_items)))
    assert found.metrics == mixed.metrics
    assert all(0.0 <= value <= 1.0 for value in found.metrics.values())
    assert found.metrics.keys() | found.skipped.keys() == KEYS


def test_an_unreadable_answer_scores_zero_on_every_metric() -> None:
    """An empty answer skips hops, but a bad one must not drop out of their mean."""
    case = case_of(GraphCase, CASE)
    silent = score_by(GRAPH, case, ConnectionsOut(connections=[]), RULES)
    assert silent.metrics.keys() == METRIC_KEYS - {
        "hop_accuracy",
        "judged_rate",
    }
    bad = GRAPH.bad_answer(case, "the answer is not JSON", "sorry, no", RULES)
    assert bad.metrics == dict.fromkeys(bad.metrics, 0.0)
    assert bad.metrics.keys() == METRIC_KEYS
    nothing_expected = case_of(GraphCase, CASE | {"expected_connections": [], "expected_not_connected": ["x"]})
    bad = GRAPH.bad_answer(nothing_expected, "the answer is not JSON", "sorry, no", RULES)
    assert bad.skipped["hop_accuracy"] == "the case expects no connections"
    assert bad.metrics["connection_precision"] == bad.metrics["judged_rate"] == 0.0  # as of one that is wrong
