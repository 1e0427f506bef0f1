"""What the scorer explained of one case, put beside its text and the answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from row3.domain.matches import CORRECT, CORRECT_RELATIONSHIP, Explanation, Triple
from row3.domain.metrics import Metric
from row3.domain.requests import Answer, Request
from row3.domain.scores import CaseScore
from row3.errors import Row3Error
from row3.gate.comparison import POINT, worse_by
from row3.gate.policy import GatePolicy
from row3.gate.silence import both_sides
from row3.gate.zones import SLACK, zones_of
from row3.kinds.answers import Parsed
from row3.kinds.extraction.model import ExtractionOut, GoldenCase
from row3.matching.likeness import alike
from row3.matching.names import Named, NameIndex
from row3.matching.normalise import normalise
from row3.matching.scorers import SCORERS
from row3.matching.texts.places import Place, SearchableText
from row3.reports.investigations.model import (
    BadQuote,
    Circumstances,
    Fall,
    Invented,
    Investigation,
    Lost,
    Meant,
    Misdirected,
    Missed,
    Mistyped,
    Otherwise,
    Symptom,
    Verification,
)
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.suites import Suite, baseline_tier
from row3.workflows.comparing.sides import baseline_side
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.run_header import now


class Inquiry:
    """Puts what the scorer explained beside the case, its text and the answers."""

    def __init__(
        self, project: Project, asking: Asking, stored: StoredCase, score: CaseScore, said: list[tuple[Request, Answer]]
    ) -> None:
        self.project, self.asking, self.stored, self.score, self.said = project, asking, stored, score, said
        self.case: GoldenCase = stored.case
        self.suite = asking.suite
        self.seen: Explanation = score.explanation
        self.text = SearchableText(self.case.source_text)
        names = [Named(concept.label, concept.aliases) for concept in self.case.expected_concepts]
        self.names = NameIndex(names, self.case.forbidden_concepts, self.suite.rules.names)

    def result(self) -> Investigation:
        """All parts of the investigation."""
        symptoms, notes = symptoms_of(self.project, self.suite, self.stored, self.score)
        return Investigation(
            case_id=self.case.id,
            topic=self.case.topic,
            suite=self.suite.name,
            date=now()[:10],
            prompts=self.asking.lineup.versions(),
            model=", ".join(dict.fromkeys(request.model for request, _ in self.said)),
            status=self.score.status,
            problem=self.score.problem,
            raw=self.score.raw,
            notes=(*self.score.notes, *notes),
            extracted=(len(self.seen.concepts), len(self.seen.relationships)),
            symptoms=symptoms,
            missed=tuple(self._missed()),
            invented=tuple(
                Invented(m.label, m.state, m.expected, m.score, self.text.find([m.label]), m.why_not)
                for m in self.seen.concepts
                if m.state in ("unmatched", "canary")
            ),
            duplicates=tuple((m.label, m.expected or "") for m in self.seen.concepts if m.state == "duplicate"),
            otherwise=tuple(
                Otherwise(m.label, m.expected or "", m.how, m.score) for m in self.seen.concepts if m.state == "fuzzy"
            ),
            meant=tuple(Meant(m.label, m.expected or "", m.score) for m in self.seen.concepts if m.state == "semantic"),
            mistyped=tuple(
                Mistyped(m.label, m.type.given, m.type.expected, m.type.state)
                for m in self.seen.concepts
                if m.type is not None and m.type.state != "exact"
            ),
            unknown_predicates=tuple(self.score.tally.get("unknownPredicates", ())),
            misdirected=tuple(
                Misdirected(m.triple, m.state, m.expected, self._sentence_of(m.expected, m.triple))
                for m in self.seen.relationships
                if m.state not in CORRECT_RELATIONSHIP
            ),
            lost=tuple(self._lost()),
            quotes=tuple(self._quotes()),
            around=self._around(),
            verification=self._verification(),
        )

    def _around(self) -> Circumstances:
        prompts = self.asking.lineup.prompts

        def by_output(output: str) -> str:
            return next((str(p.ref) for p in prompts if p.output in (output, "extraction")), "the prompt")

        return Circumstances(
            expected=len(self.case.expected_concepts),
            words=len(self.case.source_text.split()),
            concept_prompt=by_output("concepts"),
            relationship_prompt=by_output("relationships"),
            asks_for_quotes=any("quot" in p.body.lower() for p in prompts if p.output in ("concepts", "extraction")),
            truncated=tuple(request.prompt for request, answer in self.said if answer.finish_reason == "length"),
            temperatures=tuple(dict.fromkeys(request.temperature for request, _ in self.said)),
        )

    def _verification(self) -> Verification:
        lineup = self.asking.lineup
        mode = " --mode auto" if self.project.config.mode == "replay" else ""
        return Verification(
            flags=self.suite.flags("row3 --compare", *(["mode"] if mode else [])) + mode,
            prompts=tuple((p.ref.name, str(p.ref.version)) for p in lineup.prompts),
            promoted=frozenset(
                p.ref.name for p in lineup.prompts if lineup.promoted.get(p.ref.name) == str(p.ref.version)
            ),
        )

    def _missed(self) -> Iterable[Missed]:
        scorer, full = SCORERS[self.suite.rules.names.scorer]
        free = [m.label for m in self.seen.concepts if m.state not in CORRECT]
        for concept, expectation in zip(self.case.expected_concepts, self.seen.expected_concepts, strict=True):
            if expectation.found_by is not None:
                continue
            forms = [concept.label, *concept.aliases]
            near = [(scorer(normalise(form), normalise(label)) / full, form, label) for form in forms for label in free]
            best = max((one for one in near if alike(*one)), default=(0.0, "", None))
            place = self.text.find(forms)
            yield Missed(concept.label, concept.required, concept.inferred, place, best[2], best[0])

    def _lost(self) -> Iterable[Lost]:
        missed = {expectation.label for expectation in self.seen.expected_concepts if expectation.found_by is None}
        for expected in self.seen.expected_relationships:
            if expected.found_by is None:
                ends = [end for end in dict.fromkeys((expected.triple.source, expected.triple.target)) if end in missed]
                yield Lost(expected.triple, expected.required, tuple(ends))

    def _quotes(self) -> Iterable[BadQuote]:
        for match, concept in zip(self.seen.concepts, self._output().concepts, strict=True):
            quote = concept.quote
            if match.quote == "missing":
                yield BadQuote(match.label, "missing", "", self.text.find(self._forms(match.label)), 0.0)
            elif match.quote == "unverified":
                place, similarity = self.text.most_like(quote) or (None, 0.0)
                yield BadQuote(match.label, "unverified", quote, place, similarity)

    def _output(self) -> ExtractionOut:
        """What was extracted, read from the answers again: the explanation does not keep the quotes."""
        if self.score.status != "scored":
            return ExtractionOut(concepts=[])
        kind = self.suite.kind
        outputs: dict[str, Any] = {}
        for request, answer in self.said:
            parsed = kind.parse(request.schema_name, answer.text)
            assert isinstance(parsed, Parsed)
            outputs[request.schema_name] = parsed.value
        combined: ExtractionOut = kind.combine(outputs)
        return combined

    def _sentence_of(self, *triples: Triple | None) -> Place | None:
        """Where both ends of the first of these relationships stand together."""
        for triple in filter(None, triples):
            place = self.text.together(self._forms(triple.source), self._forms(triple.target))
            if place is not None:
                return place
        return None

    def _forms(self, name: str) -> list[str]:
        """A name with the other forms of the concept that it stands for."""
        hit = self.names.resolve(name)
        if hit is None:
            return [name]
        concept = self.case.expected_concepts[hit[0]]
        return [name, concept.label, *concept.aliases]


def symptoms_of(
    project: Project, suite: Suite, stored: StoredCase, score: CaseScore
) -> tuple[tuple[Symptom, ...], list[str]]:
    """Return the metrics that apply, paired with the baseline's as the gate pairs them, and notes on the baseline."""
    metrics, limits = suite.kind.metrics, suite.rules.thresholds
    before, notes = _baseline(project, suite, stored)
    zones = zones_of(score.metrics, metrics, limits)
    old, now = (before.metrics, score.metrics) if before is not None else ({}, score.metrics)
    if before is not None:
        old, now = both_sides(suite.kind, before.metrics, score.metrics)
        if old is not before.metrics or now is not score.metrics:
            who = "The baseline's answer" if old is not before.metrics else "This answer"
            notes.append(f"{who} is silent where nothing is to be found, which is flawless beside one that invents.")
    return tuple(
        Symptom(
            m,
            now.get(m.key),
            zones.get(m.key),
            limits.get(m.key),
            old.get(m.key),
            fall_of(m, old.get(m.key), now.get(m.key), suite.policy),
        )
        for m in metrics
        if m.key in now or not m.optional
    ), notes


