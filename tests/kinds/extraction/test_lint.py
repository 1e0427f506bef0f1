"""One test for each rule: the smallest fault in a sound case, the rule that reports it, and its place."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.kinds.base import Finding, Rules
from row3.kinds.extraction.evidence import mentions
from row3.kinds.extraction.lint import _Matcher
from row3.kinds.extraction.model import DOMAINS, GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.matching.text.places import sentences
from tests.scoring import case_of, score_by

GOLDEN = Path(__file__).parents[3] / "golden" / "decomposition"
LABELS = (
    "Machine learning", "Gradient descent", "Neural network", "Overfitting", "Training data", "Validation set",
    "Loss function", "Backpropagation", "Learning rate", "Mini-batch", "Activation function", "Generalisation",
    "Chain rule", "Test set", "Hyperparameter",
)  # fmt: skip
ROW3 = ("IS_A", "CAUSES", "PRECEDES", "REQUIRES", "RELATES_TO")

Found = list[tuple[str, str, tuple[str | int, ...]]]
Lint = Callable[..., Found]


def sound() -> dict[str, Any]:
    """Return a case without findings, at the lower limits: 15 concepts, 30 relationships, 5 canaries, 300 words."""
    words = " ".join(LABELS).split()
    filler = ["so", "they", "say"] * 100
    paragraphs = [" ".join((words + filler)[:150]), " ".join(filler[:150])]
    ring = [
        {"source": LABELS[i], "target": LABELS[(i + step) % 15], "predicate": ROW3[i % 4]}
        for step in (1, 2)
        for i in range(15)
    ]
    return {
        "id": "sound",
        "topic": "Learning",
        "domain": "technical",
        "created": "2026-01-29",
        "origin": "Written for the test.",
        "sourceText": "\n\n".join(paragraphs),
        "expectedConcepts": [
            {"label": label, "aliases": [f"{label} proper"] if i < 3 else [], "required": i < 10}
            for i, label in enumerate(LABELS)
        ],
        "expectedRelationships": ring,
        "forbiddenConcepts": [
            "Neural osmosis", "Quantum backfolding", "Tensor homeopathy", "Entropic bagging",
            "Recursive dropout field",
        ],
        "forbiddenRelationships": [
            {"source": LABELS[i + 5], "target": LABELS[i], "predicate": "CAUSES"} for i in range(3)
        ],
    }  # fmt: skip


def tuples(findings: list[Finding]) -> Found:
    return [(finding.level, finding.rule, finding.path) for finding in findings]


@pytest.fixture
def case() -> dict[str, Any]:
    return copy.deepcopy(sound())


@pytest.fixture
def lint(rules: Rules) -> Lint:
    def linted(case: dict[str, Any], rules: Rules = rules) -> Found:
        return tuples(EXTRACTION.lint.case(case_of(GoldenCase, case), rules))

    return linted


def test_a_sound_case_has_no_finding(case: dict[str, Any], lint: Lint) -> None:
    assert lint(case) == []


class TestHeader:
    def test_topic(self, case: dict[str, Any], lint: Lint) -> None:
        assert lint(case | {"topic": " "}) == [("error", "topic", ("topic",))]

    def test_domain(self, case: dict[str, Any], lint: Lint) -> None:
        del case["domain"]
        assert lint(case) == [("error", "domain", ("domain",))]

    def test_origin_or_citation(self, case: dict[str, Any], lint: Lint) -> None:
        del case["origin"]
        assert lint(case) == [("error", "origin", ("origin",))]
        assert lint(case | {"citation": "A. Author, 2020"}) == []

    def test_created(self, case: dict[str, Any], lint: Lint) -> None:
        assert (
            lint(case | {"created": "29.01.2026"})
            == lint(case | {"created": "2026-02-30"})
            == [("error", "created", ("created",))]
        )
        del case["created"]
        assert lint(case) == []


class TestText:
    @pytest.mark.parametrize(("words", "found"), [(299, True), (300, False), (800, False), (801, True)])
    def test_words(self, case: dict[str, Any], lint: Lint, words: int, found: bool) -> None:
        head, _ = case["sourceText"].split("\n\n")
        rest = words - len(head.split())
        case["sourceText"] = f"{head}\n\n{' '.join(['so'] * rest)}"
        assert lint(case) == ([("error", "words-count", ("sourceText",))] if found else [])

    @pytest.mark.parametrize(("count", "found"), [(1, True), (2, False), (5, False), (6, True)])
    @pytest.mark.parametrize("gap", ["\n\n", "\n \t\n\n", "\r\n\r\n"])
    def test_paragraphs(self, case: dict[str, Any], lint: Lint, count: int, found: bool, gap: str) -> None:
        words = case["sourceText"].split()
        size = -(-len(words) // count)
        case["sourceText"] = gap.join(" ".join(words[at : at + size]) for at in range(0, len(words), size)) + gap
        assert lint(case) == ([("error", "paragraphs-count", ("sourceText",))] if found else [])


class TestConcepts:
    def test_too_few_and_too_many(self, case: dict[str, Any], lint: Lint) -> None:
        few = case | {"expectedConcepts": case["expectedConcepts"][:14]}
        assert ("error", "concepts-count", ("expectedConcepts",)) in lint(few)
        more = [{"label": f"so they say {'so ' * i}".strip()} for i in range(10)]
        case["sourceText"] += " say" + " so" * 12
        enough = lint(case | {"expectedConcepts": case["expectedConcepts"] + more})
        assert "concepts-count" not in {rule for _, rule, _ in enough}
        many = lint(case | {"expectedConcepts": [*case["expectedConcepts"], *more, {"label": "they say"}]})
        assert ("error", "concepts-count", ("expectedConcepts",)) in many

    def test_three_with_aliases(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedConcepts"][0]["aliases"] = []
        assert lint(case) == [("error", "aliases", ("expectedConcepts",))]

    @pytest.mark.parametrize("required", [True, False])
    def test_required_and_optional(self, case: dict[str, Any], lint: Lint, required: bool) -> None:
        for concept in case["expectedConcepts"]:
            concept["required"] = required
        assert lint(case) == [("error", "required-mix", ("expectedConcepts",))]

    def test_a_concept_that_is_not_in_the_text(self, case: dict[str, Any], lint: Lint) -> None:
        case["sourceText"] = case["sourceText"].replace("Overfitting", "Learning by heart")
        assert lint(case) == [("error", "not-in-text", ("expectedConcepts", 3, "label"))]
        case["expectedConcepts"][3]["aliases"] = ["learning by heart"]
        assert lint(case) == []
        case["expectedConcepts"][3] |= {"aliases": [], "inferred": True}
        assert lint(case) == []

    @pytest.mark.parametrize(
        ("said", "label"),
        [("the protests", "protest"), ("Robert Sánchez", "Robert Sanchez"), ("by 3.2%", "3.2 per cent")],
    )
    def test_a_form_that_the_matcher_takes_for_it_is_in_the_text(
        self, case: dict[str, Any], lint: Lint, said: str, label: str
    ) -> None:
        case["sourceText"] = f"A paper on {said} was read." + case["sourceText"].replace("Overfitting", "This")
        case["expectedConcepts"][3]["label"] = label
        assert "not-in-text" not in {rule for _, rule, _ in lint(case)}

    def test_one_in_ten_may_be_inferred(self, case: dict[str, Any], lint: Lint) -> None:
        for i in (3, 7):
            case["sourceText"] = case["sourceText"].replace(LABELS[i], "they")
            case["expectedConcepts"][i]["inferred"] = True
        assert lint(case) == [("error", "inferred", ("expectedConcepts",))]

    def test_inferred_although_it_occurs_in_the_text(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedConcepts"][4]["inferred"] = True
        assert lint(case) == [("warning", "inferred", ("expectedConcepts", 4, "inferred"))]

    def test_a_name_without_letter_or_digit(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedConcepts"][0]["aliases"] = ["?!"]
        assert lint(case) == [("error", "empty-name", ("expectedConcepts", 0, "aliases", 0))]

    def test_an_alias_claimed_by_two_concepts(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedConcepts"][4]["aliases"] = ["the data", "machine-learning PROPER"]
        assert lint(case) == [("error", "name-twice", ("expectedConcepts", 4, "aliases", 1))]

    def test_an_alias_that_is_another_concepts_label(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedConcepts"][4]["aliases"] = ["overfitting"]
        assert lint(case) == [("error", "name-twice", ("expectedConcepts", 4, "aliases", 0))]

    def test_a_label_twice(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedConcepts"].append({"label": "machine-learning"})
        assert ("error", "name-twice", ("expectedConcepts", 15, "label")) in lint(case)


class TestCanaries:
    @pytest.mark.parametrize(("count", "found"), [(4, True), (5, False), (10, False), (11, True)])
    def test_number(self, case: dict[str, Any], lint: Lint, count: int, found: bool) -> None:
        extra = [
            "Vortex pruning", "Glacial sampling", "Umbral pooling", "Cosmic annealing", "Feral attention",
            "Lunar bootstrapping",
        ]  # fmt: skip
        case["forbiddenConcepts"] = (case["forbiddenConcepts"] + extra)[:count]
        assert lint(case) == ([("error", "canaries-count", ("forbiddenConcepts",))] if found else [])

    @pytest.mark.parametrize("form", ["Neural osmosis", "neural-OSMOSIS", "neural osmoses"])
    def test_in_the_text_in_any_form_that_the_matcher_takes_for_it(
        self, case: dict[str, Any], lint: Lint, form: str
    ) -> None:
        case["sourceText"] += f" {form}."
        assert lint(case) == [("error", "canary-in-text", ("forbiddenConcepts", 0))]

    def test_in_the_text_with_a_word_split_or_joined(self, case: dict[str, Any], lint: Lint) -> None:
        case["sourceText"] += " entropicbagging"
        assert lint(case) == [("error", "canary-in-text", ("forbiddenConcepts", 3))]

    def test_too_close_to_an_expected_concept(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedConcepts"][0]["aliases"] = ["Neural osmoses"]
        assert lint(case) == [("error", "canary-expected", ("forbiddenConcepts", 0))]

    @pytest.mark.parametrize(
        ("text", "canary"),
        [("bus lanes in 2027", "bus lanes in 2026"), ("key interest rate at 2%", "key interest rate cut")],
    )
    def test_similar_names_of_different_things(self, case: dict[str, Any], lint: Lint, text: str, canary: str) -> None:
        case["sourceText"] += f" New {text}."
        case["forbiddenConcepts"][0] = canary
        assert lint(case) == []

    def test_twice(self, case: dict[str, Any], lint: Lint) -> None:
        case["forbiddenConcepts"].append("neural-osmosis")
        assert lint(case) == [("error", "canary-twice", ("forbiddenConcepts", 5))]

    def test_without_letter_or_digit(self, case: dict[str, Any], lint: Lint) -> None:
        case["forbiddenConcepts"].append("--")
        assert lint(case) == [("error", "empty-name", ("forbiddenConcepts", 5))]


class TestRelationships:
    @pytest.mark.parametrize(("count", "found"), [(29, True), (30, False), (50, False), (51, True)])
    def test_number(self, case: dict[str, Any], lint: Lint, count: int, found: bool) -> None:
        more = [
            {"source": LABELS[i], "target": LABELS[(i + step) % 15], "predicate": "IS_A"}
            for step in (3, 4)
            for i in range(15)
        ]
        case["expectedRelationships"] = (case["expectedRelationships"] + more)[:count]
        assert lint(case) == ([("error", "relationships-count", ("expectedRelationships",))] if found else [])

    @pytest.mark.parametrize(("count", "found"), [(2, True), (3, False), (5, False), (6, True)])
    def test_number_of_forbidden(self, case: dict[str, Any], lint: Lint, count: int, found: bool) -> None:
        case["forbiddenRelationships"] = [
            {"source": LABELS[i + 5], "target": LABELS[i], "predicate": "CAUSES"} for i in range(count)
        ]
        assert lint(case) == (
            [("error", "forbidden-relationships-count", ("forbiddenRelationships",))] if found else []
        )

    @pytest.mark.parametrize("field", ["expectedRelationships", "forbiddenRelationships"])
    @pytest.mark.parametrize("end", ["source", "target"])
    def test_an_end_that_is_no_expected_concept(self, case: dict[str, Any], lint: Lint, field: str, end: str) -> None:
        case[field][0][end] = "Tea"
        assert lint(case) == [("error", "unknown-end", (field, 0, end))]

    def test_an_end_is_the_label_itself_and_the_finding_names_it(self, case: dict[str, Any], rules: Rules) -> None:
        case["expectedRelationships"][0]["source"] = "machine learning"
        findings = EXTRACTION.lint.case(case_of(GoldenCase, case), rules)
        assert tuples(findings) == [("error", "unknown-end", ("expectedRelationships", 0, "source"))]
        assert "did you mean `Machine learning`?" in findings[0].message

    @pytest.mark.parametrize("field", ["expectedRelationships", "forbiddenRelationships"])
    def test_an_unknown_predicate(self, case: dict[str, Any], lint: Lint, field: str) -> None:
        case[field][0]["predicate"] = "INFLUENCES"
        assert lint(case) == [("error", "predicate", (field, 0, "predicate"))]
        assert lint(case, Rules(predicates=("INFLUENCES", *ROW3))) == []

    def test_any_predicate_where_the_suite_names_none(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedRelationships"][0]["predicate"] = "INFLUENCES"
        own = Rules(predicates=(), inverses=(), symmetric=())
        assert lint(case, own) == []

    def test_with_itself(self, case: dict[str, Any], lint: Lint) -> None:
        case["forbiddenRelationships"][0]["source"] = case["forbiddenRelationships"][0]["target"]
        assert lint(case) == [("error", "self-relationship", ("forbiddenRelationships", 0))]

    def test_twice(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedRelationships"].append(case["expectedRelationships"][0] | {"predicate": "is a"})
        assert lint(case) == [("error", "relationship-twice", ("expectedRelationships", 30))]

    def test_a_symmetric_one_in_both_directions(self, case: dict[str, Any], lint: Lint) -> None:
        case["expectedRelationships"] += [
            {"source": LABELS[0], "target": LABELS[7], "predicate": "RELATES_TO"},
            {"source": LABELS[7], "target": LABELS[0], "predicate": "RELATES_TO"},
        ]
        assert lint(case) == [("error", "relationship-twice", ("expectedRelationships", 31))]

    def test_a_forbidden_one_twice(self, case: dict[str, Any], lint: Lint) -> None:
        case["forbiddenRelationships"].append(case["forbiddenRelationships"][0])
        assert lint(case) == [("error", "relationship-twice", ("forbiddenRelationships", 3))]

    def test_expected_and_forbidden(self, case: dict[str, Any], lint: Lint) -> None:
        case["forbiddenRelationships"].append(dict(case["expectedRelationships"][4]))
        assert lint(case) == [("error", "contradiction", ("forbiddenRelationships", 3))]

    def test_a_concept_in_no_relationship(self, case: dict[str, Any], lint: Lint) -> None:
        case["sourceText"] += " Dropout"
        case["expectedConcepts"].append({"label": "Dropout"})
        assert lint(case) == [("warning", "unconnected", ("expectedConcepts", 15, "label"))]


def test_findings_are_messages_without_a_full_stop_and_with_a_level(case: dict[str, Any], rules: Rules) -> None:
    broken = {"id": "x", "sourceText": "Short.", "expectedConcepts": [], "forbiddenConcepts": ["short"]}
    findings = EXTRACTION.lint.case(case_of(GoldenCase, broken), rules)
    assert {
        "words-count", "paragraphs-count", "concepts-count", "relationships-count", "canaries-count", "topic",
        "domain",
    } <= {f.rule for f in findings}  # fmt: skip
    assert all(f.message and f.level in ("error", "warning") and f.path for f in findings)


class TestSuite:
    @pytest.mark.parametrize(
        ("count", "found"),
        [
            (4, ("error", "case-count", ())),
            (5, ("warning", "case-count", ())),
            (10, ("warning", "case-count", ())),
            (14, ("warning", "case-count", ())),
            (15, None),
            (40, None),
        ],
    )
    def test_number_of_cases(self, case: dict[str, Any], count: int, found: tuple[str, str, tuple[()]] | None) -> None:
        cases = [case_of(GoldenCase, case | {"domain": DOMAINS[i % 5], "id": f"case-{i}"}) for i in range(count)]
        expected = [found] if found else []
        if count < 5:
            expected.append(("error", "domain-coverage", ()))
        assert tuples(EXTRACTION.lint.suite(cases)) == expected

    def test_every_domain_is_covered(self, case: dict[str, Any]) -> None:
        cases = [case_of(GoldenCase, case | {"domain": DOMAINS[i % 3]}) for i in range(15)]
        findings = EXTRACTION.lint.suite(cases)
        assert tuples(findings) == [("error", "domain-coverage", ())]
        assert "economic, interdisciplinary" in findings[0].message

    def test_no_case_at_all(self) -> None:
        assert {finding.rule for finding in EXTRACTION.lint.suite([])} == {"case-count", "domain-coverage"}


class TestShipped:
    PATHS = sorted(GOLDEN.glob("*.gold.json"))

    @pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.removesuffix(".gold.json"))
    def test_a_shipped_case_has_no_finding(self, path: Path, rules: Rules) -> None:
        case = GoldenCase.model_validate_json(path.read_bytes())
        assert EXTRACTION.lint.case(case, rules) == []
        assert path.name == f"{case.id}.gold.json"

    def test_the_shipped_suite_has_no_finding(self) -> None:
        cases = [GoldenCase.model_validate_json(path.read_bytes()) for path in self.PATHS]
        assert EXTRACTION.lint.suite(cases) == []
        assert [sum(case.domain == domain for case in cases) for domain in DOMAINS] == [3] * 5

    @pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.removesuffix(".gold.json"))
    def test_the_expectations_of_a_shipped_case_score_as_flawless(self, path: Path, rules: Rules) -> None:
        case = GoldenCase.model_validate_json(path.read_bytes())
        output = EXTRACTION.read_output(
            {
                "concepts": [
                    {"label": c.label, "sourceQuote": case.source_text[:60].rsplit(" ", 1)[0]}
                    for c in case.expected_concepts
                ],
                "relationships": [
                    {"source": r.source, "predicate": r.predicate, "target": r.target}
                    for r in case.expected_relationships
                ],
            }
        )
        metrics = score_by(EXTRACTION, case, output.value, rules).metrics  # type: ignore[union-attr]
        assert metrics["overall"] == pytest.approx(0.85)
        assert (
            metrics["recall"]
            == metrics["precision"]
            == metrics["relationshipAccuracy"]
            == metrics["relationshipRecall"]
            == 1.0
        )
        assert metrics["hallucinationRate"] == metrics["duplicateRate"] == metrics["ungroundedRate"] == 0.0


TEXT = (
    "Key performance indicators (KPI) steer banks. The colour of mice matters; Dr Ada Lovelace measured 5kg of it. "
    "Money-market funds fell by 50 per cent! The World Health Organization (WHO) warned: leaves rot. 世界は広い。"
)
"""Acronyms, spellings, plurals, titles, units and a script without spaces, each in a sentence."""
MATCHER = _Matcher(GoldenCase.model_validate({**sound(), "sourceText": TEXT}, by_alias=True), Rules())
WORDS = [
    "KPI",
    "performance",
    "indicator",
    "keys",
    "bank",
    "banking",
    "color",
    "colour",
    "mouse",
    "mice",
    "Lovelace",
    "Ada",
    "A.",
    "Doctor",
    "5kg",
    "5",
    "kg",
    "kilograms",
    "money",
    "market",
    "fund",
    "funds",
    "fifty",
    "50%",
    "percent",
    "WHO",
    "organisation",
    "leaf",
    "leaves",
    "the",
    "of",
    "world",
    "health",
    "rotten",
    "世界",
]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join))
def test_a_name_is_looked_for_where_it_can_be(name: str) -> None:
    """The index leaves out only sentences that do not mention the name."""
    text, acronyms = MATCHER._text, MATCHER.index.matcher.acronyms
    places = [TEXT[start:end] for start, end in sentences(TEXT)]
    everywhere = any(mentions(place, [name], text, lambda: acronyms) for place in places)
    assert MATCHER.mentions([name]) == (text.mentions(name) or everywhere)
