"""An investigation with something wrong of every sort."""

from __future__ import annotations

from typing import Any

from row3.domain.matches import Triple
from row3.domain.metrics import Metric, Threshold, Zone
from row3.matching.texts.places import Place
from row3.reports.investigations.model import (
    BadQuote,
    Circumstances,
    Invented,
    Investigation,
    Lost,
    Misdirected,
    Missed,
    Symptom,
    Verification,
)

RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.6, 0.7, 0.85))
HALLUCINATION = Metric(
    "hallucinationRate", "Hallucination rate", higher_is_better=False, threshold=Threshold(0.05, 0.02, 0)
)
F1 = Metric("f1", "Concept F1")
PLACE = Place(2, 3, 100, 106, "The *dough* rises, says @baker.", ((4, 11),))
FOUND = Investigation(
    case_id="bread",
    topic="Bread",
    suite="bakery",
    date="2026-01-29",
    prompts={"find": "v1.1", "connect": "v1.0"},
    model="m",
    status="scored",
    problem="",
    raw="",
    notes=("There is no baseline to compare with.",),
    extracted=(10, 5),
    symptoms=(
        Symptom(RECALL, 0.58, Zone.FAIL, RECALL.threshold, 0.72),
        Symptom(HALLUCINATION, 0.1, Zone.FAIL, HALLUCINATION.threshold, None),
        Symptom(F1, None, None, None, None),
    ),
    missed=(
        Missed("rye", True, False, PLACE, "wry", 2 / 3),
        Missed("gluten", False, True, None, None, 0.0),
        Missed("oat", True, False, None, None, 0.0),
    ),
    invented=(
        Invented("crumb", "canary", "crumb osmosis", 0.9, None),
        Invented("dough", "unmatched", "rye", 0.2, PLACE),
    ),
    duplicates=(("leaven", "sourdough"),),
    misdirected=(
        Misdirected(Triple("a", "CAUSES", "b"), "wrong-predicate", Triple("a", "IS_A", "b"), PLACE),
        Misdirected(Triple("a", "CAUSES", "c"), "forbidden", Triple("a", "CAUSES", "c"), None),
        Misdirected(Triple("x", "CAUSES", "y"), "unmatched", None, None),
    ),
    lost=(Lost(Triple("a", "IS_A", "b"), True, ()), Lost(Triple("rye", "IS_A", "oat"), False, ("rye", "oat"))),
    quotes=(
        BadQuote("x", "missing", "", PLACE, 0.0),
        BadQuote("y", "unverified", "a `quote`", PLACE, 0.5),
    ),
    around=Circumstances(12, 90, "find-v1.1", "connect-v1.0", True, (), (0.0,)),
    verification=Verification("", (("find", "v1.1"), ("connect", "v1.0"))),
)
NOTHING_FOUND: dict[str, Any] = dict.fromkeys(
    ("symptoms", "missed", "invented", "duplicates", "misdirected", "lost", "quotes"), ()
)
