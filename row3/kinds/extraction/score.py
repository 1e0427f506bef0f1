"""Kind `extraction`: concepts and relationships found in a text (STANDARDS, sections 1 to 3)."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from row3.domain.asks import Ask
from row3.domain.matches import CORRECT_RELATIONSHIP, Explanation
from row3.domain.predicates import Predicates, fold_predicate
from row3.domain.scores import CaseScore, Metric, Quality, Tally, Threshold
from row3.kinds.base import TYPES, Group, Lint, Measured, MonitoredKind, Rules, signed
from row3.kinds.demands import Expected
from row3.kinds.extraction.explain import explain
from row3.kinds.extraction.lint import lint_case, lint_suite, relationship_key
from row3.kinds.extraction.mistakes import extraction_mistakes
from row3.kinds.extraction.model import ConceptsOut, ExtractionOut, GoldenCase, Relationship, RelationshipsOut
from row3.kinds.mistakes import Mistakes
from row3.kinds.outputs import answer_schema
from row3.metrics.aggregate import PAIR, counted
from row3.metrics.extraction import concept_counts, relationship_counts, type_counts, values
from row3.metrics.ratios import overall

MOST_PREDICATE = 80
"""Maximum characters of a predicate in the tally."""


def _skipped(case: GoldenCase, explanation: Explanation, *, typed: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return why metrics do not apply, because of the case and because of the answer."""
    concepts, relationships = case.expected_concepts, case.expected_relationships
    skipped: dict[str, str] = {}
    empty: dict[str, str] = {}
    if not concepts:
        skipped |= dict.fromkeys(("recall", "f1", "deduplicationAccuracy"), "the case expects no concepts")
        if relationships:
            skipped["precision"] = "the case expects no concepts"
    if not any(concept.required for concept in concepts):
        skipped["requiredRecall"] = "the case requires no concepts"
    if not relationships:
        skipped["relationshipRecall"] = "the case expects no relationships"
        if concepts:
            skipped["relationshipAccuracy"] = "the case expects no relationships"
    if not case.forbidden_concepts:
        skipped["hallucinationRate"] = "the case has no canaries"
    if not case.forbidden_relationships:
        skipped["forbiddenRelationshipRate"] = "the case forbids no relationships"
    if not typed:
        skipped |= dict.fromkeys(("typeAccuracy", "typesNormalised"), "the case has no types")
    if not concepts and not relationships and not explanation.relationships:
        # With nothing to find, an empty answer is right, and anything extracted is judged.
        skipped["relationshipAccuracy"] = "no relationships are expected or extracted"
        if not explanation.concepts:
            about_concepts = ("precision", "provenanceCoverage", "provenanceVerified")
            empty = dict.fromkeys(about_concepts, "no concepts are expected or extracted")
    return skipped, empty


class _Spellings(dict[str, tuple[str, bool]]):
    """How each predicate is written in the tally, and whether the suite allows it; all are, if it lists none."""

    MOST = 4096

    def __init__(
        self, allowed: tuple[str, ...], inverses: tuple[tuple[str, str], ...], symmetric: tuple[str, ...]
    ) -> None:
        super().__init__()
        names = (*(name for pair in inverses for name in pair), *symmetric, *allowed) if allowed else ()
        self._known = {fold_predicate(name): name for name in names}
        self._any = not allowed
        self._loud = bool(allowed) and all(name.isupper() for name in allowed)

    def __missing__(self, predicate: str) -> tuple[str, bool]:
        if len(self) >= self.MOST:
            self.clear()
        folded = fold_predicate(predicate.encode("utf-8", "replace").decode())[:MOST_PREDICATE]
        known = self._known.get(folded)
        loud = self._loud or predicate.isupper()
        found = self[predicate] = (known or (folded.upper() if loud else folded), known is not None or self._any)
        return found


_spellings = lru_cache(maxsize=64)(_Spellings)


def _tally(explanation: Explanation, rules: Rules, *, typed: bool) -> Tally:
    """Return the number of concepts, relationships and types by state, and of each confusion."""
    groups = {
        "concepts": counted([match.state for match in explanation.concepts]),
        "relationships": counted([match.state for match in explanation.relationships]),
        **_predicates(explanation, rules),
    }
    if typed and (types := [match.type for match in explanation.concepts if match.type is not None]):
        groups["types"] = counted([match.state for match in types])
        for group, state in (("normalisedTypes", "normalised"), ("wrongTypes", "wrong")):
            if pairs := [f"{match.given}{PAIR}{match.expected}" for match in types if match.state == state]:
                groups[group] = counted(pairs)
    return groups


