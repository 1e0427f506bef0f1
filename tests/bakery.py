"""A project of fifteen small cases whose answers can be made to waver, to fall and to rise; for whoever needs many."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.projects import CONFIG, SUITE, Box

NAMES = (
    "anchor basil cedar dune ember falcon garnet harbor iris jasper kettle lantern marble nickel orchid pepper "
    "quartz raven saddle timber umbrella velvet willow yarrow zephyr beacon copper dagger engine fabric glacier "
    "hammock insect jungle kernel ladder magnet napkin ocean pillow quiver ribbon sulphur tunnel vessel walnut "
    "canyon bishop cactus dolphin feather goblet hedgehog ivory jacket knuckle lemon mosaic nutmeg oyster"
)
WORDS = NAMES.split()
SIZE = 4
IDS = tuple(WORDS[i] for i in range(0, len(WORDS), SIZE))
"""A case is named by the first of its four concepts."""


def case_of(case_id: str) -> dict[str, Any]:
    """Four concepts, two relationships."""
    at = WORDS.index(case_id)
    a, b, c, d = WORDS[at : at + SIZE]
    return {
        "sourceText": f"The {a} needs the {b}. The {c} makes the {d} grow.",
        "expectedConcepts": [{"label": each} for each in (a, b, c, d)],
        "expectedRelationships": [
            {"source": a, "predicate": "REQUIRES", "target": b},
            {"source": c, "predicate": "CAUSES", "target": d},
        ],
        "forbiddenConcepts": [f"{a} resonance theory"],
    }


def answer(case_id: str, concepts: int) -> dict[str, Any]:
    """An answer with the first so many concepts of a case, and both relationships."""
    case = case_of(case_id)
    quote = case["sourceText"].split(".")[0]
    return {
        "concepts": [{"label": one["label"], "sourceQuote": quote} for one in case["expectedConcepts"][:concepts]],
        "relationships": case["expectedRelationships"],
    }


def bakery(root: Path, cases: int = 15) -> Box:
    """The cases, `extract` v1.0 and v1.1; no recordings, no git."""
    box = Box(root)
    box.write("row3.toml", CONFIG)
    for case_id in IDS[:cases]:
        value = {"id": case_id} | case_of(case_id)
        box.write(f"golden/{SUITE}/{case_id}.gold.json", json.dumps(value, indent=1) + "\n")
    for version in ("1.0", "1.1"):
        box.prompt(version)
    return box


def record(box: Box, version: str, concepts: Mapping[str, int], *, repeat: int = 0) -> None:
    """Record how many concepts a version finds in each case."""
    box.record(version, {case_id: answer(case_id, n) for case_id, n in concepts.items()}, repeat=repeat)


def found(*counts: int, cases: int = 15) -> dict[str, int]:
    """How many concepts are found, case by case, the counts over and over."""
    return {case_id: counts[i % len(counts)] for i, case_id in enumerate(IDS[:cases])}
