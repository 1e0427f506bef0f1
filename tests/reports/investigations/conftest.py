"""An investigation with something wrong of every sort."""

from __future__ import annotations

from row3.domain.metrics import Metric, Threshold, Zone
from row3.reports.investigations.model import Finding, Findings, Investigation, Question, Section, Symptom
from row3.reports.places import Place

RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.6, 0.7, 0.85))
HALLUCINATION = Metric(
    "hallucinationRate", "Hallucination rate", higher_is_better=False, threshold=Threshold(0.05, 0.02, 0)
)
F1 = Metric("f1", "Concept F1")
PLACE = Place(2, 3, 100, 106, "The *dough* rises, says @baker.", ((4, 11),))
FOUND = Investigation(
    case_id="bread",
    suite="bakery",
    kind="extraction",
    date="2026-01-29",
    prompts={"find": "v1.1", "connect": "v1.0"},
    model="m",
    status="scored",
    problem="",
    raw="",
    notes=("There is no baseline to compare with.",),
    symptoms=(
        Symptom(RECALL, 0.58, Zone.FAIL, RECALL.threshold, 0.72),
        Symptom(HALLUCINATION, 0.1, Zone.FAIL, HALLUCINATION.threshold, None),
        Symptom(F1, None, None, None, None),
    ),
    findings=(
        Findings(
            "missed",
            "Missed concepts",
            "of 12 expected",
            (
                Finding("rye", "required", "wry", 2 / 3, "", PLACE, "required, nearest {}"),
                Finding("oat", "optional", remark="not in the text", phrase="optional"),
            ),
        ),
        Findings("duplicates", "Duplicates", "of 10 extracted", ()),
        Findings("unknownPredicates", "Unknown predicates", "of 5 extracted", (Finding("A_B", "unknown"),)),
    ),
    flags=" --suite bakery",
    change="Make the change in `prompts/find-v1.1.md`.",
    checklist=(
        Section(
            "6.1 Recall",
            (Question("Which?", "2 of 12", ("rye", "oat")), Question("Is the source text ambiguous?", "", open=True)),
        ),
    ),
    fixes=("find-v1.1: go on, such as `rye`.",),
)
