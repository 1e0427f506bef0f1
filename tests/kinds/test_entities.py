"""Kind `entities`: V7's example, merged and unmerged mentions by hand, and properties of all answers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.asks import SemanticRule
from row3.domain.misfits import MisfitsError
from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.base import Rules
from row3.kinds.entities import KIND as ENTITIES
from row3.kinds.entities import EntitiesCase
from row3.matching.normalise import normalise
from tests.rows import every_row
from tests.scoring import case_of, score_by, toy_angles, toy_vectors

RULES = Rules()
KEYS = {metric.key for metric in ENTITIES.metrics}
TEXT = (
    "Alice Chen (Product Manager) presented Project Alpha. Alice said the project is on time; AC signs off in Leeds.\n"
    "Marta O. builds it and Marta L. of Nordfrisk buys it. Marta was late."
)
CASE: dict[str, Any] = {
    "document_id": "meeting_001",
    "document": TEXT,
    "expected_entities": [
        {
            "name": "Alice Chen",
            "type": "PERSON",
            "role": "Product Manager",
            "mentions": ["Alice", "Alice Chen", "AC"],
        },
        {"name": "Project Alpha", "type": "PROJECT", "mentions": ["Project Alpha", "the project"]},
        {"name": "Marta Oliveira", "type": "PERSON", "mentions": ["Marta O.", "Marta"]},
        {"name": "Marta Lindqvist", "type": "PERSON", "mentions": ["Marta L.", "Marta"]},
        {"name": "Nordfrisk Foods", "type": "ORG", "mentions": ["Nordfrisk"]},
    ],
}
PERFECT: list[dict[str, Any]] = [
    {key: entity[key] for key in ("name", "type", "mentions")} for entity in CASE["expected_entities"]
]


def score(entities: Any, **fields: Any) -> CaseScore:
    read = ENTITIES.read_output({"entities": entities} if isinstance(entities, list) else entities)
    assert isinstance(read, Parsed), read
    return score_by(ENTITIES, case_of(EntitiesCase, CASE | fields), read.value, RULES)


def states(found: CaseScore) -> list[str]:
    return [match.state for match in found.explanation.items]


def test_a_perfect_and_an_empty_answer() -> None:
    found = score(PERFECT)
    assert found.metrics == dict.fromkeys(KEYS, 1.0)
    assert ENTITIES.shortfall(found) == {}
    empty = score([])
    assert empty.metrics == dict.fromkeys(("entity_f1", "entity_precision", "entity_recall", "mention_recall"), 0.0)
    assert empty.skipped.keys() == {"type_accuracy", "deduplication_accuracy"}


def test_an_answer_by_hand() -> None:
    found = score(
        [
            {"name": "Alice Chen", "type": "person", "mentions": ["Alice", "Alice Chen"]},
            {"name": "AC", "type": "ORG", "mentions": ["AC"]},  # not merged with her
            {"name": "Project Alpha", "type": "PRODUCT", "mentions": ["the project"]},
            {"name": "Marta Oliveira", "type": "PERSON", "mentions": ["Marta O.", "Marta L.", "Marta"]},  # two in one
            {"name": "Leeds", "type": "PLACE", "mentions": ["Leeds"]},
        ]
    )
    assert states(found) == ["exact", "duplicate", "exact", "exact", "unmatched"]
    # Mentions given: Alice, Alice Chen, AC; Project Alpha, the project; Marta O. and Marta for both Martas; Marta L.
    # Right: Alice, Alice Chen, Project Alpha, the project, Marta O., and Marta once, under Oliveira.
    precision, recall = 3 / 5, 3 / 5
    assert found.metrics == pytest.approx(
        {
            "entity_f1": 2 * precision * recall / (precision + recall),
            "entity_precision": precision,
            "entity_recall": recall,
            "type_accuracy": 2 / 3,
            "deduplication_accuracy": 6 / 9,
            "mention_recall": 9 / 10,
        }
    )
    assert ENTITIES.shortfall(found) == {
        "missedEntities": ("Marta Lindqvist", "Nordfrisk Foods"),
        "wrongEntities": ("AC", "Leeds"),
        "wrongTypes": ("Project Alpha",),
    }


@every_row(
    ("name", "state"),
    [
        ("alice chen", "exact"),
        ("Alice", "alias"),
        ("AC", "alias"),
        ("Nordfrsk Foods", "fuzzy"),
        ("Marta", "unmatched"),  # it may be either
        ("Marta L.", "alias"),
        ("Project Beta", "unmatched"),
        ("Leeds", "unmatched"),
    ],
)
def test_one_name(name: str, state: str) -> None:
    assert states(score([{"name": name, "type": "PERSON"}])) == [state]


@every_row(
    ("names", "found"),
    [
        (["Marta O.", "Marta O.", "Marta Oliveira"], "alias duplicate duplicate"),
        (["M. Oliveira", "Oliveira, M.", "Marta Lindqvist"], "fuzzy duplicate exact"),
    ],
)
def test_a_name_said_twice_is_one_entity(names: list[str], found: str) -> None:
    scored = score([{"name": name, "type": "PERSON"} for name in names])
    assert states(scored) == found.split()
    count = len(set(found.split()) - {"duplicate"})
    assert (scored.counts["entity_recall"], scored.counts["entity_precision"]) == ((count, 5), (count, 3))


def test_a_mention_of_two_is_right_under_either() -> None:
    assert score(PERFECT).metrics["deduplication_accuracy"] == 1.0
    only_one = [entity | {"mentions": [m for m in entity["mentions"] if m != "Marta"]} for entity in PERFECT[:3]]
    rest = [*only_one, *PERFECT[3:]]
    assert score(rest).metrics["deduplication_accuracy"] < 1.0, "Marta Oliveira too is called Marta"


def test_entities_are_merged_across_documents() -> None:
    case = {
        "case_id": "link_1",
        "documents": [
            {"document_id": "d1", "document": "Alice Chen chairs."},
            {"document_id": "d2", "document": "AC was away."},
        ],
        "expected_entities": [{"name": "Alice Chen", "type": "PERSON", "mentions": ["Alice Chen", "AC"]}],
    }
    read = ENTITIES.read_output([{"name": "Alice Chen", "type": "PERSON"}, {"name": "AC", "type": "PERSON"}])
    assert isinstance(read, Parsed)
    found = score_by(ENTITIES, case_of(EntitiesCase, case), read.value, RULES)
    assert found.metrics["deduplication_accuracy"] == 1 / 2
    assert found.metrics["entity_precision"] == 1 / 2


def test_a_document_without_entities() -> None:
    assert score([], expected_entities=[]).metrics == {}
    assert score(PERFECT[:1], expected_entities=[]).metrics == {"entity_precision": 0.0, "entity_f1": 0.0}


def test_templates_see_only_the_input() -> None:
    case = case_of(EntitiesCase, CASE | {"expected_events": [{"anything": "goes"}]})
    assert case.variables().keys() == {"document_id", "title", "date", "document", "documents"}
    assert "Marta Lindqvist" not in str(case.variables())


def test_the_schema_has_the_types_of_the_suite() -> None:
    def types(rules: Rules) -> Any:
        return ENTITIES.schema("entities", rules)["properties"]["entities"]["items"]["properties"]["type"].get("enum")

    assert types(Rules()) == ["PERSON", "ORG", "PROJECT", "PRODUCT", "PLACE"]
    assert types(Rules(types=("PERSON",))) == ["PERSON"]
    assert types(Rules(types=())) is None


def test_lint() -> None:
    def rules(*entities: dict[str, Any]) -> list[str]:
        case = case_of(EntitiesCase, CASE | {"expected_entities": list(entities)})
        return [finding.rule for finding in ENTITIES.lint.case(case, RULES)]

    alice = CASE["expected_entities"][0]
    assert rules(*CASE["expected_entities"]) == []
    assert rules(alice, alice) == ["entity-twice"]
    assert rules(alice | {"type": "HUMAN"}) == ["unknown-type"]
    assert rules(alice | {"mentions": []}) == ["no-mention"]
    assert rules(alice | {"mentions": ["Alicia"]}) == ["mention-not-there"]


@every_row(
    ("mention", "type_", "text", "there"),
    [
        ("ingrid", "PERSON", "since ingrids go on the 5th", True),
        ("Ingrid", "PERSON", "since Ingrid’s go on the 5th", True),
        ("Chris", "PERSON", "Chris' phone rings", True),
        ("Nordfrisk", "ORG", "the lorries are Nordfrisk's", True),
        ("Bo", "PERSON", "the desk is Bo's", True),
        ("ingrids", "PERSON", "ingrid has gone", False),
        ("Ingri", "PERSON", "ingrids go", False),
        ("Mar", "PERSON", "Marta's go", False),
        ("thi", "PERSON", "this is fine", False),
        ("b. u", "PERSON", "the b. us stop", False),
        ("new", "PRODUCT", "what news", False),
        ("Rime", "PRODUCT", "two rimes", False),
    ],
)
def test_a_mention_may_be_written_in_the_possessive(mention: str, type_: str, text: str, there: bool) -> None:
    named = {"name": "Ingrid Solheim", "type": type_, "mentions": [mention]}
    case = {"document_id": "m1", "document": text, "expected_entities": [named]}
    found = [finding.rule for finding in ENTITIES.lint.case(case_of(EntitiesCase, case), RULES)]
    assert found == ([] if there else ["mention-not-there"])
    several = {"case_id": "both", "documents": [{"document_id": "m1", "document": text}], "expected_entities": [named]}
    assert ENTITIES.lint.declares is not None
    declared = ENTITIES.lint.declares(case_of(EntitiesCase, several))
    assert declared == {"m1": [("Ingrid Solheim", mention)] if there else []}


@every_row(
    "wrong",
    [
        {"expected_entities": [{"name": " ", "type": "PERSON"}]},
        {"expected_entities": [{"name": "A", "type": "PERSON", "mentions": "A"}]},
        {"document_id": "no spaces"},
        {"date": "2024-04-31"},
        {"entities": []},
    ],
)
def test_a_malformed_case(wrong: dict[str, Any]) -> None:
    with pytest.raises(MisfitsError):
        case_of(EntitiesCase, CASE | wrong)


@every_row("answer", ["", '{"entities": Infinity}', {"entities": 3}])
def test_an_unreadable_answer_scores_zero(answer: Any) -> None:
    read = ENTITIES.read_output(answer)
    assert isinstance(read, Unusable)
    bad = ENTITIES.bad_answer(case_of(EntitiesCase, CASE), read.reason, str(answer), RULES)
    assert (bad.status, set(bad.metrics.values())) == ("bad_answer", {0.0})
    assert bad.metrics.keys() >= {"type_accuracy", "deduplication_accuracy", "mention_recall"}


def test_a_bad_answer_is_no_better_than_inventions_if_nothing_is_expected() -> None:
    case = case_of(EntitiesCase, CASE | {"expected_entities": []})
    invented = score_by(
        ENTITIES, case, ENTITIES.read_output({"entities": [{"name": "Bob", "type": "Person"}]}).value, RULES
    )
    broken = ENTITIES.bad_answer(case, "no JSON", "Bob", RULES)
    assert broken.metrics == invented.metrics == {"entity_precision": 0.0, "entity_f1": 0.0}
    assert not broken.metrics.keys() & broken.skipped.keys()


@every_row(
    ("mentions", "read"), [(None, []), ("Alice", ["Alice"]), (["Alice", None, 7, {}], ["Alice"]), (7, []), ({}, [])]
)
def test_mentions_other_than_a_list_of_texts_do_not_spoil_the_answer(mentions: Any, read: list[str]) -> None:
    answer = [PERFECT[0] | {"mentions": mentions}, *PERFECT[1:]]
    assert score(answer).metrics == score([PERFECT[0] | {"mentions": read}, *PERFECT[1:]]).metrics
    assert score(answer).metrics["entity_f1"] == 1.0


made_up = [
    {"name": "AC", "type": "PERSON", "mentions": ["AC", "Alice"]},
    {"name": "Marta", "mentions": ["Marta", "Marta O.", "Marta L."]},
    {"name": "Leeds", "type": 4},
    {"name": "", "mentions": [""]},
]
answers = st.lists(st.sampled_from([*PERFECT, *made_up]), max_size=8)


@given(answers, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_every_answer_scores_between_0_and_1_in_any_order(entities: list[Any], random: Any) -> None:
    found, mixed = score(entities), score(random.sample(entities, len(entities)))
    assert found.metrics == pytest.approx(mixed.metrics)
    assert all(0.0 <= value <= 1.0 for value in found.metrics.values())
    assert found.metrics.keys() | found.skipped.keys() == KEYS


@given(st.permutations(CASE["expected_entities"]), answers)
@settings(deadline=None, max_examples=50)
def test_the_order_of_expectations_does_not_matter(expected: list[Any], entities: list[Any]) -> None:
    assert score(entities, expected_entities=expected).metrics == pytest.approx(score(entities).metrics)


MEANS = Rules(semantic=SemanticRule("toy"))
THINGS = [
    {"name": "Customer portal", "type": "PRODUCT", "mentions": ["customer portal", "AC"]},
    {"name": "warehouse", "type": "PLACE", "mentions": ["warehouse"]},
    {"name": "Northern plant", "type": "PLACE", "mentions": ["northern plant"]},
]


def meant(names: list[str], *groups: list[str], rules: Rules = MEANS, expected: Any = THINGS) -> CaseScore:
    """The score of an answer with these names; names of one group are similar."""
    case = case_of(EntitiesCase, CASE | {"expected_entities": expected})
    read = ENTITIES.read_output({"entities": [{"name": name, "type": "PLACE", "mentions": [name]} for name in names]})
    assert isinstance(read, Parsed)
    return score_by(ENTITIES, case, read.value, rules, toy_vectors(*(map(normalise, group) for group in groups)))


def test_a_name_in_other_words_is_found_by_meaning() -> None:
    similar = ["depot", "warehouse"]
    assert states(meant(["depot"], similar, rules=Rules())) == ["unmatched"]
    found = meant(["sailing boat", "depot"], similar)
    assert states(found) == ["unmatched", "semantic"]
    assert (found.explanation.items[1].expected, found.explanation.items[1].score) == ("warehouse", pytest.approx(0.9))
    assert (found.counts["entity_recall"], found.counts["type_accuracy"]) == ((1, 3), (1, 1))
    assert found.tally["entities"] == {"semantic": 1, "unmatched": 1}
    assert ENTITIES.shortfall(found)["wrongEntities"] == ("sailing boat",)


def test_a_mention_in_other_words_is_found_by_meaning_too() -> None:
    portal = [{"name": "Aurora", "type": "PRODUCT", "mentions": ["client area"]}]
    assert states(meant(["customer pages"], ["customer pages", "client area"], expected=portal)) == ["semantic"]
    shared = [*portal, {"name": "Borealis", "type": "PRODUCT", "mentions": ["client area"]}]
    assert states(meant(["customer pages"], ["customer pages", "client area"], expected=shared)) == ["unmatched"]


@every_row(
    ("name", "other"),
    [
        ("southern factory", "Northern plant"),
        ("warehouse 2", "warehouse"),
        ("new warehouse", "warehouse"),
        ("not the warehouse", "warehouse"),
        ("Marta", "Marta Oliveira"),  # a mention of two
        ("Oliver Martins", "Marta Oliveira"),
        ("Bob Smith", "Alice Chen"),
        ("Telvox", "Nordfrisk Foods"),
        ("Project Beta", "Project Alpha"),
    ],
)
def test_another_name_never_matches_however_similar_its_embedding(name: str, other: str) -> None:
    found = meant([name], [name, other], expected=[*THINGS, *CASE["expected_entities"]])
    assert states(found) == ["unmatched"]


def test_an_entity_is_found_once_by_meaning() -> None:
    similar = ["depot", "warehouse"]
    assert sorted(states(meant(["depot", "Depot"], similar))) == ["duplicate", "semantic"]
    assert states(meant(["warehouse", "depot"], similar)) == ["exact", "unmatched"]


@every_row(("angle", "state"), [(10, "unmatched"), (40, "semantic")])
def test_a_name_nearer_to_a_found_entity_is_no_other_one(angle: float, state: str) -> None:
    case = case_of(EntitiesCase, CASE | {"expected_entities": [*THINGS, {"name": "shed", "type": "PLACE"}]})
    read = ENTITIES.read_output({"entities": [{"name": "shed"}, {"name": "depot"}]})
    assert isinstance(read, Parsed)
    vectors = toy_angles({"depot": 0, "warehouse": 30, "shed": -angle})
    assert states(score_by(ENTITIES, case, read.value, MEANS, vectors)) == ["exact", state]


def test_what_a_case_labels_in_each_document() -> None:
    people = [
        {"name": "Tomasz Wrona", "type": "PERSON", "mentions": ["twrona"]},
        {"name": "Alice Chen", "type": "PERSON", "mentions": ["Alice"]},
    ]
    named = [("Tomasz Wrona", "twrona"), ("Alice Chen", "Alice")]
    one = {"document_id": "m1", "document": "twrona met Alice.", "expected_entities": people}
    several = [{"document_id": "m1", "document": "twrona was there."}, {"document_id": "m2", "document": "Alice too."}]
    both = {"case_id": "both", "documents": several, "expected_entities": people}
    assert ENTITIES.lint.declares is not None
    assert ENTITIES.lint.declares(case_of(EntitiesCase, one)) == {"m1": named}
    assert ENTITIES.lint.declares(case_of(EntitiesCase, both)) == {"m1": named[:1], "m2": named[1:]}


PEOPLE: list[dict[str, Any]] = [
    {"name": "Tomasz Wrona", "type": "PERSON", "mentions": ["twrona", "tom", "TW"]},
    {"name": "Bram de Wit", "type": "PERSON", "mentions": ["bdw7", "@bram", "Bram"]},
    {"name": "Marta Kos", "type": "PERSON", "mentions": ["Marta", "mkos"]},
    {"name": "Marta Lis", "type": "PERSON", "mentions": ["Marta", "marta l"]},
    {"name": "Halyard Phase Two", "type": "PROJECT", "mentions": ["Rigging"]},
]


@every_row(
    ("name", "whose"),
    [
        ("twrona", "Tomasz Wrona"),  # by a handle alone
        ("Twrona", "Tomasz Wrona"),
        ("@twrona", "Tomasz Wrona"),
        ("tw", "Tomasz Wrona"),
        ("tom", "Tomasz Wrona"),
        ("Tom Wrona", "Tomasz Wrona"),  # what the handle and the short name together say
        ("tom wrona", "Tomasz Wrona"),
        ("bdw7", "Bram de Wit"),
        ("bram de wit", "Bram de Wit"),
        ("mkos", "Marta Kos"),
        ("Marta L", "Marta Lis"),
        ("Tim Wrona", None),
        ("Theo Wrona", None),
        ("Tom Lis", None),
        ("tom de wit", None),
        ("bdw8", None),
        ("Marta", None),  # it may be either
        ("Rigging Phase Two", None),  # no person
        ("Marta Berg", None),
    ],
)
def test_a_person_by_a_handle_or_a_short_name(name: str, whose: str | None) -> None:
    text = ". ".join(text for one in PEOPLE for text in one["mentions"])
    found = score([{"name": name, "type": "PERSON"}], document=text, expected_entities=PEOPLE)
    (item,) = found.explanation.items
    assert (item.expected if item.state != "unmatched" else None) == whose


def test_a_name_that_another_label_has_is_that_ones() -> None:
    other = {"name": "Tom Wrona", "type": "PERSON", "mentions": ["junior"]}
    found = score([{"name": "Tom Wrona"}], document="tom, junior", expected_entities=[PEOPLE[0], other])
    assert states(found) == ["exact"]
