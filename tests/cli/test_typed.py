"""A suite that carries types, as a user runs it: every figure is computed by hand beside the answer it comes from."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projects import CASES as UNTYPED
from tests.projects import SUITE, Box

CASE: dict[str, Any] = {
    "sourceText": (
        "Alice Chen manages Project Alpha, which Acme owns. Bob Smith is a member of Acme and a colleague of "
        "Carol Davis, whom Alice Chen supervises."
    ),
    "expectedConcepts": [
        {"label": "Alice Chen", "aliases": ["Alice"], "type": "PERSON"},
        {"label": "Bob Smith", "type": "PERSON"},
        {"label": "Carol Davis", "type": "PERSON"},
        {"label": "Acme", "type": "ORG"},
        {"label": "Project Alpha", "type": "PROJECT"},
    ],
    "expectedRelationships": [
        {"source": "Alice Chen", "predicate": "manages", "target": "Project Alpha"},
        {"source": "Acme", "predicate": "owns", "target": "Project Alpha"},
        {"source": "Bob Smith", "predicate": "member_of", "target": "Acme"},
        {"source": "Carol Davis", "predicate": "colleague_of", "target": "Bob Smith"},
        {"source": "Alice Chen", "predicate": "supervises", "target": "Carol Davis"},
    ],
    "forbiddenConcepts": ["Delta Fund"],
}
QUOTE = "Bob Smith is a member of Acme"
POOR: dict[str, Any] = {
    "concepts": [
        {"label": "Alice", "type": "Person"},  # alias; its type is the expected one after normalising
        {"label": "Alice Chen", "type": "PERSON"},  # a duplicate, whose type is not judged
        {"name": "Bob Smith", "category": "PERSON", "sourceQuote": QUOTE},  # exact, its type too
        {"label": "Acme", "entityType": "Orgs"},  # exact; normalised
        {"label": "Project Alpha", "kind": "ORG"},  # exact; the wrong type
        {"label": "Delta Fund", "type": "ORG"},  # a canary
        {"label": "Budget", "type": ["MONEY"]},  # unmatched
    ],
    "relationships": [
        {"source": "Project Alpha", "predicate": "managed_by", "target": "Alice"},  # inverse
        {"source": "Bob Smith", "predicate": "colleague_of", "target": "Carol Davis"},  # exact: symmetric
        {"source": "Acme", "predicate": "member_of", "target": "Bob Smith"},  # reversed
        {"source": "Acme", "predicate": "manages", "target": "Project Alpha"},  # wrong predicate: owns
        {"source": "Alice Chen", "predicate": "manage", "target": "Project Alpha"},  # wrong predicate, and unknown
        {"source": "Alice Chen", "predicate": "supervises", "target": "Bob Smith"},  # one wrong end
        {"source": "Budget", "predicate": "funds", "target": "Acme"},  # nowhere near, and unknown
    ],
}
# 5 expected, 4 found, 7 extracted of which 1 duplicate. 4 matched types: 1 exact, 2 normalised, 1 wrong.
ENTITIES = {
    "entity_precision": 4 / 6,
    "entity_recall": 4 / 5,
    "entity_f1": 2 * 4 / (6 + 5),
    "relationship_accuracy": 2 / 7,
    "type_accuracy": 3 / 4,
    "deduplication_accuracy": 3 / 4,
}
COUNTS = {
    "concepts": {"exact": 3, "alias": 1, "duplicate": 1, "canary": 1, "unmatched": 1},
    "relationships": {"exact": 1, "inverse": 1, "reversed": 1, "wrong-predicate": 2, "wrong-end": 1, "unmatched": 1},
    "types": {"exact": 1, "normalised": 2, "wrong": 1},
    "normalisedTypes": [
        {"said": "Orgs", "expected": "ORG", "count": 1},
        {"said": "Person", "expected": "PERSON", "count": 1},
    ],
    "wrongTypes": [{"said": "ORG", "expected": "PROJECT", "count": 1}],
    "wrongPredicates": [
        {"said": "manage", "expected": "manages", "count": 1},
        {"said": "manages", "expected": "owns", "count": 1},
    ],
    "unknownPredicates": [
        {"said": "funds", "count": 1, "nearest": None},
        {"said": "manage", "count": 1, "nearest": "manages"},
    ],
}
CONFIG = f"""suite = "{SUITE}"
mode = "replay"

[provider]
model = "m"

[suites.{SUITE}]
types = ["PERSON", "ORG", "PROJECT"]