def _predicates(explanation: Explanation, rules: Rules) -> dict[str, dict[str, int]]:
    wrong = [match for match in explanation.relationships if match.state not in CORRECT_RELATIONSHIP]
    spelt = _spellings(rules.predicates, rules.inverses, rules.symmetric)
    mixed = [
        f"{spelt[match.triple.predicate][0]}{PAIR}{spelt[match.expected.predicate][0]}"
        for match in wrong
        if match.state == "wrong-predicate" and match.expected is not None
    ]
    expected = {spelt[name][0] for name in {each.triple.predicate for each in explanation.expected_relationships}}
    said = [spelt[match.triple.predicate] for match in wrong if match.state != "forbidden"]
    strange = [name for name, known in said if not known and name not in expected]
    groups = {"wrongPredicates": counted(mixed), "unknownPredicates": counted(strange)}
    return {group: counts for group, counts in groups.items() if counts}


NOTHING_TO_COUNT = {
    "deduplicationAccuracy": "no concept was found",
    "typeAccuracy": "no concept with a type was found",
    "typesNormalised": "no concept with a type was found",
    "duplicateRate": "no concept was extracted",
    "ungroundedRate": "no concept was extracted",
    "forbiddenRelationshipRate": "no relationship was extracted",
}
"""Why companion metrics are skipped if an answer has nothing for them to count."""

METRICS = (
    Metric("recall", "Concept recall", threshold=Threshold(0.60, 0.70, 0.85), weight=0.25, also="entity_recall"),
    Metric(
        "precision", "Concept precision", threshold=Threshold(0.50, 0.65, 0.80), weight=0.20, also="entity_precision"
    ),
    Metric("f1", "Concept F1", also="entity_f1"),
    Metric(
        "relationshipAccuracy",
        "Relationship accuracy",
        threshold=Threshold(0.40, 0.60, 0.75),
        weight=0.20,
        also="relationship_accuracy",
    ),
    Metric("provenanceCoverage", "Provenance coverage", threshold=Threshold(0.80, 0.90, 0.98), weight=0.20),
    Metric(
        "hallucinationRate",
        "Hallucination rate",
        higher_is_better=False,
        threshold=Threshold(0.05, 0.02, 0.0),
        weight=-0.15,
        alarm=True,
    ),
    Metric("overall", "Overall", threshold=Threshold(0.65, 0.75, 0.85)),
    Metric("requiredRecall", "Required recall", companion=True),
    Metric("relationshipRecall", "Relationship recall", companion=True),
    Metric("provenanceVerified", "Provenance verified", companion=True),
    Metric("ungroundedRate", "Ungrounded rate", higher_is_better=False, companion=True),
    Metric("duplicateRate", "Duplicate rate", higher_is_better=False, companion=True),
    Metric("forbiddenRelationshipRate", "Forbidden relationships", higher_is_better=False, companion=True, alarm=True),
    Metric("deduplicationAccuracy", "Deduplication accuracy", companion=True, also="deduplication_accuracy"),
    Metric("typeAccuracy", "Type accuracy", companion=True, optional=True, also="type_accuracy"),
    Metric("typesNormalised", "Types normalised", higher_is_better=False, companion=True, optional=True),
)