def fall_of(metric: Metric, before: float | None, now: float | None, policy: GatePolicy) -> Fall | None:
    """Return how far a metric fell beyond its limit; None if it did not, or if one side has no value.

    The gate compares means over all cases; here its limit applies to the one case.
    """
    if before is None or now is None:
        return None
    limit, up = policy.limit(metric.key), metric.higher_is_better
    worse = worse_by(before, now, higher_is_better=up, unit=policy.unit)
    if worse <= limit + POINT * SLACK:
        return None
    relative = policy.unit == "relative" and abs(before) > SLACK  # else `worse_by` takes points
    room = limit / POINT * (abs(before) if relative else 1.0)
    return Fall(worse, limit, before - room if up else before + room, relative, metric.key in policy.metrics)


def _baseline(project: Project, suite: Suite, stored: StoredCase) -> tuple[CaseScore | None, list[str]]:
    """Return how the baseline's answer to a case scores now, if it has one, and what to know about it."""
    if not project.tree.exists(project.baseline(suite.name, baseline_tier(project, suite))):
        return None, ["There is no baseline to compare with."]
    try:
        side = baseline_side(project, suite)
        answered = side.score(stored)
    except Row3Error as error:
        return None, [f"The baseline cannot be used: {error}"]
    if answered is None:
        return None, ["The case is not in the baseline."]
    score, header = answered[0], side.header
    if score.status == "failed":
        return None, [f"The baseline has no answer to this case: {score.problem}."]
    prompts = ", ".join(f"{name} {version}" for name, version in header.prompts.items())
    changed = side.manifest is not None and side.manifest.cases[stored.id].digest != stored.digest
    note = "; the golden case has changed since" if changed else ""
    return score, [f"Baseline: {header.at[:10]}, {prompts}, {header.model}{note}."]
