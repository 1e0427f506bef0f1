"""Kind `extraction`: concepts and relationships found in a text (STANDARDS, sections 1 to 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import rapidfuzz
from pydantic import BaseModel

from row3.domain.matches import CORRECT_RELATIONSHIP, Explanation
from row3.domain.metrics import Metric, Threshold
from row3.domain.scores import CaseScore, Tally
from row3.kinds import extraction_lint
from row3.kinds.base import Finding, Parsed, Reference, Rules, Unusable
from row3.kinds.demands import Expected, demand_map
from row3.kinds.extraction_demands import demands_of, names_of
from row3.kinds.extraction_json import matches_json
from row3.kinds.extraction_matching import explain
from row3.kinds.extraction_models import (
    ConceptsOut,
    ExtractionOut,
    GoldenCase,
    Relationship,
    RelationshipsOut,
    answer_schema,
    quote_of,
)
from row3.kinds.extraction_reading import fit, read_answer
from row3.kinds.extraction_structs import Extracted, item_json, usual_line
from row3.kinds.extraction_tally import tally
from row3.kinds.extraction_types import carries_types
from row3.kinds.swapped_names import swapped
from row3.metrics.composite import overall
from row3.metrics.extraction import Counts, concept_counts, relationship_counts, states_of, type_counts, values

SCORER_VERSION = 9
"""Raise it with every change that can move a score; a test holds the scores of this version."""

METRICS = (
    Metric("recall", "Concept recall", threshold=Threshold(0.60, 0.70, 0.85), weight=0.25),
    Metric("precision", "Concept precision", threshold=Threshold(0.50, 0.65, 0.80), weight=0.20),
    Metric("f1", "Concept F1"),
    Metric("relationshipAccuracy", "Relationship accuracy", threshold=Threshold(0.40, 0.60, 0.75), weight=0.20),
    Metric("provenanceCoverage", "Provenance coverage", threshold=Threshold(0.80, 0.90, 0.98), weight=0.20),
    Metric(
        "hallucinationRate",
        "Hallucination rate",
        higher_is_better=False,
        threshold=Threshold(0.05, 0.02, 0.0),
        weight=-0.15,
    ),
    Metric("overall", "Overall", threshold=Threshold(0.65, 0.75, 0.85)),
    Metric("relationshipRecall", "Relationship recall", companion=True),
    Metric("provenanceVerified", "Provenance verified", companion=True),
    Metric("ungroundedRate", "Ungrounded rate", higher_is_better=False, companion=True),
    Metric("duplicateRate", "Duplicate rate", higher_is_better=False, companion=True),
    Metric("forbiddenRelationshipRate", "Forbidden relationships", higher_is_better=False, companion=True),
    Metric("deduplicationAccuracy", "Deduplication accuracy", companion=True),
    Metric("typeAccuracy", "Type accuracy", companion=True, optional=True),
    Metric("typesNormalised", "Types normalised", higher_is_better=False, companion=True, optional=True),
)


class Extraction:
    """Scores `{"concepts": […], "relationships": […]}` against a golden case."""

    name = "extraction"
    case_model: type[BaseModel] = GoldenCase
    plain_cases = True
    metrics: Sequence[Metric] = METRICS
    outputs: Mapping[str, type[BaseModel]] = {
        "concepts": ConceptsOut,
        "relationships": RelationshipsOut,
        "extraction": ExtractionOut,
    }
    primary = "overall"
    invented: frozenset[str] = frozenset()

    def signature(self, rules: Rules) -> str:
        """Scorer version, matcher, its library and embeddings; weights and thresholds are compared on their own."""
        release = ".".join(rapidfuzz.__version__.split(".")[:2])
        pairs = ",".join(f"{left}={right}" for left, right in sorted(rules.inverses))
        return (
            f"extraction/{SCORER_VERSION} {rules.names.scorer}>={rules.names.threshold:g} rapidfuzz/{release} "
            f"symmetric:{','.join(sorted(rules.symmetric))} inverse:{pairs}"
            f"{'' if rules.semantic is None else f' {rules.semantic.signature()}'}"
        )

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """JSON schema of the answer that a prompt with this output asks for."""
        return answer_schema(self.outputs[output], rules.predicates, rules.types)

    def variables(self, case: GoldenCase) -> dict[str, Any]:
        """`topic` and `source_text`; never the expectations."""
        return {"topic": case.topic, "source_text": case.source_text}

    def parse(self, output: str, text: str) -> Parsed | Unusable:
        """Read an answer, repairing what is harmless."""
        return read_answer(self.outputs[output], text)

    def read_output(self, value: Any) -> Parsed | Unusable:
        """Read `{"concepts": […], "relationships": […]}`, or the text of it, or what `usual_line` read."""
        if isinstance(value, Extracted):
            return Parsed(value)
        if isinstance(value, str):
            return self.parse("extraction", value)
        return fit(ExtractionOut, value, ())

    def usual_line(self, raw: bytes) -> tuple[str, Any, int] | None:
        """The case id and output of a line in the usual form, and its keys."""
        return usual_line(raw)

    def combine(self, outputs: Mapping[str, Any]) -> ExtractionOut:
        """Concepts from the last prompt that gave any, relationships likewise."""
        parts = list(outputs.values())
        concepts: list[Any] = next((part.concepts for part in reversed(parts) if hasattr(part, "concepts")), [])
        links: list[Any] = next((part.relationships for part in reversed(parts) if hasattr(part, "relationships")), [])
        return ExtractionOut.model_construct(concepts=concepts, relationships=links)

    def context(self, output: str, value: Any) -> dict[str, Any]:
        """`concepts` and `relationships`, as lists of plain values."""
        seen: dict[str, Any] = {}
        if hasattr(value, "concepts"):
            seen["concepts"] = [{"label": c.label, "quote": quote_of(c.source_quote)} for c in value.concepts]
        if hasattr(value, "relationships"):
            seen["relationships"] = [
                {"source": r.source, "predicate": r.predicate, "target": r.target} for r in value.relationships
            ]
        return seen

    def output_json(self, output: ExtractionOut) -> dict[str, Any]:
        """Concepts and relationships as plain values, without what is not there."""
        return {
            "concepts": [item_json(concept) for concept in output.concepts],
            "relationships": [item_json(relationship) for relationship in output.relationships],
        }

    def score(self, case: GoldenCase, output: ExtractionOut, rules: Rules) -> CaseScore:
        """Match, count, weigh, and keep the explanation."""
        explanation = explain(case, output, rules)
        counts, counted, skipped = _counted(case, explanation, rules)
        metrics = values(counts, tuple(skipped))
        metrics["overall"] = overall(metrics, rules.weights)
        return CaseScore(
            case_id=case.id,
            status="scored",
            metrics=_in_order(metrics),
            skipped=skipped,
            counts={key: pair for key, pair in counts.items() if key not in skipped},
            explanation=explanation,
            tally=counted,
        )

    def bad_answer(self, case: GoldenCase, reason: str, raw: str, rules: Rules) -> CaseScore:
        """0 on every metric that applies; everything expected counts as missed."""
        nothing = explain(case, ExtractionOut.model_construct(concepts=[], relationships=[]), rules)
        counts, counted, skipped = _counted(case, nothing, rules, readable=False)
        return CaseScore(
            case_id=case.id,
            status="bad_answer",
            metrics={metric.key: 0.0 for metric in METRICS if metric.key not in skipped},
            skipped=skipped,
            counts={key: pair for key, pair in counts.items() if key not in skipped},
            explanation=nothing,
            problem=reason,
            raw=raw,
            tally=counted,
        )

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """Missed and wrong concepts and relationships; empty lists are left out."""
        explanation: Explanation | None = score.explanation
        if explanation is None:
            return {}
        lists = {
            "missedConcepts": [e.label for e in explanation.expected_concepts if e.found_by is None],
            "wrongConcepts": [m.label for m in explanation.concepts if m.state == "unmatched"],
            "canaries": [m.label for m in explanation.concepts if m.state == "canary"],
            "missedRelationships": [str(e.triple) for e in explanation.expected_relationships if e.found_by is None],
            "wrongRelationships": [
                str(m.triple) for m in explanation.relationships if m.state not in CORRECT_RELATIONSHIP
            ],
        }
        if "typeAccuracy" in score.metrics:
            lists["wrongTypes"] = [
                f"{m.label}: {m.type.given or 'none'} for {m.type.expected}"
                for m in explanation.concepts
                if m.type is not None and m.type.state in ("wrong", "missing")
            ]
        return {name: tuple(items) for name, items in lists.items() if items}

    def matches_json(self, explanation: Explanation) -> dict[str, Any]:
        """Every match of every concept and relationship."""
        return matches_json(explanation)

    def expectations(self, case: GoldenCase) -> list[str]:
        """Everything the case demands, by normalised names."""
        return demands_of(case)

    def demands(self, case: GoldenCase) -> Mapping[str, str]:
        """What the case demands, by key."""
        return demand_map(case, self.variables(case), _expected(case))

    def swaps_a_name(self, before: GoldenCase, after: GoldenCase) -> bool:
        """Whether a concept, canary or end of a relationship is another that only normalises alike."""
        return swapped(names_of(before), names_of(after), before.source_text)

    def lint(self, case: GoldenCase, rules: Rules) -> list[Finding]:
        """STANDARDS, section 3, and what makes a case contradict itself."""
        return extraction_lint.lint_case(case, rules)

    def declares(self, case: GoldenCase) -> Sequence[Reference]:
        """Nothing: every case is its own world."""
        return ()

    def refers_to(self, case: GoldenCase) -> Sequence[Reference]:
        """Nothing either."""
        return ()

    def lint_suite(self, cases: Sequence[GoldenCase]) -> list[Finding]:
        """Number of cases and coverage of the domains."""
        return extraction_lint.lint_suite(cases)


def _expected(case: GoldenCase) -> Iterator[Expected]:
    for concept in case.expected_concepts:
        facts = {"required": concept.required or None, "type": concept.type, "alias": concept.aliases}
        yield Expected("concept", concept.label, facts)
    for canary in case.forbidden_concepts:
        yield Expected("canary", canary)
    for link in case.expected_relationships:
        yield Expected("relationship", _stated(link), {"required": link.required or None})
    for forbidden in case.forbidden_relationships:
        yield Expected("forbidden", _stated(forbidden))


def _stated(link: Relationship) -> str:
    return f"{link.source} {link.predicate} {link.target}"


def _counted(
    case: GoldenCase, explanation: Explanation, rules: Rules, *, readable: bool = True
) -> tuple[Counts, Tally, dict[str, str]]:
    """Numerators and denominators, what items became, and which metrics do not apply, with the reason."""
    typed, states = carries_types(case), states_of(explanation)
    counts = concept_counts(explanation, states.concepts) | relationship_counts(explanation, states.relationships)
    if typed:
        counts |= type_counts(explanation)
    skipped = _skipped(case, typed=typed)
    if not (case.expected_concepts or case.expected_relationships):
        skipped |= _skipped_of_nothing(explanation, readable=readable)
    return counts, tally(explanation, states, rules, typed=typed), skipped


def _skipped(case: GoldenCase, *, typed: bool) -> dict[str, str]:
    skipped: dict[str, str] = {}
    if not case.expected_concepts:
        skipped |= dict.fromkeys(("recall", "f1", "deduplicationAccuracy"), "the case expects no concepts")
        if case.expected_relationships:
            skipped["precision"] = "the case expects no concepts"
    if not case.expected_relationships:
        skipped["relationshipRecall"] = "the case expects no relationships"
        if case.expected_concepts:
            skipped["relationshipAccuracy"] = "the case expects no relationships"
    if not case.forbidden_relationships:
        skipped["forbiddenRelationshipRate"] = "the case forbids no relationships"
    if not typed:
        skipped |= dict.fromkeys(("typeAccuracy", "typesNormalised"), "the case carries no types")
    return skipped


def _skipped_of_nothing(explanation: Explanation, *, readable: bool) -> dict[str, str]:
    """Where nothing is to be found, silence is right, and what is said all the same is judged."""
    skipped: dict[str, str] = {}
    if not explanation.relationships:
        skipped["relationshipAccuracy"] = "no relationships are expected or extracted"
        if readable and not explanation.concepts:
            about_concepts = ("precision", "provenanceCoverage", "provenanceVerified")
            skipped |= dict.fromkeys(about_concepts, "no concepts are expected or extracted")
    return skipped


def _in_order(metrics: Mapping[str, float]) -> dict[str, float]:
    return {metric.key: metrics[metric.key] for metric in METRICS if metric.key in metrics}


EXTRACTION = Extraction()
