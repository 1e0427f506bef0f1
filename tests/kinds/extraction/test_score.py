"""Scores of small outputs, with every metric computed by hand in a comment."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from row3.domain.matches import CORRECT_RELATIONSHIP, Explanation
from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed
from row3.kinds.base import Rules
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.kinds.extraction.score import METRICS
from row3.matching.scorers import NameRule
from row3.running.evaluate import average
from tests.rows import every_row
from tests.scoring import case_of, score_by
from tests.strategies import extraction_values

Score = Callable[..., CaseScore]
OF_TYPES = {metric.key for metric in METRICS if metric.optional}
ALL = [metric.key for metric in METRICS if metric.key not in OF_TYPES]
"""Metrics of a case without types."""
OF_SOMETHING = {"ungroundedRate", "duplicateRate", "forbiddenRelationshipRate", "deduplicationAccuracy"}
"""Metrics skipped because an empty answer has nothing to count."""
OF_NOTHING = [key for key in ALL if key not in OF_SOMETHING]


def quoted(label: str, quote: str = "finds patterns in training data") -> dict[str, str]:
    return {"label": label, "sourceQuote": quote}


def link(source: str, predicate: str, target: str) -> dict[str, str]:
    return {"source": source, "predicate": predicate, "target": target}


PERFECT = {
    "concepts": [
        quoted("Machine learning", "Machine learning"),
        quoted("Gradient descent", "Gradient descent"),
        quoted("Neural network", "A neural network"),
        quoted("Training data"),
    ],
    "relationships": [
        link("Neural network", "REQUIRES", "Training data"),
        link("Neural network", "IS_A", "Machine learning"),
        link("Machine learning", "RELATES_TO", "Training data"),
    ],
}


def approx(**metrics: float) -> Any:
    return pytest.approx(metrics, abs=1e-12)


def test_a_flawless_output(score: Score) -> None:
    result = score(PERFECT)
    assert result.status == "scored"
    assert list(result.metrics) == ALL
    assert result.metrics == approx(
        recall=1,
        precision=1,
        f1=1,
        relationshipAccuracy=1,
        provenanceCoverage=1,
        hallucinationRate=0,
        overall=0.85,
        requiredRecall=1,
        relationshipRecall=1,
        provenanceVerified=1,
        ungroundedRate=0,
        duplicateRate=0,
        forbiddenRelationshipRate=0,
        deduplicationAccuracy=1,
    )


def test_a_mixed_output(score: Score) -> None:
    result = score(
        {
            "concepts": [
                quoted("ML", "Machine learning"),  # alias; quote verified
                quoted("gradient-descent", "lowers the gain"),  # exact; quote not in the text
                quoted("Neural networks", ""),  # fuzzy, 14/15; no quote
                quoted("Machine Learning", "machine learning"),  # duplicate of the first; verified
                quoted("Neural osmosis"),  # canary; its quote mentions something else; not in the text
                {"label": "Loss function"},  # unmatched, stands in the text; no quote
                {"label": "Backpropagation"},  # unmatched, not in the text; no quote
            ],
            "relationships": [
                link("Neural net", "requires", "training data"),  # exact through an alias
                link("Training data", "RELATES_TO", "ML"),  # symmetric: exact
                link("Machine learning", "IS_A", "Neural network"),  # reversed
                link("Training data", "CAUSES", "Gradient descent"),  # forbidden
                link("Neural network", "REQUIRES", "Training data"),  # duplicate of the first
            ],
        }
    )
    assert result.metrics == approx(
        recall=3 / 4,  # all but Training data
        precision=3 / 6,  # seven less one duplicate
        f1=0.6,  # 2 * 0.75 * 0.5 / 1.25
        relationshipAccuracy=2 / 5,
        provenanceCoverage=4 / 7,
        hallucinationRate=1 / 7,
        overall=0.25 * 3 / 4 + 0.2 * 3 / 6 + 0.2 * 2 / 5 + 0.2 * 4 / 7 - 0.15 / 7,
        requiredRecall=2 / 3,  # all but Training data
        relationshipRecall=2 / 3,
        provenanceVerified=2 / 7,
        ungroundedRate=2 / 7,  # the canary and Backpropagation
        duplicateRate=1 / 7,
        forbiddenRelationshipRate=1 / 5,
        deduplicationAccuracy=2 / 3,  # Machine learning stands there twice
    )
    assert result.counts["precision"] == (3, 6)
    assert result.counts["relationshipAccuracy"] == (2, 5)


def test_the_result_explains_itself(score: Score) -> None:
    result = score(
        {
            "concepts": [
                quoted("ML", "Machine learning (ML) finds patterns"),
                quoted("Neural networks", "nowhere"),
                {"label": "ml"},
                {"label": "Neural osmosis"},
                {"label": "gradient decay"},
            ],
            "relationships": [
                link("Machine learning", "IS_A", "Neural network"),
                link("ML", "CAUSES", "Training data"),
            ],
        }
    )
    why = result.explanation
    assert isinstance(why, Explanation)
    assert [(m.label, m.state, m.expected, m.quote, m.grounded) for m in why.concepts] == [
        ("ML", "alias", "Machine learning", "verified", True),
        ("Neural networks", "fuzzy", "Neural network", "unverified", True),
        ("ml", "duplicate", "Machine learning", "missing", True),
        ("Neural osmosis", "canary", "Neural osmosis", "missing", False),
        ("gradient decay", "unmatched", "Gradient descent", "missing", False),
    ]
    assert (why.concepts[1].how, why.concepts[1].score) == ("form", 0.99)
    assert [(e.label, e.required, e.found_by, e.nearest) for e in why.expected_concepts] == [
        ("Machine learning", True, "ML", None),
        ("Gradient descent", True, None, "gradient decay"),
        ("Neural network", False, "Neural networks", None),
        ("Training data", True, None, "gradient decay"),
    ]
    assert [m.state for m in why.relationships] == ["reversed", "wrong-predicate"]
    assert [e.found_by for e in why.expected_relationships] == [None, None, None]
    assert EXTRACTION.shortfall(result) == {
        "missedConcepts": ("Gradient descent", "Training data"),
        "wrongConcepts": ("gradient decay",),
        "canaries": ("Neural osmosis",),
        "missedRelationships": (
            "Neural network REQUIRES Training data",
            "Neural network IS_A Machine learning",
            "Machine learning RELATES_TO Training data",
        ),
        "wrongRelationships": ("Machine learning IS_A Neural network", "ML CAUSES Training data"),
    }


def test_a_flawless_output_has_no_shortfall(score: Score) -> None:
    assert EXTRACTION.shortfall(score(PERFECT)) == {}


@pytest.mark.parametrize("output", [{"concepts": []}, {"concepts": [], "relationships": []}, []])
def test_an_empty_extraction_is_scored_as_zero(score: Score, output: Any) -> None:
    result = score(output)
    assert result.status == "scored"
    assert result.metrics == dict.fromkeys(OF_NOTHING, 0.0)
    assert result.counts["recall"] == (0, 4)


def test_relationships_alone_missing(score: Score) -> None:
    # 0.25 + 0.2 + 0 + 0.2; accuracy of nothing is 0, not left out.
    metrics = score({"concepts": PERFECT["concepts"]}).metrics
    assert metrics["relationshipAccuracy"] == metrics["relationshipRecall"] == 0.0
    assert "forbiddenRelationshipRate" not in metrics
    assert metrics["overall"] == pytest.approx(0.65)


def test_relationships_without_the_concepts_still_resolve(score: Score) -> None:
    metrics = score({"concepts": [], "relationships": PERFECT["relationships"]}).metrics
    assert (metrics["relationshipAccuracy"], metrics["recall"]) == (1.0, 0.0)
    assert metrics["overall"] == pytest.approx(0.2)


def test_only_canaries(score: Score) -> None:
    # provenance 1 of 2: 0.2 * 0.5 - 0.15 * 1 is below 0 and cut.
    metrics = score({"concepts": [quoted("Neural osmosis"), {"label": "Quantum back-folding"}]}).metrics
    assert metrics["hallucinationRate"] == 1.0
    assert metrics["ungroundedRate"] == 1.0
    assert metrics["overall"] == 0.0


def test_every_concept_twice_is_still_precise(score: Score) -> None:
    metrics = score({"concepts": PERFECT["concepts"] * 2, "relationships": PERFECT["relationships"] * 2}).metrics
    assert (metrics["recall"], metrics["precision"], metrics["duplicateRate"]) == (1.0, 1.0, 0.5)
    assert (metrics["relationshipAccuracy"], metrics["relationshipRecall"]) == (0.5, 1.0)


def test_a_fuzzy_end_counts_as_correct(score: Score) -> None:
    assert (
        score({"concepts": [], "relationships": [link("Neural networks", "REQUIRES", "Training data")]}).metrics[
            "relationshipAccuracy"
        ]
        == 1.0
    )


class TestSkipped:
    def test_no_expected_relationships(self, score: Score) -> None:
        result = score({"concepts": PERFECT["concepts"]}, expectedRelationships=[])
        about_relationships = {"relationshipAccuracy", "relationshipRecall", "forbiddenRelationshipRate"}
        assert set(result.skipped) - OF_TYPES == about_relationships
        assert result.skipped.keys().isdisjoint(result.metrics)
        assert result.skipped.keys().isdisjoint(result.counts)
        assert result.metrics["overall"] == pytest.approx(0.85)

    def test_no_expected_concepts(self, score: Score) -> None:
        result = score(PERFECT, expectedConcepts=[])
        assert {"recall", "precision", "f1", "deduplicationAccuracy"} <= result.skipped.keys()
        assert "relationshipAccuracy" in result.metrics

    def test_no_forbidden_relationships(self, score: Score) -> None:
        result = score(PERFECT, forbiddenRelationships=[])
        assert set(result.skipped) - OF_TYPES == {"forbiddenRelationshipRate"}
        assert "forbiddenRelationshipRate" not in result.metrics

    def test_every_skipped_metric_says_why(self, score: Score) -> None:
        result = score({"concepts": []}, expectedConcepts=[], expectedRelationships=[], forbiddenRelationships=[])
        assert all(result.skipped.values())
        assert result.metrics.keys() | result.skipped.keys() == {*ALL, *OF_TYPES}


@pytest.mark.parametrize(
    ("field", "metric"),
    [("forbiddenConcepts", "hallucinationRate"), ("forbiddenRelationships", "forbiddenRelationshipRate")],
)
@pytest.mark.parametrize("output", [PERFECT, {"concepts": [quoted("Ghost")], "relationships": []}, {"concepts": []}])
def test_what_a_case_does_not_forbid_has_no_rate(
    score: Score, small_case: dict[str, Any], rules: Rules, output: Any, field: str, metric: str
) -> None:
    """0% would be excellent, and say that something was looked for."""
    free, guarded = score(output, **{field: []}), score(output)
    assert metric not in free.metrics and metric not in free.counts
    assert free.skipped[metric].startswith("the case ")
    assert free.metrics["overall"] == guarded.metrics["overall"]  # no penalty
    assert free.metrics == {key: value for key, value in guarded.metrics.items() if key != metric}
    bad = EXTRACTION.bad_answer(case_of(GoldenCase, small_case | {field: []}), "x", "", rules)
    assert metric in bad.skipped and metric not in bad.metrics


class TestNothingExpected:
    """An invention scores 0 on precision or relationship accuracy, which halves the 0.85."""

    QUIET: ClassVar[dict[str, Any]] = {"expectedConcepts": [], "expectedRelationships": []}

    def test_an_empty_answer_is_flawless(self, score: Score) -> None:
        result = score({"concepts": [], "relationships": []}, **self.QUIET)
        assert result.metrics["overall"] == pytest.approx(0.85)
        about_said = {"precision", "relationshipAccuracy", "provenanceCoverage", "provenanceVerified"}
        assert about_said <= result.skipped.keys()
        assert result.metrics["hallucinationRate"] == 0.0

    def test_an_invention_costs_precision(self, score: Score) -> None:
        result = score({"concepts": [quoted("Ghost")]}, **self.QUIET)
        assert {"recall", "f1", "deduplicationAccuracy"} <= result.skipped.keys()
        assert (result.metrics["precision"], result.metrics["provenanceCoverage"]) == (0.0, 1.0)
        assert result.metrics["overall"] == pytest.approx(0.425)

    def test_a_canary_costs_its_penalty_as_well(self, score: Score) -> None:
        result = score({"concepts": [quoted("Neural osmosis")]}, **self.QUIET)
        assert result.metrics["hallucinationRate"] == 1.0
        assert result.metrics["overall"] == pytest.approx(0.425 - 0.15)

    def test_an_invented_relationship_costs_accuracy(self, score: Score) -> None:
        result = score({"concepts": [], "relationships": [link("A", "REQUIRES", "B")]}, **self.QUIET)
        assert result.metrics["relationshipAccuracy"] == 0.0
        assert result.metrics["overall"] == 0.0

    def test_an_unreadable_answer_is_not_an_empty_one(self, small_case: dict[str, Any], rules: Rules) -> None:
        result = EXTRACTION.bad_answer(case_of(GoldenCase, small_case | self.QUIET), "x", "", rules)
        assert (result.metrics["overall"], result.metrics["precision"]) == (0.0, 0.0)


class TestBadAnswer:
    def test_is_zero_on_every_metric_and_keeps_its_text(self, small_case: dict[str, Any], rules: Rules) -> None:
        result = EXTRACTION.bad_answer(case_of(GoldenCase, small_case), "the answer is empty", "raw", rules)
        assert (result.status, result.problem, result.raw) == ("bad_answer", "the answer is empty", "raw")
        assert result.metrics == dict.fromkeys([*OF_NOTHING, "deduplicationAccuracy"], 0.0)
        assert result.counts["recall"] == (0, 4)
        assert EXTRACTION.shortfall(result)["missedConcepts"] == (
            "Machine learning", "Gradient descent", "Neural network", "Training data",
        )  # fmt: skip

    def test_leaves_out_what_does_not_apply(self, small_case: dict[str, Any], rules: Rules) -> None:
        case = case_of(GoldenCase, small_case | {"expectedRelationships": []})
        result = EXTRACTION.bad_answer(case, "x", "", rules)
        assert set(result.metrics) == {*OF_NOTHING, "deduplicationAccuracy"} - {
            "relationshipAccuracy",
            "relationshipRecall",
        }


class TestRules:
    def test_the_threshold_is_a_setting(self, small_case: dict[str, Any], rules: Rules) -> None:
        case = case_of(GoldenCase, small_case)
        output = EXTRACTION.read_output({"concepts": ["Neural netwroks"]})  # two edits in fifteen: 0.867
        assert isinstance(output, Parsed)
        strict = Rules(names=NameRule(threshold=0.9), weights=rules.weights)
        assert score_by(EXTRACTION, case, output.value, rules).metrics["recall"] == 0.25
        assert score_by(EXTRACTION, case, output.value, strict).metrics["recall"] == 0.0

    def test_weights_are_settings(self, small_case: dict[str, Any]) -> None:
        output = EXTRACTION.read_output(PERFECT)
        assert isinstance(output, Parsed)
        result = score_by(
            EXTRACTION, case_of(GoldenCase, small_case), output.value, Rules(weights={"recall": 0.5, "f1": 0.5})
        )
        assert result.metrics["overall"] == pytest.approx(1.0)

    def test_a_suite_may_have_its_own_inverses(self, small_case: dict[str, Any], rules: Rules) -> None:
        output = EXTRACTION.read_output(
            {"concepts": [], "relationships": [link("Training data", "REQUIRED_BY", "Neural network")]}
        )
        assert isinstance(output, Parsed)
        case = case_of(GoldenCase, small_case)
        own = Rules(inverses=(("requires", "required_by"),), weights=rules.weights)
        assert score_by(EXTRACTION, case, output.value, rules).metrics["relationshipAccuracy"] == 0.0
        assert score_by(EXTRACTION, case, output.value, own).metrics["relationshipAccuracy"] == 1.0

    @every_row(
        "other",
        [
            Rules(names=NameRule(threshold=0.9)),
            Rules(names=NameRule(scorer="ratio")),
            Rules(names=NameRule(plain=True)),
            Rules(symmetric=()),
            Rules(inverses=()),
            Rules(inverses=(("requires", "required_by"),)),
        ],
    )
    def test_every_setting_that_can_move_a_score_is_in_the_signature(self, other: Rules) -> None:
        assert EXTRACTION.signature(other) != EXTRACTION.signature(Rules())
        assert EXTRACTION.signature(Rules()) == EXTRACTION.signature(Rules())


@given(extraction_values(), st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_output_scores_between_0_and_1_in_any_order(rules: Rules, output: Any, chance: random.Random) -> None:
    case = case_of(
        GoldenCase,
        {
            "id": "any",
            "sourceText": "Alpha precedes Beta; Beta causes the Gamma rays.",
            "expectedConcepts": [{"label": "Alpha", "aliases": ["A"]}, {"label": "Beta"}, {"label": "Gamma rays"}],
            "expectedRelationships": [link("Alpha", "CAUSES", "Beta"), link("Gamma rays", "RELATES_TO", "Alpha")],
            "forbiddenConcepts": ["Delta waves", "Gamma ray"],
            "forbiddenRelationships": [link("Beta", "CAUSES", "Alpha")],
        },
    )

    def metrics(value: Any) -> dict[str, float]:
        parsed = EXTRACTION.read_output(value)
        assert isinstance(parsed, Parsed)
        return dict(score_by(EXTRACTION, case, parsed.value, rules).metrics)

    result = metrics(output)
    assert [key for key in ALL if key in result or key not in OF_SOMETHING] == list(result)
    for key, value in result.items():
        assert not math.isnan(value), key
        assert 0.0 <= value <= 1.0, key
    assert metrics(output) == result
    shuffled = {key: chance.sample(items, len(items)) for key, items in output.items()}
    assert metrics(shuffled) == pytest.approx(result, abs=1e-12)


CASE: dict[str, Any] = {
    "id": "any",
    "sourceText": "Alpha precedes Beta; Beta causes the Gamma rays.",
    "expectedConcepts": [
        {"label": "Alpha", "aliases": ["A"], "type": "Letter"},
        {"label": "Beta", "type": "Letter"},
        {"label": "Gamma rays", "type": "Ray"},
    ],
    "expectedRelationships": [
        {"source": "Alpha", "predicate": "PRECEDES", "target": "Beta"},
        {"source": "Beta", "predicate": "CAUSES", "target": "Gamma rays"},
    ],
    "forbiddenConcepts": ["Delta waves"],
    "forbiddenRelationships": [{"source": "Gamma rays", "predicate": "CAUSES", "target": "Alpha"}],
}
PREDICATES = ("PRECEDES", "CAUSES", "causes", "INFLUENCES", "Is a", "parent_of", "child_of", "", "cause", "RELATES_TO")
ENDS = ("Alpha", "A", "Beta", "Gamma rays", "Gamma ray", "Omega", "")


def scored(output: Any, rules: Rules | None = None, **fields: Any) -> CaseScore:
    parsed = EXTRACTION.read_output(output)
    assert isinstance(parsed, Parsed), parsed
    return score_by(EXTRACTION, case_of(GoldenCase, CASE | fields), parsed.value, rules or Rules())


def links(*triples: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "concepts": [],
        "relationships": [{"source": s, "predicate": p, "target": t} for s, p, t in triples],
    }


def test_every_error_by_hand() -> None:
    result = scored(
        links(
            ("A", "precedes", "Beta"),  # exact
            ("Alpha", "PRECEDES", "Beta"),  # a duplicate
            ("Beta", "PRECEDES", "Gamma rays"),  # wrong predicate: CAUSES
            ("Gamma rays", "INFLUENCES", "Beta"),  # wrong predicate, the other way round; unknown
            ("Beta", "Influences", "Gamma rays"),  # the same, spelt otherwise
            ("Beta", "PRECEDES", "Alpha"),  # reversed
            ("Beta", "CAUSES", "Omega"),  # one wrong end
            ("Gamma rays", "CAUSES", "Alpha"),  # forbidden
            ("Omega", "PART-OF", "Alpha"),  # nowhere near; unknown
            ("Omega", "child_of", "Alpha"),  # nowhere near; of an inverse pair, so known
        )
    )
    assert result.tally == {
        "concepts": {},
        "relationships": {
            "exact": 1, "duplicate": 1, "wrong-predicate": 3, "reversed": 1, "wrong-end": 1, "forbidden": 1,
            "unmatched": 2,
        },
        "wrongPredicates": {"PRECEDES\tCAUSES": 1, "INFLUENCES\tCAUSES": 2},
        "unknownPredicates": {"INFLUENCES": 2, "PART_OF": 1},
    }  # fmt: skip


def test_a_predicate_is_known_if_the_suite_or_the_case_has_it() -> None:
    said = links(("Omega", "INFLUENCES", "Alpha"), ("Omega", "mentors", "Alpha"))
    assert scored(said).tally["unknownPredicates"] == {"INFLUENCES": 1, "MENTORS": 1}
    assert scored(said, Rules(predicates=("CAUSES", "mentors"))).tally["unknownPredicates"] == {"INFLUENCES": 1}
    own = Rules(inverses=(("mentors", "mentored_by"),), symmetric=("influences",))
    assert "unknownPredicates" not in scored(said, own).tally
    assert "unknownPredicates" not in scored(said, Rules(predicates=())).tally  # an answer may use any
    expects = [{"source": "Alpha", "predicate": "INFLUENCES", "target": "Beta"}]
    assert scored(said, expectedRelationships=expects).tally["unknownPredicates"] == {"MENTORS": 1}


def test_the_tally_of_a_flawless_answer_has_only_states() -> None:
    result = scored(links(("Alpha", "PRECEDES", "Beta"), ("Beta", "CAUSES", "Gamma rays")))
    assert result.tally == {"concepts": {}, "relationships": {"exact": 2}}


def test_odd_predicates_stay_short_and_printable_as_json() -> None:
    from pydantic_core import to_json

    tally = scored(links(("Omega", "x\ud800\ty" * 900, "Alpha"), ("Alpha", "\ud800", "Beta"))).tally
    to_json(tally)
    assert all(len(label) < 200 for counts in tally.values() for label in counts)


RELATIONSHIPS = st.lists(
    st.builds(
        lambda s, p, t: {"source": s, "predicate": p, "target": t},
        st.sampled_from(ENDS),
        st.sampled_from(PREDICATES),
        st.sampled_from(ENDS),
    ),
    max_size=12,
)


@given(extraction_values(), RELATIONSHIPS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_counts_sum_to_what_was_extracted(output: Any, more: list[Any], any_predicate: bool) -> None:
    value = {**output, "relationships": [*output.get("relationships", ()), *more]}
    rules = Rules(predicates=()) if any_predicate else Rules()
    result = scored(value, rules)
    why, tally = result.explanation, result.tally
    assert sum(tally["concepts"].values()) == len(why.concepts)
    assert sum(tally["relationships"].values()) == len(why.relationships)
    assert sum(tally.get("wrongPredicates", {}).values()) == tally["relationships"].get("wrong-predicate", 0)
    wrong = sum(count for state, count in tally["relationships"].items() if state not in CORRECT_RELATIONSHIP)
    assert sum(tally.get("unknownPredicates", {}).values()) <= wrong
    types = tally.get("types", {})
    right, typed = result.counts.get("typeAccuracy", (0, 0))
    assert (types.get("exact", 0) + types.get("normalised", 0), sum(types.values())) == (right, typed)
    assert sum(tally.get("normalisedTypes", {}).values()) == types.get("normalised", 0)
    assert sum(tally.get("wrongTypes", {}).values()) == types.get("wrong", 0)
    once, found = result.counts.get("deduplicationAccuracy", (0, 0))
    assert 0 <= once <= found == result.counts["recall"][0]
    assert ("deduplicationAccuracy" in result.metrics) is (found > 0)
    assert all(count > 0 for counts in tally.values() for count in counts.values())


def test_repeats_are_added_up() -> None:
    one = scored(links(("Alpha", "PRECEDES", "Beta")))
    two = scored(links(("Beta", "PRECEDES", "Alpha"), ("Omega", "INFLUENCES", "Beta")))
    assert average(EXTRACTION, [one, two, two]).tally == {
        "concepts": {},
        "relationships": {"exact": 1, "reversed": 2, "unmatched": 2},
        "unknownPredicates": {"INFLUENCES": 2},
    }