class Extraction(MonitoredKind):
    """Scores `{"concepts": […], "relationships": […]}` against a golden case."""

    name = "extraction"
    version = 18
    case_model = GoldenCase
    metrics = METRICS
    outputs: Mapping[str, type[Any]] = {
        "concepts": ConceptsOut,
        "relationships": RelationshipsOut,
        "extraction": ExtractionOut,
    }
    groups = (
        Group("concepts", "Concepts", "extracted", "exact alias fuzzy semantic duplicate canary unmatched"),
        TYPES._replace(names={"normalised": "normalisedTypes", "wrong": "wrongTypes"}),
        Group(
            "relationships",
            "Relationships",
            "extracted",
            "exact inverse fuzzy inverse-fuzzy wrong-predicate reversed wrong-end duplicate forbidden unmatched",
            {"wrong-predicate": "wrongPredicates"},
        ),
    )
    lint = Lint(lint_case, lint_suite)
    settings = frozenset({"fields", "predicates", "matching.semantic"})
    in_text = True

    def signature(self, rules: Rules) -> str:
        """Return the scorer, the predicates and the embedding rule."""
        pairs = ",".join(f"{left}={right}" for left, right in sorted(rules.inverses))
        return signed(self, rules, f"symmetric:{','.join(sorted(rules.symmetric))} inverse:{pairs}")

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """Return the JSON schema of an answer, with the suite's predicates and types."""
        without = ("type",) if rules.types is None else ()
        allowed = {"predicate": rules.predicates, "type": rules.types or ()}
        return answer_schema(self.outputs[output], allowed, without=without)

    def combine(self, outputs: Mapping[str, Any]) -> ExtractionOut:
        """Return the concepts and the relationships of the last prompts that give them."""
        last: dict[str, Any] = {"concepts": []}
        for part in outputs.values():
            last |= {key: getattr(part, key) for key in type(part).model_fields}
        return ExtractionOut(**last)

    def measure(self, case: GoldenCase, output: ExtractionOut, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Match, count and weigh; asks for embeddings if the suite uses semantic matching."""
        typed = any(concept.type is not None for concept in case.expected_concepts)
        explanation = yield from explain(case, output, rules, typed=typed)
        counts = concept_counts(explanation) | relationship_counts(explanation)
        if typed:
            counts |= type_counts(explanation)
        skipped, empty = _skipped(case, explanation, typed=typed)
        empty |= {
            key: why for key, why in NOTHING_TO_COUNT.items() if counts.get(key, (0, 1))[1] == 0 and key not in skipped
        }
        metrics = values(counts, skipped.keys() | empty.keys())
        metrics["overall"] = overall(metrics, rules.weights)
        return Measured(explanation, counts, metrics, skipped, empty, _tally(explanation, rules, typed=typed))

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """Return missed and wrong concepts, relationships and types; without empty lists."""
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
            "wrongTypes": [
                f"{m.label}: {m.type.given or 'none'} for {m.type.expected}"
                for m in explanation.concepts
                if m.type is not None and m.type.state in ("wrong", "missing")
            ],
        }
        return {name: tuple(items) for name, items in lists.items() if items}

    def mistakes(self, case: GoldenCase, score: CaseScore, rules: Rules) -> Mistakes:
        """Return all mistakes, with their places in the text."""
        quotes = [] if score.output is None else [concept.quote for concept in score.output.concepts]
        return extraction_mistakes(
            case, score.explanation, quotes, tuple(score.tally.get("unknownPredicates", ())), rules.names
        )

    def expectations(self, output: ExtractionOut) -> dict[str, Any]:
        """Return each entity and relationship once."""
        found: dict[str, dict[str, Any]] = {}
        for each in output.concepts:
            typed = {"type": each.type} if isinstance(each.type, str) and each.type.strip() else {}
            found.setdefault(each.label, {"name": each.label, **typed})
        related = dict.fromkeys((each.source, each.predicate, each.target) for each in output.relationships)
        relationships = [{"source": source, "predicate": word, "target": target} for source, word, target in related]
        return {"entities": list(found.values()), "relationships": relationships}

    def quality(
        self, found: Sequence[tuple[str, str | None]], text: str | None, canaries: Sequence[str], *, sampled: bool
    ) -> Quality:
        """Count concepts that are quoted, verified, not in the text, or canaries."""
        from row3.kinds.extraction.quality import measure  # only monitoring needs it

        return measure(found, text, canaries, sampled=sampled)

    def expected(self, case: GoldenCase) -> Iterator[Expected]:
        """Yield every concept, canary and relationship."""
        for concept in case.expected_concepts:
            facts = {"required": concept.required or None, "type": concept.type, "alias": concept.aliases}
            yield Expected("concept", concept.label, facts, (concept.label, *concept.aliases))
        for canary in case.forbidden_concepts:
            yield Expected("canary", canary, forbidden=True)
        for link in case.expected_relationships:
            yield Expected("relationship", _stated(link), {"required": link.required or None}, _names(link))
        for other in case.forbidden_relationships:
            yield Expected("forbidden", _stated(other), names=_names(other), forbidden=True)


STANDARD = Predicates()
"""The usual predicates, whatever a suite adds: what a case demands does not depend on settings."""


def _names(link: Relationship) -> tuple[str]:
    """Return the statement in the form that it shares with its inverse."""
    return (" ".join(relationship_key(link, STANDARD)),)


def _stated(link: Relationship) -> str:
    return f"{link.source} {link.predicate} {link.target}"


KIND = Extraction()
