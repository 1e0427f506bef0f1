"""An investigation of one case with something wrong of several sorts, and of two cases."""

from __future__ import annotations

from dataclasses import replace

from row3.commands.investigation import InvestigatedCase, Investigation, Symptom
from row3.domain.scores import Metric, Threshold, Zone
from row3.kinds.checklist import Evidence, checklist
from row3.kinds.mistakes import Mistake, Mistakes
from row3.matching.text.places import Place

RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.6, 0.7, 0.85))
HALLUCINATION = Metric(
    "hallucinationRate", "Hallucination rate", higher_is_better=False, threshold=Threshold(0.05, 0.02, 0)
)
F1 = Metric("f1", "Concept F1")
PLACE = Place(2, 3, 100, 106, "The *dough* rises, says @baker.", ((4, 11),))
FAULTS = Mistakes(
    (
        Mistake("stated", "rye", place=PLACE, case_id="bread"),
        Mistake("absent", "oat", note="optional", case_id="bread"),
        Mistake("wrong-predicate", "a CAUSES b", "a IS_A b", pair="CAUSES for IS_A", case_id="bread"),
        Mistake("wrong-predicate", "c CAUSES d", "c IS_A d", pair="CAUSES for IS_A", case_id="bread"),
        Mistake("unknown", "A_B", case_id="bread"),
    ),
    {"missed": 12, "extra": 10, "wrong": 5},
)
CASE = InvestigatedCase(
    id="bread",
    status="scored",
    problem="",
    raw="",
    query="",
    symptoms=(
        Symptom(RECALL, 0.58, Zone.FAIL, RECALL.threshold, 0.72),
        Symptom(HALLUCINATION, 0.1, Zone.FAIL, HALLUCINATION.threshold, None),
        Symptom(F1, None, None, None, None),
    ),
    faults=FAULTS,
    before=Mistakes(FAULTS.items[1:2], {}),
    notes=("The golden case has changed since the baseline.",),
)
FOUND = Investigation(
    suite="bakery",
    kind="extraction",
    date="2026-01-29",
    prompts={"find": "v1.1", "connect": "v1.0"},
    model="m",
    good="the baseline of 2026-01-28",
    cases=(CASE,),
    of=0,
    unanswered=(),
    evidence=Evidence(FAULTS.items, FAULTS.sizes, *checklist("extraction")),
    flags=" --suite bakery",
    change="Make the change in `prompts/find-v1.1.md`.",
    prompted=False,
)


def of_cases(*cases: InvestigatedCase, of: int = 0) -> Investigation:
    """The same of these cases."""
    faults = tuple(fault for case in cases for fault in case.faults.items)
    return replace(FOUND, cases=cases, of=of, evidence=FOUND.evidence._replace(faults=faults))
