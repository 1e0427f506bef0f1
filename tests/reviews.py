"""The small project with answers that its golden cases do not quite know."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.projects import CASES, Box, flawless, tiny

RYE = "golden/bread/rye.gold.json"
REVIEWED = "golden/bread/reviewed.jsonl"


def with_items(case_id: str, instead: str, *items: str | tuple[str, str], case: Any = None) -> dict[str, Any]:
    """A flawless output of a case, but for one concept that it misses and items that it has instead."""
    output = flawless(case or CASES[case_id])
    concepts = [one for one in output["concepts"] if one["label"] != instead]
    given: Iterable[tuple[str, str]] = ((item, "") if isinstance(item, str) else item for item in items)
    concepts += [{"label": label, "sourceQuote": quote} for label, quote in given]
    return output | {"concepts": concepts}


def reviewable(root: Path) -> Box:
    """`rye` misses `proofing` in v1.2 and v1.3 and has `final proofing` or `final proofings` instead; more in v1.3."""
    box = tiny(root)
    for version in ("1.2", "1.3"):
        box.prompt(version)
    box.record("1.2", {"rye": with_items("rye", "proofing", "final proofing")})
    box.record(
        "1.3",
        {
            "rye": with_items(
                "rye", "proofing", "final proofings", ("NaCl", "Salt slows the proofing of a dough."), "oat"
            ),
            "oven": with_items("oven", "crust", "Steam keeps"),
        },
    )
    return box
