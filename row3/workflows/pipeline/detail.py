"""A case of a result in JSON: its line, with every match explained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from row3.domain.metrics import Zone, by_other_names
from row3.domain.scores import CaseScore
from row3.domain.verdicts import CaseChange
from row3.kinds.base import Kind
from row3.workflows.pipeline.evaluate import dump

_WORDS = tuple(zone.word for zone in Zone)
"""By zone; to ask the zone itself takes as long as to write it."""


def detail_json(kind: Kind, score: CaseScore, zones: Mapping[str, Zone], change: CaseChange | None) -> bytes:
    """The case's JSON, with every match."""
    value: dict[str, Any] = {
        "id": score.case_id,
        "status": score.status,
        "metrics": score.metrics,
        "zones": {key: _WORDS[zone] for key, zone in zones.items()},
        "deltas": dict(change.deltas) if change is not None else {},
    }
    if change is not None:
        value["change"] = change.move
        value["gained"], value["lost"] = change.gained, change.lost
    if score.skipped:
        value["skipped"] = score.skipped
    if score.problem:
        value["problem"] = score.problem
    if score.raw:
        value["raw"] = score.raw
    if score.notes:
        value["notes"] = score.notes
    if score.spread:
        value["spread"] = score.spread
    if entities := by_other_names(kind.metrics, score.metrics):
        value["entityMetrics"] = entities
    value["matches"] = None if score.explanation is None else kind.matches_json(score.explanation)
    return dump(value)