[suites.{SUITE}.predicates]
allowed = ["manages", "owns", "member_of", "colleague_of", "supervises"]
"""


def flawless(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "concepts": [
            {"label": one["label"], "type": one["type"], "sourceQuote": QUOTE} for one in case["expectedConcepts"]
        ],
        "relationships": case["expectedRelationships"],
    }


@pytest.fixture
def project(tmp_path: Any) -> Box:
    """One typed case; v1.0 answers poorly, v1.1 without a fault."""
    box = Box(tmp_path / "project")
    box.write("row3.toml", CONFIG)
    box.case("standup", **CASE)
    for version, answer in (("1.0", POOR), ("1.1", flawless(CASE))):
        box.prompt(version)
        box.record(version, {"standup": answer})
    box.init()
    return box


def scored(box: Box, *args: str, **outputs: Any) -> Any:
    lines = [json.dumps({"caseId": case_id, "output": output}) + "\n" for case_id, output in outputs.items()]
    box.write("outputs.jsonl", "".join(lines))
    return box.row3("score", SUITE, "--outputs", "outputs.jsonl", *args, code=0)


def test_typed_entities_have_the_names_of_experiments_and_every_count_is_told(project: Box) -> None:
    result = scored(project, "--format", "json", standup=POOR).json
    assert result["entityMetrics"] == pytest.approx(ENTITIES)
    assert result["metrics"]["typeAccuracy"] == 3 / 4
    assert result["metrics"]["typesNormalised"] == 2 / 4
    assert result["metrics"]["deduplicationAccuracy"] == 3 / 4
    assert result["matchCounts"] == COUNTS
    (case,) = result["cases"]
    assert case["entityMetrics"] == result["entityMetrics"]
    types = [match.get("type") for match in case["matches"]["concepts"]]
    assert types == [
        {"given": "Person", "expected": "PERSON", "state": "normalised"},
        None,
        {"given": "PERSON", "expected": "PERSON", "state": "exact"},
        {"given": "Orgs", "expected": "ORG", "state": "normalised"},
        {"given": "ORG", "expected": "PROJECT", "state": "wrong"},
        None,
        None,
    ]


def test_a_comparison_shows_which_counts_moved(project: Box) -> None:
    project.row3("promote", "v1.0", "--approve", "to begin with", code=0)
    done = project.row3("--compare", "--format", "json", code=0).json
    assert done["matchMoves"]["baseline"] == COUNTS
    assert (
        done["matchMoves"]["current"]
        == done["matchCounts"]
        == {
            "concepts": {"exact": 5},
            "relationships": {"exact": 5},
            "types": {"exact": 5},
        }
    )
    assert done["deltas"]["typeAccuracy"] == pytest.approx(1 / 4)
    text = project.row3("--compare", code=0).out
    assert max(map(len, text.split("\n"))) <= 80
    text = project.row3("--compare", "--format", "markdown", code=0).out
    assert (
        "**Concepts moved**: 7 → 5 extracted: exact 3 → 5 · alias 1 → 0 · duplicate 1 → 0 · "
        "canary 1 → 0 · unmatched 1 → 0\n"
        "**Types moved**: 4 → 5 matched: exact 1 → 5 · normalised 2 → 0 (Orgs for ORG 1 → 0, Person for PERSON 1 → 0) "
        "· wrong 1 → 0 (ORG for PROJECT 1 → 0)\n"
    ) in text


def test_a_case_without_types_is_skipped_and_a_suite_without_them_says_nothing(project: Box) -> None:
    case = UNTYPED["oven"]
    project.case("oven", **case)
    plain = {"concepts": [{"label": "steam"}], "relationships": []}
    result = scored(project, "--format", "json", standup=flawless(CASE), oven=plain).json
    assert result["skipped"]["typeAccuracy"] == {"the case has no types": 1}
    assert result["denominators"]["typeAccuracy"] == 1
    project.path(f"golden/{SUITE}/standup.gold.json").unlink()
    result = scored(project, "--format", "json", oven=plain).json
    assert "entityMetrics" not in result
    assert "entityMetrics" not in result["cases"][0]
    assert result["skipped"]["typeAccuracy"] == {"the case has no types": 1}
    assert "ype" not in scored(project, oven=plain).out


def test_weakening_a_type_blocks(project: Box) -> None:
    project.row3("promote", "v1.1", code=0)
    project.commit("v1.1")
    without = [{k: v for k, v in one.items() if k != "type"} for one in CASE["expectedConcepts"]]
    project.case("standup", **{**CASE, "expectedConcepts": without})
    done = project.row3("--compare", "--against", "HEAD", "--format", "json", code=1).json
    assert ("criteria_removed", "block") in {(one["code"], one["verdict"]) for one in done["reasons"]}


def test_the_counts_of_repeats_are_of_all_answers(project: Box) -> None:
    project.record("1.1", {"standup": POOR}, repeat=1)
    result = project.row3("--repeats", "2", "--format", "json", code=0).json
    assert result["matchCounts"]["concepts"] == {
        "exact": 5 + 3,
        "alias": 1,
        "duplicate": 1,
        "canary": 1,
        "unmatched": 1,
    }
    assert result["matchCounts"]["types"] == {"exact": 5 + 1, "normalised": 2, "wrong": 1}


def test_the_investigation_names_wrong_types_and_unknown_predicates(project: Box) -> None:
    text = project.row3("investigate", "standup", "--prompt", "extract-v1.0", "--format", "markdown", code=0).out
    assert "| **Unexpected types** | 3 of " in text
    for pair, label in (("Person for PERSON", "Alice"), ("Orgs for ORG", "Acme"), ("ORG for PROJECT", "Project Alpha")):
        assert f"| type: {pair} | 1 | 0 | {label} |" in text or f"| type: {pair} | 1 | {label} |" in text
    assert "**Predicates not in the suite: not listed** (2)\n\n- `manage`\n- `funds`\n" in text
    assert "- extract-v1.0: list the types as the suite does, and define each (`ORG for PROJECT`)." in text
    assert "- extract-v1.0: allow only the listed predicates, not `manage`." in text
    done = project.row3("investigate", "standup", "--prompt", "extract-v1.0", "--format", "json", code=0).json
    faults = done["cases"][0]["faults"]
    assert [one["note"] for one in faults if one["cause"] == "type"] == ["normalised", "normalised", "wrong"]
    assert [one["label"] for one in faults if one["cause"] == "unknown"] == ["manage", "funds"]
